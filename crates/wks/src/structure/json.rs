//! Structures as JSON, read and written.
//!
//! ```json
//! { "name": "vending", "states": ["idle", "paid"], "initial": "idle",
//!   "labels": {"idle": ["ready", ["coin", 2]]}, "trans": [["idle", "3/2", "paid"], ["paid", 0, "idle"]] }
//! ```
//!
//! `name`, `initial` (otherwise the first state) and `labels` may be missing, and states may be missing from `labels`. `["coin", 2]` is a
//! proposition with multiplicity two. A weight is a text with an exact number or a JSON number, which is taken as it is written. An object
//! of such structures by their names is read as well. Weights are no expressions of parameters: structures with parameters are `.wks`.

use super::Explicit;
use super::assemble::Assembly;
use super::json_text::{Json, Value};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::Write;
use volvelle_diagnostics::{Code, Diagnostic, FileId, Span, codes, has_errors};
use volvelle_logic::rational;
use volvelle_space::{LinearWeight, WeightedStructure};

/// Messages after which reading stops.
const MESSAGES: usize = 100;

/// Names among which one that was meant is looked for.
const NAMES: usize = 10_000;

const KEYS: [&str; 5] = ["name", "states", "initial", "labels", "trans"];

/// Reads a structure, or several by name. There are none exactly if a diagnostic is an error.
pub fn read_json(file: FileId, text: &str) -> (Vec<(Option<String>, Explicit)>, Vec<Diagnostic>) {
    if u32::try_from(text.len()).is_err() {
        return (Vec::new(), vec![Diagnostic::error(codes::WKS_JSON, "the text has more than 4 GiB")]);
    }
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
        let at = before.sum::<usize>() + error.column().saturating_sub(1);
        let refused = Diagnostic::error(codes::WKS_JSON, format!("this is not JSON: {error}"));
        return (Vec::new(), vec![refused.at(Span::within(file, text, at..at + 1), "")]);
    }
    let json = Json(text);
    let mut reader = Reader { file, json, path: String::new(), diagnostics: Vec::new() };
    let found = reader.whole(json.root());
    let found = if has_errors(&reader.diagnostics) { Vec::new() } else { found };
    (found, reader.diagnostics)
}

struct Reader<'t> {
    file: FileId,
    json: Json<'t>,
    /// Of the structure that is read: empty, or its name and a point.
    path: String,
    diagnostics: Vec<Diagnostic>,
}

/// Names of states and where they are, by number.
type Order<'t> = Vec<(Cow<'t, str>, Span)>;

/// Names of states and their numbers.
type States<'t> = FxHashMap<Cow<'t, str>, u32>;

impl<'t> Reader<'t> {
    /// An error; `place` is the path inside the structure.
    /// The same about a misspelt name; `place` is what is in front of it.
    fn misspelt<S: AsRef<str>>(
        &self,
        code: Code,
        at: Value,
        (place, name): (&str, &str),
        message: &str,
        known: impl IntoIterator<Item = S>,
    ) -> Diagnostic {
        let span = Span::within(self.file, self.json.0, at.start..at.end);
        self.error(code, at, place, message, "").at_misspelt(span, name, known)
    }

    fn error(
        &self,
        code: Code,
        at: Value,
        place: &str,
        message: &str,
        label: impl Into<String>,
    ) -> Diagnostic {
        let span = Span::within(self.file, self.json.0, at.start..at.end);
        let path = format!("{}{place}", self.path);
        let path = path.trim_end_matches('.');
        let message = if path.is_empty() { message.to_owned() } else { format!("`{path}`: {message}") };
        Diagnostic::error(code, message).at(span, label)
    }

    fn refuse(&mut self, at: Value, place: &str, message: &str) {
        self.report(self.error(codes::WKS_JSON, at, place, message, ""));
    }

    fn report(&mut self, error: Diagnostic) {
        if self.diagnostics.len() < MESSAGES {
            self.diagnostics.push(error);
        }
    }

