//! Questions of families that this program was built without: they say what is missing.

use clap::Args;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::options::{AnswerArgs, LimitArgs, ModelArgs};
use volvelle_console::output::Output;
use volvelle_console::refusal::Refused;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::language::Offers;

/// Step through a labelled transition system.
#[derive(Args, Debug)]
pub struct StepSystem {
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

impl Member for StepSystem {
    const WHAT: &'static str = "a walk through a labelled transition system";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |_| true;
    const WHY: &'static str = "its steps have labels";
    const HELP: &'static str = "leave it out";

    fn ask(&'static self, _: Asked<'_>, _: &Output) -> Result<u8, Refused> {
        let message = "this program was built without walks through labelled transition systems";
        let help =
            "build it with the feature `systems`: cargo build --release -p volvelle --features systems";
        Err(Diagnostic::error(codes::BAD_USAGE, message).help(help).into())
    }
}
