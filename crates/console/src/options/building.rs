//! How states are made.

use clap::Args;

/// How the state space is built.
#[derive(Args, Debug, Default)]
pub struct BuildingArgs {
    /// What becomes of states without transitions.
    #[command(flatten)]
    pub deadlocks: DeadlockArgs,

    /// The code that makes states.
    #[command(flatten)]
    pub code: InterpreterArgs,
}

/// States without transitions.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "State space")]
pub struct DeadlockArgs {
    /// Treat states without transitions as an error instead of adding a self-loop
    #[arg(hide_short_help = true, long)]
    pub no_fix_deadlocks: bool,
}

/// The code that evaluates a model.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "State space")]
pub struct InterpreterArgs {
    /// Evaluate the model with the reference interpreter instead of native code
    #[arg(hide_short_help = true, long)]
    pub interpreter: bool,
}
