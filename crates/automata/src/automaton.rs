//! The automaton: a product of components, built on demand.
//!
//! A state has, for every leaf of the formula, what remains of it; for every guess what has to hold from now on if
//! the guess is right (it begins anew from the leaf when it is violated); and for everything that has to hold again
//! and again, or almost always, one attempt at a time. Components that no pair needs any more are switched off, and
//! all states from which everything or nothing is accepted are the same two.

use rustc_hash::FxHashMap;
use volvelle_entity::entity;
use volvelle_space::BitSet;

use crate::derivative::Derivative;
use crate::formula::{FormulaId, Formulas};
use crate::normal::{NormalId, Normals, TooLarge};
use crate::plan::{Branch, Plan};

entity!(
    /// Number of a state of an automaton, in the order of discovery.
    StateId
);

/// The verdict about all words that are read from a state on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Open,
    /// All words are accepted.
    Accepts,
    /// All words are rejected.
    Rejects,
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The next state.
    pub next: StateId,
    /// Its marks, for [`Automaton::has_mark`].
    pub marks: u32,
}

/// A generalised Rabin pair: a word is accepted if `avoid` is met finitely often, and each mark of `meet`
/// infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// A mark.
    pub avoid: u32,
    /// Marks.
    pub meet: Vec<u32>,
}

/// A component that is switched off.
const OFF: NormalId = NormalId(u32::MAX);
const NO_STEP: Step = Step { next: StateId(u32::MAX), marks: 0 };

/// A deterministic automaton on demand. A word is accepted if one of the pairs is fulfilled.
#[derive(Clone, Debug)]
pub struct Automaton {
    formulas: Formulas,
    normals: Normals,
    derivative: Derivative,
    plan: Plan,
    pairs: Vec<Pair>,
    states: Vec<Box<[NormalId]>>,
    ids: FxHashMap<Box<[NormalId]>, StateId>,
    verdicts: Vec<Verdict>,
    steps: Vec<Step>,
    marks: Vec<BitSet>,
    mark_ids: FxHashMap<BitSet, u32>,
    occurring: Vec<FxHashMap<FormulaId, u32>>,
    initial: StateId,
}

/// The leaves of a state, and what is needed because of them.
struct Needs {
    verdict: Verdict,
    alive: Vec<bool>,
    stable: Vec<bool>,
    often: Vec<bool>,
    almost: Vec<bool>,
}

impl Automaton {
    /// For a formula and the letters that may occur: each letter maps every proposition to its truth value.
    pub fn new(mut formulas: Formulas, root: FormulaId, letters: Vec<Vec<bool>>) -> Result<Self, TooLarge> {
        let plan = Plan::new(&mut formulas, root)?;
        let first = plan.pairs.len() as u32;
        let pairs = (0..).zip(&plan.pairs);
        let pairs = pairs
            .map(|(avoid, p)| Pair { avoid, meet: p.often.iter().map(|&o| first + o as u32).collect() })
            .collect();
        let mut automaton = Automaton {
            formulas,
            normals: Normals::new(),
            derivative: Derivative::new(letters),
            occurring: vec![FxHashMap::default(); plan.leaves.len()],
            plan,
            pairs,
            states: Vec::new(),
            ids: FxHashMap::default(),
            verdicts: Vec::new(),
            steps: Vec::new(),
            marks: Vec::new(),
            mark_ids: FxHashMap::default(),
            initial: StateId(0),
        };
        automaton.initial = automaton.first()?;
        Ok(automaton)
    }

    /// The state before anything is read.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The acceptance condition.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Number of states found so far.
    pub fn num_states(&self) -> usize {
        self.states.len()
    }

    /// Number of letters.
    pub fn num_letters(&self) -> usize {
        self.derivative.num_letters()
    }

    /// The verdict about a state.
    pub fn verdict(&self, state: StateId) -> Verdict {
        self.verdicts[state.index()]
    }

    /// Whether a set of marks, as a [`Step`] has it, has a mark.
    pub fn has_mark(&self, marks: u32, mark: u32) -> bool {
        self.marks[marks as usize].contains(mark as usize)
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let state = 96 + 8 * self.states.first().map_or(0, |s| s.len());
        let steps = self.steps.len() * size_of::<Step>();
        let formulas = 200 * self.formulas.len();
        (self.states.len() * state + steps + formulas + self.normals.bytes() + self.derivative.bytes()) as u64
    }

