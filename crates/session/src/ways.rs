//! Ways out where a limit ended the work: only those that would help.

use crate::model::Model;
use crate::reduced;
use crate::settings::Settings;
use crate::symmetric;
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;
use volvelle_logic::Property;
use volvelle_model::kernels::Selection;
use volvelle_model::symmetry::interchangeable_components;
use volvelle_model::{Kind, Program};

/// A way to fewer states, if modules of a program are interchangeable for what is observed of it.
pub fn by_symmetry(program: &Program, observe: &Selection) -> Option<String> {
    let orbits = interchangeable_components(program, observe);
    let names = symmetric::classes(Some(program), &orbits)?;
    Some(format!("explore one of the states that differ only by a permutation of {names}: --symmetry"))
}

/// Ways out of a limit that ended the exploration for these properties.
pub fn ways_out(
    model: &Model,
    program: &Program,
    properties: &[&Property],
    observe: &Selection,
    settings: &Settings,
) -> Vec<String> {
    let mut ways = Vec::new();
    if model.explicit().is_some() || settings.sampling.is_some() {
        return ways;
    }
    let with_symmetry = Settings { symmetry: true, ..*settings };
    if !settings.symmetry && reduced::fits_permutations(properties, &with_symmetry) {
        ways.extend(by_symmetry(program, observe));
    }
    let is_chain = matches!(program.kind(), Kind::Dtmc | Kind::Ctmc);
    if is_chain && !properties.is_empty() && properties.iter().all(|property| is_sampled(program, property)) {
        ways.push("estimate it from paths, which need no state space: volvelle simulate".to_owned());
    }
    ways
}

/// Whether paths can be sampled for a property.
fn is_sampled(program: &Program, property: &Property) -> bool {
    volvelle_simulate::measure::measure(&mut program.clone(), &mut Vec::new(), property).is_ok()
}

/// Adds ways out to the diagnostic of a limit, unless it has them.
pub fn add(diagnostics: &mut [Diagnostic], ways: Vec<String>) {
    let Some(stopped) = diagnostics.iter_mut().find(|d| crate::limits::is_limit(d.code)) else { return };
    let sampling = "volvelle simulate";
    let has_sampling = stopped.helps.iter().any(|help| help.contains(sampling));
    stopped.helps.extend(ways.into_iter().filter(|way| !(has_sampling && way.contains(sampling))));
}

/// Whether more states than there is room for are the reason.
pub fn is_about_states(stop: Stop) -> bool {
    !matches!(stop, Stop::Cancelled)
}