    fn whole(&mut self, root: Value) -> Vec<(Option<String>, Explicit)> {
        let Some(members) = self.json.members(root) else {
            self.refuse(root, "", "an object with `states` and `trans` is expected");
            return Vec::new();
        };
        let is_single = members.into_iter().any(|(name, value)| {
            let is_key = self.json.string(name).is_some_and(|name| KEYS.contains(&&*name));
            is_key && self.json.members(value).is_none()
        });
        if is_single {
            let found = self.structure(root, None);
            return found.map(|explicit| (explicit.name.clone(), explicit)).into_iter().collect();
        }
        let mut found = Vec::new();
        let mut known: FxHashMap<Cow<'_, str>, Value> = FxHashMap::default();
        for (key, value) in self.json.members(root).into_iter().flatten() {
            if self.diagnostics.len() >= MESSAGES {
                break;
            }
            let Some(name) = self.string(key, "") else { continue };
            self.path.clear();
            if let Some(&before) = known.get(&name) {
                self.twice(codes::WKS_JSON, (key, before), &name, "is a second structure of this name");
            } else if self.json.members(value).is_none() {
                let message = "a structure is expected";
                self.report(self.misspelt(codes::WKS_JSON, key, (&name, &name), message, KEYS));
            } else {
                let _ = write!(self.path, "{name}.");
                let explicit = self.structure(value, Some(&name));
                found.extend(explicit.map(|explicit| (Some(name.clone().into_owned()), explicit)));
                self.path.clear();
            }
            known.insert(name, key);
        }
        if known.is_empty() && self.diagnostics.is_empty() {
            self.refuse(root, "", "there is no structure");
        }
        found
    }

    fn twice(&mut self, code: Code, (second, first): (Value, Value), place: &str, message: &str) {
        let before = Span::within(self.file, self.json.0, first.start..first.end);
        self.report(self.error(code, second, place, message, "the second").also(before, "the first"));
    }

