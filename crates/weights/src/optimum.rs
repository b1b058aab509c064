//! Parameters at which one state is as close to another one as possible.

use super::distance::{DistanceKind, text};
use super::failed;
use super::model::WeightedModel;
use dashu_ratio::RBig;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::limits::Allowance;
use volvelle_space::{ParametricStructure, RangesDiffer};
use volvelle_weighted::parametric::{Feasible, Optimum, Task, feasible, minimise};

/// What is wanted of parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// The least distance, up to this.
    Least(RBig),
    /// A distance of at most this.
    AtMost(RBig),
}

/// The values of parameters that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedOptimum {
    /// Which distance.
    pub kind: DistanceKind,
    /// Names of the states, with their files.
    pub names: [String; 2],
    /// The distance that was asked for; `None`: the least one.
    pub at_most: Option<String>,
    /// Whether there are such values: `None` where that is open, or the least distance was asked for.
    pub exists: Option<bool>,
    /// Parameters with their values, and the distance there.
    pub best: Option<(Vec<(String, String)>, String)>,
    /// No values give a smaller distance than this.
    pub lower: Option<String>,
    /// Parts of the ranges that were examined.
    pub boxes: u64,
    /// Time for the search alone.
    pub time: Duration,
}

impl WeightedOptimum {
    /// Whether the search came to an end: nothing better is possible, up to what was allowed, or the question is answered.
    pub fn is_settled(&self, goal: &Goal) -> bool {
        match (goal, &self.best, &self.lower) {
            (Goal::AtMost(_), ..) => self.exists.is_some(),
            (Goal::Least(_), Some((_, distance)), Some(lower)) if distance == lower => true,
            (Goal::Least(tolerance), Some((_, distance)), Some(lower)) => {
                match (distance.parse::<RBig>(), lower.parse::<RBig>()) {
                    (Ok(distance), Ok(lower)) => distance - lower <= *tolerance,
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// Looks for values of the parameters of two models: those for which the initial state of the first is closest to that of the second, or close
/// enough. At most so many parts of the ranges are examined.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn weighted_optimum(
    models: &[WeightedModel; 2],
    names: [String; 2],
    kind: DistanceKind,
    goal: &Goal,
    boxes: u64,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<WeightedOptimum, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    if models.iter().all(|model| model.parametric.is_none()) {
        let message = "neither of the models has parameters without a value";
        let refused = Diagnostic::error(codes::WKS_NAME, message)
            .help("declare one: `parameter x in [1, 5];`, and give weights such as `-(2*x + 1)->`");
        return Err((refused, None));
    }
    let [left, right] = models.each_ref().map(|model| {
        model.parametric.clone().unwrap_or_else(|| ParametricStructure::constant(&model.structure))
    });
    let union = left.union(&right).map_err(|RangesDiffer(name)| {
        let message = format!("the parameter `{name}` has different ranges in the models");
        (Diagnostic::error(codes::WKS_NAME, message).help("give it the same range, or another name"), None)
    })?;
    let (s, t) =
        (models[0].structure.initial, left.skeleton.num_states() as u32 + models[1].structure.initial);
    let task = Task { parametric: &union, s, t, kind: kind.engine(), boxes };
    let mut found = WeightedOptimum {
        kind,
        names,
        at_most: None,
        exists: None,
        best: None,
        lower: None,
        boxes: 0,
        time: Duration::ZERO,
    };
    let values = |values: &[RBig]| {
        let names = union.parameters.iter().map(|parameter| parameter.name.clone());
        names.zip(values.iter().map(RBig::to_string)).collect::<Vec<_>>()
    };
    let take = |found: &mut WeightedOptimum, optimum: &Optimum| {
        found.best = Some((values(&optimum.values), text(&optimum.distance)));
        found.lower = Some(text(&optimum.lower));
        found.boxes = optimum.boxes;
    };
    let refused = |failure| failed(failure, allowance);
    match goal {
        Goal::Least(tolerance) => {
            if let Some(optimum) = minimise(&task, tolerance, control).map_err(refused)? {
                take(&mut found, &optimum);
            }
        }
        Goal::AtMost(bound) => {
            found.at_most = Some(bound.to_string());
            match feasible(&task, bound, control).map_err(refused)? {
                Feasible::At { values: at, distance } => {
                    found.exists = Some(true);
                    found.best = Some((values(&at), text(&distance)));
                }
                Feasible::Nowhere => found.exists = Some(false),
                Feasible::Unknown(Some(optimum)) => take(&mut found, &optimum),
                Feasible::Unknown(None) => {}
            }
        }
    }
    found.time = start.elapsed();
    Ok(found)
}
