//! The sizes of a configuration, and the values of expressions in it.

use crate::difference::{Id, pieces_differ};
use crate::expression::{Fault, Ranges, Values};
use crate::model::{Model, Piece};
use serde::{Deserialize, Serialize};

/// Limit of pieces of work that are visited for one configuration.
const EFFORT_LIMIT: u64 = 50_000_000;

/// Why a configuration has no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Obstacle {
    /// A constraint does not hold.
    Constraint(String),
    /// A work-group needs more local memory than there is.
    LocalMemory {
        /// Bytes that it needs.
        needs: u64,
        /// Bytes that there are.
        has: u64,
    },
    /// A work-group has more items than the device allows.
    GroupTooLarge {
        /// Its items.
        items: u64,
        /// Items that the device allows.
        most: u64,
    },
    /// An expression has no value.
    Fault(Fault),
    /// The time cannot be evaluated in reasonable time.
    TooLong,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::Constraint(reason) => write!(f, "violates a constraint: {reason}"),
            Obstacle::LocalMemory { needs, has } => {
                write!(f, "needs {needs} bytes of local memory, the device has {has}")
            }
            Obstacle::GroupTooLarge { items, most } => {
                write!(f, "has work-groups of {items} items, the device allows {most}")
            }
            Obstacle::Fault(fault) => write!(f, "meets {fault}"),
            Obstacle::TooLong => f.write_str("takes too long to evaluate"),
        }
    }
}

impl From<Fault> for Obstacle {
    fn from(fault: Fault) -> Self {
        Obstacle::Fault(fault)
    }
}

/// The sizes of a valid configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Items of a work-group by dimension.
    pub local: [i64; 3],
    /// Work-groups by dimension.
    pub groups: [i64; 3],
}

impl Shape {
    /// Items of a work-group.
    pub fn items(&self) -> i64 {
        self.local.iter().product()
    }

    /// Number of work-groups.
    pub fn group_count(&self) -> i64 {
        self.groups.iter().product()
    }
}

/// The sizes of a configuration, or why it is not valid. `names` has the value of each name of the model.
pub fn shape(model: &Model, names: &[i64]) -> Result<Shape, Obstacle> {
    let values = Values::of(names);
    for constraint in &model.launch.constraints {
        if !constraint.test.holds(&values)? {
            return Err(Obstacle::Constraint(constraint.reason.clone()));
        }
    }
    let (mut local, mut groups) = ([1; 3], [1; 3]);
    for dimension in 0..model.dimensions() {
        local[dimension] = model.local_size(dimension).value(&values)?;
        groups[dimension] = model.groups(dimension).value(&values)?;
        if local[dimension] < 1 || groups[dimension] < 1 {
            return Err(Obstacle::Constraint("there is at least one work-item".to_owned()));
        }
    }
    let product = |sizes: [i64; 3]| sizes[0].checked_mul(sizes[1])?.checked_mul(sizes[2]);
    let items = product(local).ok_or(Fault::Overflow)?;
    product(groups).ok_or(Fault::Overflow)?;
    let most = u64::from(model.platform.work_group_max);
    if items as u64 > most {
        return Err(Obstacle::GroupTooLarge { items: items as u64, most });
    }
    let needs = model.local_bytes.value(&values)?.max(0) as u64;
    if needs > model.platform.local_memory_bytes {
        return Err(Obstacle::LocalMemory { needs, has: model.platform.local_memory_bytes });
    }
    Ok(Shape { local, groups })
}

/// A position in a walk through the model of a configuration.
pub(crate) struct Cursor<'m> {
    /// The value of each name.
    pub(crate) names: &'m [i64],
    pub(crate) shape: Shape,
    /// The current group.
    pub(crate) group: [i64; 3],
    /// Iterations of the loops around.
    pub(crate) counters: Vec<i64>,
    effort: u64,
}

impl<'m> Cursor<'m> {
    pub(crate) fn new(model: &Model, names: &'m [i64], shape: Shape) -> Self {
        let counters = vec![0; usize::from(model.counters)];
        Cursor { names, shape, group: [0; 3], counters, effort: 0 }
    }

    /// The values of expressions for an item of the group.
    pub(crate) fn values(&self, item: i64) -> Values<'_> {
        let local = ids(item, self.shape.local);
        Values { names: self.names, local, group: self.group, counters: &self.counters }
    }

    /// Whether some work takes the same time for each item of the current group.
    pub(crate) fn is_uniform(&self, pieces: &[Piece]) -> bool {
        let ranges = Ranges { group: self.group.map(|id| (id, id)), ..self.ranges() };
        pieces_differ(pieces, &ranges, Id::Local).is_none()
    }

    /// Bounds of the leaves of expressions for the items of all groups, in the current iteration.
    pub(crate) fn ranges(&self) -> Ranges<'_> {
        let all = |size: i64| (0, size - 1);
        let (local, group) = (self.shape.local.map(all), self.shape.groups.map(all));
        Ranges { values: self.values(0), local, group, group_steps: [1; 3], any_iteration: false }
    }

    /// Goes to a group.
    pub(crate) fn enter(&mut self, number: i64) {
        self.group = ids(number, self.shape.groups);
    }

    /// Goes to the group with these ids.
    pub(crate) fn enter_at(&mut self, group: [i64; 3]) {
        self.group = group;
    }

    /// Counts a visited piece of work against the limit.
    pub(crate) fn spend(&mut self) -> Result<(), Obstacle> {
        self.effort += 1;
        if self.effort > EFFORT_LIMIT { Err(Obstacle::TooLong) } else { Ok(()) }
    }
}

/// The ids of an item or a group in each dimension, from its number.
fn ids(number: i64, [width, height, _]: [i64; 3]) -> [i64; 3] {
    [number % width, number / width % height, number / width / height]
}
