//! Models of the corpus: all of them lower, and small ones have the states that the corpus lists.

use crate::support::reference::{Reference, Value};
use crate::support::{self, behaviour, constants, corpus, lowered, program};
use std::sync::Arc;
use volvelle_diagnostics::Sources;
use volvelle_prism::ast::ConstType;
use volvelle_prism::{parse, properties::lower_properties};

/// Instances with more states are left to the compiled explorer, unless the environment variable
/// `VOLVELLE_CORPUS_STATES` asks for them.
fn largest() -> usize {
    std::env::var("VOLVELLE_CORPUS_STATES").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000)
}

/// Instances with more states are not compared with the second semantics.
const COMPARED: usize = 1_000;

#[test]
fn all_models_lower() {
    let Some(folder) = corpus::folder() else { return };
    for case in corpus::instances(&folder) {
        let (_, lowered) = lowered(&corpus::read(&case.model), &constants(&case.constants));
        assert!(!lowered.program().groups.is_empty(), "{}", case.model.display());
    }
}

#[test]
fn state_counts() {
    let Some(folder) = corpus::folder() else { return };
    let (mut seen, mut compared) = (0, 0);
    let largest = largest();
    for case in corpus::instances(&folder) {
        let Some(states) = case.states.filter(|&states| states <= largest) else { continue };
        let (_, lowered) = lowered(&corpus::read(&case.model), &constants(&case.constants));
        let name = format!("{} {}", case.model.display(), case.constants);
        match program::explore(lowered.program(), largest + 1) {
            Ok(found) => {
                assert_eq!(found.len(), states, "{name}");
                assert!(behaviour::transitions(&found) > 0, "{name}");
                seen += 1;
                if states <= COMPARED {
                    compare(&case, &found, &name);
                    compared += 1;
                }
            }
            Err(stop) => panic!("{name}: {stop:?}"),
        }
    }
    assert!(seen > 5 && compared > 3, "the corpus has small instances: {seen} explored, {compared} compared");
}

/// Compares the behaviour of a program with what the syntax tree says.
fn compare(case: &corpus::Case, found: &behaviour::Behaviour, name: &str) {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", corpus::read(&case.model));
    let (model, _) = parse::model(&sources, file);
    let given = constants(&case.constants);
    let values = model.constants.iter().filter_map(|constant| {
        let text = given.get(&constant.name.text)?.text();
        let value = match constant.ty {
            ConstType::Int => Value::Int(text.parse().expect("an int")),
            ConstType::Double => Value::Double(text.parse().expect("a double")),
            ConstType::Bool => Value::Bool(text.eq_ignore_ascii_case("true")),
        };
        Some((constant.name.text.clone(), value))
    });
    let expected = Reference::new(&model, values.collect()).explore(COMPARED + 1).expect("no failure");
    behaviour::assert_same(&expected, found, name);
}

#[test]
fn all_properties_lower() {
    let Some(folder) = corpus::folder() else { return };
    for case in corpus::instances(&folder) {
        let constants = constants(&case.constants);
        let (mut sources, mut lowered) = lowered(&corpus::read(&case.model), &constants);
        let file = sources.add("model.props", corpus::read(&case.properties));
        let (properties, diagnostics) = parse::properties(&sources, file);
        assert!(diagnostics.is_empty());
        let (results, diagnostics) =
            lower_properties(&mut lowered, &sources, Arc::new(properties), &constants);
        let name = format!("{} {}", case.model.display(), case.constants);
        assert!(diagnostics.is_empty(), "{name}:\n{}", support::rendered(&diagnostics, &sources));
        for result in results {
            match result {
                Ok(property) => assert!(property.name.is_some()),
                Err(diagnostics) => panic!("{name}:\n{}", support::rendered(&diagnostics, &sources)),
            }
        }
    }
}
