// Driver and compiler of CUDA for machines without a device: as the manuals of the driver API and of NVRTC describe them, with a
// processor for a device. Stricter than the real ones: whatever is asynchronous happens when somebody waits for it, memory
// starts with other bytes than zero, every call needs the context on its thread, and every range must lie in one allocation.
//
// Files in the folder of the library say what tests want to know and to happen:
//   fail_at   a number n: the n-th call from now on fails, and the file is removed
//   live      what is there when the last context is released: allocations, streams, modules
// Kernels are compiled by the C++ compiler of the machine; instead of machine code there is the name of a library.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) unsigned

typedef unsigned long long Address;

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719,
};

static std::mutex lock_of_all;
typedef std::lock_guard<std::mutex> Lock;

struct Stream {
    std::vector<std::function<unsigned()>> work;
};

struct Module {
    void *library;
};

struct Function {
    void (*call)(void **, unsigned, unsigned);
    size_t (*size)(size_t);
};

static std::map<Address, size_t> allocations;
static size_t allocated = 0;
static std::set<Stream *> streams;
static std::set<Module *> modules;
static int retained = 0;
static char context_of_device;
static thread_local void *current = nullptr;
static const size_t MEMORY = size_t(1) << 30;

static std::string folder() {
    Dl_info info;
    dladdr((void *)&folder, &info);
    std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/'));
}

// Whether this call is the one that shall fail. The lock is held.
static bool fails() {
    std::string path = folder() + "/fail_at";
    long n = 0;
    if (!(std::ifstream(path) >> n)) return false;
    if (n <= 1) {
        std::remove(path.c_str());
        return true;
    }
    std::ofstream(path) << n - 1;
    return false;
}

#define NEEDS_CONTEXT                                  \
    Lock lock(lock_of_all);                            \
    if (current != &context_of_device || retained < 1) \
        return INVALID_CONTEXT;                        \
    if (fails()) return LAUNCH_FAILED

static bool inside(Address address, size_t bytes) {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin()) return false;
    auto found = std::prev(next);
    return address - found->first + bytes <= found->second;
}

API cuInit(unsigned flags) {
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

API cuDriverGetVersion(int *version) {
    *version = 12080;
    return SUCCESS;
}

API cuDeviceGetCount(int *count) {
    *count = 1;
    return SUCCESS;
}

API cuDeviceGet(int *device, int ordinal) {
    *device = 40 + ordinal;
    return ordinal == 0 ? SUCCESS : 101;
}

API cuDeviceGetName(char *name, int length, int device) {
    std::snprintf(name, length, "Stand-in");
    return device == 40 ? SUCCESS : 101;
}

API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = MEMORY;
    return device == 40 ? SUCCESS : 101;
}

API cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 16: *value = 3; break;
    case 39: *value = 64; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: return INVALID_VALUE;
    }
    return device == 40 ? SUCCESS : 101;
}

API cuDeviceGetPCIBusId(char *address, int length, int device) {
    std::snprintf(address, length, "0000:3B:00.0");
    return device == 40 ? SUCCESS : 101;
}

API cuDevicePrimaryCtxRetain(void **context, int device) {
    Lock lock(lock_of_all);
    if (fails()) return LAUNCH_FAILED;
    *context = &context_of_device;
    retained++;
    return device == 40 ? SUCCESS : 101;
}

API cuDevicePrimaryCtxRelease_v2(int device) {
    Lock lock(lock_of_all);
    if (retained < 1 || device != 40) return INVALID_CONTEXT;
    if (--retained == 0)
        std::ofstream(folder() + "/live") << allocations.size() << " " << streams.size() << " " << modules.size();
    return SUCCESS;
}

API cuCtxSetCurrent(void *context) {
    current = context;
    return SUCCESS;
}

API cuMemAlloc_v2(Address *address, size_t bytes) {
    NEEDS_CONTEXT;
    if (bytes == 0) return INVALID_VALUE;
    if (bytes > MEMORY - allocated) return OUT_OF_MEMORY;
    void *memory = std::malloc(bytes);
    std::memset(memory, 0xAA, bytes);
    *address = (Address)memory;
    allocations[*address] = bytes;
    allocated += bytes;
    return SUCCESS;
}

API cuMemFree_v2(Address address) {
    Lock lock(lock_of_all);
    auto found = allocations.find(address);
    if (current != &context_of_device || found == allocations.end()) std::abort();
    allocated -= found->second;
    allocations.erase(found);
    std::free((void *)address);
    return SUCCESS;
}

static unsigned enqueue(void *stream, std::function<unsigned()> work) {
    if (!streams.count((Stream *)stream)) return INVALID_HANDLE;
    ((Stream *)stream)->work.push_back(work);
    return SUCCESS;
}

API cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void *stream) {
    NEEDS_CONTEXT;
    if (!inside(to, bytes)) return INVALID_VALUE;
    return enqueue(stream, [=] { std::memset((void *)to, value, bytes); return SUCCESS; });
}

API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    NEEDS_CONTEXT;
    if (!inside(to, bytes)) return INVALID_VALUE;
    return enqueue(stream, [=] { std::memcpy((void *)to, from, bytes); return SUCCESS; });
}

API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    NEEDS_CONTEXT;
    if (!inside(from, bytes)) return INVALID_VALUE;
    return enqueue(stream, [=] { std::memcpy(to, (void *)from, bytes); return SUCCESS; });
}

API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
    NEEDS_CONTEXT;
    bool overlap = to < from + bytes && from < to + bytes;
    if (overlap || !inside(to, bytes) || !inside(from, bytes)) return INVALID_VALUE;
    return enqueue(stream, [=] { std::memcpy((void *)to, (void *)from, bytes); return SUCCESS; });
}

API cuStreamCreate(void **stream, unsigned flags) {
    NEEDS_CONTEXT;
    if (flags != 1) return INVALID_VALUE;
    Stream *created = new Stream;
    streams.insert(created);
    *stream = created;
    return SUCCESS;
}

static unsigned run(Stream *stream) {
    std::vector<std::function<unsigned()>> work;
    {
        Lock lock(lock_of_all);
        work.swap(stream->work);
    }
    for (auto &piece : work)
        if (unsigned code = piece()) return code;
    return SUCCESS;
}

API cuStreamDestroy_v2(void *stream) {
    {
        Lock lock(lock_of_all);
        if (current != &context_of_device || !streams.erase((Stream *)stream)) std::abort();
    }
    run((Stream *)stream);
    delete (Stream *)stream;
    return SUCCESS;
}

API cuStreamSynchronize(void *stream) {
    bool failing;
    {
        Lock lock(lock_of_all);
        if (current != &context_of_device) return INVALID_CONTEXT;
        if (!streams.count((Stream *)stream)) return INVALID_HANDLE;
        failing = fails();
    }
    unsigned code = run((Stream *)stream);
    return failing ? (unsigned)LAUNCH_FAILED : code;
}

API cuModuleLoadData(void **module, const void *image) {
    NEEDS_CONTEXT;
    void *library = dlopen((const char *)image, RTLD_NOW | RTLD_LOCAL);
    if (!library) return INVALID_IMAGE;
    Module *loaded = new Module{library};
    modules.insert(loaded);
    *module = loaded;
    return SUCCESS;
}

API cuModuleUnload(void *module) {
    Lock lock(lock_of_all);
    if (current != &context_of_device || !modules.erase((Module *)module)) std::abort();
    // The code stays: a function of it may be told apart from one of another module by its address.
    delete (Module *)module;
    return SUCCESS;
}

API cuModuleGetFunction(void **function, void *module, const char *name) {
    NEEDS_CONTEXT;
    if (!modules.count((Module *)module)) return INVALID_HANDLE;
    void *library = ((Module *)module)->library;
    void *call = dlsym(library, (std::string(name) + "__call").c_str());
    void *size = dlsym(library, (std::string(name) + "__size").c_str());
    if (!call || !size) return NOT_FOUND;
    // As with the real driver, nobody gives functions back.
    static std::map<std::pair<void *, void *>, Function> functions;
    Function &found = functions[{call, size}];
    found.call = (void (*)(void **, unsigned, unsigned))call;
    found.size = (size_t (*)(size_t))size;
    *function = &found;
    return SUCCESS;
}

API cuFuncGetAttribute(int *value, int attribute, void *) {
    NEEDS_CONTEXT;
    *value = 96;
    return attribute == 0 ? SUCCESS : INVALID_VALUE;
}

API cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size) {
    NEEDS_CONTEXT;
    *offset = 0;
    *size = ((Function *)function)->size(index);
    return *size ? SUCCESS : INVALID_VALUE;
}

API cuLaunchKernel(void *function, unsigned grid, unsigned grid_y, unsigned grid_z, unsigned block, unsigned block_y,
                   unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra) {
    NEEDS_CONTEXT;
    if (grid < 1 || grid_y != 1 || grid_z != 1 || block < 1 || block > 96 || block_y != 1 || block_z != 1 || shared || extra)
        return INVALID_VALUE;
    Function *called = (Function *)function;
    // Arguments are copied now, as the real driver does.
    std::vector<std::vector<char>> values;
    for (size_t i = 0; called->size(i); i++)
        values.emplace_back((char *)arguments[i], (char *)arguments[i] + called->size(i));
    return enqueue(stream, [=]() mutable {
        std::vector<void *> pointers;
        for (auto &value : values) pointers.push_back(value.data());
        called->call(pointers.data(), grid, block);
        return SUCCESS;
    });
}

