//! Processes: how they start, what they begin with, how they end.

use super::expression::{Access, CHANNELS, PROCESSES, Value};
use super::statements::Op;
use super::types::Type;
use super::variables::{Instance, Leaf, Scope, VarId};
use super::{Lowering, PROCESS_LIMIT, ProcessId};
use crate::ast::{self, Initial, Name};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Local, Stmt, Type as Ty};
use volvelle_model::{ComponentId, FieldId, Manner, Object, Place, PoolId, Role, SiteSubject, Which};

impl Lowering<'_> {
    /// `run name(args) priority n`: the operation, and the number of the new process (`i64`).
    pub(super) fn run(
        &mut self,
        scope: &Scope,
        name: &Name,
        args: &[ast::ExprId],
        priority: Option<ast::ExprId>,
    ) -> Option<(Op, ExprId)> {
        let Some(number) = self.processes.iter().position(|p| p.name == name.text && !p.is_init) else {
            let message = format!("`{}` is not a process type", name.text);
            self.error(codes::UNKNOWN_NAME, message, name.place, "");
            return None;
        };
        let mut values = Vec::new();
        for &arg in args {
            values.push(self.expr(scope, arg)?);
        }
        let wanted = self.processes[number].parameters.len();
        if values.len() != wanted {
            let message = format!(
                "`{}` takes {}, not {}",
                name.text,
                super::channels::plural(wanted, "argument"),
                values.len()
            );
            self.error(codes::WRONG_ARGUMENT_COUNT, message, name.place, "");
            return None;
        }
        if self.numbers_matter {
            self.touch(Object::Count(PROCESSES), Manner::Write);
        }
        if self.numbers_matter && !self.channels_of(ProcessId(number as u32)).is_empty() {
            self.touch(Object::Count(CHANNELS), Manner::Write);
        }
        self.creates.push(number);
        let priority = self.priority_of(priority);
        let (effect, slot) = self.creation(ProcessId(number as u32), &values, priority, name.place)?;
        let guard = self.program.exprs.bool(true);
        Some((Op { guard, role: Role::Alone, effect }, slot))
    }

    /// What starts a process with these arguments, and its number.
    pub(super) fn creation(
        &mut self,
        process: ProcessId,
        args: &[Value],
        priority: i64,
        place: ast::Place,
    ) -> Option<(Block, ExprId)> {
        let local = self.creation_local(0);
        let slot = self.program.exprs.local(local, Ty::I64);
        let component = self.processes[process.0 as usize].component;
        let count = self.internal.processes;
        let old = self.program.field(count);
        let mut block = vec![Stmt::Set { local, value: old }];
        block.push(self.room(PoolId(0), slot, component, place));
        let parameters = self.processes[process.0 as usize].parameters.clone();
        let mut scope = Scope { process: Some(process), instance: Instance::At(slot), names: Vec::new() };
        for (&parameter, &value) in parameters.iter().zip(args) {
            let info = self.variables[parameter.0 as usize].clone();
            scope.names.push((info.name.clone(), parameter));
            let Some(leaf) = info.leaves.first() else { continue };
            let access = Access::of(leaf.field, leaf.ty, None, Some(slot));
            block.push(self.write(access, value));
        }
        for variable in self.variables_of(process) {
            let info = self.variables[variable.0 as usize].clone();
            if !parameters.contains(&variable) {
                self.initialise(variable, Some(slot), &scope, &mut block);
                scope.names.push((info.name, variable));
            }
        }
        for field in self.counters_of(component) {
            let zero = self.number(0);
            let access = Access::of(field, super::types::Scalar::Byte, None, Some(slot));
            block.push(self.write(access, zero));
        }
        let entry = self.processes[process.0 as usize].locations.0;
        let location = self.program.field_in(self.internal.location, Some(slot));
        let e = &mut self.program.exprs;
        let (one, entry) = (e.i64(1), e.i64(i64::from(entry)));
        let more = e.binary(BinaryOp::Add, slot, one);
        block.push(self.program.set(location, entry));
        self.begin_with_priority(slot, priority, &mut block);
        block.push(self.program.set(Place::Field(count), more));
        Some((block, slot))
    }

    /// Fails where a slot has no room for a component.
    fn room(&mut self, pool: PoolId, slot: ExprId, component: ComponentId, place: ast::Place) -> Stmt {
        let cond = self.program.lacks_room(pool, slot, component);
        let site = self.site(FailKind::Assertion, SiteSubject::Room(component), place);
        Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] }
    }

    fn variables_of(&self, process: ProcessId) -> Vec<VarId> {
        let own = |(_, v): &(usize, &super::variables::VarInfo)| v.process == Some(process);
        self.variables.iter().enumerate().filter(own).map(|(i, _)| VarId(i as u32)).collect()
    }

    fn counters_of(&self, component: ComponentId) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = self
            .loop_counters
            .values()
            .copied()
            .filter(|f| self.program.fields[f.index()].component == Some(component))
            .collect();
        fields.sort_unstable();
        fields
    }

    /// Gives a variable what it starts with. New slots are zeros, which for numbers that may be negative is not 0.
    pub(super) fn initialise(
        &mut self,
        variable: VarId,
        slot: Option<ExprId>,
        scope: &Scope,
        block: &mut Block,
    ) {
        let info = self.variables[variable.0 as usize].clone();
        for leaf in &info.leaves {
            if self.constant_channels.contains_key(&leaf.field) && leaf.channel.is_none() {
                continue;
            }
            if let Some(ty) = leaf.channel {
                self.make_channels(leaf, ty, slot, block, info.place);
                continue;
            }
            let initial = if leaf.path.is_empty() {
                info.initial.clone().filter(|_| !info.late)
            } else {
                leaf.initial.clone()
            };
            let total: u32 = leaf.lengths.iter().product();
            let mut values = Vec::new();
            match initial {
                Some(Initial::Value(value)) => {
                    let Some(value) = self.expr(scope, value) else { continue };
                    values = vec![value; total as usize];
                }
                Some(Initial::List(list)) => {
                    if list.len() > total as usize {
                        let message = format!("{} for {total}", super::channels::plural(list.len(), "value"));
                        self.error(codes::TYPE_MISMATCH, message, info.place, "");
                    }
                    for value in list {
                        let Some(value) = self.expr(scope, value) else { continue };
                        values.push(value);
                    }
                }
                Some(Initial::Channel(_)) | None => {}
            }
            values.truncate(total as usize);
            let zero = self.number(0);
            if leaf.ty.bounds().0 != 0 {
                values.resize(total as usize, zero);
            }
            let same = values.windows(2).all(|w| w[0].id == w[1].id);
            if same && values.len() > 8 {
                self.fill(leaf, slot, values[0], block);
                continue;
            }
            for (i, value) in values.into_iter().enumerate() {
                if leaf.ty.bounds().0 == 0
                    && self.program.exprs.as_const(value.id).and_then(|c| c.as_i64()) == Some(0)
                {
                    continue;
                }
                let element = (total > 1).then(|| self.program.exprs.i64(i as i64));
                let access = Access::of(leaf.field, leaf.ty, element, slot);
                block.push(self.write(access, value));
            }
        }
        if let Type::Struct(_) = info.ty
            && info.initial.is_some()
        {
            self.error(codes::TYPE_MISMATCH, "a structure has no initial value", info.place, "");
        }
    }

    fn fill(&mut self, leaf: &Leaf, slot: Option<ExprId>, value: Value, block: &mut Block) {
        let total: u32 = leaf.lengths.iter().product();
        let i = self.scratch(0);
        let i_value = self.program.exprs.local(i, Ty::I64);
        let access = Access::of(leaf.field, leaf.ty, Some(i_value), slot);
        let body = vec![self.write(access, value)];
        let e = &mut self.program.exprs;
        let (from, to) = (e.i64(0), e.i64(i64::from(total)));
        block.push(Stmt::For { local: i, from, to, body });
    }

    /// Makes the channels of `chan c = [n] of { … }`, one for each element.
    fn make_channels(
        &mut self,
        leaf: &Leaf,
        ty: usize,
        slot: Option<ExprId>,
        block: &mut Block,
        place: ast::Place,
    ) {
        let total: u32 = leaf.lengths.iter().product();
        let component = self.channel_types[ty].component;
        let (count, kind) = (self.internal.channels, self.internal.kind);
        for i in 0..total {
            let local = self.creation_local(1);
            let channel = self.program.exprs.local(local, Ty::I64);
            let old = self.program.field(count);
            block.push(Stmt::Set { local, value: old });
            block.push(self.room(PoolId(1), channel, component, place));
            if let Some(kind) = kind {
                let kind = self.program.field_in(kind, Some(channel));
                let value = self.program.exprs.i64(ty as i64);
                block.push(self.program.set(kind, value));
            }
            let e = &mut self.program.exprs;
            let one = e.i64(1);
            let number = e.binary(BinaryOp::Add, channel, one);
            if !self.constant_channels.contains_key(&leaf.field) {
                let element = (total > 1).then(|| self.program.exprs.i64(i64::from(i)));
                let access = Access::of(leaf.field, leaf.ty, element, slot);
                block.push(self.write(access, Value { id: number, lo: 0, hi: PROCESS_LIMIT }));
            }
            block.push(self.program.set(Place::Field(count), number));
        }
    }

    /// Types of the channels that a process makes when it starts, in their order.
    fn channels_of(&self, process: ProcessId) -> Vec<usize> {
        let mut made = Vec::new();
        for variable in self.variables_of(process) {
            for leaf in &self.variables[variable.0 as usize].leaves {
                if let Some(ty) = leaf.channel {
                    made.extend(std::iter::repeat_n(ty, leaf.lengths.iter().product::<u32>() as usize));
                }
            }
        }
        made
    }

    /// The channels that a process made when it started, as far as it still knows them.
    fn own_channels(&self, process: ProcessId) -> Vec<Which> {
        let mut own = Vec::new();
        for variable in self.variables_of(process) {
            let info = &self.variables[variable.0 as usize];
            for leaf in info.leaves.iter().filter(|l| l.channel.is_some()) {
                let one = leaf.lengths.iter().product::<u32>() == 1 && leaf.path.is_empty();
                let fixed = one && !self.assigned.contains(&info.name);
                own.push(if fixed { Which::Own(leaf.field, 1) } else { Which::Any });
            }
        }
        own
    }

    /// The last step of a process: the youngest goes first. Its slot and its channels are zeros afterwards.
    pub(super) fn end_of_process(&mut self, process: ProcessId) -> Op {
        let component = self.processes[process.0 as usize].component;
        let count = self.internal.processes;
        let me = self.program.read(Place::Mover);
        let live = self.program.field(count);
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let last = e.binary(BinaryOp::Sub, live, one);
        let guard = e.binary(BinaryOp::Eq, me, last);
        let mut effect = Vec::new();
        for i in 0..self.program.fields.len() {
            let field = &self.program.fields[i];
            if field.component == Some(component) {
                let (lo, length) = (field.domain.bounds().0, field.length);
                self.clear(FieldId(i as u32), lo, length, None, &mut effect);
            }
        }
        // The youngest goes first, so that ends do not get in each other's way.
        if self.numbers_matter {
            self.touch(Object::Count(PROCESSES), Manner::Add);
        }
        let made = self.channels_of(process);
        if !made.is_empty() {
            if self.numbers_matter {
                self.touch(Object::Count(CHANNELS), Manner::Add);
            }
            for which in self.own_channels(process) {
                self.touch(Object::Slot(CHANNELS, which), Manner::Write);
            }
        }
        // Those made last have the greatest numbers.
        for ty in made.into_iter().rev() {
            let channels = self.internal.channels;
            let number = self.program.field(channels);
            let slot = self.program.exprs.binary(BinaryOp::Sub, number, one);
            let info = self.channel_types[ty].clone();
            for field in info.messages.iter().copied().chain(info.length).chain(self.internal.kind) {
                let (lo, length) = {
                    let f = &self.program.fields[field.index()];
                    (f.domain.bounds().0, f.length)
                };
                self.clear(field, lo, length, Some(slot), &mut effect);
            }
            effect.push(self.program.set(Place::Field(channels), slot));
        }
        let location = self.internal.location;
        self.clear(location, 0, 1, None, &mut effect);
        if let Some(priority) = self.program.network.priority {
            self.clear(priority, 0, 1, None, &mut effect);
        }
        effect.push(self.program.set(Place::Field(count), last));
        Op { guard, role: Role::Alone, effect }
    }

    fn clear(&mut self, field: FieldId, lo: i64, length: u32, slot: Option<ExprId>, block: &mut Block) {
        let value = self.program.exprs.i64(lo);
        let place = self.program.field_in(field, slot);
        if length == 1 {
            block.push(self.program.set(place, value));
            return;
        }
        let i = self.scratch(0);
        let i_value = self.program.exprs.local(i, Ty::I64);
        let body = vec![self.program.set_element(place, i_value, value)];
        let (zero, to) = (self.program.exprs.i64(0), self.program.exprs.i64(i64::from(length)));
        block.push(Stmt::For { local: i, from: zero, to, body });
    }

    fn creation_local(&mut self, number: usize) -> Local {
        while self.creation_locals.len() <= number {
            let local = self.program.temporary(Ty::I64);
            self.creation_locals.push(local);
        }
        self.creation_locals[number]
    }

    /// A temporary for the inside of one operation.
    pub(super) fn scratch(&mut self, number: usize) -> Local {
        while self.scratch_locals.len() <= number {
            let local = self.program.temporary(Ty::I64);
            self.scratch_locals.push(local);
        }
        self.scratch_locals[number]
    }

    /// A value of an offer, counted from 0.
    pub(super) fn offered(&mut self, number: usize) -> ExprId {
        let number = number as u32;
        let offered = &mut self.program.network.offered;
        *offered = (*offered).max(number + 1);
        self.program.read(Place::Offered(number))
    }
}
