//! Questions for the sake of what is noted, and what of a system was applied.

use super::{Loaded, Program, Report};
use crate::ir::{JudgmentId, Purpose};
use crate::machine::{Applied, Ended, Limits, Machine, Watch};
use crate::noted::{Part, Typed};
use crate::types::Ty;
use crate::value::Value;
use std::cmp::Reverse;
use volvelle_diagnostics::{Sources, Span};
use volvelle_trees::NodeId;

impl Loaded {
    /// Asks the judgments about whole programs, for what is noted meanwhile.
    pub(super) fn ask_about_all(&self, machine: &mut Machine<'_>, program: &Program, report: &mut Report) {
        let class = Ty::Class(program.tree.class(program.root));
        for (id, judgment) in self.system.judgments.iter() {
            let mut inputs = judgment.inputs();
            let fits = inputs.next().is_some_and(|ty| self.system.universe.fits(&class, ty));
            if fits
                && inputs.next().is_none()
                && let Ended::Stopped(why) = machine.ask(id, &[Value::Node(program.root)])
            {
                report.stopped = Some(why);
                return;
            }
        }
    }

    /// Makes all checks on a program, and then asks a judgment of one input and one output about nodes, for which results have places.
    /// Those for which it holds are there, in the order of their places.
    pub fn check_and_ask(
        &self,
        sources: &Sources,
        program: &Program,
        (judgment, nodes): (JudgmentId, &[(NodeId, Span)]),
        limits: Limits<'_>,
        caches: bool,
    ) -> (Report, Vec<Typed>) {
        let mut report = match self.begun(program) {
            Ok(report) => report,
            Err(report) => return (report, Vec::new()),
        };
        let source = |span: Span| sources.text(span);
        let mut machine = self.machine(&source, program, limits, caches, Watch::default());
        self.make_checks(&mut machine, program, &[], &mut report);
        let mut types = Vec::new();
        for &(node, span) in nodes {
            if report.stopped.is_some() {
                break;
            }
            match machine.ask(judgment, &[Value::Node(node)]) {
                Ended::Holds(values) => {
                    let ty = values.first().map(|&value| machine.show_value(value));
                    types.extend(ty.map(|ty| Typed { span, ty }));
                }
                Ended::Fails(_) | Ended::Broke(_) => {}
                Ended::Stopped(why) => report.stopped = Some(why),
            }
        }
        types.sort_by_key(|typed| (typed.span.file.0, typed.span.start, Reverse(typed.span.end)));
        report.statistics = machine.statistics();
        (report, types)
    }

    /// All rules, bodies, checks and alternatives, and whether they were applied.
    pub fn coverage(&self, applied: &Applied) -> Vec<Part> {
        let mut parts = Vec::new();
        for ((id, routine), code) in self.system.routines.iter().zip(self.plain.get().unwrap_or(&self.codes))
        {
            // What another system overrides is never applied.
            let (kind, is_there) = match routine.purpose {
                Purpose::Rule(judgment) => ("rule", self.system.judgments[judgment].rules.contains(&id)),
                Purpose::Function(function) => {
                    ("function", self.system.functions[function].bodies.contains(&id))
                }
                Purpose::Check(_) => ("check", self.system.checks.contains(&id)),
                _ => continue,
            };
            if !is_there {
                continue;
            }
            let part = |span, alternative, is_applied| Part {
                kind,
                name: routine.name.clone(),
                span,
                alternative,
                is_applied,
            };
            parts.push(part(routine.span, None, applied.routines.contains(&id)));
            for (number, &(at, span)) in code.alternatives.iter().enumerate() {
                parts.push(part(span, Some(number + 1), applied.alternatives.contains(&(id, at))));
            }
        }
        parts.sort_by_key(|part| (part.span.file.0, part.span.start, part.alternative));
        parts
    }
}
