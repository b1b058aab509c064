//! Formulas of weighted CTL: precedence, intervals, derived operators, messages, and printing against parsing.

use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_diagnostics::{FileId, Severity, codes, has_errors};
use volvelle_logic::{
    AmountPart, Atom, AtomId, Limit, Quantifier, Relational, Wctl, WctlFormula, WctlId, WeightInterval,
};
use volvelle_random::Random;
use volvelle_wks::wctl::formula;

fn read(text: &str) -> WctlFormula {
    let (parsed, diagnostics) = formula(FileId(0), text);
    assert!(!has_errors(&diagnostics), "{text}: {diagnostics:?}");
    parsed.expect("a formula").formula
}

/// The code and the message of the first error.
fn wrong(text: &str) -> (String, String) {
    let (parsed, diagnostics) = formula(FileId(0), text);
    assert!(parsed.is_none(), "{}", &text[..text.len().min(80)]);
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error).expect("a reason");
    assert!(error.primary.is_some(), "{text}: without a place");
    (error.code.to_string(), error.message.clone())
}

#[test]
fn precedence() {
    for (text, same) in [
        ("p or q and r", "p or (q and r)"),
        ("p | q & r || s && t", "(p or (q and r)) or (s and t)"),
        ("! p and q", "(not p) and q"),
        ("not x > 1 or q", "(not (x > 1)) or q"),
        ("EF p and q", "(EF p) and q"),
        ("EF[<=200] leader > 1", "EF[<=200] (leader > 1)"),
        ("p => q -> r", "(not p) or ((not q) or r)"),
        ("p => q or r", "(not p) or (q or r)"),
        ("p and q and r", "(p and q) and r"),
        ("x + 2*y - z <= -3", "((x + (2*y)) - z) <= (-3)"),
        ("-x*y == 2", "(-x)*y = 2"),
        ("E p U[<=5] q", "E(p U[<=5] q)"),
        ("A p or r U q and r", "A((p or r) U (q and r))"),
        ("E (p) U q or r", "E(p U (q or r))"),
        ("E(p U q) or r", "(E(p U q)) or r"),
        ("E[p U q] and r", "(E(p U q)) and r"),
        ("s and E p U q or r", "s and (E(p U (q or r)))"),
        ("E p U E q U[<3] r", "E(p U E(q U[<3] r))"),
        ("E E p U q U r", "E(E(p U q) U r)"),
        ("(E p U q) or r", "E(p U q) or r"),
        ("E(p U (q) ) and True", "E(p U q) and TRUE"),
        ("E((p) U(0,5] q)", "E(p U(0,5] q)"),
        ("EX (1 < x)", "EX[0,inf) (x > 1)".replace("(x > 1)", "(1 < x)").as_str()),
        ("AG EF p", "not EF not EF p"),
        ("EG[<=3] p", "not AF[<=3] not p"),
        ("E(p R[2,3) q)", "not A(not p U[2,3) not q)"),
        ("A(p W[<=4] q)", "not E(not q U[<=4] (not p and not q))"),
        ("p <-> q", "(not p or q) and (not q or p)"),
        ("\"EF\" and \"p q\" # end", "\"EF\" /* two */ and // three\n \"p q\""),
    ] {
        assert_eq!(canonical(&read(text)), canonical(&read(same)), "{text}");
    }
    assert_ne!(canonical(&read("E(p U q) or r")), canonical(&read("E p U q or r")));
    assert_ne!(canonical(&read("(p and q) and r")), canonical(&read("p and (q and r)")));
}

#[test]
fn intervals() {
    let interval = |text: &str| match read(&format!("EX{text} p")).nodes.pop() {
        Some(Wctl::Next(_, interval, _)) => interval,
        other => panic!("{other:?}"),
    };
    for (text, printed) in [
        ("", ""),
        ("[<=5]", "[<=5]"),
        ("[<5.50]", "[<11/2]"),
        ("[>=10/4]", "[>=5/2]"),
        ("[>0]", "[>0]"),
        ("[=2]", "[2,2]"),
        ("[==2]", "[2,2]"),
        ("[1,3)", "[1,3)"),
        ("(1, 3]", "(1,3]"),
        ("(1/2,1e1)", "(1/2,10)"),
        ("[0,inf)", ""),
        ("(2,∞)", "[>2]"),
        ("[0,7]", "[<=7]"),
    ] {
        assert_eq!(interval(text).to_string(), printed, "{text}");
    }
    let (parsed, diagnostics) = formula(FileId(0), "EF[2,2) p");
    assert!(parsed.is_some());
    assert_eq!((diagnostics.len(), diagnostics[0].severity), (1, Severity::Warning));
}

