//! The successors of states, through atomic sequences, with the limits of a run.

use super::sorting::Sorting;
use super::{Decrease, Halt, Shared, Subject};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use volvelle_search::{AtomicExpander, Call, Expander, System};

/// A successor of a state.
pub(super) struct Target<'a> {
    /// The index of its source.
    pub source: usize,
    /// Packed.
    pub state: &'a [u64],
    /// The first step on the way from the source.
    pub step: u32,
}

/// Finds successors for one worker.
pub(super) struct Unfolder<'s> {
    pub subject: &'s Subject<'s>,
    pub shared: &'s Shared<'s>,
    expander: Box<dyn Expander + 's>,
    /// Expands with partial-order reduction.
    reducing: Option<Box<dyn Expander + 's>>,
    atomic: AtomicExpander,
    /// Replaces successors by states that stand for them.
    sorting: Option<Sorting<'s>>,
    /// Sites at which steps failed.
    pub failures: BTreeSet<u32>,
    /// Number of expanded states; `transitions` counts their stored successors.
    pub states: u64,
    pub transitions: u64,
    /// The bytes that the caller held at the last check.
    held: u64,
    /// By source of the last call: whether it has a successor.
    goes_on: Vec<bool>,
    /// By source of the last call: whether successors were left out. `is_last`: whether no successor comes
    /// after it.
    is_reduced: Vec<bool>,
    is_last: Vec<bool>,
    /// Sources that must be expanded in full.
    again: Vec<u64>,
    effort: Effort,
}

/// The effort and gain of partial-order reduction in a search. Decisions rest on counts alone, so that
/// repeated runs agree.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    /// States that were expanded.
    states: u64,
    /// Since the last decision: states for which a reduction was tried, and those where successors were left
    /// out.
    tried: u64,
    reduced: u64,
    /// Number of locations examined up to then.
    looked_at: u64,
    /// The last decision: too little is left out, or the analysis takes too long.
    is_futile: bool,
    is_dear: bool,
}

impl Effort {
    /// Number of tries between decisions.
    const TRIAL: u64 = 1 << 11;
    /// A reduction must succeed in at least one of this many states.
    const PAYS: u64 = 4;
    /// Locations per state at which the analysis counts as slow: it then takes as long as some tens of
    /// states.
    const DEAR: u64 = 300;
    /// Number of states from which on memory matters more than time.
    const LARGE: u64 = 1 << 20;

    fn is_worthwhile(self, reduce_after: u64) -> bool {
        self.states >= reduce_after && !self.is_futile && (!self.is_dear || self.states >= Self::LARGE)
    }

    fn add(&mut self, tried: u64, reduced: u64, looked_at: u64) {
        self.tried += tried;
        self.reduced += reduced;
        if self.tried >= Self::TRIAL {
            self.is_futile = self.reduced * Self::PAYS < self.tried;
            self.is_dear = looked_at - self.looked_at > Self::DEAR * self.tried;
            (self.tried, self.reduced, self.looked_at) = (0, 0, looked_at);
        }
    }
}

