//! Which expressions of a program are numbers of processes.
//!
//! This is a least fixed point. The number of the moving process is one; a place that stores one holds them;
//! and an array indexed by one goes by them. A second pass checks the rules: a number may be compared with
//! constants and with numbers of the same offset, and no field, array or channel may be used in two ways.

use super::{Scalarset, Symmetry, SymmetryViolation};
use crate::accesses::{Access, AccessMode, SharedResource};
use crate::ids::{FieldId, LocationId, Origin, PlaceId, PoolId};
use crate::offers::Offer;
use crate::places::Place;
use crate::program::Program;
use crate::steps::Alternative;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Node, Stmt, Type};

/// The pool of channels: that of processes comes first.
const CHANNELS: PoolId = PoolId(1);

/// The class of an expression, by what its value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// A value unrelated to processes.
    Plain,
    /// A constant, whose meaning depends on its use.
    Constant(i64),
    /// The number of a process plus `offset`, within these bounds.
    Number { offset: i64, lo: i64, hi: i64 },
}

/// A violation, and the type of processes that causes it.
type Refusal = (usize, SymmetryViolation);

/// The state of the fixed point.
struct Classes<'a> {
    program: &'a Program,
    /// The offset of the numbers that a place holds. A field has the same one in all instances.
    holds: FxHashMap<Place, i64>,
    /// Bounds of these numbers, for temporaries that hold nothing else.
    bounds: FxHashMap<Place, (i64, i64)>,
    /// By field: the offset of the numbers that index it.
    goes_by: BTreeMap<FieldId, i64>,
    /// Channels that are chosen by numbers of processes.
    channels: BTreeSet<(i64, i64, i64)>,
    /// Whether channels are also chosen by other values.
    other_channels: bool,
    constant_channels: BTreeSet<i64>,
    fixed: BTreeSet<i64>,
    ranges: BTreeSet<(i64, i64, i64)>,
    changed: bool,
    /// Whether processes end.
    has_ends: bool,
    /// Whether violations are reported.
    strict: bool,
}

/// One transition, or the guard of a type.
struct Code<'p> {
    /// Whether the number of the moving process is treated as a number.
    knows_itself: bool,
    guard: Option<ExprId>,
    offer: Option<&'p Offer>,
    effect: &'p Block,
    origin: Origin,
    ty: usize,
    /// Whether it receives messages and sends none: what it stores in channels only clears free places.
    clears: bool,
    /// Whether it is a label, which may read processes of constant numbers.
    looks: bool,
}

/// Finds the fixed point. Types in `alone` are not exchanged.
pub(super) fn find(
    program: &Program,
    labels: &[usize],
    alone: &BTreeSet<usize>,
) -> Result<Symmetry, Refusal> {
    let mut classes = Classes {
        program,
        holds: FxHashMap::default(),
        bounds: FxHashMap::default(),
        goes_by: BTreeMap::new(),
        channels: BTreeSet::new(),
        other_channels: false,
        constant_channels: BTreeSet::new(),
        fixed: BTreeSet::new(),
        ranges: BTreeSet::new(),
        changed: true,
        has_ends: super::has_ends(&program.network),
        strict: false,
    };
    while classes.changed {
        classes.changed = false;
        classes.all(labels, alone)?;
    }
    classes.strict = true;
    classes.all(labels, alone)?;
    let types = 0..program.network.types.len();
    let one = types.clone().find(|ty| !alone.contains(ty)).unwrap_or(0);
    classes.result(alone).map_err(|why| (one, why))
}

