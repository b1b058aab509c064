//! Places of process code as accesses to packed states.

use crate::ids::{FieldId, PlaceId, PoolId};
use crate::network_layout::{FieldLayout, NetworkLayout};
use crate::places::Place;
use crate::program::Program;
use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, Buffer, Const, ExprId, Exprs, Kernel, Local, Node, Stmt, Type};

/// The state that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Version {
    /// Before the step.
    Source,
    /// After it, under construction.
    Target,
}

/// The process whose fields are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Who {
    /// The process that moves or sends.
    Mover,
    /// The process that receives an offer.
    Partner,
}

/// Fields that are held in locals.
type Held = FxHashMap<FieldId, Local>;

/// The context of code, which determines what its places mean.
pub(super) type Context = (Version, Who);

/// The word and the lowest bit of an element.
#[derive(Clone, Copy)]
struct Address {
    /// `u64`: index into the buffer of states or successors.
    word: ExprId,
    /// `u64`
    shift: ExprId,
}

/// The beginning of a record.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// `u64`: index of its first word in the state.
    pub word: ExprId,
    /// `u64`: lowest bit there; zero for records of whole words.
    pub shift: ExprId,
}

/// Translates expressions of the program into those of a kernel.
pub(super) struct Access<'a> {
    pub program: &'a Program,
    pub layout: &'a NetworkLayout,
    pub kernel: Kernel,
    pub states: Buffer,
    pub successors: Buffer,
    /// Index of the first word of the source and of the target (`u64`).
    pub source: Local,
    pub target: Local,
    /// Slots of mover and partner (`i64`); `bases` and `shifts` are the words and bits where their records
    /// begin in the state (`u64`).
    pub slots: [Local; 2],
    pub bases: [Local; 2],
    pub shifts: [Local; 2],
    /// Kernel locals of the program's temporaries; `offered` are those of the received values.
    temporaries: Vec<Local>,
    pub offered: Vec<Local>,
    pub timeout: Local,
    pub no_progress: Local,
    pub noted: Local,
    pub base_tables: Vec<Buffer>,
    pub room_tables: Vec<Buffer>,
    /// Locals of fields that some machine holds.
    pub holders: Held,
    /// Fields that are held in locals now. `known_before` has the translations from before they were.
    pub held: Held,
    pub memo: FxHashMap<(ExprId, Context), ExprId>,
    pub known_before: FxHashMap<(ExprId, Context), ExprId>,
}

impl<'a> Access<'a> {
    #[allow(clippy::too_many_arguments)] // the parts of one record
    pub fn new(
        program: &'a Program,
        layout: &'a NetworkLayout,
        mut kernel: Kernel,
        states: Buffer,
        successors: Buffer,
        base_tables: Vec<Buffer>,
        room_tables: Vec<Buffer>,
    ) -> Self {
        let source = kernel.local("source", Type::U64);
        let target = kernel.local("target", Type::U64);
        let slots = [kernel.local("self", Type::I64), kernel.local("partner", Type::I64)];
        let bases = [kernel.local("own", Type::U64), kernel.local("partners", Type::U64)];
        let shifts = [kernel.local("own_bit", Type::U64), kernel.local("partners_bit", Type::U64)];
        let types = program.network.temporaries.iter().enumerate();
        let temporaries = types.map(|(t, &ty)| kernel.local(format!("t{t}"), ty)).collect();
        let offered = (0..program.network.offered).map(|k| kernel.local(format!("offered{k}"), Type::I64));
        let offered = offered.collect();
        let timeout = kernel.local("timeout", Type::Bool);
        let no_progress = kernel.local("no_progress", Type::Bool);
        let noted = kernel.local("noted", Type::I64);
        Access {
            program,
            layout,
            kernel,
            states,
            successors,
            source,
            target,
            slots,
            bases,
            shifts,
            temporaries,
            offered,
            timeout,
            no_progress,
            noted,
            base_tables,
            room_tables,
            holders: Held::default(),
            held: Held::default(),
            memo: FxHashMap::default(),
            known_before: FxHashMap::default(),
        }
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        &mut self.kernel.exprs
    }

    pub fn get(&mut self, local: Local) -> ExprId {
        self.kernel.get(local)
    }

