//! Steps: the transition relation of a program.
//!
//! A [`Group`] is a synchronisation of one or more participants. A step of it takes one enabled
//! [`Alternative`] of every participant, and one [`Outcome`] of each; weights multiply, effects happen
//! together. A participant is a fixed component, or any instance in the slots of a pool, whose alternatives
//! are those of its control location ([`Location::blocks`](crate::Location)). Nothing is multiplied out here:
//! a group with k participants of n alternatives each has k·n alternatives.
//!
//! | in a language | here |
//! |---|---|
//! | a command of PRISM | an alternative with a guard, whose outcomes assign in parallel |
//! | an action of several modules | a group with a participant for each |
//! | a gate of LOTOS with values | the same with [offers](crate::offers) |
//! | maximal progress, priorities of actions | [classes](crate::urgency) of groups |
//! | a statement of Promela | an alternative of a location with one outcome, whose effect is a block |
//! | a rendezvous | a group of two instances, one that gives and one that takes |
//! | `atomic` | outcomes after which the instance has exclusive control ([`Outcome::then_exclusive`]) |
//! | `else`, `unless` | blocks of alternatives that depend on those before them ([`PriorityBlock`](crate::PriorityBlock)) |
//! | `timeout` | a guard that reads [`Place::Timeout`](crate::Place) |
//!
//! The [`Choice`] of a group says what the numbers of outcomes mean, and how one of several possible steps is
//! chosen. It determines the [`Kind`] of a program ([`Program::kind`](crate::Program::kind)).

use crate::accesses::Access;
use crate::ids::{ActionId, ComponentId, FieldId, LocationId, Origin, PoolId};
use crate::offers::{Item, Offer};
use crate::row_sum::RowSum;
use crate::urgency::Class;
use dashu_ratio::RBig;
use volvelle_kernel::{Block, ExprId, Site};

/// How one of several possible steps is chosen, and what the weights of its outcomes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Any step may be chosen, and each has a single outcome. There are no numbers.
    Nondeterministic,
    /// Any step may be chosen; weights are probabilities of its outcomes.
    Probabilistic,
    /// Steps are equally likely; weights are probabilities of its outcomes.
    Uniform,
    /// Steps race: weights are rates.
    Race,
}

impl Choice {
    /// Whether all steps of this kind form one choice of their state: one race, or one draw. Steps of other
    /// kinds are separate choices.
    pub fn merges(self) -> bool {
        matches!(self, Choice::Race | Choice::Uniform)
    }
}

/// The kind of model that a program describes, derived from its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A discrete-time Markov chain.
    Dtmc,
    /// A continuous-time Markov chain.
    Ctmc,
    /// A Markov decision process.
    Mdp,
    /// A labelled transition system.
    Lts,
    /// An interactive Markov chain: some steps race, others are chosen and have one outcome each.
    InteractiveMarkovChain,
    /// A Markov automaton: some steps race, others are chosen and have probabilistic outcomes.
    MarkovAutomaton,
}

impl Kind {
    /// Whether steps are chosen nondeterministically, so that the choices of a state must be distinguished.
    pub fn is_nondeterministic(self) -> bool {
        !matches!(self, Kind::Dtmc | Kind::Ctmc)
    }

    /// Whether all or some steps race.
    pub fn has_rates(self) -> bool {
        matches!(self, Kind::Ctmc | Kind::InteractiveMarkovChain | Kind::MarkovAutomaton)
    }

    /// Name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dtmc => "DTMC",
            Kind::Ctmc => "CTMC",
            Kind::Mdp => "MDP",
            Kind::Lts => "LTS",
            Kind::InteractiveMarkovChain => "interactive Markov chain",
            Kind::MarkovAutomaton => "Markov automaton",
        }
    }
}

/// Probability or rate of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Weight {
    /// The same in every state; positive and finite.
    Constant {
        /// Nearest double.
        value: f64,
        /// The exact number, if the model gives it in rational arithmetic.
        exact: Option<RBig>,
    },
    /// Evaluated per state, `f64`. Kernels check that it is finite and not negative, failing at `site`.
    /// Outcomes of weight zero do not happen.
    Expr {
        /// The expression.
        expr: ExprId,
        /// The site of failure if the weight is bad ([`SiteSubject::Weight`](crate::SiteSubject)).
        site: Site,
    },
}

impl Weight {
    /// That of an outcome that is certain.
    pub const ONE: Weight = Weight::Constant { value: 1.0, exact: Some(RBig::ONE) };
}

/// `field := value`. The value is `bool` for a Boolean field and `i64` otherwise; kernels check the range
/// of the field where interval analysis cannot show it, failing at `site`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assignment {
    /// Target.
    pub field: FieldId,
    /// New value, from the state before the step.
    pub value: ExprId,
    /// The site of failure if the value is out of range ([`SiteSubject::Assignment`](crate::SiteSubject)).
    pub site: Site,
}

/// The effect of an outcome on the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Parallel assignments to distinct fields.
    Assignments(Vec<Assignment>),
    /// Statements in sequence, which read and write the state after the step: `Set`, `Store`, `If`, `Switch`,
    /// `For`, `Break` (not out of the effect) and `Fail`. A `Fail` at a site of subject
    /// [`SiteSubject::Assertion`](crate::SiteSubject) is recorded, and the step continues. At other sites it
    /// ends the expansion of the state, as failing expressions do.
    Block(Block),
}

/// One possible result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Probability or rate.
    pub weight: Weight,
    /// A simpler number in the same proportion among the outcomes of its alternative, for drawing an outcome:
    /// the probability as written, if the sum of all may differ from one.
    pub share: Option<Weight>,
    /// The change of the state, besides moving to `target`.
    pub effect: Effect,
    /// The location of an instance afterwards. [`LocationId::NOWHERE`] for components without locations, and
    /// if the effect sets the location (the end of an instance).
    pub target: LocationId,
    /// Whether the instance has exclusive control afterwards, as long as it can move.
    pub then_exclusive: bool,
    /// Where it was written.
    pub origin: Origin,
}

