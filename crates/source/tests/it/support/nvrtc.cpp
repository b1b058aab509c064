// Compiles texts until an empty one comes: for each a log, and PTX or nothing.
// WIRE
#include <dlfcn.h>

typedef void *handle;
static void *library;
template <typename F> static F *find(const char *name) {
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "NVRTC has no %s\n", name);
        exit(3);
    }
    return (F *)f;
}

int main() {
    std::string path = take_text(), options = take_text();
    library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 9;
    }
    auto create = find<int(handle *, const char *, const char *, int, const char **, const char **)>("nvrtcCreateProgram");
    auto destroy = find<int(handle *)>("nvrtcDestroyProgram");
    auto build = find<int(handle, int, const char **)>("nvrtcCompileProgram");
    auto log_size = find<int(handle, size_t *)>("nvrtcGetProgramLogSize");
    auto get_log = find<int(handle, char *)>("nvrtcGetProgramLog");
    auto ptx_size = find<int(handle, size_t *)>("nvrtcGetPTXSize");
    auto get_ptx = find<int(handle, char *)>("nvrtcGetPTX");

    std::vector<std::string> words;
    size_t at = 0;
    while (at < options.size()) {
        size_t end = options.find(' ', at);
        if (end == std::string::npos) end = options.size();
        words.push_back(options.substr(at, end - at));
        at = end + 1;
    }
    std::vector<const char *> arguments;
    for (auto &word : words) arguments.push_back(word.c_str());
    for (std::string text = take_text(); !text.empty(); text = take_text()) {
        handle program;
        if (create(&program, text.c_str(), "kernel.cu", 0, 0, 0) != 0) return 3;
        int built = build(program, (int)arguments.size(), arguments.data());
        size_t size = 0;
        log_size(program, &size);
        std::string log(size, ' ');
        get_log(program, &log[0]);
        give_text(log.c_str());
        std::string ptx;
        if (built == 0) {
            ptx_size(program, &size);
            ptx.resize(size);
            get_ptx(program, &ptx[0]);
            ptx = ptx.c_str();
        }
        give_text(ptx);
        destroy(&program);
    }
    return 0;
}
