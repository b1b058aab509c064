//! Lines of a stream, read by several threads.
//!
//! One thread takes pieces of whole lines from the stream, and reads pieces itself while others are busy. What pieces contain is added
//! up in their order: of several errors the first in the text counts, and the result is the same for any number of threads.

use super::edges::Piece;
use crate::allowance::stopped;
use crate::decompress::damaged;
use crate::finding::{Finding, Place};
use crate::text::Script;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use volvelle_control::Control;

/// Bytes of a piece.
const PIECE: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// A text whose beginning was not passed.
pub(super) struct Text<'a> {
    name: &'a str,
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    /// Lines and bytes before the buffer.
    lines: usize,
    pub bytes: u64,
    /// Whether the buffer has the rest.
    is_done: bool,
}

/// Whole lines of a text.
pub(super) struct Lines<'a> {
    name: &'a str,
    pub bytes: Vec<u8>,
    /// Pieces before this one, and their lines.
    number: usize,
    before: usize,
}

impl Lines<'_> {
    /// The lines as a text of their own.
    pub fn script(&self) -> Script<'_> {
        Script { file: self.name, bytes: &self.bytes }
    }

    /// A finding about these lines, as one about the text.
    pub fn moved(&self, mut finding: Finding) -> Finding {
        if let Some(Place::Text { line, .. }) = &mut finding.place {
            *line += self.before;
        }
        finding
    }
}

impl<'a> Text<'a> {
    pub fn new(name: &'a str, source: Box<dyn Read + 'a>) -> Self {
        Text { name, source, buffer: Vec::new(), lines: 0, bytes: 0, is_done: false }
    }

    /// The beginning, with so many bytes at least and up to the end of a line; all of it if it is shorter.
    pub fn beginning(&mut self, least: usize) -> Result<Script<'_>, Finding> {
        self.fill(least)?;
        Script::in_pieces(self.name, &self.buffer)
    }

    /// Reads until the buffer has at least so many bytes, and the end of a line or of the text.
    fn fill(&mut self, least: usize) -> Result<(), Finding> {
        let mut wanted = least;
        loop {
            let mut length = self.buffer.len();
            if length < wanted {
                self.buffer.resize(wanted, 0);
            }
            while length < wanted && !self.is_done {
                match self.source.read(&mut self.buffer[length..]) {
                    Ok(0) => self.is_done = true,
                    Ok(read) => length += read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(damaged(self.name, &error)),
                }
            }
            self.buffer.truncate(length);
            if self.is_done || self.end_of_lines() > 0 {
                return Ok(());
            }
            wanted = 2 * self.buffer.len();
        }
    }

    /// Behind the last line that is there as a whole.
    fn end_of_lines(&self) -> usize {
        if self.is_done {
            return self.buffer.len();
        }
        self.buffer.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    }

    /// Leaves some bytes behind.
    pub fn pass(&mut self, bytes: usize) {
        self.count(bytes);
        self.buffer.drain(..bytes);
    }

    fn count(&mut self, bytes: usize) {
        self.lines += self.buffer[..bytes].iter().filter(|&&b| b == b'\n').count();
        self.bytes += bytes as u64;
    }

    /// The next whole lines; `spare` is a buffer that is no longer needed.
    fn next(&mut self, number: usize, mut spare: Vec<u8>) -> Result<Option<Lines<'a>>, Finding> {
        self.fill(PIECE)?;
        let (end, before) = (self.end_of_lines(), self.lines);
        if end == 0 {
            return Ok(None);
        }
        self.count(end);
        spare.clear();
        spare.extend_from_slice(&self.buffer[end..]);
        self.buffer.truncate(end);
        let bytes = std::mem::replace(&mut self.buffer, spare);
        Ok(Some(Lines { name: self.name, bytes, number, before }))
    }
}

/// Pieces on their way.
struct State<'a, S> {
    /// Those that nobody reads yet.
    waiting: VecDeque<Lines<'a>>,
    /// Whether no more come.
    is_closed: bool,
    /// The piece whose result is added next.
    next: usize,
    sum: S,
    /// Why no further result is added.
    halted: Option<Finding>,
    /// Whether a thread panicked, so that a piece before others will never be added.
    is_broken: bool,
    /// Buffers that are not needed.
    spare: Vec<Vec<u8>>,
}

