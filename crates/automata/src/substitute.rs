//! Formulas under a guess: the paper's `φ[X]ν` and `φ[Y]μ`.
//!
//! A guess assumes which unbounded untils hold infinitely often (X), which unbounded releases hold almost always
//! (Y), and which limit operators hold. An until of X becomes a weak until, because the guess rules out that it is
//! postponed for ever; other untils become falsity. A release of Y becomes truth, because from some time on it always
//! holds; other releases have to be released. The first substitution turns any formula into a safety formula, the second
//! into a co-safety formula.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};
use crate::normal::{NormalId, Normals, TooLarge};

/// The members of X, Y and the limit operators, in one set.
pub(crate) type Guess = FxHashSet<FormulaId>;

/// The kind of a substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Into {
    /// `φ[X]ν`
    Safety,
    /// `φ[Y]μ`
    Cosafety,
    /// A formula that holds if `φ` can hold when the guess is right: a quick test that rules guesses out.
    Possible,
}

/// A substitution; known results are kept.
#[derive(Clone, Debug)]
pub(crate) struct Substitution {
    guess: Guess,
    into: Into,
    known: FxHashMap<FormulaId, FormulaId>,
}

impl Substitution {
    pub fn new(guess: Guess, into: Into) -> Self {
        Substitution { guess, into, known: FxHashMap::default() }
    }

    /// Substitutes in a combination.
    pub fn normal(
        &mut self,
        formulas: &mut Formulas,
        normals: &mut Normals,
        id: NormalId,
    ) -> Result<NormalId, TooLarge> {
        let mut result = Normals::FALSE;
        for conjunction in normals.get(id).to_vec() {
            let mut product = Normals::TRUE;
            for &formula in &conjunction {
                let factor = self.formula(formulas, formula);
                let factor = normals.of(formulas, factor)?;
                product = normals.join(formulas, product, factor, true)?;
            }
            result = normals.join(formulas, result, product, false)?;
        }
        Ok(result)
    }

    /// Substitutes in a formula.
    pub fn formula(&mut self, formulas: &mut Formulas, id: FormulaId) -> FormulaId {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let guessed = self.guess.contains(&id);
        let result = match formulas.get(id).clone() {
            Node::True | Node::False | Node::Literal { .. } => id,
            Node::And(operands) => self.junction(formulas, &operands, true),
            Node::Or(operands) => self.junction(formulas, &operands, false),
            Node::Delay { steps, hold, then, all } => {
                let (hold, then) = (self.formula(formulas, hold), self.formula(formulas, then));
                formulas.delay(steps, hold, then, all)
            }
            Node::InfinitelyOften(_) | Node::AlmostAlways(_) => formulas.constant(guessed),
            Node::Until { hold, goal, bound } => {
                let unbounded = bound == UNBOUNDED;
                if unbounded && self.into == Into::Safety && !guessed {
                    Formulas::FALSE
                } else {
                    let (hold, goal) = (self.formula(formulas, hold), self.formula(formulas, goal));
                    if unbounded && guessed && self.into != Into::Cosafety {
                        // Weak until.
                        let either = formulas.or(hold, goal);
                        formulas.release_within(goal, either, UNBOUNDED)
                    } else {
                        formulas.until_within(hold, goal, bound)
                    }
                }
            }
            Node::Release { release, goal, bound } => {
                let unbounded = bound == UNBOUNDED;
                if unbounded && self.into == Into::Cosafety && guessed {
                    Formulas::TRUE
                } else {
                    // A formula that must hold for ever cannot rely on untils that are given up.
                    let forever = !unbounded
                        || self.into != Into::Possible
                        || Substitution::new(self.guess.clone(), Into::Safety).formula(formulas, goal)
                            != Formulas::FALSE;
                    let (release, goal) = (self.formula(formulas, release), self.formula(formulas, goal));
                    if unbounded && (self.into == Into::Cosafety || !forever) {
                        // Strong release.
                        let both = formulas.and(release, goal);
                        formulas.until_within(goal, both, UNBOUNDED)
                    } else {
                        formulas.release_within(release, goal, bound)
                    }
                }
            }
        };
        self.known.insert(id, result);
        result
    }

    fn junction(&mut self, formulas: &mut Formulas, operands: &[FormulaId], all: bool) -> FormulaId {
        let operands: Vec<FormulaId> = operands.iter().map(|&o| self.formula(formulas, o)).collect();
        formulas.junction(operands, all)
    }
}
