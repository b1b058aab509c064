//! Values of the parameters in weights.

use super::unknown::unknown_in;
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_logic::{Constant, rational};
use volvelle_space::{NoWeights, ParametricStructure, WeightParameter, WeightedStructure};
use volvelle_wks::structure::Explicit;

/// How the parameters of a structure came to their values.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// A remark on those without a value, which have the middles of their ranges.
    middles: Option<Diagnostic>,
    /// Values that were given to names that are no parameters.
    unused: Vec<(String, Diagnostic)>,
}

impl Assumed {
    /// Values that are given to names which are no parameters.
    pub(super) fn unused(file: &str, parameters: &[WeightParameter], given: &[Constant]) -> Self {
        let known = || parameters.iter().map(|parameter| parameter.name.as_str());
        let unused = given.iter().filter(|constant| !known().any(|name| name == constant.name));
        let refused = unused.map(|constant| {
            let mut diagnostic = unknown_in(file, "parameter", &constant.name, known());
            if parameters.is_empty() {
                diagnostic = Diagnostic::error(diagnostic.code, format!("`{file}` has no parameters"));
            }
            (constant.name.clone(), diagnostic.help("leave it out"))
        });
        Assumed { middles: None, unused: refused.collect() }
    }

    /// Remarks for the user, and errors.
    pub fn remarks(&self) -> Vec<Diagnostic> {
        self.middles.iter().chain(self.unused.iter().map(|(_, diagnostic)| diagnostic)).cloned().collect()
    }

    /// Remarks on two models that are given the same values.
    pub fn remarks_on(both: [&Assumed; 2]) -> Vec<Diagnostic> {
        both.iter().filter_map(|assumed| assumed.middles.clone()).collect()
    }

    /// Errors about values that are parameters of neither of two models.
    pub fn refusals_on(both: [&Assumed; 2]) -> Vec<Diagnostic> {
        let in_both =
            |(name, _): &&(String, Diagnostic)| both[1].unused.iter().any(|(other, _)| other == name);
        both[0].unused.iter().filter(in_both).map(|(_, diagnostic)| diagnostic.clone()).collect()
    }
}

type Valued = (WeightedStructure, Option<ParametricStructure>, Assumed);

/// The structure with the values that are given to its parameters, and the same with those that are left.
pub(super) fn with_values(file: &str, explicit: &Explicit, given: &[Constant]) -> Result<Valued, Diagnostic> {
    let parameters = explicit.parametric.as_ref().map_or(&[][..], |parametric| &parametric.parameters);
    let mut assumed = Assumed::unused(file, parameters, given);
    let Some(mut parametric) = explicit.parametric.clone() else {
        return Ok((explicit.structure.clone(), None, assumed));
    };
    let (mut values, mut open) = (Vec::new(), Vec::new());
    for parameter in &mut parametric.parameters {
        let Some(constant) = given.iter().find(|constant| constant.name == parameter.name) else {
            let middle = (&parameter.low + &parameter.high) / RBig::from(2u8);
            if parameter.low != parameter.high {
                open.push(format!("{} = {middle}", parameter.name));
            }
            values.push(middle);
            continue;
        };
        let text = constant.value.to_string();
        let Some(value) = rational(&text) else {
            let message = format!("the value of the parameter `{}` is no number", constant.name);
            return Err(Diagnostic::error(codes::BAD_CONST_OPTION, message));
        };
        if value < parameter.low || value > parameter.high {
            let message = format!("the value of the parameter `{}` is out of its range", constant.name);
            return Err(Diagnostic::error(codes::WKS_WEIGHT, message)
                .note(format!("it is from {} to {}", parameter.low, parameter.high)));
        }
        (parameter.low, parameter.high) = (value.clone(), value.clone());
        values.push(value);
    }
    let structure = parametric.at(&values).map_err(|reason| {
        Diagnostic::error(
            codes::WKS_WEIGHT,
            match reason {
                NoWeights::Negative(_) => "a weight is negative for these values of the parameters",
                NoWeights::TooFine => "the weights are no multiples of one number that fit into 64 bits",
            },
        )
    })?;
    assumed.middles = (!open.is_empty()).then(|| {
        let name = open[0].split(' ').next().unwrap_or_default();
        let message = "parameters without a value have the middles of their ranges";
        let found = Diagnostic::warning(codes::WKS_WEIGHT, message)
            .note(open.join(", "))
            .help(format!("give values: --const {name}=VALUE"));
        Diagnostic { severity: Severity::Note, ..found }
    });
    let is_fixed = parametric.parameters.iter().all(|parameter| parameter.low == parameter.high);
    Ok((structure, (!is_fixed).then_some(parametric), assumed))
}
