//! Running the instances.

use crate::budget::Budget;
use crate::cases::{Instance, Row};
use crate::judge::{Verdict, judge};
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_explore::ExploreError;
use volvelle_oracles::tiers::{self, Bounds};
use volvelle_verify::{ModelReport, PropertyReport, Report, Session, Settings, Text, limits};

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowOutcome {
    /// The value is right; without a reference: there is a value.
    Passed {
        /// Whether there was something to compare it with.
        compared: bool,
    },
    /// Something is wrong.
    Failed(String),
    /// A limit ended it.
    Limit(String),
    /// The property is refused for now, for this reason.
    NotEvaluated(String),
}

/// What became of an instance.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One for each row.
    pub rows: Vec<RowOutcome>,
    /// Whether the number of states was compared with the list.
    pub counted: bool,
    /// Whether all ways to explore were compared: `None` where the instance is too large for that, or a limit ended it.
    pub tiers: Option<Result<(), String>>,
    /// Wall time.
    pub time: Duration,
}

/// Instances with at most so many states are explored in all ways, and properties checked with as few states as they
/// need.
const COMPARED_STATES: u64 = 50_000;

/// Runs all instances, as far as the budget goes.
pub fn run(instances: &[Instance], budget: &Budget, verbose: bool) -> Vec<Outcome> {
    instances
        .iter()
        .map(|instance| {
            let start = Instant::now();
            let mut outcome = run_instance(instance, budget);
            outcome.time = start.elapsed();
            for (row, found) in instance.rows.iter().zip(&outcome.rows) {
                match found {
                    RowOutcome::Failed(why) => {
                        println!("FAILED  {} {}: {why}", instance.name(), row.property)
                    }
                    _ if verbose => println!("{} {}: {found:?}", instance.name(), row.property),
                    _ => {}
                }
            }
            if let Some(Err(why)) = &outcome.tiers {
                println!("FAILED  {}: {why}", instance.name());
            }
            outcome
        })
        .collect()
}

fn run_instance(instance: &Instance, budget: &Budget) -> Outcome {
    let all =
        |outcome: RowOutcome| Outcome { rows: vec![outcome; instance.rows.len()], ..Outcome::default() };
    if instance.states.is_some_and(|n| n > budget.states) {
        return all(RowOutcome::Limit("states".to_owned()));
    }
    if !budget.is_left() {
        return all(RowOutcome::Limit("time".to_owned()));
    }
    let names: Vec<&str> = instance.rows.iter().map(|r| r.property.as_str()).collect();
    let report = check(instance, &names, budget);
    let model = report.model.clone().or_else(|| {
        // No property could be asked: the states count nevertheless.
        let (explored, _) =
            session(instance).model.explore(&settings(budget), &control(budget, instance.states));
        explored.model
    });
    let wrong_count = model.as_ref().and_then(|model| wrong_count(model, &report, instance));
    let complete = model.as_ref().is_some_and(|m| m.complete);
    let rows = instance.rows.iter().map(|row| {
        if let Some(wrong) = &wrong_count {
            return RowOutcome::Failed(wrong.clone());
        }
        let outcome = match row_outcome(row, &report) {
            // Others have used up the time: once more, alone.
            RowOutcome::Limit(_) if complete && names.len() > 1 && budget.is_left() => {
                row_outcome(row, &check(instance, &[&row.property], budget))
            }
            outcome => outcome,
        };
        // Once more with no more states than this property needs.
        let is_small = instance.states.is_some_and(|n| n <= COMPARED_STATES) && budget.is_left();
        match &outcome {
            RowOutcome::Passed { .. } if is_small => {
                let settings = Settings { full_space: false, ..settings(budget) };
                match row_outcome(row, &check_with(instance, &[&row.property], &settings, budget)) {
                    RowOutcome::Failed(why) => RowOutcome::Failed(format!("without --full-space: {why}")),
                    _ => outcome,
                }
            }
            _ => outcome,
        }
    });
    let rows = rows.collect();
    let tiers = if complete && !budget.exact { compare_tiers(instance, budget) } else { None };
    Outcome { rows, counted: complete && instance.states.is_some(), tiers, time: Duration::ZERO }
}

