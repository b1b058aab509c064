//! A model from the transitions of a file.

use super::edges::{self, Header, Piece};
use super::label::{internal, unescape};
use super::stochastic;
use super::system::{Edges, by_source};
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::input::Input;
use crate::model::{Actions, Control, Model, Numbers, Rows, Time};
use crate::options::{Dialect, Precision, ReadOptions};
use crate::text::{
    Arithmetic, Halt, Script, concatenate, cut, each, exact_if_needed, join, join_names, starts,
};
use std::collections::HashMap;
use volvelle_diagnostics::codes;
use volvelle_labels::{Meaning, meaning};
use volvelle_space::Ratios;

/// Reads a model; with it come findings that do not refuse the file.
pub(crate) fn read(
    input: Input<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    let script = Script::in_pieces(input.name, input.bytes)?;
    let header = edges::header(script, true)?;
    script.check(0..header.body)?;
    let arithmetic = match options.numbers {
        Precision::AsWritten => Arithmetic::DoubleUntilFraction,
        Precision::Double => Arithmetic::Double,
        Precision::Exact => Arithmetic::Exact,
    };
    let dialect = match options.dialect {
        Dialect::Automatic if header.is_padded => Dialect::Ltsmin,
        dialect => dialect,
    };
    let read = |arithmetic| read_body(script, &header, dialect, arithmetic, allowance);
    Ok((exact_if_needed(arithmetic, read)?, Vec::new()))
}

fn read_body(
    script: Script<'_>,
    header: &Header,
    dialect: Dialect,
    arithmetic: Arithmetic,
    allowance: &Allowance<'_>,
) -> Result<Model, Halt> {
    let ranges = cut(script.bytes, header.body..script.bytes.len(), |_| true);
    let escapes = dialect == Dialect::Ltsmin;
    let read = |range: std::ops::Range<usize>| {
        script.check(range.clone())?;
        edges::read(script, header.states, arithmetic, escapes, range)
    };
    let pieces = each(&ranges, allowance, Piece::bytes, read)?;
    let there: u64 = pieces.iter().map(|piece| piece.sources.len() as u64).sum();
    if there != header.transitions {
        let message =
            format!("the header declares {} transitions, but the file has {there}", header.transitions);
        let at = header.transitions_at.clone();
        return Err(script.refuse(codes::EXPLICIT_COUNT, at, message).into());
    }
    let edges = join_pieces(header, dialect, pieces, allowance)?;
    let is_stochastic = matches!(dialect, Dialect::Automatic | Dialect::Cadp)
        && edges.values.is_none()
        && edges.names.iter().any(|name| !matches!(meaning(name), Meaning::Action(_)));
    if is_stochastic {
        return stochastic::model(script, edges, arithmetic, allowance);
    }
    Ok(plain(edges, allowance)?)
}

