//! Statements that no run executes.
//!
//! All states are visited, without reductions, and what is taken on the way is noted: [`ProcessDocument::coverage`] says which
//! statements these are.

use crate::engine;
use crate::language::{Covered, ProcessDocument};
use crate::limits;
use crate::positions::positions;
use crate::search::{PATIENCE, SearchSettings, failures};
use crate::session::{Session, has_errors};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{Arrangement, Program};
use volvelle_search::{Exit, Expander, Outcome, Successors, System, bfs};

/// What `lint` found.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// Complaints about the text, and a warning for each dead statement.
    pub diagnostics: Vec<Diagnostic>,
    /// Statements, and how many of them some run executes. `None` if not all states were visited.
    pub executed: Option<(usize, usize)>,
}

impl Session {
    /// Looks for statements that no run executes.
    pub fn lint(&mut self, settings: &SearchSettings, control: &Control<'_>) -> Lint {
        let lowered = self.lower();
        let mut lint = Lint { diagnostics: std::mem::take(&mut self.diagnostics), executed: None };
        if !lowered || has_errors(&lint.diagnostics) {
            return lint;
        }
        let (Some(program), Some(document)) = (self.program(), self.processes()) else { return lint };
        let native = engine::native(settings.tier);
        let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
        match self.covered(program, document, compiler, settings, control) {
            Ok((covered, notes)) => {
                let (diagnostics, executed) = document.coverage(&covered);
                lint.diagnostics.extend(diagnostics);
                lint.executed = Some(executed);
                lint.diagnostics.extend(document.truncations(&notes));
            }
            Err(diagnostic) => lint.diagnostics.push(diagnostic),
        }
        lint
    }

    /// Visits all states.
    fn covered(
        &self,
        program: &Program,
        document: &dyn ProcessDocument,
        compiler: &dyn Compiler,
        settings: &SearchSettings,
        control: &Control<'_>,
    ) -> Result<(Covered, BTreeMap<u32, i64>), Diagnostic> {
        let made = |error| failures::not_made(document, &self.sources, &error);
        let marks = Marks::new(program);
        let system = Processes::new(program, NetworkOptions::default(), compiler, PATIENCE).map_err(made)?;
        let search = bfs::Options { all_errors: true, max_depth: None, no_trails: true };
        let recorded = |system: &Processes<'_>| {
            let recording = Recording { system, program, arrangement: system.arrangement(), marks: &marks };
            recording.mark(&system.initial());
            bfs::search(&recording, &search, control)
        };
        let (system, found) = system.searched(recorded, |found| found.outcome).map_err(made)?;
        let mut notes = BTreeMap::new();
        failures::gather(&mut notes, &system);
        match found.outcome {
            Outcome::Stopped(stop) => Err(limits::stopped(stop, &settings.allowance)),
            Outcome::Complete | Outcome::Failed => Ok((marks.covered(), notes)),
            // A search that needs room was made again with more of it.
            Outcome::TooLarge | Outcome::LayoutOverflow { .. } => Err(failures::too_large()),
        }
    }
}

/// What was met.
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
    arrangement: &'s Arrangement,
    marks: &'s Marks,
}

impl Recording<'_> {
    fn mark(&self, states: &[u64]) {
        for state in states.chunks_exact(self.arrangement.words()) {
            for location in positions(self.program, self.arrangement, state) {
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
        for step in &out.steps {
            // The step that gives control back is nobody's statement.
            if let Some(mark) = self.recording.marks.taken.get((step & 0xffff) as usize) {
                mark.store(true, Ordering::Relaxed);
            }
        }
        self.recording.mark(&out.states);
        exit
    }
}
