//! What cores take at once, and how long they have it: the figures of a queueing model.

use super::flight::Retired;

/// Counts of shares. A share is what a core gets at once: its tasks of a round, or those that it takes together where each core is for
/// itself.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shares {
    /// How many there were.
    pub count: u64,
    /// Cycles from the beginning of a share until its last instruction has retired, of all together.
    pub cycles: u64,
    /// The sum of the squares of these cycles.
    pub squares: f64,
    /// The sum of the squares by which these cycles differ from the mean of their round; 0 in other modes.
    pub squares_in_rounds: f64,
    /// Tasks behind which nothing began before they were found to be mispredicted.
    pub mispredicted: u64,
    /// Rounds by the number of cores that had a share, from one on; empty in other modes.
    pub rounds: Vec<u64>,
}

/// Counts while a machine is at work.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub shares: Shares,
    /// When each core took its share, where each is for itself.
    begun: Vec<u64>,
}

impl Measured {
    /// Nothing yet; `in_rounds`: cores get their shares together.
    pub fn new(cores: usize, in_rounds: bool) -> Self {
        let rounds = if in_rounds { vec![0; cores] } else { Vec::new() };
        Measured { shares: Shares { rounds, ..Shares::default() }, begun: vec![0; cores] }
    }

    fn add(&mut self, cycles: u64) {
        self.shares.count += 1;
        self.shares.cycles += cycles;
        self.shares.squares += (cycles as f64).powi(2);
    }

    /// A round is over, in which cores had work for so many cycles; 0: none.
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
