//! The very weak alternating automaton of a formula: its states are formulas, each with its transitions.
//!
//! P. Gastin and D. Oddoux, *Fast LTL to Büchi Automata Translation*, CAV 2001, doi:10.1007/3-540-44585-4_6.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::buchi::budget::Budget;
use crate::buchi::cube::{Cube, bits};
use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};
use crate::normal::TooLarge;

/// Transitions that a formula, or a set of them, may have.
const TRANSITIONS_LIMIT: usize = 4096;

/// Number of transitions from which on redundant ones are searched.
const MANY: usize = 48;

/// Greatest number of a proposition.
const LAST_PROPOSITION: u32 = 61;

/// Formulas that have to hold, all of them: sorted, distinct, no conjunctions.
pub(crate) type Set = Rc<[FormulaId]>;

/// A transition: on a letter of `cube` to all of `next`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    pub cube: Cube,
    pub next: Set,
    /// The promises (see [`Transitions::promise`]) of the form `G F φ` that it keeps.
    pub kept: u64,
}

/// The transitions of formulas, with a memory.
pub(crate) struct Transitions<'a> {
    formulas: &'a mut Formulas,
    /// Whether a disjunction after a step becomes several transitions, instead of a state of its own.
    split: bool,
    known: FxHashMap<FormulaId, Rc<[Transition]>>,
    promises: Vec<Promise>,
    promise_of: FxHashMap<FormulaId, u32>,
    budget: Budget,
}

/// A formula that a run must not postpone for ever.
struct Promise {
    formula: FormulaId,
    /// The transitions that keep it.
    kept_by: Rc<[Transition]>,
}

impl<'a> Transitions<'a> {
    pub fn new(formulas: &'a mut Formulas, split: bool, budget: Budget) -> Self {
        let (known, promise_of) = Default::default();
        Transitions { formulas, split, known, promises: Vec::new(), promise_of, budget }
    }

    /// Takes away from the budget that translation may take.
    pub fn spend(&mut self, comparisons: usize) -> Result<(), TooLarge> {
        self.budget.spend(1 + comparisons).ok_or(TooLarge { what: "edges of a Büchi automaton" })
    }

    /// The number of promises so far.
    pub fn num_promises(&self) -> usize {
        self.promises.len()
    }

    /// The bit of a formula that has to become true some time, or again and again; `None` for other formulas.
    fn promise(&mut self, id: FormulaId) -> Result<Option<u64>, TooLarge> {
        if let Some(&known) = self.promise_of.get(&id) {
            return Ok(Some(1 << known));
        }
        let kept_by = match *self.formulas.get(id) {
            Node::Until { goal, bound: UNBOUNDED, .. } => self.of(goal)?,
            Node::InfinitelyOften(inner) => self.of(inner)?,
            Node::AlmostAlways(inner) => {
                let always = self.formulas.release_within(Formulas::FALSE, inner, UNBOUNDED);
                self.of(always)?
            }
            _ => return Ok(None),
        };
        // Finding the transitions may have made it a promise.
        if let Some(&known) = self.promise_of.get(&id) {
            return Ok(Some(1 << known));
        }
        let number = self.promises.len() as u32;
        if number == 64 {
            return Err(TooLarge { what: "eventualities in a formula" });
        }
        self.promises.push(Promise { formula: id, kept_by });
        self.promise_of.insert(id, number);
        Ok(Some(1 << number))
    }

    /// The promises that a transition with a letter of `cube` to `next` postpones.
    pub fn put_off(&mut self, cube: Cube, next: &Set) -> Result<u64, TooLarge> {
        let mut result = 0;
        for &id in next.iter() {
            if let Some(bit) = self.promise(id)? {
                let promise = &self.promises[bit.trailing_zeros() as usize];
                let limit = !matches!(self.formulas.get(promise.formula), Node::Until { .. });
                let fits = |m: &Transition| {
                    m.cube.contains(cube)
                        && is_subset(&m.next, next)
                        && (limit || m.next.binary_search(&promise.formula).is_err())
                };
                if !promise.kept_by.iter().any(fits) {
                    result |= bit;
                }
            }
        }
        Ok(result)
    }

