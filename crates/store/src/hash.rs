//! Hashing packed states.

/// Hash of a packed state: one 64×64→128 bit multiplication a word, both halves folded together (the mixing
/// step of wyhash). High bits choose the slot, low bits are the fingerprint.
#[inline(always)]
pub fn hash(state: &[u64]) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let mut h = SEED;
    for &word in state {
        let product = ((h ^ word) as u128) * (FACTOR as u128);
        h = (product as u64) ^ ((product >> 64) as u64);
    }
    h
}