    pub fn add(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let e = self.exprs();
        match (e.as_const(lhs).map(|c| c.bits), e.as_const(rhs).map(|c| c.bits)) {
            (Some(0), _) => rhs,
            (_, Some(0)) => lhs,
            _ => e.binary(BinaryOp::Add, lhs, rhs),
        }
    }

    /// The beginning of a slot (`i64` or `u64`) of a pool in the state.
    pub fn slot_base(&mut self, pool: PoolId, slot: ExprId) -> Base {
        let e = &mut self.kernel.exprs;
        let slot = e.convert(Type::U64, slot);
        let known = e.as_const(slot).and_then(|c| self.layout.bases(pool).get(c.bits as usize));
        let bits = match known {
            Some(&bits) => e.u64(u64::from(bits)),
            None => e.load(self.base_tables[pool.index()], Type::U64, slot),
        };
        let (six, low) = (e.u64(6), e.u64(63));
        let word = e.binary(BinaryOp::Shr, bits, six);
        let shift = match self.layout.is_word_aligned(pool, None) {
            true => e.u64(0),
            false => e.binary(BinaryOp::BitAnd, bits, low),
        };
        Base { word, shift }
    }

    /// Translates an expression of the program in a context.
    ///
    /// Children are translated first, without recursion, so that the depth does not matter.
    pub fn expr(&mut self, root: ExprId, context: Context) -> ExprId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.memo.contains_key(&(id, context)) {
                stack.pop();
                continue;
            }
            let node = self.program.exprs.node(id);
            let before = stack.len();
            self.program.each_operand(&node, |c| {
                if !self.memo.contains_key(&(c, context)) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let translated = self.node(&node, context);
            self.memo.insert((id, context), translated);
        }
        self.memo[&(root, context)]
    }

    fn node(&mut self, node: &Node, context: Context) -> ExprId {
        let m = |this: &Self, id: ExprId| this.memo[&(id, context)];
        let translated = match *node {
            Node::Local(local, _) => {
                let element = self.exprs().u64(0);
                return self.value(self.program.place(local), element, context);
            }
            Node::Load { buffer, index, .. } => {
                let element = m(self, index);
                return self.value(self.program.place(buffer), element, context);
            }
            Node::Const(_) | Node::Len(_) => *node,
            Node::Unary { op, arg } => Node::Unary { op, arg: m(self, arg) },
            Node::Binary { op, lhs, rhs } => Node::Binary { op, lhs: m(self, lhs), rhs: m(self, rhs) },
            Node::Checked { op, lhs, rhs, site } => {
                Node::Checked { op, lhs: m(self, lhs), rhs: m(self, rhs), site }
            }
            Node::Convert { to, arg } => Node::Convert { to, arg: m(self, arg) },
            Node::Reinterpret { to, arg } => Node::Reinterpret { to, arg: m(self, arg) },
            Node::CheckedConvert { to, arg, site } => Node::CheckedConvert { to, arg: m(self, arg), site },
            Node::Range { arg, lo, hi, site } => Node::Range { arg: m(self, arg), lo, hi, site },
            Node::Select { cond, yes, no } => {
                Node::Select { cond: m(self, cond), yes: m(self, yes), no: m(self, no) }
            }
            Node::And { lhs, rhs } => Node::And { lhs: m(self, lhs), rhs: m(self, rhs) },
            Node::Or { lhs, rhs } => Node::Or { lhs: m(self, lhs), rhs: m(self, rhs) },
            Node::Math { f, args } => Node::Math { f, args: args.map(|a| m(self, a)) },
            Node::MulAdd { args } => Node::MulAdd { args: args.map(|a| m(self, a)) },
        };
        self.exprs().add(translated)
    }