#[test]
fn messages() {
    for (text, code, message) in [
        ("", codes::WCTL_SYNTAX, "a formula is expected"),
        ("p q", codes::WCTL_SYNTAX, "an operator or the end of the formula is expected"),
        ("(p", codes::WCTL_SYNTAX, "a closing parenthesis is expected"),
        ("p)", codes::WCTL_SYNTAX, "this closes no parenthesis"),
        ("E[p U q)", codes::WCTL_SYNTAX, "this closes no parenthesis"),
        ("E(p)", codes::WCTL_SYNTAX, "an until is expected"),
        ("p U q", codes::WCTL_SYNTAX, "this has no quantifier"),
        ("(p U q)", codes::WCTL_SYNTAX, "this has no quantifier"),
        ("E(p U q U r)", codes::WCTL_SYNTAX, "a second until in one pair of parentheses"),
        ("x + 1", codes::WCTL_SYNTAX, "a condition is expected"),
        ("(not p) < 1 + (q and r)", codes::WCTL_SYNTAX, "an amount is expected"),
        ("x / 2 > 1", codes::WCTL_SYNTAX, "amounts are not divided"),
        ("x > 1.5", codes::WCTL_SYNTAX, "amounts are integers"),
        ("x > 9223372036854775808", codes::WCTL_SYNTAX, "this number does not fit into 64 bits"),
        ("EF[<=] p", codes::WCTL_SYNTAX, "an interval of weights is expected"),
        ("EF[5,2] p", codes::WCTL_BOUND, "no weight is in this interval"),
        ("EF[<=-1] p", codes::WCTL_BOUND, "a bound is negative"),
        ("EF[<=1/0] p", codes::WCTL_BOUND, "a bound has no value"),
        ("EF[inf,inf) p", codes::WCTL_BOUND, "no weight is infinite"),
        ("E(p W[2,3] q)", codes::WCTL_BOUND, "a weak until has a lower bound"),
        ("p and \"q", codes::WCTL_SYNTAX, "a formula is expected"),
        ("p and /* q", codes::WCTL_SYNTAX, "a formula is expected"),
        ("p and é", codes::WCTL_SYNTAX, "a formula is expected"),
    ] {
        assert_eq!(wrong(text), (code.to_string(), message.to_owned()), "{text}");
    }
    assert!(read("x > -9223372036854775808").to_string().contains("-9223372036854775808"));
}

#[test]
fn depth_has_a_limit_and_length_has_none() {
    let too_large = codes::WCTL_TOO_LARGE.to_string();
    for deep in ["(", "!", "E ", "E[", "AG ", "- ", "EF[<=2]"] {
        assert_eq!(wrong(&format!("{}p", deep.repeat(100_000))).0, too_large, "{deep}");
    }
    assert_eq!(wrong(&"p => ".repeat(100_000)).0, too_large);
    let deep = format!("{}p{}", "(".repeat(1_900), ")".repeat(1_900));
    assert_eq!(read(&deep).to_string(), "p");
    let long = format!("{}p", "p and q or ".repeat(100_000));
    let formula = read(&long);
    assert_eq!(canonical(&read(&formula.to_string())), canonical(&formula));
    // Each `<->` uses its operands twice.
    let chain: String = (0..200).map(|i| format!("p{i} <-> ")).collect::<String>() + "q";
    let formula = read(&chain);
    assert!(formula.nodes.len() < 2_000);
    assert!(formula.to_string().len() < 5_000);
    assert_eq!(canonical(&read(&formula.to_string())), canonical(&formula));
}

