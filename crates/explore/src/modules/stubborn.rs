//! Partial-order reduction for modules: which groups suffice in a state.
//!
//! A *strong stubborn set* of groups has three properties. (Valmari, *Stubborn sets for reduced state space
//! generation*, Petri Nets 1989; with guards as in Laarman, Pater, van de Pol and Hansen, *Guard-based
//! partial-order reduction*, STTT 18, 2016, doi 10.1007/s10009-014-0363-9.)
//!
//! - It contains an enabled group.
//! - With an enabled group, it contains all groups that do not commute with it.
//! - With a disabled group, it contains all groups that could enable one of the modules that are not ready
//!   for it.
//!
//! The enabled groups of such a set suffice to find deadlocks. Whether groups commute follows from the fields
//! that they read and write. A set is computed from each enabled group, in order and up to a limit; the
//! smallest is used.
//!
//! If labels are observed, a set is used only if none of its enabled groups writes a field that a label
//! reads. No step may be postponed forever. The search ensures this, since it knows the states in which
//! successors were left out.

use super::flags::evaluate;
use volvelle_kernel::{Code, Compiler, ExprId};
use volvelle_model::kernels::{self, Selection};
use volvelle_model::{AccessMode, Alternative, Label, Layout, Participant, Program, SharedResource};
use volvelle_space::BitSet;

/// Limit of groups: with more, finding a set costs more than it saves.
const MOST_GROUPS: usize = 1024;

/// Enabled groups with which sets are begun, in a state.
const MOST_SEEDS: usize = 24;

/// The part of the analysis that does not depend on the state.
pub struct Stubborn {
    /// Evaluates which participants are ready.
    ready: Box<dyn Code>,
    groups: Vec<GroupFacts>,
    participants: usize,
}

/// The static facts about a group.
struct GroupFacts {
    /// Other groups that do not commute with it.
    dependent: BitSet,
    /// Its participants: the flag that tells whether each is ready, and the groups that could make it ready.
    participants: Vec<(usize, BitSet)>,
    /// Whether it writes a field that a label reads.
    is_visible: bool,
}

/// Fields that a participant uses.
struct Uses {
    tests: BitSet,
    reads: BitSet,
    writes: BitSet,
}

impl Uses {
    fn new(program: &Program, participants: &[Participant]) -> Self {
        let fields = program.fields.len();
        let mut uses =
            Uses { tests: BitSet::new(fields), reads: BitSet::new(fields), writes: BitSet::new(fields) };
        for access in participants.iter().flat_map(|p| &p.alternatives).flat_map(|a| program.accesses(a)) {
            let SharedResource::Field(field, _) = access.resource else { continue };
            match access.mode {
                AccessMode::Test => uses.tests.insert(field.index()),
                AccessMode::Read => uses.reads.insert(field.index()),
                _ => uses.writes.insert(field.index()),
            };
        }
        uses.reads.unite(&uses.tests);
        uses
    }

    fn depends_on(&self, other: &Uses) -> bool {
        meet(&self.writes, &other.reads)
            || meet(&self.writes, &other.writes)
            || meet(&self.reads, &other.writes)
    }
}

fn add_reads(program: &Program, expr: ExprId, set: &mut BitSet) {
    for field in program.reads(expr) {
        set.insert(field.index());
    }
}

fn meet(a: &BitSet, b: &BitSet) -> bool {
    a.words().iter().zip(b.words()).any(|(a, b)| a & b != 0)
}

impl Stubborn {
    /// For searches that observe these labels; `None` if nothing can be left out.
    pub fn new(
        program: &Program,
        layout: &Layout,
        labels: &[usize],
        compiler: &dyn Compiler,
    ) -> Result<Option<Self>, volvelle_kernel::CompileError> {
        let count = program.groups.len();
        // A group that yields is enabled by steps that disable more urgent groups; and whether offers fit is
        // not a condition on a single participant. Neither is supported.
        let is_plain = !program.has_classes() && program.longest_offer() == 0;
        if !is_plain || !(2..=MOST_GROUPS).contains(&count) || program.stop.is_some() {
            return Ok(None);
        }
        let mut watched = BitSet::new(program.fields.len());
        for &label in labels {
            add_reads(program, program.labels[label].expr, &mut watched);
        }
        let uses: Vec<Uses> = program.groups.iter().map(|g| Uses::new(program, &g.participants)).collect();
        let mut observed = Program { labels: Vec::new(), ..program.clone() };
        let mut groups = Vec::with_capacity(count);
        for (number, group) in program.groups.iter().enumerate() {
            let dependent = |other: &usize| *other != number && uses[number].depends_on(&uses[*other]);
            let mut participants = Vec::with_capacity(group.participants.len());
            for participant in &group.participants {
                let expr = is_ready(&mut observed, &participant.alternatives);
                observed.labels.push(Label { name: None, expr, origin: None });
                let tests = Uses::new(program, std::slice::from_ref(participant)).tests;
                let enabling = (0..count).filter(|&other| meet(&uses[other].writes, &tests));
                participants.push((observed.labels.len() - 1, set_of(count, enabling)));
            }
            // First come participants that few other groups could make ready.
            participants.sort_by_key(|(_, enabling)| enabling.count());
            groups.push(GroupFacts {
                dependent: set_of(count, (0..count).filter(dependent)),
                participants,
                is_visible: meet(&uses[number].writes, &watched),
            });
        }
        if groups.iter().all(|g| g.is_visible || g.dependent.count() == count - 1) {
            return Ok(None);
        }
        let participants = observed.labels.len();
        let selection = Selection { labels: (0..participants).collect(), ..Selection::default() };
        let ready = compiler.compile(&kernels::observe(&observed, layout, &selection).kernel)?;
        Ok(Some(Stubborn { ready, groups, participants }))
    }
}

