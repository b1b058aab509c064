//! Steps of an explicit model: tables have all data of a state.
//!
//! A step out of a state with several transitions draws one number of the unit interval. With a single
//! transition, it draws nothing ([`Table::draw`](crate::table::Table::draw)).

use super::builder::Builder;
use crate::table::{Earns, STAYS, UNDECIDED};
use volvelle_kernel::{BinaryOp, Block, Buffer, Const, ExprId, Node, Stmt, Type, UnaryOp};

impl Builder<'_> {
    /// The mark of a condition; `None` if the model is not explicit, and for constants.
    pub(super) fn marked(&mut self, condition: ExprId) -> Option<ExprId> {
        let (word, bit) = self.plan.rows.as_ref()?.mark(condition)?;
        Some(self.mark(word, bit))
    }

    fn mark(&mut self, word: usize, bit: u32) -> ExprId {
        let marks = self.rows.as_ref().expect("asked for tables only").marks[word];
        let marks = self.kernel.get(marks);
        let e = &mut self.kernel.exprs;
        let (mask, zero) =
            (e.constant(Const::int(Type::U32, 1 << bit)), e.constant(Const::int(Type::U32, 0)));
        let marked = e.binary(BinaryOp::BitAnd, marks, mask);
        e.binary(BinaryOp::Ne, marked, zero)
    }

    fn load_of_state(&mut self, buffer: Buffer) -> ExprId {
        let row = self.rows.as_ref().expect("asked for tables only").row;
        let row = self.kernel.get(row);
        let e = &mut self.kernel.exprs;
        let index = e.convert(Type::U64, row);
        e.load(buffer, Type::F64, index)
    }

    /// A reward of the state.
    pub(super) fn row_reward(&mut self, structure: usize, what: Earns) -> ExprId {
        let rows = self.plan.rows.as_ref().expect("asked for tables only");
        match rows.vectors.iter().position(|&vector| vector == (structure, what)) {
            Some(place) => {
                let buffer = self.rows.as_ref().expect("asked for tables only").vectors[place];
                self.load_of_state(buffer)
            }
            None => self.kernel.exprs.f64(0.0),
        }
    }

    /// The initial state.
    pub(super) fn first_row(&mut self) -> Block {
        let (Some(rows), Some(state)) = (&self.plan.rows, &self.rows) else { return Vec::new() };
        let value = self.kernel.exprs.constant(Const::int(Type::U32, rows.initial.into()));
        let mut block = vec![Stmt::Set { local: state.row, value }];
        block.extend(self.read_marks());
        block
    }

    /// The index of a word of the state.
    fn index_of_word(&mut self, word: usize) -> ExprId {
        let (rows, state) = (self.plan.rows.as_ref(), self.rows.as_ref());
        let (stride, row) =
            rows.zip(state).map(|(rows, state)| (rows.stride, state.row)).expect("tables only");
        let row = self.kernel.get(row);
        let e = &mut self.kernel.exprs;
        let row = e.convert(Type::U64, row);
        let (stride, word) = (e.u64(stride as u64), e.u64(word as u64));
        let first = e.binary(BinaryOp::Mul, row, stride);
        e.binary(BinaryOp::Add, first, word)
    }

    fn read_marks(&mut self) -> Block {
        let (words, marks) =
            self.rows.as_ref().map(|state| (state.words, state.marks.clone())).expect("tables only");
        let read = marks.into_iter().enumerate().map(|(i, local)| {
            let index = self.index_of_word(1 + i);
            Stmt::Set { local, value: self.kernel.exprs.load(words, Type::U32, index) }
        });
        read.collect()
    }

    /// The exit rate of the state, and whether paths stay in it forever.
    pub(super) fn weigh_row(&mut self) -> Block {
        self.dead = self.mark(0, STAYS);
        self.total = match self.rows.as_ref().and_then(|state| state.rates) {
            Some(rates) => self.load_of_state(rates),
            None => self.kernel.exprs.f64(1.0),
        };
        Vec::new()
    }

    /// A step along the row of the state.
    pub(super) fn follow_row(&mut self) -> Block {
        let Some(state) = &self.rows else { return Vec::new() };
        let (words, places, row) = (state.words, state.places, state.row);
        let mut block = Vec::new();
        if let Some(site) = self.plan.rows.as_ref().and_then(|rows| rows.site) {
            let cond = self.mark(0, UNDECIDED);
            block.push(Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] });
        }
        let stride = self.plan.rows.as_ref().map_or(1, |rows| rows.stride);
        let [first, count] =
            ["first_of_row", "count_of_row"].map(|n| self.temporary(n.to_owned(), Type::U32));
        let [unit, scaled] = ["unit", "scaled"].map(|n| self.temporary(n.to_owned(), Type::F64));
        let place = self.temporary("place".to_owned(), Type::U64);
        let (index, behind) = (self.index_of_word(0), self.index_of_word(stride));
        let value = self.kernel.exprs.load(words, Type::U32, index);
        block.push(Stmt::Set { local: first, value });
        let first = self.kernel.get(first);
        let e = &mut self.kernel.exprs;
        let end = e.load(words, Type::U32, behind);
        let value = e.binary(BinaryOp::Sub, end, first);
        block.push(Stmt::Set { local: count, value });
        let value = e.convert(Type::U64, first);
        block.push(Stmt::Set { local: place, value });
        let (first, count) = (value, self.kernel.get(count));
        // One word has both targets: that of the place is in the lower half.
        let at = self.kernel.get(place);
        let e = &mut self.kernel.exprs;
        let (one, two) = (e.u64(1), e.u64(2));
        let threshold = e.binary(BinaryOp::Mul, at, two);
        let targets = e.binary(BinaryOp::Add, threshold, one);
        let targets = e.load(places, Type::U64, targets);
        let own = e.convert(Type::U32, targets);
        let only = e.constant(Const::int(Type::U32, 1));
        let several = e.binary(BinaryOp::Gt, count, only);
        let mut drawn = self.stream.unit(&mut self.kernel, unit);
        let unit = self.kernel.get(unit);
        let e = &mut self.kernel.exprs;
        let count = e.convert(Type::F64, count);
        let value = e.binary(BinaryOp::Mul, unit, count);
        drawn.push(Stmt::Set { local: scaled, value });
        let scaled = self.kernel.get(scaled);
        let e = &mut self.kernel.exprs;
        let whole = e.unary(UnaryOp::Floor, scaled);
        let number = e.convert(Type::U32, scaled);
        let number = e.convert(Type::U64, number);
        let value = e.binary(BinaryOp::Add, first, number);
        drawn.push(Stmt::Set { local: place, value });
        let left = e.binary(BinaryOp::Sub, scaled, whole);
        let threshold = e.load(places, Type::U64, threshold);
        let threshold = e.add(Node::Reinterpret { to: Type::F64, arg: threshold });
        let is_own = e.binary(BinaryOp::Lt, left, threshold);
        let half = e.u64(32);
        let other = e.binary(BinaryOp::Shr, targets, half);
        let other = e.convert(Type::U32, other);
        let value = e.select(is_own, own, other);
        drawn.push(Stmt::Set { local: row, value });
        let alone = vec![Stmt::Set { local: row, value: own }];
        block.push(Stmt::If { cond: several, then: drawn, otherwise: alone });
        block.extend(self.read_marks());
        if self.plan.clock {
            let value = self.kernel.get(self.then);
            block.push(Stmt::Set { local: self.now, value });
        }
        block.extend(self.count_step());
        block
    }
}