impl Classes<'_> {
    fn all(&mut self, labels: &[usize], alone: &BTreeSet<usize>) -> Result<(), Refusal> {
        // These were found before all numbers were known, so collect them anew.
        self.channels.clear();
        self.constant_channels.clear();
        self.other_channels = false;
        self.fixed.clear();
        self.ranges.clear();
        let program = self.program;
        let nothing = Block::new();
        for &label in labels {
            // No process moves in a label. A violation here concerns no particular type, so it is attributed
            // to each in turn.
            let ty = (0..program.network.types.len()).find(|ty| !alone.contains(ty)).unwrap_or(0);
            let (guard, origin) = (Some(program.labels[label].expr), Origin(0));
            let (knows_itself, offer, effect) = (false, None, &nothing);
            let looks = true;
            let code = Code { knows_itself, guard, offer, effect, origin, ty, clears: false, looks };
            self.code(&code)?;
        }
        for (ty, info) in program.network.types.iter().enumerate() {
            let knows_itself = !alone.contains(&ty);
            let origin = program.network.locations[info.first.index()].origin.unwrap_or(Origin(0));
            let (offer, effect) = (None, &nothing);
            self.code(&Code {
                knows_itself,
                guard: info.guard,
                offer,
                effect,
                origin,
                ty,
                clears: false,
                looks: false,
            })?;
            for l in info.first.0..info.first.0 + info.count {
                for alternative in program.network.locations[l as usize].alternatives() {
                    // Ends are removed from the program anyway.
                    if alternative.target() != LocationId::NOWHERE {
                        let (guard, origin) = (Some(alternative.guard), alternative.origin);
                        let (offer, effect) = (alternative.offer.as_ref(), alternative.effect());
                        let clears = only_takes(alternative);
                        self.code(&Code {
                            knows_itself,
                            guard,
                            offer,
                            effect,
                            origin,
                            ty,
                            clears,
                            looks: false,
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn code(&mut self, code: &Code<'_>) -> Result<(), Refusal> {
        let mut roots: Vec<ExprId> = code.guard.into_iter().collect();
        if let Some(offer) = code.offer {
            roots.extend(offer.expressions());
        }
        self.program.expressions(code.effect, &mut roots);
        // A note says whether a value fits its field. This does not distinguish processes, and the stored
        // value is checked in any case.
        self.each_note(code.effect, &mut |cond| {
            if let Some(at) = roots.iter().position(|&root| root == cond) {
                roots.swap_remove(at);
            }
        });
        let found = self.classify(code, &roots)?;
        if let Some(at) = code.offer.and_then(|offer| offer.at) {
            // Numbers of channels are slots plus one.
            match found[&at] {
                Class::Number { offset, lo, hi } => self.meets(offset - 1, lo - 1, hi - 1),
                Class::Constant(n) => self.meets_constant(n - 1),
                Class::Plain => self.other_channels = true,
            }
        }
        if let Some(offer) = code.offer {
            for (value, number) in offer.given().zip(0..self.program.network.offered) {
                self.assigned(Place::Offered(number), found[&value], code)?;
            }
        }
        let mut blocks = vec![code.effect];
        while let Some(block) = blocks.pop() {
            for statement in block {
                match statement {
                    Stmt::Set { local, value } => {
                        self.written((*local).into(), None, found[value], &found, code)?;
                    }
                    Stmt::Store { buffer, index, value } => {
                        self.written((*buffer).into(), Some(*index), found[value], &found, code)?;
                    }
                    Stmt::If { cond, then, otherwise } => {
                        if !self.is_note(then) {
                            self.plain(found[cond], code)?;
                        }
                        blocks.extend([then, otherwise]);
                    }
                    Stmt::Switch { on, cases, default } => {
                        self.plain(found[on], code)?;
                        blocks.extend(cases.iter().map(|c| &c.1).chain([default]));
                    }
                    Stmt::For { local, from, to, body } => {
                        self.assigned(self.program.place(*local), Class::Plain, code)?;
                        self.plain(found[from], code)?;
                        self.plain(found[to], code)?;
                        blocks.push(body);
                    }
                    Stmt::Machine { local, from, to, start, blocks: inside } => {
                        self.assigned(self.program.place(*local), Class::Plain, code)?;
                        for value in [from, to, start] {
                            self.plain(found[value], code)?;
                        }
                        blocks.extend(inside);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The write of a value to a place, or to an element of it.
    fn written(
        &mut self,
        place: PlaceId,
        index: Option<ExprId>,
        value: Class,
        found: &FxHashMap<ExprId, Class>,
        code: &Code<'_>,
    ) -> Result<(), Refusal> {
        let place = self.program.place(place);
        if place == Place::Noted {
            return Ok(());
        }
        self.located(place, index, found, code)?;
        // A step that only receives stores values in channels only to clear places that have become free.
        let is_cleared = code.clears
            && matches!(place, Place::Slot { field, .. } | Place::Field(field) if self.is_of_channels(field));
        if is_cleared { Ok(()) } else { self.assigned(place, value, code) }
    }

    fn refuse<T>(&self, why: SymmetryViolation, code: &Code<'_>) -> Result<T, Refusal> {
        Err((code.ty, if code.looks { SymmetryViolation::Claim } else { why }))
    }

    fn plain(&self, class: Class, code: &Code<'_>) -> Result<(), Refusal> {
        match class {
            Class::Number { .. } if self.strict => {
                self.refuse(SymmetryViolation::Computes(code.origin), code)
            }
            _ => Ok(()),
        }
    }

    /// The classes of expressions and all their operands.
    fn classify(&mut self, code: &Code<'_>, roots: &[ExprId]) -> Result<FxHashMap<ExprId, Class>, Refusal> {
        let exprs = &self.program.exprs;
        // Operands have smaller numbers.
        let mut needed = BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if needed.insert(id) {
                self.program.each_operand(&exprs.node(id), |operand| stack.push(operand));
            }
        }
        let mut found = FxHashMap::default();
        for id in needed {
            let class = self.class(id, &found, code)?;
            found.insert(id, class);
        }
        Ok(found)
    }

    fn class(
        &mut self,
        id: ExprId,
        found: &FxHashMap<ExprId, Class>,
        code: &Code<'_>,
    ) -> Result<Class, Refusal> {
        let exprs = &self.program.exprs;
        let node = exprs.node(id);
        Ok(match node {
            Node::Const(c) => match c.as_i64() {
                Some(value) => Class::Constant(value),
                None => Class::Plain,
            },
            Node::Local(local, _) => self.read(self.program.place(local), None, found, code)?,
            Node::Load { buffer, index, .. } => {
                self.read(self.program.place(buffer), Some(index), found, code)?
            }
            // Whether the number is zero.
            Node::Convert { to: Type::Bool, arg } => {
                self.joined(found[&arg], Class::Constant(0), code)?;
                Class::Plain
            }
            Node::Convert { arg, .. } | Node::CheckedConvert { arg, .. } => found[&arg],
            Node::Range { arg, lo, hi, .. } => self.within(found[&arg], lo, hi),
            // The number of a channel, or zero if it does not exist. Channels that are chosen by numbers of
            // processes always exist.
            Node::Select { cond, yes, no }
                if self.asks_for_channel(cond) && found[&no] == Class::Constant(0) =>
            {
                found[&yes]
            }
            Node::Select { cond, yes, no } => {
                self.plain(found[&cond], code)?;
                self.joined(found[&yes], found[&no], code)?
            }
            Node::Binary { op, lhs, rhs } => self.binary(op, (lhs, rhs), found, code)?,
            _ => {
                let mut operands = Vec::new();
                Exprs::each_operand(&node, |operand| operands.push(found[&operand]));
                for operand in operands {
                    self.plain(operand, code)?;
                }
                Class::Plain
            }
        })
    }

    /// The value of a place, or of an element of it.
    fn read(
        &mut self,
        place: Place,
        index: Option<ExprId>,
        found: &FxHashMap<ExprId, Class>,
        code: &Code<'_>,
    ) -> Result<Class, Refusal> {
        let number = |offset: Option<i64>| match offset {
            Some(offset) => Class::Number { offset, lo: i64::MIN, hi: i64::MAX },
            None => Class::Plain,
        };
        Ok(match place {
            Place::Mover => number(code.knows_itself.then_some(0)),
            // With ends removed, this would count processes at their end as well, and so reveal their number.
            Place::Field(field)
                if code.looks && self.has_ends && field == self.program.network.pools[0].count =>
            {
                return self.refuse(SymmetryViolation::Claim, code);
            }
            Place::Field(_) | Place::Slot { .. } => {
                self.located(place, index, found, code)?;
                number(self.held(place))
            }
            Place::Temporary(_) | Place::Offered(_) | Place::Noted => match self.held(place) {
                Some(offset) => {
                    let (lo, hi) = self.bounds[&place];
                    Class::Number { offset, lo, hi }
                }
                None => Class::Plain,
            },
            Place::Timeout
            | Place::NoProgress
            | Place::Room { .. }
            | Place::Size(_)
            | Place::Table(_)
            | Place::Parameter(_) => Class::Plain,
        })
    }

    /// The offset of the numbers that a place holds.
    fn held(&self, place: Place) -> Option<i64> {
        self.holds.get(&holder(place)).copied()
    }

    fn within(&mut self, class: Class, least: i64, most: i64) -> Class {
        match class {
            Class::Number { offset, lo, hi } => {
                self.ranges.insert((offset, least, most));
                Class::Number { offset, lo: lo.max(least), hi: hi.min(most) }
            }
            other => other,
        }
    }

    fn joined(&mut self, a: Class, b: Class, code: &Code<'_>) -> Result<Class, Refusal> {
        Ok(match (a, b) {
            (Class::Number { offset, lo, hi }, Class::Number { offset: other, lo: lo2, hi: hi2 }) => {
                if offset != other && self.strict {
                    return self.refuse(SymmetryViolation::Computes(code.origin), code);
                }
                Class::Number { offset, lo: lo.min(lo2), hi: hi.max(hi2) }
            }
            (Class::Number { offset, .. }, Class::Constant(c))
            | (Class::Constant(c), Class::Number { offset, .. }) => {
                self.fixed.insert(c.wrapping_sub(offset));
                Class::Number { offset, lo: i64::MIN, hi: i64::MAX }
            }
            (Class::Number { .. }, Class::Plain) | (Class::Plain, Class::Number { .. }) if self.strict => {
                return self.refuse(SymmetryViolation::Mixes(code.origin), code);
            }
            (number @ Class::Number { .. }, _) | (_, number @ Class::Number { .. }) => number,
            (a, b) if a == b => a,
            _ => Class::Plain,
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (lhs, rhs): (ExprId, ExprId),
        found: &FxHashMap<ExprId, Class>,
        code: &Code<'_>,
    ) -> Result<Class, Refusal> {
        let (a, b) = (found[&lhs], found[&rhs]);
        Ok(match (op, a, b) {
            (BinaryOp::Eq | BinaryOp::Ne, Class::Number { .. }, _)
            | (BinaryOp::Eq | BinaryOp::Ne, _, Class::Number { .. }) => {
                self.joined(a, b, code)?;
                Class::Plain
            }
            (BinaryOp::Add, Class::Number { offset, lo, hi }, Class::Constant(c))
            | (BinaryOp::Add, Class::Constant(c), Class::Number { offset, lo, hi }) => {
                shifted(offset, lo, hi, c)
            }
            (BinaryOp::Sub, Class::Number { offset, lo, hi }, Class::Constant(c)) => {
                shifted(offset, lo, hi, c.wrapping_neg())
            }
            // A number truncated to a type: its values are unchanged if they fit.
            (BinaryOp::BitAnd, number @ Class::Number { .. }, Class::Constant(mask))
            | (BinaryOp::BitAnd, Class::Constant(mask), number @ Class::Number { .. })
                if mask > 0 && mask.wrapping_add(1).count_ones() == 1 =>
            {
                self.within(number, 0, mask)
            }
            // Whether there is such a channel.
            (BinaryOp::Lt | BinaryOp::Le, Class::Number { .. }, Class::Plain)
                if self.counts_channels(rhs) =>
            {
                Class::Plain
            }
            _ => {
                self.plain(a, code)?;
                self.plain(b, code)?;
                Class::Plain
            }
        })
    }

    fn asks_for_channel(&self, cond: ExprId) -> bool {
        let node = self.program.exprs.node(cond);
        matches!(node, Node::Binary { op: BinaryOp::Lt, rhs, .. } if self.counts_channels(rhs))
    }

    fn counts_channels(&self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let id = match exprs.node(id) {
            Node::Convert { arg, .. } => arg,
            _ => id,
        };
        let count = self.program.network.pools.get(1).map(|p| Place::Field(p.count));
        count.is_some() && self.program.place_read(&exprs.node(id)) == count
    }

    /// Calls `f` for the conditions of notes. Recursion is as deep as effects nest, which front ends limit.
    fn each_note(&self, block: &Block, f: &mut impl FnMut(ExprId)) {
        for statement in block {
            match statement {
                Stmt::If { cond, then, otherwise } => {
                    if self.is_note(then) {
                        f(*cond);
                    }
                    self.each_note(then, f);
                    self.each_note(otherwise, f);
                }
                Stmt::For { body, .. } => self.each_note(body, f),
                Stmt::Machine { blocks, .. } => blocks.iter().for_each(|block| self.each_note(block, f)),
                Stmt::Switch { cases, default, .. } => {
                    cases.iter().for_each(|(_, case)| self.each_note(case, f));
                    self.each_note(default, f);
                }
                _ => {}
            }
        }
    }

    /// Whether a block begins with a note.
    fn is_note(&self, block: &Block) -> bool {
        matches!(block.first(), Some(Stmt::Set { local, .. }) if self.program.place(*local) == Place::Noted)
    }

    /// Records that a value is assigned to a place.
    fn assigned(&mut self, to: Place, value: Class, code: &Code<'_>) -> Result<(), Refusal> {
        let values = match value {
            Class::Number { lo, hi, .. } => (lo, hi),
            Class::Constant(c) => (c, c),
            Class::Plain => (i64::MIN, i64::MAX),
        };
        let (to, known) = (holder(to), self.held(to));
        let bounds = self.bounds.entry(to).or_insert((i64::MAX, i64::MIN));
        let wider = (bounds.0.min(values.0), bounds.1.max(values.1));
        if known.is_some() || matches!(value, Class::Number { .. }) {
            self.changed |= wider != *bounds;
            *bounds = wider;
        }
        if let Some(offset) = self.learn(value, known, code)? {
            self.holds.insert(to, offset);
        }
        Ok(())
    }

    /// The offset of the numbers of processes that a place holds, given one more value.
    fn learn(&mut self, value: Class, known: Option<i64>, code: &Code<'_>) -> Result<Option<i64>, Refusal> {
        match (value, known) {
            (Class::Number { offset, .. }, None) => {
                self.changed = true;
                Ok(Some(offset))
            }
            (Class::Number { offset, .. }, Some(known)) if offset != known => {
                self.refuse(SymmetryViolation::Mixes(code.origin), code)
            }
            (Class::Plain, Some(_)) if self.strict => {
                self.refuse(SymmetryViolation::Mixes(code.origin), code)
            }
            (Class::Constant(c), Some(offset)) => {
                self.fixed.insert(c.wrapping_sub(offset));
                Ok(known)
            }
            _ => Ok(known),
        }
    }

    /// Records the use of a place: how its slot is chosen, and how its array is indexed.
    fn located(
        &mut self,
        place: Place,
        index: Option<ExprId>,
        found: &FxHashMap<ExprId, Class>,
        code: &Code<'_>,
    ) -> Result<(), Refusal> {
        if let Place::Slot { pool, slot, .. } = place {
            let is_channel = pool == CHANNELS;
            match found[&slot] {
                Class::Number { offset, lo, hi } if is_channel => self.meets(offset, lo, hi),
                Class::Constant(n) if is_channel => self.meets_constant(n),
                Class::Plain if is_channel => self.other_channels = true,
                Class::Constant(n) if code.looks && !self.has_ends => {
                    self.fixed.insert(n);
                }
                _ if code.looks => {
                    return self.refuse(SymmetryViolation::LooksAround, code);
                }
                // A new process: its slot is the first free one, whatever the other slots hold.
                Class::Plain | Class::Constant(_) => {}
                Class::Number { .. } => return self.refuse(SymmetryViolation::LooksAround, code),
            }
        }
        if let (Some(field), Some(index)) = (place.field(), index) {
            let known = self.goes_by.get(&field).copied();
            if let Some(offset) = self.learn(found[&index], known, code)? {
                self.goes_by.insert(field, offset);
            }
        }
        Ok(())
    }

    fn is_of_channels(&self, field: FieldId) -> bool {
        self.program.pool_of(field) == Some(CHANNELS)
    }

    fn meets(&mut self, offset: i64, lo: i64, hi: i64) {
        self.channels.insert((offset, lo, hi));
    }

    fn meets_constant(&mut self, slot: i64) {
        self.constant_channels.insert(slot);
    }

    /// New processes begin with zeros. In fields that hold numbers of processes, these are numbers, so such
    /// processes stay fixed.
    fn fix_beginnings(&mut self) {
        let program = self.program;
        let created: BTreeSet<usize> =
            program.network.alternatives().flat_map(|t| t.creates.iter().copied()).collect();
        for (f, field) in program.fields.iter().enumerate() {
            let is_created = |&ty: &usize| Some(program.network.types[ty].component) == field.component;
            if let Some(offset) = self.held(Place::Field(FieldId(f as u32)))
                && created.iter().any(is_created)
            {
                let lo = field.domain.bounds().0;
                self.fixed.extend([lo, 0].map(|value| value.wrapping_sub(offset)));
            }
        }
    }

    fn result(mut self, alone: &BTreeSet<usize>) -> Result<Symmetry, SymmetryViolation> {
        self.fix_beginnings();
        let numbering = |offset| Scalarset { offset };
        let mut ranges: Vec<(Scalarset, i64, i64)> =
            self.ranges.iter().map(|&(offset, lo, hi)| (numbering(offset), lo, hi)).collect();
        let held = self.holds.iter().filter_map(|(place, &offset)| Some((place.field()?, numbering(offset))));
        let mut numbers: Vec<(FieldId, Scalarset)> = held.collect();
        numbers.sort_unstable();
        let arrays: Vec<(FieldId, Scalarset)> =
            self.goes_by.iter().map(|(&field, &offset)| (field, numbering(offset))).collect();
        for &(field, offset) in &numbers {
            let (lo, hi) = self.program.fields[field.index()].domain.bounds();
            ranges.push((offset, lo, hi));
        }
        for &(field, offset) in &arrays {
            ranges.push((offset, 0, i64::from(self.program.fields[field.index()].length) - 1));
        }
        for &(offset, lo, hi) in &self.channels {
            let bounded = lo >= 0 && hi < i64::MAX;
            let overlaps = |&(other, lo2, hi2): &(i64, i64, i64)| other != offset && lo2 <= hi && lo <= hi2;
            if self.other_channels || !bounded || self.channels.iter().any(overlaps) {
                return Err(SymmetryViolation::Channels);
            }
            let within = self.constant_channels.iter().filter(|c| (lo..=hi).contains(*c));
            self.fixed.extend(within.map(|c| c.wrapping_sub(offset)));
            ranges.push((numbering(offset), lo, hi));
        }
        let channels = self.channels.iter().map(|&(offset, lo, hi)| (numbering(offset), lo, hi)).collect();
        let all = 0..self.program.network.types.len();
        let types = all.filter(|ty| !alone.contains(ty)).collect();
        Ok(Symmetry { types, numbers, arrays, channels, fixed: self.fixed, ranges })
    }
}

/// The place that represents `place`: a field holds the same in all instances.
fn holder(place: Place) -> Place {
    place.field().map_or(place, Place::Field)
}

/// Whether the only accesses of a transition to channels are receives of their first messages.
fn only_takes(alternative: &Alternative) -> bool {
    let mut takes = false;
    let harmless = |access: &Access| match (access.resource, access.mode) {
        (
            SharedResource::Slot(..) | SharedResource::Everything,
            AccessMode::Take | AccessMode::Read | AccessMode::Test,
        )
        | (SharedResource::Field(..), _) => true,
        (SharedResource::Slot(..) | SharedResource::Count(_) | SharedResource::Everything, _) => false,
    };
    for access in &alternative.accesses {
        takes |= access.mode == AccessMode::Take;
        if !harmless(access) {
            return false;
        }
    }
    takes
}

fn shifted(offset: i64, lo: i64, hi: i64, by: i64) -> Class {
    let bound = |b: i64| if b == i64::MIN || b == i64::MAX { b } else { b.saturating_add(by) };
    Class::Number { offset: offset.wrapping_add(by), lo: bound(lo), hi: bound(hi) }
}
