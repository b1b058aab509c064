//! Channels of handshakes: which processes may come there, and the values that they exchange.

use crate::interval_operations::ANY;
use volvelle_model::interval::Interval;

/// A channel: processes (as bits), and the values that they send. There is one more for processes that may be
/// at any channel, and one for all.
#[derive(Clone, Debug, Default)]
pub struct Meeting {
    /// The run that it was used in last.
    run: u64,
    pub givers: u64,
    pub takers: u64,
    pub message: Vec<Interval>,
}

impl Meeting {
    /// As it is in a run.
    pub fn of(&mut self, run: u64) -> &mut Self {
        if self.run != run {
            (self.run, self.givers, self.takers) = (run, 0, 0);
            self.message.clear();
        }
        self
    }

    /// A process gives something; returns whether that is new.
    pub fn gives(&mut self, me: u64, given: &[Interval]) -> bool {
        let mut is_new = self.givers & me == 0;
        for (i, &value) in given.iter().enumerate() {
            match self.message.get_mut(i) {
                None => self.message.push(value),
                Some(known) => {
                    let hull = known.hull(value);
                    if hull != *known {
                        // A value that keeps changing is given up.
                        *known = if self.givers & me != 0 { ANY } else { hull };
                        is_new = true;
                    }
                }
            }
        }
        self.givers |= me;
        is_new
    }
}
