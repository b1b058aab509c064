//! A rank that does not lead: it runs the blocks of paths assigned to it.

use super::Ranks;
use super::messages::{self, Order, REPLY, Reply, Round};
use crate::devices::DevicePool;
use crate::planner::Planner;
use crate::qualitative::{self, QualitativeOracle, SinglePathRunner};
use crate::tiers::{self, Expected};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use volvelle_control::Control;
use volvelle_runtime::Error;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Request, Sampled, resume};

/// Why a round is not served.
enum Unserved {
    /// The paths cannot be run here.
    Unsupported,
    /// The leader is gone.
    Network(Error),
}

impl From<Unsupported> for Unserved {
    fn from(_: Unsupported) -> Self {
        Unserved::Unsupported
    }
}

impl From<Error> for Unserved {
    fn from(error: Error) -> Self {
        Unserved::Network(error)
    }
}

/// Runs paths of an estimation for the leader, until it has enough.
///
/// # Errors
/// The leader is gone.
pub(crate) fn serve(planner: &Planner<'_>, ranks: &Ranks, control: &Control<'_>) -> Result<(), Error> {
    let mut server = Server { planner, ranks, control, clock: None, long: None, oracle: None, before: None };
    let mut order = server.order()?;
    loop {
        order = match order {
            Order::Round(round) => match server.round(&round) {
                Ok(order) => order,
                // The leader may be able to run them; it learns of this failure when it asks.
                Err(Unserved::Unsupported) => server.order()?,
                Err(Unserved::Network(error)) => return Err(error),
            },
            Order::Run(..) => {
                server.reply(&Reply::Undecided)?;
                server.order()?
            }
            // Tasks belong to no estimation.
            Order::Compute(_) | Order::Know(_) => server.order()?,
            Order::Done => return Ok(()),
            Order::End => {
                ranks.ended.store(true, Ordering::Relaxed);
                return Ok(());
            }
        };
    }
}

/// The data that a rank keeps between rounds, as the leader does.
struct Server<'a> {
    planner: &'a Planner<'a>,
    ranks: &'a Ranks,
    control: &'a Control<'a>,
    /// Whether the first plan drew times.
    clock: Option<bool>,
    /// Whether paths are long.
    long: Option<bool>,
    oracle: Option<QualitativeOracle>,
    /// The measures of the round before, and its plan.
    before: Option<(Vec<usize>, Arc<Plan>)>,
}

impl Server<'_> {
    fn order(&self) -> Result<Order, Error> {
        if self.ranks.ended.load(Ordering::Relaxed) {
            return Ok(Order::End);
        }
        self.ranks.next_order()
    }

    fn reply(&self, reply: &Reply) -> Result<(), Error> {
        self.ranks.network.post(0, REPLY, messages::bytes(reply)?)
    }

    /// Serves in a round; gives the first order that belongs to no round.
    fn round(&mut self, round: &Round) -> Result<Order, Unserved> {
        let Server { planner, control, .. } = *self;
        if let Some((measures, plan)) = &self.before {
            if let Some(undecided) = &round.undecided
                && self.oracle.is_none()
            {
                self.oracle = QualitativeOracle::for_measures(plan, undecided, control);
            }
            if round.wanted.len() < measures.len() {
                let kept: Vec<usize> =
                    (0..measures.len()).filter(|&place| round.wanted.contains(&measures[place])).collect();
                self.oracle = self.oracle.take().map(|oracle| oracle.only(&kept));
            }
        }
        let plan = Arc::new(planner.plan(&round.wanted, &mut self.clock)?);
        let expected = round.expected.map_or(Expected::Unknown, Expected::Paths);
        let selection = tiers::start(&plan, planner.tier, expected, control)?;
        let pool = DevicePool::new(planner.devices, &plan, control);
        let remotes = pool.remotes();
        let is_first_round = self.long.is_none();
        let long = *self.long.get_or_insert_with(|| qualitative::are_long(&selection, planner.sampling));
        if is_first_round && long {
            self.oracle = QualitativeOracle::for_long_paths(&plan, control);
        }
        // An oracle shortens paths. If only the leader has one, this rank would count other numbers of steps.
        let is_alike = self.oracle.is_some() == round.has_oracle;
        let single_path = SinglePathRunner::new(&plan);
        let early_termination = single_path.early_termination(self.oracle.as_ref());
        let order = loop {
            let (first, end) = match self.order()? {
                Order::Run(first, end) if first < end => (first, end),
                other => break other,
            };
            let request = Request {
                seed: planner.sampling.seed,
                first,
                paths: end - first,
                max_steps: planner.sampling.max_steps,
                monitors: &plan.monitors,
                early_termination: early_termination.as_ref(),
                single_path: if long || round.has_oracle { Some(&single_path) } else { None },
                remotes: &remotes,
                threads_too: pool.with_threads(),
            };
            let mut blocks: Vec<Sampled> = Vec::new();
            let ended = is_alike.then(|| {
                let nothing = Sampled::nothing(plan.monitors.indicators());
                let (_, ended) = resume(&selection, &request, control, nothing, |_, news| {
                    blocks.push(news.clone());
                    false
                });
                ended
            });
            // Only whole orders count.
            let reply = if ended.is_some_and(|ended| ended.is_none()) {
                Reply::Blocks(blocks)
            } else {
                Reply::Undecided
            };
            self.reply(&reply)?;
        };
        self.before = Some((round.wanted.clone(), Arc::clone(&plan)));
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RankWorker, Ranks};
    use super::serve;
    use crate::planner::Planner;
    use crate::settings::{PathTier, Sampling};
    use volvelle_control::Control;
    use volvelle_model::{Choice, Program};
    use volvelle_runtime::Devices;
    use volvelle_runtime::network::ThreadsAsRanks;
    use volvelle_simulate::engine::{Outcome, Remote};
    use volvelle_simulate::scheduler::Resolution;

    /// The leader is not left waiting for a rank that has no round to run paths in.
    #[test]
    fn what_cannot_be_run_is_given_back() {
        ThreadsAsRanks::run(2, |network| {
            let (ranks, control) = (Ranks::new(network), Control::unlimited());
            if ranks.leads() {
                let worker = RankWorker::new(&ranks, 1, &control);
                assert!(matches!(worker.run(1, 0..512, 10), Some(Outcome::Undecided)));
                assert!(worker.failure().is_none());
                ranks.finish();
                return;
            }
            let planner = Planner {
                program: &Program::new(Choice::Uniform),
                measures: &[],
                automata: &[],
                resolution: &Resolution::Model,
                table: None,
                sampling: &Sampling::default(),
                tier: PathTier::Auto,
                devices: &Devices::default(),
            };
            serve(&planner, &ranks, &control).expect("the leader is there");
        });
    }
}
