//! Configurations: every combination of the values of parameters.

use super::outline::{Outline, Parameter};
use volvelle_diagnostics::{Diagnostic, codes};

/// Values of all parameters, in the order of the study.
pub type Configuration = Vec<(String, String)>;

/// Configurations beyond which a sweep is refused.
const MOST: usize = 100_000;

/// All configurations of a study, in the order of its parameters, the last one varying fastest. `given` has parameters with the values that
/// they have instead.
///
/// # Errors
/// A name that is no parameter, or too many combinations.
pub fn configurations(
    outline: &Outline,
    given: &[(String, Vec<String>)],
) -> Result<Vec<Configuration>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let known: Vec<&str> = outline.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    for (name, _) in given.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        let error = Diagnostic::error(codes::MPI_PARAMETER, format!("the study has no parameter `{name}`"));
        errors.push(error.misspelt_or(name, &known, || match known.is_empty() {
            true => "declare it in the study: `[parameters]`".to_owned(),
            false => format!("its parameters are `{}`", known.join("`, `")),
        }));
    }
    let values = |parameter: &Parameter| {
        let instead = given.iter().rev().find(|(name, _)| *name == parameter.name);
        instead.map_or_else(|| parameter.values.clone(), |(_, values)| values.clone())
    };
    let mut all: Vec<Configuration> = vec![Vec::new()];
    for parameter in &outline.parameters {
        let values = values(parameter);
        if all.len().saturating_mul(values.len()) > MOST {
            let message = format!("the values of the parameters combine to more than {MOST} configurations");
            errors.push(
                Diagnostic::error(codes::MPI_PARAMETER, message)
                    .at(parameter.span, "")
                    .help("give fewer values"),
            );
            break;
        }
        let with = |value: &String, configuration: &Configuration| {
            let mut configuration = configuration.clone();
            configuration.push((parameter.name.clone(), value.clone()));
            configuration
        };
        all = all.iter().flat_map(|before| values.iter().map(move |value| with(value, before))).collect();
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}
