//! Numbered tasks that ranks share: points of a grid, configurations, searches.
//!
//! The leader computes as well. Tasks are assigned in order to free ranks, and results are collected by
//! number, so they do not depend on the assignment. The tasks of a lost rank are assigned again.

use super::Ranks;
use super::messages::{self, Order, REPLY, Reply};
use super::pause;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::tasks::on_threads;
use volvelle_control::{Control, TaskQueue, TaskSharing};
use volvelle_runtime::Error;
use volvelle_runtime::network::Wanted;

/// How long the leader waits after a limit for the results of others, which have reached it as well.
/// Launchers that end a run leave about a second.
const GRACE: Duration = Duration::from_millis(300);

/// Computes tasks one by one.
pub trait TaskHost {
    /// The result of a task; `None` if a limit was reached.
    fn compute(&mut self, task: u64) -> Option<Vec<u8>>;

    /// Called now and then with the results of all ranks so far.
    fn grown(&mut self, results: &BTreeMap<u64, Vec<u8>>) {
        let _ = results;
    }
}

impl Ranks {
    /// Computes tasks on all ranks including this one, one at a time on each. Returns the results by number
    /// of the task; tasks skipped because of a limit are missing.
    pub fn share_tasks(
        &self,
        tasks: impl IntoIterator<Item = u64>,
        control: &Control<'_>,
        host: &mut dyn TaskHost,
    ) -> BTreeMap<u64, Vec<u8>> {
        let given = Given { waiting: Mutex::new(tasks.into_iter().collect()), results: Mutex::default() };
        self.lead(&given, 1, control, |queue| {
            while let Some(task) = queue.next() {
                queue.deliver(task, host.compute(task));
                host.grown(&lock(&given.results));
            }
        });
        given.results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes tasks for the leader, until there are no more.
    ///
    /// # Errors
    /// The leader is gone.
    pub fn serve_tasks(&self, host: &mut dyn TaskHost) -> Result<(), Error> {
        self.follow(|queue| {
            while let Some(task) = queue.next() {
                queue.deliver(task, host.compute(task));
            }
        })
    }

    /// Runs workers here while the other ranks run theirs.
    fn lead(
        &self,
        tasks: &dyn TaskQueue,
        width: usize,
        control: &Control<'_>,
        run: impl FnOnce(&dyn TaskQueue),
    ) {
        let board = Board { tasks, control, state: Mutex::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| self.drive(&board, width));
            // Also if one of them panics, so that the driver ends.
            let _gone = WorkersGone(&board.state);
            run(&board);
        });
        self.finish();
    }

    /// Assigns tasks to the other ranks, up to `width` at a time to each, and collects results, until all are
    /// done.
    fn drive(&self, board: &Board<'_>, width: usize) {
        let mut over: Option<Instant> = None;
        // The time when a rank last reported or got work.
        let (mut since, mut events) = (Instant::now(), 0);
        loop {
            let mut is_busy = false;
            for rank in self.others() {
                match self.attend(rank, width, board) {
                    Ok(is_working) => is_busy |= is_working,
                    Err(error) => {
                        board.give_back(rank);
                        self.lose(rank, error);
                    }
                }
            }
            if board.control.check().is_err() {
                let over = *over.get_or_insert_with(Instant::now);
                if !is_busy || !board.tasks.completes() && over.elapsed() > GRACE {
                    board.give_up();
                    return;
                }
            } else if !is_busy && lock(&board.state).no_workers {
                return;
            }
            let so_far = lock(&board.state).events;
            if so_far != events {
                (since, events) = (Instant::now(), so_far);
            }
            std::thread::sleep(pause::after(since.elapsed()));
        }
    }

    /// Takes the available results of a rank, and assigns further tasks to it. Returns whether it computes
    /// any.
    fn attend(&self, rank: usize, width: usize, board: &Board<'_>) -> Result<bool, Error> {
        let wanted = Wanted { from: Some(rank), tag: Some(REPLY) };
        while let Some(message) = self.network.try_receive_any(wanted)? {
            match messages::message(&message.bytes)? {
                Reply::Result(task, result) => board.receive(rank, task, result),
                Reply::Left => return Err(Error::Transfer("it has left the run".to_owned())),
                Reply::Blocks(_) | Reply::Undecided => {}
            }
        }
        while board.given_to(rank) < width
            && let Some(task) = board.hand_out(rank)
        {
            self.order(rank, &Order::Compute(task))?;
        }
        Ok(board.given_to(rank) > 0)
    }

    /// Runs workers for the leader.
    fn follow(&self, run: impl FnOnce(&dyn TaskQueue)) -> Result<(), Error> {
        let service = Service { ranks: self, error: Mutex::default(), is_over: AtomicBool::new(false) };
        run(&service);
        service.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

impl TaskSharing for Ranks {
    fn share(
        &self,
        tasks: &dyn TaskQueue,
        threads: usize,
        control: &Control<'_>,
        worker: &(dyn Fn(&dyn TaskQueue) + Sync),
    ) {
        if self.leads() {
            self.lead(tasks, threads, control, |queue| on_threads(threads, &|| worker(queue)));
        } else if let Err(error) = self.follow(|queue| on_threads(threads, &|| worker(queue))) {
            self.abandon(&error);
        }
    }

    fn announce(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.leads() {
            self.tell(&Order::Know(bytes.clone()));
            return Some(bytes);
        }
        loop {
            if self.ended.load(Ordering::Relaxed) {
                return None;
            }
            match self.next_order() {
                Ok(Order::Know(bytes)) => return Some(bytes),
                Ok(Order::End) => self.ended.store(true, Ordering::Relaxed),
                // Remains of tasks for which this rank came too late.
                Ok(_) => {}
                Err(error) => {
                    self.abandon(&error);
                    return None;
                }
            }
        }
    }
}

/// Tasks that are known from the beginning, and their results.
struct Given {
    waiting: Mutex<VecDeque<u64>>,
    results: Mutex<BTreeMap<u64, Vec<u8>>>,
}

impl TaskQueue for Given {
    fn next(&self) -> Option<u64> {
        lock(&self.waiting).pop_front()
    }

    fn deliver(&self, task: u64, result: Option<Vec<u8>>) {
        lock(&self.results).extend(result.map(|result| (task, result)));
    }
}

/// The tasks of the leader, as its workers and those of the other ranks see them.
struct Board<'a> {
    tasks: &'a dyn TaskQueue,
    control: &'a Control<'a>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Tasks that ranks gave back.
    returned: VecDeque<u64>,
    /// The tasks that each rank computes.
    given: BTreeMap<usize, Vec<u64>>,
    no_workers: bool,
    /// Tasks handed out and received.
    events: u64,
}

