//! Processes: how they start, with which values, and how they end.

use super::channels::plural;
use super::code::{Code, Context, Op};
use super::environment::PROCESS_LIMIT;
use super::instances::{CHANNELS, PROCESSES};
use super::reports::Once;
use super::symbols::{ChannelTypeId, Instance, Leaf, LocalNames, ProcessId, Scope, VarId};
use super::types::{LOOP_COUNTER, Type};
use super::values::Value;
use super::variables::Access;
use crate::ast::{self, Initial, Name};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Stmt, Type as Ty};
use volvelle_model::{AccessMode, ComponentId, FieldId, Place, PoolId, SharedResource, SiteSubject};

impl Code<'_, '_> {
    /// `run name(args) priority n`: the operation, and the number of the new process (`i64`).
    pub(super) fn run(
        &mut self,
        cx: Context<'_>,
        name: &Name,
        args: &[ast::ExprId],
        priority: Option<ast::ExprId>,
    ) -> Option<(Op, ExprId)> {
        let Some(number) = self.env.process(&name.text) else {
            let message = format!("`{}` is not a process type", name.text);
            let known = self.env.processes.values().filter(|p| !p.is_init).map(|p| p.name.as_str());
            self.out.reports.misspelt(codes::UNKNOWN_NAME, message, name.place, &name.text, known);
            return None;
        };
        if self.inside_d_step {
            let help = "use `atomic`; SPIN refuses it as well";
            self.unsupported(name.place, "`run` inside a `d_step`", help);
            return None;
        }
        let values = self.scalars(cx, args)?;
        let wanted = self.scalars_of_parameters(number);
        if values.len() != wanted {
            let message =
                format!("`{}` takes {}, not {}", name.text, plural(wanted, "argument"), values.len());
            self.error(codes::WRONG_ARGUMENT_COUNT, message, name.place, "");
            return None;
        }
        if self.env.facts.numbers_matter {
            self.access_to(SharedResource::Count(PROCESSES), AccessMode::Write);
        }
        if self.env.facts.numbers_matter && !self.env.channels_of(number).is_empty() {
            self.access_to(SharedResource::Count(CHANNELS), AccessMode::Write);
        }
        self.footprint.creates.push(number.index());
        let priority = self.priority_of(priority);
        let (effect, slot) = self.creation(number, &values, priority, name.place)?;
        let guard = self.out.program.exprs.bool(true);
        Some((Op { guard, offer: None, effect }, slot))
    }

    /// How many scalars the parameters of a process type have: those of structures one by one.
    pub(super) fn scalars_of_parameters(&self, process: ProcessId) -> usize {
        let parameters = self.env.processes[process].parameters.iter();
        let leaves = parameters.flat_map(|&parameter| &self.env.variables[parameter].leaves);
        leaves.map(|leaf| leaf.lengths.iter().product::<u32>() as usize).sum()
    }

    /// The block that creates a process with these arguments, and the number of the process.
    pub(super) fn creation(
        &mut self,
        process: ProcessId,
        args: &[Value],
        priority: i64,
        place: ast::Place,
    ) -> Option<(Block, ExprId)> {
        let local = self.out.creation_local(0);
        let slot = self.out.program.exprs.local(local, Ty::I64);
        let component = self.env.processes[process].component;
        let count = self.env.fields.processes;
        let old = self.out.program.field(count);
        let mut block = vec![Stmt::Set { local, value: old }];
        block.push(self.room(PROCESSES, slot, component, place));
        let parameters = &self.env.processes[process].parameters;
        let mut scope =
            Scope { process: Some(process), instance: Instance::At(slot), names: LocalNames::default() };
        let mut args = args.iter();
        for &parameter in parameters {
            let info = &self.env.variables[parameter];
            scope.names.push(info.name.clone(), parameter);
            for leaf in &info.leaves {
                let total: u32 = leaf.lengths.iter().product();
                for (i, &value) in args.by_ref().take(total as usize).enumerate() {
                    let element = (total > 1).then(|| self.out.program.exprs.i64(i as i64));
                    let access = Access::of(leaf.field, leaf.ty, element, Some(slot));
                    block.push(self.write(access, value));
                }
            }
        }
        for &variable in self.env.variables_of(process) {
            let info = &self.env.variables[variable];
            if !parameters.contains(&variable) {
                self.initialise(variable, Some(slot), Context::of(&scope), &mut block);
                scope.names.push(info.name.clone(), variable);
            }
        }
        for field in self.counters_of(component) {
            let zero = self.number(0);
            let access = Access::of(field, LOOP_COUNTER, None, Some(slot));
            block.push(self.write(access, zero));
        }
        let entry = self.env.processes[process].locations.0;
        let location = self.out.field_in(self.env.fields.location, Some(slot));
        let e = &mut self.out.program.exprs;
        let (one, entry) = (e.i64(1), e.i64(i64::from(entry)));
        let more = e.binary(BinaryOp::Add, slot, one);
        block.push(self.out.program.set(location, entry));
        self.begin_with_priority(slot, priority, &mut block);
        block.push(self.out.program.set(Place::Field(count), more));
        Some((block, slot))
    }

