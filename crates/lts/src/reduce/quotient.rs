//! The quotient of a system by a partition of its states.

use super::blocks::Blocks;
use super::parallel;
use super::rows::{Part, Rows, concatenated, rows};
use volvelle_space::{Edge, Labels, Lts};

/// Which transitions of its states a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abstraction {
    /// Those of any one state: all have the same.
    Strong,
    /// Those of all states together, but internal ones within the class.
    Branching,
}

/// Blocks as classes, in the order of their least states, which does not depend on how blocks are numbered.
pub(super) struct ClassOrder {
    /// The class of each block; `u32::MAX` for blocks that stand for no state.
    pub class_of: Vec<u32>,
    /// The least state of each class.
    pub least: Vec<u32>,
}

impl ClassOrder {
    /// The order of some blocks, those of all states in order.
    pub fn new(blocks: usize, block_of: impl Iterator<Item = u32>) -> Self {
        let mut order = ClassOrder { class_of: vec![u32::MAX; blocks], least: Vec::new() };
        for (state, block) in (0u32..).zip(block_of) {
            let class = &mut order.class_of[block as usize];
            if *class == u32::MAX {
                *class = order.least.len() as u32;
                order.least.push(state);
            }
        }
        order
    }
}

/// Further transitions of a block: label and target block.
pub(super) type Extra<'a> = dyn FnMut(u32, &mut Vec<Edge>) + 'a;

/// A quotient: the initial state is 0, and states are numbered in the order of a breadth-first walk from there.
pub(super) struct Quotient {
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// The number of each class; `u32::MAX` for those that cannot be reached.
    number: Vec<u32>,
    /// The class of each block.
    class_of: Vec<u32>,
}

impl Quotient {
    /// The number of a block; `u32::MAX` for those that cannot be reached.
    pub fn number(&self, block: u32) -> u32 {
        self.number[self.class_of[block as usize] as usize]
    }

    /// The system, with the labels that its transitions have.
    pub fn into_lts(self, labels: Labels) -> Lts {
        Lts::new(0, labels, self.starts, self.edges)
    }
}

/// The quotient by blocks. Labels that `skip` accepts are left out; `extra` gives further transitions.
pub(super) fn quotient(
    lts: &Lts,
    blocks: &Blocks,
    abstraction: Abstraction,
    order: ClassOrder,
    skip: impl Fn(u32) -> bool + Sync,
    extra: Option<&mut Extra<'_>>,
    threads: usize,
) -> Quotient {
    let states = lts.num_states();
    let mut class_of_state = vec![0u32; states];
    parallel::parts_mut(threads, &mut class_of_state, |start, part| {
        for (state, class) in (start as u32..).zip(part) {
            *class = order.class_of[blocks.of(state) as usize];
        }
    });
    let class = |state: u32| class_of_state[state as usize];
    let push = |own: u32, state: u32, edges: &mut Vec<Edge>| {
        for edge in lts.outgoing(state).iter().filter(|edge| !skip(edge.label)) {
            let target = class(edge.target);
            let is_inert = abstraction == Abstraction::Branching && edge.is_internal() && target == own;
            if !is_inert {
                edges.push(Edge { label: edge.label, target });
            }
        }
    };
    let all = match abstraction {
        Abstraction::Strong => {
            let starts: Vec<u32> = (0..=blocks.len() as u32).collect();
            // Any state will do: the first of those that stand together.
            let mut first = vec![0u32; blocks.len()];
            for block in 0..blocks.len() as u32 {
                let member = blocks.members(block).next().expect("blocks have states");
                first[order.class_of[block as usize] as usize] = member;
            }
            rows(&starts, |k| first[k], threads, |_| false, push)
        }
        Abstraction::Branching => {
            let (starts, sorted) = by_class(&class_of_state, blocks, &order);
            rows(&starts, |k| sorted[k], threads, |_| false, push)
        }
    };
    let initial = class(lts.initial);
    drop(class_of_state);
    let (number, walk, extras) = walk(&all, initial, blocks, &order, extra);
    let (starts, edges) = numbered(&all, &number, &walk, extras.as_ref(), threads);
    Quotient { starts, edges, number, class_of: order.class_of }
}

/// The states of each class in order, and where those of each class begin.
fn by_class(class_of_state: &[u32], blocks: &Blocks, order: &ClassOrder) -> (Vec<u32>, Vec<u32>) {
    let classes = order.least.len();
    let mut starts = vec![0u32; classes + 1];
    for block in 0..blocks.len() as u32 {
        starts[order.class_of[block as usize] as usize + 1] = blocks.size(block);
    }
    for class in 0..classes {
        starts[class + 1] += starts[class];
    }
    let mut sorted = vec![0u32; class_of_state.len()];
    // Offsets serve as places to write, and are moved back by one class afterwards.
    for (state, &class) in (0u32..).zip(class_of_state) {
        let place = &mut starts[class as usize];
        sorted[*place as usize] = state;
        *place += 1;
    }
    starts.copy_within(0..classes, 1);
    starts[0] = 0;
    (starts, sorted)
}

/// Numbers classes in the order of a breadth-first walk. Gives the numbers, the classes in their order, and the rows of these classes if
/// they have further transitions.
fn walk(
    rows: &Rows,
    initial: u32,
    blocks: &Blocks,
    order: &ClassOrder,
    extra: Option<&mut Extra<'_>>,
) -> (Vec<u32>, Vec<u32>, Option<Rows>) {
    let classes = order.least.len();
    let mut number = vec![u32::MAX; classes];
    number[initial as usize] = 0;
    let mut walk = vec![initial];
    let mut visit = |edge: &Edge, walk: &mut Vec<u32>| {
        let number = &mut number[edge.target as usize];
        if *number == u32::MAX {
            *number = walk.len() as u32;
            walk.push(edge.target);
        }
    };
    let mut next = 0;
    let Some(extra) = extra else {
        while let Some(&class) = walk.get(next) {
            next += 1;
            rows.of(class).iter().for_each(|edge| visit(edge, &mut walk));
        }
        return (number, walk, None);
    };
    let mut block_of = vec![0u32; classes];
    for block in 0..blocks.len() as u32 {
        block_of[order.class_of[block as usize] as usize] = block;
    }
    let (mut extras, mut own) = (Part::default(), Vec::new());
    while let Some(&class) = walk.get(next) {
        next += 1;
        own.clear();
        extra(block_of[class as usize], &mut own);
        own.iter_mut().for_each(|edge| edge.target = order.class_of[edge.target as usize]);
        own.extend_from_slice(rows.of(class));
        own.sort_unstable();
        own.iter().for_each(|edge| visit(edge, &mut walk));
        extras.push(&own);
    }
    (number, walk, Some(extras.into()))
}

/// The rows of the classes of a walk, in its order, with the numbers of classes.
fn numbered(
    rows: &Rows,
    number: &[u32],
    walk: &[u32],
    extras: Option<&Rows>,
    threads: usize,
) -> (Vec<u32>, Vec<Edge>) {
    concatenated(parallel::ranges(threads, walk.len(), |range| {
        let (mut ends, mut edges) = (Vec::with_capacity(range.len()), Vec::new());
        for (place, &class) in (range.start as u32..).zip(&walk[range]) {
            let start = edges.len();
            let own = extras.map_or_else(|| rows.of(class), |extras| extras.of(place));
            edges.extend(own.iter().map(|edge| Edge { target: number[edge.target as usize], ..*edge }));
            super::strong::sort(&mut edges[start..]);
            ends.push(edges.len() as u32);
        }
        (ends, edges)
    }))
}
