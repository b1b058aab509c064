//! Choosing directions until a question is decided.
//!
//! All questions are one: the largest `z` for which some mix of points has `y_t >= b_t + c_t z` in every row. With all `c`
//! positive it is the room that is left under the bounds, which are met if it is not negative; with `c` zero except where
//! bounds are strict, and these met, it is positive if and only if all strict bounds can be met at once; with `b` zero and
//! `c` one for a single objective, it is the best value of it.
//!
//! Only some points are known. The linear program over them ([`Program`]) gives a value that is achieved, and its
//! multipliers are a direction `w`: the largest `w · y` of all schedulers bounds the value from above by duality. If it is
//! that of the known points, the value is the largest one; else it is that of a point that was not known. As there are
//! finitely many points, this ends (column generation of Dantzig and Wolfe 1960).

use super::coordinate_of;
use super::oracle::Oracle;
use super::program::Program;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_objectives::multi::Target;
use volvelle_solver::CheckError;

/// `y_t >= bound + factor z`
pub struct Row {
    /// The coordinate.
    pub target: usize,
    /// Its bound.
    pub bound: RBig,
    /// Its part of `z`, not negative.
    pub factor: RBig,
}

/// The largest `z`: it is at least `lower`, and at most `upper` where that is known.
pub struct Found {
    /// Achieved.
    pub lower: RBig,
    /// Not exceeded by any scheduler.
    pub upper: Option<RBig>,
}

/// The achievable set as far as it is known. Coordinates are those of the targets.
pub struct Search<'a> {
    control: &'a Control<'a>,
    oracle: Oracle<'a>,
    pub(super) targets: &'a [Target],
    /// The bounds as coordinates.
    bounds: Vec<RBig>,
    /// The largest value of each coordinate by size, about.
    scale: Vec<RBig>,
    pub(super) points: Vec<Vec<RBig>>,
    /// The largest value of each coordinate.
    pub(super) top: Vec<RBig>,
    /// Directions so far.
    pub directions: usize,
}

impl<'a> Search<'a> {
    /// Begins with the best point for every objective on its own.
    pub fn new(
        control: &'a Control<'a>,
        oracle: Oracle<'a>,
        targets: &'a [Target],
        bounds: &[RBig],
    ) -> Result<Self, CheckError> {
        let d = targets.len();
        let bounds = targets.iter().zip(bounds).map(|(t, b)| coordinate_of(t, b.clone())).collect();
        let scale = vec![RBig::ONE; d];
        let mut search = Search {
            control,
            oracle,
            targets,
            bounds,
            scale,
            points: Vec::new(),
            top: Vec::new(),
            directions: 0,
        };
        for t in 0..d {
            let mut weights = vec![RBig::ZERO; d];
            weights[t] = RBig::ONE;
            let limit = search.look(&weights)?;
            search.top.push(limit);
        }
        for t in (0..d).filter(|&t| !targets[t].probability) {
            let size = |p: &Vec<RBig>| p[t].to_f64().value().abs();
            let largest = search.points.iter().map(size).fold(0.0, f64::max);
            // A power of two has a short fraction.
            if largest.is_normal() {
                let power = largest.log2().round() as i32;
                search.scale[t] = RBig::try_from(2f64.powi(power)).unwrap_or(RBig::ONE);
            }
        }
        Ok(search)
    }

    /// The largest weighted sum of the coordinates; a point that achieves it is known from now on.
    pub(super) fn look(&mut self, weights: &[RBig]) -> Result<RBig, CheckError> {
        self.directions += 1;
        let count = self.targets.iter().map(|t| t.number + 1).max().unwrap_or(0);
        let mut of_objective = vec![RBig::ZERO; count];
        for (target, weight) in self.targets.iter().zip(weights) {
            of_objective[target.number] = weight.clone();
        }
        let (limit, point) = self.oracle.support(&of_objective)?;
        let point: Vec<RBig> = self.targets.iter().map(|t| point[t.number].clone()).collect();
        if !self.points.contains(&point) {
            self.points.push(point);
        }
        Ok(limit)
    }

    /// Whether a scheduler meets all bounds; an objective that is optimised does not count.
    pub fn is_achievable(&mut self) -> Result<bool, CheckError> {
        let targets = self.targets;
        let bounded = || (0..targets.len()).filter(|&t| targets[t].goal.bound().is_some());
        let row = |search: &Self, t: usize, factor: RBig| Row {
            target: t,
            bound: search.bounds[t].clone(),
            factor,
        };
        let rows: Vec<Row> = bounded().map(|t| row(self, t, self.scale[t].clone())).collect();
        if rows.is_empty() {
            return Ok(true);
        }
        let room = self.largest(&rows, |found| {
            found.lower >= RBig::ZERO || found.upper.as_ref().is_some_and(|upper| *upper < RBig::ZERO)
        })?;
        if room.lower != RBig::ZERO {
            return Ok(room.lower > RBig::ZERO);
        }
        if !targets.iter().any(|t| t.goal.is_strict()) {
            return Ok(true);
        }
        let factor = |t: usize| if targets[t].goal.is_strict() { self.scale[t].clone() } else { RBig::ZERO };
        let rows: Vec<Row> = bounded().map(|t| row(self, t, factor(t))).collect();
        let room = self.largest(&rows, |found| {
            found.lower > RBig::ZERO || found.upper.as_ref().is_some_and(|upper| *upper <= RBig::ZERO)
        })?;
        Ok(room.lower > RBig::ZERO)
    }