    /// The transitions of a conjunction.
    pub fn of_all(&mut self, set: &[FormulaId]) -> Result<Vec<Transition>, TooLarge> {
        let mut result = vec![Transition { cube: Cube::ALL, next: Rc::new([]), kept: 0 }];
        for &id in set {
            let factor = self.of(id)?;
            result = self.product(&result, &factor)?;
            if result.len() > MANY {
                result = self.thinned(result)?;
            }
        }
        Ok(result)
    }

    /// Without transitions in whose place others can be made whatever else has to hold. Promises are what makes this more than
    /// a comparison of letters and sets: a move that goes to less may lack what keeps one.
    fn thinned(&mut self, transitions: Vec<Transition>) -> Result<Vec<Transition>, TooLarge> {
        self.spend(transitions.len() * transitions.len())?;
        let mut promised = Vec::with_capacity(transitions.len());
        for m in &transitions {
            promised.push(self.put_off(m.cube, &m.next)?);
        }
        let better = |&(a, put_off): &(&Transition, u64), &(b, _): &(&Transition, u64)| {
            a.cube.contains(b.cube)
                && is_subset(&a.next, &b.next)
                && bits(put_off).all(|bit| {
                    // Nothing that `b` has and `a` lacks helps to keep the promise.
                    let promise = &self.promises[bit.trailing_zeros() as usize];
                    let lacks = |id: &FormulaId| a.next.binary_search(id).is_err();
                    promise.kept_by.iter().all(|k| {
                        let helps = b.next.iter().any(|id| lacks(id) && k.next.binary_search(id).is_ok());
                        let narrower = (b.cube.must & !a.cube.must) & k.cube.must
                            | (b.cube.must_not & !a.cube.must_not) & k.cube.must_not;
                        !helps && narrower == 0
                    })
                })
        };
        let kept = best(transitions.iter().zip(promised).collect(), better);
        Ok(kept.into_iter().map(|(m, _)| m.clone()).collect())
    }

