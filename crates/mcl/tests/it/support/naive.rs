//! The second opinion: sets of states by the definition of each operator, fixpoints by iteration from below or above.

use volvelle_mcl::Formula;
use volvelle_mcl::tree::*;
use volvelle_space::Lts;

type Set = Vec<bool>;

/// The states in which a formula holds.
pub fn states(formula: &Formula, lts: &Lts) -> Set {
    let matches = lts.labels.texts().iter().map(|label| formula.matches(label)).collect();
    let mut naive = Naive { formula, lts, matches, values: vec![Vec::new(); formula.num_variables()] };
    naive.state(formula.root())
}

/// Whether it holds in the initial state.
pub fn holds(formula: &Formula, lts: &Lts) -> bool {
    states(formula, lts)[lts.initial as usize]
}

struct Naive<'a> {
    formula: &'a Formula,
    lts: &'a Lts,
    /// By label, then by action formula.
    matches: Vec<Vec<bool>>,
    values: Vec<Set>,
}

fn zip(a: &Set, b: &Set, f: impl Fn(bool, bool) -> bool) -> Set {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

impl Naive<'_> {
    fn all(&self, value: bool) -> Set {
        vec![value; self.lts.num_states()]
    }

    /// Iterates from below or above until nothing changes.
    fn fixpoint(&mut self, from: bool, mut step: impl FnMut(&mut Self, &Set) -> Set) -> Set {
        let mut value = self.all(from);
        loop {
            let next = step(self, &value);
            if next == value {
                return value;
            }
            value = next;
        }
    }

    fn state(&mut self, id: StateId) -> Set {
        let formula = self.formula;
        match formula.state(id) {
            State::True => self.all(true),
            State::False => self.all(false),
            State::Not(f) => self.state(*f).iter().map(|v| !v).collect(),
            State::And(list) => {
                list.iter().fold(self.all(true), |all, f| zip(&all, &self.state(*f), |a, b| a && b))
            }
            State::Or(list) => {
                list.iter().fold(self.all(false), |any, f| zip(&any, &self.state(*f), |a, b| a || b))
            }
            State::Implies(f, g) => zip(&self.state(*f), &self.state(*g), |a, b| !a || b),
            State::Equ(f, g) => zip(&self.state(*f), &self.state(*g), |a, b| a == b),
            State::Diamond(r, f) => {
                let inner = self.state(*f);
                self.modality(true, *r, inner)
            }
            State::Box(r, f) => {
                let inner = self.state(*f);
                self.modality(false, *r, inner)
            }
            State::Loop(r) => self.fixpoint(true, |naive, x| naive.modality(true, *r, x.clone())),
            State::Variable(variable, _) => self.values[variable.index()].clone(),
            State::Fix(fixpoint, variable, f) => {
                self.fixpoint(*fixpoint == Fixpoint::Greatest, |naive, x| {
                    naive.values[variable.index()] = x.clone();
                    naive.state(*f)
                })
            }
        }
    }

    /// `<R>F` or `[R]F`, where `F` holds in the states `inner`.
    fn modality(&mut self, is_diamond: bool, regular: RegularId, inner: Set) -> Set {
        let formula = self.formula;
        let join = move |a: bool, b: bool| if is_diamond { a || b } else { a && b };
        match formula.regular(regular) {
            Regular::Action(action) => (0..self.lts.num_states() as u32)
                .map(|state| {
                    let edges = self.lts.outgoing(state).iter();
                    let mut taken = edges.filter(|e| self.matches[e.label as usize][action.index()]);
                    match is_diamond {
                        true => taken.any(|e| inner[e.target as usize]),
                        false => taken.all(|e| inner[e.target as usize]),
                    }
                })
                .collect(),
            Regular::Nil => inner,
            Regular::Sequence(list) => {
                list.iter().rev().fold(inner, |next, r| self.modality(is_diamond, *r, next))
            }
            Regular::Choice(list) => {
                let parts: Vec<Set> =
                    list.iter().map(|r| self.modality(is_diamond, *r, inner.clone())).collect();
                parts.iter().skip(1).fold(parts[0].clone(), |all, part| zip(&all, part, join))
            }
            Regular::Star(r) => self.fixpoint(!is_diamond, |naive, x| {
                let next = naive.modality(is_diamond, *r, x.clone());
                zip(&inner, &next, join)
            }),
            Regular::Plus(r) => {
                let star = self.fixpoint(!is_diamond, |naive, x| {
                    let next = naive.modality(is_diamond, *r, x.clone());
                    zip(&inner, &next, join)
                });
                self.modality(is_diamond, *r, star)
            }
            Regular::Optional(r) => {
                let once = self.modality(is_diamond, *r, inner.clone());
                zip(&inner, &once, join)
            }
            Regular::Repeat(r, least, most) => {
                let mut part = match most {
                    Some(_) => inner.clone(),
                    None => self.fixpoint(!is_diamond, |naive, x| {
                        let next = naive.modality(is_diamond, *r, x.clone());
                        zip(&inner, &next, join)
                    }),
                };
                for _ in *least..most.unwrap_or(*least) {
                    let once = self.modality(is_diamond, *r, part);
                    part = zip(&inner, &once, join);
                }
                (0..*least).fold(part, |next, _| self.modality(is_diamond, *r, next))
            }
        }
    }
}
