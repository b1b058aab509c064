//! Which components of a program moved in a transition of its system, and where in the text that is written.
//!
//! A transition system has labels only. A step of the program is found again by what it did: it has the action of the label, its guards may hold in
//! the state before, and its assignments fit the state behind. Expressions over exchanged values and terms are not evaluated here, and count as
//! fitting, so that of steps that differ in them only the first is named.

use volvelle_kernel::{Const, ExprId, interp};
use volvelle_model::{ActionId, Alternative, ComponentId, Domain, Origin, Participant, Program};
use volvelle_space::Labels;

/// A component that moves, and the text of what it does.
pub type Mover = (ComponentId, Origin);

/// The components that moved from one state to another, in the order of the step; none where no step of the program is known to have done it.
pub fn movers(program: &Program, label: &str, before: &[i64], after: &[i64]) -> Vec<Mover> {
    let gate = label.split_whitespace().next().unwrap_or_default();
    let locals = locals_of(program, before);
    let changed: Vec<usize> = (0..before.len()).filter(|&field| before[field] != after[field]).collect();
    let is_named = |action: ActionId| match action {
        ActionId::SILENT => gate == Labels::INTERNAL_TEXT,
        action => program.actions[action.index()].name == gate,
    };
    let groups = program.groups.iter().filter(|group| is_named(group.action));
    let mut found = groups.filter_map(|group| {
        let mut explained = vec![false; before.len()];
        let mut movers = Vec::with_capacity(group.participants.len());
        for participant in &group.participants {
            let alternative = fitting(program, participant, &locals, after, &changed)?;
            for assignment in alternative.outcomes.iter().flat_map(|outcome| outcome.assignments()) {
                explained[assignment.field.index()] = true;
            }
            movers.push((participant.as_component()?, alternative.origin));
        }
        changed.iter().all(|&field| explained[field]).then_some(movers)
    });
    found.next().unwrap_or_default()
}

/// What each component may do in a state, as far as it can tell alone.
pub fn standing(program: &Program, state: &[i64]) -> Vec<Mover> {
    let locals = locals_of(program, state);
    let participants = program.groups.iter().flat_map(|group| &group.participants);
    let open = participants.flat_map(|participant| {
        let own = participant.as_component().into_iter();
        own.flat_map(|own| participant.alternatives.iter().map(move |alternative| (own, alternative)))
    });
    let open = open.filter(|(_, alternative)| may_hold(program, alternative.guard, &locals));
    open.map(|(component, alternative)| (component, alternative.origin)).collect()
}

/// The alternative that may have led there; of several the one that explains most changes.
fn fitting<'p>(
    program: &'p Program,
    participant: &'p Participant,
    locals: &[Const],
    after: &[i64],
    changed: &[usize],
) -> Option<&'p Alternative> {
    let fits = |alternative: &&Alternative| {
        may_hold(program, alternative.guard, locals)
            && alternative.outcomes.iter().any(|outcome| {
                outcome.assignments().iter().all(|assignment| {
                    let value = interp::eval(&program.exprs, assignment.value, locals).ok();
                    let value = value.and_then(|value| value.as_i64().or(value.as_bool().map(i64::from)));
                    value.is_none_or(|value| value == after[assignment.field.index()])
                })
            })
    };
    let explains = |alternative: &Alternative| {
        let assigned = alternative.outcomes.iter().flat_map(|outcome| outcome.assignments());
        assigned.filter(|assignment| changed.contains(&assignment.field.index())).count()
    };
    let mut best: Option<(usize, &Alternative)> = None;
    for alternative in participant.alternatives.iter().filter(fits) {
        let explained = explains(alternative);
        if best.is_none_or(|(most, _)| explained > most) {
            best = Some((explained, alternative));
        }
    }
    best.map(|(_, alternative)| alternative)
}

/// Whether a guard holds, or cannot be evaluated from the state alone.
fn may_hold(program: &Program, guard: ExprId, locals: &[Const]) -> bool {
    interp::eval(&program.exprs, guard, locals).map_or(true, |value| value.as_bool() != Some(false))
}

fn locals_of(program: &Program, state: &[i64]) -> Vec<Const> {
    let fields = program.fields.iter().zip(state);
    let local = |(field, &value): (&volvelle_model::Field, &i64)| match field.domain {
        Domain::Bool => Const::bool(value != 0),
        _ => Const::i64(value),
    };
    fields.map(local).collect()
}
