//! Scopes and variables of frames, and the values of expressions.

use super::Debuggee;
use super::setup::arguments;
use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use volvelle_session::trace::{Change, VariableValue};
use volvelle_stepping::{Goal, Owner, Party, Variable};

/// The kinds of scopes of a frame; their numbers stand behind that of the frame.
const KINDS: [Kind; 4] = [Kind::Own, Kind::Shared, Kind::Properties, Kind::Changes];

/// A kind of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Variables of the process or module.
    Own,
    /// The others.
    Shared,
    /// What is known of claims.
    Properties,
    /// What the last step has changed.
    Changes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScopesField {
    frame_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VariablesField {
    variables_reference: i64,
    start: Option<usize>,
    count: Option<usize>,
}

/// A variable as a scope has it.
struct Shown {
    /// What it is called there.
    name: String,
    /// What it is called everywhere.
    full: String,
    value: String,
    kind: Option<&'static str>,
}

impl Debuggee<'_> {
    /// The scopes of a frame.
    pub fn scopes(&mut self, given: &Value) -> Result<Value, Failure> {
        let ScopesField { frame_id } = arguments("scopes", given)?;
        let party = self.party_of_frame(frame_id)?;
        let mut scopes = Vec::new();
        for (number, kind) in (1..).zip(KINDS) {
            let shown = self.shown(&party, kind);
            if shown.is_empty() {
                continue;
            }
            let name = match kind {
                Kind::Own => party.name.clone(),
                Kind::Shared => "State".to_owned(),
                Kind::Properties => "Claims".to_owned(),
                Kind::Changes => "Last step".to_owned(),
            };
            let mut scope = json!({
                "name": name,
                "variablesReference": frame_id * 10 + number,
                "namedVariables": shown.len(),
                "expensive": false,
            });
            if kind == Kind::Own {
                scope["presentationHint"] = json!("locals");
            }
            scopes.push(scope);
        }
        Ok(json!({ "scopes": scopes }))
    }

    /// The variables of a scope.
    pub fn variables(&mut self, given: &Value) -> Result<Value, Failure> {
        let VariablesField { variables_reference: reference, start, count } = arguments("variables", given)?;
        let missing = || Failure::new(format!("there is no scope {reference}"));
        let kind = usize::try_from(reference.rem_euclid(10) - 1).ok().and_then(|kind| KINDS.get(kind));
        let kind = *kind.ok_or_else(missing)?;
        let party = self.party_of_frame(reference.div_euclid(10)).map_err(|_| missing())?;
        let all = self.shown(&party, kind).into_iter().skip(start.unwrap_or(0));
        let all = all.take(count.filter(|&count| count > 0).unwrap_or(usize::MAX));
        let variable = |shown: Shown| {
            let mut told = json!({ "name": shown.name, "value": shown.value, "variablesReference": 0 });
            if kind == Kind::Own || kind == Kind::Shared {
                told["evaluateName"] = json!(shown.full);
            }
            if let Some(kind) = shown.kind {
                told["type"] = json!(kind);
            }
            told
        };
        Ok(json!({ "variables": all.map(variable).collect::<Vec<_>>() }))
    }

    fn shown(&mut self, party: &Party, kind: Kind) -> Vec<Shown> {
        if kind == Kind::Changes {
            return self.changes().iter().map(changed).collect();
        }
        let changes = self.changes();
        let parties = self.parties();
        let walk = self.journey.walk();
        let mut shown = Vec::new();
        for Variable { name, value } in walk.state() {
            let owner = walk.owner(&name);
            // Where processes are is said by their frames.
            if owner == Owner::All && parties.iter().any(|party| party.name == name) {
                continue;
            }
            let local = match (owner, kind) {
                (Owner::Party { party: of, name }, Kind::Own) if of == party.name => name,
                (Owner::All, Kind::Shared) | (Owner::Property, Kind::Properties) => name.clone(),
                _ => continue,
            };
            let before = changes.iter().find(|change| change.name == name && change.before != change.after);
            let before = before.map(|change| format!("  (was {})", change.before));
            let kind = kind_of(&value);
            let value = format!("{value}{}", before.unwrap_or_default());
            shown.push(Shown { name: local, full: name, value, kind });
        }
        shown
    }

    /// The names of variables at a frame: those of its process or module as it calls them.
    pub fn names_at(&mut self, frame: Option<i64>) -> Result<Vec<String>, Failure> {
        let party = frame.map(|frame| self.party_of_frame(frame)).transpose()?;
        let parties = self.parties();
        let walk = self.journey.walk();
        let state = walk.state().into_iter().map(|variable| variable.name);
        let named = state.filter(|name| parties.iter().all(|party| party.name != *name));
        let local = |name: String| match walk.owner(&name) {
            Owner::Party { party: of, name } => {
                party.as_ref().is_some_and(|party| party.name == of).then_some(name)
            }
            Owner::All => Some(name),
            Owner::Property => None,
        };
        Ok(named.filter_map(local).collect())
    }

    /// What the last step has changed.
    fn changes(&self) -> Vec<Change> {
        self.journey.step(self.journey.position()).map_or_else(Vec::new, |taken| taken.changes.clone())
    }

    /// The value of a variable, or the truth of a condition.
    ///
    /// # Errors
    /// The text is neither.
    pub fn value_of(
        &mut self,
        text: &str,
        frame: Option<i64>,
    ) -> Result<(String, Option<&'static str>), Failure> {
        let text = text.trim();
        let party = frame.map(|frame| self.party_of_frame(frame)).transpose()?;
        let walk = self.journey.walk();
        let state = walk.state();
        let own = party.and_then(|party| {
            let is_own = |variable: &&Variable| {
                matches!(walk.owner(&variable.name), Owner::Party { party: of, name } if of == party.name && name == text)
            };
            state.iter().find(is_own)
        });
        if let Some(variable) = own.or_else(|| state.iter().find(|variable| variable.name == text)) {
            let kind = kind_of(&variable.value);
            return Ok((variable.value.to_string(), kind));
        }
        match self.journey.walk().value(text) {
            Some(Ok(value)) => return Ok((value.to_string(), kind_of(&value))),
            Some(Err(misread)) => return Err(Failure::of(&misread.diagnostics, &misread.sources)),
            None => {}
        }
        match self.goal(text)? {
            Goal::Step(_) => Err(Failure::new(format!("`{text}` names steps, and has no value"))),
            Goal::Condition(condition) => match self.journey.walk().holds(condition) {
                Ok(holds) => Ok((holds.to_string(), Some("bool"))),
                Err(diagnostic) => Err(Failure::of(&[diagnostic], self.journey.walk().sources())),
            },
        }
    }
}

/// The type of a value, where it has one.
fn kind_of(value: &VariableValue) -> Option<&'static str> {
    match value {
        VariableValue::Bool(_) => Some("bool"),
        VariableValue::Int(_) => Some("int"),
        VariableValue::Text(_) => None,
    }
}

fn changed(change: &Change) -> Shown {
    let value = format!("{} -> {}", change.before, change.after);
    Shown { name: change.name.clone(), full: change.name.clone(), value, kind: None }
}
