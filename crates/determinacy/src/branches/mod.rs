//! All schedules of a program in which the schedule matters for a while.
//!
//! Example: several units take work from one channel. The schedule decides which unit takes which piece, so
//! no single path stands for all schedules. But one path stands for all schedules that make the same choices
//! at the points that matter. Those points are found by trial ([`crate::contested`]). This module follows one
//! path for each order of the contested steps, and continues paths together once they reach the same state.
//!
//! *Construction.* A path takes uncontested steps until none is possible. Then it takes one of the possible
//! contested steps, and so on. It takes a `timeout` where nothing else is possible.
//!
//! *Claim.* If each of these paths has a certificate (below), then under every schedule the processes pass
//! the locations of one of these paths, in the same order and with the same values.
//!
//! *Argument.* A process at a location with a contested step takes no other steps: all its steps there are
//! contested, and so are all handshakes at channels where it has offers. Let a schedule take the contested
//! steps `y1, y2, …` in this order. By induction, all steps that it took before `yi+1` are on the path that
//! chooses `y1, …, yi`:
//!
//! - Between `yi` and `yi+1` the schedule takes uncontested steps. The path takes all of them that are
//!   possible
//!   and has a certificate, so by [`crate::order`] the schedule takes none that is not on the path. (A
//!   certificate may rely on `yi` coming before `yi+1`: other orders have their own paths.)
//! - The processes of `yi+1` wait for a contested step. They wait at the same locations on the path, since
//!   only
//!   contested steps leave such locations, and the path has taken the same ones. Whether and how they can take
//!   the step depends on four kinds of cells: their own; those that only contested steps write; queues (see
//!   [`crate::order`]); and others whose writes are all in their past, or for all of whose writes their guards
//!   wait. This is checked in each state where a contested step is chosen. So `yi+1` is possible there, and is
//!   one of the choices.
//!
//! A `timeout` is possible only where nothing else is. By then the schedule has taken all steps of the path,
//! since the first missing one would still be possible. Everything later comes after all of them, so what was
//! known before need not be kept.
//!
//! Paths that reach the same state continue alike; variables on which nothing depends ([`crate::needed`]) are
//! ignored. What is known may differ between the paths, so it is weakened to what holds on both: the events
//! known on both, and the accesses that happened on either. Less knowledge gives fewer certificates, and a
//! certificate from the common knowledge holds for each path. When the knowledge at a state shrinks, the
//! state is followed again.
//!
//! Atomic sequences only restrict schedules, and are ignored here too; hence some paths may not be runs.
//! Therefore all paths must agree, and some known run must end in the same way.

mod followed;
mod paths;

use paths::{KEPT, MOST_BETWEEN, Stop, begin};
pub use paths::{Outcome, Paths};

use crate::affine::Stop as Halt;
use crate::contested::Contested;
use crate::machine::Notes;
use crate::path::Path;
use crate::refusal::Refusal;
use followed::Followed;

/// Limit of attempts, each with more contested resources than the one before.
const MOST_ATTEMPTS: usize = 16;

impl Outcome {
    /// The observations where the goal is reached, or else at the end.
    fn told(&self) -> Option<&Vec<i64>> {
        self.reached.as_ref().map(|reached| &reached.observed).or(self.observed.as_ref())
    }
}

/// The result of following all paths from some choices on.
#[derive(Debug)]
pub struct Branches {
    /// The distinct ends of the paths.
    pub outcomes: Vec<Outcome>,
    /// Number of steps taken.
    pub executed: u64,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Refused(match halt {
            Halt::Failed(site) => Refusal::Failure(site),
            _ => Refusal::Irregular,
        })
    }
}

impl<'a, 'p> Paths<'a, 'p> {
    /// The beginnings of all paths: the decisions of single processes before the first handshake.
    pub fn beginnings(&self, most: u64) -> Result<Vec<Vec<u32>>, Refusal> {
        let mut found = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            let mut path = self.path()?;
            let begin = begin(&mut path, &choices, &Contested::default());
            begin.map_err(|stop| stop.refusal())?;
            let chosen: Vec<u32> = path.decisions.iter().map(|&(_, chosen)| chosen).collect();
            for (n, &(options, _)) in path.decisions.iter().enumerate().skip(choices.len()) {
                open.extend((1..options).map(|option| chosen[..n].iter().copied().chain([option]).collect()));
            }
            found.push(chosen);
            if (found.len() + open.len()) as u64 > most || (self.is_cancelled)() {
                return Err(Refusal::Limit);
            }
        }
        Ok(found)
    }

    /// Runs the program with some choices, and with the first possible step everywhere else.
    pub fn run(&self, choices: &[u32]) -> Option<(Path<'a, 'p>, u64)> {
        let mut path = self.path().ok()?;
        begin(&mut path, choices, &Contested::default()).ok()?;
        path.machine.has_every_partner = true;
        let mut current = 0;
        let (mut moves, mut notes) = (Vec::new(), Notes::default());
        let mut executed = path.executed;
        while path.reached.is_none() {
            if path.next(current, &mut moves, &mut notes).ok()?.is_none()
                && !path.next_at_timeout(&mut moves, &mut notes).ok()?
            {
                break;
            }
            if executed >= self.most {
                return None;
            }
            let mut event = path.perform(moves[0], std::mem::take(&mut notes), None).ok()?;
            path.look_for_goal(&mut event).ok()?;
            path.push(event);
            executed += 1;
            current = moves[0].slot;
        }
        Some((path, executed))
    }

    fn path(&self) -> Result<Path<'a, 'p>, Refusal> {
        Path::new(self.compiled, self.asked, None).map_err(|_| Refusal::Irregular)
    }

    /// Follows all paths that begin with some choices.
    pub fn follow(&self, choices: &[u32]) -> Result<Branches, Refusal> {
        let mut contested = Contested::default();
        let mut executed = 0;
        for _ in 0..MOST_ATTEMPTS {
            let mut followed = Followed::new(*self, self.path()?, contested, executed);
            match followed.all(choices) {
                Ok(()) => {
                    let Followed { outcomes, executed, .. } = followed;
                    return Ok(Branches { outcomes, executed });
                }
                Err(Stop::Refused(refusal)) => return Err(refusal),
                Err(Stop::Contested) => (contested, executed) = (followed.contested, followed.executed),
            }
        }
        Err(Refusal::Limit)
    }
}

impl Stop {
    fn refusal(self) -> Refusal {
        match self {
            Stop::Refused(refusal) => refusal,
            Stop::Contested => Refusal::Limit,
        }
    }
}
