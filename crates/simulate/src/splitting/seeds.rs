//! Seeds of the stages of repetitions.

/// The seed of the paths of a stage; the pilot run has a number of its own.
pub(super) fn stage_seed(seed: u64, repetition: u64, stage: usize) -> u64 {
    // The finalizer of SplitMix64, once for each number.
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let step =
        |z: u64, number: u64| mix(z.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    step(step(mix(seed), repetition), stage as u64)
}
