//! The distribution over states at given times and in the long run, or over classes of states with equal values of
//! expressions.
//!
//! Expressions are read and evaluated as properties are, so that whatever a property may say of a state can form classes.

use std::collections::HashMap;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Span, codes, has_errors};
use volvelle_explore::Explored;
use volvelle_logic::{ConstantValue, FormulaValue, StopReason};
use volvelle_markov::{CheckError, Classes, Method, StateValues};
use volvelle_session::accuracy::accurate;
use volvelle_session::csv::{line, number};
use volvelle_session::failure;
use volvelle_session::pending::Pending;
use volvelle_session::report::{ModelReport, Status};
use volvelle_session::times::times_of;
use volvelle_session::{Model, Session, Settings};
use volvelle_space::Kind;

/// Distributions to compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments<'a> {
    /// Times, as `--const` takes values: `1,2,5` or `0:0.5:10`; steps for a DTMC.
    pub times: Option<&'a str>,
    /// Also in the long run.
    pub long_run: bool,
    /// Expressions whose values form classes, separated by commas; without any, each state is a class.
    pub by: &'a [String],
}

/// Distributions, all over the same classes.
#[derive(Clone, Debug, Default)]
pub struct Distributions {
    /// The state space, or how much of it was reached.
    pub model: Option<ModelReport>,
    /// The expressions whose values form classes.
    pub by: Vec<String>,
    /// The moments, in the order in which they were asked for, the long run last.
    pub moments: Vec<Moment>,
    /// The classes, by falling probability at the last moment.
    pub classes: Vec<Class>,
    /// Initial states; where there are several, each of them is equally likely.
    pub initial_states: u64,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that was reached.
    pub stop: Option<Stop>,
}

/// A time, or the long run.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The time; `None` is the long run.
    pub time: Option<ConstantValue>,
    /// How its distribution was computed.
    pub method: String,
    /// Why the computation stopped.
    pub stop: StopReason,
    /// What it took; several times share their computation equally.
    pub took: Duration,
}

/// A class of states.
#[derive(Clone, Debug)]
pub struct Class {
    /// Number of a state in it: the first that was found.
    pub first: u32,
    /// Its states.
    pub states: u64,
    /// The state: `q=5 open=true`. Empty where expressions form classes.
    pub state: String,
    /// The values of the expressions.
    pub values: Vec<FormulaValue>,
    /// Bounds of its probability at each moment.
    pub bounds: Vec<[f64; 2]>,
}

impl Distributions {
    /// How the run ended.
    pub fn status(&self) -> Status {
        Status::of(std::iter::empty(), &self.diagnostics, self.stop)
    }
}

/// Computes distributions.
pub fn distributions(
    session: &mut Session,
    wanted: &Moments<'_>,
    settings: &Settings,
    control: &Control<'_>,
) -> Distributions {
    let mut found = Distributions::default();
    session.model.refuse_sweeps();
    session.model.property_texts_from = "--by";
    let times = times(wanted.times).map_err(|diagnostic| session.model.diagnostics.push(diagnostic));
    let lowered = session.model.lower();
    found.diagnostics = std::mem::take(&mut session.model.diagnostics);
    if !lowered || has_errors(&found.diagnostics) {
        found.diagnostics.extend(session.model.unmentioned_constants());
        return found;
    }
    let Ok(times) = times else { return found };
    let kind = session.model.program().map(|program| volvelle_explore::kind_of_space(program.kind()));
    if let Some(kind @ (Kind::Mdp | Kind::MarkovAutomaton)) = kind {
        found.diagnostics.push(no_distribution(kind));
        return found;
    }
    found.by = wanted.by.iter().flat_map(|text| expressions(text)).collect();
    let mut pending = match found.by.is_empty() {
        true => Vec::new(),
        false => session.model.select(&found.by, &mut found.diagnostics),
    };
    let failed = pending.iter().filter_map(|p| p.property.as_ref().err()).flatten();
    found.diagnostics.extend(failed.cloned());
    found.diagnostics.extend(session.model.unmentioned_constants());
    found.diagnostics.extend(crate::refusals::without_effect(&session.model, settings));
    if has_errors(&found.diagnostics) {
        return found;
    }
    // All states matter, each for itself.
    let whole = Settings { full_space: true, reduce: false, symmetry: false, ..*settings };
    let outcome = crate::exploring::explore_for(session, &mut pending, false, &whole, control);
    found.model = outcome.model;
    found.stop = outcome.stop;
    found.diagnostics.extend(outcome.diagnostics);
    let Some(explored) = outcome.explored.filter(|_| !has_errors(&found.diagnostics)) else {
        let failed = pending.iter().filter_map(|p| p.property.as_ref().err()).flatten();
        found.diagnostics.extend(failed.cloned());
        return found;
    };
    found.initial_states = explored.space.initial.len() as u64;
    found.diagnostics.extend(unused_method(wanted, settings.numeric.method));
    if let Err(error) = fill(session, &mut found, &explored, &pending, &times, wanted, settings, control) {
        found.diagnostics.push(error);
    }
    found
}

