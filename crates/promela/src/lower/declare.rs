//! Declarations: variables, channel types and process types become fields and components of the program.

use super::Purpose;
use super::builder::Builder;
use super::declare_types::Declarations;
use super::environment::{Environment, PrintFields, RuntimeFields};
use super::facts::{Facts, each_block};
use super::input::Input;
use super::printing::LOG_LENGTH;
use super::priority;
use super::symbols::{ChannelType, ChannelTypeId, Leaf, ProcessId, ProcessInfo, VariableInfo};
use super::types::{LOOP_COUNTER, MAX_LENGTH, Mtypes, Scalar, Type};
use crate::ast::{
    self, ChannelInit, Declaration, Initial, Model, Name, Place, Sequence, Statement, StatementKind, Unit,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::codes;
use volvelle_kernel::EntityVec;
use volvelle_model::{ComponentId, Domain};

/// Most fields that variables may be made of.
const MAX_FIELDS: usize = 100_000;

/// Declares the symbols of a model.
pub(super) fn declare<'a>(model: &'a Model, purpose: Purpose<'_>, out: &mut Builder<'a>) -> Environment<'a> {
    let facts = Facts::of(model);
    let fields = runtime_fields(model, &facts, purpose, out);
    let input = match purpose {
        Purpose::Analysis { input } => input.map(<[u8]>::to_vec),
        Purpose::Simulation => None,
    };
    let mut env = Environment {
        model,
        facts,
        fields,
        input,
        mtypes: Mtypes::default(),
        structs: EntityVec::new(),
        channel_types: EntityVec::new(),
        variables: EntityVec::new(),
        own_variables: EntityVec::new(),
        declared: FxHashMap::default(),
        globals: FxHashMap::default(),
        hidden: FxHashSet::default(),
        loop_counters: FxHashMap::default(),
        processes: EntityVec::new(),
        process_names: FxHashMap::default(),
        constant_channels: FxHashMap::default(),
        trace: None,
    };
    let mut declarations = Declarations { env: &mut env, out };
    declarations.collect_mtypes();
    declarations.collect_structs();
    declarations.declare_all();
    declarations.find_constant_channels();
    let mut own_variables: EntityVec<ProcessId, Vec<_>> =
        env.processes.values().map(|_| Vec::new()).collect();
    for (id, info) in env.variables.iter() {
        if let Some(process) = info.process {
            own_variables[process].push(id);
        }
    }
    env.own_variables = own_variables;
    env
}

/// Declares the fields that the text does not declare.
fn runtime_fields(
    model: &Model,
    facts: &Facts,
    purpose: Purpose<'_>,
    out: &mut Builder<'_>,
) -> RuntimeFields {
    let place = Place(0);
    let number = Domain::Int { lo: 0, hi: 65_535 };
    let none = Domain::Int { lo: 0, hi: 0 };
    let processes = out.field("_nr_pr".into(), number, None, 1, place);
    let channels = out.field("_nr_qs".into(), number, None, 1, place);
    let last = facts.reads_last.then(|| out.field("_last".into(), number, None, 1, place));
    // The process that is inside an `atomic`; without one, merged statements may need the field.
    let owner = out.field(":exclusive".into(), number, None, 1, place);
    let print = matches!(purpose, Purpose::Simulation).then(|| {
        let count = Domain::Int { lo: 0, hi: i64::from(LOG_LENGTH) };
        let length = out.field(":printed".into(), count, None, 1, place);
        let log = out.field(":print".into(), Scalar::Int.domain(), None, LOG_LENGTH, place);
        PrintFields { length, log }
    });
    let has_trace = model.units.iter().any(|u| matches!(u, Unit::Trace { .. }));
    let trace = has_trace.then(|| out.field(":event".into(), none, None, 1, place));
    let input = match purpose {
        _ if !facts.reads_input => None,
        Purpose::Analysis { input } => input.map(|input| input.len() as i64),
        Purpose::Simulation => Some(Input::END),
    };
    let input = input.map(|hi| out.field(":input".into(), Domain::Int { lo: 0, hi }, None, 1, place));
    let header = out.component(":process");
    let location = out.field(":location".into(), none, Some(header), 1, place);
    if facts.has_priorities {
        let field = out.field("_priority".into(), priority::DOMAIN, Some(header), 1, place);
        out.field_types[field.index()] = Some(Scalar::Byte);
        out.program.network.priority = Some(field);
    }
    let header = out.component(":channel");
    let kind = out.field(":type".into(), none, Some(header), 1, place);
    let network = &mut out.program.network;
    network.location = Some(location);
    network.owner = Some(owner);
    network.last = last;
    RuntimeFields { processes, channels, location, kind, last, trace, input, print }
}

