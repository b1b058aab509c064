//! Which of several rules or bodies is for which classes of arguments.
//!
//! All of them are compared when a system is loaded: at a place, classes that are the same to all candidates are one group, and a table
//! has the choice for each combination of groups. A combination with several candidates of which none is nearest is found here, with the
//! classes that show it, and not when a program happens to have them.

use crate::types::Universe;
use volvelle_trees::ClassId;

/// What is chosen for a combination of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Nothing fits.
    None,
    /// This candidate.
    One(u16),
    /// These two, and none of all that fit is nearest.
    Several(u16, u16),
}

/// A rule or a body: the classes of its parameters, none where all fit, and how far the system in which it stands is derived.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Classes by place.
    pub classes: Vec<Option<ClassId>>,
    /// How many systems its own one extends.
    pub level: usize,
}

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Dispatch {
    /// Of each place, the group of each class.
    groups: Vec<Vec<u16>>,
    /// Of each place, the number of groups.
    counts: Vec<usize>,
    table: Vec<Choice>,
}

/// Tables are not larger than this.
const LARGEST: usize = 1 << 22;

impl Dispatch {
    /// Compares candidates for as many arguments as `places` has; the classes of a place are those of its type. Nothing where the table
    /// were too large.
    pub fn new(universe: &Universe, places: usize, candidates: &[Candidate]) -> Option<Self> {
        let classes = universe.classes.len();
        let mut dispatch = Dispatch::default();
        let mut accepts: Vec<Vec<Vec<bool>>> = Vec::new();
        for place in 0..places {
            let mut kinds: Vec<Vec<bool>> = Vec::new();
            let mut groups = Vec::with_capacity(classes);
            for (class, _) in universe.classes.iter() {
                let accepted: Vec<bool> = candidates
                    .iter()
                    .map(|candidate| candidate.classes[place].is_none_or(|of| universe.is_kind(class, of)))
                    .collect();
                let group = kinds.iter().position(|known| *known == accepted).unwrap_or_else(|| {
                    kinds.push(accepted);
                    kinds.len() - 1
                });
                groups.push(group as u16);
            }
            dispatch.groups.push(groups);
            dispatch.counts.push(kinds.len());
            accepts.push(kinds);
        }
        let size = dispatch.counts.iter().try_fold(1_usize, |size, &count| size.checked_mul(count))?;
        if size > LARGEST {
            return None;
        }
        dispatch.table = (0..size)
            .map(|cell| {
                let mut rest = cell;
                let mut fit: Vec<usize> = (0..candidates.len()).collect();
                for place in (0..places).rev() {
                    let group = &accepts[place][rest % dispatch.counts[place]];
                    rest /= dispatch.counts[place];
                    fit.retain(|&candidate| group[candidate]);
                }
                choose(universe, candidates, &fit)
            })
            .collect();
        Some(dispatch)
    }

    /// Whether the first candidate is chosen for all arguments.
    pub fn is_always(&self) -> bool {
        self.table.iter().all(|&choice| choice == Choice::One(0))
    }

    /// What is chosen for arguments of these classes.
    #[inline]
    pub fn choose(&self, classes: impl Iterator<Item = ClassId>) -> Choice {
        let mut cell = 0;
        for (place, class) in classes.enumerate() {
            cell = cell * self.counts[place] + usize::from(self.groups[place][class.index()]);
        }
        self.table[cell]
    }

    /// All combinations for which something is wrong or missing, each with classes that show it; `possible` says which classes a place
    /// can have.
    pub fn witnesses(&self, possible: &[Vec<ClassId>], mut visit: impl FnMut(Choice, &[ClassId])) {
        // The first possible class of each group stands for it.
        let representatives: Vec<Vec<ClassId>> = (0..self.counts.len())
            .map(|place| {
                let mut seen = vec![false; self.counts[place]];
                let groups = &self.groups[place];
                let first = |class: &&ClassId| {
                    let group = usize::from(groups[class.index()]);
                    !std::mem::replace(&mut seen[group], true)
                };
                possible[place].iter().filter(first).copied().collect()
            })
            .collect();
        if representatives.iter().any(Vec::is_empty) {
            return;
        }
        let mut at = vec![0; representatives.len()];
        loop {
            let classes: Vec<ClassId> = at.iter().zip(&representatives).map(|(&at, all)| all[at]).collect();
            visit(self.choose(classes.iter().copied()), &classes);
            let Some(place) = (0..at.len()).rev().find(|&place| at[place] + 1 < representatives[place].len())
            else {
                return;
            };
            at[place] += 1;
            at[place + 1..].fill(0);
        }
    }
}

/// The nearest of the candidates that fit.
fn choose(universe: &Universe, candidates: &[Candidate], fit: &[usize]) -> Choice {
    let beats = |a: usize, b: usize| wins(universe, &candidates[a], &candidates[b]);
    match fit {
        [] => Choice::None,
        [one] => Choice::One(*one as u16),
        _ => {
            let best = fit.iter().find(|&&one| fit.iter().all(|&other| other == one || beats(one, other)));
            if let Some(&one) = best {
                return Choice::One(one as u16);
            }
            let one = fit[0];
            let other =
                fit.iter().copied().find(|&other| other != one && !beats(one, other)).unwrap_or(fit[1]);
            Choice::Several(one as u16, other as u16)
        }
    }
}

/// Whether a candidate is nearer than another one: at the first place where their classes are related, its class is the smaller one; where
/// there is no such place, its system is the more derived one.
fn wins(universe: &Universe, a: &Candidate, b: &Candidate) -> bool {
    for (a, b) in a.classes.iter().zip(&b.classes) {
        match (a, b) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if universe.is_kind(*a, *b) => return true,
            (Some(a), Some(b)) if universe.is_kind(*b, *a) => return false,
            (Some(_), None) => return true,
            (None, Some(_)) => return false,
            _ => {}
        }
    }
    a.level > b.level
}
