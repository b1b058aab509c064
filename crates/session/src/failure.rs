//! Errors of engines as diagnostics that point into the text.

use crate::language::Document;
use crate::limits::{self, Allowance, count, counted};
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_explore::{ExploreError, Reached, Step};
use volvelle_kernel::Site;
use volvelle_markov::CheckError;
use volvelle_model::kernels::KernelError;
use volvelle_model::{Domain, Field, Program};
use volvelle_space::StateId;

/// Why exploration did not come to its end.
pub fn of_exploration(
    error: &ExploreError,
    document: &dyn Document,
    program: &Program,
    sources: &Sources,
    allowance: &Allowance,
) -> Diagnostic {
    match error {
        ExploreError::Stopped { stop, reached } => {
            let stopped = limits::stopped(*stop, allowance).note(reached_text(reached));
            match without_bounds(program) {
                Some(name) => stopped
                    .note(format!("the range of `{name}` is unbounded: there may be infinitely many states"))
                    .help("sample paths, which needs no state space: volvelle simulate")
                    .help(format!("or bound the range: {name} : [0..100]")),
                None => stopped,
            }
        }
        ExploreError::Failed { site, values, state, path } => {
            let diagnostic = of_site(*site, values, *state, document, sources);
            match path_text(path, program) {
                Some(path) => diagnostic.note(format!("reached by {path}")),
                None => diagnostic,
            }
        }
        ExploreError::Undefined { site, application, values, state, path } => {
            let diagnostic = of_site(*site, values, Some(*state), document, sources);
            let diagnostic = diagnostic.note(application.reason.0.clone());
            match path_text(path, program) {
                Some(path) => diagnostic.note(format!("reached by {path}")),
                None => diagnostic,
            }
        }
        ExploreError::NoInitialState => document.explain_no_initial_state(),
        ExploreError::LooseStart { steps, found } => {
            let message = "the condition on initial states leaves too many valuations to try";
            Diagnostic::error(codes::STATE_LIMIT, message)
                .note(format!(
                    "{} of valuations looked at, with {}",
                    counted(*steps, "set"),
                    counted(*found, "initial state")
                ))
                .help("bind variables with equalities or bounds: init x=0 & y=2*x endinit")
                .help("or try for longer: --timeout 600")
        }
        ExploreError::TooLarge { what } => {
            Diagnostic::error(codes::TOO_MANY_TRANSITIONS, format!("the model has too many {what}"))
                .note("states and transitions are numbered with 32-bit integers")
                .help("make the model smaller with --const")
        }
        ExploreError::Kernel(KernelError::TooManyParticipants { group, varying }) => {
            let action = &program.actions[program.groups[*group].action.index()].name;
            Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                format!("too many modules synchronise on `{action}`: {varying}"),
            )
            .help("let fewer modules synchronise")
        }
        ExploreError::Kernel(KernelError::TooManyOffers { group }) => {
            let action = &program.actions[program.groups[*group].action.index()].name;
            Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                format!("too many combinations of offers synchronise on `{action}`"),
            )
            .help("let fewer components synchronise, or give them fewer alternatives")
        }
        ExploreError::Kernel(KernelError::TooManyValues { group }) => {
            let action = &program.actions[program.groups[*group].action.index()].name;
            let message = format!("too many values are possible at `{action}` that no component determines");
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).help("use smaller sorts")
        }
        ExploreError::Kernel(KernelError::Processes) => Diagnostic::error(
            codes::UNSUPPORTED_CONSTRUCT,
            "dynamically created processes have no transition matrix",
        )
        .help("search the model instead: volvelle check MODEL"),
        ExploreError::Kernel(KernelError::Functions) => Diagnostic::error(
            codes::UNSUPPORTED_CONSTRUCT,
            "this analysis does not support functions on data terms",
        )
        .help("generate the state space of the model, and analyse that"),
        ExploreError::Kernel(KernelError::Mixed) => Diagnostic::error(
            codes::UNSUPPORTED_CONSTRUCT,
            "modules combined with dynamically created processes are not supported yet",
        ),
        ExploreError::Kernel(KernelError::TooManyTransitions { transitions }) => {
            let message = format!("the model has too many statements: {transitions}");
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
                .note("the limit is 65,534")
                .help("make the model smaller, or use loops instead of copies")
        }
        ExploreError::Compile(error) => {
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, format!("the model cannot be compiled: {error}"))
        }
    }
}

