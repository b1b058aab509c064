// What a CUDA kernel needs to be run by a processor, one thread after the other.
#include <cstddef>
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
