//! Horizons as parameters: kernels of plans that differ in nothing but their horizons are the same text, and are compiled once.

use super::Plan;
use crate::measure::{Event, Measure, Window};
use volvelle_kernel::{Exprs, Kernel, Local, Node, Type, map_block, map_operands};
use volvelle_model::Kind;

/// The moments in continuous time that the measures of a plan name, each once.
pub(super) fn horizons(plan: &Plan) -> Vec<f64> {
    let mut horizons: Vec<f64> = Vec::new();
    if plan.program.kind != Kind::Ctmc {
        // Steps are counted in whole numbers, and comparisons with them folded in many ways.
        return horizons;
    }
    let mut add = |moment: f64| {
        // Zero and infinity are compared with for other reasons as well.
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
    let old = std::mem::take(&mut kernel.exprs);
    let mut exprs = Exprs::new();
    let mut renumbered = Vec::with_capacity(old.len());
    for id in old.ids() {
        let node = match old.node(id) {
            Node::Const(constant) => {
                let place = constant.as_f64().filter(|_| constant.ty == Type::F64);
                let place = place.and_then(|value| horizons.iter().position(|&horizon| horizon == value));
                place.map_or(Node::Const(constant), |place| Node::Local(locals[place], Type::F64))
            }
            node => map_operands(node, |id| renumbered[id.index()]),
        };
        renumbered.push(exprs.add(node));
    }
    kernel.body = map_block(&kernel.body, &|id| renumbered[id.index()]);
    kernel.exprs = exprs;
}