/// The failure of a site of the program in a state: one value for each field, and how many states were found before it.
pub fn of_site(
    site: Site,
    values: &[i64],
    number: Option<StateId>,
    document: &dyn Document,
    sources: &Sources,
) -> Diagnostic {
    let diagnostic = document.explain_failure(sources, site, values);
    let found = number.map(|state| format!("the {} state found", ordinal(u64::from(state.0) + 1)));
    let text = document.state_text(values);
    match (text.as_str(), found) {
        ("", None) => diagnostic,
        ("", Some(found)) => diagnostic.note(format!("in {found}")),
        (text, None) => diagnostic.note(format!("in state {text}")),
        (text, Some(found)) => diagnostic.note(format!("in state {text} ({found})")),
    }
}

/// The first variable whose range has no bounds.
fn without_bounds(program: &Program) -> Option<&str> {
    let grows = |field: &&Field| matches!(field.domain, Domain::Growing { .. });
    program.fields.iter().find(grows).map(|field| field.name.as_str())
}

/// `1,000 states, 3,412 transitions so far; 88 states were waiting`
pub fn reached_text(reached: &Reached) -> String {
    let waiting = reached.states.saturating_sub(reached.expanded);
    let (states, transitions) =
        (counted(reached.states, "state"), counted(reached.transitions, "transition"));
    if waiting == 0 {
        return format!("{states}, {transitions} so far");
    }
    let were = if waiting == 1 { "was" } else { "were" };
    format!("{states}, {transitions} so far; {} {were} not expanded", counted(waiting, "state"))
}

/// States that end a list of actions are cut out of the middle of longer paths.
const SHOWN: usize = 12;

/// The actions of a path; the module stands in for the silent action. Runs are counted.
fn path_text(path: &[Step], program: &Program) -> Option<String> {
    let name = |step: &Step| match program.actions[step.action.index()].name.as_str() {
        "" => {
            let group = &program.groups[step.group.index()];
            format!("[{}]", program.participant_name(&group.participants[0]))
        }
        action => action.to_owned(),
    };
    let mut runs: Vec<(String, usize)> = Vec::new();
    for step in path {
        let name = name(step);
        match runs.last_mut() {
            Some((last, times)) if *last == name => *times += 1,
            _ => runs.push((name, 1)),
        }
    }
    let text = |(name, times): &(String, usize)| match times {
        1 => name.clone(),
        n => format!("{name} ({n} times)"),
    };
    let shown: Vec<String> = if runs.len() <= SHOWN {
        runs.iter().map(text).collect()
    } else {
        let (head, tail) = (runs[..SHOWN / 2].iter(), runs[runs.len() - SHOWN / 2..].iter());
        head.map(text).chain(["...".to_owned()]).chain(tail.map(text)).collect()
    };
    match path.len() {
        0 => None,
        1 => Some(format!("1 step: {}", shown.join(", "))),
        n => Some(format!("{} steps: {}", count(n as u64), shown.join(", "))),
    }
}

/// Deadlocks: a warning when they got self-loops, an error otherwise.
pub fn of_deadlocks(deadlocks: u64, first: StateId, state: &str, fixed: bool) -> Diagnostic {
    let what = if deadlocks == 1 { "has" } else { "have" };
    let what = format!("{} {what} no transition", counted(deadlocks, "state"));
    let diagnostic = if fixed {
        let loops = if deadlocks == 1 { "a self-loop was added" } else { "self-loops were added" };
        Diagnostic::warning(codes::DEADLOCKS_FIXED, format!("{what}; {loops}"))
    } else {
        Diagnostic::error(codes::DEADLOCK, what)
    };
    let diagnostic = diagnostic
        .note(format!("the first is {state} (the {} state found)", ordinal(u64::from(first.0) + 1)));
    if fixed {
        diagnostic
            .help("if deadlocks are intended, add self-loops; otherwise refuse them with --no-fix-deadlocks")
    } else {
        diagnostic.help("add a command for these states, or leave --no-fix-deadlocks out to add self-loops")
    }
}

