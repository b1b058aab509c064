//! Ranges of values.

use volvelle_session::range::values;

fn read(text: &str) -> Vec<String> {
    values("x", text).unwrap_or_else(|d| panic!("{text}: {}", d.message))
}

#[test]
fn ranges() {
    assert_eq!(read("0:3"), ["0", "1", "2", "3"]);
    assert_eq!(read("0:10:25"), ["0", "10", "20"]);
    assert_eq!(read("-1:0.5:1"), ["-1", "-0.5", "0", "0.5", "1"]);
    assert_eq!(read("3:-1:1"), ["3", "2", "1"]);
    assert_eq!(read("1e-3:1e-3:3e-3"), ["0.001", "0.002", "0.003"]);
    assert_eq!(read("1e3:1E3:2e3"), ["1000", "2000"]);
    assert_eq!(read("5:5"), ["5"]);
    assert_eq!(read("5:2:5"), ["5"]);
    assert_eq!(read(" 1 : 2 "), ["1", "2"]);
    assert_eq!(read("false:true"), ["false", "true"]);
    assert_eq!(read("1/3"), ["1/3"]);
    assert_eq!(read("0:1/3:1"), ["0", "1/3", "2/3", "1"]);
    assert_eq!(read("1/2:-1/4:-0.3"), ["1/2", "1/4", "0", "-1/4"]);
    assert_eq!(read("0:2*0.1:1/2"), ["0", "1/5", "2/5"]);
}

#[test]
fn tenths_are_what_one_would_type() {
    let tenths = read("0:0.1:1");
    assert_eq!(tenths.len(), 11);
    for (i, text) in tenths.iter().enumerate() {
        assert_eq!(text.parse::<f64>().unwrap(), i as f64 / 10.0, "{text}");
    }
}

/// Counts and ends of many ranges, against integer arithmetic on hundredths.
#[test]
fn counts_and_ends() {
    let hundredths =
        |n: i64| format!("{}{}.{:02}", if n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100);
    let mut seed = 1u64;
    let mut next = |below: i64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as i64 % below
    };
    for _ in 0..2000 {
        let (first, step, length) = (next(20_000) - 10_000, 1 + next(900), next(50_000));
        let (step, last) = if next(2) == 0 { (step, first + length) } else { (-step, first - length) };
        let text = format!("{}:{}:{}", hundredths(first), hundredths(step), hundredths(last));
        let found = read(&text);
        assert_eq!(found.len() as i64, length / step.abs() + 1, "{text}");
        for (k, value) in [(0, &found[0]), (found.len() as i64 - 1, &found[found.len() - 1])] {
            let expected: f64 = hundredths(first + k * step).parse().unwrap();
            assert_eq!(value.parse::<f64>().unwrap(), expected, "{text}");
        }
    }
}

#[test]
fn what_is_no_range() {
    for (text, why) in [
        ("1:2:3:4", "too many parts"),
        ("a:b", "is not a number"),
        ("1:", "is not a number"),
        ("1:x:2", "is not a number"),
        (".:2", "is not a number"),
        ("1:0:2", "step is zero"),
        ("1:-1:2", "away from its last value"),
        ("2:1", "away from its last value"),
        ("0:1e-9:1", "more than a million"),
        ("0:1e999", "is not a number"),
        ("0:1e99", "too many digits"),
        ("0:1e-28:1e27", "too far apart"),
        ("nan:1", "is not a number"),
        ("inf:1", "is not a number"),
    ] {
        let complaint = values("x", text).expect_err(text);
        assert!(complaint.message.contains(why), "{text}: {}", complaint.message);
    }
}
