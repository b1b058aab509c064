//! Configurations that are decided by one run, because all schedules of their processes are proven to give the same time.

use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_determinacy::{End, Limits, Reached, Refusal, Run, runs};
use volvelle_diagnostics::Sources;
use volvelle_model::{FieldId, Origin, Program};
use volvelle_session::language::ProcessDocument;
use volvelle_tune::Decided;
use volvelle_tune::search::{Known, Question, Writers};

/// What certificates decide. Without them, runs tell what can be reached, and the words why there are none.
pub(super) fn decided(
    program: &Program,
    question: &Question,
    document: &dyn ProcessDocument,
    sources: &Sources,
    control: &Control<'_>,
) -> (Known, Option<String>) {
    let asked = volvelle_determinacy::Question {
        goal: question.goal,
        cost: question.cost,
        observed: question.parameters.clone(),
        within: None,
    };
    let why = |refusal: &Refusal| reason(refusal, program, document, sources);
    let found = match runs(program, &asked, Limits::default(), control) {
        Ok(found) => found,
        Err(refusal) => return (Known::default(), Some(why(&refusal))),
    };
    let mut configurations: BTreeMap<&[i64], Decided> = BTreeMap::new();
    let fields: Vec<FieldId> =
        question.parameters.iter().filter_map(|&p| Question::field(program, p)).collect();
    let writers = Writers::new(program, &fields);
    let mut above = None;
    for run in &found.runs {
        let values = match (&run.reached, run.above) {
            (Some(reached), _) => &reached.observed,
            (None, None) => continue,
            (None, Some(cost)) => {
                let is_open = run.locations.iter().any(|&location| writers.may_write(location));
                match &run.observed {
                    Some(values) if !is_open => values,
                    // It may come to any configuration.
                    _ => {
                        above = above.into_iter().chain([cost]).min();
                        continue;
                    }
                }
            }
        };
        let decided = configurations.entry(values).or_insert_with(|| Decided {
            values: values.clone(),
            certified: found.are_certified,
            ..Decided::default()
        });
        if let Some(Reached { cost, .. }) = run.reached {
            let (least, greatest) = decided.times.unwrap_or((cost, cost));
            decided.times = Some((least.min(cost), greatest.max(cost)));
        }
        decided.above = decided.above.into_iter().chain(run.above).min();
        decided.steps = decided.steps.saturating_add(run.steps as u64);
    }
    let decided = configurations.into_values().collect();
    // Certified runs are all that there are: a configuration that none of them came to reaches the goal by no run.
    let gets_stuck = |run: &&Run| found.are_certified && run.end == End::Stuck && run.reached.is_none();
    let mut dead_ends: Vec<Vec<i64>> =
        found.runs.iter().filter(gets_stuck).filter_map(|run| run.observed.clone()).collect();
    dead_ends.sort_unstable();
    dead_ends.dedup();
    let known = Known { decided, is_complete: found.are_certified, above, dead_ends };
    if found.are_certified {
        return (known, None);
    }
    let mut refusals = found.runs.iter().filter_map(|run| run.certificate.as_ref().err());
    let refusal = refusals.find(|&refusal| *refusal != Refusal::Pointless);
    (known, Some(why(refusal.unwrap_or(&Refusal::Limit))))
}

/// Why there is no certificate.
fn reason(refusal: &Refusal, program: &Program, document: &dyn ProcessDocument, sources: &Sources) -> String {
    let at = |origin: Origin| match document.place(origin) {
        Some(span) => {
            let line = sources.line_column(span).line;
            format!(" (line {line})")
        }
        None => String::new(),
    };
    match refusal {
        Refusal::Unsupported { what, origin } => {
            format!("{what} is not analysed{}", origin.map_or(String::new(), at))
        }
        Refusal::Race { field, origin } => {
            let name = &program.fields[field.index()].name;
            format!("the schedule decides in which order processes use `{name}`{}", at(*origin))
        }
        Refusal::Waiting { origin } => {
            format!("the schedule decides how a process that waits goes on{}", at(*origin))
        }
        Refusal::Partner { origin } => {
            format!("the schedule decides with whom a message is exchanged{}", at(*origin))
        }
        Refusal::Irregular => "a loop does not become regular".to_owned(),
        Refusal::Failure(_) => "a step of a run fails".to_owned(),
        Refusal::Limit | Refusal::Pointless => "runs have too many steps or choices".to_owned(),
    }
}
