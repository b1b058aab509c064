//! The accesses to a shared cell that some process may not know of yet.

use crate::clock::{self, Clock, Point};
use crate::value::Value;

/// A write to the cell.
#[derive(Clone, Debug)]
pub struct Entry {
    pub point: Point,
    /// The past of the write, including itself.
    pub clock: Clock,
    pub is_addition: bool,
    pub before: Value,
    pub after: Value,
}

/// The accesses to a cell.
#[derive(Clone, Debug)]
pub struct History {
    /// Writes, in the order of the path.
    pub writes: Vec<Entry>,
    /// The last read of each process that read it.
    pub reads: Vec<Point>,
    /// Writes that were removed from `writes`. A later access must have all of them in its past; else it is a
    /// race.
    pub floor: Clock,
}

impl History {
    /// No accesses yet.
    pub fn new(processes: usize) -> Self {
        History { writes: Vec::new(), reads: Vec::new(), floor: clock::nothing(processes) }
    }

    /// Records a read.
    pub fn read(&mut self, point: Point) {
        match self.reads.iter_mut().find(|read| read.process == point.process) {
            Some(read) => read.number = point.number,
            None => self.reads.push(point),
        }
    }

    /// Records a write, and moves old writes to `floor`, oldest first; the latest write stays.
    ///
    /// A write can go once every process that may still have to wait for it knows of it: a process that has
    /// used the cell, or waits for it now (`waits`), and that may use it again (`may_use`).
    pub fn write(
        &mut self,
        entry: Entry,
        clocks: &[Clock],
        waits: impl Fn(usize) -> bool,
        may_use: impl Fn(usize) -> bool,
    ) {
        self.writes.push(entry);
        while self.writes.len() > 1 {
            let first = self.writes[0].point;
            let points = self.reads.iter().chain(self.writes.iter().map(|write| &write.point));
            let users = points.map(|user| user.process as usize);
            let waiting = (0..clocks.len()).filter(|&process| waits(process));
            let mut users = users.chain(waiting).filter(|&user| may_use(user));
            if !users.all(|user| clock::contains(&clocks[user], first)) {
                break;
            }
            let first = self.writes.remove(0).point;
            clock::add(&mut self.floor, first);
        }
    }
}
