#include "core/checkpoint/pickle_globals.h"

#include <algorithm>
#include <iterator>

#include "core/checkpoint/contains.h"

namespace core::checkpoint::pickle {

namespace {

/// Modules of which no name has a place in a checkpoint; their submodules neither.
constexpr std::string_view kModules[] = {"os",
                                         "posix",
                                         "nt",
                                         "subprocess",
                                         "_posixsubprocess",
                                         "sys",
                                         "shutil",
                                         "runpy",
                                         "socket",
                                         "_socket",
                                         "importlib",
                                         "imp",
                                         "pty",
                                         "commands",
                                         "popen2",
                                         "ctypes",
                                         "_ctypes",
                                         "cffi",
                                         "pickle",
                                         "_pickle",
                                         "cPickle",
                                         "dill",
                                         "cloudpickle",
                                         "marshal",
                                         "code",
                                         "codeop",
                                         "pdb",
                                         "bdb",
                                         "timeit",
                                         "cProfile",
                                         "profile",
                                         "trace",
                                         "webbrowser",
                                         "pip",
                                         "ensurepip",
                                         "venv",
                                         "asyncio",
                                         "multiprocessing",
                                         "threading",
                                         "_thread",
                                         "urllib",
                                         "urllib2",
                                         "http",
                                         "httplib",
                                         "requests",
                                         "aiohttp",
                                         "ftplib",
                                         "smtplib",
                                         "telnetlib",
                                         "xmlrpc",
                                         "pydoc",
                                         "doctest",
                                         "inspect",
                                         "gc",
                                         "_io",
                                         "mmap",
                                         "fcntl",
                                         "zipimport",
                                         "pkgutil",
                                         "_winapi",
                                         "msvcrt",
                                         "winreg",
                                         "distutils",
                                         "setuptools",
                                         "idlelib",
                                         "lib2to3",
                                         "torch.hub",
                                         "torch.package",
                                         "torch.utils.cpp_extension",
                                         "torch._inductor",
                                         "torch._dynamo",
                                         "torch.ops",
                                         "torch.classes",
                                         "torch.distributed.rpc",
                                         "torch.multiprocessing",
                                         "numpy.f2py",
                                         "numpy.testing",
                                         "numpy.distutils"};

constexpr std::string_view kBuiltins[] = {
    "eval",       "exec",    "execfile", "compile", "open",    "file",   "input",          "raw_input",
    "__import__", "getattr", "setattr",  "delattr", "globals", "locals", "vars",           "breakpoint",
    "apply",      "map",     "filter",   "reduce",  "reload",  "help",   "__build_class__"};

constexpr std::string_view kNames[] = {"torch.load",
                                       "torch.save",
                                       "torch.compile",
                                       "torch.storage._load_from_bytes",
                                       "torch.serialization.load",
                                       "torch.jit.load",
                                       "operator.attrgetter",
                                       "operator.methodcaller",
                                       "_operator.attrgetter",
                                       "_operator.methodcaller",
                                       "functools.reduce",
                                       "_functools.reduce",
                                       "codecs.open",
                                       "io.open",
                                       "io.open_code",
                                       "io.FileIO",
                                       "types.CodeType",
                                       "types.FunctionType",
                                       "numpy.load",
                                       "numpy.loads",
                                       "numpy.fromfile",
                                       "numpy.memmap",
                                       "joblib.load",
                                       "pandas.eval",
                                       "pandas.read_pickle",
                                       "site.main",
                                       "linecache.getlines",
                                       "logging.config.listen"};

/// Names such as "x.os.system" or "eval.__call__" lead on from an innocent module.
constexpr std::string_view kInside[] = {
    "os",       "posix",  "nt",          "sys",          "subprocess",     "importlib",        "shutil",    "socket",
    "builtins", "ctypes", "__globals__", "__builtins__", "__subclasses__", "__getattribute__", "__reduce__"};

constexpr int kMostParts = 3;  // of a name in kModules

bool isBuiltins(std::string_view module) {
  return module == "builtins" || module == "__builtin__" || module == "__builtins__";
}

}  // namespace

bool isDangerous(std::string_view module, std::string_view name) {
  const std::string_view firstName = name.substr(0, name.find('.'));
  if (isBuiltins(module) && contains(kBuiltins, firstName)) return true;
  std::size_t end = 0;
  for (int parts = 1; parts <= kMostParts && end != std::string_view::npos; ++parts) {
    end = module.find('.', end + 1);
    if (contains(kModules, module.substr(0, end))) return true;
  }
  const auto isName = [&](std::string_view full) {
    return full.size() == module.size() + 1 + firstName.size() && full.starts_with(module) &&
           full[module.size()] == '.' && full.ends_with(firstName);
  };
  if (std::any_of(std::begin(kNames), std::end(kNames), isName)) return true;
  if (firstName.size() == name.size()) return false;  // no dots: leads nowhere
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t dot = std::min(name.find('.', begin), name.size());
    if (contains(kInside, name.substr(begin, dot - begin))) return true;
    begin = dot + 1;
  }
  return false;
}

}  // namespace core::checkpoint::pickle
