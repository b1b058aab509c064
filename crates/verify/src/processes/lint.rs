//! Statements that no run executes.
//!
//! All states are visited, without reductions, and what was taken on the way is noted. A statement of which no way of
//! happening was taken is dead: its process never comes to it, or comes to it and finds that it cannot be executed.
//!
//! A handshake is noted under the statement that offers. The one that takes counts as executed where its process comes to
//! what is behind it, by whatever way: a receive in a loop may be dead and go unsaid, but what is said is true.

use super::words::Words;
use super::{ProcessSession, SearchSettings, complaints};
use crate::engine;
use crate::limits;
use crate::session::has_errors;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{Arrangement, LocationId, Role};
use volvelle_promela::{Lowered, ast::Place, lower};
use volvelle_search::{Exit, Expander, Outcome, Successors, System, bfs};

/// What `lint` found.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// Complaints about the text, and a warning for each dead statement.
    pub diagnostics: Vec<Diagnostic>,
    /// Statements, and how many of them some run executes. `None` if not all states were visited.
    pub executed: Option<(usize, usize)>,
}

impl ProcessSession {
    /// Looks for statements that no run executes.
    pub fn lint(&mut self, settings: &SearchSettings, control: &Control<'_>) -> Lint {
        let mut lint = Lint { diagnostics: std::mem::take(&mut self.diagnostics), executed: None };
        if has_errors(&lint.diagnostics) {
            return lint;
        }
        let (lowered, complaints) = lower(&self.model);
        lint.diagnostics.extend(complaints);
        let Some(lowered) = lowered.filter(|_| !has_errors(&lint.diagnostics)) else { return lint };
        let native = engine::native(settings.tier);
        let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
        match self.marks(&lowered, compiler, settings, control) {
            Ok(marks) => self.judge(&lowered, &marks, &mut lint),
            Err(complaint) => lint.diagnostics.push(complaint),
        }
        lint
    }

    /// Visits all states.
    fn marks(
        &self,
        lowered: &Lowered,
        compiler: &dyn Compiler,
        settings: &SearchSettings,
        control: &Control<'_>,
    ) -> Result<Marks, Diagnostic> {
        let made = |error| complaints::not_made(self, lowered, &error);
        let marks = Marks::new(lowered);
        let system = Processes::new(&lowered.program, NetworkOptions::default(), compiler, super::PATIENCE)
            .map_err(made)?;
        let search = bfs::Options { all_errors: true, max_depth: None, no_trails: true };
        let recorded = |system: &Processes<'_>| {
            let words = Words { session: self, lowered, arrangement: system.arrangement() };
            let recording = Recording { system, words, marks: &marks };
            recording.mark(&system.initial());
            bfs::search(&recording, &search, control)
        };
        let (_, found) = system.searched(recorded, |found| found.outcome).map_err(made)?;
        match found.outcome {
            Outcome::Stopped(stop) => Err(limits::stopped(stop, &settings.allowance)),
            Outcome::TooLarge => Err(complaints::too_large()),
            Outcome::Complete | Outcome::Failed => Ok(marks),
            Outcome::NeedsRoom { .. } => unreachable!("then it is searched again"),
        }
    }

    fn judge(&self, lowered: &Lowered, marks: &Marks, lint: &mut Lint) {
        let network = &lowered.program.network;
        // Of each statement: whether it was executed, and whether a process came to it.
        let mut statements: FxHashMap<Place, (bool, bool)> = FxHashMap::default();
        let mut number = 0;
        for (ty, info) in network.types.iter().zip(&lowered.processes) {
            let locations = ty.first.0..ty.first.0 + ty.count;
            let started = locations.clone().any(|l| marks.is_visited(LocationId(l)));
            for l in locations {
                let location = &network.locations[l as usize];
                for transition in location.tiers.iter().flat_map(|t| &t.transitions) {
                    let taken = marks.taken[number].load(Ordering::Relaxed);
                    number += 1;
                    // The end of a process is no statement; of processes that never start it is said once.
                    if transition.target == LocationId::NOWHERE || !started {
                        continue;
                    }
                    // A handshake has the number of its offer: a process behind a receive has received.
                    let taken = match transition.role {
                        Role::Take { .. } => marks.is_visited(transition.target),
                        _ => taken,
                    };
                    let place = lowered.origins[transition.origin.0 as usize];
                    let entry = statements.entry(place).or_default();
                    entry.0 |= taken;
                    entry.1 |= marks.is_visited(LocationId(l));
                }
            }
            if !started {
                let message = format!("no run starts a process `{}`", info.name);
                let place = self.model.units.iter().find_map(|unit| match unit {
                    volvelle_promela::ast::Unit::Proctype(p) if p.name.text == info.name => {
                        Some(p.name.place)
                    }
                    _ => None,
                });
                let complaint = Diagnostic::warning(codes::DEAD_STATEMENT, message);
                let places = &self.model.places;
                lint.diagnostics.push(match place {
                    Some(place) => volvelle_promela::at(complaint, places, place, ""),
                    None => complaint,
                });
            }
        }
        let executed = statements.values().filter(|(taken, _)| *taken).count();
        lint.executed = Some((executed, statements.len()));
        let mut dead: Vec<(Place, bool)> =
            statements.into_iter().filter(|(_, (taken, _))| !taken).map(|(p, (_, come))| (p, come)).collect();
        let places = &self.model.places;
        dead.sort_unstable_by_key(|&(place, _)| {
            let span = places.span(place);
            (span.file.0, span.start, place.0)
        });
        for (place, come) in dead {
            let (message, note) = match come {
                true => (
                    "this statement can never be executed",
                    "a process comes here, but what it waits for never holds",
                ),
                false => ("this statement is never reached", "no run comes here"),
            };
            let complaint = Diagnostic::warning(codes::DEAD_STATEMENT, message).note(note);
            lint.diagnostics.push(volvelle_promela::at(complaint, places, place, ""));
        }
    }
}

/// What was met.
struct Marks {
    taken: Vec<AtomicBool>,
    visited: Vec<AtomicBool>,
}

impl Marks {
    fn new(lowered: &Lowered) -> Self {
        let network = &lowered.program.network;
        let unmarked = |n: usize| std::iter::repeat_with(AtomicBool::default).take(n).collect();
        Marks { taken: unmarked(network.transitions().count()), visited: unmarked(network.locations.len()) }
    }

    fn is_visited(&self, location: LocationId) -> bool {
        self.visited[location.index()].load(Ordering::Relaxed)
    }
}

/// A system that notes what a search meets. All that is expanded is met, whichever thread does it.
struct Recording<'s> {
    system: &'s Processes<'s>,
    words: Words<'s>,
    marks: &'s Marks,
}

impl Recording<'_> {
    fn mark(&self, states: &[u64]) {
        let arrangement: &Arrangement = self.words.arrangement;
        for state in states.chunks_exact(arrangement.words()) {
            for location in self.words.locations(state) {
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
