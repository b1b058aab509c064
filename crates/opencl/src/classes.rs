//! Work-groups in classes that do the same work.
//!
//! What a group does may depend on its id: groups at a border skip what lies outside, groups past the end of
//! the data do nothing, every second group copies. The grid of groups is divided until all groups of each
//! area decide alike, which interval arithmetic proves for a whole area ([`crate::expression::Ranges`]).
//! Borders are split off first; remainders (`get_group_id(0) % 2`) divide an area into interleaved ones;
//! everything else halves the area, down to single groups.

use crate::difference::{remainder, steps_differ};
use crate::expression::{Expr, Ranges};
use crate::model::Model;
use crate::shape::{Cursor, Obstacle};

/// Limit of areas. Beyond it, the group in the middle of an area represents the area.
const AREAS: usize = 1 << 14;

/// Limit of interleaved classes in an area: a longer period is not distinguished.
const PERIOD: i64 = 64;

/// Limit of groups that are handed to units one by one to find the busiest unit.
const LISTED: i64 = 1 << 16;

/// Every `step`th of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: i64,
    step: i64,
    count: i64,
}

impl Run {
    fn last(self) -> i64 {
        self.first + (self.count - 1) * self.step
    }

    fn part(self, from: i64, count: i64) -> Run {
        Run { first: self.first + from * self.step, count, ..self }
    }

    /// The numbers of this run that have the same remainder by `period` as the one at `from`.
    fn every(self, period: i64, from: i64) -> Run {
        let count = (self.count - from + period - 1) / period;
        Run { first: self.first + from * self.step, step: self.step * period, count }
    }
}

/// Groups that do the same work: an area of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    area: [Run; 3],
}

impl Class {
    /// One of its groups.
    pub(crate) fn representative(&self) -> [i64; 3] {
        self.area.map(|run| run.first + run.count / 2 * run.step)
    }

    /// Number of its groups.
    pub(crate) fn count(&self) -> i64 {
        self.area.iter().map(|run| run.count).product()
    }

    /// The ids of its groups.
    fn groups(&self) -> impl Iterator<Item = [i64; 3]> {
        let [x, y, z] = self.area;
        let of = |run: Run| (0..run.count).map(move |at| run.first + at * run.step);
        of(z).flat_map(move |z| of(y).flat_map(move |y| of(x).map(move |x| [x, y, z])))
    }
}

/// All groups of a configuration in classes.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    /// The classes; each group is in one.
    pub(crate) all: Vec<Class>,
    /// Whether all groups of each class do the same work. If not, there were too many classes.
    pub(crate) is_exact: bool,
    groups: [i64; 3],
}

impl Classes {
    /// The classes of the groups of a configuration.
    ///
    /// # Errors
    /// It takes too long.
    pub(crate) fn of(model: &Model, at: &mut Cursor<'_>) -> Result<Classes, Obstacle> {
        let groups = at.shape.groups;
        let whole = Class { area: groups.map(|count| Run { first: 0, step: 1, count }) };
        let mut classes = Classes { all: Vec::new(), is_exact: true, groups };
        if !model.depends_on_group {
            classes.all.push(whole);
            return Ok(classes);
        }
        // Whether a border was taken off in each dimension.
        let mut open = vec![(whole, [false; 3])];
        while let Some((class, peeled)) = open.pop() {
            at.spend()?;
            let ranges = over(at, &class);
            let Some(difference) = steps_differ(&model.steps, &ranges) else {
                classes.all.push(class);
                continue;
            };
            if class.count() == 1 || classes.all.len() + open.len() >= AREAS {
                classes.is_exact &= class.count() == 1;
                classes.all.push(class);
                continue;
            }
            divide(&class, peeled, difference, &ranges, &mut open);
        }
        Ok(classes)
    }

    /// The class of each group, by number; `None` if there are too many groups.
    pub(crate) fn by_group(&self) -> Option<Vec<u32>> {
        let [width, height, depth] = self.groups;
        let count = width * height * depth;
        if count > 1 << 24 {
            return None;
        }
        let mut found = vec![0_u32; count as usize];
        for (number, class) in self.all.iter().enumerate() {
            for [x, y, z] in class.groups() {
                found[((z * height + y) * width + x) as usize] = number as u32;
            }
        }
        Some(found)
    }