#[test]
fn places() {
    let (parsed, _) = formula(FileId(3), "p and EF[<=2] (q or p)");
    let parsed = parsed.expect("a formula");
    let starts: Vec<(u32, u32)> = parsed.name_spans.iter().map(|s| (s.start, s.end)).collect();
    assert_eq!(
        (parsed.formula.names.as_slice(), starts.as_slice()),
        (&["p".to_owned(), "q".to_owned()][..], &[(0, 1), (15, 16)][..])
    );
    let root = parsed.node_spans[parsed.formula.root.index()];
    assert_eq!((root.start, root.end, root.file), (0, 22, FileId(3)));
    assert_eq!(parsed.node_spans.len(), parsed.formula.nodes.len());
}

#[test]
fn what_is_printed_is_the_same_formula() {
    let mut random = Random(1);
    for case in 0..20_000 {
        let formula = random_formula(&mut random);
        let printed = formula.to_string();
        let again = read(&printed);
        assert_eq!(canonical(&again), canonical(&formula), "case {case}: {printed}");
        assert_eq!(again.to_string(), printed, "case {case}");
    }
}

/// Nodes in the order of a walk from the root, with names instead of numbers: equal exactly for equal formulas.
fn canonical(formula: &WctlFormula) -> Vec<String> {
    let mut number = vec![None; formula.nodes.len()];
    let (mut found, mut number_of) = (Vec::new(), HashMap::new());
    let mut stack = vec![(formula.root, false)];
    while let Some((id, is_done)) = stack.pop() {
        if number[id.index()].is_some() {
            continue;
        }
        let operands: Vec<WctlId> = volvelle_logic::wctl_operands(formula.node(id)).collect();
        if !is_done {
            stack.push((id, true));
            stack.extend(operands.iter().rev().map(|&operand| (operand, false)));
            continue;
        }
        let operands: Vec<usize> = operands.iter().map(|o| number[o.index()].expect("an operand")).collect();
        let text = match formula.node(id) {
            Wctl::Constant(value) => format!("{value}"),
            Wctl::Atom(atom) => formula.atom_text(*atom),
            Wctl::Not(_) => "not".to_owned(),
            Wctl::And(..) => "and".to_owned(),
            Wctl::Or(..) => "or".to_owned(),
            Wctl::Next(quantifier, interval, _) => format!("{quantifier}X{interval}"),
            Wctl::Until(quantifier, _, interval, _) => format!("{quantifier}U{interval}"),
        };
        let text = format!("{text} {operands:?}");
        number[id.index()] = Some(*number_of.entry(text.clone()).or_insert_with(|| {
            found.push(text);
            found.len() - 1
        }));
    }
    found
}

fn random_formula(random: &mut Random) -> WctlFormula {
    let mut formula = WctlFormula {
        nodes: vec![Wctl::Constant(random.one_in(2))],
        root: WctlId::from_index(0),
        atoms: Vec::new(),
        names: ["p", "x.y'", "U", "two words", "a\"b\\", "é\n"].map(str::to_owned).to_vec(),
    };
    for _ in 0..random.below(4) + 1 {
        let atom = match random.one_in(2) {
            true => Atom::Holds(random.below(6) as u32),
            false => Atom::Compares(
                random_amount(random),
                random.pick(&[
                    Relational::Lt,
                    Relational::Le,
                    Relational::Eq,
                    Relational::Ne,
                    Relational::Ge,
                ]),
                random_amount(random),
            ),
        };
        formula.atoms.push(atom);
        formula.nodes.push(Wctl::Atom(AtomId::from_index(formula.atoms.len() - 1)));
    }
    for _ in 0..random.below(12) {
        let last = formula.nodes.len() - 1;
        let operand = |random: &mut Random| {
            WctlId::from_index(if random.one_in(2) { last } else { random.below(last + 1) })
        };
        let (left, right) = (operand(random), operand(random));
        let quantifier = random.pick(&[Quantifier::Exists, Quantifier::All]);
        let push = |formula: &mut WctlFormula, node| {
            formula.nodes.push(node);
            WctlId::from_index(formula.nodes.len() - 1)
        };
        let node = match random.below(9) {
            0 => Wctl::Not(left),
            1 => Wctl::And(left, right),
            2 => Wctl::Or(left, right),
            3 => Wctl::Next(quantifier, random_interval(random), left),
            4 => Wctl::Until(quantifier, left, random_interval(random), right),
            5 => Wctl::Until(quantifier, WctlId::from_index(0), random_interval(random), right),
            derived => {
                let (not_left, not_right) =
                    (push(&mut formula, Wctl::Not(left)), push(&mut formula, Wctl::Not(right)));
                match derived {
                    6 => {
                        let forth = push(&mut formula, Wctl::Or(not_left, right));
                        let back = push(&mut formula, Wctl::Or(not_right, left));
                        Wctl::And(forth, back)
                    }
                    7 => {
                        let neither = push(&mut formula, Wctl::And(not_left, not_right));
                        let until = Wctl::Until(quantifier, not_right, random_interval(random), neither);
                        Wctl::Not(push(&mut formula, until))
                    }
                    _ => {
                        let until = Wctl::Until(quantifier, not_left, random_interval(random), not_right);
                        Wctl::Not(push(&mut formula, until))
                    }
                }
            }
        };
        formula.nodes.push(node);
    }
    formula.root = WctlId::from_index(formula.nodes.len() - 1);
    formula
}

