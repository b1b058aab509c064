//! The state in which paths start.

use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_model::{Initial, Program};

/// Time limit for enumerating the states that satisfy an initial condition, which may be very many.
const ENUMERATION: Duration = Duration::from_secs(2);

/// A copy of the program in which an initial condition that exactly one state satisfies is replaced by that state.
pub fn with_initial_state(program: &Program) -> Program {
    let mut program = program.clone();
    if let Initial::Predicate(_) = program.initial {
        let mut control = Control::unlimited();
        control.limits.deadline = Some(Instant::now() + ENUMERATION);
        if let Some(state) = volvelle_explore::initial_state(&program, &control) {
            program.initial = Initial::States(vec![state]);
        }
    }
    program
}
