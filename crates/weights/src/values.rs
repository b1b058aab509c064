//! States that are named by the values of their variables.

use super::unknown::unknown;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::Integers;
use volvelle_session::trace::VariableValue;

/// The variables of states, by which they are named.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Names of variables, whether they are Boolean, and their values by state.
    pub variables: Vec<(String, bool, Integers)>,
    /// Where control is: texts, and the number of that of each state.
    pub places: Option<(Vec<String>, Vec<u32>)>,
}

impl Values {
    /// The name of a state: `x=2 open=true`.
    pub fn text(&self, state: u32) -> String {
        let mut parts: Vec<String> = Vec::with_capacity(self.variables.len() + 1);
        for (name, is_bool, values) in &self.variables {
            let value = values.get(state as usize);
            parts.push(match is_bool {
                true => format!("{name}={}", value != 0),
                false => format!("{name}={value}"),
            });
        }
        if let Some((texts, of_state)) = &self.places {
            parts.push(texts[of_state[state as usize] as usize].clone());
        }
        parts.join(" ")
    }

    /// The values of a state, by the names of variables; where control is comes last.
    pub fn of_state(&self, state: u32) -> Vec<(String, VariableValue)> {
        let value = |(name, is_bool, values): &(String, bool, Integers)| {
            let value = values.get(state as usize);
            let value = if *is_bool { VariableValue::Bool(value != 0) } else { VariableValue::Int(value) };
            (name.clone(), value)
        };
        let place = self.places.as_ref().map(|(texts, of_state)| {
            let text = texts[of_state[state as usize] as usize].clone();
            ("at".to_owned(), VariableValue::Text(text))
        });
        self.variables.iter().map(value).chain(place).collect()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let columns: u64 = self.variables.iter().map(|(.., values)| values.bytes()).sum();
        let places = self
            .places
            .as_ref()
            .map_or(0, |(texts, of_state)| texts.iter().map(String::len).sum::<usize>() + 4 * of_state.len());
        columns + places as u64
    }

    /// The only state in which variables have the values that a text gives them: `x=2,open=true`.
    pub fn state(&self, file: &str, text: &str, states: u32) -> Result<u32, Diagnostic> {
        let refused = |message: String| Diagnostic::error(codes::WKS_NAME, message);
        let mut wanted: Vec<(&Integers, i64)> = Vec::new();
        for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(refused(format!("`{part}` is no value of a variable"))
                    .help(format!("states of `{file}` are named by values: {file}:x=2,open=true")));
            };
            let names: Vec<&str> = self.variables.iter().map(|(name, ..)| name.as_str()).collect();
            let Some(at) = names.iter().position(|known| *known == name) else {
                return Err(unknown("variable", name, &names));
            };
            let value = match value {
                "true" => Some(1),
                "false" => Some(0),
                _ => value.parse().ok(),
            };
            let value = value.ok_or_else(|| refused(format!("the value of `{name}` is no integer")))?;
            wanted.push((&self.variables[at].2, value));
        }
        let mut suiting = (0..states)
            .filter(|&state| wanted.iter().all(|(values, value)| values.get(state as usize) == *value));
        match (suiting.next(), suiting.next()) {
            (Some(state), None) => Ok(state),
            (None, _) => Err(refused(format!("no state of `{file}` has the values {text}"))),
            (Some(first), Some(second)) => {
                Err(refused(format!("several states of `{file}` have the values {text}"))
                    .note(format!("one is {}", self.text(first)))
                    .note(format!("another is {}", self.text(second)))
                    .help("give values of more variables"))
            }
        }
    }
}
