//! The program: fields, initial states, observations. Its steps are in module `steps`.
//!
//! Conventions
//! - Locals and buffers of the program's expressions are numbers of [`Place`]s; a Boolean field has type `bool`,
//!   every other `i64`. Guards, weights, effects and observations read the state *before*
//!   the step.
//! - Sites are numbered by the program ([`Program::sites`]); kernels made from it carry the number as tag.

use crate::constants::Constants;
use crate::domain::Domain;
use crate::ids::{ActionId, ApplicationId, ComponentId, FieldId, Origin};
use crate::network::Network;
use crate::places::{Place, Places};
use crate::sorts::{self, Sort};
use crate::steps::{Choice, Group, Outcome, Participant};
use crate::terms::{Applications, Function};
use volvelle_kernel::{BinaryOp, ExprId, Exprs, FailKind, Site};

/// A typed part of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name as the user knows it.
    pub name: String,
    /// Values.
    pub domain: Domain,
    /// The component it belongs to; `None` for a global.
    pub component: Option<ComponentId>,
    /// Number of elements; 1 for a scalar. Arrays are for processes ([`Program::network`]).
    pub length: u32,
    /// Its declaration.
    pub origin: Origin,
}

/// A unit of the state: the fields of one module.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Name as the user knows it.
    pub name: String,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Name; empty for the silent action.
    pub name: String,
}

/// Initial states.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// These states: one value per field (Booleans 0 or 1).
    States(Vec<Vec<i64>>),
    /// All valuations within the domains that satisfy a predicate (`bool`).
    Predicate(ExprId),
}

/// A Boolean observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Name; `None` for a state formula of a property.
    pub name: Option<String>,
    /// `bool`.
    pub expr: ExprId,
    /// Where its condition was written, if it was written for a property.
    pub origin: Option<Origin>,
}

/// A numeric observation that is not a reward.
#[derive(Clone, Debug, PartialEq)]
pub struct NumericObservation {
    /// `f64`.
    pub expr: ExprId,
    /// The value if evaluating `expr` fails. If evaluating this fails, too, the value is undefined, which is
    /// an error only if it is needed. `None`: a failure of `expr` is an error.
    pub otherwise: Option<ExprId>,
}

/// `guard : value` on states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateReward {
    /// `bool`.
    pub guard: ExprId,
    /// `f64`; must be finite, failing at `site`.
    pub value: ExprId,
    /// [`SiteSubject::Reward`].
    pub site: Site,
}

/// `[action] guard : value` on transitions; guard and value read the source state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionReward {
    /// Transitions it applies to.
    pub action: ActionId,
    /// `bool`.
    pub guard: ExprId,
    /// `f64`; must be finite, failing at `site`.
    pub value: ExprId,
    /// [`SiteSubject::Reward`].
    pub site: Site,
}

/// A reward structure: items that apply together add up.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RewardStructure {
    /// Name, where it has one.
    pub name: Option<String>,
    /// On states.
    pub states: Vec<StateReward>,
    /// On transitions.
    pub transitions: Vec<TransitionReward>,
}

/// The subject of a site, so that a failure can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteSubject {
    /// Evaluating an expression.
    Expression,
    /// A field would take a value outside its domain.
    Assignment(FieldId),
    /// A probability or rate that is negative, infinite or no number.
    Weight,
    /// Probabilities of a command do not sum to one.
    Sum,
    /// A reward that is infinite or no number.
    Reward,
    /// An assertion of the model. The step happens even if it fails.
    Assertion,
    /// A fact worth reporting, which is not an error. The step happens all the same.
    Note,
    /// A function of the front end whose result is not known yet, or does not exist.
    Application(ApplicationId),
    /// A slot without room for an instance of a component. The layout can be enlarged.
    Room(ComponentId),
}