fn session(instance: &Instance) -> Session {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    let properties = vec![text(&instance.properties, &instance.properties_text)];
    let constants: Vec<&str> = [instance.constants.as_str()].into_iter().filter(|c| !c.is_empty()).collect();
    Session::open(text(&instance.model, &instance.model_text), properties, &constants)
}

fn settings(budget: &Budget) -> Settings {
    // States are counted.
    Settings { exact: budget.exact, full_space: true, ..Settings::default() }
}

fn control(budget: &Budget, listed: Option<u64>) -> Control<'static> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Control { limits: budget.limits(listed), threads, ..Control::unlimited() }
}

fn check(instance: &Instance, names: &[&str], budget: &Budget) -> Report {
    check_with(instance, names, &settings(budget), budget)
}

fn check_with(instance: &Instance, names: &[&str], settings: &Settings, budget: &Budget) -> Report {
    let wanted: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    volvelle_verify::check(&mut session(instance), &wanted, settings, &control(budget, instance.states))
}

/// What is wrong with the number of states, if it is known and listed.
fn wrong_count(model: &ModelReport, report: &Report, instance: &Instance) -> Option<String> {
    let listed = instance.states?;
    let too_many = report.stop == Some(Stop::States) && !model.complete;
    if too_many || (model.complete && model.states != listed) {
        let more = if too_many { " or more" } else { "" };
        return Some(format!("{}{more} states, {listed} are listed", model.states));
    }
    None
}

fn row_outcome(row: &Row, report: &Report) -> RowOutcome {
    let errors = |diagnostics: &[Diagnostic]| -> Option<RowOutcome> {
        let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).peekable();
        errors.peek()?;
        let errors: Vec<&Diagnostic> = errors.collect();
        let refused = [codes::NOT_YET_EVALUATED, codes::NO_EXACT_VALUE, codes::ROUNDING_DECIDES];
        if errors.iter().all(|d| refused.contains(&d.code)) {
            return Some(RowOutcome::NotEvaluated(errors[0].message.clone()));
        }
        let text: Vec<String> = errors.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
        let is_limit = errors.iter().any(|d| limits::is_limit(d.code) || d.code == codes::EXACT_TOO_LARGE);
        Some(if is_limit { RowOutcome::Limit(text.join("; ")) } else { RowOutcome::Failed(text.join("; ")) })
    };
    let is_row = |result: &&PropertyReport| result.name.as_deref() == Some(row.property.as_str());
    let answer = match report.results.iter().find(is_row) {
        Some(PropertyReport { outcome: Ok(answer), .. }) => answer,
        Some(PropertyReport { outcome: Err(complaints), .. }) => {
            let unexplained = || RowOutcome::Failed("no answer, and no reason".to_owned());
            return errors(complaints).or_else(|| errors(&report.diagnostics)).unwrap_or_else(unexplained);
        }
        None => {
            let unexplained = || RowOutcome::Failed("the property is not in the report".to_owned());
            return errors(&report.diagnostics).unwrap_or_else(unexplained);
        }
    };
    match judge(answer, row.reference) {
        Verdict::Right => RowOutcome::Passed { compared: true },
        Verdict::NoReference => RowOutcome::Passed { compared: false },
        Verdict::Unfinished(why) => RowOutcome::Limit(why),
        Verdict::Wrong(why) => RowOutcome::Failed(format!("{why} ({})", answer.method)),
    }
}

/// Interpreter and native code, one thread and two: the same states, transitions and values, bit for bit.
fn compare_tiers(instance: &Instance, budget: &Budget) -> Option<Result<(), String>> {
    if instance.states.is_none_or(|n| n > COMPARED_STATES) || !budget.is_left() {
        return None;
    }
    let mut session = session(instance);
    let _ = session.model.outline();
    let program = session.model.program()?;
    let deadline = Some(budget.end.min(Instant::now() + budget.case));
    match tiers::compare(program, Bounds { states: budget.states, deadline }) {
        Ok(Err(ExploreError::Stopped { .. })) => None,
        Ok(Ok(_)) => Some(Ok(())),
        Ok(Err(error)) => Some(Err(format!("{error:?}"))),
        Err(difference) => Some(Err(difference)),
    }
}
