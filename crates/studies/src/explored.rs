//! The numbers of configurations: those with the same program share its exploration.

use super::timed::Structure;
use super::{performance, problems, report};
use crate::wanted::Wanted;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_imc::Problem;
use volvelle_mpi::lower::{View, lower};
use volvelle_session::settings::Settings;
use volvelle_session::study::Ready;

type Failure = (Diagnostic, Option<Stop>);

/// Programs that were explored.
#[derive(Default)]
pub struct Known {
    structures: Vec<Structure>,
}

impl Known {
    /// How many programs were explored.
    pub fn count(&self) -> usize {
        self.structures.len()
    }

    /// The numbers of a configuration.
    pub fn performance(
        &mut self,
        ready: &Ready,
        wanted: &Wanted,
        sources: &Sources,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<report::Performance, Failure> {
        let lowered = lower(&ready.system, &ready.machine, View::Timed { ordered: true });
        let known = self.structures.iter().position(|known| known.lowered.program == lowered.program);
        let number = match known {
            Some(number) => number,
            None => {
                self.structures.push(Structure::new(lowered, ready, settings, control)?);
                self.structures.len() - 1
            }
        };
        let structure = &self.structures[number];
        let result = performance::compute(structure, ready, wanted, sources, settings, control);
        result.map_err(|failure| match failure {
            performance::Failure::Chain(problem) => {
                let stop = match &problem {
                    Problem::Check(volvelle_markov::CheckError::Limit(stop)) => Some(*stop),
                    _ => None,
                };
                (problems::diagnostic(&problem, structure, ready, sources, &settings.allowance), stop)
            }
            performance::Failure::Study(diagnostic) => (*diagnostic, None),
        })
    }
}
