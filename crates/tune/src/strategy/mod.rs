//! Strategies: the order in which configurations are measured.
//!
//! A [`Strategy`] is asked for the next configuration, and told how long it took or how it failed. It names
//! each configuration at most once. The order depends on the seed and the answers alone.
//!
//! [`Guided`] is the strategy of choice: it starts with what a model predicts, if there is one, and learns from each measurement.

mod draw;
mod features;
mod guided;
mod local;
mod outcome;
mod plain;
mod surrogate;

pub use draw::Draw;
pub use guided::Guided;
pub use local::Local;
pub use plain::{Exhaustive, Random};

use crate::space::Space;

/// The names of the strategies, as options and files have them.
pub const NAMES: [&str; 4] = ["exhaustive", "random", "local", "guided"];

/// The strategy with a name.
pub fn by_name(
    name: &str,
    space: &Space,
    seed: u64,
    predicted: Option<Prediction>,
) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "exhaustive" => Box::new(Exhaustive::default()),
        "random" => Box::new(Random::new(seed)),
        "local" => Box::new(Local::new(seed)),
        "guided" | "model" => Box::new(Guided::new(space, seed, predicted)),
        _ => return None,
    })
}

pub use outcome::{Failure, Outcome, Prediction, Strategy};
