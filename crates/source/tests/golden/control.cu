// Loops, switches and control locations.

typedef signed char i8;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define FAILED(site) do { atomicCAS(exit_code, 0u, 2u * (site) + 1u); return; } while (0)

#define OUT_OF_BOUNDS(buffer) do { atomicCAS(exit_code, 0u, 2u * (buffer) + 2u); return; } while (0)

extern "C" __global__ void control(
    const u64 first_lane,
    const u64 end_lane,
    u32 rounds,
    u64 *__restrict__ out, const u64 out_len,
    u32 *exit_code
) {
    u64 lane = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (lane >= end_lane - first_lane) return;
    lane += first_lane;
    u32 i = 0;  // the first local
    i8 j = 0;
    u64 v = 0;

    v = lane;
    for (j = -3; j < 3; ++j) {
        switch (v & 3ULL) {
        case 0ULL: {
            v = v >> 1;
            break;
        }
        case 1ULL: {
            v = v * 3ULL + 1ULL;
            break;
        }
        default: {
            if (v > 1000ULL) {
                goto loop_end;
            } else if (j > 1) {
                v = v - 1ULL;
            } else {
                v = v ^ 255ULL;
            }
            break;
        }
        }
    }
    loop_end: ;
    u32 location = 0u;
    for (i = 0u; i < rounds; ++i) {
        switch (location) {
        case 0: {
            if (v == 1ULL) {
                break;
            }
            if ((v & 1ULL) == 0ULL) {
                location = 1;
                continue;
            }
            location = 2;
            continue;
        }
        case 1: {
            v = v >> 1;
            location = 0;
            continue;
        }
        case 2: {
            v = v * 3ULL + 1ULL;
            if (v == 0ULL) {
                FAILED(0);  // what fails first
            }
            location = 0;
            continue;
        }
        }
        break;
    }
    if (lane >= out_len) OUT_OF_BOUNDS(0);
    out[lane] = v << ((u64)i & 63u);
}
