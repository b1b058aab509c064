//! Which transitions and locations the reachable states of processes pass.

use crate::positions::positions;
use crate::step::ProcessStep;
use std::sync::atomic::{AtomicBool, Ordering};
use volvelle_control::Control;
use volvelle_explore::{Processes, ProcessesError};
use volvelle_model::{NetworkLayout, Program};
use volvelle_search::{Exit, Expander, Outcome, Successors, System, bfs};

/// The transitions and locations that a search met.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// By number of the transition: whether some run takes it.
    pub taken: Vec<bool>,
    /// By location: whether some process comes there.
    pub visited: Vec<bool>,
}

/// Visits all states of a system that is not reduced. Gives the system, which may have grown, how the search ended, and the
/// transitions and locations that it met.
///
/// # Errors
/// The system cannot grow.
pub fn coverage<'p>(
    program: &'p Program,
    system: Processes<'p>,
    control: &Control<'_>,
) -> Result<(Processes<'p>, Outcome, Covered), ProcessesError> {
    let marks = Marks::new(program);
    let options =
        bfs::Options { all_errors: true, max_depth: None, no_trails: true, listing: Default::default() };
    let recorded = |system: &Processes<'_>| {
        let recording = Recording { system, program, layout: system.layout(), marks: &marks };
        recording.mark(&system.initial());
        bfs::search(&recording, &options, control)
    };
    let (system, found) = system.searched(recorded, |found| found.outcome)?;
    Ok((system, found.outcome, marks.covered()))
}

/// A mark for each transition and location, set when it is met.
struct Marks {
    taken: Vec<AtomicBool>,
    visited: Vec<AtomicBool>,
}

impl Marks {
    fn new(program: &Program) -> Self {
        let network = &program.network;
        let unmarked = |n: usize| std::iter::repeat_with(AtomicBool::default).take(n).collect();
        Marks { taken: unmarked(network.alternatives().count()), visited: unmarked(network.locations.len()) }
    }

    fn covered(self) -> Covered {
        let plain = |marks: Vec<AtomicBool>| marks.into_iter().map(AtomicBool::into_inner).collect();
        Covered { taken: plain(self.taken), visited: plain(self.visited) }
    }
}

/// A system that notes what a search meets. All that is expanded is met, whichever thread does it.
struct Recording<'s> {
    system: &'s Processes<'s>,
    program: &'s Program,
    layout: &'s NetworkLayout,
    marks: &'s Marks,
}

impl Recording<'_> {
    fn mark(&self, states: &[u64]) {
        for state in states.chunks_exact(self.layout.words()) {
            for location in positions(self.program, self.layout, state) {
                self.marks.visited[location.index()].store(true, Ordering::Relaxed);
            }
        }
    }
}

impl System for Recording<'_> {
    fn words(&self) -> usize {
        self.system.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.system.initial()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Recorder { recording: self, inner: self.system.expander() })
    }
}

struct Recorder<'s> {
    recording: &'s Recording<'s>,
    inner: Box<dyn Expander + 's>,
}

impl Expander for Recorder<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        let exit = self.inner.expand(states, out);
        for &step in &out.steps {
            // The step that gives control back belongs to no statement.
            let transition = ProcessStep::of_number(step).transition;
            if let Some(mark) = self.recording.marks.taken.get(transition as usize) {
                mark.store(true, Ordering::Relaxed);
            }
        }
        self.recording.mark(&out.states);
        exit
    }
}
