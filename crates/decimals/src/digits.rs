//! Runs of decimal digits, eight bytes at a time.
//!
//! Eight ASCII digits become a number by three multiplications (Lemire 2022, *Quickly parsing eight digits*); of a shorter
//! run, the bytes behind it are shifted out first, which leaves leading zeros.

/// Powers of ten by number of digits: the factor of the number in front of these digits.
const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// `0` in every byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// How many of eight bytes are digits before the first one that is none; the lowest byte is the first.
#[inline]
fn count_in(word: u64) -> usize {
    let offset = word ^ ZEROS;
    // A byte above nine gets its highest bit; what it adds does not reach the next byte.
    let above = ((offset & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | offset;
    ((above & 0x8080_8080_8080_8080).trailing_zeros() / 8) as usize
}

/// The value of the first `count` bytes, which are digits.
#[inline]
fn value_of(word: u64, count: usize) -> u64 {
    debug_assert!((1..=8).contains(&count));
    let digits = ((word ^ ZEROS) & 0x0f0f_0f0f_0f0f_0f0f) << (8 * (8 - count));
    let pairs = digits.wrapping_mul(2561) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(6_553_601) >> 16;
    (fours & 0x0000_ffff_0000_ffff).wrapping_mul(42_949_672_960_001) >> 32
}

/// Appends the digits at `at` to a number, which wraps around where they are too many; gives the number and the offset behind
/// them.
#[inline]
pub fn append(mut number: u64, text: &[u8], mut at: usize) -> (u64, usize) {
    while let Some(eight) = text.get(at..at + 8) {
        let word = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let count = count_in(word);
        if count == 0 {
            return (number, at);
        }
        number = number.wrapping_mul(TENS[count]).wrapping_add(value_of(word, count));
        at += count;
        if count < 8 {
            return (number, at);
        }
    }
    // The last bytes of a text.
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    (number, at)
}
