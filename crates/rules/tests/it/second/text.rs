//! Values as texts, and what is said about failures.

use super::Second;
use super::value::{Env, Fail, Res, Stop, V, What, mappings, text};
use std::rc::Rc;
use volvelle_rules::ir::{Judgment, Purpose};
use volvelle_syntax::Spelt;
use volvelle_trees::NodeId;

impl Second<'_> {
    /// The text of a value; an environment that stands alone is written out.
    pub fn text_of(&mut self, value: &V) -> Res<String> {
        match value {
            V::Env(env) => self.env_text(env),
            other => self.plain_text(other),
        }
    }

    fn env_text(&mut self, env: &Env) -> Res<String> {
        let mut known: Vec<V> = Vec::new();
        let mut all: Vec<(String, V)> = Vec::new();
        for (key, value) in mappings(env) {
            if known.contains(&key) {
                continue;
            }
            let name = match &key {
                V::Data(class, _) => self.class_name(*class),
                other => self.plain_text(other)?,
            };
            known.push(key);
            all.push((name, value));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let mut texts = Vec::new();
        for (name, value) in all {
            texts.push(format!("{name} <- {}", self.plain_text(&value)?));
        }
        Ok(format!("[{}]", texts.join(", ")))
    }

    fn plain_text(&mut self, value: &V) -> Res<String> {
        Ok(match value {
            V::Null => "null".to_owned(),
            V::Truth(truth) => truth.to_string(),
            V::Number(number) => number.to_string(),
            V::Text(text) => text.to_string(),
            V::Node(node) => self.node_text(*node),
            V::List(items) => format!("[{}]", self.texts(items)?.join(", ")),
            V::Env(None) => "[]".to_owned(),
            V::Env(_) => "[…]".to_owned(),
            V::Failure(_) => "failure".to_owned(),
            V::Map(_) => "map".to_owned(),
            V::Closure(..) => "function".to_owned(),
            V::Data(class, fields) if *class == self.system.universe.common.pair => {
                self.texts(fields)?.join("->")
            }
            V::Data(class, fields) => {
                if let Some(show) = self.system.show
                    && let function = &self.system.functions[show]
                    && function.params.len() == 1
                    && let Some(body) = self.nearest(&function.bodies, std::slice::from_ref(value))
                {
                    match self.silently(|second| second.run(body, vec![value.clone()])) {
                        Ok(shown) => {
                            if let V::Text(text) = &shown[0] {
                                return Ok(text.to_string());
                            }
                        }
                        Err(Stop::Fail(_)) => {}
                        Err(other) => return Err(other),
                    }
                }
                let name = self.class_name(*class);
                if fields.is_empty() { name } else { format!("{name}({})", self.texts(fields)?.join(", ")) }
            }
        })
    }

    fn texts(&mut self, values: &[V]) -> Res<Vec<String>> {
        values.iter().map(|value| self.plain_text(value)).collect()
    }

    fn node_text(&self, node: NodeId) -> String {
        let written = self.sources.text(self.program.tree.span(node));
        let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.chars().count() > 40 {
            return text.chars().take(39).chain(['…']).collect();
        }
        text
    }

    /// Message, source, feature and data.
    pub fn said(&mut self, failure: &Rc<Fail>) -> Res<[V; 4]> {
        if let Some(said) = &*failure.said.borrow() {
            return Ok(said.clone());
        }
        let none = [V::Null, V::Null, V::Null, V::Null];
        let system = self.system;
        let blame = match failure.what {
            What::Rule(routine) => {
                let rule = &system.routines[routine];
                let of = match rule.purpose {
                    Purpose::Rule(judgment) => system.judgments[judgment].blame,
                    _ => None,
                };
                rule.blame.or(of)
            }
            What::Function(function) => system.functions[function].blame,
            _ => None,
        };
        let said = match blame {
            None => none,
            Some(blame) => match self.silently(|second| second.run(blame, failure.args.clone())) {
                Ok(parts) => parts.try_into().unwrap_or(none),
                Err(Stop::Fail(_)) => none,
                Err(other) => return Err(other),
            },
        };
        *failure.said.borrow_mut() = Some(said.clone());
        Ok(said)
    }

    pub fn default_message(&mut self, failure: &Rc<Fail>) -> Res<String> {
        let system = self.system;
        let mut texts = Vec::new();
        for arg in &failure.args {
            texts.push(self.text_of(arg)?);
        }
        Ok(match &failure.what {
            What::Fail => "failed".to_owned(),
            What::Said => String::new(),
            What::Told(text) => text.clone(),
            What::Null => "passed null object to system".to_owned(),
            What::NoRule(judgment) => {
                let told = places(&system.judgments[*judgment], &texts[1..], |_| None);
                format!("cannot find a rule for {told}")
            }
            What::NoBody(function) => {
                let name = &system.functions[*function].name;
                format!("cannot find an implementation for {name}({})", texts.join(", "))
            }
            What::Function(function) => {
                format!("failed: {}({})", system.functions[*function].name, texts.join(", "))
            }
            What::Rule(routine) => {
                let rule = &system.routines[*routine];
                let Purpose::Rule(judgment) = rule.purpose else { return Ok(String::new()) };
                let judgment = &system.judgments[judgment];
                let outputs = |at: usize| Some(system.universe.name(&judgment.places[at].0));
                format!("failed: {}: {} {}", rule.name, texts[0], places(judgment, &texts[1..], outputs))
            }
        })
    }

    /// The innermost rule, data, and messages from the outside in, as a report has them.
    pub fn tell(&mut self, failure: &Rc<Fail>) -> Res<(Option<String>, Option<String>, Vec<String>)> {
        let (mut rule, mut data, mut trace) = (None, V::Null, Vec::new());
        let mut at = Some(failure.clone());
        while let Some(level) = at {
            let said = self.said(&level)?;
            let is_rule = matches!(level.what, What::Rule(_));
            match &said[0] {
                V::Null if matches!(level.what, What::Fail | What::Said) => {}
                V::Null => trace.push(self.default_message(&level)?),
                message => {
                    let message = self.text_of(message)?;
                    trace.push(if is_rule { format!("failed: {message}") } else { message });
                }
            }
            if let What::Rule(routine) = level.what {
                rule = Some(self.system.routines[routine].name.clone());
            }
            if said[3] != V::Null {
                data = said[3].clone();
            }
            at = level.cause.clone();
        }
        let data = if data == V::Null { None } else { Some(self.text_of(&data)?) };
        Ok((rule, data, trace))
    }

    fn class_name(&self, class: volvelle_trees::ClassId) -> String {
        self.system.universe.classes.class(class).name.clone()
    }

    pub fn message_of(&mut self, failure: &Rc<Fail>) -> Res<V> {
        let said = self.said(failure)?;
        Ok(match (&said[0], &failure.what) {
            (V::Null, What::Fail) => V::Null,
            (V::Null, _) => text(self.default_message(failure)?),
            (message, _) => message.clone(),
        })
    }
}

/// `|- a : b`: the texts of inputs, and of outputs where they are shown.
fn places(judgment: &Judgment, inputs: &[String], output: impl Fn(usize) -> Option<String>) -> String {
    let mut told = judgment.symbol.spelling().unwrap_or_default().to_owned();
    let mut inputs = inputs.iter();
    for (at, (_, is_output)) in judgment.places.iter().enumerate() {
        let shown = if *is_output { output(at) } else { inputs.next().cloned() };
        let Some(shown) = shown else { continue };
        if at > 0 {
            told.push(' ');
            told.push_str(judgment.relations[at - 1].spelling().unwrap_or_default());
        }
        told.push(' ');
        told.push_str(&shown);
    }
    told
}