/// Refusal of an operator without `min` or `max` where schedulers differ.
pub fn needs_optimum(operator: &str) -> Diagnostic {
    let message = format!("an mdp needs {operator}min=? or {operator}max=?");
    Diagnostic::error(codes::MIN_MAX_REQUIRED, message)
        .help(format!("for the worst case of a bad event, use the maximum: {operator}max=?"))
}

/// Why a property has no answer.
pub fn of_check(
    error: &CheckError,
    place: Span,
    document: &dyn Document,
    state_values: impl Fn(u32) -> Option<Vec<i64>>,
    allowance: &Allowance,
) -> Diagnostic {
    let state = |state: u32| {
        let values = state_values(state).map(|v| format!(": {}", document.state_text(&v)));
        format!("in the {} state found{}", ordinal(u64::from(state) + 1), values.unwrap_or_default())
    };
    let diagnostic = match error {
        CheckError::NotYetEvaluated { what } => {
            Diagnostic::error(codes::NOT_YET_EVALUATED, format!("{what} cannot be evaluated yet"))
        }
        CheckError::WrongKind { what, kind } => {
            let kind = kind.to_lowercase();
            Diagnostic::error(
                codes::WRONG_MODEL_KIND,
                format!("{what} has no meaning for a model of type {kind}"),
            )
        }
        CheckError::NoEngine { kind } => no_engine(kind),
        CheckError::NeedsOptimum => needs_optimum("P"),
        CheckError::UndefinedNumber { state: s, .. } => {
            Diagnostic::error(codes::PROPERTY_TYPE, "an expression of the property has no value")
                .note(state(*s).to_string())
        }
        CheckError::SeveralStates { count: n } => Diagnostic::error(
            codes::SEVERAL_INITIAL_STATES,
            format!("a single state is needed, but there are {}", count(*n as u64)),
        )
        .help("combine their values: filter(min, ...), filter(max, ...), filter(avg, ...)"),
        CheckError::EmptyFilter => {
            Diagnostic::error(codes::FILTER_EMPTY, "no reachable state satisfies the filter")
        }
        CheckError::TypeMismatch { what } => Diagnostic::error(codes::PROPERTY_TYPE, what.clone()),
        CheckError::MissingObservation { what } => {
            Diagnostic::error(codes::PROPERTY_TYPE, format!("the state space has no {what}"))
        }
        CheckError::NegativeReward { rewards, state: s, value } => {
            negative_reward(rewards, *value, &state(*s))
        }
        CheckError::EndlessLoss { rewards, state: s } => endless_loss(rewards, &state(*s)),
        CheckError::BalancedLoss { rewards, state: s, .. } => balanced_loss(rewards, &state(*s)),
        CheckError::ConditionalReward => {
            let message = "rewards under a condition are not evaluated on an mdp";
            Diagnostic::error(codes::NOT_YET_EVALUATED, message)
                .note("the best scheduler may have to remember how much it has earned, and there is no bound on that")
                .help("evaluate it under a scheduler: check --scheduler FILE, or --scheduler uniform")
        }
        CheckError::MixedRewards { what } => {
            let message = format!("{what} gives different rewards to transitions of one choice");
            Diagnostic::error(codes::MIXED_REWARDS, message)
                .note("only their mean is known, but bounds depend on what each path accumulates")
                .help("read the model as an mdp, or let an additional step earn the reward")
        }
        CheckError::NoAmount { state: s } => {
            Diagnostic::error(codes::NO_AMOUNT, "no amount meets the threshold of the quantile")
                .note(format!("even the amount 0 does not, {}", state(*s)))
                .help("request the probability of one amount with P=? to see how far it is")
        }
        CheckError::NotFinite { what } => {
            Diagnostic::error(codes::BAD_REWARD, format!("{what} is not a finite number"))
        }
        CheckError::BadBound { what } => Diagnostic::error(codes::BAD_BOUND, what.clone()),
        CheckError::Undefined { what } => {
            Diagnostic::error(codes::PROPERTY_TYPE, format!("{what} has no result"))
        }
        CheckError::Flawed(_) => Diagnostic::error(codes::NOT_CONVERGED, error.to_string()).help(EXACTLY),
        CheckError::CannotDecide { state: s, lo, hi, threshold } => Diagnostic::error(
            codes::NOT_CONVERGED,
            format!("the value cannot be separated from the bound {threshold}"),
        )
        .note(format!("it lies between {lo:?} and {hi:?} {}", state(*s)))
        .help(EXACTLY)
        .help("or request the value itself with =?, or more precision with --precision"),
        CheckError::NotRational { what } => {
            Diagnostic::error(codes::NO_EXACT_VALUE, format!("there is no exact answer: {what}"))
                .help("leave --exact out: the answer then has sound bounds")
        }
        CheckError::TooLargeExactly { what } => {
            Diagnostic::error(codes::EXACT_TOO_LARGE, format!("{what} is too large for exact arithmetic"))
                .help("leave --exact out: the answer then has sound bounds")
        }
        CheckError::EndlessReward { rewards } => endless_reward(rewards),
        CheckError::OnTheEdge { distance, .. } => on_the_edge(*distance),
        CheckError::ImpossibleCondition { state: s } => {
            Diagnostic::error(codes::IMPOSSIBLE_CONDITION, "the condition has probability zero")
                .note(format!("this happens {}", state(*s)))
                .help(
                    "a conditional probability is defined only where the condition has positive probability",
                )
        }
        CheckError::TooLarge { what } => {
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, format!("there are too many {what}"))
                .help("split the property into parts, or simplify it")
        }
        CheckError::Limit(stop) => limits::stopped(*stop, allowance),
    };
    diagnostic.at(place, "")
}

