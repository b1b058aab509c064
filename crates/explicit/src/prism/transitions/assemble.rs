//! A model from the header and the pieces of a `.tra` file.

use super::Transitions;
use super::header::{Header, Shape};
use super::observations::observations;
use super::piece::{Piece, follows, no_choice, other_action};
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Control, Measure, Model, Numbers, Rows, Time};
use crate::text::{
    Gathered, Names, Script, bit_set, column, concatenate, join_actions, starts, to_intervals,
};
use volvelle_diagnostics::codes;

/// Makes one choice of the two halves of a choice that two pieces share, and checks the order between pieces.
fn stitch(script: Script<'_>, pieces: &mut [Piece<'_>], has_choices: bool) -> Result<(), Finding> {
    let mut holder: Option<usize> = None;
    for i in 0..pieces.len() {
        let Some((source, choice, at)) = pieces[i].first.clone() else { continue };
        let Some(before) = holder.replace(i) else {
            if choice != 0 {
                return Err(no_choice(script, source, 0, choice, at));
            }
            continue;
        };
        let last = pieces[before].last.expect("a piece with a first choice has a last one");
        if last != (source, choice) {
            // A piece that begins with a state has its first choice first.
            follows(script, last, (source, choice), at)?;
            continue;
        }
        let (front, back) = pieces.split_at_mut(i);
        let (holding, piece) = (&mut front[before], &mut back[0]);
        piece.sources.remove(0);
        *holding.branches.last_mut().expect("a choice") += piece.branches.remove(0);
        if has_choices {
            let name = piece.names.list()[piece.actions.remove(0) as usize];
            let known = holding.names.list()[*holding.actions.last().expect("an action") as usize];
            if known != name {
                return Err(other_action(script, known, name, at));
            }
        }
        if piece.sources.is_empty() {
            // All of the piece belongs to a choice that an earlier piece holds.
            holder = Some(before);
        }
    }
    Ok(())
}

pub(super) fn assemble(
    script: Script<'_>,
    header: &Header,
    mut pieces: Vec<Piece<'_>>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Transitions, Finding> {
    let held = pieces.iter().map(Piece::bytes).sum();
    let has_choices = header.shape.has_choices();
    stitch(script, &mut pieces, has_choices)?;
    check_counts(script, header, &pieces)?;
    let mut counts: Vec<u32> = allowance.vec(header.states as usize)?;
    counts.resize(header.states as usize, 0);
    for &source in pieces.iter().flat_map(|piece| &piece.sources) {
        counts[source as usize] += 1;
    }
    warn_of_deadlocks(script, header, &counts, remarks);
    let choices = Rows::from_starts(starts(vec![counts], allowance)?);
    let mut parts = Parts::default();
    for mut piece in pieces {
        if !has_choices && !piece.actions.is_empty() {
            parts.has_actions = true;
        }
        let none = if has_choices { 0 } else { piece.names.number(b"") };
        parts.padding.push((none, piece.targets.len()));
        parts.branches.push(piece.branches);
        parts.targets.push(piece.targets);
        parts.values.push(piece.values);
        parts.observations.push(piece.observations);
        parts.names.push(piece.names);
        parts.actions.push(piece.actions);
    }
    let branches = Rows::from_starts(starts(parts.branches, allowance)?);
    let targets = concatenate(parts.targets, allowance)?;
    let control = if has_choices { Control::Nondeterminism } else { Control::Chance };
    let mut model = Model::new(Time::Discrete, control, choices, branches, targets);
    if header.shape != Shape::Lts {
        let mut values = column(script, parts.values, allowance, remarks)?;
        if header.told.is_some_and(|told| told.intervals) {
            values = to_intervals(values);
        }
        let inferred = if !has_choices && !values.number_type().is_interval() && exceeds_one(&values) {
            Time::Stochastic
        } else {
            Time::Discrete
        };
        model.time = header.told.map_or(inferred, |told| told.time);
        if model.time == Time::Stochastic {
            model.measure = Measure::Rates;
        }
        model.values = Some(values);
    }
    if has_choices {
        model.choice_actions = join_actions(&parts.names, parts.actions, allowance)?;
    } else if parts.has_actions {
        for (actions, &(none, branches)) in parts.actions.iter_mut().zip(&parts.padding) {
            actions.resize(branches, none);
        }
        model.branch_actions = join_actions(&parts.names, parts.actions, allowance)?;
    }
    if let Some(count) = header.observations {
        let of = concatenate(parts.observations, allowance)?;
        model.observations = Some(observations(script, header, &model, count, &of, allowance)?);
    }
    model.initial = bit_set(model.num_states(), allowance)?;
    for &(state, _) in &header.initial {
        model.initial.insert(state as usize);
    }
    allowance.give_back(held);
    Ok(Transitions { model, names_initial: !header.initial.is_empty() })
}

/// What the pieces gave, sorted by what it is.
#[derive(Default)]
struct Parts<'t> {
    branches: Vec<Vec<u32>>,
    targets: Vec<Vec<u32>>,
    values: Vec<Gathered<'t>>,
    observations: Vec<Vec<u32>>,
    names: Vec<Names<'t>>,
    actions: Vec<Vec<u32>>,
    /// Of a chain: whether a branch has an action.
    has_actions: bool,
    /// Of a chain: the number of the empty name, and how many branches there are.
    padding: Vec<(u32, usize)>,
}

fn exceeds_one(values: &Numbers) -> bool {
    match values {
        Numbers::Double(values) => values.iter().any(|&value| value > 1.0),
        Numbers::Exact(values) => values.distinct().iter().any(|value| *value > dashu_ratio::RBig::ONE),
        _ => false,
    }
}

fn check_counts(script: Script<'_>, header: &Header, pieces: &[Piece<'_>]) -> Result<(), Finding> {
    let choices: u64 = pieces.iter().map(|piece| piece.branches.len() as u64).sum();
    let transitions: u64 = pieces.iter().map(|piece| piece.targets.len() as u64).sum();
    let (says, at) = &header.transitions;
    let (what, there, says, at) = match &header.choices {
        _ if *says != transitions => ("transitions", transitions, says, at),
        Some((says, at)) if *says != choices => ("choices", choices, says, at),
        _ => return Ok(()),
    };
    let message = format!("the header declares {says} {what}, but the file has {there}");
    Err(script.refuse(codes::EXPLICIT_COUNT, at.clone(), message))
}

fn warn_of_deadlocks(script: Script<'_>, header: &Header, counts: &[u32], remarks: &mut Vec<Finding>) {
    let mut without = (0u32..).zip(counts).filter(|&(_, &count)| count == 0).map(|(state, _)| state);
    let Some(first) = without.next() else { return };
    let message = match without.count() {
        0 => format!("state {first} has no transition: it is a deadlock"),
        more => {
            format!("{} states have no transition, for example state {first}: they are deadlocks", more + 1)
        }
    };
    let at = header.transitions.1.clone();
    remarks.push(script.warn(at, message));
}
