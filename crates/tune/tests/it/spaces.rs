//! Spaces against filtering of the whole product, and against the definitions of conditions.

use volvelle_random::Random;
use volvelle_tune::Value;
use volvelle_tune::space::{ConfigurationId, Neighbourhood, NoSpace, Parameter, Problem, Space, values};

fn parameter(name: &str, list: &str) -> Parameter {
    Parameter { name: name.to_owned(), values: values(list).unwrap() }
}

fn space(parameters: &[(&str, &str)], conditions: &[&str]) -> Result<Space, NoSpace> {
    let parameters = parameters.iter().map(|(name, list)| parameter(name, list)).collect();
    let mut problem = Problem::new(parameters);
    problem.define("size", Value::Int(64));
    for condition in conditions {
        problem.require(condition).unwrap_or_else(|mistake| panic!("{condition}: {mistake:?}"));
    }
    problem.build(2, 1 << 20)
}

/// A random condition over parameters `a` to `d`.
fn condition(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => format!("{}", random.below(12) as i64 - 3),
            _ => ["a", "b", "c", "d"][random.below(4)].to_owned(),
        };
    }
    let mut inner = |depth: usize| condition(random, depth);
    let (a, b, c) = (inner(depth - 1), inner(depth - 1), inner(0));
    let form = random.below(16);
    let operator =
        random.pick(&["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]);
    match form {
        0 => format!("(not {a})"),
        1 => format!("(-{a})"),
        2 => format!("min({a}, {b})"),
        3 => format!("({a} if {b} else {c})"),
        4 => format!("({a} < {b} <= {c})"),
        5 => format!("({a} in [1, {b}, 6])"),
        6 => format!("({a} ? {b} : {c})"),
        7 => format!("max(abs({a}), {b}, {c})"),
        _ => format!("({a} {operator} {b})"),
    }
}

/// All rows of the product whose conditions hold, each evaluated on its own.
fn filtered(parameters: &[Parameter], conditions: &[String]) -> Vec<Vec<u16>> {
    let mut found = Vec::new();
    let mut row = vec![0_u16; parameters.len()];
    loop {
        let fixed = parameters
            .iter()
            .zip(&row)
            .map(|(parameter, index)| (parameter.name.clone(), parameter.values[*index as usize].clone()));
        let mut problem = Problem::new(Vec::new());
        for (name, value) in fixed {
            problem.define(&name, value);
        }
        for condition in conditions {
            problem.require(condition).unwrap();
        }
        // The only configuration without parameters, if conditions without parameters hold.
        if problem.build(1, 1).is_ok() {
            found.push(row.clone());
        }
        let Some(last) = (0..row.len()).rev().find(|i| (row[*i] as usize) + 1 < parameters[*i].values.len())
        else {
            return found;
        };
        row[last] += 1;
        row[last + 1..].fill(0);
    }
}

#[test]
fn spaces_are_what_filtering_gives() {
    let mut random = Random(3);
    let mut sizes = [0; 2];
    for case in 0..400 {
        let names = ["a", "b", "c", "d"];
        let parameters: Vec<Parameter> = names
            .iter()
            .map(|name| {
                let count = 1 + random.below(4);
                let value = |random: &mut Random| match random.below(6) {
                    0 => Value::Float(random.below(20) as f64 / 4.0),
                    1 => Value::Bool(random.one_in(2)),
                    _ => Value::Int(random.below(10) as i64 - 1),
                };
                Parameter {
                    name: (*name).to_owned(),
                    values: (0..count).map(|_| value(&mut random)).collect(),
                }
            })
            .collect();
        let conditions: Vec<String> = (0..1 + random.below(3))
            .map(|_| {
                let depth = 1 + random.below(3);
                condition(&mut random, depth)
            })
            .collect();
        let expected = filtered(&parameters, &conditions);
        let mut problem = Problem::new(parameters);
        for condition in &conditions {
            problem.require(condition).unwrap();
        }
        match problem.build(1 + case % 2, 1 << 20) {
            Ok(space) => {
                let table = space.table();
                let mut rows: Vec<Vec<u16>> = (0..space.len() as usize)
                    .map(|row| table.columns.iter().map(|column| column[row]).collect())
                    .collect();
                for (number, row) in rows.iter().enumerate() {
                    let id = ConfigurationId(number as u64);
                    assert_eq!(&space.indices(id), row);
                    assert_eq!(space.find(row), Some(id));
                }
                rows.sort();
                assert_eq!(rows, expected, "{conditions:?}");
                sizes[1] += 1;
            }
            Err(error) => {
                assert!(expected.is_empty(), "{conditions:?}");
                assert!(matches!(error, NoSpace::Empty(_)));
                sizes[0] += 1;
            }
        }
    }
    assert!(sizes.iter().all(|count| *count > 100), "{sizes:?}");
}

/// Python's own answers for the same comprehension, counted with CPython 3.11.
#[test]
fn counts_of_python() {
    let count =
        |parameters: &[(&str, &str)], conditions: &[&str]| space(parameters, conditions).map(|s| s.len());
    // sum(1 for a in range(1,33) for b in range(1,33) if a*b <= 64 and 64 % a == 0)
    assert_eq!(count(&[("a", "range(1, 33)"), ("b", "1..32")], &["a*b <= size", "size % a == 0"]), Ok(94));
    // sum(1 for a in [1,2,4,8] for b in [0,1,2] if b == 0 or a % b == 0)
    assert_eq!(count(&[("a", "1..8:*2"), ("b", "[0, 1, 2]")], &["b == 0 || a % b == 0"]), Ok(11));
    // sum(1 for a in 'xyz' for b in (False, True) if a != 'x' or not b)
    assert_eq!(count(&[("a", "['x', 'y', 'z']"), ("b", "[False, True]")], &["a != 'x' or not b"]), Ok(5));
    // sum(1 for a in range(-4, 5) for b in range(-4, 5) if b != 0 and a // b == -1 and a % b >= 1)
    assert_eq!(count(&[("a", "-4..4"), ("b", "-4..4")], &["b != 0 and a // b == -1 and a % b >= 1"]), Ok(6));
}

#[test]
fn independent_parameters_are_never_multiplied() {
    let parameters: Vec<(String, &str)> = (0..12).map(|i| (format!("p{i}"), "1..32")).collect();
    let parameters: Vec<(&str, &str)> =
        parameters.iter().map(|(name, list)| (name.as_str(), *list)).collect();
    let found = space(&parameters, &["p0 + p5 == 9"]).unwrap();
    assert_eq!(found.len(), 8 * 32_u64.pow(10));
    let last = ConfigurationId(found.len() - 1);
    assert_eq!(found.find(&found.indices(last)), Some(last));
}

#[test]
fn the_condition_that_excludes_everything_is_named() {
    let found = space(&[("a", "1..4"), ("b", "1..4")], &["a < 3", "a * b > 100", "b > 1"]);
    assert_eq!(found.map(|s| s.len()), Err(NoSpace::Empty(Some(1))));
    let found = space(&[("a", "1..4"), ("b", "1..4")], &["a + b < 3", "b > 1"]);
    assert_eq!(found.map(|s| s.len()), Err(NoSpace::Empty(None)));
}

#[test]
fn neighbours() {
    let found = space(&[("a", "1..4"), ("b", "1..4")], &["a != 2 or b != 1"]).unwrap();
    let here = found.find(&[0, 0]).unwrap();
    let all = |which| {
        let near = found.neighbours(here, which);
        near.into_iter().map(|id| found.indices(id)).collect::<Vec<_>>()
    };
    assert_eq!(all(Neighbourhood::Adjacent), [[2, 0], [0, 1]]);
    assert_eq!(all(Neighbourhood::Hamming), [[2, 0], [3, 0], [0, 1], [0, 2], [0, 3]]);
}

#[test]
fn mistakes_have_places() {
    let cases = [
        ("WG * TS <= ", "a value is missing at the end", 11..11),
        ("WG = 4", "an operator or the end was expected here", 3..4),
        ("WG * SIZE", "`SIZE` is neither a parameter nor a known size", 5..9),
        ("log(WG)", "there is no function `log`", 0..3),
        ("WG in 4", "a list in brackets was expected here", 6..7),
        ("WG == 'x", "this text has no end", 6..8),
        ("WG # 2", "`#` has no meaning here", 3..4),
        ("99999999999999999999 > WG", "this is no number of 64 bits", 0..20),
    ];
    for (text, message, place) in cases {
        let mut problem = Problem::new(vec![parameter("WG", "1, 2"), parameter("TS", "1, 2")]);
        let mistake = problem.require(text).unwrap_err();
        assert_eq!((mistake.message.as_str(), mistake.place), (message, place), "{text}");
    }
    let deep = "(".repeat(5000);
    assert!(Problem::new(Vec::new()).require(&deep).unwrap_err().message.contains("nested deeper"));
    let wide = vec!["1"; 20_000].join(" and ");
    assert_eq!(Problem::new(Vec::new()).require(&wide), Ok(()));
}

#[test]
fn lists() {
    let show =
        |text: &str| values(text).map(|all| all.iter().map(Value::to_string).collect::<Vec<_>>().join(" "));
    assert_eq!(show("[1, 2.5, -3, 'x', True]").unwrap(), "1 2.5 -3 x true");
    assert_eq!(show("list(range(8, 0, -3))").unwrap(), "8 5 2");
    assert_eq!(show("2..20:*3").unwrap(), "2 6 18");
    assert_eq!(show("(1,)").unwrap(), "1");
    for wrong in ["", "[]", "[1, 2", "1..", "0..8:*2", "range(0, 1, 0)", "[1] 2", "0..70000", "- x"] {
        assert!(values(wrong).is_err(), "{wrong}");
    }
}
