//! Multiplying out a synchronisation with loops.
//!
//! Once every participant is known to be able to move, each lists its *parts*: for each enabled outcome, the
//! weight, and the bits of the fields that the participant may write (new values, or old ones where this
//! outcome keeps them). Participants write disjoint fields. So a successor is the state without those bits,
//! or-ed with one part of each participant. Nested loops run over the combinations: alternatives first (each
//! combination is a choice), then outcomes.

use super::builder::Builder;
use super::state::Write;
use crate::ids::{ActionId, FieldId};
use crate::program::Program;
use crate::steps::{Participant, Weight};
use volvelle_kernel::{BinaryOp, Block, Buffer, ExprId, Local, Node, Stmt, Type};

/// The lists of one varying participant.
struct Lists {
    weights: Buffer,
    /// The words that it may write, each with the mask of its fields and the list of bits.
    words: Vec<(usize, u64, Buffer)>,
    /// Number of parts at the end of each enabled alternative. `None` if there is only one alternative, or if
    /// alternatives need not be distinguished.
    alternative_ends: Option<Buffer>,
    /// Loop counters and the range of parts.
    alternative: Local,
    part: Local,
    begin: Local,
    end: Local,
}

/// The body of a group inside the guards of its fixed participants.
pub(super) fn group(
    b: &mut Builder<'_>,
    number: usize,
    action: ActionId,
    fixed: &[&Participant],
    varying: &[&Participant],
) -> Block {
    // Successors are emitted choice by choice. If every alternative has one outcome, this is the order of the
    // plain product anyway.
    let outcomes = varying.iter().flat_map(|p| &p.alternatives).map(|a| a.outcomes.len());
    let branching = b.options.choices || outcomes.max().unwrap_or(0) > 1;
    let lists: Vec<Lists> =
        varying.iter().enumerate().map(|(i, p)| declare(b, number, i, p, branching)).collect();
    let mut block = choices(b, number, action, fixed, varying, &lists);
    let mut collected: Block = fixed.iter().filter_map(|p| b.sum_check(&p.alternatives[0])).collect();
    for (participant, lists) in varying.iter().zip(&lists) {
        collected.extend(collect(b, participant, lists));
    }
    collected.append(&mut block);
    let mut cond = b.state.exprs().bool(true);
    for participant in fixed.iter().chain(varying) {
        let ready = can_move(b, participant);
        cond = b.state.exprs().and(cond, ready);
    }
    b.when(cond, collected)
}

/// Whether a participant has an enabled alternative with an outcome that happens. A bad weight counts as one,
/// so that it is reported.
fn can_move(b: &mut Builder<'_>, participant: &Participant) -> ExprId {
    let mut ready = b.state.exprs().bool(false);
    for alternative in &participant.alternatives {
        let mut happens = b.state.exprs().bool(false);
        for outcome in &alternative.outcomes {
            let nonzero = happens_at_all(b, &outcome.weight);
            let e = b.state.exprs();
            happens = if e.as_const(nonzero).is_some() { nonzero } else { e.or(happens, nonzero) };
            if e.as_const(happens).is_some() {
                break;
            }
        }
        let e = b.state.exprs();
        let enabled = e.and(alternative.guard, happens);
        ready = e.or(ready, enabled);
    }
    ready
}

/// Whether a weight differs from zero. With parameters also whether it does in the base, so that a weight
/// that has become zero is examined.
fn happens_at_all(b: &mut Builder<'_>, weight: &Weight) -> ExprId {
    let expr = match *weight {
        Weight::Expr { expr, .. } if !b.is_positive_parameter(expr) => expr,
        _ => return b.state.exprs().bool(true),
    };
    let base = b.base_of(expr);
    let e = b.state.exprs();
    let zero = e.f64(0.0);
    let nonzero = e.binary(BinaryOp::Ne, expr, zero);
    let Some(base) = base else { return nonzero };
    let was_nonzero = e.binary(BinaryOp::Ne, base, zero);
    e.or(nonzero, was_nonzero)
}

