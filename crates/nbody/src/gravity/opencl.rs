//! Accelerations in OpenCL C, for devices where work items of a group share fast memory.
//!
//! A group copies the bodies in tiles to its local memory, from which all its items read each of them. The inverse root is that of the
//! language, with an error of at most two units in the last place (The OpenCL C Specification, *Relative error as ULPs*). Differs from the
//! kernel for all devices in the last bits.

/// Bodies in a tile: 8 KiB of local memory, of which every device has at least 32.
const TILE: u32 = 256;

const TEXT: &str = r"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void acceleration(ulong start, ulong end, ulong first, ulong bodies, double softening, global const double *position,
                         ulong position_len, global double *acceleration, ulong acceleration_len,
                         volatile global uint *exit_code) {
    local double tile[4 * TILE];
    const ulong lane = start + get_global_id(0);
    // All items take part in copying, also those behind the last lane.
    const bool is_lane = lane < end;
    if (bodies > position_len / 4) {
        atomic_cmpxchg(exit_code, 0u, 2u);
        return;
    }
    const ulong own = is_lane && lane < bodies ? lane : 0;
    const double x = bodies > 0 ? position[4 * own] : 0.0;
    const double y = bodies > 0 ? position[4 * own + 1] : 0.0;
    const double z = bodies > 0 ? position[4 * own + 2] : 0.0;
    const double least = fmax(softening * softening, SMALLEST);
    double ax = 0.0, ay = 0.0, az = 0.0, closeness = 0.0;
    for (ulong from = 0; from < bodies; from += TILE) {
        const uint count = (uint)min((ulong)TILE, bodies - from);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = get_local_id(0); i < 4 * count; i += get_local_size(0)) tile[i] = position[4 * from + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < count; ++i) {
            const double dx = tile[4 * i] - x, dy = tile[4 * i + 1] - y, dz = tile[4 * i + 2] - z;
            const double inverse = rsqrt(fma(dz, dz, fma(dy, dy, fma(dx, dx, least))));
            const double cube = inverse * inverse * inverse;
            const double pull = cube * tile[4 * i + 3];
            closeness += cube;
            ax = fma(dx, pull, ax);
            ay = fma(dy, pull, ay);
            az = fma(dz, pull, az);
        }
    }
    if (!is_lane) return;
    if (lane >= bodies) {
        atomic_cmpxchg(exit_code, 0u, 2u);
        return;
    }
    const ulong at = 3 * (lane - first);
    if (lane < first || at + 2 >= acceleration_len) {
        atomic_cmpxchg(exit_code, 0u, 4u);
        return;
    }
    const bool is_apart = SOFTENED || closeness < COINCIDENT;
    acceleration[at] = is_apart ? ax : NAN;
    acceleration[at + 1] = is_apart ? ay : NAN;
    acceleration[at + 2] = is_apart ? az : NAN;
}
";

/// The text of a function like the kernel `acceleration`.
pub(crate) fn acceleration(softened: bool) -> String {
    let values = [
        ("TILE", TILE.to_string()),
        ("SMALLEST", format!("{:e}", crate::kernels::SMALLEST_SQUARE)),
        ("COINCIDENT", format!("{:e}", super::direct::COINCIDENT)),
        ("SOFTENED", softened.to_string()),
    ];
    let definitions = values.map(|(name, value)| format!("#define {name} {value}\n"));
    format!("{}{TEXT}", definitions.concat())
}