    /// How many groups of each class the busiest unit runs, if each group goes to the unit that is idle
    /// first. `loads` is the work of one group of each class. With very many groups, each unit is assumed to
    /// get its share.
    pub(crate) fn on_busiest(&self, units: u64, loads: &[f64]) -> Vec<f64> {
        let total: i64 = self.all.iter().map(Class::count).sum();
        let rounds = (total as f64 / units as f64).ceil();
        if self.all.len() == 1 {
            return vec![rounds];
        }
        let Some(by_group) = self.by_group().filter(|_| total <= LISTED) else {
            return self.all.iter().map(|class| class.count() as f64 * rounds / total as f64).collect();
        };
        let units = units.min(total as u64) as usize;
        let mut busy = vec![0.0_f64; units];
        let mut runs = Vec::with_capacity(by_group.len());
        for class in &by_group {
            let idle = least(&busy);
            busy[idle] += loads[*class as usize];
            runs.push(idle);
        }
        let busiest = (0..units).fold(0, |most, unit| if busy[unit] > busy[most] { unit } else { most });
        let mut counts = vec![0.0; self.all.len()];
        for (class, unit) in by_group.iter().zip(runs) {
            counts[*class as usize] += f64::from(u8::from(unit == busiest));
        }
        counts
    }
}

fn least(numbers: &[f64]) -> usize {
    (0..numbers.len()).fold(0, |least, at| if numbers[at] < numbers[least] { at } else { least })
}

/// Bounds of the leaves of expressions for the items of a class.
fn over<'a>(at: &'a Cursor<'_>, class: &Class) -> Ranges<'a> {
    let group = class.area.map(|run| (run.first, run.last()));
    Ranges { group, group_steps: class.area.map(|run| run.step), ..at.ranges() }
}

/// Divides an area in which an expression differs among groups.
fn divide(
    class: &Class,
    peeled: [bool; 3],
    difference: &Expr,
    ranges: &Ranges<'_>,
    open: &mut Vec<(Class, [bool; 3])>,
) {
    let mut occurs = [false; 3];
    difference.leaves(&mut |leaf| {
        if let Expr::Group(dimension) = leaf {
            occurs[usize::from(*dimension)] = true;
        }
    });
    let weight = |d: usize| weight(difference, ranges, d, class.area[d]);
    let several = (0..3).filter(|d| class.area[*d].count > 1);
    let Some(dimension) = several.max_by_key(|d| (occurs[*d], weight(*d))) else { return };
    let run = class.area[dimension];
    let mut add = |part: Run, peeled: [bool; 3]| {
        let mut area = class.area;
        area[dimension] = part;
        open.push((Class { area }, peeled));
    };
    let period = period(difference, ranges, dimension);
    if let Some(period) = period.filter(|period| *period <= PERIOD.min(run.count)) {
        return (0..period).for_each(|from| add(run.every(period, from), peeled));
    }
    let mut now = peeled;
    now[dimension] = true;
    if !peeled[dimension] && run.count > 2 {
        add(run.part(0, 1), now);
        add(run.part(1, run.count - 2), now);
        return add(run.part(run.count - 1, 1), now);
    }
    let half = run.count / 2;
    add(run.part(0, half), now);
    add(run.part(half, run.count - half), now);
}

/// How much a dimension contributes to the difference between the sides of a comparison.
fn weight(expr: &Expr, ranges: &Ranges<'_>, dimension: usize, run: Run) -> u64 {
    let grows = |expr: &Expr| ranges.coefficient(expr, dimension as u8);
    let gain = match expr {
        Expr::Binary(op, both, _) if op.is_condition() => {
            grows(&both.0).zip(grows(&both.1)).map(|(a, b)| a.saturating_sub(b).unsigned_abs())
        }
        other => grows(other).map(i64::unsigned_abs),
    };
    gain.unwrap_or(1).saturating_mul((run.step * (run.count - 1)) as u64)
}

/// The period, in groups along a dimension, with which a remainder in an expression repeats itself.
fn period(expr: &Expr, ranges: &Ranges<'_>, dimension: usize) -> Option<i64> {
    match expr {
        Expr::Not(inner, _) => period(inner, ranges, dimension),
        Expr::Choose(all, _) => {
            [&all.0, &all.1, &all.2].into_iter().find_map(|e| period(e, ranges, dimension))
        }
        Expr::Binary(op, both, _) => {
            let own = || {
                let (of, modulus) = remainder(*op, both, ranges)?;
                let step =
                    ranges.coefficient(of, dimension as u8)?.checked_mul(ranges.group_steps[dimension])?;
                let period = modulus / greatest_common_divisor(step.unsigned_abs(), modulus as u64) as i64;
                (period > 1).then_some(period)
            };
            own()
                .or_else(|| period(&both.0, ranges, dimension))
                .or_else(|| period(&both.1, ranges, dimension))
        }
        _ => None,
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}
