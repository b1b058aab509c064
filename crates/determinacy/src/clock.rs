//! Sets of events that must have happened: for each process, how many of its events.

use std::rc::Rc;

/// For each process, how many of its first events are in the set.
pub type Clock = Rc<[u32]>;

/// The event of a process with a number, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The process.
    pub process: u32,
    /// The number of the event among those of the process.
    pub number: u32,
}

/// No events.
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

/// Adds the events of another set. Whether there were new ones.
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

/// Keeps what is in both sets. Whether something was not.
pub fn meet(clock: &mut Clock, other: &[u32]) -> bool {
    if includes(other, clock) {
        return false;
    }
    Rc::make_mut(clock).iter_mut().zip(other).for_each(|(own, other)| *own = (*own).min(*other));
    true
}
