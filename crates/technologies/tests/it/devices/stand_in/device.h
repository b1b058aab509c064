// What a CUDA kernel needs to be run by a processor, one thread after the other.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

struct stand_in_dim {
    unsigned x, y, z;
};
static thread_local stand_in_dim blockIdx, blockDim, threadIdx, gridDim;

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__

static inline unsigned atomicCAS(unsigned *at, unsigned compare, unsigned value) {
    return __sync_val_compare_and_swap(at, compare, value);
}

template <class To, class From>
static To stand_in_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "one width");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned atomicAdd(unsigned *at, unsigned value) { return __sync_fetch_and_add(at, value); }
static inline double __longlong_as_double(long long x) { return stand_in_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return stand_in_bits<long long>(x); }
static inline float __uint_as_float(unsigned x) { return stand_in_bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return stand_in_bits<unsigned>(x); }
static inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

template <class... A, size_t... I>
static void stand_in_run(void (*function)(A...), void **arguments, unsigned grid, unsigned block, std::index_sequence<I...>) {
    gridDim = {grid, 1, 1};
    blockDim = {block, 1, 1};
    for (unsigned b = 0; b < grid; b++) {
        for (unsigned t = 0; t < block; t++) {
            blockIdx = {b, 0, 0};
            threadIdx = {t, 0, 0};
            function(*static_cast<std::remove_cv_t<A> *>(arguments[I])...);
        }
    }
}

template <class... A>
static void stand_in_call(void (*function)(A...), void **arguments, unsigned grid, unsigned block) {
    stand_in_run(function, arguments, grid, block, std::index_sequence_for<A...>{});
}

// The size of a parameter, 0 beyond the last.
template <class... A>
static size_t stand_in_size(void (*)(A...), size_t i) {
    const size_t sizes[] = {sizeof(A)..., 0};
    return i < sizeof...(A) ? sizes[i] : 0;
}