API cuGetErrorName(unsigned code, const char **name) {
    switch (code) {
    case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return SUCCESS;
    case LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; return SUCCESS;
    default: return INVALID_VALUE;
    }
}

// The compiler.

struct Program {
    std::string text, log, output;
};

static std::set<Program *> programs;

enum { INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6, INTERNAL_ERROR = 11 };

#define NEEDS_PROGRAM                                                \
    {                                                                \
        Lock lock(lock_of_all);                                      \
        if (!programs.count((Program *)program)) return INVALID_PROGRAM; \
        if (fails()) return INTERNAL_ERROR;                          \
    }

API nvrtcVersion(int *major, int *minor) {
    *major = 12;
    *minor = 9;
    return SUCCESS;
}

API nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return SUCCESS;
}

API nvrtcGetSupportedArchs(int *architectures) {
    const int known[] = {90, 70, 80};
    std::memcpy(architectures, known, sizeof known);
    return SUCCESS;
}

API nvrtcCreateProgram(void **program, const char *text, const char *, int headers, const char *const *, const char *const *) {
    Lock lock(lock_of_all);
    if (fails()) return INTERNAL_ERROR;
    if (headers != 0) return INVALID_INPUT;
    Program *created = new Program{text, "", ""};
    programs.insert(created);
    *program = created;
    return SUCCESS;
}

API nvrtcDestroyProgram(void **program) {
    Lock lock(lock_of_all);
    if (!programs.erase((Program *)*program)) std::abort();
    delete (Program *)*program;
    return SUCCESS;
}

static std::string contents(const std::string &path) {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
}

API nvrtcCompileProgram(void *program, int count, const char *const *options) {
    NEEDS_PROGRAM;
    std::set<std::string> given(options, options + count);
    bool known = given.count("--gpu-architecture=sm_90") || given.count("--gpu-architecture=sm_80") ||
                 given.count("--gpu-architecture=compute_90");
    if (!known || !given.count("--fmad=false")) return INVALID_OPTION;
    Program *compiled = (Program *)program;
    std::string text = compiled->text, head = "__global__ void ";
    for (size_t at = 0; (at = compiled->text.find(head, at)) != std::string::npos;) {
        at += head.size();
        std::string name = compiled->text.substr(at, compiled->text.find('(', at) - at);
        text += "\nextern \"C\" void " + name + "__call(void **a, unsigned g, unsigned b) { stand_in_call(" + name +
                ", a, g, b); }\nextern \"C\" size_t " + name + "__size(size_t i) { return stand_in_size(" + name + ", i); }\n";
    }
    static int number = 0;
    static std::map<std::string, std::string> done;
    std::string stem;
    {
        Lock lock(lock_of_all);
        stem = folder() + "/kernel_" + std::to_string(number++);
        compiled->output = done[text];
    }
    if (!compiled->output.empty() && std::ifstream(compiled->output)) return SUCCESS;
    std::ofstream(stem + ".cpp") << text;
    std::string command = "c++ -std=c++17 -O1 -ffp-contract=off -w -fPIC -shared -include '" + folder() + "/device.h' '" + stem +
                          ".cpp' -o '" + stem + ".so' 2> '" + stem + ".log'";
    bool built = std::system(command.c_str()) == 0;
    compiled->log = contents(stem + ".log");
    if (!built) return COMPILATION;
    compiled->output = stem + ".so";
    Lock lock(lock_of_all);
    done[text] = compiled->output;
    return SUCCESS;
}

static unsigned give_size(void *program, std::string Program::*what, size_t *size) {
    NEEDS_PROGRAM;
    *size = (((Program *)program)->*what).size() + 1;
    return SUCCESS;
}

static unsigned give(void *program, std::string Program::*what, char *to) {
    NEEDS_PROGRAM;
    std::strcpy(to, (((Program *)program)->*what).c_str());
    return SUCCESS;
}

API nvrtcGetProgramLogSize(void *program, size_t *size) { return give_size(program, &Program::log, size); }
API nvrtcGetProgramLog(void *program, char *to) { return give(program, &Program::log, to); }
API nvrtcGetPTXSize(void *program, size_t *size) { return give_size(program, &Program::output, size); }
API nvrtcGetPTX(void *program, char *to) { return give(program, &Program::output, to); }
API nvrtcGetCUBINSize(void *program, size_t *size) { return give_size(program, &Program::output, size); }
API nvrtcGetCUBIN(void *program, char *to) { return give(program, &Program::output, to); }
