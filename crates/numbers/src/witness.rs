//! Schedulers and witnesses of properties, with the names of states and actions.
//!
//! In: what `volvelle_markov::witness` finds, as numbers of states and choices. Out: [`Evidence`] for screens and JSON. The text
//! of schedulers is made by [`strategy_text`].

use crate::commands::Commands;
use crate::strategy_text::{self, action};
use std::sync::Arc;
use volvelle_explore::Explored;
use volvelle_logic::Property;
use volvelle_markov::{Induced, Path, Witness};
use volvelle_session::Model;
use volvelle_session::evidence::{Evidence, Evidences, PathReport, StepReport, SubsystemReport};

/// Puts names to what the engine found.
pub fn evidence(
    model: &Model,
    explored: &Explored,
    property: &Property,
    found: Witness,
    chain: Option<&Induced>,
    wanted: Evidences,
    is_false: bool,
) -> Evidence {
    let space = &explored.space;
    let values_of = |state: u32| explored.layout.unpack(explored.states.get(state as usize));
    let text = |state: u32| {
        model.document.as_ref().map_or(String::new(), |document| document.state_text(&values_of(state)))
    };
    let mut commands = match (model.program(), model.document.as_deref()) {
        (Some(program), Some(document)) => Some(Commands::new(program, explored, document, &model.sources)),
        _ => None,
    };
    let mut report = |path: Path| {
        let steps = path.steps.iter().map(|step| {
            let choice = step.choice.filter(|_| space.choices.is_some());
            let named = commands.as_mut().zip(choice);
            let (of_choice, same) = named.map_or((Arc::default(), 1), |(commands, choice)| {
                (commands.of(step.state, choice), commands.with_same_action(step.state, choice))
            });
            StepReport {
                number: step.state,
                state: text(step.state),
                values: values_of(step.state),
                action: step.choice.and_then(|c| action(explored, c)).map(str::to_owned),
                choice: choice.map(|c| c - space.choices_of(step.state as usize).start as u32),
                commands: of_choice,
                is_ambiguous: same > 1,
                probability: step.choice.map(|_| step.probability),
            }
        });
        PathReport {
            steps: steps.collect(),
            probability: path.probability,
            log10: path.log10,
            negated: found.negated,
        }
    };
    let path = found.path.map(&mut report);
    let further = found.further.into_iter().map(&mut report).collect();
    let subsystem = found.subsystem.map(|part| SubsystemReport {
        states: part.states.iter().map(|&s| (s, text(s))).collect(),
        of: space.num_states() as u64,
        bounds: part.bounds,
        threshold: part.threshold,
    });
    let scheduler = match (&found.strategy, commands) {
        (Some(found), Some(mut commands)) => {
            Some(strategy_text::report(explored, property, found, chain, wanted, &mut commands, text))
        }
        _ => None,
    };
    let against = is_false && subsystem.is_some();
    Evidence { path, further, subsystem, scheduler, against }
}
