//! Clocks: sets of events that contain, with each event, all earlier ones of its process.

use std::rc::Rc;

/// For each process, how many of its first events are in the set (a vector clock).
pub type Clock = Rc<[u32]>;

/// An event, named by its process and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The process.
    pub process: u32,
    /// Counted from 1.
    pub number: u32,
}

/// The empty set.
pub fn nothing(processes: usize) -> Clock {
    vec![0; processes].into()
}

/// Whether an event is in a set.
pub fn contains(clock: &[u32], point: Point) -> bool {
    clock[point.process as usize] >= point.number
}

/// Whether a set is part of another one.
pub fn includes(clock: &[u32], part: &[u32]) -> bool {
    clock.iter().zip(part).all(|(a, b)| a >= b)
}

/// Adds the events of another set. Returns whether any was new.
pub fn join(clock: &mut Clock, other: &[u32]) -> bool {
    if includes(clock, other) {
        return false;
    }
    let clock = Rc::make_mut(clock);
    clock.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
    true
}

/// Adds an event and those of its process before it.
pub fn add(clock: &mut Clock, point: Point) {
    if !contains(clock, point) {
        Rc::make_mut(clock)[point.process as usize] = point.number;
    }
}

/// Keeps the events that are in both sets. Returns whether any was dropped.
pub fn meet(clock: &mut Clock, other: &[u32]) -> bool {
    if includes(other, clock) {
        return false;
    }
    Rc::make_mut(clock).iter_mut().zip(other).for_each(|(own, other)| *own = (*own).min(*other));
    true
}
