//! Which statements of the text no run executes, out of what a search came across.
//!
//! A statement is dead if none of the ways in which it can happen was taken: its process never comes to it, or comes to it and finds that
//! it cannot be executed. A handshake is noted under the statement that offers. The one that takes counts as executed where
//! its process comes to the location behind it, by whatever way: a receive in a loop may be dead and go unsaid, but what is
//! said is true.

use crate::language::Covered;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_model::LocationId;
use volvelle_promela::Lowered;
use volvelle_promela::ast::{Model, Place, Unit};

/// Warnings about statements that no run executes, and how many are executed of how many.
pub(super) fn judge(
    model: &Model,
    lowered: &Lowered,
    covered: &Covered,
) -> (Vec<Diagnostic>, (usize, usize)) {
    let mut diagnostics = Vec::new();
    let is_visited = |location: LocationId| covered.visited[location.index()];
    let places = &model.places;
    let network = &lowered.program.network;
    // Of each statement: whether it was executed, and whether a process came to it.
    let mut statements: FxHashMap<Place, (bool, bool)> = FxHashMap::default();
    let mut number = 0;
    for (ty, info) in network.types.iter().zip(&lowered.processes) {
        let locations = ty.first.0..ty.first.0 + ty.count;
        let started = locations.clone().any(|l| is_visited(LocationId(l)));
        for l in locations {
            let location = &network.locations[l as usize];
            for transition in location.alternatives() {
                let taken = covered.taken[number];
                number += 1;
                // The end of a process is no statement; of processes that never start it is said once.
                if transition.target() == LocationId::NOWHERE || !started {
                    continue;
                }
                // A handshake has the number of its offer: a process behind a receive has received.
                let taken = if transition.takes() { is_visited(transition.target()) } else { taken };
                let place = lowered.origins[transition.origin.0 as usize];
                let entry = statements.entry(place).or_default();
                entry.0 |= taken;
                entry.1 |= is_visited(LocationId(l));
            }
        }
        if started {
            info.unreachable.iter().for_each(|&place| {
                statements.entry(place).or_default();
            });
        }
        if !started {
            let message = format!("no run starts a process `{}`", info.name);
            let place = model.units.iter().find_map(|unit| match unit {
                Unit::Proctype(p) if p.name.text == info.name => Some(p.name.place),
                _ => None,
            });
            let diagnostic = Diagnostic::warning(codes::DEAD_STATEMENT, message);
            diagnostics.push(match place {
                Some(place) => volvelle_promela::at(diagnostic, places, place, ""),
                None => diagnostic,
            });
        }
    }
    let executed = statements.values().filter(|(taken, _)| *taken).count();
    let executed = (executed, statements.len());
    let mut dead: Vec<(Place, bool)> =
        statements.into_iter().filter(|(_, (taken, _))| !taken).map(|(p, (_, come))| (p, come)).collect();
    dead.sort_unstable_by_key(|&(place, _)| {
        let span = places.span(place);
        (span.file.0, span.start, place.0)
    });
    for (place, come) in dead {
        let (message, note) = match come {
            true => (
                "this statement can never be executed",
                "a process reaches it, but its condition never holds",
            ),
            false => ("this statement is never reached", "no run reaches it"),
        };
        let diagnostic = Diagnostic::warning(codes::DEAD_STATEMENT, message).note(note);
        diagnostics.push(volvelle_promela::at(diagnostic, places, place, ""));
    }
    (diagnostics, executed)
}
