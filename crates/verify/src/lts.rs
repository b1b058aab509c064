//! All states of a model of processes: how many there are, and as a labelled transition system.
//!
//! Counting is what the search does, without reductions. The transition system is made by a plain breadth-first walk
//! with a hash table: for files that other tools read, not for speed. Its states include those inside atomic sequences,
//! because each statement is a transition of its own.

use crate::engine;
use crate::language::{ProcessDocument, ShowSteps};
use crate::limits;
use crate::report::Report;
use crate::runs::process_step;
use crate::search::{self, SearchSettings, failures};
use crate::session::{Session, has_errors};
use rustc_hash::FxHashMap;
use volvelle_control::{Control, News, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_search::{Exit, Outcome, Successors, System, bfs};

/// A labelled transition system. State 0 is the initial one; states are numbered in the order of a breadth-first walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lts {
    /// How many states there are.
    pub states: u32,
    /// Labels: process, number and statement; `tau` where a process gives control back.
    pub labels: Vec<String>,
    /// State, label, state, by the first.
    pub edges: Vec<[u32; 3]>,
    /// States in which no process can move, and not all may stay where they are; or in which evaluating fails.
    pub stuck: Vec<u32>,
}

/// States between two looks at limits.
const PATIENCE: u32 = 1 << 10;

/// Why a walk ended before its end.
enum Halt {
    NoRoom,
    Stopped(Stop),
    TooLarge,
}

impl Session {
    /// Counts states and transitions of processes; with `wanted`, gives them.
    pub fn explore_processes(
        &mut self,
        wanted: bool,
        settings: &SearchSettings,
        control: &Control<'_>,
    ) -> (Report, Option<Lts>) {
        self.lower();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        let (Some(program), Some(document)) = (self.program(), self.processes()) else {
            return (report, None);
        };
        if has_errors(&report.diagnostics) {
            return (report, None);
        }
        let native = engine::native(settings.tier);
        let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
        match self.transition_system(program, document, compiler, wanted, settings, control, &mut report) {
            Ok(lts) => (report, lts),
            Err(diagnostic) => {
                report.diagnostics.push(diagnostic);
                (report, None)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "it continues `explore_processes`")]
    fn transition_system(
        &self,
        program: &Program,
        document: &dyn ProcessDocument,
        compiler: &dyn Compiler,
        wanted: bool,
        settings: &SearchSettings,
        control: &Control<'_>,
        report: &mut Report,
    ) -> Result<Option<Lts>, Diagnostic> {
        let made = |error| failures::not_made(document, &self.sources, &error);
        let system =
            Processes::new(program, NetworkOptions::default(), compiler, search::PATIENCE).map_err(made)?;
        // Errors are not looked for, and what is behind them is a part of the model.
        let search = bfs::Options { all_errors: true, max_depth: None, no_trails: true };
        let (mut system, found) = system
            .searched(|system| bfs::search(system, &search, control), |found| found.outcome)
            .map_err(made)?;
        report.model = Some(self.searched(&system, compiler.name(), &found));
        let mut stopped = |stop| {
            report.stop = Some(stop);
            limits::stopped(stop, &settings.allowance)
        };
        match found.outcome {
            Outcome::Stopped(stop) => return Err(stopped(stop)),
            Outcome::TooLarge => return Err(failures::too_large()),
            _ if !wanted => return Ok(None),
            _ => {}
        }
        loop {
            let Some(steps) = document.steps(&self.sources, system.arrangement()) else { return Ok(None) };
            let walked = walk(&system, &*steps, control);
            drop(steps);
            match walked {
                Ok(lts) => return Ok(Some(lts)),
                Err(Halt::NoRoom) => system = system.grow().map_err(made)?,
                Err(Halt::Stopped(stop)) => return Err(stopped(stop)),
                Err(Halt::TooLarge) => return Err(failures::too_large()),
            }
        }
    }
}

fn walk(system: &Processes<'_>, steps: &dyn ShowSteps, control: &Control<'_>) -> Result<Lts, Halt> {
    let words = system.words();
    let mut lts = Lts::default();
    let mut numbers: FxHashMap<Box<[u64]>, u32> = FxHashMap::default();
    let mut states: Vec<u64> = system.initial();
    numbers.insert(states.clone().into(), 0);
    let mut labels: FxHashMap<String, u32> = FxHashMap::default();
    let mut expander = system.expander();
    let mut out = Successors::default();
    let mut at = 0;
    while at * words < states.len() {
        let source = states[at * words..(at + 1) * words].to_vec();
        let from = at as u32;
        if from.is_multiple_of(PATIENCE) {
            control.check().map_err(Halt::Stopped)?;
            // Each state is there twice, with what the table needs for it.
            let bytes = 16 * states.len() + 32 * numbers.len() + 12 * lts.edges.len();
            control.check_memory(bytes as u64).map_err(Halt::Stopped)?;
            let (known, transitions) = (numbers.len() as u64, lts.edges.len() as u64);
            let frontier = known - at as u64;
            control.progress.news(News::Exploring {
                states: known,
                transitions,
                frontier,
                bytes: bytes as u64,
            });
        }
        if let Exit::LayoutOverflow { .. } = expander.expand(&source, &mut out) {
            return Err(Halt::NoRoom);
        }
        if out.errors.iter().any(|e| e.successor.is_none()) {
            lts.stuck.push(from);
        }
        for (target, &step) in out.states.chunks_exact(words).zip(&out.steps) {
            let to = match numbers.get(target) {
                Some(&number) => number,
                None => {
                    let number = u32::try_from(numbers.len()).map_err(|_| Halt::TooLarge)?;
                    numbers.insert(target.into(), number);
                    states.extend_from_slice(target);
                    number
                }
            };
            let label = steps.label(process_step(step), &source, target);
            let next = labels.len() as u32;
            let label = *labels.entry(label).or_insert(next);
            lts.edges.push([from, label, to]);
        }
        at += 1;
    }
    lts.states = numbers.len() as u32;
    let mut by_number: Vec<(u32, String)> = labels.into_iter().map(|(label, n)| (n, label)).collect();
    by_number.sort_unstable();
    lts.labels = by_number.into_iter().map(|(_, label)| label).collect();
    Ok(lts)
}
