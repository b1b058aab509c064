//! States in the terms of the text: where processes are, what variables and channels hold.

use super::evaluate::Evaluation;
use crate::trace::{VariableValue, Written};
use volvelle_diagnostics::Sources;
use volvelle_lts::{live, position};
use volvelle_model::{FieldId, LocationId, NetworkLayout, PoolId};
use volvelle_promela::ast::{Place, Places};
use volvelle_promela::{Lowered, Scalar};

/// Longest text of a statement that is shown.
const STATEMENT_LENGTH: usize = 60;

/// Messages of a channel that are shown.
const MESSAGES_SHOWN: usize = 16;

/// Formats packed states of a lowered model.
#[derive(Clone, Copy)]
pub(super) struct Formatter<'a> {
    pub sources: &'a Sources,
    pub places: &'a Places,
    pub lowered: &'a Lowered,
    pub layout: &'a NetworkLayout,
}

impl<'a> Formatter<'a> {
    /// The source text at a place.
    pub fn written(&self, place: Place) -> Written {
        let (places, sources) = (self.places, self.sources);
        let span = places.span(place);
        let mut text = String::new();
        for word in sources.text(span).split_whitespace() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
            if text.len() > 4 * STATEMENT_LENGTH {
                break;
            }
        }
        if text.chars().count() > STATEMENT_LENGTH {
            text = text.chars().take(STATEMENT_LENGTH - 3).collect::<String>() + "...";
        }
        let call = |call: Place| {
            let span = places.span(call);
            let text = sources.text(span).trim_start();
            let name = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            (name, sources.line_column(span).line)
        };
        Written {
            line: sources.line_column(span).line,
            text,
            through: places.calls(place).map(call).collect(),
            places: std::iter::once(span).chain(places.calls(place).map(|call| places.span(call))).collect(),
        }
    }

    /// The source text that a part of the program comes from.
    pub fn of_origin(&self, origin: volvelle_model::Origin) -> Written {
        self.written(self.lowered.origins[origin.0 as usize])
    }

    pub fn location(&self, state: &[u64], slot: usize) -> LocationId {
        position(&self.lowered.program, self.layout, state, slot)
    }

    pub fn type_at(&self, state: &[u64], slot: usize) -> Option<usize> {
        self.lowered.program.network.type_of(self.location(state, slot))
    }

    pub fn process_name(&self, state: &[u64], slot: usize) -> String {
        self.type_at(state, slot).map_or("?".into(), |ty| self.lowered.processes[ty].name.clone())
    }

    /// Slots of a pool that are in use.
    pub fn live(&self, state: &[u64], pool: usize) -> usize {
        live(&self.lowered.program, self.layout, state, pool)
    }

    /// For evaluating expressions of a process.
    pub fn evaluation<'s>(&'s self, state: &'s [u64], slot: usize, offered: &'s [i64]) -> Evaluation<'s> {
        let program = &self.lowered.program;
        Evaluation { program, layout: self.layout, state, slot, offered }
    }

    /// The value of a variable, or of a part of a message.
    pub fn value(&self, ty: Scalar, value: i64) -> VariableValue {
        let name = match ty {
            Scalar::Chan => self.constant_channel(value),
            _ => self.lowered.value_name(ty, value).map(str::to_owned),
        };
        name.map_or(VariableValue::Int(value), VariableValue::Text)
    }

    /// The name of the variable that is this channel for ever.
    fn constant_channel(&self, number: i64) -> Option<String> {
        let fields = &self.lowered.program.fields;
        self.lowered.constant_channels.iter().find_map(|(field, &first)| {
            let known = &fields[field.index()];
            let offset = number - first;
            if !(0..i64::from(known.length)).contains(&offset) {
                return None;
            }
            Some(self.lowered.element_name(*field, &known.name, offset as usize))
        })
    }

    /// The name of a channel: of a variable that holds its number.
    pub fn channel_name(&self, state: &[u64], number: i64) -> String {
        if let Some(name) = self.constant_channel(number) {
            return name;
        }
        let program = &self.lowered.program;
        for (i, field) in program.fields.iter().enumerate() {
            let id = FieldId(i as u32);
            if self.lowered.field_types[i] != Some(Scalar::Chan)
                || self.lowered.constant_channels.contains_key(&id)
            {
                continue;
            }
            let slots = match self.layout.place(id).pool {
                None => 1,
                Some(PoolId(0)) => self.live(state, 0),
                Some(_) => 0,
            };
            for slot in (0..slots).filter(|&slot| self.is_field_of(state, id, slot)) {
                for element in 0..field.length as usize {
                    if self.layout.get(state, id, slot, element) == number {
                        let owner = match field.component {
                            Some(_) => format!("{}({slot}):", self.process_name(state, slot)),
                            None => String::new(),
                        };
                        let name = self.lowered.element_name(id, &field.name, element);
                        return format!("{owner}{name}");
                    }
                }
            }
        }
        format!("channel {number}")
    }

    /// Whether the process in a slot has a field; a global field is everyone's.
    pub fn is_field_of(&self, state: &[u64], field: FieldId, slot: usize) -> bool {
        let program = &self.lowered.program;
        let component = program.fields[field.index()].component;
        let is_everyones = program.network.priority == Some(field) && self.layout.has(field, slot);
        is_everyones
            || component.is_none()
            || self.layout.has(field, slot)
                && self.type_at(state, slot).map(|t| program.network.types[t].component) == component
    }

    /// The type of the channel in a slot.
    fn channel_type(&self, state: &[u64], slot: usize) -> Option<&'a volvelle_promela::ChannelType> {
        let program = &self.lowered.program;
        let header = program.network.pools.get(1)?.header;
        let kind = FieldId(program.fields.iter().position(|f| f.component == Some(header))? as u32);
        // Where all channels are alike, a slot does not say what it holds.
        let kind = if self.layout.has(kind, slot) { self.layout.get(state, kind, slot, 0) } else { 0 };
        self.lowered.channels.get(usize::try_from(kind).ok()?)
    }

    /// The messages that a channel (by slot) holds. `None` for a meeting point.
    pub fn messages(&self, state: &[u64], slot: usize) -> Option<Vec<Vec<i64>>> {
        let info = self.channel_type(state, slot)?;
        let length = info.length.filter(|&f| self.layout.has(f, slot))?;
        let length = self.layout.get(state, length, slot, 0) as usize;
        let message = |i| info.messages.iter().map(|&f| self.layout.get(state, f, slot, i)).collect();
        Some((0..length).map(message).collect())
    }

    /// Whether a channel (by slot) holds the same messages in two states.
    pub fn has_same_messages(&self, one: &[u64], other: &[u64], slot: usize) -> bool {
        let (Some(info), Some(other_info)) = (self.channel_type(one, slot), self.channel_type(other, slot))
        else {
            return false;
        };
        let Some(length) = info.length.filter(|&f| self.layout.has(f, slot)) else { return true };
        let messages = self.layout.get(one, length, slot, 0);
        let same = |field, i| self.layout.get(one, field, slot, i) == self.layout.get(other, field, slot, i);
        std::ptr::eq(info, other_info)
            && messages == self.layout.get(other, length, slot, 0)
            && (0..messages as usize).all(|i| info.messages.iter().all(|&field| same(field, i)))
    }

    /// The types of the parts of a channel's messages.
    pub fn message_types(&self, state: &[u64], slot: usize) -> &'a [Scalar] {
        self.channel_type(state, slot).map_or(&[], |info| &info.fields)
    }

    /// The parts of a message.
    pub fn message(&self, types: &[Scalar], message: &[i64]) -> Vec<VariableValue> {
        message.iter().zip(types).map(|(&value, &ty)| self.value(ty, value)).collect()
    }

    /// `[1,2]`, `[(ack,0),(data,1)]`
    pub fn contents(&self, types: &[Scalar], messages: &[Vec<i64>]) -> String {
        let one = |m: &Vec<i64>| {
            let parts: Vec<String> = self.message(types, m).iter().map(|part| part.to_string()).collect();
            let parts = parts.join(",");
            if m.len() == 1 { parts } else { format!("({parts})") }
        };
        let mut shown: Vec<String> = messages.iter().take(MESSAGES_SHOWN).map(one).collect();
        if messages.len() > MESSAGES_SHOWN {
            shown.push(format!("... {} in all", messages.len()));
        }
        format!("[{}]", shown.join(","))
    }
}
