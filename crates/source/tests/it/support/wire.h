// Reading jobs and writing results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

typedef uint64_t word;

static void take(void *to, size_t bytes) {
    if (bytes != 0 && fread(to, 1, bytes, stdin) != bytes) {
        fprintf(stderr, "the input ends early\n");
        exit(2);
    }
}
static word take_word() {
    word w;
    take(&w, 8);
    return w;
}
static std::string take_text() {
    std::string text(take_word(), ' ');
    take(&text[0], text.size());
    return text;
}
static void give(const void *from, size_t bytes) {
    if (bytes != 0) fwrite(from, 1, bytes, stdout);
}
static void give_word(word w) { give(&w, 8); }
static void give_text(const std::string &text) {
    give_word(text.size());
    give(text.data(), text.size());
}

struct Param {
    word bytes, bits;
};
struct Buffer {
    word len, bytes, written;
    std::vector<char> data;
};
struct Run {
    word first, lanes;
    std::vector<Param> params;
    std::vector<Buffer> buffers;
};

static Run take_run() {
    Run run;
    run.first = take_word();
    run.lanes = take_word();
    run.params.resize(take_word());
    for (auto &param : run.params) {
        param.bytes = take_word();
        param.bits = take_word();
    }
    run.buffers.resize(take_word());
    for (auto &buffer : run.buffers) {
        buffer.len = take_word();
        buffer.bytes = take_word();
        buffer.written = take_word();
        buffer.data.resize(buffer.len * buffer.bytes);
        take(buffer.data.data(), buffer.data.size());
    }
    return run;
}
