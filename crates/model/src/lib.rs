//! `Program`: the common representation to which every modelling language is lowered, and which every
//! analysis reads.
//!
//! In: typed fields, transition groups and observations, whose bodies are kernel expressions. Out: the packed
//! [`Layout`] of states, and the kernels ([`kernels`]) that analyses run, for successors, observations and
//! initial states; the packed layout of states with processes ([`NetworkLayout`]); the difference between two
//! programs ([`parametric`]); and, for single states, successors in rational arithmetic ([`exact`]). It
//! builds on `volvelle-kernel` only, and knows no language and no engine.

pub mod accesses;
mod applications;
pub mod claim;
pub mod closure;
mod constant_error;
mod constants;
pub mod dead;
pub mod domain;
pub mod exact;
pub mod expressions;
pub mod ids;
pub mod independence;
pub mod interval;
pub mod kernels;
pub mod layout;
pub mod merge;
pub mod network;
pub mod network_layout;
pub mod offers;
pub mod parametric;
pub mod places;
pub mod prime_field;
pub mod program;
pub mod relation;
pub mod rounding;
mod row_sum;
pub mod row_sums;
mod selection;
pub mod sorts;
pub mod steps;
pub mod symmetry;
pub mod tables;
pub mod terms;
pub mod underflow;
pub mod unread;
pub mod urgency;
pub mod valuations;
pub mod visible_transitions;

pub use accesses::{Access, AccessMode, SharedResource, Which};
pub use domain::Domain;
pub use ids::{
    ActionId, ApplicationId, ComponentId, FieldId, FunctionId, GroupId, LocationId, Origin, PlaceId, PoolId,
    SortId, TemporaryId,
};
pub use layout::{Layout, Slot};
pub use network::{Condition, Location, Network, Pool, PriorityBlock, ProcessType, Queue};
pub use network_layout::{FieldLayout, NetworkLayout, Shape};
pub use offers::{Item, LabelValue, Offer};
pub use parametric::{Difference, Fit, Parametric};
pub use places::{Place, Places};
pub use program::{
    Action, Component, Field, Initial, Label, NumericObservation, Program, RewardStructure, SiteInfo,
    SiteSubject, StateReward, TransitionReward,
};
pub use row_sum::{RowSum, SUM_TOLERANCE};
pub use sorts::{Sort, SortValues};
pub use steps::{
    Alternative, Assignment, Choice, Effect, Group, Kind, Outcome, Part, Participant, Weight, Who,
};
pub use terms::{Application, Applications, Function, NoValue, Parameter, Terms};
pub use urgency::Class;
