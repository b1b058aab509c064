//! Facts and diagnostics about interchangeable modules.

use volvelle_control::Fact;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_model::Program;
use volvelle_model::symmetry::Orbit;

/// Names of a class that are listed; of a larger one the first and the last.
const LISTED: usize = 4;

/// Which modules are interchangeable.
pub fn fact(program: Option<&Program>, orbits: &[Orbit]) -> Fact {
    const NAME: &str = "interchangeable";
    match classes(program, orbits) {
        None => Fact::text(NAME, "none")
            .because("no two modules are alike in their behaviour and in what is observed"),
        Some(classes) => Fact::text(NAME, classes)
            .because("one state represents all that differ by a permutation of these modules"),
    }
}

/// The names of interchangeable modules; `None` if there are none.
pub fn classes(program: Option<&Program>, orbits: &[Orbit]) -> Option<String> {
    let name = |orbit: &Orbit, at: usize| {
        let component = orbit.components[at];
        program.map_or(String::new(), |program| program.components[component.index()].name.clone())
    };
    let class = |orbit: &Orbit| match orbit.components.len() {
        count if count <= LISTED => (0..count).map(|at| name(orbit, at)).collect::<Vec<_>>().join(", "),
        count => format!("{} to {} ({count})", name(orbit, 0), name(orbit, count - 1)),
    };
    let classes: Vec<String> = orbits.iter().map(class).collect();
    (!classes.is_empty()).then(|| classes.join("; "))
}

/// `--symmetry` where it has no effect.
pub fn no_effect(fits: bool) -> Diagnostic {
    let message = "`--symmetry` has no effect: all states are explored";
    let warning = Diagnostic::warning(codes::UNSUPPORTED_CONSTRUCT, message);
    match fits {
        true => warning
            .note("no two modules are interchangeable: exchanging them changes the model, or something that a property observes")
            .help("observe conditions that do not depend on names, such as `s1=2 | s2=2`, or leave `--symmetry` out"),
        false => warning
            .note("a property or an option refers to individual states")
            .help("check such properties in a separate run"),
    }
}
