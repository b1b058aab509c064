//! Components whose instances come and go.
//!
//! A [`Network`] has what languages with processes need besides the steps: [`Pool`]s of slots that hold an instance of some
//! component each (processes, channels), and for every type of processes its control locations with the alternatives of an
//! instance there. A step is one alternative of one instance, or a handshake of two ([`Group`]).
//!
//! Code of a process is written once for all its instances, in the kernel IR, over [`Place`](crate::Place)s: fields of the state,
//! of the instance that moves or of any slot, variables of the step, offered values.

use crate::accesses::Access;
use crate::ids::{ActionId, ComponentId, FieldId, LocationId, Origin, PoolId};
use crate::steps::{Alternative, Group, Part, Participant};
use volvelle_kernel::{Block, ExprId, Site, Type};

/// Slots, each of which holds an instance of one of several components, or nothing. Slots in use come first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Name for people.
    pub name: String,
    /// A component whose fields are at the beginning of every slot, whatever it holds.
    pub header: ComponentId,
    /// The components whose instances slots may hold.
    pub members: Vec<ComponentId>,
    /// Global field: how many slots are in use.
    pub count: FieldId,
    /// Field of the header: which of the members a slot holds, where that is not known otherwise.
    pub kind: Option<FieldId>,
}

/// A component that is a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The component.
    pub component: ComponentId,
    /// Its field with the number of messages.
    pub length: FieldId,
    /// Messages that there is room for.
    pub capacity: i64,
}

/// When the alternatives of a block may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Where no alternative of an earlier block can happen. An offer counts as possible if it is taken.
    NothingBefore,
    /// Where none of the escapes can: blocks before the first that is no escape.
    NoEscape,
}

/// Alternatives of a location that are looked at together.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorityBlock {
    /// The alternatives.
    pub alternatives: Vec<Alternative>,
    /// They interrupt what other blocks do (`unless`). Such blocks come first.
    pub is_escape: bool,
    /// When they may happen.
    pub condition: Condition,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Location {
    /// The alternatives of an instance here.
    pub blocks: Vec<PriorityBlock>,
    /// A process may stay here for ever.
    pub is_end: bool,
    /// Runs that come here again and again are accepted.
    pub is_accepting: bool,
    /// Runs that come here again and again make progress.
    pub is_progress: bool,
    /// Some expression asks whether a process is here.
    pub is_observed: bool,
    /// Where it was written; `None` for the last location of a process.
    pub origin: Option<Origin>,
}

/// A type of processes.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessType {
    /// Its fields.
    pub component: ComponentId,
    /// `bool`: an instance moves only where this holds, be it alone or in a handshake.
    pub guard: Option<ExprId>,
    /// The accesses of the guard.
    pub guard_accesses: Vec<Access>,
    /// Its locations are `first .. first + count`.
    pub first: LocationId,
    /// How many.
    pub count: u32,
}

/// Processes of a program.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Network {
    /// Pools. The first is that of processes, if there are any.
    pub pools: Vec<Pool>,
    /// Types of processes.
    pub types: Vec<ProcessType>,
    /// All locations, by number; the first is [`LocationId::NOWHERE`], without alternatives.
    pub locations: Vec<Location>,
    /// The field of the header of the first pool that holds the location.
    pub location: Option<FieldId>,
    /// Global field: 1 + the slot of the process that goes on alone; 0 if there is none.
    pub owner: Option<FieldId>,
    /// Global field: the slot of the process that moved last.
    pub last: Option<FieldId>,
    /// Field of the header of the first pool: the class of the steps of an instance, from 1 to 255. It moves only where no
    /// instance of a higher class can; in a handshake the class is that of the side that offers. An instance that goes
    /// on alone gives control back where one of a higher class can move.
    pub priority: Option<FieldId>,
    /// Types of variables of steps ([`Place::Temporary`](crate::Place)).
    pub temporaries: Vec<Type>,
    /// Number of values of the longest offer that is taken.
    pub offered: u32,
    /// Components that are queues.
    pub queues: Vec<Queue>,
    /// Some alternative looks into another process: no field is its process's own.
    pub has_remote_reads: bool,
    /// Makes the initial state of one that is all zeros.
    pub initialisation: Block,
    /// A state from which no step leads is an error here, unless every process is where it may stay.
    pub end_site: Option<Site>,
    /// `bool`: must hold in a state from which no step leads and in which every process may stay; else there is an error at
    /// the site.
    pub completion: Option<(ExprId, Site)>,
}

impl Location {
    /// The alternatives of an instance here, block by block.
    pub fn alternatives(&self) -> impl Iterator<Item = &Alternative> {
        self.blocks.iter().flat_map(|block| &block.alternatives)
    }

    /// The same, to change it.
    pub fn alternatives_mut(&mut self) -> impl Iterator<Item = &mut Alternative> {
        self.blocks.iter_mut().flat_map(|block| &mut block.alternatives)
    }
}

impl Network {
    /// Whether there are no processes.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The groups of the steps that instances of the first pool have: alone, and two by two where some give values.
    pub fn groups(&self) -> Vec<Group> {
        let instance = |part| Participant::instance(PoolId(0), part);
        let alone = Group::new(ActionId::SILENT, vec![instance(Part::Alone)]);
        let gives = self.alternatives().any(Alternative::gives);
        let both =
            gives.then(|| Group::new(ActionId::SILENT, vec![instance(Part::Gives), instance(Part::Takes)]));
        std::iter::once(alone).chain(both).collect()
    }

    /// The alternatives of all locations, in the order of the numbers of steps.
    pub fn alternatives(&self) -> impl Iterator<Item = &Alternative> {
        self.locations.iter().flat_map(Location::alternatives)
    }

    /// The type of processes that a location belongs to.
    pub fn type_of(&self, location: LocationId) -> Option<usize> {
        self.types.iter().position(|t| (t.first.0..t.first.0 + t.count).contains(&location.0))
    }
}
