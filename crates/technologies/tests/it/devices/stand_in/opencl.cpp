// A loader of OpenCL that passes every call on to the real one, except that it fails calls that tests name, and counts what is
// there. Files in the folder of the library:
//   fail_at   a number n: the n-th call from now on fails, and the file is removed
//   live      what is there when a context is released: contexts, queues, memories, programs, kernels, events
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <string>

typedef void *Handle;
typedef int Code;
#define API extern "C" __attribute__((visibility("default")))

static std::mutex lock_of_all;
enum { CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT, KINDS };
static long live[KINDS];

static std::string folder() {
    Dl_info info;
    dladdr((void *)&folder, &info);
    std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/'));
}

static void *real(const char *name) {
    static void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : nullptr;
}

// What a call that shall fail says.
static const Code OUT_OF_HOST_MEMORY = -6;

static bool fails() {
    std::lock_guard<std::mutex> lock(lock_of_all);
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

static void count(int kind, long change) {
    std::lock_guard<std::mutex> lock(lock_of_all);
    live[kind] += change;
    if (kind == CONTEXT && change < 0) {
        std::ofstream file(folder() + "/live");
        for (int i = 0; i < KINDS; i++) file << live[i] << (i + 1 < KINDS ? " " : "");
    }
}

#define REAL(name) static auto next = (decltype(&name))real(#name)

// Asking for facts does not fail: what a driver does not know is not there.
#define PASS(name, parameters, arguments) \
    API Code name parameters {            \
        REAL(name);                       \
        return next arguments;            \
    }

#define FAILING(name, parameters, arguments)    \
    API Code name parameters {                  \
        REAL(name);                             \
        if (fails()) return OUT_OF_HOST_MEMORY; \
        return next arguments;                  \
    }

#define CREATING(kind, name, parameters, arguments) \
    API Handle name parameters {                    \
        REAL(name);                                 \
        if (fails()) {                              \
            *code = OUT_OF_HOST_MEMORY;             \
            return nullptr;                         \
        }                                           \
        Handle created = next arguments;            \
        if (created) count(kind, 1);                \
        return created;                             \
    }

#define ENQUEUING(name, parameters, arguments)  \
    API Code name parameters {                  \
        REAL(name);                             \
        if (fails()) return OUT_OF_HOST_MEMORY; \
        Code code = next arguments;             \
        if (code == 0) count(EVENT, 1);         \
        return code;                            \
    }

#define RELEASING(kind, name)   \
    API Code name(Handle it) {  \
        REAL(name);             \
        Code code = next(it);   \
        count(kind, -1);        \
        return code;            \
    }

typedef const size_t *Sizes;
typedef const Handle *Handles;

PASS(clGetPlatformIDs, (unsigned n, Handle *ids, unsigned *found), (n, ids, found))
PASS(clGetPlatformInfo, (Handle a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))
PASS(clGetDeviceIDs, (Handle a, unsigned long b, unsigned c, Handle *d, unsigned *e), (a, b, c, d, e))
PASS(clGetDeviceInfo, (Handle a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))
PASS(clGetProgramBuildInfo, (Handle a, Handle b, unsigned c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
PASS(clGetKernelWorkGroupInfo, (Handle a, Handle b, unsigned c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
FAILING(clGetProgramInfo, (Handle a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))
FAILING(clGetKernelInfo, (Handle a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))
FAILING(clGetEventInfo, (Handle a, unsigned b, size_t c, void *d, size_t *e), (a, b, c, d, e))
FAILING(clFinish, (Handle queue), (queue))
FAILING(clWaitForEvents, (unsigned n, Handles events), (n, events))
FAILING(clBuildProgram, (Handle a, unsigned b, Handles c, const char *d, void *e, void *f), (a, b, c, d, e, f))
FAILING(clSetKernelArg, (Handle a, unsigned b, size_t c, const void *d), (a, b, c, d))
CREATING(CONTEXT, clCreateContext, (const void *a, unsigned b, Handles c, void *d, void *e, Code *code), (a, b, c, d, e, code))
CREATING(QUEUE, clCreateCommandQueue, (Handle a, Handle b, unsigned long c, Code *code), (a, b, c, code))
CREATING(MEMORY, clCreateBuffer, (Handle a, unsigned long b, size_t c, void *d, Code *code), (a, b, c, d, code))
CREATING(PROGRAM, clCreateProgramWithSource, (Handle a, unsigned b, const char **c, Sizes d, Code *code), (a, b, c, d, code))
CREATING(PROGRAM, clCreateProgramWithBinary,
         (Handle a, unsigned b, Handles c, Sizes d, const unsigned char **e, Code *f, Code *code), (a, b, c, d, e, f, code))
CREATING(KERNEL, clCreateKernel, (Handle a, const char *b, Code *code), (a, b, code))
ENQUEUING(clEnqueueReadBuffer,
          (Handle a, Handle b, unsigned c, size_t d, size_t e, void *f, unsigned g, Handles h, Handle *i),
          (a, b, c, d, e, f, g, h, i))
ENQUEUING(clEnqueueWriteBuffer,
          (Handle a, Handle b, unsigned c, size_t d, size_t e, const void *f, unsigned g, Handles h, Handle *i),
          (a, b, c, d, e, f, g, h, i))
ENQUEUING(clEnqueueFillBuffer,
          (Handle a, Handle b, const void *c, size_t d, size_t e, size_t f, unsigned g, Handles h, Handle *i),
          (a, b, c, d, e, f, g, h, i))
ENQUEUING(clEnqueueCopyBuffer,
          (Handle a, Handle b, Handle c, size_t d, size_t e, size_t f, unsigned g, Handles h, Handle *i),
          (a, b, c, d, e, f, g, h, i))
ENQUEUING(clEnqueueNDRangeKernel,
          (Handle a, Handle b, unsigned c, Sizes d, Sizes e, Sizes f, unsigned g, Handles h, Handle *i),
          (a, b, c, d, e, f, g, h, i))
RELEASING(CONTEXT, clReleaseContext)
RELEASING(QUEUE, clReleaseCommandQueue)
RELEASING(MEMORY, clReleaseMemObject)
RELEASING(PROGRAM, clReleaseProgram)
RELEASING(KERNEL, clReleaseKernel)
RELEASING(EVENT, clReleaseEvent)