/// When dropped, records that the leader's workers have ended. The other ranks may still compute.
struct WorkersGone<'a>(&'a Mutex<State>);

impl Drop for WorkersGone<'_> {
    fn drop(&mut self) {
        lock(self.0).no_workers = true;
    }
}

impl Board<'_> {
    fn take(&self, state: &mut State) -> Option<u64> {
        if self.control.check().is_err() {
            return None;
        }
        state.returned.pop_front().or_else(|| self.tasks.next())
    }

    fn hand_out(&self, rank: usize) -> Option<u64> {
        let mut state = lock(&self.state);
        let task = self.take(&mut state)?;
        state.given.entry(rank).or_default().push(task);
        state.events += 1;
        Some(task)
    }

    fn given_to(&self, rank: usize) -> usize {
        lock(&self.state).given.get(&rank).map_or(0, Vec::len)
    }

    fn receive(&self, rank: usize, task: u64, result: Option<Vec<u8>>) {
        // A late result of tasks before is of no use.
        let is_given = lock(&self.state).given.get(&rank).is_some_and(|given| given.contains(&task));
        if is_given {
            self.tasks.deliver(task, result);
            // Not earlier, so that the workers do not leave before the result is there.
            let mut state = lock(&self.state);
            state.given.entry(rank).or_default().retain(|&one| one != task);
            state.events += 1;
        }
    }

    fn give_back(&self, rank: usize) {
        let mut state = lock(&self.state);
        let given = state.given.remove(&rank).unwrap_or_default();
        state.returned.extend(given);
    }

    fn give_up(&self) {
        lock(&self.state).given.clear();
    }
}

