//! Runs of digits, against reading digit by digit.

use proptest::prelude::*;
use volvelle_decimals::digits::append;

/// Digit by digit.
fn slowly(mut number: u64, text: &[u8], at: usize) -> (u64, usize) {
    let digits = text[at..].iter().take_while(|b| b.is_ascii_digit());
    let end = at + digits.clone().count();
    digits.for_each(|&digit| number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
    (number, end)
}

#[test]
fn every_byte_behind_every_run() {
    for count in 0..=17 {
        for byte in 0..=255u8 {
            let mut text: Vec<u8> = b"12345678901234567"[..count].to_vec();
            text.push(byte);
            for rest in 0..10 {
                text.extend(std::iter::repeat_n(b'7', rest));
                assert_eq!(append(0, &text, 0), slowly(0, &text, 0), "{text:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn as_digit_by_digit(text: Vec<u8>, digits in "[0-9]{0,40}", number: u64) {
        let bytes = [digits.as_bytes(), &text].concat();
        prop_assert_eq!(append(number, &bytes, 0), slowly(number, &bytes, 0));
    }
}
