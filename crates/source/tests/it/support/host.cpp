// What CUDA knows by itself, and a program that calls kernels for all work items.
// WIRE
#include <cmath>

#define __global__
#define __device__
static struct {
    unsigned x;
} blockIdx, blockDim, threadIdx;

static unsigned atomicCAS(unsigned *at, unsigned expected, unsigned value) {
    unsigned old = *at;
    if (old == expected) *at = value;
    return old;
}
static unsigned atomicAdd(unsigned *at, unsigned value) {
    unsigned old = *at;
    *at = old + value;
    return old;
}
template <typename To, typename From> static To same_bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "one width");
    memcpy(&to, &from, sizeof to);
    return to;
}
static double __longlong_as_double(long long x) { return same_bits<double>(x); }
static long long __double_as_longlong(double x) { return same_bits<long long>(x); }
static float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
template <typename T> static T param(Run &run, size_t i) {
    T value;
    memcpy(&value, &run.params[i].bits, sizeof value);
    return value;
}
typedef void (*Call)(Run &, unsigned *);
static const Call *all_calls();

int main() {
    take_text();
    word jobs = take_word();
    for (word job = 0; job < jobs; ++job) {
        take_text();
        take_text();
        give_word(0);
        give_text("");
        for (word runs = take_word(); runs > 0; --runs) {
            Run run = take_run();
            unsigned code = 0;
            blockDim.x = 8;
            for (word item = 0; item < (run.lanes + 7) / 8 * 8; ++item) {
                blockIdx.x = item / 8;
                threadIdx.x = item % 8;
                all_calls()[job](run, &code);
            }
            give_word(code);
            for (auto &buffer : run.buffers) give(buffer.data.data(), buffer.data.size());
        }
    }
    return 0;
}
