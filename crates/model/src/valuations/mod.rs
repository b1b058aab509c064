//! All valuations of the fields of a program that satisfy a predicate.
//!
//! A search with interval propagation. Conjuncts narrow the intervals of the fields that they read, until
//! nothing changes; then the interval of the first field with more than one value is halved. If conjuncts
//! bind the fields (`x+y+z<=3`, `y=2*x`, `a | x=7`), the work is proportional to the valuations found, not to
//! the product of all domains. A conjunct that is a disjunction keeps the disjuncts that are possible in the
//! current box, and narrows to the hull of what they allow.
//!
//! Valuations are found in lexicographic order of the fields. Where a conjunct that cannot fail is false,
//! failures of others are hidden.

mod contraction;
mod known;

use crate::Program;
use crate::interval::Interval;
use contraction::{Condition, Holds, Scratch};
use std::collections::VecDeque;
use volvelle_kernel::{ExprId, Exprs, Node};

/// The search.
pub struct Valuations {
    bounds: Vec<Interval>,
    clauses: Vec<Clause>,
    /// For each field, the clauses that read it.
    readers: Vec<Vec<u32>>,
    trail: Vec<Undo>,
    /// Halves still to be searched.
    halves: Vec<Half>,
    queue: VecDeque<u32>,
    scratch: Scratch,
    /// For each field: the number of disjuncts of the present clause that narrow it, and their hull.
    hulls: Vec<(u32, Interval)>,
    /// All fields before this one have a single value.
    first: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The current box has changed and must be narrowed.
    Fresh,
    /// The current box is finished.
    Spent,
}

/// A disjunction of conditions.
struct Clause {
    disjuncts: Vec<Condition>,
    /// The disjuncts, those that are possible in the current box first.
    order: Vec<u32>,
    /// Number of possible disjuncts.
    possible: u32,
    /// Whether the clause holds for all valuations in the current box.
    holds: bool,
    is_queued: bool,
}

enum Undo {
    Bounds(u32, Interval),
    Possible(u32, u32),
    Holds(u32),
}

struct Half {
    trail: usize,
    field: u32,
    upper: Interval,
}

/// The result of one step of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Working,
    /// A valuation ([`Valuations::values`]). Unless it is `certain`, the predicate must be evaluated.
    Found {
        /// Whether the predicate certainly holds.
        certain: bool,
    },
    /// There are no more.
    Done,
}

impl Valuations {
    /// The valuations within the domains of the fields.
    pub fn new(program: &Program, predicate: ExprId) -> Self {
        Self::with(program, predicate, false)
    }

    /// Like [`Valuations::new`], for predicates that the caller evaluates in rational arithmetic: none is
    /// certain that compares doubles.
    pub fn over_rationals(program: &Program, predicate: ExprId) -> Self {
        Self::with(program, predicate, true)
    }

    fn with(program: &Program, predicate: ExprId, rationals: bool) -> Self {
        let fields = program.fields.len();
        let bounds = program.fields.iter().map(|field| {
            let (lo, hi) = field.domain.bounds();
            Interval { lo, hi }
        });
        let clauses: Vec<Clause> = clauses(&program.exprs, predicate);
        let mut readers = vec![Vec::new(); fields];
        for (number, clause) in (0..).zip(&clauses) {
            for &field in clause.disjuncts.iter().flat_map(|condition| &condition.fields) {
                if readers[field as usize].last() != Some(&number) {
                    readers[field as usize].push(number);
                }
            }
        }
        let mut search = Valuations {
            bounds: bounds.collect(),
            clauses,
            readers,
            trail: Vec::new(),
            halves: Vec::new(),
            queue: VecDeque::new(),
            scratch: Scratch::new(rationals),
            hulls: vec![(0, Interval { lo: 0, hi: 0 }); fields],
            first: 0,
            state: State::Fresh,
        };
        for clause in 0..search.clauses.len() as u32 {
            search.enqueue(clause);
        }
        search
    }

    /// The values of the fields that [`Step::Found`] refers to.
    pub fn values(&self) -> impl Iterator<Item = i64> {
        self.bounds.iter().map(|bounds| bounds.lo)
    }

    /// One step: narrows the current box, then halves it or takes the next.
    pub fn step(&mut self) -> Step {
        if self.state == State::Spent {
            let Some(half) = self.halves.pop() else {
                return Step::Done;
            };
            self.undo(half.trail);
            self.first = half.field as usize;
            self.set(half.field, half.upper);
        }
        self.state = State::Spent;
        if !self.propagate() {
            return Step::Working;
        }
        while self.bounds.get(self.first).is_some_and(|bounds| bounds.lo == bounds.hi) {
            self.first += 1;
        }
        let Some(&Interval { lo, hi }) = self.bounds.get(self.first) else {
            return Step::Found { certain: self.clauses.iter().all(|clause| clause.holds) };
        };
        let middle = lo + (hi - lo) / 2;
        let field = self.first as u32;
        self.halves.push(Half { trail: self.trail.len(), field, upper: Interval { lo: middle + 1, hi } });
        self.set(field, Interval { lo, hi: middle });
        self.state = State::Fresh;
        Step::Working
    }

    fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            match self.trail.pop() {
                Some(Undo::Bounds(field, bounds)) => self.bounds[field as usize] = bounds,
                Some(Undo::Possible(clause, possible)) => self.clauses[clause as usize].possible = possible,
                Some(Undo::Holds(clause)) => self.clauses[clause as usize].holds = false,
                None => {}
            }
        }
    }

    fn enqueue(&mut self, clause: u32) {
        let entry = &mut self.clauses[clause as usize];
        if !entry.is_queued && !entry.holds {
            entry.is_queued = true;
            self.queue.push_back(clause);
        }
    }

    fn set(&mut self, field: u32, to: Interval) {
        let at = field as usize;
        if self.bounds[at] == to {
            return;
        }
        self.trail.push(Undo::Bounds(field, self.bounds[at]));
        self.bounds[at] = to;
        for at_reader in 0..self.readers[at].len() {
            self.enqueue(self.readers[at][at_reader]);
        }
    }

    /// Narrows the box. Returns whether it may contain valuations. Intervals may converge slowly
    /// (`x<y & y<x`); so after a limit of visits, halving continues instead, and clauses not visited are
    /// evaluated in the end.
    fn propagate(&mut self) -> bool {
        let mut visits = 256 + 16 * self.clauses.len();
        let mut is_possible = true;
        while let Some(clause) = self.queue.pop_front() {
            self.clauses[clause as usize].is_queued = false;
            if is_possible && visits > 0 {
                visits -= 1;
                is_possible = self.visit(clause);
            }
        }
        is_possible
    }

    fn visit(&mut self, number: u32) -> bool {
        let clause = &mut self.clauses[number as usize];
        let before = clause.possible;
        let mut narrowed: Vec<u32> = Vec::new();
        let mut visited = 0;
        let mut at = 0;
        while at < clause.possible {
            let condition = &clause.disjuncts[clause.order[at as usize] as usize];
            match condition.contract(&self.bounds, &mut self.scratch) {
                Holds::Never => {
                    clause.possible -= 1;
                    clause.order.swap(at as usize, clause.possible as usize);
                    continue;
                }
                Holds::Always => {
                    clause.holds = true;
                    self.trail.push(Undo::Holds(number));
                    break;
                }
                Holds::Perhaps => {}
            }
            for (&field, &to) in condition.fields.iter().zip(&self.scratch.narrowed) {
                let (count, hull) = &mut self.hulls[field as usize];
                if *count == visited {
                    if *count == 0 {
                        narrowed.push(field);
                        *hull = to;
                    }
                    *hull = hull.hull(to);
                    *count += 1;
                }
            }
            visited += 1;
            at += 1;
        }
        if clause.possible != before {
            self.trail.push(Undo::Possible(number, before));
        }
        let (holds, possible) = (clause.holds, clause.possible);
        for field in narrowed {
            let (count, hull) = self.hulls[field as usize];
            self.hulls[field as usize].0 = 0;
            if !holds && count == visited {
                self.set(field, hull);
            }
        }
        possible > 0
    }
}

/// The conjuncts of a predicate, and the disjuncts of each. A right operand is separated only if it cannot
/// fail.
fn clauses(exprs: &Exprs, predicate: ExprId) -> Vec<Clause> {
    let fallible = fallible(exprs);
    let mut conjuncts = Vec::new();
    let mut stack = vec![predicate];
    while let Some(id) = stack.pop() {
        match exprs.node(id) {
            Node::And { lhs, rhs } if !fallible[rhs.index()] => stack.extend([rhs, lhs]),
            _ => conjuncts.push(id),
        }
    }
    let clause = |id: ExprId| {
        let mut disjuncts = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match exprs.node(id) {
                Node::Or { lhs, rhs } if !fallible[id.index()] => stack.extend([rhs, lhs]),
                _ => disjuncts.push(Condition::new(exprs, id)),
            }
        }
        let possible = disjuncts.len() as u32;
        Clause { disjuncts, order: (0..possible).collect(), possible, holds: false, is_queued: false }
    };
    conjuncts.into_iter().map(clause).collect()
}

/// For each node, whether it may fail.
fn fallible(exprs: &Exprs) -> Vec<bool> {
    let mut fallible = vec![false; exprs.len()];
    for id in exprs.ids() {
        let node = exprs.node(id);
        let mut fails = matches!(
            node,
            Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. } | Node::Load { .. }
        );
        Exprs::each_operand(&node, |operand| fails |= fallible[operand.index()]);
        fallible[id.index()] = fails;
    }
    fallible
}
