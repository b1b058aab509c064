//! The program in the making.

use super::printing::Print;
use super::reports::Reports;
use super::symbols::{Leaf, VarId};
use super::trace::TraceViolation;
use super::types::Scalar;
use crate::ast::{Place, Places};
use rustc_hash::FxHashMap;
use volvelle_kernel::{ExprId, FailKind, Local, Site, Type as Ty};
use volvelle_model::{
    self as model, Choice, Component, ComponentId, Domain, Field, FieldId, Origin, PoolId, Program, SiteInfo,
    SiteSubject,
};

/// The program in the making, with the tables that lead from it back to the text.
pub(super) struct Builder<'a> {
    pub reports: Reports<'a>,
    pub program: Program,
    /// The type of each field that is a variable or a part of a message.
    pub field_types: Vec<Option<Scalar>>,
    /// For members of structures: the length of each array on the way to them.
    pub lengths: FxHashMap<FieldId, Vec<u32>>,
    /// Places that the origins of the program number.
    pub origins: Vec<Place>,
    /// The numbers that SPIN gives to the steps behind origins.
    pub statement_numbers: FxHashMap<Origin, u32>,
    /// Statements that print.
    pub prints: Vec<Print>,
    /// Sites at which a `trace` or `notrace` assertion is violated.
    pub trace_sites: FxHashMap<u32, TraceViolation>,
    /// Sites that note a truncated value, with the type to which it is truncated.
    pub truncation_sites: FxHashMap<u32, Scalar>,
    /// Sites at which a `d_step` is given up, with the iterations after which it is.
    pub endless_sites: FxHashMap<u32, i64>,
    /// Some statement of a process reads the state of another process.
    pub reads_remotely: bool,
    /// Loops that may never end because of the type of their counter are told, too.
    pub doubts_counters: bool,
    /// The numbers of the members of structures that statements have named, by their paths.
    members: FxHashMap<VarId, FxHashMap<Vec<String>, usize>>,
    /// The fields of each component, in their order.
    fields_of: FxHashMap<ComponentId, Vec<FieldId>>,
    /// The pool of each component that has one.
    pools: FxHashMap<ComponentId, PoolId>,
    /// Temporaries for the inside of one operation.
    scratch: Vec<Local>,
    /// Temporaries for the numbers of new processes and channels.
    creations: Vec<Local>,
    /// Temporaries for the values of expressions that start processes.
    runs: Vec<Local>,
    /// A temporary that counts the steps inside a `d_step`.
    d_steps: Vec<Local>,
}

impl<'a> Builder<'a> {
    /// The number of the part of a variable that some members name.
    pub fn member(&mut self, variable: VarId, leaves: &[Leaf], path: &[String]) -> Option<usize> {
        let numbers = self.members.entry(variable).or_insert_with(|| {
            // The first of a path counts.
            leaves.iter().enumerate().rev().map(|(number, leaf)| (leaf.path.clone(), number)).collect()
        });
        numbers.get(path).copied()
    }

    /// An empty program.
    pub fn new(places: &'a Places) -> Self {
        Builder {
            reports: Reports::new(places),
            program: Program::new(Choice::Nondeterministic),
            field_types: Vec::new(),
            lengths: FxHashMap::default(),
            members: FxHashMap::default(),
            fields_of: FxHashMap::default(),
            pools: FxHashMap::default(),
            origins: Vec::new(),
            statement_numbers: FxHashMap::default(),
            prints: Vec::new(),
            trace_sites: FxHashMap::default(),
            truncation_sites: FxHashMap::default(),
            endless_sites: FxHashMap::default(),
            reads_remotely: false,
            doubts_counters: false,
            scratch: Vec::new(),
            creations: Vec::new(),
            runs: Vec::new(),
            d_steps: Vec::new(),
        }
    }

    /// The origin of a place.
    pub fn origin(&mut self, place: Place) -> Origin {
        if self.origins.last() != Some(&place) {
            self.origins.push(place);
        }
        Origin((self.origins.len() - 1) as u32)
    }