    /// The statement that fails where a slot has no room for a component.
    fn room(&mut self, pool: PoolId, slot: ExprId, component: ComponentId, place: ast::Place) -> Stmt {
        let cond = self.out.program.lacks_room(pool, slot, component);
        let site = self.site(FailKind::Assertion, SiteSubject::Room(component), place);
        Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] }
    }

    /// Fields with counters of the loops over channels in a process type.
    fn counters_of(&self, component: ComponentId) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = self
            .env
            .loop_counters
            .values()
            .copied()
            .filter(|f| self.out.program.fields[f.index()].component == Some(component))
            .collect();
        fields.sort_unstable();
        fields
    }

    /// Initialises a variable. New slots are zeros in the packed state, which is not the value 0 for types with negative values.
    pub(super) fn initialise(
        &mut self,
        variable: VarId,
        slot: Option<ExprId>,
        cx: Context<'_>,
        block: &mut Block,
    ) {
        let info = &self.env.variables[variable];
        for leaf in &info.leaves {
            if self.env.constant_channels.contains_key(&leaf.field) && leaf.channel.is_none() {
                continue;
            }
            if let Some(ty) = leaf.channel {
                self.create_channels(leaf, ty, slot, block, info.place);
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
                    let Some(value) = self.expr(cx, value) else { continue };
                    values = vec![value; total as usize];
                }
                Some(Initial::List(list)) => {
                    let length = leaf.lengths.last().copied().unwrap_or(1) as usize;
                    if leaf.path.is_empty() && info.length.is_none() {
                        let message = format!("`{}` is no array: it has one value", info.name);
                        self.error(codes::TYPE_MISMATCH, message, info.place, "leave out the braces");
                    } else if list.len() > length {
                        let message = format!("{} for {length}", plural(list.len(), "value"));
                        let note = "those at the end have no effect, as in SPIN";
                        self.warning_once(Once::WithoutEffect(info.place), message, info.place, note);
                    }
                    let mut array = Vec::new();
                    for value in list.into_iter().take(length) {
                        let Some(value) = self.expr(cx, value) else { continue };
                        array.push(value);
                    }
                    // As in SPIN, the last value is also that of all elements behind it.
                    if let Some(&last) = array.last() {
                        array.resize(length, last);
                    }
                    values = array.repeat((total as usize) / length.max(1));
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
                    && self.out.program.exprs.as_const(value.id).and_then(|c| c.as_i64()) == Some(0)
                {
                    continue;
                }
                let element = (total > 1).then(|| self.out.program.exprs.i64(i as i64));
                let access = Access::of(leaf.field, leaf.ty, element, slot);
                block.push(self.write(access, value));
            }
        }
        if let Type::Struct(_) = info.ty
            && info.initial.is_some()
        {
            let message = format!("the initial value of `{}` has no effect: it is a structure", info.name);
            let note = "SPIN ignores it, too; members have initial values in the `typedef`";
            self.warning_once(Once::WithoutEffect(info.place), message, info.place, note);
        }
    }

    /// Stores a value to all elements of an array.
    fn fill(&mut self, leaf: &Leaf, slot: Option<ExprId>, value: Value, block: &mut Block) {
        let total: u32 = leaf.lengths.iter().product();
        let i = self.out.scratch(0);
        let i_value = self.out.program.exprs.local(i, Ty::I64);
        let access = Access::of(leaf.field, leaf.ty, Some(i_value), slot);
        let body = vec![self.write(access, value)];
        let e = &mut self.out.program.exprs;
        let (from, to) = (e.i64(0), e.i64(i64::from(total)));
        block.push(Stmt::For { local: i, from, to, body });
    }

    /// Creates the channels of `chan c = [n] of { … }`, one for each element.
    fn create_channels(
        &mut self,
        leaf: &Leaf,
        ty: ChannelTypeId,
        slot: Option<ExprId>,
        block: &mut Block,
        place: ast::Place,
    ) {
        let total: u32 = leaf.lengths.iter().product();
        let component = self.env.channel_types[ty].component;
        let (count, kind) = (self.env.fields.channels, self.env.fields.kind);
        for i in 0..total {
            let local = self.out.creation_local(1);
            let channel = self.out.program.exprs.local(local, Ty::I64);
            let old = self.out.program.field(count);
            block.push(Stmt::Set { local, value: old });
            block.push(self.room(CHANNELS, channel, component, place));
            let value = self.out.program.exprs.i64(i64::from(ty.0));
            block.push(self.set_of_channel(kind, channel, None, value));
            let e = &mut self.out.program.exprs;
            let one = e.i64(1);
            let number = e.binary(BinaryOp::Add, channel, one);
            if !self.env.constant_channels.contains_key(&leaf.field) {
                let element = (total > 1).then(|| self.out.program.exprs.i64(i64::from(i)));
                let access = Access::of(leaf.field, leaf.ty, element, slot);
                block.push(self.write(access, Value { id: number, lo: 0, hi: PROCESS_LIMIT }));
            }
            block.push(self.out.program.set(Place::Field(count), number));
        }
    }

    /// The last step of a process: the youngest goes first. Its slot and its channels are zeros afterwards.
    pub(super) fn end_of_process(&mut self, process: ProcessId) -> Op {
        let component = self.env.processes[process].component;
        let count = self.env.fields.processes;
        let me = self.out.program.read(Place::Mover);
        let live = self.out.program.field(count);
        let e = &mut self.out.program.exprs;
        let one = e.i64(1);
        let last = e.binary(BinaryOp::Sub, live, one);
        let guard = e.binary(BinaryOp::Eq, me, last);
        let mut effect = Vec::new();
        for id in self.out.fields_of(component).to_vec() {
            let field = &self.out.program.fields[id.index()];
            let (lo, length) = (field.domain.bounds().0, field.length);
            self.clear(id, lo, length, None, &mut effect);
        }
        // Only the youngest process can end, so that ends commute.
        if self.env.facts.numbers_matter {
            self.access_to(SharedResource::Count(PROCESSES), AccessMode::Add);
        }
        let made = self.env.channels_of(process);
        if !made.is_empty() {
            if self.env.facts.numbers_matter {
                self.access_to(SharedResource::Count(CHANNELS), AccessMode::Add);
            }
            for which in self.env.own_channels(process) {
                self.access_to(SharedResource::Slot(CHANNELS, which), AccessMode::Write);
            }
        }
        // The channels created last have the greatest numbers.
        for ty in made.into_iter().rev() {
            let channels = self.env.fields.channels;
            let number = self.out.program.field(channels);
            let slot = self.out.program.exprs.binary(BinaryOp::Sub, number, one);
            let info = &self.env.channel_types[ty];
            for field in info.messages.iter().copied().chain(info.length).chain([self.env.fields.kind]) {
                let (lo, length) = {
                    let f = &self.out.program.fields[field.index()];
                    (f.domain.bounds().0, f.length)
                };
                self.clear(field, lo, length, Some(slot), &mut effect);
            }
            effect.push(self.out.program.set(Place::Field(channels), slot));
        }
        let location = self.env.fields.location;
        self.clear(location, 0, 1, None, &mut effect);
        if let Some(priority) = self.out.program.network.priority {
            self.clear(priority, 0, 1, None, &mut effect);
        }
        effect.push(self.out.program.set(Place::Field(count), last));
        Op { guard, offer: None, effect }
    }

    /// Stores zero, or the least value, to all elements of a field.
    fn clear(&mut self, field: FieldId, lo: i64, length: u32, slot: Option<ExprId>, block: &mut Block) {
        let value = self.out.program.exprs.i64(lo);
        let place = self.out.field_in(field, slot);
        if length == 1 {
            block.push(self.out.program.set(place, value));
            return;
        }
        let i = self.out.scratch(0);
        let i_value = self.out.program.exprs.local(i, Ty::I64);
        let body = vec![self.out.program.set_element(place, i_value, value)];
        let (zero, to) = (self.out.program.exprs.i64(0), self.out.program.exprs.i64(i64::from(length)));
        block.push(Stmt::For { local: i, from: zero, to, body });
    }
}
