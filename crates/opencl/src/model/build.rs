//! Building the model: barriers structure the code into regions, and statements get their times.

use super::{Cost, Model, Piece, Region, Step, depends};
use crate::Kernel;
use crate::expression::{Dependence, Expr, Op, add, mul};
use crate::kernel::{Access, Charge, Node, Test};
use crate::platform::Platform;
use volvelle_diagnostics::{Diagnostic, Span, codes};

pub(super) fn build(kernel: &Kernel, platform: &Platform) -> Result<Model, Vec<Diagnostic>> {
    let width = kernel.launch.local.first().cloned().unwrap_or(Expr::Int(1));
    let mut builder = Builder { platform, width, found: Vec::new() };
    let steps = builder.steps(&kernel.body);
    if !builder.found.is_empty() {
        return Err(builder.found);
    }
    let depends_on_group = steps_depend_on_group(&steps);
    Ok(Model {
        name: kernel.name.clone(),
        span: kernel.span,
        names: kernel.names.clone(),
        launch: kernel.launch.clone(),
        platform: platform.clone(),
        steps,
        counters: kernel.counters,
        local_bytes: kernel.local_bytes.clone(),
        depends_on_group,
    })
}

struct Builder<'a> {
    platform: &'a Platform,
    /// Size of a work-group in the first dimension.
    width: Expr,
    found: Vec<Diagnostic>,
}

fn has_barrier(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Work(_) => false,
        Node::Barrier(_) => true,
        Node::Loop(inner) => has_barrier(&inner.body),
        Node::If { then, other, .. } => has_barrier(then) || has_barrier(other),
    })
}

impl Builder<'_> {
    fn steps(&mut self, nodes: &[Node]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut region: Vec<&Node> = Vec::new();
        for node in nodes {
            if !has_barrier(std::slice::from_ref(node)) {
                region.push(node);
                continue;
            }
            self.region(&mut region, &mut steps);
            match node {
                Node::Work(_) => {}
                Node::Barrier(_) => steps.push(Step::Barrier),
                Node::Loop(inner) => {
                    self.uniform(&inner.test, inner.span, "loop");
                    let body = self.steps(&inner.body);
                    let is_alike = !steps_use_counter(&body, inner.counter);
                    let (test, trips) = (inner.test.clone(), inner.trips.clone());
                    steps.push(Step::Loop { counter: inner.counter, test, trips, body, is_alike });
                }
                Node::If { test, span, then, other } => {
                    let test = match test {
                        Test::Known(test) => test.clone(),
                        Test::Data | Test::Both => {
                            let message = "a barrier depends on data";
                            let help =
                                "all items of a group must reach a barrier, or none: move it out of the `if`";
                            self.found.push(
                                Diagnostic::error(codes::KERNEL_ABSTRACTION, message)
                                    .at(*span, "")
                                    .help(help),
                            );
                            Expr::Int(1)
                        }
                    };
                    self.uniform(&test, *span, "conditional");
                    let (then, other) = (self.steps(then), self.steps(other));
                    steps.push(Step::If { test, then, other });
                }
            }
        }
        self.region(&mut region, &mut steps);
        steps
    }

    /// Checks that a barrier in a loop or conditional is reached by all items of a group or by none.
    fn uniform(&mut self, test: &Expr, span: Span, what: &str) {
        if test.dependence().local {
            let message = format!("a barrier stands in a {what} that depends on the work-item");
            let help = "all items of a group must reach a barrier, or none: move it out";
            self.found.push(Diagnostic::error(codes::KERNEL_ABSTRACTION, message).at(span, "").help(help));
        }
    }

    fn region(&mut self, nodes: &mut Vec<&Node>, steps: &mut Vec<Step>) {
        let nodes = std::mem::take(nodes);
        let work: Vec<Piece> = nodes.iter().filter_map(|node| self.piece(node)).collect();
        if work.is_empty() {
            return;
        }
        let depends = depends(&work);
        let only_loads = nodes.iter().all(|node| only_loads(node));
        steps.push(Step::Region(Region { work, depends, only_loads }));
    }

    fn piece(&mut self, node: &Node) -> Option<Piece> {
        match node {
            Node::Work(charge) => {
                let cost = self.cost(charge);
                let is_free = cost.time == Expr::Int(0)
                    && cost.operations + cost.local + cost.coalesced + cost.strided == 0;
                (!is_free).then_some(Piece::Cost(cost))
            }
            Node::Barrier(_) => None,
            Node::Loop(inner) => {
                let body: Vec<Piece> = inner.body.iter().filter_map(|node| self.piece(node)).collect();
                if body.is_empty() {
                    return None;
                }
                let is_alike = !body.iter().any(|piece| piece_uses_counter(piece, inner.counter));
                let body_depends = depends(&body);
                let (test, trips) = (inner.test.clone(), inner.trips.clone());
                Some(Piece::Loop { counter: inner.counter, test, trips, body, is_alike, body_depends })
            }
            Node::If { test, then, other, .. } => {
                let then: Vec<Piece> = then.iter().filter_map(|node| self.piece(node)).collect();
                let other: Vec<Piece> = other.iter().filter_map(|node| self.piece(node)).collect();
                if then.is_empty() && other.is_empty() {
                    return None;
                }
                Some(Piece::If { test: test.clone(), then, other })
            }
        }
    }

    fn cost(&self, charge: &Charge) -> Cost {
        let costs = &self.platform.costs;
        let times = |count: u32, cost: u32| Expr::Int(i64::from(count) * i64::from(cost));
        let accesses = || charge.loads.iter().chain(&charge.stores);
        let global = accesses().map(|access| {
            let count = transactions(access, self.platform, &self.width);
            mul(count, Expr::Int(i64::from(costs.global)))
        });
        let global = global.fold(Expr::Int(0), add);
        let local = times(charge.local, costs.local);
        let memory = match charge.is_copy {
            true => Expr::binary(Op::Max, global, local),
            false => add(global, local),
        };
        let other = add(times(charge.operations, costs.operation), times(charge.private, costs.private));
        let annotated = charge.annotated.iter().cloned().fold(Expr::Int(0), add);
        let coalesced = accesses().filter(|access| access.is_coalesced()).count() as u32;
        Cost {
            time: add(add(memory, other), annotated),
            operations: charge.operations,
            local: charge.local + charge.private,
            coalesced,
            strided: accesses().count() as u32 - coalesced,
            touches: charge.touches.clone(),
            recurrence: charge.recurrence,
        }
    }
}