    /// The transitions of a formula.
    pub fn of(&mut self, id: FormulaId) -> Result<Rc<[Transition]>, TooLarge> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let node = self.formulas.get(id).clone();
        let result: Vec<Transition> = match node {
            Node::True => self.of_all(&[])?,
            Node::False => Vec::new(),
            Node::Literal { proposition, .. } if proposition > LAST_PROPOSITION => {
                return Err(TooLarge { what: "propositions in a formula" });
            }
            Node::Literal { proposition, positive } => {
                let bit = 1 << proposition;
                let cube =
                    if positive { Cube { must: bit, must_not: 0 } } else { Cube { must: 0, must_not: bit } };
                vec![Transition { cube, next: Rc::new([]), kept: 0 }]
            }
            Node::And(operands) => {
                let mut result = self.of_all(&[])?;
                for &operand in &operands {
                    let factor = self.of(operand)?;
                    result = shortened(self.product(&result, &factor)?);
                }
                result
            }
            Node::Or(operands) => {
                let mut result = Vec::new();
                for &operand in &operands {
                    result.extend_from_slice(&self.of(operand)?);
                    limited(result.len())?;
                }
                result
            }
            Node::Delay { steps, hold, then, all } => {
                let later = self.formulas.delay(steps - 1, hold, then, all);
                let later = self.after(later)?;
                let hold = self.of(hold)?;
                if all { self.product(&hold, &later)? } else { [&hold[..], &later].concat() }
            }
            Node::Until { hold, goal, bound } => {
                let later = self.formulas.until_within(hold, goal, less(bound));
                let later = if bound == UNBOUNDED { self.itself(id) } else { self.after(later)? };
                let waiting = self.of(hold)?;
                let waiting = self.product(&waiting, &later)?;
                [&self.of(goal)?[..], &waiting].concat()
            }
            Node::Release { release, goal, bound } => {
                let later = self.formulas.release_within(release, goal, less(bound));
                let later = if bound == UNBOUNDED { self.itself(id) } else { self.after(later)? };
                let either = [&self.of(release)?[..], &later].concat();
                let goal = self.of(goal)?;
                self.product(&goal, &either)?
            }
            Node::InfinitelyOften(inner) => {
                let Some(bit) = self.promise(id)? else { unreachable!("a promise by its form") };
                let itself = self.itself(id);
                let keeping = self.of(inner)?;
                let mut keeping = self.product(&keeping, &itself)?;
                keeping.iter_mut().for_each(|m| m.kept |= bit);
                [&itself[..], &keeping].concat()
            }
            Node::AlmostAlways(inner) => {
                let always = self.formulas.release_within(Formulas::FALSE, inner, UNBOUNDED);
                [&self.itself(id)[..], &self.of(always)?].concat()
            }
        };
        limited(result.len())?;
        self.spend(result.len() * result.len())?;
        let result: Rc<[Transition]> = shortened(result).into();
        self.known.insert(id, result.clone());
        Ok(result)
    }

    /// All pairs of transitions, at once.
    fn product(&mut self, a: &[Transition], b: &[Transition]) -> Result<Vec<Transition>, TooLarge> {
        self.spend(a.len() * b.len())?;
        let mut result = Vec::new();
        for x in a {
            for y in b {
                if let Some(cube) = x.cube.and(y.cube) {
                    result.push(Transition { cube, next: union(&x.next, &y.next), kept: x.kept | y.kept });
                }
            }
            limited(result.len())?;
        }
        Ok(result)
    }

    fn itself(&self, id: FormulaId) -> Vec<Transition> {
        vec![Transition { cube: Cube::ALL, next: Rc::new([id]), kept: 0 }]
    }

    /// One step with any letter, then `id`.
    fn after(&mut self, id: FormulaId) -> Result<Vec<Transition>, TooLarge> {
        let transitions = self.alternatives(id)?;
        Ok(transitions.into_iter().map(|next| Transition { cube: Cube::ALL, next, kept: 0 }).collect())
    }

    /// Sets that mean the same as a formula, one of them or another.
    pub fn alternatives(&mut self, id: FormulaId) -> Result<Vec<Set>, TooLarge> {
        let node = self.formulas.get(id).clone();
        Ok(match node {
            Node::True => vec![Rc::new([])],
            Node::False => Vec::new(),
            Node::And(operands) => {
                let mut result: Vec<Set> = vec![Rc::new([])];
                for &operand in &operands {
                    let factor = self.alternatives(operand)?;
                    limited(result.len() * factor.len())?;
                    result = result.iter().flat_map(|a| factor.iter().map(|b| union(a, b))).collect();
                }
                result
            }
            Node::Or(operands) if self.split => {
                let mut result = Vec::new();
                for &operand in &operands {
                    result.extend(self.alternatives(operand)?);
                    limited(result.len())?;
                }
                result
            }
            _ => vec![Rc::new([id])],
        })
    }
}

fn less(bound: u64) -> u64 {
    if bound == UNBOUNDED { bound } else { bound - 1 }
}

fn limited(transitions: usize) -> Result<(), TooLarge> {
    if transitions > TRANSITIONS_LIMIT {
        Err(TooLarge { what: "edges of a Büchi automaton" })
    } else {
        Ok(())
    }
}

/// Without transitions in whose place another one can be made.
fn shortened(transitions: Vec<Transition>) -> Vec<Transition> {
    let better = |a: &Transition, b: &Transition| {
        a.cube.contains(b.cube) && is_subset(&a.next, &b.next) && b.kept & !a.kept == 0
    };
    best(transitions, better)
}

/// The first of those that nothing is better than.
pub(crate) fn best<T>(items: Vec<T>, better: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut result: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !result.iter().any(|other| better(other, &item)) {
            result.retain(|other| !better(&item, other));
            result.push(item);
        }
    }
    result
}

fn union(a: &Set, b: &Set) -> Set {
    if a.is_empty() {
        return b.clone();
    }
    if b.is_empty() {
        return a.clone();
    }
    let mut all: Vec<FormulaId> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Whether a sorted set is a subset of another.
pub(crate) fn is_subset(a: &[FormulaId], b: &[FormulaId]) -> bool {
    a.iter().all(|x| b.binary_search(x).is_ok())
}

/// The marks of all promises but some.
pub(crate) fn all_but(put_off: u64, promises: usize) -> u64 {
    let all = if promises == 64 { u64::MAX } else { (1 << promises) - 1 };
    bits(all & !put_off).fold(0, |a, b| a | b)
}
