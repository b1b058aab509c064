//! Models in text, ready for simulation.

use std::sync::Arc;
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_model::Program;
use volvelle_prism::lower::{self, Constants};
use volvelle_prism::{parse, properties};
use volvelle_simulate::measure::{self, PropertyMeasure};
use volvelle_simulate::path::Plan;
use volvelle_streams::Generator;

/// The program of a model and the properties over it.
pub fn read(model: &str, properties: &str) -> (Program, Vec<volvelle_logic::Property>) {
    let mut sources = Sources::new();
    let (model_file, file) = (sources.add("model.prism", model), sources.add("text.props", properties));
    let (model, complaints) = parse::model(&sources, model_file);
    let draw = |d: &[_], s: &Sources| render_all(d, s, RenderOptions::default());
    assert!(complaints.is_empty(), "{}", draw(&complaints, &sources));
    let (file, complaints) = parse::properties(&sources, file);
    assert!(complaints.is_empty(), "{}", draw(&complaints, &sources));
    let (lowered, complaints) = lower::lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.unwrap_or_else(|| panic!("{}", draw(&complaints, &sources)));
    let (results, _) =
        properties::lower_properties(&mut lowered, &sources, Arc::new(file), &Constants::new());
    let properties = results
        .into_iter()
        .map(|p| p.unwrap_or_else(|complaints| panic!("{}", draw(&complaints, &sources))))
        .collect();
    (lowered.program().clone(), properties)
}

/// The plan of a model and properties, and what is asked.
pub fn plan(model: &str, properties: &str, generator: Generator) -> (Plan, Vec<PropertyMeasure>) {
    let (mut program, properties) = read(model, properties);
    let mut automata = Vec::new();
    let asked: Vec<PropertyMeasure> = properties
        .iter()
        .map(|p| measure::measure(&mut program, &mut automata, p).expect("simulated"))
        .collect();
    let measures = asked.iter().map(|a| a.measure).collect();
    (Plan::new(program, measures, automata, generator).expect("simulated"), asked)
}
