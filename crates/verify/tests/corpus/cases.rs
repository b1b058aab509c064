//! `cases.tsv`, grouped.

use std::collections::BTreeMap;
use std::path::Path;

/// A model with constants, and the rows about it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// `dtmc`, `ctmc`, `mdp`.
    pub kind: String,
    /// Name of the model's folder.
    pub family: String,
    /// Path of the model, relative to the corpus.
    pub model: String,
    /// Its text.
    pub model_text: String,
    /// Path of the properties, relative to the corpus.
    pub properties: String,
    /// Their text.
    pub properties_text: String,
    /// As `--const` takes them.
    pub constants: String,
    /// States, where established.
    pub states: Option<u64>,
    /// Properties with what is known of their values.
    pub rows: Vec<Row>,
}

impl Instance {
    /// For messages.
    pub fn name(&self) -> String {
        format!("{} {}", self.model, self.constants).trim_end().to_owned()
    }
}

/// A property.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in the property file.
    pub property: String,
    /// What its value should be.
    pub reference: Reference,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// Nothing.
    None,
    /// It is true.
    True,
    /// The value, rounded to the nearest double.
    Value(f64),
    /// It lies between these.
    Between(f64, f64),
}

/// All instances whose model's path contains `only`, by number of states; those of unknown size come last.
pub fn read(folder: &Path, only: &str) -> Result<Vec<Instance>, String> {
    let read = |path: &str| {
        std::fs::read_to_string(folder.join(path))
            .map_err(|e| format!("{}: {e}", folder.join(path).display()))
    };
    let mut instances: BTreeMap<[String; 3], Instance> = BTreeMap::new();
    for line in read("cases.tsv")?.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, model, properties, constants, property, reference, exact, states, ..] = columns[..] else {
            return Err(format!("cases.tsv: a row has {} columns: {line}", columns.len()));
        };
        if !model.contains(only) {
            continue;
        }
        let reference =
            reference_of(reference, exact).ok_or_else(|| format!("cases.tsv: no reference: {line}"))?;
        let states = states.parse().ok();
        let constants = spelt(constants);
        let key = [model.to_owned(), properties.to_owned(), constants.clone()];
        let instance = match instances.entry(key) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(Instance {
                kind: kind.to_owned(),
                family: model.rsplit('/').nth(1).unwrap_or(model).to_owned(),
                model: model.to_owned(),
                model_text: read(model)?,
                properties: properties.to_owned(),
                properties_text: read(properties)?,
                constants,
                states,
                rows: Vec::new(),
            }),
        };
        if instance.states != states {
            return Err(format!("cases.tsv: two numbers of states for one model: {line}"));
        }
        instance.rows.push(Row { property: property.to_owned(), reference });
    }
    let mut instances: Vec<Instance> = instances.into_values().collect();
    instances.sort_by_key(|i| i.states.unwrap_or(u64::MAX));
    Ok(instances)
}

/// Truth values as PRISM writes them.
fn spelt(constants: &str) -> String {
    let pairs = constants.split(',').map(|pair| match pair.split_once('=') {
        Some((name, value @ ("True" | "False"))) => format!("{name}={}", value.to_lowercase()),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join(",")
}

fn reference_of(reference: &str, exact: &str) -> Option<Reference> {
    if let Some(interval) = exact.strip_prefix('[').and_then(|e| e.strip_suffix(']')) {
        let (lo, hi) = interval.split_once(',')?;
        return Some(Reference::Between(lo.trim().parse().ok()?, hi.trim().parse().ok()?));
    }
    match reference {
        "" => Some(Reference::None),
        "True" => Some(Reference::True),
        number => number.parse().ok().map(Reference::Value),
    }
}