impl Declarations<'_, '_> {
    fn declare_all(&mut self) {
        let model = self.env.model;
        for unit in &model.units {
            match unit {
                Unit::Declaration(declaration) => {
                    self.declare(declaration, None, None, false);
                    for variable in &declaration.variables {
                        if let Some(&id) = self.env.declared.get(&variable.name.place) {
                            let name = &variable.name;
                            if self.env.globals.insert(name.text.clone(), id).is_some()
                                || self.env.mtypes.values.contains_key(&name.text)
                                || self.env.process_names.contains_key(&name.text)
                            {
                                self.declared_twice(name);
                            }
                        }
                    }
                }
                Unit::Proctype(p) => self.declare_process(p),
                _ => {}
            }
        }
    }

    fn declare_process(&mut self, p: &ast::Proctype) {
        let id = self.env.processes.next_key();
        let name = if p.is_init { ":init:".to_owned() } else { p.name.text.clone() };
        if self.env.process_names.contains_key(&name) || self.env.globals.contains_key(&name) {
            self.declared_twice(&p.name);
        }
        let component = self.out.component(&name);
        let mut parameters = Vec::new();
        // Parameters belong to the same scope as the variables in front.
        let mut names = FxHashSet::default();
        for declaration in &p.parameters {
            self.declare(declaration, Some(id), Some(component), false);
            self.only_once(declaration, &mut names);
            for variable in &declaration.variables {
                if let Some(&v) = self.env.declared.get(&variable.name.place) {
                    parameters.push(v);
                    // The values of a structure are those of the argument, channels included.
                    for leaf in &mut self.env.variables[v].leaves {
                        (leaf.channel, leaf.initial) = (None, None);
                    }
                }
            }
        }
        self.declare_body(&p.body, names, id, component);
        self.env.process_names.entry(name.clone()).or_insert(id);
        self.env.processes.push(ProcessInfo {
            name,
            is_init: p.is_init,
            component,
            parameters,
            locations: (0, 0),
            slots: Vec::new(),
            unreachable: Vec::new(),
            labels: FxHashMap::default(),
        });
    }

    /// Declares the variables of a declaration.
    fn declare(
        &mut self,
        declaration: &Declaration,
        process: Option<ProcessId>,
        component: Option<ComponentId>,
        late: bool,
    ) {
        for variable in &declaration.variables {
            self.declare_variable(declaration, variable, process, component, late);
        }
    }

    fn declare_variable(
        &mut self,
        declaration: &Declaration,
        variable: &Variable,
        process: Option<ProcessId>,
        component: Option<ComponentId>,
        late: bool,
    ) {
        let Some(ty) = self.type_of(&declaration.ty, variable.bits, declaration.place) else { return };
        let length = variable.length.and_then(|l| self.length(l));
        let mut leaves = Vec::new();
        let name = &variable.name;
        self.leaves(
            ty,
            &name.text,
            name.place,
            component,
            vec![length.unwrap_or(1)],
            Vec::new(),
            &mut leaves,
        );
        let channel = match &variable.initial {
            Some(Initial::Channel(init)) => self.declare_channel_type(init, &name.text),
            _ => None,
        };
        if let [leaf] = leaves.as_mut_slice()
            && leaf.path.is_empty()
        {
            leaf.channel = channel;
        }
        if declaration.visibility.hidden {
            self.env.hidden.extend(leaves.iter().map(|leaf| leaf.field));
        }
        let id = self.env.variables.push(VariableInfo {
            name: name.text.clone(),
            ty,
            length,
            process,
            leaves,
            place: name.place,
            initial: variable.initial.clone(),
            late,
            channel,
            hidden: declaration.visibility.hidden,
        });
        self.env.declared.insert(name.place, id);
    }

