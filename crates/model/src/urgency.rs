//! Classes of steps: which steps come before which.
//!
//! A step of a group is possible in a state if its participants are enabled. It *happens* only where no step is
//! possible of a group that is more urgent than it allows. One mechanism says:
//!
//! | in a language | urgency | yields to |
//! |---|---|---|
//! | most steps | 0 | nothing |
//! | hidden actions, which pre-empt rates (maximal progress) | 1 | nothing |
//! | rates beside hidden actions | 0 | what is more urgent than 0 |
//! | priority *p* | *p* | what is more urgent than *p* |
//! | what happens only where nothing else can (`timeout`) | 0, others 1 | what is more urgent than 0 |
//!
//! For instances the same words are said of single steps, as what is urgent may change from state to state: priorities
//! are a field ([`Network::priority`](crate::Network)), the guard of a `timeout` reads [`Place::Timeout`](crate::Place), and
//! while an instance goes on alone ([`Outcome::then_exclusive`](crate::Outcome)), its steps are more urgent than all others.

/// How urgent the steps of a group are, and which steps they yield to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// Steps of groups that yield come after those of greater urgency.
    pub urgency: u8,
    /// They happen only where no step is possible of a group of greater urgency than this. `None`: whatever else can
    /// happen.
    pub yields_above: Option<u8>,
}

impl Class {
    /// Neither comes before other steps nor after them.
    pub const ORDINARY: Class = Class { urgency: 0, yields_above: None };

    /// Comes before the steps that yield: an action that is hidden, and cannot be kept waiting.
    pub const URGENT: Class = Class { urgency: 1, yields_above: None };

    /// Comes after whatever is urgent: a rate, while something can happen at once.
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