/// Computes the distributions of an explored model.
#[expect(clippy::too_many_arguments, reason = "it continues `distributions`")]
fn fill(
    session: &mut Session,
    found: &mut Distributions,
    explored: &Explored,
    pending: &[Pending],
    times: &[(ConstantValue, f64)],
    wanted: &Moments<'_>,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<(), Diagnostic> {
    let space = &explored.space;
    let (classes, mut listed) =
        classes(&session.model, explored, pending, settings, control, &mut found.stop)?;
    let text = format!("{} states, {} classes", space.num_states(), classes.count);
    let file = session.model.sources.add("--transient", wanted.times.unwrap_or_default());
    let place = Span::new(file, 0, wanted.times.map_or(0, str::len));
    let mut results = Vec::new();
    let started = Instant::now();
    let failure = |session: &Session, error: CheckError, stop: &mut Option<Stop>| {
        if let CheckError::Limit(reached) = error {
            *stop = stop.or(Some(reached));
            return volvelle_session::limits::stopped(reached, &settings.allowance);
        }
        if let CheckError::TooLarge { what } = &error {
            return Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                format!("the long-run distribution is too large: {what}"),
            )
            .note(text.clone())
            .help("group states into fewer classes: --by 'min(q, 10)'")
            .help("compute the probability of one class as a property: --prop 'S=? [ q=3 ]'");
        }
        match session.model.document.as_deref() {
            Some(document) => failure::of_check(&error, place, document, |_| None, &settings.allowance),
            None => Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, error.to_string()),
        }
    };
    let numeric = accurate(&settings.numeric, explored, &[]);
    if !times.is_empty() {
        let numbers: Vec<f64> = times.iter().map(|time| time.1).collect();
        let all = volvelle_markov::transient_distributions(space, &classes, &numbers, &numeric, control)
            .map_err(|error| failure(session, error, &mut found.stop))?;
        let took = started.elapsed() / times.len() as u32;
        results.extend(times.iter().zip(all).map(|((time, _), d)| (Some(time.clone()), d, took)));
    }
    if wanted.long_run {
        let started = Instant::now();
        let all = volvelle_markov::long_run_distribution(space, &classes, &numeric, control)
            .map_err(|error| failure(session, error, &mut found.stop))?;
        results.push((None, all, started.elapsed()));
    }
    let mut interrupted = false;
    for (time, distribution, took) in results {
        interrupted |= distribution.stop == StopReason::Interrupted;
        for (class, bounds) in listed.iter_mut().zip(distribution.bounds) {
            class.bounds.push(bounds);
        }
        found.moments.push(Moment { time, method: distribution.method, stop: distribution.stop, took });
    }
    let last = |class: &Class| class.bounds.last().map_or(0.0, |[lo, hi]| lo + 0.5 * (hi - lo));
    listed.sort_by(|a, b| last(b).total_cmp(&last(a)).then(a.first.cmp(&b.first)));
    found.classes = listed;
    match control.check() {
        Err(stop) if interrupted => Err(failure(session, CheckError::Limit(stop), &mut found.stop)),
        _ => Ok(()),
    }
}