    /// Reads a letter.
    pub fn step(&mut self, state: StateId, letter: u32) -> Result<Step, TooLarge> {
        let place = state.index() * self.num_letters() + letter as usize;
        if self.steps[place] == NO_STEP {
            let step = self.read(state, letter)?;
            self.steps[place] = step;
        }
        Ok(self.steps[place])
    }

    fn first(&mut self) -> Result<StateId, TooLarge> {
        let roots: Vec<FormulaId> = self.plan.leaves.iter().map(|leaf| leaf.root).collect();
        let mut state = Vec::new();
        for root in roots {
            state.push(self.normals.of(&self.formulas, root)?);
        }
        let needs = self.needs(&mut state);
        for i in 0..self.plan.stables.len() {
            let start = if needs.stable[i] { self.anew(i, &state)? } else { OFF };
            state.push(start);
        }
        for (needed, list) in [(&needs.often, &self.plan.often), (&needs.almost, &self.plan.almost)] {
            for (&id, &needed) in list.iter().zip(needed) {
                let start = self.normals.of(&self.formulas, id)?;
                state.push(if needed { start } else { OFF });
            }
        }
        Ok(self.intern(state, needs.verdict))
    }

    fn read(&mut self, state: StateId, letter: u32) -> Result<Step, TooLarge> {
        let mut marks = BitSet::new(self.pairs.len() + self.plan.often.len());
        let mut mark = |m: usize| _ = marks.insert(m);
        if self.verdict(state) != Verdict::Open {
            for (i, pair) in self.pairs.iter().enumerate() {
                match self.verdict(state) {
                    Verdict::Accepts => pair.meet.iter().for_each(|&m| mark(m as usize)),
                    _ => mark(i),
                }
            }
            return Ok(Step { next: state, marks: self.intern_marks(marks) });
        }
        let old = self.states[state.index()].clone();
        let leaves = self.plan.leaves.len();
        let mut new = Vec::with_capacity(old.len());
        for &leaf in &old[..leaves] {
            new.push(self.follow(leaf, letter)?);
        }
        let needs = self.needs(&mut new);
        let mut rest = old[leaves..].iter();
        let mut next = || rest.next().copied().unwrap_or(OFF);
        let mut restarted = vec![false; self.plan.stables.len()];
        for (i, restarted) in restarted.iter_mut().enumerate() {
            let mut component = next();
            if needs.stable[i] {
                component = self.follow(component, letter)?;
                if component == Normals::FALSE {
                    *restarted = true;
                    component = self.anew(i, &new)?;
                }
            }
            new.push(if needs.stable[i] { component } else { OFF });
        }
        for i in 0..self.plan.often.len() {
            let mut component = next();
            if needs.often[i] {
                component = self.follow(component, letter)?;
                if component == Normals::TRUE {
                    mark(self.pairs.len() + i);
                    component = self.normals.of(&self.formulas, self.plan.often[i])?;
                }
            }
            new.push(if needs.often[i] { component } else { OFF });
        }
        let mut violated = vec![false; self.plan.almost.len()];
        for (i, violated) in violated.iter_mut().enumerate() {
            let mut component = next();
            if needs.almost[i] {
                component = self.follow(component, letter)?;
                if component == Normals::FALSE {
                    *violated = true;
                    component = self.normals.of(&self.formulas, self.plan.almost[i])?;
                }
            }
            new.push(if needs.almost[i] { component } else { OFF });
        }
        for (i, pair) in self.plan.pairs.iter().enumerate() {
            let fine = needs.alive[i]
                && pair.reached.iter().all(|&leaf| new[leaf] == Normals::TRUE)
                && !pair.stable.iter().any(|&s| restarted[s])
                && !pair.almost.iter().any(|&a| violated[a]);
            if !fine {
                mark(i);
            }
        }
        let next = self.intern(new, needs.verdict);
        Ok(Step { next, marks: self.intern_marks(marks) })
    }

    fn follow(&mut self, id: NormalId, letter: u32) -> Result<NormalId, TooLarge> {
        self.derivative.normal(&mut self.formulas, &mut self.normals, id, letter)
    }

    /// The start of a stable component, now that the leaves are these.
    fn anew(&mut self, stable: usize, leaves: &[NormalId]) -> Result<NormalId, TooLarge> {
        let stable = &mut self.plan.stables[stable];
        stable.substitution.normal(&mut self.formulas, &mut self.normals, leaves[stable.leaf])
    }

