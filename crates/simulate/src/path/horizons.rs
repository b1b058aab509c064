//! Horizons as parameters: plans that differ only in their horizons have the same kernel, which is compiled
//! once.

use super::plan::Plan;
use crate::measure::{Event, Measure, Window};
use volvelle_kernel::{Kernel, Local, Node, Type};
use volvelle_model::Kind;

/// The distinct moments in continuous time that occur in the measures of a plan.
pub(super) fn horizons(plan: &Plan) -> Vec<f64> {
    let mut horizons: Vec<f64> = Vec::new();
    if plan.program.kind() != Kind::Ctmc {
        // Numbers of steps are integers, and comparisons with them are folded in many ways.
        return horizons;
    }
    let mut add = |moment: f64| {
        // Comparisons with zero and infinity also have other reasons.
        if moment.is_finite() && moment != 0.0 && !horizons.contains(&moment) {
            horizons.push(moment);
        }
    };
    for monitor in plan.monitors.all() {
        monitor.horizons.first().copied().into_iter().for_each(&mut add);
        match monitor.measure {
            Measure::Instantaneous { at, .. } => add(at),
            Measure::Cumulative { until, .. } => add(until),
            Measure::Indicator { event: Event::Until(_, _, window) | Event::Next(_, window), .. } => {
                let Window { lower, upper } = window;
                add(lower);
                upper.into_iter().for_each(&mut add);
            }
            _ => {}
        }
    }
    horizons
}

/// Puts locals in the place of constants.
pub(super) fn put_in(kernel: &mut Kernel, horizons: &[f64], locals: &[Local]) {
    kernel.map_nodes(|exprs, node| {
        let place = match node {
            Node::Const(constant) if constant.ty == Type::F64 => {
                constant.as_f64().and_then(|value| horizons.iter().position(|&horizon| horizon == value))
            }
            _ => None,
        };
        exprs.add(place.map_or(node, |place| Node::Local(locals[place], Type::F64)))
    });
}
