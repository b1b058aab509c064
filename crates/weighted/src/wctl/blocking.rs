//! States without steps: formulas speak of infinite paths, so that these states are given a step.

/// The step that a state without steps is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// A loop of weight 0.
    #[default]
    Loop,
    /// A step of weight 0 to a sink, a state without propositions (all amounts are 0 there) that has a loop of weight 0.
    Sink,
}

/// The number of the sink in explanations: it is no state of the structure.
pub const SINK: u32 = u32::MAX;