impl Outcome {
    /// An outcome of a component without locations.
    pub fn assigning(weight: Weight, assignments: Vec<Assignment>, origin: Origin) -> Self {
        let (effect, target) = (Effect::Assignments(assignments), LocationId::NOWHERE);
        Outcome { weight, share: None, effect, target, then_exclusive: false, origin }
    }

    /// The number by which an outcome is drawn.
    pub fn share(&self) -> &Weight {
        self.share.as_ref().unwrap_or(&self.weight)
    }

    /// Its parallel assignments; none if the effect is a block.
    pub fn assignments(&self) -> &[Assignment] {
        match &self.effect {
            Effect::Assignments(assignments) => assignments,
            Effect::Block(_) => &[],
        }
    }
}

/// A guarded distribution over outcomes: a command, a statement, an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// `bool`, over the state before the step.
    pub guard: ExprId,
    /// The values exchanged with other participants. In a handshake of two instances, the sender's effect
    /// comes first.
    pub offer: Option<Offer>,
    /// At least one; an alternative of an instance has exactly one.
    pub outcomes: Vec<Outcome>,
    /// The sum of its probabilities as written, unless the text shows that it is one. The weights of the
    /// outcomes are divided by it. Constant sums are checked, and divided by, when the program is built.
    pub sum: Option<RowSum>,
    /// An over-approximation of the resources that guard and effect use, besides the instance's own fields.
    /// Not used for fixed components: see [`Program::accesses`](crate::Program::accesses).
    pub accesses: Vec<Access>,
    /// Types of processes that it starts, as indices.
    pub creates: Vec<usize>,
    /// Where it was written.
    pub origin: Origin,
}

impl Alternative {
    /// An alternative of a fixed component.
    pub fn command(guard: ExprId, outcomes: Vec<Outcome>, sum: Option<RowSum>, origin: Origin) -> Self {
        let (accesses, creates) = (Vec::new(), Vec::new());
        Alternative { guard, offer: None, outcomes, sum, accesses, creates, origin }
    }

    /// The items that it exchanges.
    pub fn items(&self) -> &[Item] {
        self.offer.as_ref().map_or(&[], |offer| &offer.items)
    }

    /// Whether it sends values to another instance.
    pub fn gives(&self) -> bool {
        self.part() == Part::Gives
    }

    /// Whether it receives values from another instance.
    pub fn takes(&self) -> bool {
        self.part() == Part::Takes
    }

    /// The part of an instance that takes it.
    pub fn part(&self) -> Part {
        match &self.offer {
            None => Part::Alone,
            Some(offer) if offer.gives() => Part::Gives,
            Some(_) => Part::Takes,
        }
    }

    /// The location of an instance afterwards.
    pub fn target(&self) -> LocationId {
        self.outcomes[0].target
    }

    /// Whether an instance has exclusive control afterwards.
    pub fn then_exclusive(&self) -> bool {
        self.outcomes[0].then_exclusive
    }

    /// The effect of an alternative of an instance.
    pub fn effect(&self) -> &Block {
        match &self.outcomes[0].effect {
            Effect::Block(block) => block,
            Effect::Assignments(_) => unreachable!("effects of instances are blocks"),
        }
    }

    /// Like [`Alternative::effect`], for changing it.
    pub fn effect_mut(&mut self) -> &mut Block {
        match &mut self.outcomes[0].effect {
            Effect::Block(block) => block,
            Effect::Assignments(_) => unreachable!("effects of instances are blocks"),
        }
    }
}

/// The part of an instance in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// It moves by an alternative without an offer.
    Alone,
    /// It sends values.
    Gives,
    /// It receives values.
    Takes,
}

/// A component or instance that takes part in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// A fixed component.
    Component(ComponentId),
    /// Any instance in the slots of a pool, with those alternatives of its location that have this part.
    Instance(PoolId, Part),
}

/// One side of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Participant {
    /// The component or instance that moves.
    pub who: Who,
    /// At least one for a component. Those of an instance are at its location.
    pub alternatives: Vec<Alternative>,
}

impl Participant {
    /// A fixed component.
    pub fn component(component: ComponentId, alternatives: Vec<Alternative>) -> Self {
        Participant { who: Who::Component(component), alternatives }
    }

    /// Any instance of a pool.
    pub fn instance(pool: PoolId, part: Part) -> Self {
        Participant { who: Who::Instance(pool, part), alternatives: Vec::new() }
    }

    /// The component, if it is a fixed one.
    pub fn as_component(&self) -> Option<ComponentId> {
        match self.who {
            Who::Component(component) => Some(component),
            Who::Instance(..) => None,
        }
    }
}

/// A transition group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Action that its steps show.
    pub action: ActionId,
    /// At least one; several synchronise. Participants of one group write disjoint sets of fields, except
    /// instances, whose effects happen one after the other.
    pub participants: Vec<Participant>,
    /// How its steps are chosen; `None`: as in the program ([`Program::choice`](crate::Program::choice)).
    pub choice: Option<Choice>,
    /// Its urgency, and to which steps it yields.
    pub class: Class,
}

impl Group {
    /// An ordinary group whose steps are chosen as those of the program.
    pub fn new(action: ActionId, participants: Vec<Participant>) -> Self {
        Group { action, participants, choice: None, class: Class::ORDINARY }
    }
    /// Whether its participants exchange values.
    pub fn negotiates(&self) -> bool {
        self.participants.iter().flat_map(|p| &p.alternatives).any(|a| !a.items().is_empty())
    }
}
