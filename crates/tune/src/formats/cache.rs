//! The cache of Kernel Tuner: a JSON file that grows by one line for each configuration. Its end may be
//! missing.
//!
//! ```json
//! { "device_name": "…", "kernel_name": "…", "problem_size": [1048576], "tune_params_keys": ["WG", "TS"],
//!   "tune_params": { "WG": [32, 64], "TS": [1, 2] }, "objective": "time",
//!   "cache": { "32,1": { "WG": 32, "TS": 1, "time": 0.28, "times": [0.28, 0.29], "compile_time": 31.5 } } }
//! ```
//!
//! Times are milliseconds. A failure has `CompilationFailedConfig`, `RuntimeFailedConfig` or `InvalidConfig` instead of a time.

use super::json::{array, member, parse, python, text, to_json, value};
use super::{FAILURES, Measurement, Unreadable};
use crate::Value;
use crate::space::Parameter;
use crate::strategy::Outcome;
use serde_json::{Map, Value as Json};

/// A cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// The device, by the name that its driver gives.
    pub device: String,
    /// The kernel.
    pub kernel: String,
    /// The size of the problem: one number for each dimension.
    pub size: Vec<i64>,
    /// The parameters with their values.
    pub parameters: Vec<Parameter>,
    /// Measured configurations, in the order of the file.
    pub entries: Vec<Measurement>,
}

/// The end of a cache. Kernel Tuner looks for exactly these characters.
pub const END: &str = "}\n}\n";

impl Cache {
    /// The beginning of a file without entries; [`Cache::entry`] follows, and [`END`].
    pub fn header(&self) -> String {
        let names: Vec<Json> =
            self.parameters.iter().map(|parameter| parameter.name.as_str().into()).collect();
        let lists: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| {
                let values: Vec<Json> = parameter.values.iter().map(to_json).collect();
                format!("{}: {}", Json::from(parameter.name.as_str()), Json::from(values))
            })
            .collect();
        format!(
            "{{\n\"device_name\": {},\n\"kernel_name\": {},\n\"problem_size\": {},\n\"tune_params_keys\": {},\n\
             \"tune_params\": {{{}}},\n\"objective\": \"time\",\n\"cache\": {{",
            Json::from(self.device.as_str()),
            Json::from(self.kernel.as_str()),
            Json::from(self.size.clone()),
            Json::from(names),
            lists.join(", "),
        )
    }

    /// The text of an entry, with a comma before it unless it `is_first`.
    pub fn entry(parameters: &[Parameter], entry: &Measurement, is_first: bool) -> String {
        let mut members = Map::new();
        for (parameter, value) in parameters.iter().zip(&entry.values) {
            members.insert(parameter.name.clone(), to_json(value));
        }
        match &entry.outcome {
            Outcome::Time(time) => members.insert("time".into(), (*time).into()),
            Outcome::Failed(failure) => {
                let row = FAILURES
                    .iter()
                    .find(|(other, ..)| other == failure)
                    .expect("all failures are in the table");
                members.insert("failure".into(), failure.name().into());
                if !entry.detail.is_empty() {
                    members.insert("detail".into(), entry.detail.as_str().into());
                }
                members.insert("__error__".into(), row.1.into());
                members.insert("time".into(), row.1.into())
            }
        };
        members.insert("times".into(), entry.times.clone().into());
        members.insert("compile_time".into(), entry.compile_ms.into());
        members.insert("benchmark_time".into(), entry.benchmark_ms.into());
        members.insert("verification_time".into(), entry.verification_ms.into());
        members.insert("strategy_time".into(), entry.strategy_ms.into());
        members.insert("framework_time".into(), 0.0.into());
        members.insert("timestamp".into(), entry.timestamp.as_str().into());
        let key: Vec<String> = entry.values.iter().map(python).collect();
        let comma = if is_first { "" } else { "," };
        format!("{comma}\n{}: {}", Json::from(key.join(",")), Json::from(members))
    }

    /// The whole file.
    pub fn write(&self) -> String {
        let mut text = self.header();
        for (i, entry) in self.entries.iter().enumerate() {
            text.push_str(&Cache::entry(&self.parameters, entry, i == 0));
        }
        text.push_str(END);
        text
    }

    /// Reads a file. Its end may be missing, as after an interrupted run.
    ///
    /// # Errors
    /// It is no JSON, or no cache.
    pub fn read(contents: &str) -> Result<Cache, Unreadable> {
        let whole = contents.trim();
        let json = match parse(whole) {
            Ok(json) => json,
            Err(error) => parse(&closed(whole)).map_err(|_| error)?,
        };
        let of = "the cache";
        let names = array(&json, "tune_params_keys", of)?;
        let lists = member(&json, "tune_params", of)?;
        let mut parameters = Vec::with_capacity(names.len());
        for name in names {
            let name = name.as_str().ok_or_else(|| Unreadable::new("a name of a parameter is no text"))?;
            let values = array(lists, name, "`tune_params`")?.iter().map(value).collect::<Option<Vec<_>>>();
            let values = values.filter(|values| !values.is_empty() && values.len() <= 1 << 16);
            let values = values.ok_or_else(|| Unreadable::new(format!("`{name}` has no list of values")))?;
            parameters.push(Parameter { name: name.to_owned(), values });
        }
        let size = match json.get("problem_size") {
            Some(Json::Array(sizes)) => sizes.iter().filter_map(Json::as_i64).collect(),
            Some(Json::Number(size)) => size.as_i64().into_iter().collect(),
            _ => Vec::new(),
        };
        let entries = member(&json, "cache", of)?.as_object();
        let entries = entries.ok_or_else(|| Unreadable::new("`cache` is no table of configurations"))?;
        let entries = entries.iter().map(|(key, entry)| read_entry(&parameters, key, entry));
        Ok(Cache {
            device: text(&json, "device_name", of)?.to_owned(),
            kernel: text(&json, "kernel_name", of)?.to_owned(),
            size,
            entries: entries.collect::<Result<_, _>>()?,
            parameters,
        })
    }

    /// Whether measurements of another run belong here: the same device, kernel, size, and parameters.
    ///
    /// # Errors
    /// The first difference.
    pub fn fits(
        &self,
        device: &str,
        kernel: &str,
        size: &[i64],
        parameters: &[Parameter],
    ) -> Result<(), String> {
        let differs = |what: &str, here: &str, there: &str| Err(format!("{what} `{here}`, not `{there}`"));
        let names = |parameters: &[Parameter]| {
            parameters.iter().map(|parameter| parameter.name.clone()).collect::<Vec<_>>().join(",")
        };
        let sizes = |size: &[i64]| size.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
        if self.device != device {
            return differs("device", &self.device, device);
        }
        if self.kernel != kernel {
            return differs("kernel", &self.kernel, kernel);
        }
        if self.size != size {
            return differs("size", &sizes(&self.size), &sizes(size));
        }
        if names(&self.parameters) != names(parameters) {
            return differs("parameters", &names(&self.parameters), &names(parameters));
        }
        Ok(())
    }
}