fn random_amount(random: &mut Random) -> Vec<AmountPart> {
    let operand = |random: &mut Random| match random.one_in(2) {
        true => AmountPart::Name(random.below(6) as u32),
        false => AmountPart::Number(random.below(9) as i64 - 4),
    };
    let mut parts = vec![operand(random)];
    for _ in 0..random.below(4) {
        let is_left = random.one_in(2);
        let other = operand(random);
        let operator = random.pick(&[AmountPart::Add, AmountPart::Subtract, AmountPart::Multiply]);
        parts = match is_left {
            true => [vec![other], parts, vec![operator]].concat(),
            false => [parts, vec![other, operator]].concat(),
        };
        if random.one_in(4) {
            parts.push(AmountPart::Negate);
        }
    }
    parts
}

fn random_interval(random: &mut Random) -> WeightInterval {
    let low = random.below(3);
    let limit = |amount: usize, strict| Limit { amount: RBig::from(amount) / RBig::from(2u8), strict };
    let is_bounded = random.one_in(2);
    let (lower_strict, upper_strict) = (random.one_in(3), random.one_in(3));
    let upper = is_bounded.then(|| limit(low + random.below(4), upper_strict));
    WeightInterval { lower: limit(low, lower_strict), upper }
}

/// A question is the outermost operator, has `<=`, and stands at an until.
#[test]
fn questions_for_the_least_bound() {
    for (text, same) in [
        ("EF[<=?] p", "EF p"),
        ("A(p U [ <= ? ] q or r)", "A(p U (q or r))"),
        ("((E p U[<=?] q))", "E(p U q)"),
        ("AF[<=?] EF[<=3] p", "AF EF[<=3] p"),
    ] {
        let parsed = formula(FileId(0), text).0.expect("a question");
        assert!(parsed.asks, "{text}");
        assert_eq!(canonical(&parsed.formula), canonical(&read(same)), "{text}");
    }
    assert!(!formula(FileId(0), "EF p").0.expect("a formula").asks);
    for (text, message) in [
        ("EF[<=?] p and q", "a question is no part of a formula"),
        ("not EF[<=?] p", "a question is no part of a formula"),
        ("EF EF[<=?] p", "a question is no part of a formula"),
        ("EF[<=?] AF[<=?] p", "a question is no part of a formula"),
        ("p + EF[<=?] q > 2", "a question is no part of a formula"),
        ("EG[<=?] p", "this operator has no least bound"),
        ("EX[<=?] p", "this operator has no least bound"),
        ("A(p W[<=?] q)", "this operator has no least bound"),
        ("A(p R[<=?] q)", "this operator has no least bound"),
        ("EF[<?] p", "this question has no answer"),
        ("EF[>=?] p", "this question has no answer"),
        ("EF[=?] p", "this question has no answer"),
        ("EF[?] p", "an interval of weights is expected"),
        ("EF[0,?] p", "an interval of weights is expected"),
        ("EF[<=?", "an interval of weights is expected"),
        ("EF[<=?] ?", "a formula is expected"),
    ] {
        assert_eq!(wrong(text).1, message, "{text}");
    }
}
