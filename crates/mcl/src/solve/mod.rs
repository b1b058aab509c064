//! Values of pairs of vertex and state, found on demand.
//!
//! [`Solver::value`] looks a pair up and otherwise searches its block from there. A search asks for values of pairs in lower blocks as
//! it meets them, so calls are as deep as blocks lie above one another, which the nesting of formulas bounds. Each search
//! leaves values behind that are final, and no pair is searched twice: time is linear in automaton and system, but for games.

mod breadth;
mod depth;
mod game;
mod memo;
mod mixed;
mod proof;
mod sets;
mod values;

pub(crate) use values::Pair;
use values::{FALSE, OPEN, TRUE, UNKNOWN, known};

use crate::automaton::{Automaton, Kind, Move, Step};
use crate::system::System;
use memo::Memo;
use rustc_hash::FxHashMap;
use sets::LabelSets;
use volvelle_control::{Control, Stop};
use volvelle_space::Edge;

/// Searches.
pub(crate) struct Solver<'a, S> {
    system: S,
    automaton: &'a Automaton,
    sets: LabelSets<'a>,
    memos: Vec<Memo>,
    /// The moves of the winner where not any move to a pair with his value will do.
    strategy: FxHashMap<Pair, Pair>,
    /// Pairs that searches for short circles may still meet.
    circle_budget: usize,
    control: &'a Control<'a>,
    /// Pairs until the control is asked again.
    patience: u32,
    bytes: u64,
}

/// How many pairs all searches for short circles may meet. Without one, the moves of an earlier search are as good, but longer.
const CIRCLE_BUDGET: usize = 100_000;

/// Pairs between two questions to the control.
const PATIENCE: u32 = 1 << 14;

impl<'a, S: System> Solver<'a, S> {
    pub fn new(
        system: S,
        automaton: &'a Automaton,
        formula: &'a crate::Formula,
        control: &'a Control<'a>,
    ) -> Self {
        let memo = |block: &crate::automaton::Block| Memo { width: block.width as usize, ..Memo::default() };
        let memos = automaton.blocks.iter().map(memo).collect();
        let sets = LabelSets::new(formula, system.labels());
        let strategy = FxHashMap::default();
        let circle_budget = CIRCLE_BUDGET;
        Solver { system, automaton, sets, memos, strategy, circle_budget, control, patience: 0, bytes: 0 }
    }

    /// The value of the formula in the initial state.
    pub fn root(&mut self) -> Result<bool, Stop> {
        let pair = Pair { state: self.system.initial(), vertex: self.automaton.root };
        let vertex = self.automaton.vertex(pair.vertex);
        match self.automaton.blocks[vertex.block as usize].kind {
            Kind::Reach if vertex.constant.is_none() => self.breadth_first(pair),
            _ => self.value(pair),
        }
    }

    /// The value of a pair.
    pub fn value(&mut self, pair: Pair) -> Result<bool, Stop> {
        let vertex = self.automaton.vertex(pair.vertex);
        if let Some(value) = vertex.constant {
            return Ok(value);
        }
        if vertex.is_leaf {
            return self.leaf(pair);
        }
        let memo = &self.memos[vertex.block as usize];
        match memo.values.get(memo.index(pair.state, vertex.local)) {
            Some(&TRUE) => return Ok(true),
            Some(&FALSE) => return Ok(false),
            _ => {}
        }
        match self.automaton.blocks[vertex.block as usize].kind {
            Kind::Reach => self.depth_first::<false>(pair),
            Kind::Circle => self.depth_first::<true>(pair),
            Kind::Mixed => self.mixed(pair),
            Kind::Game => self.game(pair),
        }
    }

    /// The value of a pair whose moves all end at once.
    fn leaf(&mut self, pair: Pair) -> Result<bool, Stop> {
        let automaton = self.automaton;
        let vertex = automaton.vertex(pair.vertex);
        self.expand(pair.state)?;
        let edges = self.system.outgoing(pair.state);
        for m in &automaton.moves[vertex.first as usize..vertex.end as usize] {
            let wins = automaton.vertex(m.target).constant == Some(vertex.is_or);
            if wins && (m.step == Step::STAY || edges.iter().any(|e| self.sets.contains(m.step, e.label))) {
                return Ok(vertex.is_or);
            }
        }
        Ok(!vertex.is_or)
    }