impl TaskQueue for Board<'_> {
    fn next(&self) -> Option<u64> {
        let since = Instant::now();
        loop {
            let mut state = lock(&self.state);
            if let Some(task) = self.take(&mut state) {
                return Some(task);
            }
            // A rank that is lost gives its tasks back.
            if state.given.values().all(Vec::is_empty) || self.control.check().is_err() {
                return None;
            }
            drop(state);
            std::thread::sleep(pause::after(since.elapsed()));
        }
    }

    fn deliver(&self, task: u64, result: Option<Vec<u8>>) {
        self.tasks.deliver(task, result);
    }
}

/// The tasks that the leader orders from this rank.
struct Service<'a> {
    ranks: &'a Ranks,
    /// Held by the worker that waits for an order. Contains the reason why no more orders come.
    error: Mutex<Option<Error>>,
    is_over: AtomicBool,
}

impl TaskQueue for Service<'_> {
    fn next(&self) -> Option<u64> {
        let mut error = lock(&self.error);
        while error.is_none()
            && !self.is_over.load(Ordering::Relaxed)
            && !self.ranks.ended.load(Ordering::Relaxed)
        {
            match self.ranks.next_order() {
                Ok(Order::Compute(task)) => return Some(task),
                Ok(Order::Done) => self.is_over.store(true, Ordering::Relaxed),
                Ok(Order::End) => self.ranks.ended.store(true, Ordering::Relaxed),
                // Rounds belong to estimations.
                Ok(Order::Round(_) | Order::Run(..) | Order::Know(_)) => {}
                Err(gone) => *error = Some(gone),
            }
        }
        None
    }

    fn deliver(&self, task: u64, result: Option<Vec<u8>>) {
        let bytes = messages::bytes(&Reply::Result(task, result));
        if let Err(gone) = bytes.and_then(|bytes| self.ranks.network.post(0, REPLY, bytes)) {
            self.is_over.store(true, Ordering::Relaxed);
            // The worker that waits for an order finds out by itself.
            if let Ok(mut error) = self.error.try_lock() {
                *error = Some(gone);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_control::tasks::{Tasks, compute_all, encoded};
    use volvelle_runtime::network::ThreadsAsRanks;

    fn squares(ranks: &Ranks, threads: usize) -> Vec<Option<u64>> {
        let control = Control { threads, sharing: Some(ranks), ..Control::unlimited() };
        let worker = |queue: &dyn TaskQueue| {
            while let Some(task) = queue.next() {
                std::thread::sleep(Duration::from_micros(200));
                queue.deliver(task, encoded(&(task * task)));
            }
        };
        compute_all(&Tasks { count: 60, ends: None, completes: false }, &control, &worker).unwrap_or_default()
    }

    #[test]
    fn all_ranks_get_all_results_each_time() {
        for threads in [1, 3] {
            ThreadsAsRanks::run(3, |network| {
                let ranks = Ranks::new(network);
                for _ in 0..3 {
                    let wanted: Vec<Option<u64>> = (0..60).map(|n| Some(n * n)).collect();
                    assert_eq!(squares(&ranks, threads), wanted);
                }
                assert!(ranks.take_lost().is_empty());
            });
        }
    }

    /// When a rank is gone, another one takes over its work, and nothing waits for it.
    #[test]
    fn a_rank_that_has_left_is_not_waited_for() {
        ThreadsAsRanks::run(3, |network| {
            let ranks = Ranks::new(network);
            if ranks.network().rank() == 2 {
                // It takes a task and leaves.
                assert!(matches!(ranks.next_order(), Ok(Order::Compute(_))));
                return ranks.end();
            }
            for _ in 0..2 {
                let wanted: Vec<Option<u64>> = (0..60).map(|n| Some(n * n)).collect();
                assert_eq!(squares(&ranks, 1), wanted);
            }
            let lost: Vec<String> = ranks.take_lost().into_iter().map(|(rank, _)| rank).collect();
            let wanted: &[&str] = if ranks.leads() { &["rank 2"] } else { &[] };
            assert_eq!(lost, wanted);
        });
    }

    /// The others are not left alone by a leader that ends early.
    #[test]
    fn a_leader_that_ends_takes_the_others_along() {
        ThreadsAsRanks::run(2, |network| {
            let ranks = Ranks::new(network);
            match ranks.leads() {
                true => ranks.end(),
                false => assert!(squares(&ranks, 2).is_empty()),
            }
        });
    }
}