    /// Evaluates the leaves, and turns irrelevant ones into falsity.
    fn needs(&mut self, leaves: &mut [NormalId]) -> Needs {
        let constant = |id: NormalId| match id {
            Normals::TRUE => Some(true),
            Normals::FALSE => Some(false),
            _ => None,
        };
        let branches = &self.plan.branches;
        let mut value: Vec<Option<bool>> = vec![None; branches.len()];
        for i in (0..branches.len()).rev() {
            value[i] = match &branches[i] {
                Branch::Leaf(leaf) => constant(leaves[*leaf]),
                Branch::All(operands) | Branch::Any(operands) => {
                    let absorbing = matches!(branches[i], Branch::Any(_));
                    if operands.iter().any(|&o| value[o] == Some(absorbing)) {
                        Some(absorbing)
                    } else if operands.iter().all(|&o| value[o] == Some(!absorbing)) {
                        Some(!absorbing)
                    } else {
                        None
                    }
                }
            };
        }
        let mut matters = vec![false; branches.len()];
        matters[0] = value[0].is_none();
        for i in 0..branches.len() {
            match &branches[i] {
                Branch::Leaf(leaf) if !matters[i] => leaves[*leaf] = Normals::FALSE,
                Branch::Leaf(_) => {}
                Branch::All(operands) | Branch::Any(operands) => {
                    for &o in operands {
                        // Below what is true only what makes it so matters.
                        matters[o] = matters[i] && (value[i].is_none() || value[o] == Some(true));
                    }
                }
            }
        }
        let plan = &self.plan;
        let mut needs = Needs {
            verdict: match value[0] {
                Some(true) => Verdict::Accepts,
                Some(false) => Verdict::Rejects,
                None => Verdict::Open,
            },
            alive: vec![false; plan.pairs.len()],
            stable: vec![false; plan.stables.len()],
            often: vec![false; plan.often.len()],
            almost: vec![false; plan.almost.len()],
        };
        if needs.verdict != Verdict::Open {
            return needs;
        }
        let masks: Vec<u32> = (0..leaves.len())
            .map(|leaf| {
                let ids = self.normals.get(leaves[leaf]).iter().flat_map(|c| c.iter().copied());
                let known = &mut self.occurring[leaf];
                ids.fold(0, |mask, id| {
                    mask | occurring(&self.formulas, &plan.leaves[leaf].candidates, known, id)
                })
            })
            .collect();
        for (i, pair) in plan.pairs.iter().enumerate() {
            let alive =
                |&(leaf, mask): &(usize, u32)| leaves[leaf] != Normals::FALSE && mask & !masks[leaf] == 0;
            if pair.parts.iter().all(alive) {
                needs.alive[i] = true;
                pair.stable.iter().for_each(|&s| needs.stable[s] = true);
                pair.often.iter().for_each(|&o| needs.often[o] = true);
                pair.almost.iter().for_each(|&a| needs.almost[a] = true);
            }
        }
        if !needs.alive.contains(&true) {
            needs.verdict = Verdict::Rejects;
        }
        needs
    }

    fn intern(&mut self, mut state: Vec<NormalId>, verdict: Verdict) -> StateId {
        match verdict {
            Verdict::Open => {}
            Verdict::Accepts => state.fill(Normals::TRUE),
            Verdict::Rejects => state.fill(Normals::FALSE),
        }
        let state: Box<[NormalId]> = state.into();
        if let Some(&known) = self.ids.get(&state) {
            return known;
        }
        let id = StateId(self.states.len() as u32);
        self.states.push(state.clone());
        self.ids.insert(state, id);
        self.verdicts.push(verdict);
        self.steps.extend(std::iter::repeat_n(NO_STEP, self.derivative.num_letters()));
        id
    }

    fn intern_marks(&mut self, marks: BitSet) -> u32 {
        if let Some(&known) = self.mark_ids.get(&marks) {
            return known;
        }
        let id = self.marks.len() as u32;
        self.marks.push(marks.clone());
        self.mark_ids.insert(marks, id);
        id
    }
}

/// The candidates that occur in a formula.
fn occurring(
    formulas: &Formulas,
    candidates: &FxHashMap<FormulaId, u32>,
    known: &mut FxHashMap<FormulaId, u32>,
    id: FormulaId,
) -> u32 {
    if candidates.is_empty() {
        return 0;
    }
    if let Some(&mask) = known.get(&id) {
        return mask;
    }
    let own = candidates.get(&id).copied().unwrap_or(0);
    let mask = formulas.operands(id).fold(own, |mask, o| mask | occurring(formulas, candidates, known, o));
    known.insert(id, mask);
    mask
}