    /// The value of a place, or of an element of it (`u64`, of the kernel) if it is an array.
    fn value(&mut self, place: Place, element: ExprId, context: Context) -> ExprId {
        match place {
            Place::Field(field) if self.held.contains_key(&field) => self.get(self.held[&field]),
            Place::Field(_) | Place::Slot { .. } => {
                let (field, base) = self.record(place, context);
                let address = self.address(field, context.0, base, element);
                self.load(field, context.0, address)
            }
            Place::Room { pool, slot } => {
                let slot = self.memo[&(slot, context)];
                self.room(pool, slot)
            }
            Place::Size(component) => {
                let bits = self.layout.component_bits(component);
                self.exprs().u64(u64::from(bits))
            }
            Place::Temporary(_)
            | Place::Offered(_)
            | Place::Mover
            | Place::Timeout
            | Place::NoProgress
            | Place::Noted
            | Place::Table(_)
            | Place::Parameter(_) => {
                let local = self.local_of(place, context.1);
                self.get(local)
            }
        }
    }

    /// The bits for which a slot has room. The last element of the table stands for all slots beyond.
    fn room(&mut self, pool: PoolId, slot: ExprId) -> ExprId {
        let last = self.layout.shape().slots[pool].len() as u64;
        let e = &mut self.kernel.exprs;
        let slot = e.convert(Type::U64, slot);
        let last = e.u64(last);
        let inside = e.binary(BinaryOp::Lt, slot, last);
        let slot = e.select(inside, slot, last);
        e.load(self.room_tables[pool.index()], Type::U64, slot)
    }

    /// The kernel's local for a place that is not part of the state.
    pub fn local_of(&self, place: Place, who: Who) -> Local {
        match place {
            Place::Mover => self.slots[who as usize],
            Place::Temporary(temporary) => self.temporaries[temporary.index()],
            Place::Offered(number) => self.offered[number as usize],
            Place::Timeout => self.timeout,
            Place::NoProgress => self.no_progress,
            Place::Noted => self.noted,
            Place::Field(_)
            | Place::Slot { .. }
            | Place::Room { .. }
            | Place::Size(_)
            | Place::Table(_)
            | Place::Parameter(_) => {
                unreachable!("{place:?} is in no local of a kernel of processes")
            }
        }
    }

    /// The field of a place, and where its record begins in the state.
    fn record(&mut self, place: Place, context: Context) -> (FieldId, Base) {
        match place {
            Place::Slot { pool, slot, field } => {
                let slot = self.expr(slot, context);
                (field, self.slot_base(pool, slot))
            }
            Place::Field(field) => (field, self.own_base(field, context.1)),
            _ => unreachable!("{place:?} is no part of the state"),
        }
    }

    /// Where the global fields begin.
    pub fn globals(&mut self) -> Base {
        let zero = self.exprs().u64(0);
        Base { word: zero, shift: zero }
    }

    /// The beginning of a field's record: the globals, or the instance at work.
    pub fn own_base(&mut self, field: FieldId, who: Who) -> Base {
        match self.layout.place(field).pool {
            Some(pool) => {
                let word = self.get(self.bases[who as usize]);
                let shift = match self.layout.is_word_aligned(pool, None) {
                    true => self.exprs().u64(0),
                    false => self.get(self.shifts[who as usize]),
                };
                Base { word, shift }
            }
            None => self.globals(),
        }
    }

    fn address(&mut self, field: FieldId, version: Version, base: Base, element: ExprId) -> Address {
        let place = self.layout.place(field);
        let component = self.program.fields[field.index()].component;
        let state = self.get(if version == Version::Source { self.source } else { self.target });
        let mut word = self.exprs().u64(u64::from(place.word));
        let mut shift = self.exprs().u64(u64::from(place.shift));
        let aligned = place.pool.is_some_and(|pool| match self.program.network.pools[pool.index()].header {
            // Every record has the header, even a small one.
            header if component == Some(header) => self.layout.is_word_aligned(pool, None),
            _ => self.layout.is_word_aligned(pool, component),
        });
        if !aligned {
            shift = self.add(base.shift, shift);
        }
        if place.length == 1 && place.bits > 0 && self.kernel.exprs.as_const(element).is_none() {
            // The index into an array of one element is 0, or its evaluation fails.
            shift = self.add(shift, element);
        }
        if place.length > 1 && place.bits > 0 {
            let e = &mut self.kernel.exprs;
            let width = e.u64(u64::from(place.bits.trailing_zeros()));
            if place.is_in_one_word() {
                let offset = e.binary(BinaryOp::Shl, element, width);
                shift = self.add(shift, offset);
            } else {
                let before = e.u64(u64::from(place.start));
                let element = match place.start {
                    0 => element,
                    _ => e.binary(BinaryOp::Add, element, before),
                };
                let per_word = e.u64(u64::from(place.per_word.trailing_zeros()));
                let within = e.u64(u64::from(place.per_word - 1));
                let words = e.binary(BinaryOp::Shr, element, per_word);
                let rest = e.binary(BinaryOp::BitAnd, element, within);
                let offset = e.binary(BinaryOp::Shl, rest, width);
                word = self.add(word, words);
                shift = self.add(shift, offset);
            }
        }
        let word = self.add(base.word, word);
        Address { word: self.add(state, word), shift }
    }

