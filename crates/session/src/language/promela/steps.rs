//! Steps between states in the terms of the text: who moved, which statement, what changed.

use super::formatter::Formatter;
use crate::language::{Global, GlobalPlace, ProcessStep, ShowSteps};
use crate::trace::{Actor, Change, Message, Moved, Standing, TraceStep, VariableValue};
use volvelle_model::{Alternative, FieldId, LocationId, Offer, Origin, PoolId};
use volvelle_promela::{Lowered, Scalar};

/// Shows steps of processes.
pub(super) struct StepPrinter<'a> {
    formatter: Formatter<'a>,
    transitions: Vec<&'a Alternative>,
}

impl<'a> StepPrinter<'a> {
    pub fn new(formatter: Formatter<'a>) -> Self {
        StepPrinter { formatter, transitions: formatter.lowered.program.network.alternatives().collect() }
    }

    /// The number of the channel of an offer, and the values that it gives.
    fn offered(&self, before: &[u64], slot: usize, giving: &Alternative) -> Option<(i64, Vec<i64>)> {
        let offer = giving.offer.as_ref().filter(|offer| offer.gives())?;
        let here = self.formatter.evaluation(before, slot, &[]);
        let values: Option<Vec<i64>> = offer.given().map(|v| here.number(v)).collect();
        here.number(offer.at?).zip(values)
    }

    fn actor(&self, before: &[u64], slot: usize, transition: &Alternative) -> Actor {
        let mut at = self.formatter.of_origin(transition.origin);
        if transition.target() == LocationId::NOWHERE {
            at.text = "-end-".to_owned();
        }
        Actor { process: slot, name: self.formatter.process_name(before, slot), at }
    }

    /// The process that took an offer. Where several could have, the one that moved or that something changed in.
    fn partner(
        &self,
        before: &[u64],
        after: &[u64],
        slot: usize,
        number: i64,
        offered: &[i64],
    ) -> Option<(usize, &'a Alternative)> {
        let network = &self.formatter.lowered.program.network;
        let takes = |other: usize| {
            let (from, to) = (self.formatter.location(before, other), self.formatter.location(after, other));
            let here = self.formatter.evaluation(before, other, offered);
            let mut all = network.locations[from.index()].alternatives();
            all.find(|t| match &t.offer {
                Some(Offer { at: Some(at), items, .. }) if t.takes() => {
                    t.target() == to
                        && items.len() == offered.len()
                        && here.number(*at) == Some(number)
                        && here.holds(t.guard) == Some(true)
                }
                _ => false,
            })
        };
        let found =
            (0..self.formatter.live(before, 0)).filter(|&o| o != slot).filter_map(|o| Some((o, takes(o)?)));
        found.max_by_key(|&(other, _)| {
            let moved = self.formatter.location(before, other) != self.formatter.location(after, other);
            // The first of those that are alike.
            (moved || self.is_changed(before, after, other), std::cmp::Reverse(other))
        })
    }

    /// Whether something of a process changed.
    fn is_changed(&self, before: &[u64], after: &[u64], slot: usize) -> bool {
        let layout = self.formatter.layout;
        (self.formatter.lowered.program.fields.iter().enumerate()).any(|(i, field)| {
            let id = FieldId(i as u32);
            field.component.is_some()
                && layout.place(id).pool == Some(PoolId(0))
                && self.formatter.is_field_of(before, id, slot)
                && (0..field.length as usize)
                    .any(|e| layout.get(before, id, slot, e) != layout.get(after, id, slot, e))
        })
    }

    /// Differences between two states, variable by variable.
    fn variables(&self, before: &[u64], after: &[u64]) -> Vec<Change> {
        let formatter = &self.formatter;
        let mut out = Vec::new();
        for (i, field) in formatter.lowered.program.fields.iter().enumerate() {
            let id = FieldId(i as u32);
            let Some(ty) = formatter.lowered.field_types[i] else { continue };
            match formatter.layout.place(id).pool {
                None => self.elements((id, ty), 0, [before, after], || field.name.clone(), &mut out),
                Some(PoolId(0)) => {
                    for slot in 0..formatter.live(before, 0).min(formatter.live(after, 0)) {
                        if formatter.is_field_of(before, id, slot) && formatter.is_field_of(after, id, slot) {
                            let name =
                                || format!("{}({slot}):{}", formatter.process_name(before, slot), field.name);
                            self.elements((id, ty), slot, [before, after], name, &mut out);
                        }
                    }
                }
                Some(_) => {}
            }
        }
        out
    }

