//! Candidates for the minimum over one parameter: points where a deviation vanishes, or where two of them are
//! equal.

use super::Task;
use crate::Failure;
use crate::distance::{Reason, distance, explain};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::LinearWeight;

/// `constant + slope * x`
#[derive(Clone)]
struct Line {
    constant: RBig,
    slope: RBig,
}

impl Line {
    fn of(weight: &LinearWeight) -> Self {
        let slope = weight.coefficients.first().map_or(RBig::ZERO, |(_, coefficient)| coefficient.clone());
        Line { constant: weight.constant.clone(), slope }
    }

    fn minus(&self, other: &Line) -> Line {
        Line { constant: &self.constant - &other.constant, slope: &self.slope - &other.slope }
    }

    fn plus(&self, other: &Line) -> Line {
        Line { constant: &self.constant + &other.constant, slope: &self.slope + &other.slope }
    }

    fn at(&self, x: &RBig) -> RBig {
        &self.constant + &self.slope * x
    }

    fn scaled(&self, factor: &RBig) -> Line {
        Line { constant: &self.constant * factor, slope: &self.slope * factor }
    }
}

/// The deviation that determines the distance at a point: `|excess| / weight`.
struct Critical {
    /// The difference of answer and step, with the sign that makes it non-negative at the point.
    excess: Line,
    weight: Line,
}

/// Values strictly between two points at which the critical deviations of both points vanish or are equal.
pub(super) fn candidates(
    task: &Task,
    low: &RBig,
    high: &RBig,
    control: &Control,
) -> Result<Vec<RBig>, Failure> {
    let mut roots = Vec::new();
    let ends = [critical(task, low, control)?, critical(task, high, control)?];
    for end in ends.iter().flatten() {
        roots.extend(root(&end.excess));
    }
    if let [Some(left), Some(right)] = &ends {
        // excess / weight = excess' / weight' is linear in x if both weights are constant; otherwise roots
        // may be irrational.
        if left.weight.slope == RBig::ZERO && right.weight.slope == RBig::ZERO {
            let left_side = left.excess.scaled(&right.weight.constant);
            roots.extend(root(&left_side.minus(&right.excess.scaled(&left.weight.constant))));
        }
    }
    roots.retain(|x| low < x && x < high);
    Ok(roots)
}

fn root(line: &Line) -> Option<RBig> {
    (line.slope != RBig::ZERO).then(|| -&line.constant / &line.slope)
}

fn critical(task: &Task, x: &RBig, control: &Control) -> Result<Option<Critical>, Failure> {
    let Ok(structure) = task.parametric.at(std::slice::from_ref(x)) else { return Ok(None) };
    let explained = distance(&structure, task.s, task.t, task.kind, control)
        .and_then(|found| explain(&structure, task.s, task.t, task.kind, &found, control));
    let realised = match explained {
        Ok(Reason::Realised(realised)) => realised,
        Ok(_) | Err(Failure::Overflow) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let line = |step: u32| {
        let weight = task.parametric.skeleton.steps()[step as usize].weight;
        Line::of(&task.parametric.weights[weight as usize])
    };
    let weight = line(realised.step);
    let nothing = Line { constant: RBig::ZERO, slope: RBig::ZERO };
    let answer = realised.answer.iter().fold(nothing, |sum, &step| sum.plus(&line(step)));
    let excess = answer.minus(&weight);
    let excess = if excess.at(x) < RBig::ZERO { weight.minus(&answer) } else { excess };
    Ok(Some(Critical { excess, weight }))
}