struct Line<'a, S, R, A> {
    state: Mutex<State<'a, S>>,
    changed: Condvar,
    read: R,
    add: A,
}

/// Reads a text in pieces with `read`, and adds up the results with `add` in the order of the text; `sum` is where they go.
///
/// # Errors
/// The first in the text of `read` and `add`; the stream cannot be read, or a limit was reached.
pub(super) fn in_order<'a, S: Send>(
    text: &mut Text<'a>,
    control: &Control<'_>,
    sum: S,
    read: impl for<'c> Fn(&'c Lines<'a>) -> Result<Piece<'c>, Finding> + Sync,
    add: impl for<'c> Fn(&mut S, Piece<'c>) -> Result<(), Finding> + Sync,
) -> Result<S, Finding> {
    let state = State {
        waiting: VecDeque::new(),
        is_closed: false,
        next: 0,
        sum,
        halted: None,
        is_broken: false,
        spare: Vec::new(),
    };
    let line = Line { state: Mutex::new(state), changed: Condvar::new(), read, add };
    let others = control.threads.max(1) - 1;
    let fed = std::thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| {
                while let Some(lines) = line.wait_for_lines() {
                    line.work(lines);
                }
            });
        }
        let alarm = Alarm(&line);
        let fed = line.feed(text, control, others);
        line.lock().is_closed = true;
        line.changed.notify_all();
        while let Some(lines) = line.take_lines(0) {
            line.work(lines);
        }
        drop(alarm);
        fed
    });
    let state = line.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (state.halted, fed) {
        (Some(finding), _) | (None, Err(finding)) => Err(finding),
        (None, Ok(())) => Ok(state.sum),
    }
}

impl<'a, S, R, A> Line<'a, S, R, A>
where
    R: for<'c> Fn(&'c Lines<'a>) -> Result<Piece<'c>, Finding>,
    A: for<'c> Fn(&mut S, Piece<'c>) -> Result<(), Finding>,
{
    fn lock(&self) -> MutexGuard<'_, State<'a, S>> {
        // After a panic all that is done is to end.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, state: MutexGuard<'s, State<'a, S>>) -> MutexGuard<'s, State<'a, S>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes pieces from the text, as long as there are some.
    fn feed(&self, text: &mut Text<'a>, control: &Control<'_>, others: usize) -> Result<(), Finding> {
        for number in 0.. {
            control.check().map_err(stopped)?;
            let spare = self.lock().spare.pop().unwrap_or_default();
            let Some(lines) = text.next(number, spare)? else { break };
            let mut state = self.lock();
            if state.halted.is_some() || state.is_broken {
                break;
            }
            state.waiting.push_back(lines);
            drop(state);
            self.changed.notify_all();
            while let Some(lines) = self.take_lines(others) {
                self.work(lines);
            }
        }
        Ok(())
    }

    /// A piece, if more than so many wait.
    fn take_lines(&self, more_than: usize) -> Option<Lines<'a>> {
        let mut state = self.lock();
        if state.waiting.len() > more_than { state.waiting.pop_front() } else { None }
    }

    /// A piece, once there is one; `None` after the last.
    fn wait_for_lines(&self) -> Option<Lines<'a>> {
        let mut state = self.lock();
        loop {
            if let Some(lines) = state.waiting.pop_front() {
                return Some(lines);
            }
            if state.is_closed || state.is_broken {
                return None;
            }
            state = self.wait(state);
        }
    }

    /// Reads a piece, and adds the result when it is its turn.
    fn work(&self, lines: Lines<'a>) {
        let alarm = Alarm(self);
        let found = (self.read)(&lines);
        let mut state = self.lock();
        while state.next != lines.number && state.halted.is_none() && !state.is_broken {
            state = self.wait(state);
        }
        if state.halted.is_none() && !state.is_broken {
            let added = found.and_then(|piece| (self.add)(&mut state.sum, piece));
            state.halted = added.err();
            state.next += 1;
        }
        state.spare.push(lines.bytes);
        drop(state);
        drop(alarm);
        self.changed.notify_all();
    }
}

/// Wakes all threads where one panics, since they would wait for it.
struct Alarm<'l, 'a, S, R, A>(&'l Line<'a, S, R, A>);

impl<S, R, A> Drop for Alarm<'_, '_, S, R, A> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().unwrap_or_else(PoisonError::into_inner).is_broken = true;
            self.0.changed.notify_all();
        }
    }
}
