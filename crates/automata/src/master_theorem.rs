//! The guesses of the Master Theorem that have to be considered for a formula.
//!
//! The theorem (4.10 of the article): a word satisfies φ if and only if for some guess
//!
//! 1. at some time the rest of the word satisfies the derivative of φ, with the guess put in as a safety formula;
//! 2. each guessed until holds infinitely often, with the guess put in as a co-safety formula;
//! 3. each guessed release holds almost always, with the guess put in as a safety formula.
//!
//! Few operators have to be guessed about. An until that is not inside of a release is satisfied or violated within
//! finite time, and leaves its operands behind; so guesses are needed for untils within releases only (X). A guess
//! about a release (Y) serves condition 2 only, so only releases within the goals of X are considered. `α U β` holds
//! infinitely often if and only if β does, and `α R β` almost always if and only if β does. Limit operators stand for
//! `F φ` in X and `G φ` in Y; they are members of the guess themselves.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};
use crate::normal::TooLarge;
use crate::substitute::{Guess, Into, Substitution};

/// Operators that a formula may have to guess about.
const CANDIDATES_LIMIT: usize = 12;

/// A guess, and the conditions under which it is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guessed {
    /// The guessed untils and limit operators.
    pub guess: Guess,
    /// The same by their numbers among the candidates.
    pub mask: u32,
    /// Co-safety formulas that have to hold infinitely often.
    pub often: Vec<FormulaId>,
    /// Safety formulas that have to hold almost always.
    pub almost: Vec<FormulaId>,
}

/// All guesses that may be right, and the numbers of the candidates.
pub(crate) fn guesses(
    formulas: &mut Formulas,
    root: FormulaId,
) -> Result<(Vec<Guessed>, FxHashMap<FormulaId, u32>), TooLarge> {
    let candidates = candidates(formulas, root);
    let check = |count: usize| match count {
        0..=CANDIDATES_LIMIT => Ok(()),
        _ => Err(TooLarge { what: "nested temporal operators in the path formula" }),
    };
    check(candidates.len())?;
    let mut found: Vec<Guessed> = Vec::new();
    for mask in 0..1u32 << candidates.len() {
        let members = |i: &usize| mask >> i & 1 != 0;
        let guess: Guess = (0..candidates.len()).filter(members).map(|i| candidates[i]).collect();
        let possible = Substitution::new(guess.clone(), Into::Possible).formula(formulas, root);
        if possible == Formulas::FALSE {
            continue;
        }
        let releases = releases(formulas, &guess);
        check(candidates.len() + releases.len())?;
        for mask_of_releases in 0..1u32 << releases.len() {
            let members = |i: &usize| mask_of_releases >> i & 1 != 0;
            let guessed_releases: Vec<FormulaId> =
                (0..releases.len()).filter(members).map(|i| releases[i]).collect();
            let Some((often, almost)) = conditions(formulas, &guess, &guessed_releases) else { continue };
            found.push(Guessed { guess: guess.clone(), mask, often, almost });
        }
    }
    let numbers = candidates.iter().enumerate().map(|(i, &c)| (c, 1 << i)).collect();
    Ok((found, numbers))
}

/// The possible members of a guess: limit operators, and untils within releases.
fn candidates(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![(root, false)];
    while let Some((id, within)) = work.pop() {
        if !seen.insert((id, within)) {
            continue;
        }
        let within_operands = match formulas.get(id) {
            Node::Release { bound: UNBOUNDED, .. } | Node::AlmostAlways(_) => true,
            _ => within,
        };
        let is_candidate = match formulas.get(id) {
            Node::InfinitelyOften(_) | Node::AlmostAlways(_) => true,
            Node::Until { bound: UNBOUNDED, .. } => within,
            _ => false,
        };
        if is_candidate {
            found.push(id);
        }
        work.extend(formulas.operands(id).map(|o| (o, within_operands)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The releases that matter for the formulas that, by a guess, hold infinitely often.
fn releases(formulas: &Formulas, guess: &Guess) -> Vec<FormulaId> {
    let goal = |&id: &FormulaId| match *formulas.get(id) {
        Node::Until { goal, .. } => Some(goal),
        Node::InfinitelyOften(inner) => Some(inner),
        _ => None,
    };
    let mut work: Vec<FormulaId> = guess.iter().filter_map(goal).collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Node::Release { bound: UNBOUNDED, .. } = formulas.get(id) {
            found.push(id);
        }
        work.extend(formulas.operands(id));
    }
    found.sort_unstable();
    found
}

/// Conditions 2 and 3; nothing if one of them cannot be met.
fn conditions(
    formulas: &mut Formulas,
    guess: &Guess,
    releases: &[FormulaId],
) -> Option<(Vec<FormulaId>, Vec<FormulaId>)> {
    let mut all = guess.clone();
    all.extend(releases);
    let mut cosafety = Substitution::new(all, Into::Cosafety);
    let mut safety = Substitution::new(guess.clone(), Into::Safety);
    let mut members: Vec<FormulaId> = guess.iter().chain(releases).copied().collect();
    members.sort_unstable();
    let (mut often, mut almost) = (Vec::new(), Vec::new());
    for id in members {
        let (list, condition) = match *formulas.get(id) {
            Node::Until { goal, .. } | Node::InfinitelyOften(goal) => {
                (&mut often, cosafety.formula(formulas, goal))
            }
            Node::Release { goal, .. } | Node::AlmostAlways(goal) => {
                (&mut almost, safety.formula(formulas, goal))
            }
            _ => continue,
        };
        match condition {
            Formulas::FALSE => return None,
            Formulas::TRUE => {}
            _ => list.push(condition),
        }
    }
    for list in [&mut often, &mut almost] {
        list.sort_unstable();
        list.dedup();
    }
    Some((often, almost))
}
