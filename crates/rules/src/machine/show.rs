//! Values as texts.

use super::{Machine, NONE, Task, Trouble};
use crate::value::{DataId, EnvId, Value};
use volvelle_trees::{NodeId, Symbol};

/// The text of a node is cut to so many characters.
const LONGEST: usize = 40;

/// What is still to be written.
enum Part {
    Value(Value),
    Text(&'static str),
    Key(String),
}

/// Texts that are written without a function of the system are cut to so many bytes.
const MOST_BYTES: usize = 10_000;

impl Machine<'_> {
    /// The text of a value. Where a system shows its data itself, that is asked first.
    pub(super) fn text_of(&mut self, value: Value, above: usize) -> Result<Symbol, Trouble> {
        if let Value::Text(text) = value {
            return Ok(text);
        }
        let mut text = String::new();
        let mut parts = match value {
            Value::Env(env) => self.mappings(env),
            other => vec![Part::Value(other)],
        };
        while let Some(part) = parts.pop() {
            if text.len() > MOST_BYTES {
                text.push('…');
                break;
            }
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Key(key) => text.push_str(&key),
                Part::Value(Value::Data(data))
                    if self.heap.class_of(data) != self.system.universe.common.pair =>
                {
                    match self.shown.get(&data) {
                        Some(&shown) => text.push_str(self.heap.texts.text(shown)),
                        None => {
                            self.show(data, above)?;
                            parts.push(Part::Value(Value::Data(data)));
                        }
                    }
                }
                Part::Value(value) => self.write(value, &mut text, &mut parts),
            }
        }
        Ok(self.heap.texts.intern(&text))
    }

    /// Shows data: by the function of the system, which runs as a frame, or by its name and its parts, which are shown before.
    fn show(&mut self, data: DataId, above: usize) -> Result<(), Trouble> {
        let system = self.system;
        let mut waiting = vec![data];
        while let Some(&data) = waiting.last() {
            let class = self.heap.class_of(data);
            if let Some(show) = system.show {
                let function = &system.functions[show];
                if function.params.len() == 1
                    && let crate::dispatch::Choice::One(one) =
                        function.dispatch.choose(std::iter::once(class))
                {
                    let body = function.bodies[usize::from(one)];
                    if self.regs.len() <= above {
                        self.regs.resize(above + 1, Value::Null);
                    }
                    self.regs[above] = Value::Data(data);
                    self.push_frame(body, Task::Show(data), above, 1, above, EnvId::EMPTY, NONE, above + 1);
                    return Err(Trouble::Again);
                }
            }
            match self.unshown_part(data) {
                Some(part) => waiting.push(part),
                None => {
                    let text = self.default_text(data);
                    self.shown.insert(data, text);
                    waiting.pop();
                }
            }
        }
        Ok(())
    }

    /// Data within data that has no text yet.
    fn unshown_part(&self, data: DataId) -> Option<DataId> {
        let mut waiting: Vec<Value> = self.heap.fields_of(data).to_vec();
        while let Some(value) = waiting.pop() {
            match value {
                Value::Data(part) if self.heap.class_of(part) == self.system.universe.common.pair => {
                    waiting.extend_from_slice(self.heap.fields_of(part));
                }
                Value::Data(part) if !self.shown.contains_key(&part) => return Some(part),
                Value::List(list) => waiting.extend_from_slice(self.heap.items(list)),
                _ => {}
            }
        }
        None
    }

    /// `Name(field, field)`
    pub(super) fn default_text(&mut self, data: DataId) -> Symbol {
        let mut text = self.system.universe.classes.class(self.heap.class_of(data)).name.clone();
        let fields = self.heap.fields_of(data).to_vec();
        let mut parts: Vec<Part> = Vec::new();
        if !fields.is_empty() {
            text.push('(');
            parts.push(Part::Text(")"));
            for (at, &field) in fields.iter().enumerate().rev() {
                parts.push(Part::Value(field));
                if at > 0 {
                    parts.push(Part::Text(", "));
                }
            }
        }
        while let Some(part) = parts.pop() {
            if text.len() > MOST_BYTES {
                text.push('…');
                break;
            }
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Key(key) => text.push_str(&key),
                Part::Value(Value::Data(data))
                    if self.heap.class_of(data) != self.system.universe.common.pair =>
                {
                    match self.shown.get(&data) {
                        Some(&shown) => text.push_str(self.heap.texts.text(shown)),
                        None => text.push('…'),
                    }
                }
                Part::Value(value) => self.write(value, &mut text, &mut parts),
            }
        }
        self.heap.texts.intern(&text)
    }

    /// `[key <- value, …]`, by key; the newest mapping of each.
    fn mappings(&self, env: EnvId) -> Vec<Part> {
        let mut mappings: Vec<(String, Value)> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        let mut at = env;
        while at != EnvId::EMPTY {
            let (key, value, below) = self.heap.binding(at);
            at = below;
            if known.insert(key) {
                let mut name = String::new();
                match key {
                    Value::Data(data) => {
                        name.push_str(&self.system.universe.classes.class(self.heap.class_of(data)).name);
                    }
                    other => self.write(other, &mut name, &mut Vec::new()),
                }
                mappings.push((name, value));
            }
        }
        mappings.sort_by(|a, b| a.0.cmp(&b.0));
        let mut parts = vec![Part::Text("]")];
        for (at, (name, value)) in mappings.into_iter().enumerate().rev() {
            let before = if at > 0 { ", " } else { "" };
            parts.extend([Part::Value(value), Part::Key(format!("{before}{name} <- "))]);
        }
        parts.push(Part::Text("["));
        parts
    }

    fn write(&self, value: Value, text: &mut String, parts: &mut Vec<Part>) {
        match value {
            Value::Null => text.push_str("null"),
            Value::Truth(truth) => text.push_str(if truth { "true" } else { "false" }),
            Value::Number(_) | Value::Wide(_) => {
                text.push_str(&self.heap.as_number(value).unwrap_or(0).to_string());
            }
            Value::Text(symbol) => text.push_str(self.heap.texts.text(symbol)),
            Value::Node(node) => text.push_str(&self.node_text(node)),
            Value::Data(pair) => {
                let fields = self.heap.fields_of(pair);
                parts.extend([Part::Value(fields[1]), Part::Text("->"), Part::Value(fields[0])]);
            }
            Value::List(list) => {
                parts.push(Part::Text("]"));
                for (at, &item) in self.heap.items(list).iter().enumerate().rev() {
                    parts.push(Part::Value(item));
                    if at > 0 {
                        parts.push(Part::Text(", "));
                    }
                }
                text.push('[');
            }
            // Only one that stands alone is written out: those in others would be written again and again.
            Value::Env(EnvId::EMPTY) => text.push_str("[]"),
            Value::Env(_) => text.push_str("[…]"),
            Value::Failure(_) => text.push_str("failure"),
            Value::Map(_) => text.push_str("map"),
            Value::Closure(_) => text.push_str("function"),
        }
    }

    /// The text of a node as it is written, in one line, cut where it is long.
    pub(crate) fn node_text(&self, node: NodeId) -> String {
        let written = (self.source)(self.tree.span(node));
        let mut text = String::new();
        for word in written.split_whitespace() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
            if text.len() > 4 * LONGEST {
                break;
            }
        }
        if text.chars().count() > LONGEST {
            text = text.chars().take(LONGEST - 1).collect();
            text.push('…');
        }
        text
    }
}