    fn string(&mut self, value: Value, place: &str) -> Option<Cow<'t, str>> {
        let string = self.json.string(value);
        if string.is_none() {
            self.refuse(value, place, "a text in quotation marks is expected");
        }
        string
    }

    fn items(
        &mut self,
        value: Value,
        place: &str,
        what: &str,
    ) -> Option<impl Iterator<Item = Value> + use<'t>> {
        let items = self.json.items(value);
        if items.is_none() {
            self.refuse(value, place, &format!("{what} is expected"));
        }
        items
    }

    fn structure(&mut self, whole: Value, outer: Option<&str>) -> Option<Explicit> {
        let errors = self.diagnostics.len();
        let mut found: [Option<Value>; KEYS.len()] = [None; KEYS.len()];
        for (key, value) in self.json.members(whole)? {
            let Some(name) = self.string(key, "") else { continue };
            match KEYS.iter().position(|known| *known == name) {
                Some(place) => {
                    if let Some(before) = found[place].replace(value) {
                        self.twice(codes::WKS_JSON, (value, before), &name, "is there twice");
                    }
                }
                None => {
                    let error =
                        self.misspelt(codes::WKS_JSON, key, (&name, &name), "this is not known", KEYS);
                    self.report(
                        error.help("a structure has `name`, `states`, `initial`, `labels` and `trans`"),
                    );
                }
            }
        }
        let [name, states, initial, labels, trans] = found;
        let Some(states) = states else {
            self.refuse(Value { end: whole.start + 1, ..whole }, "", "`states` is missing");
            return None;
        };
        let name = match name {
            Some(name) => self.string(name, "name").map(Cow::into_owned),
            None => None,
        };
        let (order, states) = self.states(states)?;
        let initial = initial.and_then(|initial| self.state(&states, initial, "initial"));
        let mut labels = self.labels(labels, &states);
        let mut assembly = Assembly::default();
        let mut steps = Vec::new();
        if let Some(trans) = trans
            && let Some(items) = self.items(trans, "trans", "an array of steps `[from, weight, to]`")
        {
            for (number, item) in items.enumerate() {
                if self.diagnostics.len() >= MESSAGES {
                    break;
                }
                steps.extend(self.step(item, number, &states, &mut assembly));
            }
        }
        if self.diagnostics.len() > errors {
            return None;
        }
        for (name, place) in &order {
            assembly.symbol(name.clone(), *place);
        }
        steps.sort_by_key(|&(from, ..)| from);
        labels.sort_by_key(|&(state, ..)| state);
        let (mut steps, mut labels) = (steps.into_iter().peekable(), labels.into_iter().peekable());
        for (state, (_, place)) in order.iter().enumerate() {
            let state = state as u32;
            assembly.begin_state(state, *place).ok()?;
            while let Some((_, proposition, times)) = labels.next_if(|(of, ..)| *of == state) {
                assembly.proposition(proposition, times);
            }
            while let Some((_, weight, to)) = steps.next_if(|(from, ..)| *from == state) {
                assembly.step(weight, to);
            }
        }
        let name = outer.map(str::to_owned).or(name);
        match assembly.finish(name, initial, Vec::new()) {
            Ok(explicit) => Some(explicit),
            Err(error) => {
                let span = Span::within(self.file, self.json.0, whole.start..whole.start + 1);
                self.report(error.at(span, "in this structure"));
                None
            }
        }
    }

    /// Names and places of states in their order, and their numbers.
    fn states(&mut self, value: Value) -> Option<(Order<'t>, States<'t>)> {
        let (mut order, mut states): (Order<'t>, _) = (Vec::new(), States::default());
        for (number, item) in self.items(value, "states", "an array of names")?.enumerate() {
            let Some(name) = self.string(item, &format!("states[{number}]")) else { continue };
            if let Some(&before) = states.get(&name) {
                let before = order[before as usize].1;
                let before = Value { start: before.start as usize, end: before.end as usize };
                let message = format!("state `{name}` is declared twice");
                self.twice(codes::WKS_NAME, (item, before), &format!("states[{number}]"), &message);
                continue;
            }
            states.insert(name.clone(), order.len() as u32);
            order.push((name, Span::new(self.file, item.start, item.end)));
        }
        if order.is_empty() {
            self.refuse(value, "states", "there is no state");
            return None;
        }
        Some((order, states))
    }

    fn state(&mut self, states: &States<'t>, value: Value, place: &str) -> Option<u32> {
        let name = self.string(value, place)?;
        let found = states.get(&name).copied();
        if found.is_none() && self.diagnostics.len() < MESSAGES {
            let mut known: Vec<(u32, &str)> =
                states.iter().map(|(name, number)| (*number, &**name)).collect();
            known.sort_unstable();
            let known = known.into_iter().take(NAMES).map(|(_, name)| name);
            let message = format!("there is no state `{name}`");
            self.report(self.misspelt(codes::WKS_NAME, value, (place, &name), &message, known));
        }
        found
    }

    /// State, proposition and multiplicity.
    fn labels(&mut self, labels: Option<Value>, states: &States<'t>) -> Vec<(u32, Cow<'t, str>, i64)> {
        let mut found = Vec::new();
        let Some(labels) = labels else { return found };
        let Some(members) = self.json.members(labels) else {
            self.refuse(labels, "labels", "an object with propositions by state is expected");
            return found;
        };
        let mut place_of: Vec<Option<Value>> = vec![None; states.len()];
        for (key, value) in members {
            if self.diagnostics.len() >= MESSAGES {
                break;
            }
            let Some(state) = self.state(states, key, "labels") else { continue };
            let place = format!("labels.{}", self.json.string(key).unwrap_or_default());
            if let Some(before) = place_of[state as usize].replace(key) {
                self.twice(codes::WKS_JSON, (key, before), &place, "this state is there twice");
            }
            let Some(items) = self.items(value, &place, "an array of propositions") else { continue };
            for item in items {
                found.extend(self.proposition(item, &place).map(|(name, times)| (state, name, times)));
            }
        }
        found
    }

    /// `"coin"`, or `["coin", 2]`
    fn proposition(&mut self, value: Value, place: &str) -> Option<(Cow<'t, str>, i64)> {
        let Some(mut pair) = self.json.items(value) else { return Some((self.string(value, place)?, 1)) };
        let name = pair.next().and_then(|name| self.json.string(name));
        let times =
            pair.next().and_then(|times| self.json.text(times).parse().ok()).filter(|times| *times != 0);
        match (name, times, pair.next()) {
            (Some(name), Some(times), None) => Some((name, times)),
            _ => {
                let message = "a proposition, or `[proposition, multiplicity]` with an integer other than 0, is expected";
                self.refuse(value, place, message);
                None
            }
        }
    }

    /// Source, number of the weight, target.
    fn step(
        &mut self,
        value: Value,
        number: usize,
        states: &States<'t>,
        assembly: &mut Assembly<'t>,
    ) -> Option<(u32, u32, u32)> {
        let mut parts = self.json.items(value).into_iter().flatten();
        let parts = (parts.next(), parts.next(), parts.next(), parts.next());
        let (Some(from), Some(weight), Some(to), None) = parts else {
            self.refuse(value, &format!("trans[{number}]"), "a step `[from, weight, to]` is expected");
            return None;
        };
        // Most steps are right, and need no path.
        let (from, to) = match (self.known(states, from), self.known(states, to)) {
            (Some(from), Some(to)) => (from, to),
            _ => {
                let place = format!("trans[{number}]");
                (self.state(states, from, &place)?, self.state(states, to, &place)?)
            }
        };
        let text = self.json.text(weight);
        if let Some(weight) = assembly.weight_of_text(text) {
            return Some((from, weight, to));
        }
        let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let digits = if is_number { Some(Cow::Borrowed(text)) } else { self.json.string(weight) };
        let value = digits.as_deref().and_then(rational);
        let message = match value {
            Some(value) if value >= RBig::ZERO => {
                return Some((from, assembly.weight(LinearWeight::constant(value), Some(text)), to));
            }
            Some(_) => "a weight is negative",
            None if digits.is_none() => "a weight is a number, or a text with one",
            None => "a weight has no value",
        };
        self.report(self.error(codes::WKS_WEIGHT, weight, &format!("trans[{number}]"), message, ""));
        None
    }

    fn known(&self, states: &States<'t>, value: Value) -> Option<u32> {
        states.get(&self.json.string(value)?).copied()
    }
}

