//! Questions of families that this program was built without: they say what is missing.

use clap::Args;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::options::{AnswerArgs, LimitArgs, ModelArgs};
use volvelle_console::output::Output;
use volvelle_console::refusal::Refused;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::language::Offers;

/// Step through a labelled transition system.
#[cfg(not(feature = "systems"))]
#[derive(Args, Debug)]
pub struct StepSystem {
    /// What every question has.
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// Step through a weighted system.
#[cfg(not(feature = "weights"))]
#[derive(Args, Debug)]
pub struct StepWeighted {
    /// What every question has.
    #[command(flatten)]
    pub asked: AskedArgs,
}

/// What every question has.
#[derive(Args, Debug)]
pub struct AskedArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the walk goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[cfg(not(feature = "systems"))]
impl Member for StepSystem {
    const WHAT: &'static str = "a walk through a labelled transition system";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |_| true;
    const WHY: &'static str = "its steps have labels";
    const HELP: &'static str = "leave it out";

    fn ask(&'static self, _: Asked<'_>, _: &Output) -> Result<u8, Refused> {
        Err(left_out("labelled transition", "systems"))
    }
}

#[cfg(not(feature = "weights"))]
impl Member for StepWeighted {
    const WHAT: &'static str = "a walk through a weighted system";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = Offers::is_weighted;
    const WHY: &'static str = "its steps have weights";
    const HELP: &'static str = "leave it out";

    fn ask(&'static self, _: Asked<'_>, _: &Output) -> Result<u8, Refused> {
        Err(left_out("weighted", "weights"))
    }
}

/// Systems that no walk leads through without a feature.
fn left_out(systems: &str, feature: &str) -> Refused {
    let message = format!("this program was built without walks through {systems} systems");
    let help = format!(
        "build it with the feature `{feature}`: cargo build --release -p volvelle --features {feature}"
    );
    Diagnostic::error(codes::BAD_USAGE, message).help(help).into()
}