    #[allow(clippy::too_many_arguments)] // one walk over a type
    fn leaves(
        &mut self,
        ty: Type,
        shown: &str,
        place: Place,
        component: Option<ComponentId>,
        lengths: Vec<u32>,
        path: Vec<String>,
        out: &mut Vec<Leaf>,
    ) {
        match ty {
            Type::Scalar(scalar) => {
                let total = lengths.iter().try_fold(1u32, |n, &l| n.checked_mul(l));
                let Some(length) = total.filter(|&n| i64::from(n) <= MAX_LENGTH) else {
                    self.out.reports.error(codes::TYPE_MISMATCH, "this variable is too large", place, "");
                    return;
                };
                if self.out.program.fields.len() >= MAX_FIELDS {
                    if self.out.program.fields.len() == MAX_FIELDS {
                        self.out.reports.error(
                            codes::TYPE_MISMATCH,
                            "the model has too many variables",
                            place,
                            "",
                        );
                    }
                    return;
                }
                let field = self.out.field(shown.to_owned(), scalar.domain(), component, length, place);
                self.out.field_types[field.index()] = Some(scalar);
                if lengths.len() > 1 {
                    self.out.lengths.insert(field, lengths.clone());
                }
                out.push(Leaf { path, ty: scalar, field, lengths, channel: None, initial: None });
            }
            Type::Struct(number) => {
                // A structure can only use those before it: nesting ends.
                for member in self.env.structs[number].members.clone() {
                    let mut lengths = lengths.clone();
                    lengths.push(member.length.unwrap_or(1));
                    let mut path = path.clone();
                    path.push(member.name.clone());
                    let shown = format!("{shown}.{}", member.name);
                    let depth = path.len();
                    let before = out.len();
                    self.leaves(member.ty, &shown, place, component, lengths, path, out);
                    for leaf in &mut out[before..] {
                        // Only a member that is a scalar itself: those of nested structures have their own.
                        if leaf.path.len() == depth {
                            leaf.initial = member.initial.clone();
                        }
                    }
                    if let Some(Initial::Channel(init)) = &member.initial {
                        let ty = self.declare_channel_type(init, &shown);
                        out[before..].iter_mut().for_each(|leaf| leaf.channel = ty);
                    }
                }
            }
        }
    }

