//! Shares: the tasks that a core takes at once, and how long it works on them. These are the inputs of a
//! queueing model.

use super::flight::Retired;

/// Counts of shares. A share is what a core gets at once: its tasks of a round, or, if cores are independent,
/// the tasks that it takes together.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shares {
    /// Number of shares.
    pub count: u64,
    /// Cycles from the beginning of a share until its last instruction retires, summed over all shares.
    pub cycles: u64,
    /// The sum of the squares of these cycles.
    pub squares: f64,
    /// Sum of the squared differences between these cycles and the mean of their round; 0 in other modes.
    pub squares_in_rounds: f64,
    /// Mispredicted tasks after which nothing began until the misprediction was detected.
    pub mispredicted: u64,
    /// Rounds by the number of cores that had a share, from one core on; empty in other modes.
    pub rounds: Vec<u64>,
}

/// Counts while a machine is at work.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub shares: Shares,
    /// When each core took its share, if cores are independent.
    begun: Vec<u64>,
}

impl Measured {
    /// Empty counts. `in_rounds`: cores get their shares together.
    pub fn new(cores: usize, in_rounds: bool) -> Self {
        let rounds = if in_rounds { vec![0; cores] } else { Vec::new() };
        Measured { shares: Shares { rounds, ..Shares::default() }, begun: vec![0; cores] }
    }

    fn add(&mut self, cycles: u64) {
        self.shares.count += 1;
        self.shares.cycles += cycles;
        self.shares.squares += (cycles as f64).powi(2);
    }

    /// Records a finished round; for each core the cycles that it worked, 0 if it had no share.
    pub fn round(&mut self, of_cores: impl Iterator<Item = u64>) {
        let (mut busy, mut sum) = (0_usize, 0.0);
        let squares = self.shares.squares;
        for cycles in of_cores.filter(|&cycles| cycles > 0) {
            busy += 1;
            sum += cycles as f64;
            self.add(cycles);
        }
        let Some(place) = busy.checked_sub(1) else { return };
        self.shares.squares_in_rounds += self.shares.squares - squares - sum * sum / busy as f64;
        self.shares.rounds[place] += 1;
    }

    /// A core takes a share in a cycle, and has retired the one before it.
    pub fn take(&mut self, core: usize, start: u64, retired: &Retired) {
        self.end(core, retired);
        self.begun[core] = start;
    }

    /// A core has retired its share, if it had one.
    pub fn end(&mut self, core: usize, retired: &Retired) {
        if retired.count > 0 {
            self.add(retired.cycle + 1 - self.begun[core]);
        }
    }
}
