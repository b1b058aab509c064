//! Errors that end a simulation.

/// Why a simulation cannot start or continue. Bodies are named by their ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The bodies do not fit together: lists of different lengths, a negative mass, an id that occurs twice.
    Bodies(String),
    /// A value of [`crate::Physics`], or a time, is out of its range.
    Physics(String),
    /// Two bodies are at the same place, and there is no softening: their attraction is not a number.
    Coincident {
        /// The one with the smaller index.
        first: u64,
        /// The other one.
        second: u64,
        /// When.
        time: f64,
    },
    /// A mass, position, velocity or acceleration is infinite, or not a number.
    NotANumber {
        /// The first such body.
        body: u64,
        /// When.
        time: f64,
    },
    /// A sum over the bodies is beyond the range of doubles.
    Overflow {
        /// The sum.
        what: &'static str,
        /// When.
        time: f64,
    },
    /// The smallest allowed step is too large for the requested accuracy.
    StepTooLarge {
        /// The body that needs the smallest step.
        body: u64,
        /// When.
        time: f64,
        /// The smallest step that is allowed.
        step: f64,
        /// A step that would do.
        enough: f64,
    },
    /// A supplied kernel accessed memory outside its buffers, or reached a failing statement.
    Kernel {
        /// Its name.
        name: String,
        /// How it ended.
        why: String,
    },
    /// A device, or the network between ranks, failed.
    Runtime(volvelle_runtime::Error),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Bodies(why) | Trouble::Physics(why) => f.write_str(why),
            Trouble::Coincident { first, second, time } => write!(
                f,
                "bodies {first} and {second} are at the same place at time {time}, where their attraction is infinite; \
                 a softening length above 0 prevents that"
            ),
            Trouble::NotANumber { body, time } => {
                write!(f, "a value of body {body} is infinite or not a number at time {time}")
            }
            Trouble::Overflow { what, time } => {
                write!(f, "the {what} of the bodies at time {time} is beyond the range of doubles")
            }
            Trouble::StepTooLarge { body, time, step, enough } => write!(
                f,
                "body {body} needs a step of {enough:e} at time {time}, but the smallest allowed is {step:e}"
            ),
            Trouble::Kernel { name, why } => write!(f, "kernel `{name}` {why}"),
            Trouble::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<volvelle_runtime::Error> for Trouble {
    fn from(error: volvelle_runtime::Error) -> Self {
        Trouble::Runtime(error)
    }
}
