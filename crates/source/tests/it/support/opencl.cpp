// Runs jobs on the first device of the first platform. Needs no headers: what it calls is declared here.
// WIRE
#include <dlfcn.h>

typedef void *handle;
static void *library;
template <typename F> static F *find(const char *name) {
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "OpenCL has no %s\n", name);
        exit(3);
    }
    return (F *)f;
}
static void check(int error, const char *what) {
    if (error != 0) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, error);
        exit(3);
    }
}

int main() {
    library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "there is no OpenCL\n");
        return 9;
    }
    auto get_platforms = find<int(unsigned, handle *, unsigned *)>("clGetPlatformIDs");
    auto get_devices = find<int(handle, word, unsigned, handle *, unsigned *)>("clGetDeviceIDs");
    auto create_context = find<handle(const void *, unsigned, const handle *, void *, void *, int *)>("clCreateContext");
    auto create_queue = find<handle(handle, handle, word, int *)>("clCreateCommandQueue");
    auto create_program = find<handle(handle, unsigned, const char **, const size_t *, int *)>("clCreateProgramWithSource");
    auto build = find<int(handle, unsigned, const handle *, const char *, void *, void *)>("clBuildProgram");
    auto build_info = find<int(handle, handle, unsigned, size_t, void *, size_t *)>("clGetProgramBuildInfo");
    auto create_kernel = find<handle(handle, const char *, int *)>("clCreateKernel");
    auto create_buffer = find<handle(handle, word, size_t, void *, int *)>("clCreateBuffer");
    auto set_arg = find<int(handle, unsigned, size_t, const void *)>("clSetKernelArg");
    auto launch = find<int(handle, handle, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const handle *, handle *)>("clEnqueueNDRangeKernel");
    auto read = find<int(handle, handle, unsigned, size_t, size_t, void *, unsigned, const handle *, handle *)>("clEnqueueReadBuffer");
    auto release_buffer = find<int(handle)>("clReleaseMemObject");
    auto release_kernel = find<int(handle)>("clReleaseKernel");
    auto release_program = find<int(handle)>("clReleaseProgram");

    handle platform, device;
    unsigned count = 0;
    if (get_platforms(1, &platform, &count) != 0 || count == 0) {
        fprintf(stderr, "there is no OpenCL platform\n");
        return 9;
    }
    if (get_devices(platform, 0xffffffff, 1, &device, &count) != 0 || count == 0) {
        fprintf(stderr, "there is no OpenCL device\n");
        return 9;
    }
    int error;
    handle context = create_context(0, 1, &device, 0, 0, &error);
    check(error, "context");
    handle queue = create_queue(context, device, 0, &error);
    check(error, "queue");

    std::string options = take_text(), log;
    handle program = 0;
    int built = 0;
    for (word jobs = take_word(); jobs > 0; --jobs) {
        std::string text = take_text(), entry = take_text();
        if (!text.empty()) {
            if (program) release_program(program);
            const char *start = text.c_str();
            size_t length = text.size(), size = 0;
            program = create_program(context, 1, &start, &length, &error);
            check(error, "program");
            built = build(program, 1, &device, options.c_str(), 0, 0);
            build_info(program, device, 0x1183, 0, 0, &size);
            log.assign(size, ' ');
            build_info(program, device, 0x1183, size, &log[0], 0);
        }
        give_word(built != 0);
        give_text(log.c_str());
        handle kernel = 0;
        if (built == 0) {
            kernel = create_kernel(program, entry.c_str(), &error);
            check(error, "kernel");
        }
        for (word runs = take_word(); runs > 0; --runs) {
            Run run = take_run();
            if (built != 0) continue;
            unsigned arg = 0;
            word end = run.first + run.lanes;
            check(set_arg(kernel, arg++, 8, &run.first), "first");
            check(set_arg(kernel, arg++, 8, &end), "end");
            for (auto &param : run.params) check(set_arg(kernel, arg++, param.bytes, &param.bits), "parameter");
            std::vector<handle> buffers;
            for (auto &buffer : run.buffers) {
                handle memory = 0;
                if (buffer.len != 0) {
                    memory = create_buffer(context, 1 | 32, buffer.data.size(), buffer.data.data(), &error);
                    check(error, "buffer");
                }
                buffers.push_back(memory);
                check(set_arg(kernel, arg++, sizeof(handle), memory ? &memory : 0), "buffer");
                check(set_arg(kernel, arg++, 8, &buffer.len), "length");
            }
            unsigned code = 0;
            handle exit_code = create_buffer(context, 1 | 32, 4, &code, &error);
            check(error, "exit code");
            check(set_arg(kernel, arg++, sizeof(handle), &exit_code), "exit code");
            size_t block = 8, global = (run.lanes + block - 1) / block * block;
            check(launch(queue, kernel, 1, 0, &global, &block, 0, 0, 0), "launch");
            check(read(queue, exit_code, 1, 0, 4, &code, 0, 0, 0), "read");
            give_word(code);
            for (size_t i = 0; i < buffers.size(); ++i) {
                Buffer &buffer = run.buffers[i];
                if (!buffers[i]) continue;
                check(read(queue, buffers[i], 1, 0, buffer.data.size(), buffer.data.data(), 0, 0, 0), "read");
                give(buffer.data.data(), buffer.data.size());
                release_buffer(buffers[i]);
            }
            release_buffer(exit_code);
        }
        if (kernel) release_kernel(kernel);
    }
    return 0;
}
