//! `Program`: what every modelling language lowers to, and every analysis reads.
//!
//! Takes typed fields, transition groups and observations whose bodies are kernel expressions; gives the
//! packed [`Layout`] of states and the kernels ([`kernels`]) that analyses run: successors, observations,
//! initial states; the packed form of states with processes that come and go ([`Arrangement`]); the difference between two programs ([`parametric`]); and the same in rational arithmetic ([`exact`]), for single states. Stands on `volvelle-kernel` only; knows no language and no engine.

pub mod arrangement;
pub mod claim;
pub mod dead;
pub mod exact;
pub mod independence;
pub mod interval;
pub mod kernels;
pub mod layout;
pub mod merge;
pub mod network;
pub mod parametric;
pub mod places;
pub mod program;
pub mod symmetry;
pub mod visibility;

pub use arrangement::{Arrangement, FieldLayout, Shape};
pub use layout::{Layout, Slot};
pub use network::{
    Condition, Location, LocationId, Manner, Network, Object, Pool, PoolId, ProcessType, Queue, Role, Tier,
    Touch, Transition, TransitionId, Which,
};
pub use parametric::{Difference, Fit, Parametric};
pub use places::{Place, PlaceId, Places, TemporaryId};
pub use program::{
    Action, ActionId, Alternative, Assignment, Component, ComponentId, Domain, Field, FieldId, Group,
    GroupId, Initial, Kind, Label, NumericObservation, Origin, Outcome, Participant, Program,
    RewardStructure, SiteInfo, SiteSubject, StateReward, TransitionReward, Weight,
};