/// The number of transactions that a warp needs for an access to global memory.
///
/// The lanes of a warp form rows along the first dimension. A row of `n` lanes with a stride of `s` elements
/// needs one transaction for each segment that it spans, at most `n`. Rows that access different places need
/// separate transactions. If strides differ among lanes, each lane needs its own.
pub fn transactions(access: &Access, platform: &Platform, width: &Expr) -> Expr {
    let warp = i64::from(platform.warp);
    if warp == 1 {
        return Expr::Int(1);
    }
    let lanes = Expr::binary(Op::Min, Expr::Int(warp), width.clone());
    let Some(strides) = &access.strides else { return Expr::Int(warp) };
    let segment = i64::from(platform.segment_bytes);
    let row = match &strides[0] {
        Expr::Int(0) => Expr::Int(1),
        // Lanes at least a segment apart share no segment.
        Expr::Int(stride) if stride.saturating_abs().saturating_mul(i64::from(access.bytes)) >= segment => {
            lanes.clone()
        }
        Expr::Int(stride) => segments(&lanes, Expr::Int(stride.saturating_abs()), access.bytes, segment),
        stride => {
            let distance = match stride {
                Expr::Name(_) => stride.clone(),
                _ => {
                    Expr::binary(Op::Max, stride.clone(), Expr::binary(Op::Sub, Expr::Int(0), stride.clone()))
                }
            };
            let spanned = segments(&lanes, distance, access.bytes, segment);
            Expr::binary(Op::Max, Expr::Int(1), Expr::binary(Op::Min, lanes.clone(), spanned))
        }
    };
    if strides[1..].iter().all(|stride| *stride == Expr::Int(0)) {
        return row;
    }
    let rows = Expr::binary(Op::Div, add(Expr::Int(warp - 1), lanes.clone()), lanes);
    mul(rows, row)
}

/// Segments that a row of lanes spans; `distance` is the number of elements from one lane to the next.
fn segments(lanes: &Expr, distance: Expr, bytes: u32, segment: i64) -> Expr {
    let bytes = mul(mul(lanes.clone(), distance), Expr::Int(i64::from(bytes)));
    Expr::binary(Op::Div, add(bytes, Expr::Int(segment - 1)), Expr::Int(segment))
}

fn only_loads(node: &Node) -> bool {
    match node {
        Node::Work(charge) => charge.is_empty() || charge.only_loads(),
        Node::Barrier(_) => false,
        Node::Loop(inner) => inner.body.iter().all(only_loads),
        Node::If { test, then, other, .. } => {
            matches!(test, Test::Known(_)) && then.iter().chain(other).all(only_loads)
        }
    }
}

fn piece_uses_counter(piece: &Piece, counter: u16) -> bool {
    match piece {
        Piece::Cost(cost) => cost.time.uses_counter(counter),
        Piece::Loop { test, body, .. } => {
            test.uses_counter(counter) || body.iter().any(|piece| piece_uses_counter(piece, counter))
        }
        Piece::If { test, then, other } => {
            matches!(test, Test::Known(test) if test.uses_counter(counter))
                || then.iter().chain(other).any(|piece| piece_uses_counter(piece, counter))
        }
    }
}

fn steps_use_counter(steps: &[Step], counter: u16) -> bool {
    steps.iter().any(|step| match step {
        Step::Barrier => false,
        Step::Region(region) => region.work.iter().any(|piece| piece_uses_counter(piece, counter)),
        Step::Loop { test, body, .. } => test.uses_counter(counter) || steps_use_counter(body, counter),
        Step::If { test, then, other } => {
            test.uses_counter(counter)
                || steps_use_counter(then, counter)
                || steps_use_counter(other, counter)
        }
    })
}

fn steps_depend_on_group(steps: &[Step]) -> bool {
    let uses = |dependence: Dependence| dependence.group;
    steps.iter().any(|step| match step {
        Step::Barrier => false,
        Step::Region(region) => uses(region.depends),
        Step::Loop { test, body, .. } => uses(test.dependence()) || steps_depend_on_group(body),
        Step::If { test, then, other } => {
            uses(test.dependence()) || steps_depend_on_group(then) || steps_depend_on_group(other)
        }
    })
}