    /// A scalar field, global or of the instance at work.
    pub fn scalar(&mut self, field: FieldId, context: Context) -> ExprId {
        let zero = self.exprs().u64(0);
        let base = self.own_base(field, context.1);
        let address = self.address(field, context.0, base, zero);
        self.load(field, context.0, address)
    }

    fn buffer(&self, version: Version) -> Buffer {
        if version == Version::Source { self.states } else { self.successors }
    }

    fn load(&mut self, field: FieldId, version: Version, address: Address) -> ExprId {
        let place = self.layout.place(field);
        let ty = self.program.fields[field.index()].domain.ty();
        let buffer = self.buffer(version);
        let e = &mut self.kernel.exprs;
        if place.bits == 0 {
            let value = e.i64(place.lo);
            return e.convert(ty, value);
        }
        let mut raw = e.load(buffer, Type::U64, address.word);
        if e.as_const(address.shift) != Some(Const::u64(0)) {
            raw = e.binary(BinaryOp::Shr, raw, address.shift);
        }
        if place.bits < 64 {
            let mask = e.u64(place.mask());
            raw = e.binary(BinaryOp::BitAnd, raw, mask);
        }
        if ty == Type::Bool {
            return e.convert(Type::Bool, raw);
        }
        let value = e.convert(Type::I64, raw);
        if place.lo == 0 {
            return value;
        }
        let lo = e.i64(place.lo);
        e.binary(BinaryOp::Add, value, lo)
    }

    /// Writes a value to a place, or to the element `index` of it.
    pub fn store(
        &mut self,
        place: impl Into<PlaceId>,
        index: Option<ExprId>,
        value: ExprId,
        context: Context,
    ) -> Vec<Stmt> {
        let value = self.expr(value, context);
        match self.program.place(place) {
            Place::Field(field) if self.held.contains_key(&field) => {
                vec![Stmt::Set { local: self.held[&field], value }]
            }
            place @ (Place::Field(_) | Place::Slot { .. }) => {
                let (field, base) = self.record(place, context);
                let element = match index {
                    Some(index) => self.expr(index, context),
                    None => self.exprs().u64(0),
                };
                self.write(field, base, element, value)
            }
            place => vec![Stmt::Set { local: self.local_of(place, context.1), value }],
        }
    }

    /// Stores a value (of the kernel) in a field of the target.
    pub fn write(&mut self, field: FieldId, base: Base, element: ExprId, value: ExprId) -> Vec<Stmt> {
        let place: FieldLayout = self.layout.place(field);
        if place.bits == 0 {
            return Vec::new();
        }
        let address = self.address(field, Version::Target, base, element);
        let successors = self.successors;
        let e = &mut self.kernel.exprs;
        let mut raw = value;
        if e.ty(value) == Type::I64 && place.lo != 0 {
            let lo = e.i64(place.lo);
            raw = e.binary(BinaryOp::Sub, raw, lo);
        }
        raw = e.convert(Type::U64, raw);
        if place.bits < 64 {
            let mask = e.u64(place.mask());
            raw = e.binary(BinaryOp::BitAnd, raw, mask);
            raw = e.binary(BinaryOp::Shl, raw, address.shift);
            let old = e.load(successors, Type::U64, address.word);
            let kept = e.binary(BinaryOp::Shl, mask, address.shift);
            let kept = e.not(kept);
            let kept = e.binary(BinaryOp::BitAnd, old, kept);
            raw = e.binary(BinaryOp::BitOr, kept, raw);
        }
        vec![Stmt::Store { buffer: successors, index: address.word, value: raw }]
    }
}
