//! Where paths that part at a branch meet again, according to the executed control flow.

use crate::hash::ByNumber;
use std::collections::HashSet;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Stream};

/// Instructions read at once.
const BATCH: usize = 1 << 14;

/// For each branch that went both ways, the nearest instruction on all paths from it, within its function.
///
/// Only executed paths count: a call leads to the instruction after it, a return to the end. Branches that
/// always went the same way are missing, and so are those whose paths meet only at the end of the function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joins {
    by_branch: ByNumber<u64>,
}

impl Joins {
    /// Goes through a stream to its end.
    ///
    /// # Errors
    /// The stream is faulty, or a limit is reached.
    pub fn find(stream: &mut dyn Stream, control: &Control<'_>) -> Result<Self, Failure> {
        let mut batch = Batch::default();
        let mut ways: Vec<Ways> = Vec::new();
        // The transfer whose successor is not known yet.
        let mut last = None;
        while stream.next(&mut batch, BATCH, control)? {
            let all = stream.listing().as_slice();
            ways.resize_with(all.len(), Ways::default);
            for step in &batch.steps {
                let number = step.instruction() as usize;
                ways[number].is_executed = true;
                if let Some(last) = last.take() {
                    let ways: &mut Ways = &mut ways[last];
                    ways.add(all[number].pc);
                }
                if all[number].class.transfers_control() {
                    last = Some(number);
                }
            }
        }
        Ok(Joins::of(stream.listing().as_slice(), &ways))
    }

    /// The instruction at which the paths from a branch meet.
    pub fn of_branch(&self, pc: u64) -> Option<u64> {
        self.by_branch.get(&pc).copied()
    }

    fn of(all: &[Instruction], ways: &[Ways]) -> Self {
        let graph = Graph::new(all, ways);
        let nearest = graph.postdominators();
        let mut joins = Joins::default();
        for (instruction, ways) in all.iter().zip(ways) {
            if instruction.class != Class::Branch || ways.all.len() < 2 {
                continue;
            }
            if let Some(&node) = graph.of_transfer.get(&instruction.pc)
                && let Some(&join) = graph.starts.get(nearest[node])
            {
                joins.by_branch.insert(instruction.pc, join);
            }
        }
        joins
    }
}

/// The successors of a transfer.
#[derive(Clone, Debug, Default)]
struct Ways {
    /// Streams may list instructions that they never execute.
    is_executed: bool,
    last: Option<u64>,
    all: HashSet<u64>,
}

impl Ways {
    #[inline]
    fn add(&mut self, pc: u64) {
        if self.last != Some(pc) {
            self.last = Some(pc);
            self.all.insert(pc);
        }
    }
}

/// Straight pieces of code and their successors; the last piece stands for the end of all functions.
struct Graph {
    /// First instructions of pieces, in the order of addresses.
    starts: Vec<u64>,
    successors: Vec<Vec<usize>>,
    /// The piece that a transfer ends.
    of_transfer: ByNumber<usize>,
}

impl Graph {
    fn new(all: &[Instruction], ways: &[Ways]) -> Self {
        let mut at: ByNumber<usize> = ByNumber::default();
        for (number, instruction) in all.iter().enumerate().filter(|(number, _)| ways[*number].is_executed) {
            at.insert(instruction.pc, number);
        }
        let behind = |instruction: &Instruction| instruction.pc.wrapping_add(instruction.length.into());
        // The successors of an instruction, without the end.
        let next = |number: usize| -> Vec<u64> {
            let instruction = &all[number];
            let mut next: Vec<u64> = match instruction.class {
                Class::Return => Vec::new(),
                Class::Call | Class::IndirectCall => vec![behind(instruction)],
                _ => ways[number].all.iter().copied().collect(),
            };
            next.retain(|pc| at.contains_key(pc));
            next.sort_unstable();
            next
        };
        let executed = (0..all.len()).filter(|&number| ways[number].is_executed);
        let first = executed.clone().next().map(|number| all[number].pc);
        let transfers = executed.filter(|&number| all[number].class.transfers_control());
        let mut starts: Vec<u64> = transfers.flat_map(next).chain(first).collect();
        starts.sort_unstable();
        starts.dedup();
        let node = |pc: u64| starts.binary_search(&pc).ok();
        let end = starts.len();
        let mut of_transfer = ByNumber::default();
        let mut successors = Vec::with_capacity(end);
        for (piece, &start) in starts.iter().enumerate() {
            let mut pc = start;
            let follow = loop {
                let Some(&number) = at.get(&pc) else { break Vec::new() };
                if all[number].class.transfers_control() {
                    of_transfer.insert(pc, piece);
                    break next(number).into_iter().filter_map(node).collect();
                }
                pc = behind(&all[number]);
                if let Some(next) = node(pc) {
                    break vec![next];
                }
            };
            successors.push(if follow.is_empty() { vec![end] } else { follow });
        }
        Graph { starts, successors, of_transfer }
    }

    /// For each piece, the nearest one that lies on all of its paths to the end; the piece itself if no path
    /// leads to the end.
    ///
    /// K. D. Cooper, T. J. Harvey, K. Kennedy, *A simple, fast dominance algorithm*, Rice University
    /// TR-06-33870, 2006, on the reversed graph.
    fn postdominators(&self) -> Vec<usize> {
        let end = self.starts.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
        for (piece, successors) in self.successors.iter().enumerate() {
            successors.iter().for_each(|&next| before[next].push(piece));
        }
        const NONE: usize = usize::MAX;
        // Pieces in postorder of the reversed graph, and the place of each in it.
        let (mut order, mut place) = (Vec::new(), vec![NONE; end + 1]);
        let mut is_met = vec![false; end + 1];
        let mut open = vec![(end, 0)];
        is_met[end] = true;
        while let Some((node, child)) = open.last_mut() {
            if let Some(&next) = before[*node].get(*child) {
                *child += 1;
                if !is_met[next] {
                    is_met[next] = true;
                    open.push((next, 0));
                }
            } else {
                place[*node] = order.len();
                order.push(*node);
                open.pop();
            }
        }
        let mut nearest = vec![NONE; end + 1];
        nearest[end] = end;
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for &node in order.iter().rev().filter(|&&node| node != end) {
                let mut found = NONE;
                for &next in self.successors[node].iter().filter(|&&next| nearest[next] != NONE) {
                    found = if found == NONE { next } else { meet(&nearest, &place, found, next) };
                }
                if nearest[node] != found {
                    nearest[node] = found;
                    is_changed = true;
                }
            }
        }
        nearest
    }
}

/// The nearest piece that both lead through.
fn meet(nearest: &[usize], place: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        while place[one] < place[other] {
            one = nearest[one];
        }
        while place[other] < place[one] {
            other = nearest[other];
        }
    }
    one
}
