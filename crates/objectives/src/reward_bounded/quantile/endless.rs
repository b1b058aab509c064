//! Demands that are met with positive probability however large they are: by the graph alone, since no bound on a probability tells a
//! small number from zero.

use volvelle_logic::Optimum;
use volvelle_solver::Context;
use volvelle_solver::reach::prob01_until;
use volvelle_space::{BitSet, components};

/// The states from which some path to the right side spends as much as one likes: it can come to a cycle on which something is
/// spent, and from there to the right side.
pub fn states(context: &Context, left: &BitSet, right: &BitSet, spends: &dyn Fn(usize) -> bool) -> BitSet {
    let (space, n) = (context.space, context.states());
    let mut inside = left.clone();
    inside.subtract(&prob01_until(context, left, right, Optimum::Max).zero);
    let component_of = components(n, |s| space.successors(s), |s| inside.contains(s)).component_of(n);
    let is_on_cycle = |s: usize| {
        let mut spending = space.choices_of(s).filter(|&choice| spends(choice));
        spending.any(|choice| {
            space.transitions(choice).any(|(t, v)| v > 0.0 && component_of[t] == component_of[s])
        })
    };
    let cycles = BitSet::of(n, inside.iter().filter(|&s| is_on_cycle(s)));
    prob01_until(context, &inside, &cycles, Optimum::Max).zero.complement()
}
