// What may fail is checked in front of the statement that uses it, in the order of evaluation; lazy operands become branches.

#pragma OPENCL FP_CONTRACT OFF

typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

#define FAILED(site) do { atomic_cmpxchg(exit_code, 0u, 2u * (site) + 1u); return; } while (0)

#define OUT_OF_BOUNDS(buffer) do { atomic_cmpxchg(exit_code, 0u, 2u * (buffer) + 2u); return; } while (0)

static bool add_overflows_i64(i64 x, i64 y) {
    const i64 r = (i64)((u64)x + (u64)y);
    return ((x ^ r) & (y ^ r)) < 0;
}

kernel void checks(
    const u64 first_lane,
    const u64 end_lane,
    i32 least,
    u8 strict,
    global const i32 *restrict numbers, const u64 numbers_len,
    global u8 *restrict flags, const u64 flags_len,
    global i64 *restrict out, const u64 out_len,
    volatile global u32 *exit_code
) {
    u64 lane = get_global_id(0);
    if (lane >= end_lane - first_lane) return;
    lane += first_lane;
    i32 x = 0;  // the first local
    i64 total = 0;
    u8 float_ = 0;

    if (lane >= numbers_len) {
        return;
    }
    x = numbers[lane];
    const i64 t1 = ((i64)x - 3UL) * 2UL;
    if (add_overflows_i64(total, t1)) FAILED(1);
    total = (u64)total + t1;
    if (x > 2147483646) FAILED(1);
    x = x + 1u;
    bool t2 = strict;
    if (t2) {
        if (x == 0) FAILED(0);  // what fails first
        t2 = 100 / x > least;
    }
    if (lane >= flags_len) OUT_OF_BOUNDS(1);
    flags[lane] = t2 || x == least;
    if (x < -5 || x > 300) FAILED(2);
    float_ = (u8)(x + 40u);
    const i32 t3 = (u32)x * x;
    i64 t4;
    if (x < 0) {
        t4 = -(u64)total;
    } else {
        t4 = total / 2L;
    }
    if (lane >= out_len) OUT_OF_BOUNDS(2);
    out[lane] = (u64)t4 + (i64)float_ + (i64)(i32)(t3 + (u32)t3 * least);
}