/// The classes of states, and what they are.
fn classes(
    model: &Model,
    explored: &Explored,
    pending: &[Pending],
    settings: &Settings,
    control: &Control<'_>,
    stop: &mut Option<Stop>,
) -> Result<(Classes, Vec<Class>), Diagnostic> {
    let n = explored.space.num_states();
    let document = model.document.as_deref();
    let text = |s: usize| {
        let values = explored.layout.unpack(explored.states.get(s));
        document.map_or(String::new(), |d| d.state_text(&values))
    };
    let class = |first: usize, state: String, values: Vec<FormulaValue>| Class {
        first: first as u32,
        states: 1,
        state,
        values,
        bounds: Vec::new(),
    };
    if pending.is_empty() {
        return Ok((Classes::single(n), (0..n).map(|s| class(s, text(s), Vec::new())).collect()));
    }
    let mut columns: Vec<Vec<FormulaValue>> = Vec::new();
    for p in pending {
        let Ok(property) = &p.property else { continue };
        let values = volvelle_markov::check_states(
            &explored.space,
            property,
            &explored.numbers,
            &accurate(&settings.numeric, explored, &[property]),
            None,
            control,
        );
        let values = values.map_err(|error| {
            if let CheckError::Limit(reached) = error {
                *stop = stop.or(Some(reached));
            }
            match document {
                Some(document) => failure::of_check(&error, p.place, document, |_| None, &settings.allowance),
                None => Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, error.to_string()),
            }
        })?;
        columns.push(match values {
            StateValues::Bool(set) => (0..n).map(|s| FormulaValue::Truth(set.contains(s))).collect(),
            StateValues::Number(numbers) => {
                if numbers.bounds.iter().any(|[lo, hi]| lo != hi) {
                    let message = "states cannot be grouped by a number of which only bounds are known";
                    return Err(Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
                        .at(p.place, "")
                        .help("group them by variables and formulas of the model: --by 'min(q, 3), open'"));
                }
                numbers.bounds.into_iter().map(FormulaValue::Bounds).collect()
            }
        });
    }
    let mut numbers: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut listed: Vec<Class> = Vec::new();
    let mut class_of = Vec::with_capacity(n);
    for s in 0..n {
        let key = columns.iter().map(|column| match column[s] {
            FormulaValue::Truth(truth) => u64::from(truth),
            // Zero has two signs.
            FormulaValue::Bounds([x, _]) => (x + 0.0).to_bits(),
        });
        let next = listed.len() as u32;
        let number = *numbers.entry(key.collect()).or_insert(next);
        if number == next {
            listed.push(class(s, String::new(), columns.iter().map(|column| column[s]).collect()));
        } else {
            listed[number as usize].states += 1;
        }
        class_of.push(number);
    }
    Ok((Classes { class_of, count: listed.len() }, listed))
}

/// Reads the times of `--transient`.
fn times(text: Option<&str>) -> Result<Vec<(ConstantValue, f64)>, Diagnostic> {
    times_of(text, "--transient")
}

/// The expressions of a text with commas between them: those within parentheses, brackets and quotation marks belong to
/// an expression.
fn expressions(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut is_quoted) = (0, false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

/// Says that the method which was asked for did not compute the distributions.
fn unused_method(wanted: &Moments<'_>, method: Method) -> Option<Diagnostic> {
    let is_used = wanted.times.is_none() && method == Method::Elimination;
    (method != Method::Auto && !is_used).then(|| {
        Diagnostic::warning(codes::UNUSED_METHOD, "--method was not used for the distribution")
            .note("transient distributions are computed step by step, long-run distributions by state elimination")
            .help("leave --method out, or request the probability of some states with --prop")
    })
}

/// The refusal of a model with choices.
fn no_distribution(kind: Kind) -> Diagnostic {
    let message = format!(
        "the distribution over states is not determined: a model of type {} has choices",
        kind.name()
    );
    Diagnostic::error(codes::BAD_USAGE, message)
        .note("each scheduler has its own distribution")
        .help("request the largest or smallest probability of a state: --prop 'Pmax=? [ F[5,5] x=1 ]'")
        .help("for equally likely choices, declare the model as a dtmc")
}

/// Distributions: a line for each class, with value and bounds of its probability at each moment.
pub fn csv_of_distributions(found: &Distributions) -> String {
    let mut out = String::new();
    let is_states = found.by.is_empty();
    let mut header = match is_states {
        true => vec!["number".to_owned(), "state".to_owned()],
        false => found.by.clone(),
    };
    for moment in &found.moments {
        let label = moment.time.as_ref().map_or("long run".to_owned(), |time| format!("t={time}"));
        header.extend([label.clone(), format!("{label} lo"), format!("{label} hi")]);
    }
    line(&mut out, &header);
    for class in &found.classes {
        let mut cells: Vec<String> = match is_states {
            true => vec![class.first.to_string(), class.state.clone()],
            false => (class.values.iter())
                .map(|value| match *value {
                    FormulaValue::Truth(truth) => truth.to_string(),
                    FormulaValue::Bounds([x, _]) => x.to_string(),
                })
                .collect(),
        };
        for &[lo, hi] in &class.bounds {
            cells.extend([FormulaValue::Bounds([lo, hi]).middle(), lo, hi].map(number));
        }
        line(&mut out, &cells);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{expressions, times};

    #[test]
    fn expressions_between_commas() {
        assert_eq!(expressions("min(q, 3), open"), ["min(q, 3)", "open"]);
        assert_eq!(expressions("\"a,b\""), ["\"a,b\""]);
        assert_eq!(expressions("q"), ["q"]);
    }

    #[test]
    fn times_as_lists_and_ranges() {
        let read = |text| times(Some(text)).map(|all| all.into_iter().map(|t| t.1).collect::<Vec<f64>>());
        assert_eq!(read("2.5").unwrap(), [2.5]);
        assert_eq!(read("1,2, 5").unwrap(), [1.0, 2.0, 5.0]);
        assert_eq!(read("0:0.5:1").unwrap(), [0.0, 0.5, 1.0]);
        for wrong in ["", "x", "-1", "1:", "true"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
