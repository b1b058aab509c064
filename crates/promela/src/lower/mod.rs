//! From the syntax tree to the program.
//!
//! Takes a [`Model`]; gives a [`Lowered`] model: a program whose network has the processes and channels of the model, the
//! claims to check it against, and tables to show states and steps in the words of the text. Follows the manual pages of SPIN
//! 6.5 (Holzmann, *The SPIN Model Checker*, 2003), and what counts as one step follows SPIN's verifier.
//!
//! Limits of SPIN that are not here: 255 processes, channels, messages in a channel; the size of the state.
//!
//! The passes, in order: declarations ([`declare`]) make the *environment*, which is only read from then on; control flow
//! ([`flow`], [`locations`]) numbers the places where processes can stay; code ([`network`] on top of [`transitions`],
//! [`statements`] and [`expression`]) adds to the program in a *builder*, one statement at a time ([`code`]), with a context
//! that is passed down; claims come last. Calls run one way, from this file down to the symbols.

mod builder;
mod channels;
mod claims;
mod code;
mod communication;
mod constant;
mod declare;
mod declare_types;
mod environment;
mod exclusive;
mod expression;
mod facts;
mod flow;
mod hidden_variables;
mod input;
mod instances;
mod locations;
mod lowered;
mod messages;
mod network;
mod observed;
mod path;
mod predicates;
mod print_statements;
mod printing;
mod priority;
mod processes;
mod purpose;
mod reports;
mod runs;
mod statement_numbers;
mod statements;
mod symbols;
mod trace;
mod trace_automaton;
mod trace_step;
mod transitions;
mod truncation;
mod types;
mod values;
mod variables;

use purpose::Purpose;

pub use claims::{Claim, ClaimState, ClaimStep, Formula, Named};
pub use input::{Input, reads_input};
pub use lowered::Lowered;
pub use observed::Observed;
pub use printing::{Print, Printing};
pub use symbols::{ChannelType, ChannelTypeId, ProcessId, ProcessInfo, VarId};
pub use trace::TraceViolation;
pub use types::{Mtypes, Scalar};

use crate::ast::{Model, Place};
use crate::place::at;
use builder::Builder;
use statement_numbers::StatementNumbers;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::FailKind;
use volvelle_model::SiteSubject;

/// Lowers a model. Without a program at least one of the diagnostics is an error.
pub fn lower(model: &Model) -> (Option<Lowered>, Vec<Diagnostic>) {
    lower_observing(model, &[])
}

/// The same, where the values of some expressions are wanted ([`Lowered::observed`]).
pub fn lower_observing(model: &Model, observed: &[Observed]) -> (Option<Lowered>, Vec<Diagnostic>) {
    lower_for(model, Purpose::Analysis { input: None }, observed)
}

/// The same for a model that reads these characters from the standard input. Steps have the same numbers and order.
pub fn lower_with_input(model: &Model, input: &[u8]) -> (Option<Lowered>, Vec<Diagnostic>) {
    lower_for(model, Purpose::Analysis { input: Some(input) }, &[])
}

/// The same for a simulation: steps note what they print ([`Printing`]), and read the standard input ([`Input`]). Steps have
/// the same numbers and order, and states the same fields, whatever is observed.
pub fn lower_printing(model: &Model, observed: &[Observed]) -> (Option<Lowered>, Vec<Diagnostic>) {
    lower_for(model, Purpose::Simulation, observed)
}

/// Maximum depth of an expression. Chains such as `a + b + c` are as deep as they are long.
const DEPTH_LIMIT: u32 = 2000;

/// The first expression that is too deep for the passes from here on, which recurse.
fn too_deep(model: &Model) -> Option<Diagnostic> {
    let expr = model.exprs.0.values().find(|expr| expr.depth > DEPTH_LIMIT)?;
    let message = format!("this expression has more than {DEPTH_LIMIT} nested operators");
    let diagnostic = Diagnostic::error(codes::NESTING_TOO_DEEP, message)
        .help("store parts of it in variables, or group its terms in brackets: (a + b) + (c + d)");
    Some(at(diagnostic, &model.places, expr.place, ""))
}

fn lower_for(
    model: &Model,
    purpose: Purpose<'_>,
    observed: &[Observed],
) -> (Option<Lowered>, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_deep(model) {
        return (None, vec![diagnostic]);
    }
    let mut out = Builder::new(&model.places);
    out.doubts_counters = !observed.is_empty();
    let mut env = declare::declare(model, purpose, &mut out);
    network::pools(&env, &mut out);
    let flows = locations::process_flows(&mut env, &mut out);
    let end_site = out.site(FailKind::Assertion, SiteSubject::Assertion, Place(0));
    out.program.network.end_site = Some(end_site);
    env.trace = trace_automaton::trace_automaton(&env, &mut out);
    let numbers = StatementNumbers::of(&env, &flows);
    network::process_types(&env, &mut out, &flows, &numbers);
    let input = env.fields.input.filter(|_| env.input.is_none()).map(|field| Input::of(&out.program, field));
    out.program.network.has_remote_reads = out.reads_remotely;
    network::initialisation(&env, &mut out, &flows);
    out.program.groups = out.program.network.groups();
    exclusive::check(&env, &mut out.reports);
    let claims = claims::claims(&env, &mut out);
    let observed = observed::observed(&env, &mut out, observed);
    hidden_variables::drop_hidden(&env, &mut out.program);
    if out.reports.has_errors() {
        return (None, out.reports.finish());
    }
    let printing = env.fields.print.map(|fields| Printing {
        length: Some(fields.length),
        log: Some(fields.log),
        prints: out.prints,
    });
    let lowered = Lowered {
        program: out.program,
        processes: env.processes.into_values(),
        claims,
        observed,
        field_types: out.field_types,
        lengths: out.lengths,
        mtypes: env.mtypes,
        origins: out.origins,
        statement_numbers: out.statement_numbers,
        statement_count: numbers.count(),
        channels: env.channel_types.into_values(),
        constant_channels: env.constant_channels,
        printing,
        trace_sites: out.trace_sites,
        input,
        truncation_sites: out.truncation_sites,
        endless_sites: out.endless_sites,
    };
    (Some(lowered), out.reports.finish())
}
