//! What is debugged, as a client says it.

use crate::protocol::Failure;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use volvelle_console::options::{LimitArgs, ModelArgs};
use volvelle_diagnostics::{Diagnostic, codes};

/// Steps that a walk remembers without `steps`.
const DEFAULT_STEPS: u64 = 100_000;

/// More than these no machine remembers.
const MOST_STEPS: u64 = u32::MAX as u64 - 1;

/// The arguments of `launch`. Editors add fields of their own, which are passed over.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    program: Option<String>,
    cwd: Option<String>,
    trail: Option<String>,
    claim: Option<ClaimField>,
    seed: Option<u64>,
    path: Option<u64>,
    constants: Option<BTreeMap<String, Value>>,
    defines: Option<BTreeMap<String, Value>>,
    properties: Option<Vec<String>>,
    prop: Option<Vec<String>>,
    ltl: Option<Vec<String>>,
    scheduler: Option<String>,
    language: Option<String>,
    steps: Option<u64>,
    stop_on_entry: Option<bool>,
}

/// The field `claim`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ClaimField {
    Any(bool),
    Named(String),
}

/// Which violations are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// All kinds.
    Any,
    /// Assertions and invalid end states.
    Safety,
    /// Those of a claim with this name, or of a formula.
    Of(String),
}

/// Where the steps of the walk come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file has them.
    Trail(PathBuf),
    /// A counterexample is searched.
    Claim(Claim),
    /// Chance takes them.
    Random,
    /// The user chooses them.
    User,
}

impl Launch {
    /// Reads the arguments of a request.
    ///
    /// # Errors
    /// A field has a value that it does not take, or one is missing.
    pub fn read(arguments: &Value) -> Result<Self, Failure> {
        if !arguments.is_object() {
            return Err(Failure::new("a launch needs arguments: { \"program\": \"model.pml\" }"));
        }
        let read = serde_json::from_value::<Launch>(arguments.clone());
        let launch = read.map_err(|error| Failure::new(format!("the arguments of the launch: {error}")))?;
        launch
            .checked()
            .map_err(|diagnostic| Failure::of(&[*diagnostic], &volvelle_diagnostics::Sources::new()))
    }

    fn checked(self) -> Result<Self, Box<Diagnostic>> {
        let bad = |message: &str, help: &str| {
            Err(Box::new(Diagnostic::error(codes::BAD_USAGE, message).help(help)))
        };
        if given(self.program.as_ref()).is_none() {
            return bad(
                "the launch has no `program`",
                "name the file of a model: \"program\": \"model.pml\"",
            );
        }
        let sources = [given(self.trail.as_ref()).is_some(), self.claim().is_some(), self.seed.is_some()];
        if sources.iter().filter(|given| **given).count() > 1 {
            let message = "a launch has one of `trail`, `claim` and `seed`";
            return bad(message, "leave the others out: each of them says which steps are taken");
        }
        if self.path.is_some() && self.seed.is_none() {
            return bad("`path` is the number of a path of a seed", "give the seed, too: \"seed\": 1");
        }
        if self.steps.is_some_and(|steps| steps == 0 || steps > MOST_STEPS) {
            return bad("`steps` is no number of steps", "write a number from 1 to 4e9: \"steps\": 1000000");
        }
        let mut values = self.constants.iter().chain(&self.defines).flatten();
        if let Some((name, _)) = values.find(|(_, value)| value_text(value).is_none()) {
            return bad(
                &format!("the value of `{name}` is none"),
                "values are numbers, truth values and texts: \"constants\": { \"N\": 3 }",
            );
        }
        Ok(self)
    }

    /// The claim whose violations are searched.
    fn claim(&self) -> Option<Claim> {
        match self.claim.as_ref()? {
            ClaimField::Any(true) => Some(Claim::Any),
            ClaimField::Any(false) => None,
            ClaimField::Named(text) if text.trim().is_empty() => None,
            ClaimField::Named(text) if text.trim() == "safety" => Some(Claim::Safety),
            ClaimField::Named(text) => Some(Claim::Of(text.trim().to_owned())),
        }
    }

    /// Where the steps come from.
    pub fn source(&self) -> Source {
        if let Some(trail) = given(self.trail.as_ref()) {
            return Source::Trail(self.beside(trail));
        }
        match (self.claim(), self.seed) {
            (Some(claim), _) => Source::Claim(claim),
            (None, Some(_)) => Source::Random,
            (None, None) => Source::User,
        }
    }

    /// A path as the user writes it: from the folder of the launch.
    pub fn beside(&self, path: impl AsRef<Path>) -> PathBuf {
        match given(self.cwd.as_ref()) {
            Some(folder) => Path::new(folder).join(path),
            None => path.as_ref().to_path_buf(),
        }
    }

