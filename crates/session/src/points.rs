//! The results of an experiment: answers at the points of a grid.

use crate::constants::Swept;
use crate::limits::{self, Allowance};
use crate::report::{ModelReport, PropertyReport, Status};
use std::collections::HashMap;
use volvelle_control::Stop;
use volvelle_diagnostics::{Code, Diagnostic, codes};
use volvelle_logic::{Constant, ConstantValue};

/// Results of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    /// The constants that take several values, in the order in which they were named.
    pub axes: Vec<Swept>,
    /// Points of the grid.
    pub total: usize,
    /// The points of which something is known, in the order of the grid.
    pub points: Vec<Point>,
    /// The state spaces that were built, or how much of them.
    pub models: Vec<ModelReport>,
    /// Diagnostics that are not about one property.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that ended the experiment or one of its points.
    pub stop: Option<Stop>,
}

/// A point of the grid with its answers.
#[derive(Clone, Debug)]
pub struct Point {
    /// The values of the constants of the axes, in their order.
    pub values: Vec<ConstantValue>,
    /// One for each property, in their order; the constants of each are those of the point and those that occur.
    pub results: Vec<PropertyReport>,
}

impl Point {
    /// A point of these axes with its results, the constants of which get to be those of the point and those that occur.
    pub fn new(axes: &[Swept], values: Vec<ConstantValue>, mut results: Vec<PropertyReport>) -> Self {
        let axes = axes.iter().zip(&values);
        let constants: Vec<Constant> =
            axes.map(|(axis, value)| Constant { name: axis.name.clone(), value: value.clone() }).collect();
        for result in &mut results {
            let others = std::mem::take(&mut result.constants).into_iter();
            let others = others.filter(|other| constants.iter().all(|known| known.name != other.name));
            result.constants = constants.iter().cloned().chain(others).collect();
        }
        Point { values, results }
    }
}

impl Experiment {
    /// Points of which everything that was asked for was computed, or failed for a reason of its own.
    pub fn done(&self) -> usize {
        let stopped = |r: &PropertyReport| {
            r.outcome.as_ref().err().is_some_and(|errors| errors.iter().any(|d| ends_all(d.code)))
        };
        self.points.iter().filter(|p| !p.results.iter().any(stopped)).count()
    }

    /// How it ended, as a whole.
    pub fn status(&self) -> Status {
        let results = || self.points.iter().flat_map(|p| &p.results);
        Status::of(results(), &self.diagnostics, self.stop)
    }

    /// All diagnostics, each once: those of the experiment, then those of points.
    pub fn all_diagnostics(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<&Diagnostic> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let of_points = self.points.iter().flat_map(|p| &p.results);
        let of_points = of_points.filter_map(|r| r.outcome.as_ref().err()).flatten();
        for diagnostic in self.diagnostics.iter().chain(of_points) {
            let place = diagnostic.primary.as_ref().map(|label| label.span);
            let key = (diagnostic.code, diagnostic.message.as_str(), place, diagnostic.notes.as_slice());
            if seen.insert(key) {
                all.push(diagnostic);
            }
        }
        all
    }

    /// Says of each error that some points have and others have not at which points it is.
    pub fn name_points(&mut self) {
        let mut points_of: HashMap<String, Vec<usize>> = HashMap::new();
        let key = |diagnostic: &Diagnostic| format!("{diagnostic:?}");
        for (i, point) in self.points.iter().enumerate() {
            for diagnostic in point.results.iter().filter_map(|r| r.outcome.as_ref().err()).flatten() {
                let places = points_of.entry(key(diagnostic)).or_default();
                if places.last() != Some(&i) {
                    places.push(i);
                }
            }
        }
        let named = |axes: &[Swept], values: &[ConstantValue]| {
            let pairs = axes.iter().zip(values).map(|(axis, value)| format!("{}={value}", axis.name));
            pairs.collect::<Vec<_>>().join(", ")
        };
        let all = self.points.len();
        let notes: HashMap<String, String> = points_of
            .into_iter()
            .filter(|(_, places)| places.len() < all)
            .map(|(key, places)| {
                let first = named(&self.axes, &self.points[places[0]].values);
                let note = match places.len() - 1 {
                    0 => format!("at {first}"),
                    more => format!("at {first}, and at {}", limits::counted(more as u64, "more point")),
                };
                (key, note)
            })
            .collect();
        let results = self.points.iter_mut().flat_map(|point| &mut point.results);
        for diagnostic in results.filter_map(|r| r.outcome.as_mut().err()).flatten() {
            if let Some(note) = notes.get(&key(diagnostic)) {
                diagnostic.notes.push(note.clone());
            }
        }
    }

    /// Says which limit ended it, if one did, and how far it came.
    pub fn note_stop(&mut self, allowance: &Allowance) {
        let Some(stop) = self.stop else { return };
        let note = format!("{} of {} points are done", self.done(), self.total);
        self.diagnostics.push(limits::stopped(stop, allowance).note(note));
    }

    /// Keeps diagnostics that were not made before.
    pub fn keep(&mut self, complaints: Vec<Diagnostic>) {
        for complaint in complaints {
            if !self.diagnostics.contains(&complaint) {
                self.diagnostics.push(complaint);
            }
        }
    }
}

/// Whether a code says that the time of the whole run is over.
pub fn ends_all(code: Code) -> bool {
    code == codes::TIME_LIMIT || code == codes::CANCELLED
}
