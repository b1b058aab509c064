//! Trails: from a state with an error back to an initial one.
//!
//! The search keeps no parents, but it knows the states of each level. So the predecessor of a state is found
//! by expanding the previous level: the smallest state that leads there. It does not depend on threads, and
//! in total this costs no more than the search itself. The steps through atomic sequences between two stored
//! states are found by expanding the first one alone.

use super::levels::{Levels, slice};
use super::{Erring, Errors, Options};
use crate::atomic::{AtomicExpander, Call};
use crate::path::{Goal, PathReconstruction};
use crate::report::Fault;
use crate::store::{Sources, StateSet};
use crate::successors::Expander;
use crate::system::System;
use crate::trail_builder::TrailBuilder;
use crate::visited::lock;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use volvelle_control::Control;
use volvelle_store::hash;

/// States expanded at once.
const RUN: u64 = 256;

/// The errors with their trails, in the order of levels.
pub fn faults(
    system: &dyn System,
    set: &StateSet,
    levels: &Levels,
    errors: Errors,
    options: &Options,
    control: &Control<'_>,
) -> Vec<Fault> {
    let mut errors: Vec<(u32, Erring)> = errors.into_iter().collect();
    errors.sort_by(|(a, x), (b, y)| (x.level, &x.source, a).cmp(&(y.level, &y.source, b)));
    if !options.all_errors {
        errors.truncate(1);
    }
    let chains = if options.no_trails { None } else { chains(system, set, levels, &errors, control) };
    let listing = options.listing;
    let mut paths = PathReconstruction::new(system, listing);
    let mut faults = Vec::with_capacity(errors.len());
    for (at, (site, erring)) in errors.iter().enumerate() {
        // If a state has several errors, the first site found will do; the caller names it.
        let Some(end) = paths.segment(&erring.source, &Goal::Site(*site)) else { continue };
        let (error_step, went_on) = (end.error_step, end.went_on);
        let trail = chains.as_ref().and_then(|chains| {
            let mut trail = TrailBuilder::starting(&chains[at][0], 0, listing);
            for pair in chains[at].windows(2) {
                trail.append(paths.segment(&pair[0], &Goal::State(&pair[1]))?, 0, 0);
            }
            trail.append(end, 0, 0);
            Some(trail.finish().0)
        });
        let depth = match &chains {
            Some(chains) => chains[at].len() as u64 - 1,
            None => levels.depth(erring.level),
        };
        faults.push(Fault { site: *site, step: error_step, depth, went_on, trail });
    }
    faults
}

/// A state whose predecessor is wanted.
struct Target {
    hash: u64,
    state: Vec<u64>,
    /// Which chain it continues.
    chain: usize,
}

/// Data that all workers share.
struct Scan<'a> {
    system: &'a dyn System,
    set: &'a StateSet,
    runs: &'a [Range<u32>],
    states: u64,
    /// In the order of their hashes.
    targets: &'a [Target],
    control: &'a Control<'a>,
    taken: AtomicU64,
    stopped: AtomicBool,
    /// For each target, the smallest state that leads to it.
    best: Mutex<Vec<Option<Vec<u64>>>>,
}

/// The expander and buffers of a worker, which serve for many levels.
struct Scanner<'a> {
    expander: Box<dyn Expander + 'a>,
    atomic: AtomicExpander,
    sources: Sources,
}

impl<'a> Scanner<'a> {
    fn new(system: &'a dyn System) -> Self {
        let atomic = AtomicExpander::new(system.words());
        Scanner { expander: system.path_compressing_expander(), atomic, sources: Sources::default() }
    }
}

