//! Lowering never panics, whatever the tree, and never gives a program of a model with errors.

use crate::support::{self, constants};
use std::sync::Arc;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_prism::lower::lower;
use volvelle_prism::parse;
use volvelle_prism::properties::lower_properties;
use volvelle_prism::summary::summary;
use volvelle_prism::testing::{Choices, random_model};

const PROPERTIES: &str = "const double T; label \"l\" = y0>0; \"p\": Pmax=? [ F<=T \"l\" ]; \"q\": 1-\"p\";
    R{\"cost\"}=? [ C<=2 ]; filter(max, P=? [ G \"goal\" & y0=K ], \"init\"); S>=0.5 [ y0=1 ]; y0+p";

/// Words that may take the place of others.
const WORDS: [&str; 40] = [
    "y0",
    "y1",
    "x0_0",
    "N",
    "p",
    "flag",
    "K",
    "fi0",
    "fd1",
    "fb0",
    "g0",
    "m0",
    "c0",
    "true",
    "0",
    "1",
    "-1",
    "0.5",
    "2147483647",
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    "=",
    "<",
    "&",
    "|",
    "=>",
    "mod(3, 0)",
    "pow(2, 99)",
    "1/0",
    "max(1, 2)",
    "floor(1e300)",
    "[a]",
    "bool",
    "double",
    "clock",
    "int",
];

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let joins = c.is_alphanumeric() && last.is_alphanumeric()
            || c == '_'
            || last == '_'
            || c == '.'
            || last == '.';
        match words.last_mut() {
            Some(word) if joins && !c.is_whitespace() => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = c;
    }
    words
}

fn mutated(choices: &mut Choices<'_>, text: &str) -> String {
    let mut words = words(text);
    for _ in 0..choices.between(1, 4) {
        let at = choices.below(words.len() as u32) as usize;
        let other = choices.below(words.len() as u32) as usize;
        match choices.below(5) {
            0 => words[at] = String::new(),
            1 => words[at] = format!(" {} ", choices.pick(&WORDS)),
            2 => words.swap(at, other),
            3 => words[at] = words[other].clone(),
            _ => words[at] = format!("{} {}", words[at], words[at]),
        }
    }
    words.concat()
}

#[test]
fn mutated_models() {
    let (mut programs, mut refused) = (0, 0);
    for seed in 0..4000 {
        let mut choices = Choices::from_seed(seed);
        let text = random_model(&mut choices);
        let text = mutated(&mut choices, &text);
        let mut sources = Sources::new();
        let file = sources.add("model.prism", text.as_str());
        let (model, parsed) = parse::model(&sources, file);
        let model = Arc::new(model);
        let given = constants("T=1,Q=2");
        // Also where the parser reported errors: the tree is there, and further errors in it are to be reported.
        let (lowered, diagnostics) = lower(&sources, model.clone(), &given);
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        if parsed.is_empty() {
            assert_eq!(lowered.is_none(), errors > 0, "{text}");
        }
        refused += errors.min(1);
        support::rendered(&diagnostics, &sources);
        summary(&sources, &model, &given, lowered.as_ref());
        if let Some(mut lowered) = lowered {
            programs += 1;
            let mut choices = Choices::from_seed(seed ^ 0xffff);
            let file = sources.add("model.props", mutated(&mut choices, PROPERTIES));
            let (properties, _) = parse::properties(&sources, file);
            let (results, _) = lower_properties(&mut lowered, &sources, Arc::new(properties), &given);
            for diagnostics in results.into_iter().filter_map(Result::err) {
                support::rendered(&diagnostics, &sources);
            }
        }
    }
    assert!(programs > 1000 && refused > 1000, "{programs} programs, {refused} refused");
}
