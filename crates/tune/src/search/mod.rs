//! Searches for the least cost with which a program of processes reaches a goal, for every value of some parameters that are
//! chosen nondeterministically.
//!
//! In: a program ([`Prepared`]), a [`Question`] over its states, and optionally configurations that are
//! decided already ([`Decided`](crate::Decided)). Out: a [`Tuning`](crate::Tuning) with the table of configurations, and a proof that the
//! best ones are best if the method gives one. [`Method::BranchAndBound`] explores configurations by time
//! slices up to the best time known; [`Method::Bisection`] lowers the bound of an over-time property;
//! [`Method::Swarm`] makes random searches within limits.

mod bisection;
mod branch_and_bound;
mod clock;
mod configurations;
mod depth_first;
mod dive;
mod expression;
mod prepared;
mod question;
mod random;
mod remaining;
mod rows;
mod shared;
mod slices;
mod sorting;
pub mod states;
mod subject;
mod swarm;
mod unfolding;
mod workers;
mod writers;

pub use shared::{Decrease, Known, Method, Options, REDUCE_AFTER, Searched};
use shared::{Halt, Shared};

pub use prepared::Prepared;
use prepared::Relative;
pub use question::Question;
pub use writers::Writers;

use configurations::configurations;
use rows::Found;
use std::borrow::Cow;
use subject::{Alike, Subject};
use unfolding::{Unfolder, decrease};
use volvelle_control::Control;
use volvelle_explore::{Lookahead, Processes, ProcessesError};
use volvelle_kernel::Compiler;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::visible_transitions::ObservedPropositions;
use volvelle_model::{FieldId, Program, SiteSubject};
use volvelle_search::Outcome;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// A step decreases the cost.
    Decrease(Box<Decrease>),
    /// An expression cannot be evaluated in some state: the goal, the cost, or a parameter.
    Undefined(Cow<'static, str>),
}

/// The index of a parameter that no process writes, if there is one.
pub fn unwritten(program: &Program, question: &Question) -> Option<usize> {
    let is_written = |field: Option<FieldId>| field.is_some_and(|field| Writers::is_written(program, field));
    question.parameters.iter().position(|&p| !is_written(Question::field(program, p)))
}

/// How expressions of the model are evaluated.
#[derive(Clone, Copy)]
pub struct Evaluator<'c> {
    /// Makes the code.
    pub compiler: &'c dyn Compiler,
    /// Number of states that are interpreted before code is compiled.
    pub patience: u64,
}

/// Answers a question about a program by a search. Also returns the system, which determines the layout of
/// packed states.
///
/// # Errors
/// The system cannot be built, or its layout cannot grow as far as the search needs.
pub fn search<'p>(
    prepared: &'p Prepared,
    evaluator: Evaluator<'p>,
    question: &Question,
    options: &Options,
    known: &Known,
    control: &Control<'_>,
) -> Result<(Processes<'p>, Result<Searched, Refusal>), ProcessesError> {
    let overflow = |found: &Result<Searched, Halt>| match found {
        Err(Halt::LayoutOverflow(code)) => Outcome::LayoutOverflow { code: *code },
        _ => Outcome::Complete,
    };
    let watched =
        || ObservedPropositions { values: vec![question.goal, question.cost], ..Default::default() };
    let system = |program: &'p Program| {
        let system =
            Processes::new(program, NetworkOptions::default(), evaluator.compiler, evaluator.patience)?;
        Ok(if options.no_reduction { system } else { system.reduced_by(watched(), Lookahead::ByState) })
    };
    let once = |system: &Processes<'_>, program, alike| {
        once(system, program, alike, question, options, known, control)
    };
    let exchange = prepared.exchange.as_ref();
    if let Some(Relative { program, clock, statics }) = &prepared.relative {
        let alike = Alike { exchange, clock: Some(clock), statics: statics.as_ref() };
        let (system, found) = system(program)?.searched(|system| once(system, program, alike), overflow)?;
        let has_margin = match &found {
            Ok(found) => !found.failures.iter().any(|&failure| is_cut_short(program, failure)),
            Err(halt) => *halt != Halt::NoMargin,
        };
        if has_margin {
            let found = found.map_err(|halt| refusal(halt, &system, program, question, control));
            return Ok((system, found));
        }
    }
    let program = &prepared.program;
    let alike = Alike { exchange, ..Alike::default() };
    let (mut system, mut found) =
        system(program)?.searched(|system| once(system, program, alike), overflow)?;
    let leaves_out = system.is_reduced() || exchange.is_some();
    if leaves_out
        && found.as_ref().is_ok_and(|found| found.failures.iter().any(|&site| is_cut_short(program, site)))
    {
        let search = |system: &Processes<'_>| once(system, program, Alike::default());
        (system, found) = system.unreduced().searched(search, overflow)?;
    }
    let found = found.map_err(|halt| refusal(halt, &system, program, question, control));
    Ok((system, found))
}

