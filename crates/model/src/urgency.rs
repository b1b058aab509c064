//! Urgency: which steps take precedence over others.
//!
//! A step of a group is possible in a state if its participants are enabled. It *happens* only if every step
//! more urgent than a limit is impossible; the limit belongs to the group. One mechanism covers:
//!
//! | in a language | urgency | yields to |
//! |---|---|---|
//! | most steps | 0 | nothing |
//! | hidden actions, which pre-empt rates (maximal progress) | 1 | nothing |
//! | rates beside hidden actions | 0 | what is more urgent than 0 |
//! | priority *p* | *p* | what is more urgent than *p* |
//! | what happens only where nothing else can (`timeout`) | 0, others 1 | what is more urgent than 0 |
//!
//! For instances, single steps have such properties, since urgency may change from state to state. Priorities
//! are a field ([`Network::priority`](crate::Network)); the guard of a `timeout` reads
//! [`Place::Timeout`](crate::Place); and while an instance has exclusive control
//! ([`Outcome::then_exclusive`](crate::Outcome)), its steps are more urgent than all others.

/// How urgent the steps of a group are, and which steps they yield to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// Groups that yield come after groups of greater urgency.
    pub urgency: u8,
    /// Its steps happen only if no step is possible in a group of greater urgency than this. `None`: they
    /// always may.
    pub yields_above: Option<u8>,
}

impl Class {
    /// Neither comes before other steps nor after them.
    pub const ORDINARY: Class = Class { urgency: 0, yields_above: None };

    /// Comes before the steps that yield: a hidden action, which cannot be delayed.
    pub const URGENT: Class = Class { urgency: 1, yields_above: None };

    /// Comes after anything urgent: a rate yields to actions that can happen at once.
    pub const PATIENT: Class = Class { urgency: 0, yields_above: Some(0) };

    /// Comes before lower priorities, and after higher ones.
    pub fn priority(priority: u8) -> Self {
        Class { urgency: priority, yields_above: Some(priority) }
    }
}

impl Default for Class {
    fn default() -> Self {
        Class::ORDINARY
    }
}