/// Completes a text that was cut off after an entry.
fn closed(text: &str) -> String {
    let text = text.trim_end().trim_end_matches(',');
    // Drops an incomplete last line.
    let is_whole = text.ends_with('}') || text.ends_with('{');
    let text = if is_whole { text } else { text.rsplit_once('\n').map_or(text, |(whole, _)| whole) };
    format!("{}}}}}", text.trim_end().trim_end_matches(','))
}

fn read_entry(parameters: &[Parameter], key: &str, entry: &Json) -> Result<Measurement, Unreadable> {
    let wrong = |what: &str| Unreadable::new(format!("the entry `{key}` {what}"));
    let values = parameters.iter().map(|parameter| entry.get(&parameter.name).and_then(value));
    let values: Option<Vec<Value>> = values.collect();
    let values = values.ok_or_else(|| wrong("lacks a parameter"))?;
    let error = entry.get("__error__").or_else(|| entry.get("time")).and_then(Json::as_str);
    let outcome = match (error, entry.get("time").and_then(Json::as_f64)) {
        (Some(error), _) => {
            let said = entry.get("failure").and_then(Json::as_str);
            let known = FAILURES.iter().filter(|(_, name, _)| *name == error);
            let exact = known.clone().find(|(failure, ..)| Some(failure.name()) == said);
            let row = exact.or_else(|| known.clone().next());
            Outcome::Failed(row.ok_or_else(|| wrong("has an unknown kind of failure"))?.0)
        }
        (None, Some(time)) => Outcome::Time(time),
        (None, None) => return Err(wrong("has no time")),
    };
    let number = |name: &str| entry.get(name).and_then(Json::as_f64).unwrap_or(0.0);
    let times = entry.get("times").and_then(Json::as_array);
    let say = |name: &str| entry.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    Ok(Measurement {
        values,
        outcome,
        times: times.map(|times| times.iter().filter_map(Json::as_f64).collect()).unwrap_or_default(),
        compile_ms: number("compile_time"),
        benchmark_ms: number("benchmark_time"),
        verification_ms: number("verification_time"),
        strategy_ms: number("strategy_time"),
        timestamp: say("timestamp"),
        detail: say("detail"),
    })
}
