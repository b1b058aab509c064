// Loops, switches and control locations.

#pragma OPENCL FP_CONTRACT OFF

typedef char i8;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

#define FAILED(site) do { atomic_cmpxchg(exit_code, 0u, 2u * (site) + 1u); return; } while (0)

#define OUT_OF_BOUNDS(buffer) do { atomic_cmpxchg(exit_code, 0u, 2u * (buffer) + 2u); return; } while (0)

kernel void control(
    const u64 first_lane,
    const u64 end_lane,
    u32 rounds,
    global u64 *restrict out, const u64 out_len,
    volatile global u32 *exit_code
) {
    u64 lane = get_global_id(0);
    if (lane >= end_lane - first_lane) return;
    lane += first_lane;
    u32 i = 0;  // the first local
    i8 j = 0;
    u64 v = 0;

    v = lane;
    for (j = -3; j < 3; ++j) {
        switch (v & 3UL) {
        case 0UL: {
            v = v >> 1;
            break;
        }
        case 1UL: {
            v = v * 3UL + 1UL;
            break;
        }
        default: {
            if (v > 1000UL) {
                goto loop_end;
            } else if (j > 1) {
                v = v - 1UL;
            } else {
                v = v ^ 255UL;
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
            if (v == 1UL) {
                break;
            }
            if ((v & 1UL) == 0UL) {
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
            v = v * 3UL + 1UL;
            if (v == 0UL) {
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
