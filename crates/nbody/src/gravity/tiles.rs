//! Accelerations in OpenCL C and CUDA C, for devices where the items of a group share fast memory.
//!
//! A group copies the bodies tile by tile to its shared memory, from which all of its items read each body.
//! The inverse root is that of the language, with an error of at most two units in the last place (The OpenCL
//! C Specification, *Relative error as ULPs*; CUDA C++ Programming Guide, *Mathematical functions*: one).
//! Results differ from those of the kernel for all devices in the last bits. The text is the same for both
//! languages, apart from names.

/// Bodies in a tile: 8 KiB of local memory, of which every device has at least 32.
const TILE: u32 = 256;

const OPENCL: &str = r"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef ulong u64;
typedef uint u32;
#define KERNEL kernel void
#define GLOBAL global
#define EXIT_CODE volatile global
#define SHARED local
#define MEET() barrier(CLK_LOCAL_MEM_FENCE)
#define NUMBER get_global_id(0)
#define ITEM get_local_id(0)
#define ITEMS get_local_size(0)
#define FAIL(code) atomic_cmpxchg(exit_code, 0u, code)
#define NOT_A_NUMBER nan(0ul)
";

const CUDA: &str = r#"
typedef unsigned long long u64;
typedef unsigned int u32;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define EXIT_CODE
#define SHARED __shared__
#define MEET() __syncthreads()
#define NUMBER ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define ITEM threadIdx.x
#define ITEMS blockDim.x
#define FAIL(code) atomicCAS(exit_code, 0u, code)
#define NOT_A_NUMBER nan("")
"#;

const TEXT: &str = r"
KERNEL acceleration(u64 start, u64 end, u64 first, u64 bodies, double softening, GLOBAL const double *position,
                    u64 position_len, GLOBAL double *acceleration, u64 acceleration_len, EXIT_CODE u32 *exit_code) {
    SHARED double tile[4 * TILE];
    const u64 lane = start + NUMBER;
    // All items take part in copying, also those behind the last lane.
    const bool is_lane = lane < end;
    if (bodies > position_len / 4) {
        FAIL(2u);
        return;
    }
    const u64 own = is_lane && lane < bodies ? lane : 0;
    const double x = bodies > 0 ? position[4 * own] : 0.0;
    const double y = bodies > 0 ? position[4 * own + 1] : 0.0;
    const double z = bodies > 0 ? position[4 * own + 2] : 0.0;
    const double least = fmax(softening * softening, SMALLEST);
    double ax = 0.0, ay = 0.0, az = 0.0, closeness = 0.0;
    for (u64 from = 0; from < bodies; from += TILE) {
        const u32 count = (u32)min((u64)TILE, bodies - from);
        MEET();
        for (u32 i = ITEM; i < 4 * count; i += ITEMS) tile[i] = position[4 * from + i];
        MEET();
        for (u32 i = 0; i < count; ++i) {
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
        FAIL(2u);
        return;
    }
    const u64 at = 3 * (lane - first);
    if (lane < first || at + 2 >= acceleration_len) {
        FAIL(4u);
        return;
    }
    const bool is_apart = SOFTENED || closeness < COINCIDENT;
    acceleration[at] = is_apart ? ax : NOT_A_NUMBER;
    acceleration[at + 1] = is_apart ? ay : NOT_A_NUMBER;
    acceleration[at + 2] = is_apart ? az : NOT_A_NUMBER;
}
";

/// The texts of a function equivalent to the kernel `acceleration`, with the names of their technologies.
pub(crate) fn accelerations(softened: bool) -> [(&'static str, String); 2] {
    [("opencl", text(OPENCL, softened)), ("cuda", text(CUDA, softened))]
}

fn text(names: &str, softened: bool) -> String {
    let values = [
        ("TILE", TILE.to_string()),
        ("SMALLEST", format!("{:e}", crate::kernels::SMALLEST_SQUARE)),
        ("COINCIDENT", format!("{:e}", super::direct::COINCIDENT)),
        ("SOFTENED", softened.to_string()),
    ];
    let definitions = values.map(|(name, value)| format!("#define {name} {value}\n"));
    format!("{names}{}{TEXT}", definitions.concat())
}

#[cfg(test)]
mod tests {
    use super::accelerations;
    use volvelle_technologies::testing;

    /// What OpenCL runs (`tests/it/fastest.rs`), CUDA compiles; that needs no device.
    #[test]
    fn nvidias_compiler_takes_the_text() {
        let Some(compiler) = testing::nvrtc() else { return };
        for softened in [false, true] {
            let [_, (_, text)] = accelerations(softened);
            for architecture in ["sm_70", "sm_90"] {
                let compiled = compiler.compile(&text, architecture);
                let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert!(compiled.binary.starts_with(b"\x7fELF"), "{}", compiled.log);
            }
        }
    }
}