impl<'s> Unfolder<'s> {
    /// An unfolder for a worker that shares limits with others.
    pub fn new(subject: &'s Subject<'s>, shared: &'s Shared<'s>) -> Self {
        Unfolder {
            subject,
            shared,
            expander: subject.system.path_compressing_expander(),
            reducing: None,
            atomic: AtomicExpander::new(subject.system.words()),
            sorting: subject.sorting(),
            failures: BTreeSet::new(),
            states: 0,
            transitions: 0,
            held: 0,
            goes_on: Vec::new(),
            is_reduced: Vec::new(),
            is_last: Vec::new(),
            again: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// Begins another search, independently of earlier ones.
    pub fn start(&mut self) {
        let system = self.subject.system;
        self.effort = Effort::default();
        self.sorting.iter_mut().for_each(Sorting::start);
        self.reducing = system.is_reduced().then(|| system.partial_order_reducing_expander());
    }

    /// Calls `take` with every successor of some packed states, or with the state that stands for it.
    pub fn expand(
        &mut self,
        sources: &[u64],
        mut take: impl FnMut(Target<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let count = sources.len() / self.subject.system.words();
        self.begin(count);
        self.pass(sources, &[], false, &mut |target| take(target).map(|()| true))?;
        self.count(count);
        Ok(())
    }

    /// Like [`Unfolder::expand`], with the actual successors.
    pub fn expand_as_they_are(
        &mut self,
        sources: &[u64],
        take: impl FnMut(Target<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let sorting = self.sorting.take();
        let found = self.expand(sources, take);
        self.sorting = sorting;
        found
    }

    /// Like [`Unfolder::expand`], with partial-order reduction. `take` returns whether a successor comes
    /// after its source in the search and is still to be expanded.
    ///
    /// The steps left out of a state commute with everything that can happen before them (module `reduction`
    /// of `volvelle_explore`), and no step taken instead changes the goal or the cost. Consider a run from
    /// the state to the first state where the goal holds. Some run of the same cost begins with a step that
    /// is taken. Either this step is part of the run and now comes first; or the run does without it, and the
    /// rest stays as long as it was. To reach the end even so, every state must lead to one that is expanded
    /// in full (A. Valmari, *Stubborn sets for reduced state space generation*, 1991; the weak proviso of
    /// safety properties). This holds because each state that is not expanded in full has a successor with a
    /// greater number, and numbers do not grow forever. Numbering the states within a slice is enough: no
    /// step taken from such a state changes the cost, and the sum of cost and bound by which slices are
    /// ordered never decreases.
    ///
    /// Runs that end without the goal, and failing steps, are found in the same way. Where a state stands for
    /// others (module `sorting`), their runs have the same lengths and costs, and the argument is the same.
    pub fn expand_some(
        &mut self,
        sources: &[u64],
        mut take: impl FnMut(Target<'_>) -> Result<bool, Halt>,
    ) -> Result<(), Halt> {
        let words = self.subject.system.words();
        let count = sources.len() / words;
        let is_worthwhile = self.effort.is_worthwhile(self.shared.reduce_after);
        self.effort.states += count as u64;
        if self.reducing.is_none() || !is_worthwhile {
            return self.expand(sources, |target| take(target).map(|_| ()));
        }
        self.begin(count);
        self.pass(sources, &[], true, &mut take)?;
        let reduced = self.is_reduced.iter().filter(|is_reduced| **is_reduced).count();
        let looked_at = self.reducing.as_ref().map_or(0, |reducing| reducing.looked_at());
        self.effort.add(count as u64, reduced as u64, looked_at);
        let is_again =
            |unfolder: &Self, source: &usize| unfolder.is_reduced[*source] && unfolder.is_last[*source];
        let again: Vec<usize> = (0..count).filter(|source| is_again(self, source)).collect();
        if !again.is_empty() {
            let mut states = std::mem::take(&mut self.again);
            states.clear();
            for &source in &again {
                states.extend_from_slice(&sources[source * words..(source + 1) * words]);
            }
            let found = self.pass(&states, &again, false, &mut take);
            self.again = states;
            found?;
        }
        self.count(count);
        Ok(())
    }

    fn begin(&mut self, count: usize) {
        for flags in [&mut self.goes_on, &mut self.is_reduced] {
            flags.clear();
            flags.resize(count, false);
        }
        self.is_last.clear();
        self.is_last.resize(count, true);
    }

    fn count(&mut self, count: usize) {
        self.states += count as u64;
        self.shared.states.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Expands some states, with reduction or in full. `numbers` are those of the sources, if not counted
    /// from 0.
    fn pass(
        &mut self,
        sources: &[u64],
        numbers: &[usize],
        reduce: bool,
        take: &mut impl FnMut(Target<'_>) -> Result<bool, Halt>,
    ) -> Result<(), Halt> {
        let words = self.subject.system.words();
        let end_site = self.subject.program.network.end_site.map(|site| site.0);
        self.atomic.start();
        loop {
            let expander = match &mut self.reducing {
                Some(reducing) if reduce => reducing,
                _ => &mut self.expander,
            };
            let call = self.atomic.next(&mut **expander, sources);
            match call {
                Call::Finished => break,
                Call::LayoutOverflow { code } => return Err(Halt::LayoutOverflow(code)),
                Call::Expanded => {}
            }
            for error in &self.atomic.out.errors {
                if Some(error.site) != end_site {
                    self.failures.insert(error.site);
                }
            }
            if reduce {
                for &source in &self.atomic.out.reduced {
                    self.is_reduced[self.atomic.source(source) as usize] = true;
                }
            }
            let targets = self.atomic.targets().chunks_exact(words);
            let origins = self.atomic.source_of().iter().zip(self.atomic.first_steps());
            for (state, (&source, &step)) in targets.zip(origins) {
                let source = numbers.get(source as usize).copied().unwrap_or(source as usize);
                self.transitions += 1;
                self.goes_on[source] = true;
                let state = match &mut self.sorting {
                    Some(sorting) => sorting.sort(state),
                    None => state,
                };
                self.is_last[source] &= !take(Target { source, state, step })?;
            }
        }
        Ok(())
    }

    /// Runs some work. Returns its result with the number of states explored, and how it ended, as workers
    /// report it.
    pub fn counted<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> ((Option<T>, u64), Result<(), Halt>) {
        let before = self.states;
        let result = work(self);
        let states = self.states - before;
        match result {
            Ok(found) => ((Some(found), states), Ok(())),
            Err(halt) => ((None, states), Err(halt)),
        }
    }

    /// Number of sources of the last call without successors.
    pub fn dead_ends(&self) -> u64 {
        self.goes_on.iter().filter(|&&goes_on| !goes_on).count() as u64
    }

    /// Checks the limits; this worker holds `bytes`. Reads the clock.
    pub fn check(&mut self, bytes: u64) -> Result<(), Halt> {
        let shared = self.shared;
        let all = shared.bytes.fetch_add(bytes.wrapping_sub(self.held), Ordering::Relaxed);
        let all = all.wrapping_add(bytes.wrapping_sub(self.held));
        self.held = bytes;
        shared.control.check().map_err(Halt::Stopped)?;
        shared.control.check_memory(all).map_err(Halt::Stopped)?;
        shared.check_states()?;
        shared.report(all);
        Ok(())
    }
}

impl Drop for Unfolder<'_> {
    fn drop(&mut self) {
        self.shared.bytes.fetch_sub(self.held, Ordering::Relaxed);
        self.shared.transitions.fetch_add(self.transitions, Ordering::Relaxed);
    }
}

pub(super) fn decrease(sources: &[u64], words: usize, target: &Target<'_>) -> Halt {
    let before = sources[target.source * words..(target.source + 1) * words].to_vec();
    Halt::Decrease(Box::new(Decrease { before, after: target.state.to_vec(), step: target.step }))
}
