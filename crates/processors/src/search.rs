//! Strategies that try some of many machines and predictors, each time what promises most.

use super::asked::{Asked, Case};
use super::choice::figures;
use super::goal::Goal;
use super::passes::Answers;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Distinct, codes, has_errors};
use volvelle_tune::Value;
use volvelle_tune::space::{ConfigurationId, Parameter, Problem, Space};
use volvelle_tune::strategy::{Failure, Outcome, by_name};

/// Logarithms of what strategies see must be there.
const LEAST: f64 = 1e-9;

/// Tries cases until the goal's number is reached, or there are no others, or a limit ends it; then `asked` has those that were tried,
/// and answers are in their order. `compute` gives answers to one case, by program.
pub fn search(
    asked: &mut Asked,
    goal: &Goal,
    control: &Control<'_>,
    mut compute: impl FnMut(&Asked, &[Case]) -> (Vec<Answers>, Vec<Diagnostic>, Option<Stop>),
) -> (Vec<Answers>, Vec<Diagnostic>, Option<Stop>) {
    let none = || asked.runs.iter().map(|_| Answers::default()).collect::<Vec<Answers>>();
    let Some((name, most)) = &goal.strategy else { return (none(), Vec::new(), None) };
    let space = match space(asked, control) {
        Ok(space) => space,
        Err(found) => return (none(), vec![found], None),
    };
    let Some(mut strategy) = by_name(name, &space, goal.seed, None) else {
        return (none(), Vec::new(), None);
    };
    let mut answers = none();
    let (mut diagnostics, mut stop) = (Distinct::default(), None);
    let mut tried = Vec::new();
    while (tried.len() as u64) < *most
        && stop.is_none()
        && let Some(configuration) = strategy.next(&space)
    {
        let case = asked.cases[number(&space, configuration)].clone();
        let (more, found, ended) = compute(asked, std::slice::from_ref(&case));
        let is_faulty = has_errors(&found);
        found.into_iter().for_each(|found| diagnostics.push(found));
        stop = ended;
        let of = more.iter().flat_map(|of| of.all.iter().flatten());
        let value = goal.value(&figures(&case.configuration, of));
        // Strategies look for short times.
        let time = value.map(|value| if goal.is_least { value } else { 1.0 / value.max(LEAST) });
        let outcome = match time {
            Some(time) => Outcome::Time(time.max(LEAST)),
            None => Outcome::Failed(Failure::Constraint),
        };
        strategy.tell(&space, configuration, &outcome);
        tried.push(case);
        for (all, one) in answers.iter_mut().zip(more) {
            all.all.extend(one.all);
            all.exit = one.exit;
            all.written = one.written;
        }
        if is_faulty {
            break;
        }
    }
    (asked.cases, asked.predictors, asked.base) = (tried, 1, None);
    (answers, diagnostics.take(), stop)
}

/// The space of what cases differ in.
fn space(asked: &Asked, control: &Control<'_>) -> Result<Space, Diagnostic> {
    let value = |text: &String| text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Int);
    let parameter = |(name, values): &(String, Vec<String>)| Parameter {
        name: name.clone(),
        values: values.iter().map(value).collect(),
    };
    let problem = Problem::new(asked.space.iter().map(parameter).collect());
    problem.build(control.threads, usize::MAX).map_err(|_| {
        Diagnostic::error(codes::BAD_USAGE, "there is nothing to choose from")
            .help("give keys several values: --const cores=1,2,4")
    })
}

/// The place of a configuration among cases: the first parameter changes last.
fn number(space: &Space, configuration: ConfigurationId) -> usize {
    let parameters = space.parameters().iter().enumerate();
    parameters.fold(0, |number, (at, parameter)| {
        number * parameter.values.len() + usize::from(space.index(configuration, at))
    })
}
