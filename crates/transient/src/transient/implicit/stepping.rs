//! The steps in time: a series in one resolvent for each, with a bound of its defect.
//!
//! See the parent module for the mathematics. Here: how long a step may be, when a series is long enough, and what each
//! error adds to the bound.

use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_solver::rounding::U;

use super::equations::{Effort, Equations};
use super::factors::Pattern;
use super::generator::{Generator, Right};
use super::laguerre::{HIGHEST, LONGEST, Table, Twofold, values};
use super::norm::Norm;
use super::system::System;

/// Terms of one series.
const TERMS: usize = 40;

/// Steps that may turn out to be too long before the method is given up.
const REJECTED: usize = 30;

/// Lengths that a step may have, as parts of the longest.
const PARTS: [f64; 3] = [1.0, 0.5, 0.25];

/// The solver of one system.
pub struct Stepping<'a> {
    generator: &'a Generator,
    equations: Equations<'a>,
    control: &'a Control<'a>,
    table: Table,
    norm: Norm<'a>,
    steps: u64,
    /// Multiplications after which the solver gives up.
    pub most_work: f64,
}

/// Values at one time, with their error: at most `error` times the weight of the row.
#[derive(Clone, Debug)]
pub struct Level {
    /// For every row, or for those kept.
    pub values: Vec<f64>,
    /// In the weighted norm.
    pub error: f64,
}

/// How a run over all times ended.
pub enum Ending {
    /// A result for each time.
    Finished(Vec<Level>),
    /// The error grew beyond what is allowed, or the work did.
    Failed,
    /// Told to stop at this time, with the values there.
    Stopped {
        /// Results for the first times.
        found: Vec<Level>,
        /// The time reached.
        time: f64,
        /// All rows at this time.
        reached: Level,
    },
}

/// One candidate for the length of a step, or a time inside of it.
struct Candidate {
    /// In units of the pole's step.
    length: f64,
    coefficients: [f64; HIGHEST + 1],
    sum: Vec<f64>,
    /// Errors besides that of leaving out the rest of the series.
    error: f64,
    /// Sum of the norms of all terms.
    size: f64,
}

impl Candidate {
    fn new(length: Twofold, rows: usize) -> Self {
        let coefficients = values(length);
        Candidate { length: length.value(), coefficients, sum: vec![0.0; rows], error: 0.0, size: 0.0 }
    }

    /// Adds term `k` of the series, and its correction, in all rows or in some.
    fn add(&mut self, k: usize, term: &[f64], correction: Option<&[f64]>, rows: Option<&[u32]>) {
        let c = self.coefficients[k];
        for part in [Some(term), correction].into_iter().flatten() {
            match rows {
                Some(rows) => {
                    self.sum.iter_mut().zip(rows).for_each(|(sum, &row)| *sum += c * part[row as usize])
                }
                None => self.sum.iter_mut().zip(part).for_each(|(sum, z)| *sum += c * z),
            }
        }
    }
}

/// A step that was made.
struct Made {
    /// Its length in units of the pole's step, exact.
    length: f64,
    terms: usize,
    /// Whether it is shorter than it was meant to be.
    shortened: bool,
    level: Level,
    inside: Vec<Level>,
}

impl<'a> Stepping<'a> {
    /// A solver without weights: [`Stepping::profile`] gives them.
    pub fn new(
        generator: &'a Generator,
        pattern: &'a Pattern,
        control: &'a Control<'a>,
        most_work: f64,
    ) -> Self {
        Stepping {
            generator,
            equations: Equations::new(generator, pattern, control),
            control,
            table: Table::new(),
            norm: Norm::new(generator),
            steps: 0,
            most_work,
        }
    }

    /// Sets the weights of the norm in which errors are measured.
    pub fn set_weights(&mut self, weights: Vec<f64>) {
        self.norm.set_weights(weights);
    }

    /// What was done: steps in time, and the work on equations.
    pub fn effort(&self) -> (u64, Effort) {
        (self.steps, self.equations.effort)
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        self.norm.weights()
    }

    /// The expectation of the result at an exponentially distributed time, a guess: its mean is `2^exponent`.
    pub fn profile(&mut self, system: &System, exponent: i32) -> Result<Vec<f64>, Stop> {
        let at = self.equations.factors(exponent)?;
        let b = system.pushed(2f64.powi(exponent));
        let mut x = vec![0.0; b.len()];
        let largest = b.iter().copied().fold(0.0, f64::max);
        self.equations.solve(at, &b, &mut x, 1e-9 * largest, self.norm.inverse())?;
        Ok(x)
    }

