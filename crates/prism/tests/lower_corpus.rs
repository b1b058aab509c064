//! Models of the corpus: all of them lower, and small ones have the states that the corpus lists.

mod support;

use std::sync::Arc;
use support::{behaviour, constants, corpus, lowered, program};
use volvelle_prism::{parse, properties::lower_properties};

/// Instances with more states are left to the compiled explorer.
const LARGEST: usize = 3_000;

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
    let mut seen = 0;
    for case in corpus::instances(&folder) {
        let Some(states) = case.states.filter(|&states| states <= LARGEST) else { continue };
        let (_, lowered) = lowered(&corpus::read(&case.model), &constants(&case.constants));
        let name = format!("{} {}", case.model.display(), case.constants);
        match program::explore(lowered.program(), LARGEST + 1) {
            Ok(found) => {
                assert_eq!(found.len(), states, "{name}");
                assert!(behaviour::transitions(&found) > 0, "{name}");
                seen += 1;
            }
            Err(stop) => panic!("{name}: {stop:?}"),
        }
    }
    assert!(seen > 5, "the corpus has small instances, {seen} were seen");
}

#[test]
fn all_properties_lower() {
    let Some(folder) = corpus::folder() else { return };
    for case in corpus::instances(&folder) {
        let constants = constants(&case.constants);
        let (mut sources, mut lowered) = lowered(&corpus::read(&case.model), &constants);
        let file = sources.add("model.props", corpus::read(&case.properties));
        let (properties, complaints) = parse::properties(&sources, file);
        assert!(complaints.is_empty());
        let (results, complaints) =
            lower_properties(&mut lowered, &sources, Arc::new(properties), &constants);
        let name = format!("{} {}", case.model.display(), case.constants);
        assert!(complaints.is_empty(), "{name}:\n{}", support::rendered(&complaints, &sources));
        for result in results {
            match result {
                Ok(property) => assert!(property.name.is_some()),
                Err(complaints) => panic!("{name}:\n{}", support::rendered(&complaints, &sources)),
            }
        }
    }
}