    /// Declares the variables in the body of a process, those of nested blocks included. SPIN gives initial values
    /// when the process starts as long as no statement came before, and by an assignment otherwise.
    fn declare_body<'s>(
        &mut self,
        body: &'s Sequence,
        mut names: FxHashSet<&'s str>,
        process: ProcessId,
        component: ComponentId,
    ) {
        let mut started = false;
        for statement in &body.statements {
            match &statement.kind {
                StatementKind::Declaration(declaration) => {
                    self.declare(declaration, Some(process), Some(component), started);
                    self.only_once(declaration, &mut names);
                }
                StatementKind::Exclusive { .. } => {}
                _ => {
                    started = true;
                    self.declare_nested(statement, process, component);
                }
            }
        }
    }

    /// The parser limits the depth of the recursion.
    fn declare_nested(&mut self, statement: &Statement, process: ProcessId, component: ComponentId) {
        if let StatementKind::ForIn { variable, .. } = &statement.kind {
            // A loop over a channel counts in a variable of its own.
            let place = self.env.place(*variable);
            let field = self.out.field(":index".into(), LOOP_COUNTER.domain(), Some(component), 1, place);
            self.out.field_types[field.index()] = Some(LOOP_COUNTER);
            self.env.loop_counters.insert(statement.place, field);
        }
        each_block(statement, &mut |block| {
            let mut names = FxHashSet::default();
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Declaration(declaration) => {
                        self.declare(declaration, Some(process), Some(component), true);
                        self.only_once(declaration, &mut names);
                    }
                    _ => self.declare_nested(statement, process, component),
                }
            }
        });
    }

    /// Reports the variables of a declaration that their scope has already; `names` are those of the scope.
    fn only_once<'s>(&mut self, declaration: &'s Declaration, names: &mut FxHashSet<&'s str>) {
        for variable in &declaration.variables {
            if !names.insert(&variable.name.text) {
                self.declared_twice(&variable.name);
            }
        }
    }

    pub(super) fn declared_twice(&mut self, name: &Name) {
        let message = format!("`{}` is declared twice", name.text);
        self.out.reports.error(codes::DUPLICATE_NAME, message, name.place, "give one of them another name");
    }

    /// The type of the channels that an initialiser makes.
    fn declare_channel_type(&mut self, init: &ChannelInit, name: &str) -> Option<ChannelTypeId> {
        let capacity = match self.env.constant(init.capacity) {
            Some(n) if (0..=MAX_LENGTH).contains(&n) => n as u32,
            known => {
                let place = self.env.place(init.capacity);
                let message = match known {
                    Some(n) => format!("a channel cannot hold {n} messages"),
                    None => "the capacity of a channel must be a constant".to_owned(),
                };
                self.out.reports.error(codes::TYPE_MISMATCH, message, place, "");
                return None;
            }
        };
        let mut fields = Vec::new();
        for ty in &init.fields {
            let ty = self.type_of(ty, None, init.place)?;
            self.flatten(ty, 1, &mut fields);
        }
        let same = |c: &ChannelType| c.capacity == capacity && c.fields == fields;
        if let Some(found) = self.env.channel_types.position(same) {
            return Some(found);
        }
        let component = self.out.component(name);
        let (mut length, mut messages) = (None, Vec::new());
        if capacity > 0 {
            let domain = Domain::Int { lo: 0, hi: i64::from(capacity) };
            length = Some(self.out.field("len".into(), domain, Some(component), 1, init.place));
            for (i, field) in fields.iter().enumerate() {
                let name = format!("message.{i}");
                let id = self.out.field(name, field.domain(), Some(component), capacity, init.place);
                self.out.field_types[id.index()] = Some(*field);
                messages.push(id);
            }
        }
        Some(self.env.channel_types.push(ChannelType { capacity, fields, component, length, messages }))
    }

    fn flatten(&self, ty: Type, count: u32, out: &mut Vec<Scalar>) {
        for _ in 0..count {
            match ty {
                Type::Scalar(scalar) => out.push(scalar),
                Type::Struct(number) => {
                    for member in &self.env.structs[number].members {
                        self.flatten(member.ty, member.length.unwrap_or(1), out);
                    }
                }
            }
        }
    }

    fn find_constant_channels(&mut self) {
        let mut next = 1;
        for info in self.env.variables.values() {
            if info.process.is_some() {
                continue;
            }
            for leaf in &info.leaves {
                if leaf.channel.is_none() {
                    continue;
                }
                if leaf.path.is_empty() && !self.env.facts.assigned.contains(&info.name) {
                    self.env.constant_channels.insert(leaf.field, next);
                    // Constant: no part of the state.
                    self.out.program.fields[leaf.field.index()].domain = Domain::Int { lo: 0, hi: 0 };
                }
                next += leaf.lengths.iter().map(|&l| i64::from(l)).product::<i64>();
            }
        }
    }
}
