//! Components whose instances are created and end.
//!
//! A [`Network`] has what languages with processes need besides steps: [`Pool`]s of slots, each of which
//! holds an instance of some component (a process or a channel); and for every process type its control
//! locations, with the alternatives of an instance there. A step is one alternative of one instance, or a
//! handshake of two ([`Group`]).
//!
//! The code of a process is written once for all its instances, in the kernel IR, over
//! [`Place`](crate::Place)s: global fields, fields of the moving instance or of any slot, temporaries of the
//! step, offered values.

use crate::accesses::Access;
use crate::ids::{ActionId, ComponentId, FieldId, LocationId, Origin, PoolId};
use crate::steps::{Alternative, Group, Part, Participant};
use volvelle_kernel::{Block, ExprId, Site, Type};

/// Slots, each of which holds an instance of one of several components, or nothing. Slots in use come first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Name for reports.
    pub name: String,
    /// A component whose fields are at the beginning of every slot, whatever the slot holds.
    pub header: ComponentId,
    /// The components whose instances slots may hold.
    pub members: Vec<ComponentId>,
    /// Global field: how many slots are in use.
    pub count: FieldId,
    /// Field of the header: the member that a slot holds, if it is not known otherwise.
    pub kind: Option<FieldId>,
}

/// A component that is a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The component.
    pub component: ComponentId,
    /// Its field with the number of messages.
    pub length: FieldId,
    /// Limit of messages.
    pub capacity: i64,
}

/// The condition under which the alternatives of a block may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// No alternative of an earlier block can happen. An offer counts as possible if a process receives it.
    NothingBefore,
    /// No escape can happen; escapes are the blocks before the first other block.
    NoEscape,
}

/// Alternatives of a location with the same priority.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorityBlock {
    /// The alternatives.
    pub alternatives: Vec<Alternative>,
    /// Whether they interrupt other blocks (`unless`). Such blocks come first.
    pub is_escape: bool,
    /// The condition under which they may happen.
    pub condition: Condition,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Location {
    /// The alternatives of an instance here.
    pub blocks: Vec<PriorityBlock>,
    /// Whether a process may stay here forever.
    pub is_end: bool,
    /// Whether runs that visit this location infinitely often are accepted.
    pub is_accepting: bool,
    /// Whether runs that visit this location infinitely often make progress.
    pub is_progress: bool,
    /// Whether some expression asks if a process is here.
    pub is_observed: bool,
    /// Where it was written; `None` for the last location of a process.
    pub origin: Option<Origin>,
}

/// A type of processes.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessType {
    /// Its fields.
    pub component: ComponentId,
    /// `bool`: an instance moves only if this holds, alone or in a handshake.
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
    /// Global field: 1 + the slot of the process with exclusive control; 0 if there is none.
    pub owner: Option<FieldId>,
    /// Global field: the slot of the process that moved last.
    pub last: Option<FieldId>,
    /// Field of the header of the first pool: the priority class of an instance's steps, from 1 to 255. The
    /// instance moves only if no instance of a higher class can. A handshake has the class of its sender. An
    /// instance gives up exclusive control if one of a higher class can move.
    pub priority: Option<FieldId>,
    /// Types of variables of steps ([`Place::Temporary`](crate::Place)).
    pub temporaries: Vec<Type>,
    /// Number of values of the longest offer that some process receives.
    pub offered: u32,
    /// Components that are queues.
    pub queues: Vec<Queue>,
    /// Whether some alternative reads fields of another process, so that no field is private.
    pub has_remote_reads: bool,
    /// Turns the all-zero state into the initial state.
    pub initialisation: Block,
    /// The site of the error for a state without steps in which some process may not stay.
    pub end_site: Option<Site>,
    /// `bool`: must hold in states without steps in which every process may stay; otherwise there is an error
    /// at the site.
    pub completion: Option<(ExprId, Site)>,
}

impl Location {
    /// The alternatives of an instance here, block by block.
    pub fn alternatives(&self) -> impl Iterator<Item = &Alternative> {
        self.blocks.iter().flat_map(|block| &block.alternatives)
    }

    /// Like [`Location::alternatives`], for changing them.
    pub fn alternatives_mut(&mut self) -> impl Iterator<Item = &mut Alternative> {
        self.blocks.iter_mut().flat_map(|block| &mut block.alternatives)
    }
}

impl Network {
    /// Whether there are no processes.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The groups of steps of the instances in the first pool: alone, and handshakes of two if some
    /// alternative sends.
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
