//! Blocking states: formulas describe infinite paths, so states without steps are given a step.

/// The step given to a state without steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// A loop of weight 0.
    #[default]
    Loop,
    /// A step of weight 0 to a sink: a state without propositions (all amounts are 0 there), with a loop of
    /// weight 0.
    Sink,
}

/// The number of the sink in explanations; it is not a state of the structure.
pub const SINK: u32 = u32::MAX;
