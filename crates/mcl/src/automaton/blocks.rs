//! Blocks of an automaton, and how each of them is solved.
//!
//! A block is a union of strongly connected components between which plays go one way only. Within most blocks one player has all
//! the choices, and the value of a pair is a question about paths:
//!
//! | choices | endless plays in the block | a pair has the value of the chooser iff it reaches |
//! |---|---|---|
//! | *or* | lost (least) | an exit with that value |
//! | *and* | won (greatest) | an exit with that value |
//! | *or* | won (greatest) | such an exit, or a circle |
//! | *and* | lost (least) | such an exit, or a circle |
//!
//! These are the disjunctive and conjunctive blocks of Mateescu (*CAESAR_SOLVE*, STTT 8, 2006, doi:10.1007/s10009-005-0194-9). Where
//! both players choose, values are propagated backwards; where priorities of both parities meet, the block is a parity game.

use super::{Automaton, Block, Draft, Kind, Move, Step, Vertex};

/// Cuts an automaton into blocks.
pub(super) fn cut(drafts: &[Draft], root: u32) -> Automaton {
    let component = components(drafts);
    let count = component.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (vertex, &of) in component.iter().enumerate() {
        members[of as usize].push(vertex as u32);
    }
    // Components come after those that they lead to. Those of one kind and level are one block: blocks lead to lower levels only.
    let mut place: Vec<(u32, Kind, bool)> = Vec::with_capacity(count);
    for (of, vertices) in members.iter().enumerate() {
        let (kind, goal) = classify(drafts, vertices, |vertex| component[vertex as usize] as usize == of);
        // A vertex of the other player passes on along its only inner move: its exits must stay exits.
        let is_mixed = vertices.iter().any(|&v| drafts[v as usize].is_or != goal)
            && matches!(kind, Kind::Reach | Kind::Circle);
        let mut level = 0;
        for m in vertices.iter().flat_map(|&v| &drafts[v as usize].moves) {
            let behind = component[m.target as usize] as usize;
            if behind != of {
                let (lower, of_kind, of_goal) = place[behind];
                level = level.max(lower + u32::from(is_mixed || (of_kind, of_goal) != (kind, goal)));
            }
        }
        place.push((level, kind, goal));
    }
    let mut keys = place.clone();
    keys.sort_unstable();
    keys.dedup();
    let mut blocks: Vec<Block> = keys.iter().map(|&(_, kind, goal)| Block { kind, goal, width: 0 }).collect();
    let block_of = |vertex: u32| {
        let key = &place[component[vertex as usize] as usize];
        keys.binary_search(key).expect("every key is listed") as u32
    };
    let constant: Vec<Option<bool>> =
        drafts.iter().map(|draft| draft.moves.is_empty().then_some(!draft.is_or)).collect();
    let mut moves: Vec<Move> = Vec::new();
    let mut vertices: Vec<Vertex> = Vec::with_capacity(drafts.len());
    for (number, draft) in drafts.iter().enumerate() {
        let block = block_of(number as u32);
        let leaves = |m: &&Move| block_of(m.target) != block || constant[m.target as usize].is_some();
        let first = moves.len() as u32;
        moves.extend(draft.moves.iter().filter(leaves));
        let inner = moves.len() as u32;
        moves.extend(draft.moves.iter().filter(|m| !leaves(m)));
        let width = &mut blocks[block as usize].width;
        vertices.push(Vertex {
            is_or: draft.is_or,
            priority: draft.priority,
            constant: constant[number],
            is_leaf: draft.moves.iter().all(|m| constant[m.target as usize].is_some()),
            block,
            local: *width,
            first,
            inner,
            end: moves.len() as u32,
        });
        *width += 1;
    }
    Automaton { vertices, moves, blocks, root }
}

/// How a component is solved, and the value that the player with the choices wants.
fn classify(drafts: &[Draft], vertices: &[u32], is_inside: impl Fn(u32) -> bool) -> (Kind, bool) {
    let inner = |draft: &Draft| -> Vec<Move> {
        draft.moves.iter().copied().filter(|m| is_inside(m.target)).collect()
    };
    let (mut has_least, mut has_greatest, mut or_chooses, mut and_chooses) = (false, false, false, false);
    let mut has_circle = false;
    for &vertex in vertices {
        let draft = &drafts[vertex as usize];
        has_least |= draft.priority % 2 == 1;
        has_greatest |= draft.priority != 0 && draft.priority.is_multiple_of(2);
        let inner = inner(draft);
        has_circle |= !inner.is_empty();
        // Who has a single way on within the block, without a step, only passes on: a choice remains between it and exits, which
        // are looked at first.
        let passes_on = matches!(inner[..], [] | [Move { step: Step::STAY, .. }]);
        or_chooses |= draft.is_or && !passes_on;
        and_chooses |= !draft.is_or && !passes_on;
    }
    if !has_circle {
        return (Kind::Reach, drafts[vertices[0] as usize].is_or);
    }
    match (has_least, has_greatest) {
        (true, true) => (Kind::Game, true),
        _ if or_chooses && and_chooses => (Kind::Mixed, has_least),
        (true, _) if or_chooses => (Kind::Reach, true),
        (true, _) => (Kind::Circle, false),
        _ if and_chooses => (Kind::Reach, false),
        _ => (Kind::Circle, true),
    }
}

/// The strongly connected component of each vertex; components are numbered after those that they lead to (Tarjan 1972).
fn components(drafts: &[Draft]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut component = vec![UNSEEN; drafts.len()];
    let mut order = vec![UNSEEN; drafts.len()];
    let mut low = vec![0u32; drafts.len()];
    let (mut seen, mut found) = (0u32, 0u32);
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..drafts.len() as u32 {
        if order[start as usize] != UNSEEN {
            continue;
        }
        path.push((start, 0));
        while let Some((vertex, at)) = path.last_mut() {
            let v = *vertex as usize;
            if *at == 0 {
                order[v] = seen;
                low[v] = seen;
                seen += 1;
                open.push(*vertex);
            }
            if let Some(m) = drafts[v].moves.get(*at) {
                *at += 1;
                let target = m.target as usize;
                if order[target] == UNSEEN {
                    path.push((m.target, 0));
                } else if component[target] == UNSEEN {
                    low[v] = low[v].min(order[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                low[above as usize] = low[above as usize].min(low[v]);
            }
            if low[v] == order[v] {
                while let Some(member) = open.pop() {
                    component[member as usize] = found;
                    if member as usize == v {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