    /// The largest value of a coordinate under the bounds of the others, which can be met. Strict bounds count as the others:
    /// the value may be approached only.
    pub fn best(&mut self, of: usize) -> Result<RBig, CheckError> {
        let row = |t: usize| match t == of {
            true => Row { target: t, bound: RBig::ZERO, factor: RBig::ONE },
            false => Row { target: t, bound: self.bounds[t].clone(), factor: RBig::ZERO },
        };
        let rows: Vec<Row> = (0..self.targets.len()).map(row).collect();
        Ok(self.largest(&rows, |_| false)?.lower)
    }

    /// A direction that separates a point from all known mixes; `None` if it is below one of them.
    pub(super) fn separate(&self, point: &[RBig]) -> Result<Option<Vec<RBig>>, CheckError> {
        if self.points.iter().any(|known| known == point) {
            return Ok(None);
        }
        let row = |t: usize| Row { target: t, bound: point[t].clone(), factor: self.scale[t].clone() };
        let rows: Vec<Row> = (0..point.len()).map(row).collect();
        // There may be hundreds of points, of which few matter.
        let mut among: Vec<usize> = (0..self.points.len().min(point.len())).collect();
        loop {
            let master = self.master(&rows, &among)?;
            if master.lower >= RBig::ZERO {
                return Ok(None);
            }
            let height =
                |p: &Vec<RBig>| p.iter().zip(&master.weights).fold(RBig::ZERO, |sum, (y, w)| sum + y * w);
            let heights = self.points.iter().map(height).enumerate();
            match heights.max_by(|a, b| a.1.cmp(&b.1)) {
                Some((highest, height)) if &height - &master.shift > master.known => among.push(highest),
                _ => return Ok(Some(master.weights)),
            }
        }
    }

    /// The largest `z`, or one that decides. The rows whose factor is zero can be met by known points.
    fn largest(&mut self, rows: &[Row], decides: impl Fn(&Found) -> bool) -> Result<Found, CheckError> {
        let mut upper: Option<RBig> = None;
        loop {
            let all: Vec<usize> = (0..self.points.len()).collect();
            let master = self.master(rows, &all)?;
            let found = Found { lower: master.lower.clone(), upper: upper.clone() };
            if decides(&found) {
                return Ok(found);
            }
            let limit = self.look(&master.weights)? - &master.shift;
            if limit <= master.known {
                return Ok(Found { upper: Some(found.lower.clone()), ..found });
            }
            let bound = &master.lower + (limit - &master.known);
            if upper.as_ref().is_none_or(|upper| bound < *upper) {
                upper = Some(bound);
            }
            let found = Found { upper: upper.clone(), ..found };
            if decides(&found) {
                return Ok(found);
            }
        }
    }

    /// The linear program over some of the known points.
    fn master(&self, rows: &[Row], among: &[usize]) -> Result<Master, CheckError> {
        let points = || among.iter().map(|&q| &self.points[q]);
        // Room of a point in a row.
        let room = |point: &Vec<RBig>, row: &Row| &point[row.target] - &row.bound;
        // No mix has to be worse than the worst of all.
        let counted = rows.iter().filter(|row| !row.factor.is_zero());
        let rooms = counted.flat_map(|row| points().map(move |p| room(p, row) / &row.factor));
        let least = rooms.min().unwrap_or(RBig::ZERO);
        let m = among.len();
        // Variables: the share of every point, and z - least.
        let mut program = Program::default();
        for row in rows {
            let mut line: Vec<RBig> = points().map(|point| -room(point, row)).collect();
            line.push(row.factor.clone());
            program.rows.push(line);
            program.right.push(-(&row.factor * &least));
        }
        for sign in [RBig::ONE, -RBig::ONE] {
            let mut line = vec![sign.clone(); m];
            line.push(RBig::ZERO);
            program.rows.push(line);
            program.right.push(sign);
        }
        program.objective = vec![RBig::ZERO; m];
        program.objective.push(RBig::ONE);
        let Some(solution) = program.solve(self.control)? else {
            let what = "the achievable set of these objectives".to_string();
            return Err(CheckError::TooLargeExactly { what });
        };
        let mut weights = vec![RBig::ZERO; self.targets.len()];
        let mut shift = RBig::ZERO;
        for (row, multiplier) in rows.iter().zip(&solution.multipliers) {
            weights[row.target] += multiplier;
            shift += multiplier * &row.bound;
        }
        let known = &solution.multipliers[rows.len()] - &solution.multipliers[rows.len() + 1];
        Ok(Master { lower: least + solution.value, weights, shift, known })
    }
}

/// The result of a linear program over known points.
struct Master {
    /// The largest `z` of their mixes.
    lower: RBig,
    /// The direction that proves it: `weights · y - shift` is at most `known` for all known points.
    weights: Vec<RBig>,
    shift: RBig,
    known: RBig,
}
