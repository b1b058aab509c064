//! Syntax tree to [`System`]: constants become numbers, arrays variables on lines, and each process a graph in which procedures are
//! written out.
//!
//! Names are checked first, in all procedures, also those that nobody calls; then each process is built. What depends on the constants of a
//! call (indices, ranges) is found while it is built, and said with the call.

mod body;
mod calls;
mod endless;
pub mod fold;
mod globals;
mod graph;
pub mod intervals;
mod limits;
mod names;
mod needless;
mod places;
mod ranges;
mod recursion;
mod report;
mod shared;
mod statements;
mod values;

use limits::{MOST_DEPTH, MOST_NODES, MOST_PROCESSES, MOST_VALUE, MOST_VARIABLES, MOST_WORK};

use crate::syntax::Tree;
use crate::system::{Expr, Node, NodeKind, Process, System};
use body::{Binding, Body, Frame};
use globals::{Globals, Member};
use graph::Step;
use report::Report;
use shared::Layout;
use volvelle_diagnostics::{Diagnostic, codes};

/// Resolves a program. Constants may be given other values than in the text; names that are not constants are not looked at.
/// There is a system unless there is an error.
pub fn resolve(tree: &Tree, constants: &[(String, i64)]) -> (Option<System>, Vec<Diagnostic>) {
    let mut report = Report::default();
    let mut system = System {
        processes: Vec::new(),
        variables: Vec::new(),
        lines: Vec::new(),
        homes: Vec::new(),
        classes: Vec::new(),
        channels: Vec::new(),
        marks: Vec::new(),
        works: Vec::new(),
    };
    let mut globals = Globals::declare(tree, constants, &mut report);
    Layout::new(&mut globals, &mut system, &mut report).lay_out(tree);
    names::check(tree, &globals, &mut report);
    recursion::check(&globals, &mut report);
    if globals.members.is_empty() {
        // Where something is wrong, processes may be missing for that reason.
        if !report.failed {
            report.push(
                Diagnostic::error(codes::PRIMITIVE_NAME, "there is no process")
                    .help("say what runs: `process P0 { loop { measure START; send(0, 1); } }`"),
            );
        }
        return (None, report.diagnostics);
    }
    if !report.failed {
        let mut work = 0;
        for member in &globals.members {
            let process = process(member, &globals, &mut system, &mut report, &mut work);
            system.processes.extend(process);
            if work > MOST_WORK {
                break;
            }
        }
    }
    let system = (!report.failed).then_some(system);
    (system, report.diagnostics)
}

/// Builds a process; `None` if that failed, which is reported.
fn process(
    member: &Member,
    globals: &Globals,
    system: &mut System,
    report: &mut Report,
    work: &mut u32,
) -> Option<Process> {
    let span = member.process.name.span;
    let mut body = Body::new(globals, system, report, span, *work);
    let end = body.graph.label(span);
    let index = member.process.family.as_ref().zip(member.index);
    let names = index.map(|(family, index)| (family.name.text.as_str(), Binding::Constant(index)));
    body.frames.push(Frame {
        prefix: String::new(),
        called: None,
        names: names.into_iter().collect(),
        cleared: Vec::new(),
        end,
        result: None,
        loops: Vec::new(),
    });
    body.block(&member.process.body);
    body.graph.place_if_used(end);
    if body.graph.reachable() {
        body.graph.end(span);
    }
    *work = body.work_done();
    let exhausted = body.exhausted;
    let (nodes, locals) = (body.graph.nodes, body.locals);
    if exhausted {
        return None;
    }
    let (nodes, start) = match graph::compact(nodes) {
        Ok(graph) => graph,
        Err(span) => {
            report.push(endless::endless(span));
            return None;
        }
    };
    endless::check(&nodes).into_iter().for_each(|diagnostic| report.push(diagnostic));
    let ranges = ranges::ranges(&nodes, start, &locals, system, report);
    let locals: Vec<_> =
        locals.iter().zip(ranges).map(|(local, range)| statements::as_local(local, range)).collect();
    let (nodes, start) = needless::remove(nodes, start, &locals);
    let nodes = nodes.into_iter().map(|(step, span)| {
        let kind = match step {
            Step::Kind(kind) => kind,
            Step::Clear(local, next) => {
                NodeKind::Assign(local, Expr::Constant(locals[local.index()].initial), next)
            }
            // Only where all of a process is a loop of nothing, which has been reported.
            Step::Jump(_) => NodeKind::End,
        };
        Node { kind, span }
    });
    let nodes = nodes.collect();
    Some(Process { name: member.name.clone(), locals, nodes, start, span })
}
