//! Project files of WKTool (`.wkp`): JSON with a model and formulas.

use serde_json::Value;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// What a project file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its name; may be empty.
    pub name: String,
    /// `WCCS` or `WKS`.
    pub language: String,
    /// The text of the model.
    pub definition: String,
    /// The formulas.
    pub formulas: Vec<ProjectFormula>,
}

/// A formula, and where it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFormula {
    /// The name of a process or a state.
    pub state: String,
    /// The text of the formula; may hold comments.
    pub formula: String,
}

/// Reads the text of a project file. Formulas without a text are left out; nothing is said about the texts inside.
pub fn read_project(file: FileId, text: &str) -> (Option<Project>, Vec<Diagnostic>) {
    let refused = |message: String, at: usize| {
        let found = Diagnostic::error(codes::WCCS_SYNTAX, message)
            .at(Span::within(file, text, at..at + 1), "")
            .help("a project is `{\"model\": {\"language\": \"WCCS\", \"definition\": \"...\"}, \"properties\": [...]}`");
        (None, vec![found])
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
            let at = before.sum::<usize>() + error.column().saturating_sub(1);
            return refused(format!("the project is not JSON: {error}"), at);
        }
    };
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let Some(model) = value.get("model") else {
        return refused("the project has no `model`".to_owned(), 0);
    };
    let Some(definition) = word(model, "definition") else {
        return refused("the model of the project has no `definition`".to_owned(), 0);
    };
    let formulas = value.get("properties").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let formula = |property: &Value| {
        let formula = word(property, "formula")?;
        Some(ProjectFormula { state: word(property, "state").unwrap_or_default(), formula })
    };
    let project = Project {
        name: word(&value, "name").unwrap_or_default(),
        language: word(model, "language").unwrap_or_else(|| "WCCS".to_owned()),
        definition,
        formulas: formulas.iter().filter_map(formula).collect(),
    };
    (Some(project), Vec::new())
}