    /// The origin of a step, which has a number if its place has one.
    pub fn origin_of_step(&mut self, place: Place, number: Option<u32>) -> Origin {
        self.origins.push(place);
        let origin = Origin((self.origins.len() - 1) as u32);
        if let Some(number) = number {
            self.statement_numbers.insert(origin, number);
        }
        origin
    }

    /// Adds a component.
    pub fn component(&mut self, name: &str) -> ComponentId {
        self.program.components.push(Component { name: name.to_owned() });
        ComponentId((self.program.components.len() - 1) as u32)
    }

    /// Adds a field: a global one, or one of a component.
    pub fn field(
        &mut self,
        name: String,
        domain: Domain,
        component: Option<ComponentId>,
        length: u32,
        place: Place,
    ) -> FieldId {
        let origin = self.origin(place);
        self.program.fields.push(Field { name, domain, component, length, origin });
        self.field_types.push(None);
        let id = FieldId((self.program.fields.len() - 1) as u32);
        if let Some(component) = component {
            self.fields_of.entry(component).or_default().push(id);
        }
        id
    }

    /// The fields of a component, in their order.
    pub fn fields_of(&self, component: ComponentId) -> &[FieldId] {
        self.fields_of.get(&component).map_or(&[], Vec::as_slice)
    }

    /// Notes which component is in which pool, once the pools are there.
    pub fn note_pools(&mut self) {
        for (number, pool) in self.program.network.pools.iter().enumerate().rev() {
            let components = pool.members.iter().copied().chain([pool.header]);
            self.pools.extend(components.map(|component| (component, PoolId(number as u32))));
        }
    }

    /// The place of a field, as `Program::field_in` has it, which looks through all components of the pools.
    pub fn field_in(&self, field: FieldId, slot: Option<ExprId>) -> model::Place {
        let component = self.program.fields[field.index()].component;
        match (slot, component.and_then(|component| self.pools.get(&component))) {
            (Some(slot), Some(&pool)) => model::Place::Slot { pool, slot, field },
            _ => model::Place::Field(field),
        }
    }

    /// Adds a site at which an expression or statement fails.
    pub fn site(&mut self, kind: FailKind, subject: SiteSubject, place: Place) -> Site {
        let origin = self.origin(place);
        self.program.site(SiteInfo { kind, subject, origin, command: None })
    }

    /// Adds a site at which a trace assertion is violated.
    pub fn trace_site(&mut self, violation: TraceViolation, place: Place) -> Site {
        let site = self.site(FailKind::Assertion, SiteSubject::Assertion, place);
        self.trace_sites.insert(site.0, violation);
        site
    }

    /// A temporary for the inside of one operation.
    pub fn scratch(&mut self, number: usize) -> Local {
        numbered(&mut self.program, &mut self.scratch, number)
    }

    /// A temporary with the number of a new process (0) or channel (1).
    pub fn creation_local(&mut self, number: usize) -> Local {
        numbered(&mut self.program, &mut self.creations, number)
    }

    /// A temporary for the value of an expression that starts processes.
    pub fn run_local(&mut self, number: usize) -> Local {
        numbered(&mut self.program, &mut self.runs, number)
    }

    /// A temporary that counts the steps inside a `d_step`.
    pub fn d_step_local(&mut self) -> Local {
        numbered(&mut self.program, &mut self.d_steps, 0)
    }

    /// A value of the message of a rendezvous, counted from 0.
    pub fn message_part(&mut self, number: usize) -> ExprId {
        let number = number as u32;
        let offered = &mut self.program.network.offered;
        *offered = (*offered).max(number + 1);
        self.program.read(model::Place::Offered(number))
    }
}

/// The temporary (`i64`) of this number, which is added where it is missing.
fn numbered(program: &mut Program, locals: &mut Vec<Local>, number: usize) -> Local {
    while locals.len() <= number {
        locals.push(program.temporary(Ty::I64));
    }
    locals[number]
}