    /// The model, as the options of a command give it.
    pub fn model(&self) -> ModelArgs {
        let constants = self.constants.iter().flatten();
        ModelArgs {
            model: self.beside(self.program.as_deref().unwrap_or_default()),
            language: given(self.language.as_ref()).cloned(),
            constants: constants
                .map(|(name, value)| format!("{name}={}", value_text(value).unwrap_or_default()))
                .collect(),
            read_as: None,
            no_probability_check: false,
            parts: Default::default(),
        }
    }

    /// Files of properties.
    pub fn properties(&self) -> Vec<PathBuf> {
        self.properties.iter().flatten().map(|path| self.beside(path)).collect()
    }

    /// The same launch without files of properties.
    pub fn without_properties(&self) -> Self {
        Launch { properties: None, ..self.clone() }
    }

    /// Macros, as the options of a command give them.
    pub fn defines(&self) -> Vec<String> {
        let defines = self.defines.iter().flatten();
        defines.map(|(name, value)| format!("{name}={}", value_text(value).unwrap_or_default())).collect()
    }

    /// Properties and claims that are followed.
    pub fn prop(&self) -> &[String] {
        self.prop.as_deref().unwrap_or_default()
    }

    /// Formulas that are followed.
    pub fn ltl(&self) -> &[String] {
        self.ltl.as_deref().unwrap_or_default()
    }

    /// The scheduler of an mdp.
    pub fn scheduler(&self) -> Option<PathBuf> {
        let scheduler = given(self.scheduler.as_ref())?;
        Some(if scheduler == "uniform" { PathBuf::from(scheduler) } else { self.beside(scheduler) })
    }

    /// The seed of random steps.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The number of the path, where one is given.
    pub fn path(&self) -> Option<u64> {
        self.path
    }

    /// Steps that are remembered.
    pub fn limit(&self) -> usize {
        usize::try_from(self.steps.unwrap_or(DEFAULT_STEPS)).unwrap_or(usize::MAX)
    }

    /// Whether the walk waits in the initial state.
    pub fn stops_on_entry(&self) -> bool {
        self.stop_on_entry != Some(false)
    }

    /// The limits of a run.
    pub fn limits() -> LimitArgs {
        LimitArgs::default()
    }

    /// The fields that not every model has, which are given.
    pub fn special(&self) -> impl Iterator<Item = &'static str> {
        let fields = [
            ("claim", self.claim().is_some()),
            ("defines", self.defines.iter().flatten().next().is_some()),
            ("ltl", !self.ltl().is_empty()),
            ("path", self.path.is_some()),
            ("prop", !self.prop().is_empty()),
            ("properties", self.properties.iter().flatten().next().is_some()),
            ("scheduler", given(self.scheduler.as_ref()).is_some()),
        ];
        fields.into_iter().filter_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// A text that is not empty: editors give empty ones for what is left out.
fn given(text: Option<&String>) -> Option<&String> {
    text.filter(|text| !text.trim().is_empty())
}

/// A value as an option has it.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_say_where_the_steps_come_from() {
        let source = |fields: Value| {
            let mut arguments = json!({ "program": "m.pml", "cwd": "/models" });
            arguments.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            Launch::read(&arguments).map(|launch| launch.source())
        };
        assert_eq!(source(json!({})), Ok(Source::User));
        assert_eq!(source(json!({ "trail": "t.json" })), Ok(Source::Trail("/models/t.json".into())));
        assert_eq!(source(json!({ "trail": "", "claim": false })), Ok(Source::User));
        assert_eq!(source(json!({ "claim": true })), Ok(Source::Claim(Claim::Any)));
        assert_eq!(source(json!({ "claim": "safety" })), Ok(Source::Claim(Claim::Safety)));
        assert_eq!(source(json!({ "claim": "p" })), Ok(Source::Claim(Claim::Of("p".into()))));
        assert_eq!(source(json!({ "seed": 7, "path": 3, "request": "launch" })), Ok(Source::Random));
        for bad in [
            json!({ "seed": 7, "claim": true }),
            json!({ "path": 7 }),
            json!({ "seed": -1 }),
            json!({ "steps": 0 }),
            json!({ "constants": { "N": [1] } }),
            json!({ "constants": 3 }),
        ] {
            assert!(source(bad.clone()).is_err(), "{bad}");
        }
        for bad in [json!({}), json!(null), json!([]), json!({ "program": "" }), json!({ "program": 3 })] {
            assert!(Launch::read(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_become_options() {
        let fields =
            json!({ "program": "m.prism", "constants": { "N": 3, "b": true, "p": "1/3", "x": 0.5 } });
        let launch = Launch::read(&fields).unwrap();
        assert_eq!(launch.model().constants, ["N=3", "b=true", "p=1/3", "x=0.5"]);
    }
}