/// The form that [`read_json`] reads. States have the names that `state` gives, which are all different.
pub fn write_json<'s>(
    name: Option<&str>,
    structure: &WeightedStructure,
    state: impl Fn(u32) -> Cow<'s, str>,
) -> String {
    let quoted = |name: &str| serde_json::Value::from(name).to_string();
    let names: Vec<String> = (0..structure.num_states() as u32).map(|s| quoted(&state(s))).collect();
    let mut text = String::from("{\n");
    if let Some(name) = name {
        let _ = writeln!(text, "  \"name\": {},", quoted(name));
    }
    let _ = writeln!(text, "  \"states\": [{}],", names.join(", "));
    if structure.initial != 0 {
        let _ = writeln!(text, "  \"initial\": {},", names[structure.initial as usize]);
    }
    text.push_str("  \"labels\": {");
    let mut separator = "\n";
    for (number, name) in names.iter().enumerate() {
        let propositions = structure.valuation(number as u32).iter().map(|&(proposition, times)| {
            let proposition = quoted(&structure.propositions[proposition as usize]);
            if times != 1 { format!("[{proposition}, {times}]") } else { proposition }
        });
        let propositions: Vec<String> = propositions.collect();
        if !propositions.is_empty() {
            let _ = write!(text, "{separator}    {name}: [{}]", propositions.join(", "));
            separator = ",\n";
        }
    }
    text.push_str(if separator == "\n" { "},\n  \"trans\": [" } else { "\n  },\n  \"trans\": [" });
    separator = "\n";
    for (number, name) in names.iter().enumerate() {
        for step in structure.outgoing(number as u32) {
            let (weight, target) = (structure.number(step.weight), &names[step.target as usize]);
            let _ = write!(text, "{separator}    [{name}, \"{weight}\", {target}]");
            separator = ",\n";
        }
    }
    text.push_str(if separator == "\n" { "]\n}\n" } else { "\n  ]\n}\n" });
    text
}
