# LibTorch as the target headscope_torch: the first one on CMAKE_PREFIX_PATH, else the one that scripts/setup installed.
# .venv/site is a link to the environment's site-packages: LibTorch finds its CUDA libraries relative to that folder.
set(environment "${PROJECT_SOURCE_DIR}/.venv/site")
# Two folders up: torch.utils.cmake_prefix_path names share/cmake.
find_path(HEADSCOPE_TORCH_ROOT include/torch/csrc/api/include/torch/torch.h
  HINTS ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH PATHS "${environment}/torch" PATH_SUFFIXES ../..
  NO_DEFAULT_PATH DOC "Folder of the LibTorch in use")
if(NOT HEADSCOPE_TORCH_ROOT)
  message(FATAL_ERROR "No LibTorch found. Run scripts/setup, or give one with -DCMAKE_PREFIX_PATH=/path/to/libtorch.")
endif()
file(STRINGS "${HEADSCOPE_TORCH_ROOT}/include/torch/headeronly/version.h" version REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
list(JOIN version "." version)
set(HEADSCOPE_TORCH_SUMMARY "${version} in ${HEADSCOPE_TORCH_ROOT}")

# The toolkit that the user names, else the environment's: it is of LibTorch's version, which a system's own rarely is.
if(NOT CUDAToolkit_ROOT)
  set(CUDAToolkit_ROOT "${environment}/nvidia/cu13")
endif()
if(HEADSCOPE_CUDA STREQUAL "OFF")
  set(left_out "HEADSCOPE_CUDA=OFF")
elseif(NOT EXISTS "${HEADSCOPE_TORCH_ROOT}/lib/libtorch_cuda.so")
  set(left_out "this LibTorch is CPU-only")
elseif(NOT EXISTS "${CUDAToolkit_ROOT}/bin/nvcc")
  set(left_out "no CUDA toolkit in ${CUDAToolkit_ROOT} (scripts/setup installs one, -DCUDAToolkit_ROOT= names another)")
else()
  set(left_out "")
endif()
if(HEADSCOPE_CUDA STREQUAL "ON" AND left_out)
  message(FATAL_ERROR "HEADSCOPE_CUDA=ON, but ${left_out}.")
endif()

# LibTorch's parallel loops are templates: without OpenMP they run on one thread in what is compiled here. The OpenMP
# library is LibTorch's own, so that there is one pool of threads.
file(GLOB openmp "${HEADSCOPE_TORCH_ROOT}/lib/libgomp*.so*" "${HEADSCOPE_TORCH_ROOT}/lib/libiomp5.so")
list(SORT openmp)
if(openmp)
  list(GET openmp 0 HEADSCOPE_OPENMP)
else()
  find_package(OpenMP REQUIRED COMPONENTS CXX) # LibTorch was built with the system's
  set(HEADSCOPE_OPENMP OpenMP::OpenMP_CXX)
endif()

add_library(headscope_torch INTERFACE)
if(left_out)
  # Every LibTorch has these two, and linking them needs no toolkit.
  set(torch_libraries "${HEADSCOPE_TORCH_ROOT}/lib/libtorch_cpu.so" "${HEADSCOPE_TORCH_ROOT}/lib/libc10.so")
  set(HEADSCOPE_CUDA_SUMMARY "left out: ${left_out}")
  set(HEADSCOPE_CUDA_LEFT_OUT "${left_out}")
else()
  # LibTorch's own package, which asks for a toolkit to configure, in several ways.
  set(CUDA_TOOLKIT_ROOT_DIR "${CUDAToolkit_ROOT}")
  set(CMAKE_CUDA_COMPILER "${CUDAToolkit_ROOT}/bin/nvcc")
  set(CMAKE_CUDA_STANDARD 17) # CMake 3.25 knows no CUDA20
  if(NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST} AND NOT TORCH_CUDA_ARCH_LIST)
    set(TORCH_CUDA_ARCH_LIST "8.0;9.0;10.0+PTX") # without a list it asks the GPU, which a build machine need not have
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared) # the one that LibTorch uses
  set(own_flags "${CMAKE_CUDA_FLAGS}")
  find_package(Torch REQUIRED NO_DEFAULT_PATH PATHS "${HEADSCOPE_TORCH_ROOT}/share/cmake/Torch")
  set(CMAKE_CUDA_FLAGS "${own_flags}") # the flags that it adds are for kernels with Torch headers, and name GPUs
  # Machine code for each, and what a driver can compile for GPUs to come.
  set(HEADSCOPE_CUDA_ARCHITECTURES 80-real 90-real 100)
  set(torch_libraries ${TORCH_LIBRARIES})
  target_compile_definitions(headscope_torch INTERFACE HEADSCOPE_WITH_CUDA=1)
  set(HEADSCOPE_CUDA_SUMMARY "toolkit ${CUDAToolkit_VERSION} in ${CUDAToolkit_ROOT}")
endif()
target_link_libraries(headscope_torch INTERFACE ${torch_libraries})
target_include_directories(headscope_torch SYSTEM INTERFACE
  "${HEADSCOPE_TORCH_ROOT}/include" "${HEADSCOPE_TORCH_ROOT}/include/torch/csrc/api/include")
