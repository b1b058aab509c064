//! Handshakes at a channel whose partners may be exchanged.
//!
//! Several processes (*clients*) may be ready to send to one process (the *server*), or to receive from it,
//! at the same time; the schedule decides who comes first. A *window* is a sequence of handshakes at a
//! channel whose partners may be exchanged among each other, and with no handshake outside. The exchange
//! makes no difference to any process if one side is the same process throughout and the messages are equal:
//! then every process passes the same locations with the same values. Only the order differs: the server
//! knows of its clients only at the end of the window, and a client knows only that the window has begun.

use crate::clock::{Clock, Point};
use crate::trace::Event;
use crate::value::DEPTH;
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a flattened path.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    Event(&'a Event),
    /// The beginning of a loop whose last part is at `end`.
    Begin {
        count: i64,
        end: usize,
    },
    End,
}

/// Whether the server sends or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    Gives,
    Takes,
}

/// The window of a handshake.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The part with its first handshake.
    pub first: usize,
    /// The part with its last handshake.
    pub last: usize,
    /// The role of the server.
    pub server: Server,
    /// Number of handshakes of the window before this one.
    pub before: usize,
}

/// A handshake that has happened.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// Its part of the path.
    pub part: usize,
    /// The number of its window among those at the channel.
    pub window: u32,
    /// The sender's event and the receiver's.
    pub sides: [Point; 2],
    /// The clock of each side before the handshake.
    pub arrivals: [Clock; 2],
    /// The clock of the server afterwards.
    pub server_clock: Clock,
}

/// An offer that a process had at a location where it took another step.
#[derive(Clone, Debug)]
pub struct Ghost {
    pub gives: bool,
    /// The step that it took.
    pub point: Point,
}

/// Handshakes of one class: those of the last two windows.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    pub list: Vec<Meeting>,
    /// Whether there were earlier ones. They do not overlap the first of these.
    pub has_forgotten: bool,
    /// The number of the present window.
    pub window: u32,
}

/// A value of a message: its base and its slopes.
type Number = (i64, [i64; DEPTH]);

/// Classes of handshakes: those with the same channel and message.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// The class of each part that is a handshake.
    pub of_part: Vec<Option<u32>>,
    /// The classes at each channel.
    pub at_channel: FxHashMap<i64, Vec<u32>>,
    /// Number of classes.
    pub count: usize,
}

impl Classes {
    /// The classes of a path.
    pub fn new(parts: &[Part<'_>]) -> Self {
        let mut numbers: FxHashMap<(i64, Vec<Number>), u32> = FxHashMap::default();
        let mut classes = Classes { of_part: vec![None; parts.len()], ..Classes::default() };
        for (i, part) in parts.iter().enumerate() {
            let Part::Event(Event { channel: Some(channel), message, .. }) = part else { continue };
            let message = message.iter().map(|value| (value.base, value.slopes)).collect();
            let next = numbers.len() as u32;
            let class = *numbers.entry((*channel, message)).or_insert(next);
            if class == next {
                classes.at_channel.entry(*channel).or_default().push(class);
            }
            classes.of_part[i] = Some(class);
        }
        classes.count = numbers.len();
        classes
    }
}

/// Two handshakes at a channel, one after the other: the processes and their alternatives.
type Pair = [[(u32, u32); 2]; 2];

/// Pairs of consecutive handshakes that had to be joined.
pub type Pairs = FxHashSet<Pair>;

/// Which handshakes belong to the same window as the previous one of their class.
#[derive(Clone, Debug)]
pub struct Joined {
    is_joined: Vec<bool>,
    /// Pairs that were joined somewhere.
    pub pairs: Pairs,
}

impl Joined {
    /// Nothing is joined yet; `pairs` are to be joined wherever they occur.
    pub fn new(parts: usize, pairs: Pairs) -> Self {
        Joined { is_joined: vec![false; parts], pairs }
    }

    /// Joins all handshakes of a class from one to another. `None` if they are not in the same iteration.
    pub fn join(&mut self, parts: &[Part<'_>], classes: &Classes, from: usize, to: usize) -> Option<()> {
        let Part::Event(first) = parts[from] else { return None };
        let class = classes.of_part[from];
        if to <= from || classes.of_part[to] != class {
            return None;
        }
        let (mut depth, mut before) = (0, first);
        for (i, part) in parts.iter().enumerate().take(to + 1).skip(from + 1) {
            match part {
                Part::Begin { .. } => depth += 1,
                Part::End if depth == 0 => return None,
                Part::End => depth -= 1,
                Part::Event(event) if classes.of_part[i] == class => {
                    if depth > 0 {
                        return None;
                    }
                    self.is_joined[i] = true;
                    self.pairs.insert(pair(before, event));
                    before = event;
                }
                Part::Event(_) => {}
            }
        }
        Some(())
    }

    /// Joins consecutive handshakes that resemble a pair in `pairs`: joining will be necessary again.
    pub fn join_alike(&mut self, parts: &[Part<'_>], classes: &Classes) {
        let mut last: FxHashMap<u32, &Event> = FxHashMap::default();
        for (i, part) in parts.iter().enumerate() {
            match part {
                // A window ends with its iteration.
                Part::Begin { .. } | Part::End => last.clear(),
                Part::Event(event) => {
                    let Some(class) = classes.of_part[i] else { continue };
                    if let Some(before) = last.insert(class, event)
                        && self.pairs.contains(&pair(before, event))
                    {
                        self.is_joined[i] = true;
                    }
                }
            }
        }
    }

    /// The windows of more than one handshake, by part. The error is a handshake whose window has no server.
    pub fn windows(&self, parts: &[Part<'_>], classes: &Classes) -> Result<FxHashMap<usize, Window>, usize> {
        let mut runs: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        let mut windows = FxHashMap::default();
        let mut close = |run: &[usize]| -> Result<(), usize> {
            if let [first, .., last] = *run {
                let server = server(parts, run).ok_or(last)?;
                let window =
                    |(before, &part): (usize, &usize)| (part, Window { first, last, server, before });
                windows.extend(run.iter().enumerate().map(window));
            }
            Ok(())
        };
        for (i, class) in classes.of_part.iter().enumerate() {
            let Some(class) = *class else { continue };
            let run = runs.entry(class).or_default();
            if !self.is_joined[i] {
                close(run)?;
                run.clear();
            }
            run.push(i);
        }
        runs.values().try_for_each(|run| close(run))?;
        Ok(windows)
    }
}

fn pair(first: &Event, second: &Event) -> Pair {
    [first, second].map(|event| [0, 1].map(|side| (event.sides[side].slot, event.sides[side].alternative)))
}

/// The side that is the same process in all handshakes, if any. They are in the same iteration, so their
/// messages are equal.
fn server(parts: &[Part<'_>], run: &[usize]) -> Option<Server> {
    let event = |part: usize| match parts[part] {
        Part::Event(event) => event,
        _ => unreachable!("handshakes are events"),
    };
    let first = event(run[0]);
    let same = |side: usize| run.iter().all(|&part| event(part).sides[side].slot == first.sides[side].slot);
    match (same(0), same(1)) {
        (true, _) => Some(Server::Gives),
        (_, true) => Some(Server::Takes),
        _ => None,
    }
}
