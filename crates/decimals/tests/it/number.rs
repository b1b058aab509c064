//! Numbers in texts, against the standard library and exact arithmetic.

use dashu_ratio::RBig;
use proptest::prelude::*;
use volvelle_decimals::{NotANumber, diagnose, double, exact};

fn read(text: &str) -> Option<(f64, usize)> {
    double(text.as_bytes(), 0).map(|(value, end, _)| (value, end))
}

#[test]
fn doubles_are_those_of_the_standard_library() {
    for text in [
        "0",
        "1",
        "-1",
        "+1",
        "0.1",
        ".5",
        "5.",
        "1e3",
        "1E-3",
        "1e+3",
        "9007199254740993",
        "0.30000000000000004",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000001",
        "1e-320",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "00000000000000000000000000001.5",
        "0.00000000000000000000000000000",
        "12345678.12345678",
        "1234567812345678",
        "0.12345678123456781234567812345678",
        "179769313486231580e291",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "9999999999999999999",
    ] {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(
            read(text).map(|(v, end)| (v.to_bits(), end)),
            Some((expected.to_bits(), text.len())),
            "{text}"
        );
    }
}

#[test]
fn fractions_are_rounded_once() {
    assert_eq!(read("1/3"), Some((1.0 / 3.0, 3)));
    assert_eq!(read("-1/3 x"), Some((-1.0 / 3.0, 4)));
    let text = "876543210987654321106/1000000000000000000007";
    assert_eq!(read(text), Some((exact(text.as_bytes()).unwrap().to_f64().value(), text.len())));
    assert_eq!(read("1/0"), None);
    assert_eq!(read("1/"), None);
    assert_eq!(read("0.5/2"), None);
}

#[test]
fn decimals_are_exact_rationals() {
    let ratio = |n: i64, d: u64| RBig::from_parts(n.into(), d.into());
    for (text, value) in [
        ("0.1", ratio(1, 10)),
        ("-2.50", ratio(-5, 2)),
        ("1e-3", ratio(1, 1000)),
        ("1.5e2", ratio(150, 1)),
        ("6/4", ratio(3, 2)),
        ("-6/4", ratio(-3, 2)),
        (".125", ratio(1, 8)),
        ("00000000000000000000000.5", ratio(1, 2)),
    ] {
        assert_eq!(exact(text.as_bytes()), Ok(value), "{text}");
    }
}

#[test]
fn what_is_not_a_number_is_told_apart() {
    for (text, why) in [
        ("nan", NotANumber::NotFinite),
        ("-Inf", NotANumber::NotFinite),
        ("Infinity", NotANumber::NotFinite),
        ("1/0", NotANumber::ZeroDenominator),
        ("", NotANumber::Syntax),
        ("x", NotANumber::Syntax),
        ("1e", NotANumber::Syntax),
        ("1/", NotANumber::Syntax),
        ("1/-2", NotANumber::Syntax),
        ("0.5/2", NotANumber::Syntax),
        ("1.2.3", NotANumber::Syntax),
        ("-", NotANumber::Syntax),
        (".", NotANumber::Syntax),
    ] {
        assert_eq!(read(text).filter(|&(_, end)| end == text.len()), None, "{text}");
        assert_eq!(exact(text.as_bytes()), Err(why), "{text}");
    }
    assert_eq!(read("1e999"), None);
    assert_eq!(diagnose(b"1e999"), NotANumber::NotFinite);
    assert_eq!(exact(b"1e-999999999999999999"), Err(NotANumber::TooLong));
}

proptest! {
    #[test]
    fn any_double_reads_back(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        for text in [format!("{value}"), format!("{value:e}"), format!("{value:.17e}")] {
            let (read, end) = read(&text).unwrap();
            prop_assert_eq!((read.to_bits(), end), (value.to_bits(), text.len()));
        }
    }

    #[test]
    fn any_decimal_is_rounded_correctly(text in "-?[0-9]{0,25}\\.?[0-9]{0,25}(e-?[0-9]{1,2})?") {
        match text.parse::<f64>() {
            Ok(value) => prop_assert_eq!(read(&text).map(|(v, end)| (v.to_bits(), end)), Some((value.to_bits(), text.len()))),
            Err(_) => prop_assert!(read(&text).is_none_or(|(_, end)| end < text.len())),
        }
    }

    #[test]
    fn exact_and_double_agree(text in "[0-9]{1,25}(/[1-9][0-9]{0,24}|\\.[0-9]{1,25})") {
        let exact = exact(text.as_bytes()).unwrap();
        prop_assert_eq!(read(&text), Some((exact.to_f64().value(), text.len())));
    }
}
