//! Which components of a program are interchangeable.
//!
//! Components are interchangeable if exchanging any two of them, with the fields that belong to them, maps
//! the program to itself: its steps, its initial states, and what is observed. Then states that differ by
//! such a permutation behave alike, also for numeric observations, so one of them may stand for all (M.
//! Kwiatkowska, G. Norman, D. Parker, *Symmetry reduction for probabilistic model checking*, CAV 2006).
//!
//! Exchanges are guessed from the text of commands (`permutation`), and then verified on the whole program
//! (`normal_form`). The exchanges of the first component with each of the others generate all permutations,
//! if the fields that move with the first one are always the same.

mod normal_form;
mod permutation;

use crate::ids::{ComponentId, FieldId};
use crate::program::Program;
use crate::selection::Selection;
use normal_form::NormalForms;
use permutation::Components;
use rustc_hash::FxHashSet;

/// Limit of fields with numbers of components.
const MOST_NUMBERS: usize = 32;

/// Components that may be permuted arbitrarily.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit {
    /// At least two.
    pub components: Vec<ComponentId>,
    /// The fields that move with each component: the same number for each, with the same domains, in
    /// corresponding order. No field is in two blocks.
    pub blocks: Vec<Vec<FieldId>>,
    /// Fields that hold numbers of components, with the number of each component. Other values mean none of
    /// them.
    pub numbers: Vec<(FieldId, Vec<i64>)>,
}

impl Orbit {
    /// A single component.
    fn of(component: ComponentId) -> Self {
        Orbit { components: vec![component], blocks: Vec::new(), numbers: Vec::new() }
    }

    /// The numbers of components, extended by one more; `None` if they do not fit together.
    fn more_numbers(&self, values: &[(FieldId, [i64; 2])]) -> Option<Vec<(FieldId, Vec<i64>)>> {
        if values.len() > MOST_NUMBERS {
            return None;
        }
        if self.blocks.is_empty() {
            return Some(values.iter().map(|&(field, pair)| (field, pair.to_vec())).collect());
        }
        let same_fields = self.numbers.iter().map(|n| n.0).eq(values.iter().map(|v| v.0));
        let mut numbers = self.numbers.clone();
        for ((_, known), &(_, [a, b])) in numbers.iter_mut().zip(values) {
            let first = |known: &Vec<i64>| match known[0] {
                number if number == a => Some(b),
                number if number == b => Some(a),
                _ => None,
            };
            if first(known).is_none() && known.len() == 2 {
                // With two components, the order of their numbers was still open.
                known.swap(0, 1);
            }
            let number = first(known).filter(|number| !known.contains(number))?;
            known.push(number);
        }
        same_fields.then_some(numbers)
    }
}

/// The interchangeable components of a program without instances, if only a selection is observed (and the
/// condition under which the program stops). Empty if there are none.
pub fn interchangeable_components(program: &Program, observe: &Selection) -> Vec<Orbit> {
    if !program.is_static() || program.components.len() < 2 || !program.applications.is_empty() {
        return Vec::new();
    }
    let Some(mut forms) = NormalForms::new(program, observe) else { return Vec::new() };
    let components = Components::new(program);
    let mut orbits: Vec<Orbit> = Vec::new();
    let mut taken: FxHashSet<FieldId> = FxHashSet::default();
    for component in (0..program.components.len() as u32).map(ComponentId) {
        let joins = orbits.iter_mut().any(|orbit| {
            let first = orbit.components[0];
            if !components.are_alike(first, component) {
                return false;
            }
            let Some(exchange) = components.exchange(first, component) else { return false };
            let (here, there): (Vec<FieldId>, Vec<FieldId>) = exchange.pairs.iter().copied().unzip();
            let fits = match orbit.blocks.first() {
                Some(block) => *block == here,
                None => here.iter().all(|field| !taken.contains(field)),
            };
            let numbers = orbit.more_numbers(&exchange.values);
            let is_other = |(field, _): &(FieldId, [i64; 2])| {
                orbit.numbers.iter().all(|(known, _)| known != field) && taken.contains(field)
            };
            let fits = fits
                && numbers.is_some()
                && !exchange.values.iter().any(is_other)
                && there.iter().all(|field| !taken.contains(field) && !here.contains(field))
                && forms.is_symmetry(&exchange.permutation);
            if fits {
                if orbit.blocks.is_empty() {
                    taken.extend(&here);
                    orbit.blocks.push(here);
                }
                taken.extend(&there);
                taken.extend(exchange.values.iter().map(|(field, _)| *field));
                orbit.numbers = numbers.unwrap_or_default();
                orbit.components.push(component);
                orbit.blocks.push(there);
            }
            fits
        });
        if !joins {
            orbits.push(Orbit::of(component));
        }
    }
    orbits.retain(|orbit| orbit.components.len() > 1);
    orbits
}
