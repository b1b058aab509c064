//! Probes for an error deep down, beside the search that proves.

use crate::listing::{LISTED, LONGEST_TRAIL};
use crate::settings::PATIENCE;
use std::thread;
use volvelle_control::Control;
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_search::probe::{self, Found, Goal};
use volvelle_search::{Order, Outcome, Turns};

/// States that the search has for itself before a probe begins.
pub(super) const FIRST: u64 = 1 << 13;

/// How often a probe may begin again with a larger layout.
const MOST_GROWTHS: u32 = 64;

/// A probe.
pub(super) struct Probe<'p, 'a> {
    pub program: &'p Program,
    pub options: NetworkOptions,
    pub compiler: &'p dyn Compiler,
    pub goal: Goal<'a>,
    /// Whether a process may precede others.
    pub reduce: bool,
    /// States that are deeper are not visited.
    pub max_depth: Option<u64>,
    /// Whether trails are given in full, however long they are.
    pub whole_trails: bool,
}

/// An error that a probe found, with the system in whose layout its states are.
pub(super) type Probed<'p> = (Processes<'p>, Found);

/// Runs a search and a probe in turns. Gives the result of the search, which counts unless the probe found something.
pub(super) fn search<'p, T>(
    probe: &Probe<'p, '_>,
    turns: &Turns,
    control: &Control<'_>,
    main: impl FnOnce(&Turns) -> T,
) -> (T, Option<Probed<'p>>) {
    thread::scope(|scope| {
        let probing = scope.spawn(|| {
            let _over = Ended(|| turns.probe_is_over());
            probe.run(turns, control)
        });
        let found = {
            let _over = Ended(|| turns.main_is_over());
            main(turns)
        };
        let probed = probing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (found, probed)
    })
}

/// Calls a function in the end, also after a panic, so that the other search does not wait for ever.
pub(super) struct Ended<F: Fn()>(pub F);

impl<F: Fn()> Drop for Ended<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl<'p> Probe<'p, '_> {
    /// The system to search. `None` if there is none.
    pub fn system(&self) -> Option<Processes<'p>> {
        Processes::new(self.program, self.options.clone(), self.compiler, PATIENCE).ok()
    }

    /// How to search it.
    pub fn search_options<'t>(&'t self, turns: &'t Turns) -> probe::Options<'t> {
        probe::Options {
            goal: self.goal,
            order: Order::Descending,
            reduce: self.reduce,
            max_depth: self.max_depth,
            max_visits: None,
            longest_trail: if self.whole_trails { usize::MAX } else { LONGEST_TRAIL },
            listed: LISTED,
            turns,
            visited: 0,
        }
    }

    /// Looks for an error; gives it if it is the answer.
    fn run(&self, turns: &Turns, control: &Control<'_>) -> Option<Probed<'p>> {
        // Small models need none.
        if !turns.probe_goes_on(0) {
            return None;
        }
        let mut system = self.system()?;
        let mut visited = 0;
        for _ in 0..MOST_GROWTHS {
            let options = probe::Options { visited, ..self.search_options(turns) };
            let found = probe::search(&system, &options, control);
            match found.report.outcome {
                Outcome::Failed => return turns.probe_found().then_some((system, found)),
                Outcome::LayoutOverflow { .. } => {
                    visited = found.visited;
                    system = system.grow().ok()?;
                }
                _ => return None,
            }
        }
        None
    }
}