fn declare(b: &mut Builder<'_>, group: usize, i: usize, participant: &Participant, branching: bool) -> Lists {
    let parts: usize = participant.alternatives.iter().map(|a| a.outcomes.len()).sum();
    let weights = b.scratch(format!("g{group}_p{i}_weights"), Type::F64, parts);
    let written = Program::writes(participant);
    let mut words = Vec::new();
    for k in 0..b.emitted_words() {
        let mask = mask_of(b, k, &written);
        if mask != 0 {
            words.push((k, mask, b.scratch(format!("g{group}_p{i}_word{k}"), Type::U64, parts)));
        }
    }
    let tell_apart = branching && participant.alternatives.len() > 1;
    let alternative_ends = tell_apart
        .then(|| b.scratch(format!("g{group}_p{i}_ends"), Type::U32, participant.alternatives.len()));
    let k = &mut b.state.kernel;
    Lists {
        weights,
        words,
        alternative_ends,
        alternative: k.local(format!("g{group}_p{i}_alternative"), Type::U64),
        part: k.local(format!("g{group}_p{i}_part"), Type::U64),
        begin: k.local(format!("g{group}_p{i}_begin"), Type::U64),
        end: k.local(format!("g{group}_p{i}_end"), Type::U64),
    }
}

fn mask_of(b: &Builder<'_>, word: usize, fields: &[FieldId]) -> u64 {
    let slots = fields.iter().map(|&f| b.state.layout.slot(f));
    slots.filter(|s| s.word as usize == word).fold(0, |mask, s| mask | s.mask())
}

/// Lists the parts of a participant that are enabled in the current state.
fn collect(b: &mut Builder<'_>, participant: &Participant, lists: &Lists) -> Block {
    let zero = b.state.exprs().u64(0);
    let mut block = vec![Stmt::Truncate { buffer: lists.weights, len: zero }];
    block.extend(lists.words.iter().map(|&(_, _, buffer)| Stmt::Truncate { buffer, len: zero }));
    block.extend(lists.alternative_ends.map(|buffer| Stmt::Truncate { buffer, len: zero }));
    for alternative in &participant.alternatives {
        let mut parts: Block = b.sum_check(alternative).into_iter().collect();
        for outcome in &alternative.outcomes {
            let writes = b.writes(alternative, outcome);
            let one = b.state.exprs().f64(1.0);
            parts.extend(b.weighted(0, one, &outcome.weight, |b, weight| part(b, lists, weight, &writes)));
        }
        if let Some(buffer) = lists.alternative_ends {
            let e = b.state.exprs();
            let len = e.add(Node::Len(lists.weights));
            let value = e.convert(Type::U32, len);
            parts.push(Stmt::Emit { buffer, value });
        }
        block.extend(b.when_enabled(std::iter::once(alternative), parts));
    }
    block
}

fn part(b: &mut Builder<'_>, lists: &Lists, weight: ExprId, writes: &[Write]) -> Block {
    let mut block = b.zero_width(writes);
    block.push(Stmt::Emit { buffer: lists.weights, value: weight });
    for &(k, mask, buffer) in &lists.words {
        let zero = b.state.exprs().u64(0);
        let value = b.state.written_word(k, writes, mask).unwrap_or(zero);
        block.push(Stmt::Emit { buffer, value });
    }
    block
}

/// The loops over alternatives, with the loops over outcomes inside.
fn choices(
    b: &mut Builder<'_>,
    number: usize,
    action: ActionId,
    fixed: &[&Participant],
    varying: &[&Participant],
    lists: &[Lists],
) -> Block {
    let mut block = outcomes(b, fixed, varying, lists);
    block.extend(b.choice_end(number, action, &[]));
    for list in lists.iter().rev() {
        let e = b.state.exprs();
        let (zero, one) = (e.u64(0), e.u64(1));
        let Some(ends) = list.alternative_ends else {
            // All parts belong to one choice.
            let len = e.add(Node::Len(list.weights));
            let mut outer =
                vec![Stmt::Set { local: list.begin, value: zero }, Stmt::Set { local: list.end, value: len }];
            outer.append(&mut block);
            block = outer;
            continue;
        };
        let to = e.add(Node::Len(ends));
        let at = b.state.kernel.get(list.alternative);
        let e = b.state.exprs();
        let end = e.load(ends, Type::U32, at);
        let end = e.convert(Type::U64, end);
        let before = e.binary(BinaryOp::Sub, at, one);
        let begin = e.load(ends, Type::U32, before);
        let begin = e.convert(Type::U64, begin);
        let first = e.binary(BinaryOp::Eq, at, zero);
        let begin = e.select(first, zero, begin);
        let mut body =
            vec![Stmt::Set { local: list.begin, value: begin }, Stmt::Set { local: list.end, value: end }];
        body.append(&mut block);
        block = vec![Stmt::For { local: list.alternative, from: zero, to, body }];
    }
    block
}

