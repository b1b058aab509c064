//! Numbers: none at all, too large, negative, and counts that lie.

use super::{AUT, CHAIN, DRN, load, refusal};
use volvelle_diagnostics::codes;

#[test]
fn probabilities_that_are_none() {
    for (number, code) in [
        ("nan", codes::EXPLICIT_NUMBER),
        ("-NaN", codes::EXPLICIT_NUMBER),
        ("inf", codes::EXPLICIT_NUMBER),
        ("-Infinity", codes::EXPLICIT_NUMBER),
        ("1e999", codes::EXPLICIT_NUMBER),
        ("1/0", codes::EXPLICIT_NUMBER),
        ("-0.5", codes::EXPLICIT_NUMBER),
        ("-1/2", codes::EXPLICIT_NUMBER),
        ("0x1p-1", codes::EXPLICIT_SYNTAX),
        ("0,5", codes::EXPLICIT_SYNTAX),
        ("1e", codes::EXPLICIT_SYNTAX),
        ("--1", codes::EXPLICIT_SYNTAX),
        ("٣", codes::EXPLICIT_SYNTAX),
    ] {
        for (name, text) in [("m.tra", CHAIN), ("m.drn", DRN)] {
            let text = text.replacen("0.5", number, 1);
            assert_eq!(refusal(name, text.as_bytes()).0, code, "{text}");
        }
    }
    // The largest text of a rational that is read.
    let long = format!("{}/3", "9".repeat(200_000));
    assert_eq!(refusal("m.tra", CHAIN.replacen("0.5", &long, 1).as_bytes()).0, codes::EXPLICIT_NUMBER);
}

#[test]
fn sums_that_are_not_one() {
    for (from, to) in
        [("0 2 0.5", "0 2 0.50001"), ("0 2 0.5", "0 2 0.4"), ("1 1 1", "1 1 0"), ("1 1 1", "1 1 1e-300")]
    {
        assert_eq!(refusal("m.tra", CHAIN.replace(from, to).as_bytes()).0, codes::EXPLICIT_SUM, "{to}");
    }
    // Exactly, where numbers are rationals.
    let thirds = CHAIN.replace("0 1 0.5", "0 1 1/3").replace("0 2 0.5", "0 2 0.6666666666666666");
    assert_eq!(refusal("m.tra", thirds.as_bytes()).0, codes::EXPLICIT_SUM);
}

/// No count makes a reader take memory that the file does not have bytes for.
#[test]
fn counts_that_lie() {
    let huge = ["4294967295", "4294967296", "9223372036854775807", "99999999999999999999999999"];
    for count in huge {
        for (name, text) in [
            ("m.tra", CHAIN.replacen('3', count, 1)),
            ("m.tra", CHAIN.replacen('4', count, 1)),
            ("m.tra", format!("2 {count} 3\n0 0 0 1\n")),
            ("m.tra", format!("2 2 2 {count}\n- - 0 - 1\n0 0 1 1 0 a\n1 0 1 1 0 b\n")),
            ("m.drn", DRN.replacen("\n2\n", &format!("\n{count}\n"), 1)),
            ("m.aut", AUT.replacen(", 2)", &format!(", {count})"), 1)),
            ("m.aut", AUT.replacen(", 3, ", &format!(", {count}, "), 1)),
        ] {
            let (code, message) = refusal(name, text.as_bytes());
            let expected = [codes::EXPLICIT_COUNT, codes::EXPLICIT_TOO_LARGE, codes::EXPLICIT_RANGE];
            assert!(
                expected.contains(&code) || code == codes::EXPLICIT_STRUCTURE,
                "{text}: {code} {message}"
            );
        }
    }
}

#[test]
fn states_beyond_those_that_there_are() {
    for state in ["3", "4294967295", "4294967296", "18446744073709551616", "000000000000000000000000003"] {
        for text in [
            CHAIN.replacen("0 1 0.5", &format!("0 {state} 0.5"), 1),
            CHAIN.replacen("2 0 1\n", &format!("{state} 0 1\n"), 1),
        ] {
            assert_eq!(refusal("m.tra", text.as_bytes()).0, codes::EXPLICIT_RANGE, "{text}");
        }
        let drn = DRN.replacen("1 : 0.5", &format!("{state} : 0.5"), 1);
        assert_eq!(refusal("m.drn", drn.as_bytes()).0, codes::EXPLICIT_RANGE, "{drn}");
        let aut = AUT.replacen("1)\n", &format!("{state})\n"), 1);
        assert_eq!(refusal("m.aut", aut.as_bytes()).0, codes::EXPLICIT_RANGE, "{aut}");
    }
    // Zeros in front do not make a number larger.
    let padded = CHAIN.replacen("0 1 0.5", "0 0000000000000000000000000001 0.5", 1);
    assert_eq!(load("m.tra", padded.as_bytes()), load("m.tra", CHAIN.as_bytes()));
}

/// Integers of variables have 32 bits.
#[test]
fn values_of_variables_at_the_borders() {
    let combined = |value: &str| format!("# Transitions (DTMC)\n1 1\n0 0 1\n\n# States\n(x)\n0:({value})\n");
    for value in ["2147483647", "-2147483648", "-0"] {
        assert!(load("m.pexp", combined(value).as_bytes()).is_ok(), "{value}");
    }
    for value in ["2147483648", "-2147483649", "600000000000000000", "99999999999999999999", "1.5", "", "-"] {
        assert_eq!(refusal("m.pexp", combined(value).as_bytes()).0, codes::EXPLICIT_SYNTAX, "{value}");
    }
}

/// Depth costs memory, not stack.
#[test]
fn expressions_as_deep_as_the_file() {
    let deep = 1_000_000;
    let expression = format!("{}p{}", "(".repeat(deep), ")".repeat(deep));
    let text = DRN
        .replace("@parameters\n\n", "@value_type: parametric\n@parameters\np\n")
        .replacen("0.5", &expression, 1)
        .replacen("0.5", "1-p", 1);
    assert!(load("m.drn", text.as_bytes()).is_ok());
    let open = text.replacen("p)", "p", 1);
    assert_eq!(refusal("m.drn", open.as_bytes()).0, codes::EXPLICIT_SYNTAX);
}
