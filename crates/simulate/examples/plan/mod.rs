//! The plan of a model and properties, given as text, for examples.

use std::sync::Arc;
use volvelle_diagnostics::Sources;
use volvelle_prism::lower::{self, Constants};
use volvelle_prism::{parse, properties};
use volvelle_simulate::measure;
use volvelle_simulate::path::Plan;
use volvelle_streams::Generator;

/// Reads a model with constants `NAME=VALUE,...` and properties.
pub fn plan(model: &str, property: &str, given: &str) -> Plan {
    let mut sources = Sources::new();
    let (file, asked) = (sources.add("model", model), sources.add("property", property));
    let (model, _) = parse::model(&sources, file);
    let mut constants = Constants::new();
    for one in given.split(',').filter(|one| !one.is_empty()) {
        let (name, value) = one.split_once('=').expect("CONSTANT=VALUE");
        constants.set(name, value);
    }
    let (lowered, diagnostics) = lower::lower(&sources, Arc::new(model), &constants);
    let mut lowered = lowered.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (file, _) = parse::properties(&sources, asked);
    let (properties, _) = properties::lower_properties(&mut lowered, &sources, Arc::new(file), &constants);
    let mut program = lowered.program().clone();
    let mut automata = Vec::new();
    let measures = properties
        .into_iter()
        .map(|property| measure::measure(&mut program, &mut automata, &property.expect("a property")))
        .map(|asked| asked.expect("it is simulated").measure)
        .collect();
    Plan::new(program, measures, automata, Generator::default()).expect("it is simulated")
}
