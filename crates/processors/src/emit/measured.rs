//! What a queueing model is made of: figures of a simulated program.

use volvelle_multicore::{Answer, Machine, Mode, Shares, Stack};

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub cores: usize,
    pub tasks_per_core: u32,
    /// Whether cores get their shares together.
    pub in_rounds: bool,
    /// Instructions of a share.
    pub instructions: f64,
    /// Cycles that a core computes in a share: those of waits for data are not among them.
    pub compute: f64,
    /// How often it waits for data in a share.
    pub waits: f64,
    /// Cycles of a wait.
    pub miss: u32,
    /// By how much the cycles of the shares of a round deviate from each other, over their mean.
    pub deviation: f64,
    /// How many of the tasks of a round are mispredicted; in other modes, how many shares end with such a task.
    pub mispredicted: f64,
    /// Cycles that a misprediction costs besides the lost tasks.
    pub squash: u32,
}

impl Measured {
    /// The figures of an answer; none if nothing was executed with cycles.
    pub fn of(answer: &Answer, machine: &Machine) -> Option<Self> {
        let shares = &answer.shares;
        if shares.count == 0 {
            return None;
        }
        let per_share = |cycles: u64| cycles as f64 / shares.count as f64;
        let Stack { busy, dependence, fetch, icache, dcache, coherence, .. } = answer.stack;
        // A miss that costs nothing is no wait: then waits are for the right to write, or for memory.
        let miss = [machine.miss, machine.upgrade, machine.l2.memory].into_iter().find(|&cycles| cycles > 0);
        let miss = miss.unwrap_or(1);
        let in_rounds = machine.mode == Mode::Rounds;
        let of_all = if in_rounds { answer.tasks } else { shares.count };
        Some(Measured {
            cores: answer.cores,
            tasks_per_core: machine.tasks_per_core,
            in_rounds,
            instructions: per_share(answer.instructions),
            compute: per_share(busy + dependence + fetch + icache),
            waits: per_share(dcache + coherence) / f64::from(miss),
            miss,
            deviation: deviation(shares),
            mispredicted: shares.mispredicted as f64 / of_all as f64,
            squash: machine.squash,
        })
    }
}

/// The deviation of shares of the same round, over the mean of all shares. What all shares of a round have in common makes the round
/// longer, but no core wait for another. Where no two shares were in the same round, that of all shares has to do.
///
/// The model needs something of both kinds.
fn deviation(shares: &Shares) -> f64 {
    let rounds: u64 = shares.rounds.iter().sum();
    let mean = shares.cycles as f64 / shares.count as f64;
    let variance = match shares.count - rounds {
        0 => shares.squares / shares.count as f64 - mean * mean,
        beyond_the_first => shares.squares_in_rounds / beyond_the_first as f64,
    };
    (variance.max(0.0).sqrt() / mean).clamp(0.01, 0.99)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_within_rounds() {
        // Two rounds with shares of 8 and 12, and of 18 and 22 cycles.
        let shares = Shares {
            count: 4,
            cycles: 60,
            squares: 64.0 + 144.0 + 324.0 + 484.0,
            squares_in_rounds: 16.0,
            mispredicted: 0,
            rounds: vec![0, 2],
        };
        assert_eq!(deviation(&shares), 8f64.sqrt() / 15.0);
        // One core: 9 and 11 cycles.
        let alone = Shares { count: 2, cycles: 20, squares: 202.0, rounds: vec![2], ..Shares::default() };
        assert_eq!(deviation(&alone), 0.1);
    }
}