/// A place where evaluating the program may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteInfo {
    /// Kind of failure, as kernels know it.
    pub kind: FailKind,
    /// The subject.
    pub subject: SiteSubject,
    /// The text to underline.
    pub origin: Origin,
    /// The command that contains it, if any.
    pub command: Option<Origin>,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// How steps are chosen in groups that do not specify it.
    pub choice: Choice,
    /// All expressions.
    pub exprs: Exprs,
    /// The places that locals and buffers in expressions stand for.
    pub places: Places,
    /// State, in declaration order.
    pub fields: Vec<Field>,
    /// Units of the state.
    pub components: Vec<Component>,
    /// Actions; the first is silent.
    pub actions: Vec<Action>,
    /// Sorts of the values that participants exchange; the first two are integers and truth values.
    pub sorts: Vec<Sort>,
    /// Functions that the front end evaluates.
    pub functions: Vec<Function>,
    /// Where they are applied.
    pub applications: Applications,
    /// Initial states.
    pub initial: Initial,
    /// Transition groups, in the order in which a state's choices are numbered.
    pub groups: Vec<Group>,
    /// Boolean observations.
    pub labels: Vec<Label>,
    /// The label (an index) of states that need no successors: steps end there, groups are not evaluated, and
    /// no reward is earned. `None`: every state is expanded.
    pub stop: Option<usize>,
    /// Pools of instances, and their control locations.
    pub network: Network,
    /// Numeric observations.
    pub numbers: Vec<NumericObservation>,
    /// Reward structures.
    pub rewards: Vec<RewardStructure>,
    /// Places at which evaluation may fail; [`Site`] is an index.
    pub sites: Vec<SiteInfo>,
    /// The rationals that double constants stand for.
    pub exact: Constants,
}

impl Program {
    /// An empty program with the silent action, whose steps are chosen in this way.
    pub fn new(choice: Choice) -> Self {
        Program {
            choice,
            exprs: Exprs::new(),
            places: Places::default(),
            fields: Vec::new(),
            components: Vec::new(),
            actions: vec![Action { name: String::new() }],
            sorts: sorts::predefined(),
            functions: Vec::new(),
            applications: Applications::default(),
            initial: Initial::States(Vec::new()),
            groups: Vec::new(),
            labels: Vec::new(),
            stop: None,
            network: Network::default(),
            numbers: Vec::new(),
            rewards: Vec::new(),
            sites: Vec::new(),
            exact: Constants::default(),
        }
    }

    /// The expression that reads a field.
    pub fn field(&mut self, field: FieldId) -> ExprId {
        self.read(Place::Field(field))
    }

    /// The condition that all fields have these values (Booleans: 0 or 1).
    pub fn is_state(&mut self, values: &[i64]) -> ExprId {
        let mut all = self.exprs.bool(true);
        for (i, &value) in values.iter().enumerate() {
            let field = self.field(FieldId(i as u32));
            let exprs = &mut self.exprs;
            let equal = match self.fields[i].domain {
                Domain::Bool if value != 0 => field,
                Domain::Bool => exprs.not(field),
                _ => {
                    let value = exprs.i64(value);
                    exprs.binary(BinaryOp::Eq, field, value)
                }
            };
            all = exprs.and(all, equal);
        }
        all
    }

    /// The condition under which a state needs no successors.
    pub fn stop_condition(&self) -> Option<ExprId> {
        self.stop.map(|label| self.labels[label].expr)
    }

    /// Declares a site.
    pub fn site(&mut self, info: SiteInfo) -> Site {
        self.sites.push(info);
        Site((self.sites.len() - 1) as u32)
    }

    /// Widens the window of a [`Domain::Growing`] field to include `value`, at least doubling it. `false` if
    /// the field does not grow, or if `value` is not a 32-bit signed integer.
    pub fn widen(&mut self, field: FieldId, value: i64) -> bool {
        let Domain::Growing { lo, hi } = &mut self.fields[field.index()].domain else {
            return false;
        };
        if i32::try_from(value).is_err() {
            return false;
        }
        while value > *hi {
            *hi = (*hi + (*hi - *lo + 1)).min(i32::MAX as i64);
        }
        while value < *lo {
            *lo = (*lo - (*hi - *lo + 1)).max(i32::MIN as i64);
        }
        true
    }

    /// The fields that an expression reads, of any instance, in increasing order.
    pub fn reads(&self, expr: ExprId) -> Vec<FieldId> {
        self.fields_read([expr]).into_iter().collect()
    }

    /// The fields that a participant may write, in increasing order.
    pub fn writes(participant: &Participant) -> Vec<FieldId> {
        let mut fields: Vec<FieldId> = participant
            .alternatives
            .iter()
            .flat_map(|a| &a.outcomes)
            .flat_map(Outcome::assignments)
            .map(|a| a.field)
            .collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}
