//! Why there is no transition system of a Promela model, as diagnostics.

use std::collections::BTreeMap;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_explore::{Growth, Processes, ProcessesError};
use volvelle_model::Program;
use volvelle_model::kernels::KernelError;
use volvelle_session::language::Document;

/// There are more states than numbers.
pub fn too_large() -> Diagnostic {
    Diagnostic::error(codes::TOO_MANY_TRANSITIONS, "the model has more states than 32-bit numbers can count")
}

/// Why there is no transition system.
pub fn not_made(document: &dyn Document, sources: &Sources, error: &ProcessesError) -> Diagnostic {
    let unsupported = |message: String| Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message);
    match error {
        ProcessesError::Kernel(KernelError::TooManyTransitions { transitions }) => {
            unsupported(format!("the model has too many statements: {transitions}"))
                .note("the limit is 65,534")
        }
        ProcessesError::Kernel(error) => unsupported(format!("the model cannot be compiled: {error:?}")),
        ProcessesError::Compile(error) => unsupported(format!("the model cannot be compiled: {error}")),
        ProcessesError::Initialisation(site) => document.explain_failure(sources, *site, &[]),
        ProcessesError::TooMany(growth) => {
            let pools = document.program().map(|program| &program.network.pools);
            let pool = pools.map_or("pool", |pools| pools[growth.pool.index()].name.as_str());
            let diagnostic = unsupported(format!("more than 32,767 simultaneous instances of a {pool}"));
            match document.program() {
                Some(program) => diagnostic.note(grown(program, growth)),
                None => diagnostic,
            }
        }
    }
}

/// Instances of a pool beyond which its growth is told where a limit ends a search.
const MANY_INSTANCES: usize = 64;

/// The same, where a limit ended a search in which a pool went on growing.
pub fn with_growth(diagnostic: Diagnostic, program: &Program, system: &Processes<'_>) -> Diagnostic {
    match system.growth().filter(|growth| growth.instances >= MANY_INSTANCES) {
        Some(growth) => diagnostic.note(grown(program, &growth)),
        None => diagnostic,
    }
}

/// What was made when a pool grew, and how far it has.
fn grown(program: &Program, growth: &Growth) -> String {
    let pool = &program.network.pools[growth.pool.index()];
    let (name, count) = (&program.components[growth.component.index()].name, growth.instances);
    match pool.kind {
        None => format!("processes accumulate: one of type `{name}` was started beside {count} others"),
        Some(_) => format!("channels accumulate: one of type `{name}` was created beside {count} others"),
    }
}

/// Adds what a search noted to what others did.
pub fn gather(notes: &mut BTreeMap<u32, i64>, system: &Processes<'_>) {
    for (site, value) in system.notes() {
        notes.entry(site.0).and_modify(|least| *least = value.min(*least)).or_insert(value);
    }
}
