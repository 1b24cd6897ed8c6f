// Prints what the program says of the GPU; ends with 3 where it can use none. For scripts/gpu-check.
#include <cstdio>

#include "core/device.h"

int main() {
  std::puts(core::deviceFacts().cuda.c_str());
  return core::whyNoCuda() ? 3 : 0;
}