/// For each error, the stored states from an initial one to the erroneous one. `None` if interrupted.
fn chains(
    system: &dyn System,
    set: &StateSet,
    levels: &Levels,
    errors: &[(u32, Erring)],
    control: &Control<'_>,
) -> Option<Vec<Vec<Vec<u64>>>> {
    let mut chains: Vec<Vec<Vec<u64>>> =
        errors.iter().map(|(_, erring)| vec![erring.source.clone()]).collect();
    // The levels that the first states of the chains belong to.
    let mut at: Vec<usize> = errors.iter().map(|(_, erring)| erring.level).collect();
    let mut scanner = Scanner::new(system);
    while let Some(&level) = at.iter().max()
        && level > 0
    {
        if levels.is_again(level) {
            // A state that was expanded again: continue where it was new.
            for (at, chain) in at.iter_mut().zip(&chains).filter(|(at, _)| **at == level) {
                *at = origin(set, levels, level, chain.last()?)?;
            }
            continue;
        }
        // Chains whose predecessors are in the previous level.
        let open = chains.iter().enumerate().filter(|&(chain, _)| at[chain] == level);
        let mut targets: Vec<Target> = open
            .filter_map(|(chain, states)| {
                let state = states.last()?.clone();
                Some(Target { hash: hash(&state), state, chain })
            })
            .collect();
        targets.sort_by_key(|target| target.hash);
        let runs = levels.runs(level - 1);
        let scan = Scan {
            system,
            set,
            runs,
            states: runs.iter().map(|run| run.len() as u64).sum(),
            targets: &targets,
            control,
            taken: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            best: Mutex::new(vec![None; targets.len()]),
        };
        let found = scan.run(&mut scanner)?;
        for (target, best) in targets.into_iter().zip(found) {
            chains[target.chain].push(best?);
            at[target.chain] = level - 1;
        }
    }
    chains.iter_mut().for_each(|chain| chain.reverse());
    Some(chains)
}

/// The level in which a state was new that is expanded again in another one.
fn origin(set: &StateSet, levels: &Levels, again: usize, state: &[u64]) -> Option<usize> {
    let numbers = levels.runs(again).iter().flat_map(Clone::clone);
    let number = numbers.into_iter().find(|&number| set.get(number).as_deref() == Some(state))?;
    levels.level_of(number)
}

impl Scan<'_> {
    fn run(self, scanner: &mut Scanner<'_>) -> Option<Vec<Option<Vec<u64>>>> {
        let threads = if self.states < 4 * RUN { 1 } else { self.control.threads.max(1) };
        if threads == 1 {
            self.work(scanner);
        } else {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(|| self.work(&mut Scanner::new(self.system)));
                }
                self.work(scanner);
            });
        }
        let best = self.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!self.stopped.into_inner()).then_some(best)
    }

    fn work(&self, scanner: &mut Scanner<'_>) {
        let Scanner { expander, atomic, sources } = scanner;
        let mut best: Vec<Option<Vec<u64>>> = vec![None; self.targets.len()];
        while !self.stopped.load(Ordering::Relaxed) {
            let first = self.taken.fetch_add(RUN, Ordering::Relaxed);
            if first >= self.states {
                break;
            }
            sources.clear();
            for part in slice(self.runs, first..(first + RUN).min(self.states)) {
                self.set.load(part, sources);
            }
            self.scan(&mut **expander, atomic, &sources.words, &mut best);
            if self.control.check().is_err() {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
        let mut all = lock(&self.best);
        for (known, found) in all.iter_mut().zip(best) {
            if let Some(found) = found
                && known.as_ref().is_none_or(|known| found < *known)
            {
                *known = Some(found);
            }
        }
    }

    /// Expands some sources, and keeps the smallest ones that lead to the targets.
    fn scan(
        &self,
        expander: &mut dyn Expander,
        atomic: &mut AtomicExpander,
        sources: &[u64],
        best: &mut [Option<Vec<u64>>],
    ) {
        let words = self.system.words();
        atomic.start();
        while atomic.next(expander, sources) == Call::Expanded {
            let reached = atomic.targets().chunks_exact(words).zip(atomic.source_of());
            for (state, &source) in reached {
                let hash = hash(state);
                let first = self.targets.partition_point(|target| target.hash < hash);
                for (at, target) in self.targets.iter().enumerate().skip(first) {
                    if target.hash != hash {
                        break;
                    }
                    let source = &sources[source as usize * words..(source as usize + 1) * words];
                    if target.state == state && best[at].as_deref().is_none_or(|known| source < known) {
                        best[at] = Some(source.to_vec());
                    }
                }
            }
        }
    }
}