    /// Finds the transitions of a state, and what sets their labels are in.
    fn expand(&mut self, state: u32) -> Result<(), Stop> {
        self.system.expand(state)?;
        if self.system.labels().len() > self.sets.num_labels() {
            self.sets.extend(self.system.labels());
        }
        Ok(())
    }

    /// Asks the control now and then; `held` is how many bytes the search holds.
    #[inline]
    fn tick(&mut self, held: usize) -> Result<(), Stop> {
        if self.patience == 0 {
            self.patience = PATIENCE;
            self.control.check()?;
            self.control.check_memory(self.bytes + held as u64)?;
            // Searches number pairs with 32 bits.
            if self.memos.iter().any(|memo| memo.values.len() >= u32::MAX as usize - 2) {
                return Err(Stop::Memory);
            }
        }
        self.patience -= 1;
        Ok(())
    }

    /// Adds the pairs that a move leads to.
    fn targets(&mut self, state: u32, m: Move, found: &mut Vec<Pair>) -> Result<(), Stop> {
        if m.step == Step::STAY {
            found.push(Pair { state, vertex: m.target });
            return Ok(());
        }
        self.expand(state)?;
        let edges = self.system.outgoing(state).iter();
        let taken = edges.filter(|e| self.sets.contains(m.step, e.label));
        found.extend(taken.map(|e| Pair { state: e.target, vertex: m.target }));
        Ok(())
    }

    /// The next transition of a state, from place `at` on, that a step can take.
    fn next_edge(&self, state: u32, step: Step, at: u32) -> Option<(u32, Edge)> {
        let edges = self.system.outgoing(state);
        let mut at = at as usize;
        while let Some(&edge) = edges.get(at) {
            if self.sets.contains(step, edge.label) {
                return Some((at as u32, edge));
            }
            at += 1;
        }
        None
    }

    /// Makes room for all states that have a number in the memo of a block.
    #[inline]
    fn make_room(&mut self, block: usize) {
        let memo = &mut self.memos[block];
        let size = self.system.num_states() * memo.width;
        if memo.values.len() < size {
            self.bytes += (size - memo.values.len()) as u64;
            match memo.values.is_empty() {
                // Zeroes of which no page is touched.
                true => memo.values = vec![UNKNOWN; size],
                false => memo.values.resize(size, UNKNOWN),
            }
        }
    }

    /// The place of a pair in the memo of its block.
    fn place(&mut self, pair: Pair) -> usize {
        let vertex = self.automaton.vertex(pair.vertex);
        self.make_room(vertex.block as usize);
        self.memos[vertex.block as usize].index(pair.state, vertex.local)
    }

    fn set(&mut self, pair: Pair, value: u8) {
        let index = self.place(pair);
        let block = self.automaton.vertex(pair.vertex).block as usize;
        self.memos[block].values[index] = value;
    }

    fn get(&mut self, pair: Pair) -> u8 {
        let index = self.place(pair);
        let block = self.automaton.vertex(pair.vertex).block as usize;
        self.memos[block].values[index]
    }

    /// Gives an open pair a number.
    fn number(&mut self, block: usize, pair: Pair, order: u32) {
        let index = self.place(pair);
        let memo = &mut self.memos[block];
        if memo.order.len() < memo.values.len() {
            self.bytes += 4 * (memo.values.len() - memo.order.len()) as u64;
            match memo.order.is_empty() {
                true => memo.order = vec![0; memo.values.len()],
                false => memo.order.resize(memo.values.len(), 0),
            }
        }
        memo.order[index] = order;
    }

    /// The number of an open pair.
    fn order(&mut self, block: usize, pair: Pair) -> u32 {
        let index = self.place(pair);
        self.memos[block].order[index]
    }
}
