//! Numbered tasks that ranks share: points of a grid, configurations, searches.
//!
//! The leader computes as well. Tasks are handed out in their order to whoever is free, and results are collected by number, so that
//! they do not depend on who computed what.

use super::Ranks;
use super::messages::{self, ORDER, Order, REPLY, Reply};
use super::pause;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_runtime::Error;
use volvelle_runtime::network::Wanted;

/// Computes tasks.
pub trait TaskHost {
    /// The result of a task; nothing where a limit was reached.
    fn compute(&mut self, task: u64) -> Option<Vec<u8>>;

    /// Is told now and then of the results of all ranks so far.
    fn grown(&mut self, results: &BTreeMap<u64, Vec<u8>>) {
        let _ = results;
    }
}

/// What came of some tasks.
#[derive(Debug, Default)]
pub struct TaskResults {
    /// Results by the numbers of the tasks; those that a limit left out are missing.
    pub results: BTreeMap<u64, Vec<u8>>,
    /// Ranks that are gone, and why: others did their tasks.
    pub lost: Vec<(String, Error)>,
}

/// Tasks and results, as the threads of the leader share them.
struct Board {
    waiting: VecDeque<u64>,
    found: TaskResults,
}

impl Ranks {
    /// Has tasks computed by all ranks, this one included.
    pub fn share_tasks(
        &self,
        tasks: impl IntoIterator<Item = u64>,
        control: &Control<'_>,
        host: &mut dyn TaskHost,
    ) -> TaskResults {
        let board = Board { waiting: tasks.into_iter().collect(), found: TaskResults::default() };
        let board = Mutex::new(board);
        std::thread::scope(|scope| {
            let driver = scope.spawn(|| self.drive(&board, control));
            let mut since = Instant::now();
            loop {
                while control.check().is_ok()
                    && let Some(task) = next(&board)
                {
                    let result = host.compute(task);
                    let mut board = lock(&board);
                    board.found.results.extend(result.map(|result| (task, result)));
                    host.grown(&board.found.results);
                    since = Instant::now();
                }
                // A rank that is lost gives its task back.
                if driver.is_finished() && (control.check().is_err() || lock(&board).waiting.is_empty()) {
                    break;
                }
                std::thread::sleep(pause::after(since.elapsed()));
            }
        });
        self.finish();
        board.into_inner().unwrap_or_else(PoisonError::into_inner).found
    }

    /// Hands tasks out to the other ranks and collects results, until all are done.
    fn drive(&self, board: &Mutex<Board>, control: &Control<'_>) {
        // What each of them computes; none are those that are gone.
        let mut ranks: Vec<(usize, Option<u64>)> =
            (1..self.network.size()).map(|rank| (rank, None)).collect();
        // When a rank was last heard of.
        let mut since = Instant::now();
        loop {
            let mut lost = Vec::new();
            for (rank, task) in &mut ranks {
                let before = *task;
                if let Err(error) = self.attend(*rank, task, board) {
                    let mut board = lock(board);
                    board.waiting.extend(task.take());
                    board.found.lost.push((format!("rank {rank}"), error));
                    lost.push(*rank);
                }
                if *task != before {
                    since = Instant::now();
                }
            }
            ranks.retain(|(rank, _)| !lost.contains(rank));
            let is_over = ranks.iter().all(|(_, task)| task.is_none()) && lock(board).waiting.is_empty();
            if is_over || ranks.is_empty() || control.check().is_err() {
                return;
            }
            std::thread::sleep(pause::after(since.elapsed()));
        }
    }

    /// Takes the result of a rank if it is there, and gives it another task.
    fn attend(&self, rank: usize, task: &mut Option<u64>, board: &Mutex<Board>) -> Result<(), Error> {
        if let Some(number) = *task {
            let wanted = Wanted { from: Some(rank), tag: Some(REPLY) };
            let Some(message) = self.network.try_receive_any(wanted)? else { return Ok(()) };
            if let Reply::Result(result) = messages::message(&message.bytes)? {
                lock(board).found.results.extend(result.map(|result| (number, result)));
            }
            *task = None;
        }
        *task = next(board);
        match *task {
            Some(number) => self.order(rank, &Order::Compute(number)),
            None => Ok(()),
        }
    }

    /// Computes tasks for the leader, until there are no more.
    ///
    /// # Errors
    /// The leader is gone.
    pub fn serve_tasks(&self, host: &mut dyn TaskHost) -> Result<(), Error> {
        while !self.ended.load(Ordering::Relaxed) {
            let message = self.network.receive_any(Wanted { from: Some(0), tag: Some(ORDER) })?;
            match messages::message(&message.bytes)? {
                Order::Compute(task) => {
                    self.network.post(0, REPLY, messages::bytes(&Reply::Result(host.compute(task)))?)?;
                }
                Order::End => self.ended.store(true, Ordering::Relaxed),
                Order::Done => break,
                // Rounds belong to estimations.
                Order::Round(_) | Order::Run(..) => {}
            }
        }
        Ok(())
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next(board: &Mutex<Board>) -> Option<u64> {
    lock(board).waiting.pop_front()
}