    /// The result at `times`, which increase, for the rows kept (`None`: all), with errors within `tolerance`.
    pub fn run(
        &mut self,
        system: &System,
        times: &[f64],
        kept: Option<&[u32]>,
        tolerance: f64,
    ) -> Result<Ending, Stop> {
        let Some(&end) = times.last() else { return Ok(Ending::Finished(Vec::new())) };
        let mut found: Vec<Level> = Vec::new();
        let mut now = Level { values: system.start.to_vec(), error: 0.0 };
        let mut time = Twofold::of(0.0);
        let mut exponent = (0.25 / self.generator.largest).log2().floor() as i32;
        let (mut cautious, mut rejected) = (0, 0);
        // A system that stays where it is needs no step.
        while found.len() < times.len() {
            if let Err(stop) = self.control.check() {
                if found.is_empty() && stop == Stop::Memory {
                    return Err(stop);
                }
                return Ok(Ending::Stopped { found, time: time.value(), reached: now });
            }
            self.control.progress.report(ProgressEvent::Solving {
                what: "implicit steps",
                done: self.steps,
                total: 0,
                error: now.error,
            });
            let rest = Twofold::of(end).plus(time.times(-1.0));
            // Errors made now have grown by the end.
            let left = tolerance / self.norm.growth_in(rest.value()) - now.error;
            if self.equations.effort.work > self.most_work || left.is_nan() || left <= 0.0 {
                return Ok(Ending::Failed);
            }
            let fits = |exponent: i32| rest.value() / 2f64.powi(exponent);
            // The last step is as long as it must be: no pole beyond what that needs, and no tiny rest.
            while fits(exponent) < 1.0 || fits(exponent - 1) <= LONGEST {
                exponent -= 1;
            }
            let step = 2f64.powi(exponent);
            let longest = match fits(exponent) {
                all if all <= LONGEST => rest.times(1.0 / step),
                all if all < 2.0 * LONGEST => Twofold::of((2.0 * all).ceil() / 4.0),
                _ => Twofold::of(LONGEST),
            };
            let share = (longest.value() * step / rest.value() * 0.5).max(1.0 / 16.0);
            let allowed = left * share;
            let next: Vec<f64> = times[found.len()..].to_vec();
            let inside = next
                .iter()
                .map(|&t| Twofold::of(t).plus(time.times(-1.0)).times(1.0 / step))
                .take_while(|t| t.value() <= longest.value())
                .collect::<Vec<_>>();
            let made = self.step(system, &now, exponent, longest, &inside, kept, allowed)?;
            let Some(made) = made else {
                exponent -= 2;
                cautious = 3;
                rejected += 1;
                if step * self.generator.largest < 1e-3 || rejected > REJECTED {
                    return Ok(Ending::Failed);
                }
                continue;
            };
            self.steps += 1;
            found.extend(made.inside);
            let part = made.length / longest.value();
            time = time.plus(longest.times(part * step));
            now = made.level;
            let few = made.terms as f64 / TERMS as f64;
            exponent += match (made.shortened, cautious > 0) {
                (true, _) => -1,
                (false, true) => i32::from(few < 0.5),
                (false, false) => i32::from(few < 0.4) + i32::from(few < 0.75),
            };
            cautious = (cautious - 1).max(0);
            if let Some(level) = self.settled(system, &now, kept, tolerance) {
                found.resize(times.len(), level);
            }
        }
        Ok(Ending::Finished(found))
    }

    /// The result at all later times, where it is known: it stays between the extremes of now if nothing leaves.
    fn settled(&self, system: &System, now: &Level, kept: Option<&[u32]>, tolerance: f64) -> Option<Level> {
        if !self.generator.closed || system.forcing.is_some() {
            return None;
        }
        let bounds = |side: f64| {
            let of_row =
                now.values.iter().zip(self.norm.weights()).map(move |(v, w)| v + side * now.error * w);
            of_row.fold(-side * f64::INFINITY, move |a: f64, b| if side > 0.0 { a.max(b) } else { a.min(b) })
        };
        let (low, high) = (bounds(-1.0), bounds(1.0));
        let least_weight = match kept {
            Some(rows) => rows.iter().map(|&r| self.norm.weights()[r as usize]).fold(f64::INFINITY, f64::min),
            None => self.norm.weights().iter().copied().fold(f64::INFINITY, f64::min),
        };
        let error = 0.5 * (high - low) / least_weight * (1.0 + 1e-9) + 4.0 * U * high.abs() / least_weight;
        let rows = kept.map_or(now.values.len(), <[u32]>::len);
        (error <= tolerance).then(|| Level { values: vec![0.5 * (low + high); rows], error })
    }

