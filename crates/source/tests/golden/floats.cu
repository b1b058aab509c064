// Floats of both widths, functions, bits.

typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define OUT_OF_BOUNDS(buffer) do { atomicCAS(exit_code, 0u, 2u * (buffer) + 2u); return; } while (0)

static __device__ f64 f64_of_bits(u64 bits) { return __longlong_as_double((i64)bits); }

static __device__ u64 raw_bits_f64(f64 x) { return (u64)__double_as_longlong(x); }

// NaN has but one form.
static __device__ u64 bits_f64(f64 x) { return x == x ? raw_bits_f64(x) : 0x7ff8000000000000ULL; }

// NaN if either is; -0 is less than +0.
static __device__ f64 max_f64(f64 x, f64 y) {
    if (x > y) return x;
    if (y > x) return y;
    return x == y ? f64_of_bits(raw_bits_f64(x) & raw_bits_f64(y)) : x + y;
}

// The nearest integer on the way to zero; 0 for NaN.
static __device__ u8 u8_of_f64(f64 x) {
    if (x >= 0x1p+8) return (u8)255u;
    if (x < 1.0) return 0;
    return x == x ? (u8)x : 0;
}

// e^x.
static __device__ f64 exp_f64(f64 x) {
    if (x != x) return x;
    if (x > 0x1.62e42fefa39efp+9) return f64_of_bits(0x7ff0000000000000ULL);
    if (x < -0x1.74910d52d3051p+9) return 0.0;
    const u32 high = (u32)(raw_bits_f64(x) >> 32) & 0x7fffffffu;
    if (high <= 0x3e300000u) return 1.0 + x;
    f64 k = 0.0;
    if (high >= 0x3ff0a2b2u) {
        k = trunc(0x1.71547652b82fep+0 * x + (x < 0.0 ? -0.5 : 0.5));
    } else if (high > 0x3fd62e42u) {
        k = x < 0.0 ? -1.0 : 1.0;
    }
    const f64 main = x - k * 0x1.62e42feep-1;
    const f64 rest = k * 0x1.a39ef35793c76p-33;
    const f64 r = main - rest;
    const f64 rr = r * r;
    const f64 c = r - rr * (0x1.555555555553ep-3 + rr * (-0x1.6c16c16bebd93p-9 + rr * (0x1.1566aaf25de2cp-14 + rr * (-0x1.bbd41c5d26bf1p-20 + rr * 0x1.6376972bea4dp-25))));
    f64 y = 1.0 + (r * c / (2.0 - c) - rest + main);
    i32 exponent = (i32)k;
    if (exponent > 1023) {
        y *= 0x1p+1023;
        exponent -= 1023;
    } else if (exponent < -1022) {
        y *= 0x1p-969;
        exponent += 969;
    }
    return y * f64_of_bits((u64)(exponent + 1023) << 52);
}

extern "C" __global__ void floats(
    const u64 first_lane,
    const u64 end_lane,
    f64 scale,
    const f64 *__restrict__ x, const u64 x_len,
    f64 *__restrict__ y, const u64 y_len,
    f32 *__restrict__ z, const u64 z_len,
    u64 *__restrict__ bits, const u64 bits_len,
    u32 *exit_code
) {
    u64 lane = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (lane >= end_lane - first_lane) return;
    lane += first_lane;
    f64 t = 0.0;  // the first local

    if (lane < x_len) {
        t = x[lane] * scale;
        const f64 t1 = t * t + 1.0;
        if (lane >= y_len) OUT_OF_BOUNDS(1);
        y[lane] = max_f64(exp_f64(t), 0.1) + (t > 1e300 ? f64_of_bits(0x7ff0000000000000ULL) : sqrt(t1) / t1);
        if (lane >= z_len) OUT_OF_BOUNDS(2);
        z[lane] = floorf((f32)t) * 0x1.555556p-2f;
        if (lane >= bits_len) OUT_OF_BOUNDS(3);
        bits[lane] = (bits_f64(t) >> 3) + (u64)u8_of_f64(t);
    }
}
