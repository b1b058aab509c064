//! Means over replications, with intervals.

use super::plans::Plans;
use super::replication::Outcome;
use super::{Accesses, Estimate, Simulated, Simulation};
use crate::interpret::Interpreter;
use crate::system::{ProcessId, VariableId};
use volvelle_statistics::Moments;
use volvelle_statistics::special::student;

/// Results of replications.
pub fn simulated(
    interpreter: &Interpreter<'_>,
    plans: &Plans,
    simulation: &Simulation,
    outcomes: &[Outcome],
) -> Simulated {
    let rounds = simulation.rounds.max(1) as f64;
    let estimate = |sample: &dyn Fn(&Outcome) -> f64| {
        let mut moments = Moments::new();
        outcomes.iter().for_each(|outcome| moments.push(sample(outcome) / rounds));
        mean(&moments, simulation.confidence)
    };
    let variables = interpreter.system.variables.len();
    let (processes, kinds) = (interpreter.system.processes.len(), plans.kinds.len());
    let mut accesses = Vec::new();
    for place in 0..processes * variables * kinds {
        if outcomes.iter().all(|outcome| outcome.accesses[place] == 0) {
            continue;
        }
        let (of, kind) = (place / kinds, plans.kinds[place % kinds]);
        accesses.push(Accesses {
            process: ProcessId((of / variables) as u32),
            variable: VariableId((of % variables) as u32),
            transfer: kind.transfer,
            distance: kind.distance,
            per_round: estimate(&|outcome| outcome.accesses[place] as f64),
        });
    }
    let misses = |process: usize| {
        let places = process * variables * kinds..(process + 1) * variables * kinds;
        let of = |outcome: &Outcome| {
            let misses = places.clone().filter(|place| plans.kinds[place % kinds].is_miss);
            misses.map(|place| outcome.accesses[place]).sum::<u64>() as f64
        };
        estimate(&of)
    };
    Simulated {
        round: estimate(&|outcome| outcome.time),
        accesses,
        misses: (0..processes).map(misses).collect(),
        events: outcomes.iter().map(|outcome| outcome.events).sum(),
        choices: outcomes.iter().map(|outcome| outcome.choices).sum(),
    }
}

/// Student's interval around a mean.
fn mean(moments: &Moments, confidence: f64) -> Estimate {
    let half_width = match moments.standard_error() {
        Some(error) if confidence > 0.0 && confidence < 1.0 => {
            let tail = (1.0 - confidence) / 2.0;
            error * student::quantile_upper(tail, (moments.count() - 1) as f64)
        }
        _ => f64::INFINITY,
    };
    Estimate { mean: moments.mean().unwrap_or(f64::NAN), half_width }
}