/// The loops over outcomes. Weight and words accumulate from level to level in locals.
fn outcomes(b: &mut Builder<'_>, fixed: &[&Participant], varying: &[&Participant], lists: &[Lists]) -> Block {
    let levels = varying.len();
    let words = b.emitted_words();
    // Level 0 is the state itself with the fixed participants' effects and without the bits that
    // varying participants write; level i adds the part of varying participant i − 1.
    let acc: Vec<Vec<Local>> =
        (0..=levels).map(|level| (0..words).map(|k| b.accumulator(level, k)).collect()).collect();
    let weight: Vec<Local> = (0..=levels).map(|level| b.weight_local(fixed.len() + level + 1)).collect();

    let mut block = Vec::new();
    for (k, _) in acc[levels].iter().enumerate() {
        let value = get(b, latest(lists, &acc, levels, k));
        block.push(Stmt::Emit { buffer: b.successors, value });
    }
    let value = get(b, weight[levels]);
    block.push(Stmt::Emit { buffer: b.weights, value });

    for level in (1..=levels).rev() {
        let list = &lists[level - 1];
        let part = b.state.kernel.get(list.part);
        let mut body = Vec::new();
        let factor = b.state.exprs().load(list.weights, Type::F64, part);
        let before = get(b, weight[level - 1]);
        let value = b.state.exprs().binary(BinaryOp::Mul, before, factor);
        let value = b.positive(value);
        body.push(Stmt::Set { local: weight[level], value });
        for &(k, _, buffer) in &list.words {
            let bits = b.state.exprs().load(buffer, Type::U64, part);
            let before = get(b, latest(lists, &acc, level - 1, k));
            let value = b.state.exprs().binary(BinaryOp::BitOr, before, bits);
            body.push(Stmt::Set { local: acc[level][k], value });
        }
        body.append(&mut block);
        let from = b.state.kernel.get(list.begin);
        let to = b.state.kernel.get(list.end);
        block = vec![Stmt::For { local: list.part, from, to, body }];
    }

    let writes: Vec<Write> =
        fixed.iter().flat_map(|p| b.writes(&p.alternatives[0], &p.alternatives[0].outcomes[0])).collect();
    let mut base = b.zero_width(&writes);
    for (k, &local) in acc[0].iter().enumerate() {
        let cleared = lists
            .iter()
            .flat_map(|list| &list.words)
            .filter(|&&(word, _, _)| word == k)
            .fold(0u64, |mask, &(_, bits, _)| mask | bits);
        let next = b.state.next_word(k, &writes);
        let e = b.state.exprs();
        let kept = e.u64(!cleared);
        let value = if cleared == 0 { next } else { e.binary(BinaryOp::BitAnd, next, kept) };
        base.push(Stmt::Set { local, value });
    }
    let one = b.state.exprs().f64(1.0);
    base.extend(fixed_weights(b, fixed, one, weight[0], block));
    base
}

/// Multiplies the weights of the fixed participants into `target`, then runs `inner`, unless one is zero.
fn fixed_weights(
    b: &mut Builder<'_>,
    fixed: &[&Participant],
    one: ExprId,
    target: Local,
    inner: Block,
) -> Block {
    let mut block = inner;
    for participant in fixed.iter().rev() {
        let outcome = &participant.alternatives[0].outcomes[0];
        let so_far = b.state.kernel.get(target);
        let tail = std::mem::take(&mut block);
        block = b.weighted(0, so_far, &outcome.weight, |_, product| {
            let mut with = vec![Stmt::Set { local: target, value: product }];
            with.extend(tail);
            with
        });
    }
    let mut all = vec![Stmt::Set { local: target, value: one }];
    all.append(&mut block);
    all
}

fn get(b: &mut Builder<'_>, local: Local) -> ExprId {
    b.state.kernel.get(local)
}

/// The local that holds word `k` after `level` parts: levels that do not write the word have none.
fn latest(lists: &[Lists], acc: &[Vec<Local>], level: usize, k: usize) -> Local {
    let writer = (1..=level).rev().find(|&l| lists[l - 1].words.iter().any(|&(word, _, _)| word == k));
    acc[writer.unwrap_or(0)][k]
}