    /// One step with the pole's step `2^exponent`; `None` where the series does not become exact enough.
    #[allow(clippy::too_many_arguments, reason = "a step is made of these, and called once")]
    fn step(
        &mut self,
        system: &System,
        from: &Level,
        exponent: i32,
        longest: Twofold,
        inside: &[Twofold],
        kept: Option<&[u32]>,
        allowed: f64,
    ) -> Result<Option<Made>, Stop> {
        let n = from.values.len();
        let step = 2f64.powi(exponent);
        let at = self.equations.factors(exponent)?;
        let mut lengths: Vec<Candidate> =
            PARTS.iter().map(|&p| Candidate::new(longest.times(p), n)).collect();
        let rows = kept.map_or(n, <[u32]>::len);
        let mut times: Vec<Candidate> = inside.iter().map(|&t| Candidate::new(t, rows)).collect();
        let mut v = from.values.clone();
        let (mut z, mut correction, mut pushed) = (vec![0.0; n], vec![0.0; n], Vec::new());
        let mut norms: Vec<f64> = Vec::new();
        for k in 0..TERMS {
            let forcing = system.forcing.filter(|_| k == 0);
            let right = match forcing {
                Some(forcing) => {
                    pushed.clear();
                    pushed.extend(v.iter().zip(forcing).map(|(v, f)| v + step * f));
                    &pushed
                }
                None => &v,
            };
            // What residuals may cost in all is a small part of what is allowed.
            let area = self.table.area(k, lengths[0].length);
            let most = allowed / (4.0 * TERMS as f64 * area);
            if !self.equations.solve(at, right, &mut z, 0.5 * most, self.norm.inverse())? {
                return Ok(None);
            }
            let right = Right { values: &v, forcing };
            let term = self.norm.judge(&mut self.equations, at, &z, right, most, &mut correction)?;
            let is_corrected = term.is_corrected;
            let mut corrected = 0.0;
            let size = self.norm.of(&z);
            let correction = is_corrected.then_some(&correction[..]);
            lengths.iter_mut().for_each(|candidate| candidate.add(k, &z, correction, None));
            times.iter_mut().for_each(|candidate| candidate.add(k, &z, correction, kept));
            if let Some(correction) = correction {
                corrected = self.norm.of(correction);
                v.iter_mut().zip(&z).zip(correction).for_each(|((v, z), c)| *v = (*v - z) - c);
            } else {
                v.iter_mut().zip(&z).for_each(|(v, z)| *v -= z);
            }
            let left = self.norm.of(&v);
            let rounded = 2.0 * U * (left + corrected);
            for candidate in lengths.iter_mut().chain(&mut times) {
                let x = candidate.length;
                candidate.error += term.residual * self.table.area(k, x);
                candidate.error += (rounded + term.offset) * (1.0 + self.table.variation(k + 1, x));
                candidate.error += term.offset * candidate.coefficients[k].abs();
                candidate.size += (size + corrected) * candidate.coefficients[k].abs();
            }
            norms.push(left);
            let rest = |candidate: &Candidate| left * (1.0 + self.table.variation(k + 1, candidate.length));
            let is_last = k + 1 == TERMS;
            let choice = match rest(&lengths[0]) <= allowed {
                true => Some(0),
                false if is_last => (1..PARTS.len()).find(|&c| rest(&lengths[c]) <= allowed),
                false => None,
            };
            if let Some(choice) = choice {
                let level = |candidate: &mut Candidate| {
                    let sum = (2.0 * k as f64 + 6.0) * U * candidate.size;
                    let error = from.error + rest(candidate) + candidate.error + sum;
                    let error = error * self.norm.growth_in(step * candidate.length) * (1.0 + 1e-12);
                    Level { values: std::mem::take(&mut candidate.sum), error }
                };
                let length = lengths[choice].length;
                let inside =
                    times.iter_mut().take_while(|t| t.length <= length).map(level).collect::<Vec<_>>();
                let made = Made {
                    length,
                    terms: k + 1,
                    shortened: choice > 0,
                    level: level(&mut lengths[choice]),
                    inside,
                };
                return Ok(Some(made));
            }
            if is_last || self.is_hopeless(&norms, &lengths[PARTS.len() - 1], allowed) {
                return Ok(None);
            }
            if k % 8 == 7 {
                self.control.check()?;
            }
        }
        Ok(None)
    }

    /// Whether the series, whose terms shrink ever more slowly, will not be exact enough for the shortest step.
    fn is_hopeless(&self, norms: &[f64], shortest: &Candidate, allowed: f64) -> bool {
        let done = norms.len();
        if done < 16 || !done.is_multiple_of(4) {
            return false;
        }
        let factor = (norms[done - 1] / norms[done - 9]).powf(0.125);
        let last = norms[done - 1] * factor.powi((TERMS - done) as i32);
        last > 2.0 * allowed / (1.0 + self.table.variation(TERMS, shortest.length))
    }
}