fn set_of(len: usize, members: impl Iterator<Item = usize>) -> BitSet {
    BitSet::of(len, members)
}

/// Whether one of some alternatives is enabled.
fn is_ready(program: &mut Program, alternatives: &[Alternative]) -> ExprId {
    let none = program.exprs.bool(false);
    alternatives.iter().fold(none, |ready, alternative| program.exprs.or(ready, alternative.guard))
}

/// Chooses sets, state by state.
pub struct Chooser {
    /// By participant, then by state.
    ready: Vec<Vec<u8>>,
    /// Whether that could be evaluated, by state.
    known: Vec<bool>,
    /// Enabled groups of the state.
    enabled: BitSet,
    /// The set under construction, and the best one so far.
    set: BitSet,
    best: BitSet,
    stack: Vec<u32>,
}

impl Chooser {
    /// A chooser before the first state.
    pub fn new(stubborn: &Stubborn) -> Self {
        let groups = stubborn.groups.len();
        Chooser {
            ready: vec![Vec::new(); stubborn.participants],
            known: Vec::new(),
            enabled: BitSet::new(groups),
            set: BitSet::new(groups),
            best: BitSet::new(groups),
            stack: Vec::new(),
        }
    }

    /// Evaluates which participants are ready in the first `count` states. If evaluation fails, which need
    /// not happen in any step, nothing can be left out.
    pub fn look(&mut self, stubborn: &Stubborn, states: &[u64], count: usize, words: usize) {
        self.known.clear();
        self.known.resize(count, true);
        if evaluate(&*stubborn.ready, states, count, &mut self.ready).is_none() {
            return;
        }
        let mut alone = vec![Vec::new(); stubborn.participants];
        for (at, state) in states.chunks_exact(words).take(count).enumerate() {
            self.known[at] = evaluate(&*stubborn.ready, state, 1, &mut alone).is_none();
            for (all, one) in self.ready.iter_mut().zip(&alone) {
                all[at] = one[0];
            }
        }
    }

    /// Whether a step belongs to the chosen set.
    pub fn keeps(&self, step: u32) -> bool {
        self.best.contains(step as usize)
    }

    /// Chooses a set for the state at this index of those evaluated, with these steps. `false` if all are
    /// needed.
    pub fn choose(&mut self, stubborn: &Stubborn, state: usize, steps: &[u32]) -> bool {
        if !self.known[state] {
            return false;
        }
        self.enabled.clear();
        let mut count = 0;
        for &step in steps {
            count += usize::from(self.enabled.insert(step as usize));
        }
        let mut least = count;
        let mut last = None;
        let seeds = steps.iter().filter(|&&step| last.replace(step) != Some(step));
        for &seed in seeds.take(MOST_SEEDS) {
            if let Some(size) = self.close(stubborn, state, seed, least) {
                least = size;
                std::mem::swap(&mut self.set, &mut self.best);
                if size == 1 {
                    break;
                }
            }
        }
        least < count
    }

    /// A choice of the state at this index that is an invisible stubborn set by itself. `groups` has the
    /// groups of its choices, in order; groups with several choices do not qualify.
    pub fn single(&mut self, stubborn: &Stubborn, state: usize, groups: &[u32]) -> Option<usize> {
        if !self.known[state] {
            return None;
        }
        self.enabled.clear();
        for &group in groups {
            self.enabled.insert(group as usize);
        }
        let is_alone = |at: usize| {
            let others = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            others.filter_map(|other| groups.get(other)).all(|&other| other != groups[at])
        };
        let mut seeds = (0..groups.len()).filter(|&at| is_alone(at)).take(MOST_SEEDS);
        seeds.find(|&at| self.close(stubborn, state, groups[at], 2).is_some())
    }

    /// The number of enabled groups in the least stubborn set with a given group. `None` if it is at least
    /// `most`, or if one of them is visible.
    fn close(&mut self, stubborn: &Stubborn, state: usize, seed: u32, most: usize) -> Option<usize> {
        self.set.clear();
        self.set.insert(seed as usize);
        self.stack.clear();
        self.stack.push(seed);
        let mut size = 0;
        while let Some(group) = self.stack.pop() {
            let facts = &stubborn.groups[group as usize];
            let waits = match self.enabled.contains(group as usize) {
                true => None,
                false => facts.participants.iter().find(|(flag, _)| self.ready[*flag][state] == 0),
            };
            if self.enabled.contains(group as usize) {
                size += 1;
                if facts.is_visible || size >= most {
                    return None;
                }
            }
            // A group whose participants are ready but whose weights are zero counts as enabled.
            let more = waits.map_or(&facts.dependent, |(_, enabling)| enabling);
            for other in more.iter() {
                if self.set.insert(other) {
                    self.stack.push(other as u32);
                }
            }
        }
        Some(size)
    }
}
