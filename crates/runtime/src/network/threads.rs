//! Threads that behave like processes.

use super::Network;
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One of several threads, each a rank with memory of its own: nothing is shared but messages.
pub struct ThreadsAsRanks {
    rank: usize,
    size: usize,
    post: Arc<Post>,
}

/// Messages that are under way.
struct Post {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// From each rank (rows) to each.
    boxes: Vec<VecDeque<Vec<u8>>>,
    /// Ranks that have ended, and send nothing any more.
    gone: Vec<bool>,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ThreadsAsRanks {
    /// Runs a closure on `size` ranks; gives their results in order.
    ///
    /// # Panics
    /// Where the closure does on one of the ranks; the others find that it is gone.
    pub fn run<T: Send>(size: usize, rank: impl Fn(Arc<dyn Network>) -> T + Sync) -> Vec<T> {
        let state = State { boxes: vec![VecDeque::new(); size * size], gone: vec![false; size] };
        let post = Arc::new(Post { state: Mutex::new(state), changed: Condvar::new() });
        let one = |number: usize| {
            let _leave = Leave { post: &post, rank: number };
            rank(Arc::new(ThreadsAsRanks { rank: number, size, post: post.clone() }))
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..size).map(|number| scope.spawn(move || one(number))).collect();
            let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            joined
                .into_iter()
                .map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    fn expect_rank(&self, other: usize) -> Result<(), Error> {
        match other < self.size && other != self.rank {
            true => Ok(()),
            false => Err(Error::Transfer(format!(
                "rank {} of {} has no message for or from rank {other}",
                self.rank, self.size
            ))),
        }
    }
}

/// Notifies the others when a rank is gone, however it ends.
struct Leave<'a> {
    post: &'a Post,
    rank: usize,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.post.lock().gone[self.rank] = true;
        self.post.changed.notify_all();
    }
}

impl Network for ThreadsAsRanks {
    fn name(&self) -> &str {
        "threads as ranks"
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.expect_rank(to)?;
        let mut state = self.post.lock();
        if state.gone[to] {
            return Err(Error::Transfer(format!("rank {to} is gone")));
        }
        state.boxes[self.rank * self.size + to].push_back(bytes.to_vec());
        self.post.changed.notify_all();
        Ok(())
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.expect_rank(from)?;
        let mut state = self.post.lock();
        loop {
            if let Some(message) = state.boxes[from * self.size + self.rank].pop_front() {
                if message.len() != bytes.len() {
                    let (found, expected) = (message.len(), bytes.len());
                    return Err(Error::Transfer(format!(
                        "a message of {found} bytes from rank {from} instead of {expected}"
                    )));
                }
                bytes.copy_from_slice(&message);
                return Ok(());
            }
            if state.gone[from] {
                return Err(Error::Transfer(format!("rank {from} is gone")));
            }
            state = self.post.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
