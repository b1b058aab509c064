//! Discrete-event simulation of a system on a machine: the time of a round and the accesses in it, without states or chain.
//!
//! Runs on the states of [`crate::interpret`]; what the simulator adds is time. Transfers that are at a station together share its speed
//! (processor sharing): when one comes or goes, the ends of the others move. Times are sampled stage by stage, so that what is estimated is what
//! the Markov chain has; or they are not random at all, which no Markov chain has, and which shows how much depends on that assumption.
//!
//! Estimates are means over independent replications with Student's interval (A. M. Law, *Simulation Modeling and Analysis*, 5th ed., 2015,
//! section 9.5.2). Each replication has the stream of its number, so that results do not depend on threads. A choice takes each of its ways with
//! the same probability. Things that end at the same time end in the order of processes.

mod estimate;
mod plans;
mod replication;
mod simulation;

pub use replication::Observer;
pub use simulation::{Accesses, Estimate, Mistaken, Sampled, Simulated, Simulation};
use simulation::{MOST_EVENTS, MOST_STEPS};

use crate::interpret::Interpreter;
use crate::lower::View;
use crate::machine::Machine;
use crate::system::System;
use plans::Plans;
use replication::{Outcome, Replication, Unobserved};
use std::sync::atomic::{AtomicU32, Ordering};

/// Simulates a system on a machine. `stop` is asked now and then.
///
/// # Errors
/// See [`Mistaken`]; that of the first replication that has one.
pub fn simulate(
    system: &System,
    machine: &Machine,
    simulation: &Simulation,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Simulated, Mistaken> {
    let interpreter = Interpreter::new(system, machine, View::Timed { ordered: true });
    let plans = Plans::new(&interpreter, simulation.latencies);
    let replications = simulation.replications.max(1);
    let threads = simulation.threads.clamp(1, replications as usize);
    let next = AtomicU32::new(0);
    let work = || {
        let mut done = Vec::new();
        let mut replication = Replication::new(&interpreter, &plans, simulation);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= replications {
                return done;
            }
            let outcome = replication.run(number, stop, &mut Unobserved);
            done.push((number, outcome));
        }
    };
    let mut outcomes: Vec<(u32, Result<Outcome, Mistaken>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    outcomes.sort_unstable_by_key(|(number, _)| *number);
    let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect::<Result<Vec<_>, _>>()?;
    Ok(estimate::simulated(&interpreter, &plans, simulation, &outcomes))
}

/// Simulates one replication, by its number, and tells an observer of each step.
///
/// # Errors
/// See [`Mistaken`].
pub fn replicate(
    system: &System,
    machine: &Machine,
    simulation: &Simulation,
    number: u32,
    observer: &mut impl Observer,
) -> Result<(), Mistaken> {
    let interpreter = Interpreter::new(system, machine, View::Timed { ordered: true });
    let plans = Plans::new(&interpreter, simulation.latencies);
    Replication::new(&interpreter, &plans, simulation).run(number, &|| false, observer)?;
    Ok(())
}