/// Whether a failure at this site cuts a step short. Then successors are missing, and which ones depends on
/// the order of steps. Failed assertions cut nothing short.
fn is_cut_short(program: &Program, site: u32) -> bool {
    program.sites[site as usize].subject != SiteSubject::Assertion
}

/// Explains why there is no answer.
fn refusal(
    halt: Halt,
    system: &Processes<'_>,
    program: &Program,
    question: &Question,
    control: &Control<'_>,
) -> Refusal {
    match halt {
        Halt::Decrease(decrease) => {
            Refusal::Decrease(as_it_was(system, program, question, control, decrease))
        }
        Halt::Undefined(what) => Refusal::Undefined(what),
        Halt::Stopped(_) | Halt::LayoutOverflow(_) | Halt::NoMargin | Halt::Elsewhere => {
            unreachable!("stops are part of the answer, systems grow, and margins matter to clocks only")
        }
    }
}

/// The decreasing step with its actual target: the search may have replaced it by a state that stands for it.
fn as_it_was(
    system: &Processes<'_>,
    program: &Program,
    question: &Question,
    control: &Control<'_>,
    decrease: Box<Decrease>,
) -> Box<Decrease> {
    let Ok(subject) = Subject::new(system, program, Alike::default(), question) else { return decrease };
    let Ok(cost) = subject.cost(&decrease.before) else { return decrease };
    let shared = Shared::new(control, u64::MAX);
    let mut unfolder = Unfolder::new(&subject, &shared);
    let mut found = None;
    let expanded = unfolder.expand(&decrease.before, |target| {
        if found.is_none() && target.step == decrease.step && subject.cost(target.state)? < cost {
            found = Some(target.state.to_vec());
        }
        Ok(())
    });
    match (expanded, found) {
        (Ok(()), Some(after)) => Box::new(Decrease { after, ..*decrease }),
        _ => decrease,
    }
}

fn once(
    system: &Processes<'_>,
    program: &Program,
    alike: Alike<'_>,
    question: &Question,
    options: &Options,
    known: &Known,
    control: &Control<'_>,
) -> Result<Searched, Halt> {
    let subject = Subject::new(system, program, alike, question)?;
    let shared = Shared::new(control, options.reduce_after);
    let fields = question.parameters.iter().filter_map(|&p| Question::field(program, p));
    let writers = Writers::new(program, &fields.collect::<Vec<_>>());
    let mut unfolder = Unfolder::new(&subject, &shared);
    let settled = configurations(&mut unfolder, &writers);
    let failures = std::mem::take(&mut unfolder.failures);
    drop(unfolder);
    let mut found = Found { failures, ..Found::default() };
    match settled {
        Err(Halt::Stopped(stop)) => found.stop = Some(stop),
        Err(halt) => return Err(halt),
        Ok((configurations, dead_ends)) => {
            found.unsettled_ends = dead_ends > 0;
            found.all_known = true;
            match options.method {
                Method::BranchAndBound => {
                    branch_and_bound::run(&subject, &shared, &configurations, options, known, &mut found)?;
                }
                Method::Bisection => bisection::run(&subject, &shared, &configurations, options, &mut found)?,
                Method::Swarm => swarm::run(&subject, &shared, &configurations, options, &mut found)?,
            }
        }
    }
    Ok(found.into_answer(options.method, &shared))
}
