//! Configurations that are decided by single runs, because every schedule of the processes is proven to give the same time.

use crate::language::ProcessDocument;
use crate::limits::counted;
use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_determinacy::{Limits, Question as Asked, Refusal, Run, Runs, runs};
use volvelle_diagnostics::Sources;
use volvelle_model::{Origin, Program};
use volvelle_tune::search::Question;
use volvelle_tune::{Decided, Step};

/// What single runs decide, and why they do, or why not.
#[derive(Clone, Debug, Default)]
pub(super) struct Certificates {
    /// The configurations that runs came to. They are certified if all runs are.
    pub decided: Vec<Decided>,
    /// What is to be said about the certificates.
    pub step: Option<Step>,
}

/// Looks for certificates that the schedule makes no difference.
pub(super) fn certificates(
    program: &Program,
    question: &Question,
    document: &dyn ProcessDocument,
    sources: &Sources,
    control: &Control<'_>,
) -> Certificates {
    let asked = Asked { goal: question.goal, cost: question.cost, observed: question.parameters.clone() };
    let step = |outcome: String, states: u64| {
        let text = "certificates that the schedule makes no difference".to_owned();
        Some(Step { text, outcome, states })
    };
    let found = match runs(program, &asked, Limits::default(), control) {
        Ok(found) => found,
        Err(refusal) => {
            let step = step(reason(program, &refusal, document, sources), 0);
            return Certificates { step, ..Certificates::default() };
        }
    };
    let executed = found.runs.iter().map(|run| run.executed).sum();
    let outcome = if found.are_certified {
        let steps: f64 = found.runs.iter().map(|run| run.steps).sum();
        format!(
            "all schedules of {} agree; {} steps stand for {}",
            counted(found.runs.len() as u64, "run"),
            volvelle_control::amounts::count(executed),
            volvelle_control::amounts::count(steps as u64),
        )
    } else {
        let refusal = found.runs.iter().find_map(|run| run.certificate.as_ref().err());
        let refusal = refusal.unwrap_or(&Refusal::Limit);
        reason(program, refusal, document, sources)
    };
    Certificates { decided: decided(&found), step: step(outcome, executed) }
}

/// The configurations of runs.
fn decided(found: &Runs) -> Vec<Decided> {
    let mut by_values: BTreeMap<&[i64], Vec<(&Run, i64)>> = BTreeMap::new();
    for run in &found.runs {
        if let Some(reached) = &run.reached {
            by_values.entry(&reached.observed).or_default().push((run, reached.cost));
        }
    }
    let of = |(values, runs): (&[i64], Vec<(&Run, i64)>)| {
        let costs = || runs.iter().map(|&(_, cost)| cost);
        Some(Decided {
            values: values.to_vec(),
            time: costs().min()?,
            greatest: costs().max()?,
            certified: found.are_certified,
            steps: runs.iter().map(|(run, _)| run.executed).sum(),
        })
    };
    by_values.into_iter().filter_map(of).collect()
}

/// Why there are no certificates.
fn reason(program: &Program, refusal: &Refusal, document: &dyn ProcessDocument, sources: &Sources) -> String {
    let at = |origin: &Origin| match document.place(*origin) {
        Some(span) => {
            let line = sources.line_column(span).line;
            format!(" (line {line}: `{}`)", crate::language::one_line(sources.text(span)))
        }
        None => String::new(),
    };
    match refusal {
        Refusal::Unsupported { what, origin } => {
            format!("none: {what} is not analysed{}", origin.as_ref().map_or(String::new(), at))
        }
        Refusal::Race { field, origin } => {
            let name = &program.fields[field.index()].name;
            format!("none: the schedule may decide who uses `{name}` first{}", at(origin))
        }
        Refusal::Waiting { origin } => {
            format!("none: the schedule may decide when a process goes on{}", at(origin))
        }
        Refusal::Partner { origin } => {
            format!("none: the schedule may decide who meets whom{}", at(origin))
        }
        Refusal::Irregular => "none: a run does not become regular".to_owned(),
        Refusal::Failure(_) => "none: a run fails".to_owned(),
        Refusal::Endless => "none: a run goes on for ever".to_owned(),
        Refusal::Limit => "none: the runs have too many steps or choices".to_owned(),
    }
}
