//! The sum over all pairs.

use volvelle_kernel::text::parse;
use volvelle_runtime::Function;

const KERNELS: &str = "
    kernel acceleration(lane: u64, first: u64, softening: f64) {
        buffer position: read f64;
        buffer acceleration: write f64;
        local j: u64; local x: f64; local y: f64; local z: f64; local square: f64; local pull: f64;
        local px: f64; local py: f64; local pz: f64;
        local ax: f64; local ay: f64; local az: f64;
        px = position[lane * 4u64]; py = position[lane * 4u64 + 1u64]; pz = position[lane * 4u64 + 2u64];
        for j in 0u64..len(position) >> 2u64 {
            x = position[j * 4u64] - px;
            y = position[j * 4u64 + 1u64] - py;
            z = position[j * 4u64 + 2u64] - pz;
            square = x * x + y * y + z * z + softening * softening;
            pull = select(j != lane, position[j * 4u64 + 3u64] / (square * sqrt(square)), 0.0f64);
            ax = ax + x * pull; ay = ay + y * pull; az = az + z * pull;
        }
        acceleration[(lane - first) * 3u64] = ax;
        acceleration[(lane - first) * 3u64 + 1u64] = ay;
        acceleration[(lane - first) * 3u64 + 2u64] = az;
    }
    kernel potential(lane: u64, first: u64, softening: f64) {
        buffer position: read f64;
        buffer potential: write f64;
        local j: u64; local x: f64; local y: f64; local z: f64; local square: f64; local sum: f64;
        local px: f64; local py: f64; local pz: f64;
        px = position[lane * 4u64]; py = position[lane * 4u64 + 1u64]; pz = position[lane * 4u64 + 2u64];
        for j in 0u64..len(position) >> 2u64 {
            x = position[j * 4u64] - px;
            y = position[j * 4u64 + 1u64] - py;
            z = position[j * 4u64 + 2u64] - pz;
            square = x * x + y * y + z * z + softening * softening;
            sum = sum - select(j != lane, position[j * 4u64 + 3u64] / sqrt(square), 0.0f64);
        }
        potential[lane - first] = sum;
    }";

fn kernel(number: usize) -> Function {
    Function::of(parse(KERNELS).expect("kernels that tests run").swap_remove(number))
}

pub(super) fn acceleration() -> Function {
    kernel(0)
}

pub(super) fn potential() -> Function {
    kernel(1)
}
