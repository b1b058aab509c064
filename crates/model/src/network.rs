//! Processes that come and go.
//!
//! A [`Network`] adds to a program what languages with processes need: [`Pool`]s of slots that hold an instance of some
//! component each (processes, channels), and for every type of processes its control locations with their
//! transitions. A step is one transition of one instance, or a handshake of two.
//!
//! Code of a process is written once for all its instances, in the kernel IR, over [`Place`](crate::Place)s: fields of the state,
//! of the instance that moves or of any slot, variables of the step, offered values.
//!
//! Guards read the state before the step. An effect is a block that reads and writes the state after it, one
//! statement after the other; `Fail` at a site of subject [`SiteSubject::Assertion`](crate::SiteSubject) is noted and the step goes on,
//! `Fail` at others and failing expressions end the expansion of the state. Nothing else may be in an effect
//! than `Set`, `Store`, `If`, `Switch`, `For`, `Break` (not out of the effect), `Fail`.

use crate::program::{ComponentId, FieldId, Origin};
use volvelle_kernel::{Block, ExprId, Site, Type, entity};

entity!(
    /// A pool of slots.
    PoolId
);
entity!(
    /// A control location, over all types of processes. Location 0 is that of an empty slot.
    LocationId
);
entity!(
    /// A transition, over all types of processes.
    TransitionId
);

impl LocationId {
    /// Where no process is.
    pub const NOWHERE: LocationId = LocationId(0);
}

/// Slots, each of which holds an instance of one of several components, or nothing. What is in use comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Name for people.
    pub name: String,
    /// A component whose fields are at the beginning of every slot, whatever it holds.
    pub header: ComponentId,
    /// What slots may hold.
    pub members: Vec<ComponentId>,
    /// Global field: how many slots are in use.
    pub count: FieldId,
    /// Field of the header: which of the members a slot holds, where that is not known otherwise.
    pub kind: Option<FieldId>,
}

/// The part of a handshake that a transition takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// None: it moves alone.
    Alone,
    /// It offers values at a meeting point, and moves if another instance takes them.
    Offer {
        /// `i64`: the meeting point.
        at: ExprId,
        /// The values, `i64` each.
        values: Vec<ExprId>,
    },
    /// It takes what another instance offers: its guard and effect read the values at [`Place::Offered`](crate::Place).
    Take {
        /// `i64`: the meeting point.
        at: ExprId,
        /// How many values it takes.
        count: usize,
    },
}

/// Which element of a field, or slot of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Which {
    /// This one.
    Constant(i64),
    /// The one whose number is the value of a scalar field of the instance, less a constant. The field keeps the value
    /// that it gets when the instance is created.
    Own(FieldId, i64),
    /// That of the instance itself.
    Mover,
    /// Any.
    Any,
}

/// A part of the state that several processes may use. Fields of a process that only it uses are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// An element of a global field.
    Field(FieldId, Which),
    /// What a slot holds.
    Slot(PoolId, Which),
    /// How many slots are in use.
    Count(PoolId),
    /// The whole state.
    Everything,
}

/// How a transition uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Manner {
    /// Its guard or effect reads it.
    Read,
    /// It changes it.
    Write,
    /// It adds something to it, whatever it was. Additions commute.
    Add,
    /// It puts something at the end of a queue, where there is room.
    Put,
    /// It takes something from the front of a queue, where there is something.
    Take,
    /// It meets another process there.
    Meet,
}

/// A use of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// What is used.
    pub object: Object,
    /// How.
    pub manner: Manner,
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

/// When a transition is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// `bool`, over the state before the step.
    pub guard: ExprId,
    /// Alone, or one side of a handshake.
    pub role: Role,
    /// What it does, besides moving to `target`. In a handshake the offering side's effect comes first.
    pub effect: Block,
    /// Where the process is afterwards. [`LocationId::NOWHERE`]: the effect sees to it (the end of a process).
    pub target: LocationId,
    /// Whether the process goes on alone afterwards, as long as it can.
    pub atomic: bool,
    /// What guard and effect use besides the instance's own fields: at least all of that.
    pub touches: Vec<Touch>,
    /// Types of processes that it starts, by number.
    pub creates: Vec<usize>,
    /// Where it was written.
    pub origin: Origin,
}

/// When the transitions of a tier may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Where none of an earlier tier can. The offers of an escape count if somebody takes them, others do not.
    NothingBefore,
    /// Where none of the escapes can: tiers before the first that is no escape.
    NoEscape,
}

/// Transitions of a location that are looked at together.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// They interrupt what other tiers do (`unless`). Such tiers come first.
    pub is_escape: bool,
    /// When they may happen.
    pub condition: Condition,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Location {
    /// Its transitions.
    pub tiers: Vec<Tier>,
    /// A process may stay here for ever.
    pub is_end: bool,
    /// Runs that come here again and again are accepted.
    pub is_accepting: bool,
    /// Runs that come here again and again make progress.
    pub is_progress: bool,
    /// Somebody asks whether a process is here.
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
    /// What the guard uses.
    pub guard_touches: Vec<Touch>,
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
    /// All locations, by number; the first is [`LocationId::NOWHERE`], without transitions.
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
    /// Some transition looks into another process: no field is its process's own.
    pub is_nosy: bool,
    /// Makes the initial state of one that is all zeros.
    pub boot: Block,
    /// A state from which no step leads is an error here, unless every process is where it may stay.
    pub end_site: Option<Site>,
    /// `bool`: must hold in a state from which no step leads and in which every process may stay; else there is an error at
    /// the site.
    pub completion: Option<(ExprId, Site)>,
}

impl Network {
    /// Whether there are no processes.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// All transitions, in the order of their numbers.
    pub fn transitions(&self) -> impl Iterator<Item = &Transition> {
        self.locations.iter().flat_map(|l| l.tiers.iter().flat_map(|t| &t.transitions))
    }

    /// The type of processes that a location belongs to.
    pub fn type_of(&self, location: LocationId) -> Option<usize> {
        self.types.iter().position(|t| (t.first.0..t.first.0 + t.count).contains(&location.0))
    }
}