fn join_pieces(
    header: &Header,
    dialect: Dialect,
    mut pieces: Vec<Piece<'_>>,
    allowance: &Allowance<'_>,
) -> Result<Edges, Finding> {
    let held = pieces.iter().map(Piece::bytes).sum();
    let has_plain_i = pieces.iter().any(|piece| piece.has_plain_i);
    let is_probabilistic = pieces.iter().any(|piece| !piece.counts.is_empty());
    let (mut sources, mut labels, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut counts, mut targets, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for piece in &mut pieces {
        if is_probabilistic && piece.counts.is_empty() {
            piece.counts.resize(piece.sources.len(), 1);
            piece.targets.iter().for_each(|_| piece.values.push_one());
        }
    }
    for piece in pieces {
        sources.push(piece.sources);
        labels.push(piece.labels);
        numbers.push(piece.names);
        counts.push(piece.counts);
        targets.push(piece.targets);
        values.push(piece.values);
    }
    let (mut names, places) = join_names(&numbers);
    let mut all: Vec<u32> = allowance.vec(labels.iter().map(Vec::len).sum())?;
    for (labels, places) in labels.iter().zip(&places) {
        all.extend(labels.iter().map(|&label| places[label as usize]));
    }
    if dialect == Dialect::Ltsmin {
        names.iter_mut().for_each(|name| *name = unescape(name));
    }
    let internal = internal(dialect, &names, has_plain_i);
    names.iter_mut().filter(|name| *name == internal).for_each(String::clear);
    let targets = concatenate(targets, allowance)?;
    let edges = Edges {
        states: header.states as usize,
        initial: header.initial,
        sources: concatenate(sources, allowance)?,
        labels: merge_equal(&mut names, all),
        names,
        internal,
        branches: match is_probabilistic {
            true => Rows::from_starts(starts(counts, allowance)?),
            false => Rows::OneEach(targets.len() as u32),
        },
        targets,
        values: if is_probabilistic { Some(join(values, allowance)?) } else { None },
    };
    allowance.give_back(held);
    Ok(edges)
}

/// Gives equal names one number: escapes and names of the internal action can make names equal.
fn merge_equal(names: &mut Vec<String>, mut labels: Vec<u32>) -> Vec<u32> {
    let mut distinct: Vec<String> = Vec::new();
    let mut places: HashMap<String, u32> = HashMap::new();
    let numbers: Vec<u32> = (names.drain(..))
        .map(|name| {
            *places.entry(name).or_insert_with_key(|name| {
                distinct.push(name.clone());
                (distinct.len() - 1) as u32
            })
        })
        .collect();
    *names = distinct;
    labels.iter_mut().for_each(|label| *label = numbers[*label as usize]);
    labels
}

/// A model in which every transition is a choice.
fn plain(edges: Edges, allowance: &Allowance<'_>) -> Result<Model, Finding> {
    let (first, order) = by_source(&edges.sources, edges.states, allowance)?;
    let edges = match order {
        Some(order) => sorted(edges, &order, allowance)?,
        None => edges,
    };
    let choices = Rows::from_starts(first);
    // Without nondeterminism, distributions make a Markov chain.
    let is_chain = edges.values.is_some() && (0..edges.states).all(|state| choices.range(state).len() <= 1);
    let control = if is_chain { Control::Chance } else { Control::Nondeterminism };
    let mut model = Model::new(Time::Discrete, control, choices, edges.branches, edges.targets);
    model.values = edges.values;
    model.initial.insert(edges.initial as usize);
    if edges.names.iter().any(|name| !name.is_empty()) {
        model.choice_actions = Some(Actions { names: edges.names, of: edges.labels });
    }
    Ok(model)
}

/// The transitions in another order.
fn sorted(edges: Edges, order: &[u32], allowance: &Allowance<'_>) -> Result<Edges, Finding> {
    let mut labels: Vec<u32> = allowance.vec(order.len())?;
    labels.extend(order.iter().map(|&edge| edges.labels[edge as usize]));
    let mut targets: Vec<u32> = allowance.vec(edges.targets.len())?;
    let mut places: Vec<u32> = allowance.vec(edges.targets.len())?;
    let mut counts: Vec<u32> = allowance.vec(order.len())?;
    for &edge in order {
        let range = edges.branches.range(edge as usize);
        counts.push(range.len() as u32);
        for branch in range {
            targets.push(edges.targets[branch]);
            places.push(branch as u32);
        }
    }
    let values = edges.values.map(|values| match values {
        Numbers::Double(values) => Numbers::Double(places.iter().map(|&at| values[at as usize]).collect()),
        Numbers::Exact(values) => {
            let codes = places.iter().map(|&at| values.codes()[at as usize]).collect();
            Numbers::Exact(Ratios::new(values.distinct().to_vec(), codes))
        }
        other => other,
    });
    Ok(Edges {
        labels,
        targets,
        values,
        branches: Rows::from_starts(starts(vec![counts], allowance)?),
        ..edges
    })
}
