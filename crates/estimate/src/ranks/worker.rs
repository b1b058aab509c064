//! The leader's side of a rank: claims blocks for it and waits for their summaries, as for a device.

use super::Ranks;
use super::messages::{self, Order, REPLY, Reply};
use super::pause;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_runtime::Error;
use volvelle_runtime::network::Wanted;
use volvelle_simulate::engine::{Outcome, Remote};
use volvelle_simulate::sample::BLOCK;

/// Duration of the work assigned to a rank at a time. At its end, some of its threads wait for the others.
const TARGET: Duration = Duration::from_millis(500);
/// Blocks that a rank gets first, when its speed is not known.
const FIRST_BLOCKS: u64 = 8;
/// Most blocks at a time: their summaries are one message.
const MOST_BLOCKS: u64 = 1 << 14;
/// Least duration of assigned work when little is left: at the end, some ranks wait for others about this
/// long.
const SHORTEST: Duration = Duration::from_millis(8);

/// The worker of a rank.
pub(crate) struct RankWorker<'a> {
    ranks: &'a Ranks,
    rank: usize,
    /// Ends waiting.
    control: &'a Control<'a>,
    state: Mutex<State>,
}

struct State {
    /// Limit of the blocks assigned next, and their least number while enough are left.
    blocks: u64,
    least: u64,
    /// Time that the rank takes for a block, with its message.
    each: Option<Duration>,
    error: Option<Error>,
}

impl<'a> RankWorker<'a> {
    pub fn new(ranks: &'a Ranks, rank: usize, control: &'a Control<'a>) -> Self {
        let state = Mutex::new(State { blocks: FIRST_BLOCKS, least: 1, each: None, error: None });
        RankWorker { ranks, rank, control, state }
    }

    /// The name of the rank, and why it no longer runs paths.
    pub fn failure(&self) -> Option<(String, Error)> {
        let error = self.lock().error.clone()?;
        Some((format!("rank {}", self.rank), error))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply to the last order, expected after a certain time; `None` if the run was stopped.
    fn reply(&self, begun: Instant, expected: Option<Duration>) -> Result<Option<Reply>, Error> {
        let wanted = Wanted { from: Some(self.rank), tag: Some(REPLY) };
        loop {
            if let Some(found) = self.ranks.network.try_receive_any(wanted)? {
                return messages::message(&found.bytes).map(Some);
            }
            if self.control.check().is_err() {
                return Ok(None);
            }
            let elapsed = begun.elapsed();
            std::thread::sleep(
                expected.map_or_else(|| pause::after(elapsed), |time| pause::near(elapsed, time)),
            );
        }
    }

    fn run_there(&self, paths: &Range<u64>) -> Result<Option<Outcome>, Error> {
        let begun = Instant::now();
        self.ranks.order(self.rank, &Order::Run(paths.start, paths.end))?;
        let blocks = (paths.end - paths.start).div_ceil(BLOCK);
        let expected = self.lock().each.map(|each| each.mul_f64(blocks as f64));
        match self.reply(begun, expected)? {
            Some(Reply::Blocks(found)) if found.len() as u64 == blocks => {
                let seconds = begun.elapsed().as_secs_f64().max(1e-6);
                let within = |time: Duration| (blocks as f64 * time.as_secs_f64() / seconds) as u64;
                let mut state = self.lock();
                state.blocks = within(TARGET).clamp(1, (4 * blocks).min(MOST_BLOCKS));
                state.least = within(SHORTEST).clamp(1, state.blocks);
                state.each = Some(Duration::from_secs_f64(seconds / blocks as f64));
                Ok(Some(Outcome::Ended(found)))
            }
            Some(Reply::Undecided) => Ok(Some(Outcome::Undecided)),
            Some(Reply::Blocks(_) | Reply::Result(..) | Reply::Left) => {
                Err(Error::Transfer("a reply to another order".to_owned()))
            }
            None => Ok(None),
        }
    }
}

impl Remote for RankWorker<'_> {
    fn is_ready(&self, _: &dyn Fn() -> bool) -> bool {
        true
    }

    fn terminates_early(&self) -> bool {
        true
    }

    fn wanted(&self) -> u64 {
        self.lock().blocks
    }

    fn least(&self) -> u64 {
        self.lock().least
    }

    fn run(&self, _: u64, paths: Range<u64>, _: u32) -> Option<Outcome> {
        self.run_there(&paths).unwrap_or_else(|error| {
            self.lock().error = Some(error);
            None
        })
    }
}