    /// Differences between the elements of a field, which is called `name`.
    fn elements(
        &self,
        (field, ty): (FieldId, Scalar),
        slot: usize,
        [before, after]: [&[u64]; 2],
        name: impl Fn() -> String,
        out: &mut Vec<Change>,
    ) {
        let length = self.formatter.lowered.program.fields[field.index()].length as usize;
        for element in 0..length {
            let value = |state: &[u64]| self.formatter.layout.get(state, field, slot, element);
            let (old, new) = (value(before), value(after));
            if old != new {
                out.push(Change {
                    name: self.formatter.lowered.element_name(field, &name(), element),
                    before: self.formatter.value(ty, old),
                    after: self.formatter.value(ty, new),
                });
            }
        }
    }

    /// Differences between the contents of channels; gives the message that moved, where it was one.
    fn channels(&self, before: &[u64], after: &[u64], out: &mut Vec<Change>) -> Option<Message> {
        let formatter = &self.formatter;
        let mut found = Vec::new();
        for slot in 0..formatter.live(before, 1).min(formatter.live(after, 1)) {
            if formatter.has_same_messages(before, after, slot) {
                continue;
            }
            let (Some(old), Some(new)) = (formatter.messages(before, slot), formatter.messages(after, slot))
            else {
                continue;
            };
            let types = formatter.message_types(before, slot);
            let name = formatter.channel_name(after, slot as i64 + 1);
            let (before, after) = (formatter.contents(types, &old), formatter.contents(types, &new));
            out.push(Change {
                name: name.clone(),
                before: VariableValue::Text(before),
                after: VariableValue::Text(after),
            });
            let (longer, shorter) = if new.len() > old.len() { (&new, &old) } else { (&old, &new) };
            if longer.len() == shorter.len() + 1 {
                let at = longer.iter().zip(shorter).position(|(a, b)| a != b).unwrap_or(shorter.len());
                let moved = if new.len() > old.len() { Moved::Sent } else { Moved::Received };
                found.push(Message { moved, channel: name, values: formatter.message(types, &longer[at]) });
            } else {
                found.clear();
                break;
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }
}

impl ShowSteps for StepPrinter<'_> {
    fn step(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> Option<TraceStep> {
        let slot = step.slot;
        let transition = *self.transitions.get(step.transition as usize)?;
        let actor = Some(self.actor(before, slot, transition));
        let (mut partner, mut message) = (None, None);
        if let Some((number, values)) = self.offered(before, slot, transition) {
            let found = self.partner(before, after, slot, number, &values);
            partner = found.map(|(other, receive)| self.actor(before, other, receive));
            let types = self.formatter.message_types(before, (number - 1).max(0) as usize);
            message = Some(Message {
                moved: Moved::Exchanged,
                channel: self.formatter.channel_name(before, number),
                values: self.formatter.message(types, &values),
            });
        }
        let mut changes = self.variables(before, after);
        let moved = self.channels(before, after, &mut changes);
        let message = message.or(moved);
        // A long run is kept as a whole.
        changes.shrink_to_fit();
        let (printed, atomic) = (String::new(), step.is_atomic);
        Some(TraceStep { actor, partner, message, changes, printed, atomic })
    }

    fn is_statement(&self, step: ProcessStep) -> bool {
        (step.transition as usize) < self.transitions.len()
    }

    fn label(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> String {
        let slot = step.slot;
        let Some(transition) = self.transitions.get(step.transition as usize) else {
            return "tau".to_owned();
        };
        let actor = self.actor(before, slot, transition);
        let partner = self.offered(before, slot, transition);
        let partner = partner.and_then(|(n, values)| self.partner(before, after, slot, n, &values));
        match partner.map(|(other, receive)| self.actor(before, other, receive)) {
            None => format!("{}({slot}): {}", actor.name, actor.at.text),
            Some(other) => format!(
                "{}({slot}) > {}({}): {} {}",
                actor.name, other.name, other.process, actor.at.text, other.at.text
            ),
        }
    }

    fn movers(&self, step: ProcessStep, before: &[u64], after: &[u64]) -> Vec<(usize, Origin)> {
        let Some(transition) = self.transitions.get(step.transition as usize) else { return Vec::new() };
        let partner = self.offered(before, step.slot, transition);
        let partner = partner.and_then(|(n, values)| self.partner(before, after, step.slot, n, &values));
        let partner = partner.map(|(other, receive)| (other, receive.origin));
        [(step.slot, transition.origin)].into_iter().chain(partner).collect()
    }

    fn places(&self, state: &[u64], into: &mut Vec<u32>) {
        into.clear();
        // A location belongs to one type of processes.
        into.extend((0..self.formatter.live(state, 0)).map(|slot| self.formatter.location(state, slot).0));
    }

    fn standings(&self, state: &[u64]) -> Vec<Standing> {
        (0..self.formatter.live(state, 0))
            .map(|process| {
                let location = self.formatter.location(state, process);
                let info = &self.formatter.lowered.program.network.locations[location.index()];
                Standing {
                    process,
                    name: self.formatter.process_name(state, process),
                    at: info.origin.map(|origin| self.formatter.of_origin(origin)),
                    is_end: info.is_end,
                }
            })
            .collect()
    }

    fn globals(&self) -> Vec<Global<'_>> {
        let (lowered, layout) = (self.formatter.lowered, self.formatter.layout);
        let global = |place: GlobalPlace| Global {
            bounds: lowered.program.fields[place.field.index()].domain.bounds(),
            value: Box::new(move |state| layout.get(state, place.field, 0, place.element)),
            name: place.name,
        };
        global_places(lowered).into_iter().map(global).collect()
    }

    fn values(&self, state: &[u64]) -> Vec<(String, VariableValue)> {
        let formatter = &self.formatter;
        let mut out = Vec::new();
        for (i, field) in formatter.lowered.program.fields.iter().enumerate() {
            let id = FieldId(i as u32);
            let Some(ty) = formatter.lowered.field_types[i] else { continue };
            let mut add = |slot: usize, name: &str| {
                for element in 0..field.length as usize {
                    let value = formatter.layout.get(state, id, slot, element);
                    let name = formatter.lowered.element_name(id, name, element);
                    out.push((name, formatter.value(ty, value)));
                }
            };
            match formatter.layout.place(id).pool {
                // Channels that are the same for ever are shown by their contents.
                None if ty == Scalar::Chan => {}
                None => add(0, &field.name),
                Some(PoolId(0)) => {
                    let slots = 0..formatter.live(state, 0);
                    for slot in slots.filter(|&slot| formatter.is_field_of(state, id, slot)) {
                        add(slot, &format!("{}({slot}):{}", formatter.process_name(state, slot), field.name));
                    }
                }
                Some(_) => {}
            }
        }
        let channels = (0..formatter.live(state, 1)).filter_map(|slot| {
            let contents =
                formatter.contents(formatter.message_types(state, slot), &formatter.messages(state, slot)?);
            Some((formatter.channel_name(state, slot as i64 + 1), VariableValue::Text(contents)))
        });
        out.extend(channels);
        out
    }
}

/// The global variables of a model, element by element, but for channels: their numbers mean nothing to people.
pub(super) fn global_places(lowered: &Lowered) -> Vec<GlobalPlace> {
    let mut places = Vec::new();
    for (i, field) in lowered.program.fields.iter().enumerate() {
        let is_shown = lowered.field_types[i].is_some_and(|ty| ty != Scalar::Chan);
        if field.component.is_some() || !is_shown {
            continue;
        }
        let id = FieldId(i as u32);
        places.extend((0..field.length as usize).map(|element| GlobalPlace {
            name: lowered.element_name(id, &field.name, element),
            field: id,
            element,
            is_dropped: field.domain.bounds().1 == 0,
        }));
    }
    places
}
