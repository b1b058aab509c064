//! Whether another iteration of a loop would find nothing new.

use super::Known;
use super::known::Queue;
use crate::clock::{Clock, Point};
use crate::history::History;
use crate::windows::{Ghost, Meetings};
use std::collections::VecDeque;

/// Whether the knowledge after two iterations is the same: every event it names is either from before the
/// loop, or equally many iterations ago.
pub(super) fn is_regular(start: &[Clock], first: &Known, second: &Known) -> bool {
    let own = |clocks: &[Clock], p: usize| clocks[p][p];
    let same = |p: usize, a: u32, b: u32| {
        let begin = own(start, p);
        a == b && a <= begin
            || a > begin
                && b > begin
                && own(&first.clocks, p).wrapping_sub(a) == own(&second.clocks, p).wrapping_sub(b)
    };
    let same_point =
        |a: &Point, b: &Point| a.process == b.process && same(a.process as usize, a.number, b.number);
    let same_clock =
        |a: &Clock, b: &Clock| a.iter().zip(b.iter()).enumerate().all(|(p, (&a, &b))| same(p, a, b));
    let same_list =
        |a: &[Point], b: &[Point]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_point(a, b));
    let same_history = |a: &History, b: &History| {
        same_list(&a.reads, &b.reads)
            && same_clock(&a.floor, &b.floor)
            && a.writes.len() == b.writes.len()
            && a.writes.iter().zip(&b.writes).all(|(a, b)| {
                same_point(&a.point, &b.point)
                    && same_clock(&a.clock, &b.clock)
                    && (a.is_addition, a.before, a.after) == (b.is_addition, b.before, b.after)
            })
    };
    let same_meetings = |a: &Meetings, b: &Meetings| {
        a.list.len() == b.list.len()
            && a.has_forgotten == b.has_forgotten
            && a.list.iter().zip(&b.list).all(|(a, b)| {
                a.part == b.part
                    && same_list(&a.sides, &b.sides)
                    && a.arrivals.iter().zip(&b.arrivals).all(|(a, b)| same_clock(a, b))
                    && same_clock(&a.server_clock, &b.server_clock)
            })
    };
    let same_ghosts = |a: &[Ghost], b: &[Ghost]| {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| a.gives == b.gives && same_point(&a.point, &b.point))
    };
    let same_tokens = |a: &VecDeque<Clock>, b: &VecDeque<Clock>| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_clock(a, b))
    };
    let same_queue = |a: &Queue, b: &Queue| {
        (a.sender, a.receiver) == (b.sender, b.receiver)
            && same_tokens(&a.messages, &b.messages)
            && same_tokens(&a.room, &b.room)
    };
    first.ended == second.ended
        && first.clocks.iter().zip(&second.clocks).all(|(a, b)| same_clock(a, b))
        && first.cells.len() == second.cells.len()
        && first.cells.iter().all(|(cell, a)| second.cells.get(cell).is_some_and(|b| same_history(a, b)))
        && first.meetings.iter().zip(&second.meetings).all(|(a, b)| same_meetings(a, b))
        && first.ghosts.len() == second.ghosts.len()
        && first.ghosts.iter().all(|(at, a)| second.ghosts.get(at).is_some_and(|b| same_ghosts(a, b)))
        && first.queues.len() == second.queues.len()
        && first.queues.iter().all(|(slot, a)| second.queues.get(slot).is_some_and(|b| same_queue(a, b)))
        && same_list(&first.goal, &second.goal)
        && first.goal_is_unordered == second.goal_is_unordered
}