const EXACTLY: &str = "compute with exact fractions: --exact";

/// The name of a reward structure, for messages.
fn quoted(rewards: &str) -> String {
    if rewards.is_empty() { String::new() } else { format!(" \"{rewards}\"") }
}

fn no_engine(kind: &str) -> Diagnostic {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    let message = format!("there is no engine for {article} {kind}");
    Diagnostic::error(codes::WRONG_MODEL_KIND, message)
        .note("values are computed for DTMC, CTMC, MDP and LTS")
        .help("export its states and transitions for another tool: volvelle explore MODEL --export FILE")
}

fn negative_reward(rewards: &str, value: f64, state: &str) -> Diagnostic {
    let name = quoted(rewards);
    let message = format!("the reward structure{name} has negative values");
    Diagnostic::error(codes::NEGATIVE_REWARD, message)
        .note(format!("it is {value} {}", state))
        .help("bound the number of steps with C<=k, or discount what comes later: Cdiscount=0.99")
}

fn endless_loss(rewards: &str, state: &str) -> Diagnostic {
    let name = quoted(rewards);
    let message = format!("a scheduler can earn negative rewards{name} for ever: no scheduler is the best");
    Diagnostic::error(codes::NEGATIVE_REWARD, message)
        .note(format!("it is the better the longer such states are not left, {}", state))
        .help("bound the number of steps with C<=k, or let the model leave such states")
}

fn balanced_loss(rewards: &str, state: &str) -> Diagnostic {
    let name = quoted(rewards);
    let message = format!("gains and losses{name} that a scheduler can repeat balance, or nearly so");
    Diagnostic::error(codes::NEGATIVE_REWARD, message)
        .note(format!("rounding errors do not tell which of them are larger, {}", state))
        .help(EXACTLY)
}

fn endless_reward(rewards: &str) -> Diagnostic {
    let name = quoted(rewards);
    let message = format!("some scheduler has an infinite reward{name}");
    Diagnostic::error(codes::ENDLESS_REWARD, message)
        .help("let the model stop accumulating it, or bound the time with C<=k")
}

fn on_the_edge(distance: f64) -> Diagnostic {
    if distance == f64::INFINITY {
        let message = "the rounding errors of the model's probabilities or rewards have no useful bound";
        return Diagnostic::error(codes::NOT_CONVERGED, message).help(EXACTLY);
    }
    let message = "the bounds lie too close to the boundary of the achievable values";
    let distance = distance.max(0.0);
    Diagnostic::error(codes::NOT_CONVERGED, message)
        .note(format!("they are satisfied up to {distance:.1e} of the largest value of each objective"))
        .help(EXACTLY)
        .help("or move a bound a little, or request the optimal value of one objective with =?")
}

/// `1st`, `2nd`, `1,003rd`, `12th`
pub fn ordinal(n: u64) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{suffix}", count(n))
}
