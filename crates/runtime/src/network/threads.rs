//! Threads that behave like processes.

use super::{Message, Network, Operation, Pending, Tag, Wanted, expect_parts, no_other, parts};
use crate::error::Error;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One of several threads, each a rank with its own memory: they share nothing but messages.
pub struct ThreadsAsRanks {
    place: Place,
    /// Number of operations of all ranks that this one has started. The same number on all ranks denotes the
    /// same operation.
    operations: AtomicU64,
}

/// A rank and the state that all ranks share.
#[derive(Clone)]
struct Place {
    rank: usize,
    size: usize,
    post: Arc<Post>,
}

/// Messages that are sent but not received.
struct Post {
    state: Mutex<State>,
    changed: Condvar,
}

/// A message's route: sender, receiver, and the collective operation that it belongs to, if any.
type Way = (usize, usize, Option<u64>);

#[derive(Default)]
struct State {
    /// Messages of known length.
    boxes: BTreeMap<Way, VecDeque<Vec<u8>>>,
    /// Messages with tags, by receiver, in the order of their arrival.
    posted: Vec<VecDeque<Message>>,
    /// Ranks that have ended and send nothing any more.
    gone: Vec<bool>,
    /// Why a rank ended the run.
    aborted: Option<String>,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn expect_run(&self) -> Result<(), Error> {
        self.aborted.as_ref().map_or(Ok(()), |why| Err(Error::Transfer(why.clone())))
    }

    fn take(&mut self, way: Way) -> Option<Vec<u8>> {
        let found = self.boxes.get_mut(&way)?.pop_front();
        if self.boxes.get(&way).is_some_and(VecDeque::is_empty) {
            self.boxes.remove(&way);
        }
        found
    }
}

impl ThreadsAsRanks {
    /// Runs a closure on `size` ranks; returns their results in order.
    ///
    /// # Panics
    /// If the closure panics on one of the ranks; the others find that it is gone.
    pub fn run<T: Send>(size: usize, rank: impl Fn(Arc<dyn Network>) -> T + Sync) -> Vec<T> {
        let state = State {
            posted: (0..size).map(|_| VecDeque::new()).collect(),
            gone: vec![false; size],
            ..State::default()
        };
        let post = Arc::new(Post { state: Mutex::new(state), changed: Condvar::new() });
        let one = |number: usize| {
            let place = Place { rank: number, size, post: post.clone() };
            let _leave = Leave(place.clone());
            rank(Arc::new(ThreadsAsRanks { place, operations: AtomicU64::new(0) }))
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

    fn next_operation(&self) -> u64 {
        self.operations.fetch_add(1, Ordering::Relaxed)
    }
}

impl Place {
    fn expect_rank(&self, other: usize) -> Result<(), Error> {
        match other < self.size && other != self.rank {
            true => Ok(()),
            false => Err(no_other(self.rank, self.size, other)),
        }
    }

    fn send(&self, to: usize, operation: Option<u64>, bytes: &[u8]) -> Result<(), Error> {
        self.expect_rank(to)?;
        let mut state = self.post.lock();
        state.expect_run()?;
        if state.gone[to] {
            return Err(gone(to));
        }
        state.boxes.entry((self.rank, to, operation)).or_default().push_back(bytes.to_vec());
        self.post.changed.notify_all();
        Ok(())
    }

    fn receive(&self, from: usize, operation: Option<u64>, bytes: &mut [u8]) -> Result<(), Error> {
        self.expect_rank(from)?;
        let way = (from, self.rank, operation);
        let message = self.wait(|state| match state.take(way) {
            Some(message) => Ok(Some(message)),
            None if state.gone[from] => Err(gone(from)),
            None => Ok(None),
        })?;
        if message.len() != bytes.len() {
            let (found, expected) = (message.len(), bytes.len());
            return Err(Error::Transfer(format!(
                "a message of {found} bytes from rank {from} instead of {expected}"
            )));
        }
        bytes.copy_from_slice(&message);
        Ok(())
    }

    /// Waits until `look` returns something.
    fn wait<T>(&self, look: impl Fn(&mut State) -> Result<Option<T>, Error>) -> Result<T, Error> {
        let mut state = self.post.lock();
        loop {
            state.expect_run()?;
            if let Some(found) = look(&mut state)? {
                return Ok(found);
            }
            state = self.post.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The first wanted message that is there.
    fn look(&self, state: &mut State, wanted: Wanted) -> Result<Option<Message>, Error> {
        let messages = &mut state.posted[self.rank];
        let at = messages.iter().position(|message| wanted.takes(message.from, message.tag));
        if let Some(message) = at.and_then(|at| messages.remove(at)) {
            return Ok(Some(message));
        }
        match wanted.from {
            Some(from) if state.gone[from] => Err(gone(from)),
            None if (0..self.size).all(|rank| rank == self.rank || state.gone[rank]) => {
                Err(Error::Transfer("all other ranks are gone".to_owned()))
            }
            _ => Ok(None),
        }
    }
}

fn gone(rank: usize) -> Error {
    Error::Transfer(format!("rank {rank} is gone"))
}

/// Notifies the others when a rank is gone, however it ends.
struct Leave(Place);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.post.lock().gone[self.0.rank] = true;
        self.0.post.changed.notify_all();
    }
}

/// An operation whose messages to others are sent, while some from others are missing.
struct Receiving<T> {
    place: Place,
    operation: u64,
    /// From which ranks.
    expected: Vec<usize>,
    /// Receives them all.
    finish: Box<dyn FnOnce() -> Result<T, Error> + Send>,
}

impl<T> Operation<T> for Receiving<T> {
    fn is_done(&mut self) -> Result<bool, Error> {
        let state = self.place.post.lock();
        state.expect_run()?;
        let mut is_done = true;
        for (at, &from) in self.expected.iter().enumerate() {
            let before = self.expected[..at].iter().filter(|&&other| other == from).count();
            let way = (from, self.place.rank, Some(self.operation));
            let is_there = state.boxes.get(&way).is_some_and(|messages| messages.len() > before);
            if !is_there && state.gone[from] {
                return Err(gone(from));
            }
            is_done &= is_there;
        }
        Ok(is_done)
    }

    fn wait(self: Box<Self>) -> Result<T, Error> {
        (self.finish)()
    }
}

impl Network for ThreadsAsRanks {
    fn name(&self) -> &str {
        "threads as ranks"
    }

    fn rank(&self) -> usize {
        self.place.rank
    }

    fn size(&self) -> usize {
        self.place.size
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.place.send(to, None, bytes)
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.place.receive(from, None, bytes)
    }

    fn post(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Error> {
        self.place.expect_rank(to)?;
        let mut state = self.place.post.lock();
        state.expect_run()?;
        if state.gone[to] {
            return Err(gone(to));
        }
        state.posted[to].push_back(Message { from: self.place.rank, tag, bytes });
        self.place.post.changed.notify_all();
        Ok(())
    }

    fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        wanted.from.map_or(Ok(()), |from| self.place.expect_rank(from))?;
        self.place.wait(|state| self.place.look(state, wanted))
    }

    fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        wanted.from.map_or(Ok(()), |from| self.place.expect_rank(from))?;
        let mut state = self.place.post.lock();
        state.expect_run()?;
        self.place.look(&mut state, wanted)
    }

    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        let gathered = self.start_all_gather(counts, all.to_vec())?.wait()?;
        all.copy_from_slice(&gathered);
        Ok(())
    }

    fn start_all_gather(&self, counts: &[usize], mut all: Vec<u8>) -> Result<Pending<Vec<u8>>, Error> {
        expect_parts(self.size(), counts, &all)?;
        let (operation, place, parts) = (self.next_operation(), self.place.clone(), parts(counts));
        let others: Vec<usize> = (0..self.size()).filter(|&other| other != place.rank).collect();
        for &other in &others {
            place.send(other, Some(operation), &all[parts[place.rank].clone()])?;
        }
        let expected = others.clone();
        let finish = move || {
            for other in others {
                place.receive(other, Some(operation), &mut all[parts[other].clone()])?;
            }
            Ok(all)
        };
        Ok(Box::new(Receiving { place: self.place.clone(), operation, expected, finish: Box::new(finish) }))
    }

    fn exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>, Error> {
        self.start_exchange(sent, received)?.wait()
    }

    fn start_exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Pending<Vec<Vec<u8>>>, Error> {
        let (operation, place, received) = (self.next_operation(), self.place.clone(), received.to_vec());
        received.iter().try_for_each(|&(from, _)| place.expect_rank(from))?;
        for (to, bytes) in sent {
            place.send(to, Some(operation), &bytes)?;
        }
        let expected = received.iter().map(|&(from, _)| from).collect();
        let finish = move || {
            let receive = |&(from, bytes): &(usize, usize)| {
                let mut message = vec![0; bytes];
                place.receive(from, Some(operation), &mut message).map(|()| message)
            };
            received.iter().map(receive).collect()
        };
        Ok(Box::new(Receiving { place: self.place.clone(), operation, expected, finish: Box::new(finish) }))
    }

    fn abort(&self, why: &str) {
        let rank = self.place.rank;
        self.place.post.lock().aborted.get_or_insert_with(|| format!("rank {rank} ended the run: {why}"));
        self.place.post.changed.notify_all();
    }
}
