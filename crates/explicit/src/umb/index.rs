//! `index.json`: what the arrays are and how long.

use super::arrays::{Scalar, Type};
use super::ids::is_word;
use crate::finding::{Finding, Place};
use crate::model::{Entity, Facts, Time};
use serde_json::Value;
use volvelle_diagnostics::codes;

/// Name of the member.
pub const NAME: &str = "index.json";

/// Longest index in bytes.
pub const LONGEST: u64 = 64 << 20;

/// The index.
#[derive(Debug)]
pub struct Index {
    pub facts: Facts,
    pub system: System,
    pub annotations: Vec<Annotated>,
    pub valuations: Vec<Described>,
    /// Oddities of the index that do not prevent reading it.
    pub findings: Vec<Finding>,
}

/// Sizes and types of the transition system.
#[derive(Debug)]
pub struct System {
    pub time: Time,
    pub players: u32,
    pub states: u32,
    pub initial: u32,
    pub choices: u32,
    pub choice_actions: u32,
    pub branches: u32,
    pub branch_actions: u32,
    pub observations: u32,
    pub observed: Option<Entity>,
    pub probability: Option<Type>,
    pub exit_rate: Option<Type>,
    pub observation_probability: Option<Type>,
    pub player_names: Vec<String>,
}

/// An annotation.
#[derive(Debug)]
pub struct Annotated {
    pub group: String,
    pub id: String,
    /// Its alias, or its id.
    pub name: String,
    pub description: Option<String>,
    pub on: Vec<Entity>,
    pub of: Type,
    /// Number of strings, where there are.
    pub strings: Option<u64>,
    /// Type of its probabilities and how many there are, where values are drawn.
    pub drawn: Option<(Type, u64)>,
}

/// Valuations of an entity.
#[derive(Debug)]
pub struct Described {
    pub on: Entity,
    pub unique: bool,
    pub strings: Option<u64>,
    pub classes: Vec<Vec<Part>>,
}

/// A part of a packed record.
#[derive(Debug)]
pub enum Part {
    /// Bits without meaning.
    Padding(u64),
    /// A variable.
    Variable(DescribedVariable),
}

/// A variable of a packed record.
#[derive(Debug)]
pub struct DescribedVariable {
    pub name: String,
    pub is_optional: bool,
    pub of: Type,
    pub offset: i128,
    pub bounds: Option<(i64, i64)>,
}

/// Where in the index something is, for messages: keys from the outside in.
struct Path<'a> {
    file: &'a str,
    keys: Vec<String>,
}

impl<'a> Path<'a> {
    fn inner(&self, key: impl Into<String>) -> Path<'a> {
        let mut keys = self.keys.clone();
        keys.push(key.into());
        Path { file: self.file, keys }
    }

    fn name(&self) -> String {
        if self.keys.is_empty() { "the index".to_owned() } else { format!("`{}`", self.keys.join("/")) }
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Finding {
        wrong(self.file, format!("{} {what}", self.name()))
    }
}

/// The finding for an index that is wrong.
pub fn wrong(file: &str, message: impl Into<String>) -> Finding {
    Finding::error(codes::EXPLICIT_INDEX, message)
        .at(Place::in_member(file, NAME, None))
        .help("export the file again; the index is JSON and can be corrected by hand")
}

/// The groups of annotations, and the ids in each, in the order of the file.
#[derive(Default, serde::Deserialize)]
struct Order {
    #[serde(default)]
    annotations: Keys<Keys<serde::de::IgnoredAny>>,
}

/// The members of an object in their order, which a map would lose.
#[derive(Default)]
pub struct Keys<T>(pub Vec<(String, T)>);

/// The index as it is written.
#[derive(serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Written {
    pub format_version: u32,
    pub format_revision: u32,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub model_data: serde_json::Map<String, Value>,
    pub file_data: serde_json::Map<String, Value>,
    pub transition_system: Value,
    #[serde(skip_serializing_if = "Keys::is_empty")]
    pub annotations: Keys<Keys<Value>>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub valuations: serde_json::Map<String, Value>,
}

impl<T> Keys<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: serde::Serialize> serde::Serialize for Keys<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl Order {
    fn place(&self, group: &str, id: &str) -> Option<(usize, usize)> {
        let groups = &self.annotations.0;
        let at = groups.iter().position(|(name, _)| name == group)?;
        Some((at, groups[at].1.0.iter().position(|(name, _)| name == id)?))
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Keys<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = Keys<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Keys<T>, A::Error> {
                let mut keys = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    keys.push(entry);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Visitor(std::marker::PhantomData))
    }
}

/// Reads the index.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Index, Finding> {
    let root: Value = serde_json::from_slice(bytes)
        .map_err(|error| wrong(file, format!("the index is not JSON: {error}")))?;
    let at = Path { file, keys: Vec::new() };
    let mut findings = Vec::new();
    let version = required(&root, "format-version", &at)?;
    let version = version.as_u64().ok_or_else(|| at.inner("format-version").wrong("is not a number"))?;
    if version > 1 {
        return Err(Finding::error(
            codes::EXPLICIT_VERSION,
            format!("format version {version} is not known, only version 1 is"),
        )
        .at(Place::in_member(file, NAME, None))
        .help("export the model in version 1 of the format"));
    }
    if version == 0 {
        findings.push(
            Finding::warning(codes::EXPLICIT_UNUSUAL, "format version 0 is read as version 1")
                .at(Place::in_member(file, NAME, None)),
        );
    }
    let mut facts = Facts::default();
    if let Some(data) = root.get("model-data") {
        let at = at.inner("model-data");
        facts.name = text(data, "name", &at)?;
        facts.version = text(data, "version", &at)?;
        facts.description = text(data, "description", &at)?;
        facts.comment = text(data, "comment", &at)?;
        facts.doi = text(data, "doi", &at)?;
        facts.url = text(data, "url", &at)?;
        facts.authors = texts(data, "authors", &at)?;
    }
    if let Some(data) = root.get("file-data") {
        let at = at.inner("file-data");
        facts.tool = text(data, "tool", &at)?;
        facts.tool_version = text(data, "tool-version", &at)?;
        facts.created_s = data.get("creation-date").and_then(Value::as_u64);
        facts.parameters = data.get("parameters").map(Value::to_string);
    }
    let system = system(required(&root, "transition-system", &at)?, &at.inner("transition-system"))?;
    let mut annotations = Vec::new();
    if let Some(groups) = root.get("annotations") {
        let at = at.inner("annotations");
        for (group, members) in object(groups, &at)? {
            let at = at.inner(group);
            for (id, value) in object(members, &at)? {
                annotations.push(annotation(group, id, value, &at.inner(id))?);
            }
        }
    }
    // Labels and rewards keep the order of the file.
    let order: Order = serde_json::from_slice(bytes)
        .map_err(|error| wrong(file, format!("the index is not JSON: {error}")))?;
    annotations.sort_by_key(|a: &Annotated| order.place(&a.group, &a.id));
    let mut valuations = Vec::new();
    if let Some(entities) = root.get("valuations") {
        let at = at.inner("valuations");
        for (entity, value) in object(entities, &at)? {
            let at = at.inner(entity);
            let on =
                entity_of(entity).ok_or_else(|| at.wrong("is not an entity that can have valuations"))?;
            valuations.push(described(on, value, &at)?);
        }
    }
    Ok(Index { facts, system, annotations, valuations, findings })
}

fn system(value: &Value, at: &Path<'_>) -> Result<System, Finding> {
    let time = match required(value, "time", at)?.as_str() {
        Some("discrete") => Time::Discrete,
        Some("stochastic") => Time::Stochastic,
        Some("urgent-stochastic") => Time::UrgentStochastic,
        _ => return Err(at.inner("time").wrong("is not `discrete`, `stochastic` or `urgent-stochastic`")),
    };
    let observed = match value.get("observations-apply-to").and_then(Value::as_str) {
        None => None,
        Some("states") => Some(Entity::States),
        Some("branches") => Some(Entity::Branches),
        Some(_) => return Err(at.inner("observations-apply-to").wrong("is not `states` or `branches`")),
    };
    let number = |key: &str| {
        type_of(value.get(key), &at.inner(key)).and_then(|of| match of {
            Some(of) if !of.scalar.is_continuous() => Err(at
                .inner(key)
                .wrong(format!("has type `{}`, which is not allowed here", of.scalar.name()))),
            of => Ok(of),
        })
    };
    let system = System {
        time,
        players: count(value, "#players", at)?,
        states: count(value, "#states", at)?,
        initial: count(value, "#initial-states", at)?,
        choices: count(value, "#choices", at)?,
        choice_actions: count(value, "#choice-actions", at)?,
        branches: count(value, "#branches", at)?,
        branch_actions: count(value, "#branch-actions", at)?,
        observations: count(value, "#observations", at)?,
        observed,
        probability: number("branch-probability-type")?,
        exit_rate: number("exit-rate-type")?,
        observation_probability: number("observation-probability-type")?,
        player_names: texts(value, "player-names", at)?,
    };
    if system.states == 0 {
        return Err(at.inner("#states").wrong("is 0, but a model has at least one state"));
    }
    if system.observations > 0 && observed.is_none() {
        return Err(at.wrong("has observations, but no `observations-apply-to`"));
    }
    let named = system.player_names.len();
    if named != 0 && named != system.players as usize {
        return Err(at
            .inner("player-names")
            .wrong(format!("has {named} names for {} players", system.players)));
    }
    Ok(system)
}

fn annotation(group: &str, id: &str, value: &Value, at: &Path<'_>) -> Result<Annotated, Finding> {
    for word in [group, id] {
        if !is_word(word) {
            return Err(at.wrong("has a name with characters other than letters, digits, `_` and `-`"));
        }
    }
    let on: Vec<Entity> = texts(value, "applies-to", at)?
        .iter()
        .map(|word| entity_of(word).ok_or_else(|| at.inner("applies-to").wrong(format!("has `{word}`"))))
        .collect::<Result<_, _>>()?;
    let of = type_of(Some(required(value, "type", at)?), &at.inner("type"))?.expect("a type");
    let drawn = match type_of(value.get("probability-type"), &at.inner("probability-type"))? {
        Some(of) if of.scalar.is_continuous() => Some((of, large(value, "#probabilities", at)?.unwrap_or(0))),
        Some(_) => return Err(at.inner("probability-type").wrong("is not a probability type")),
        None => None,
    };
    Ok(Annotated {
        group: group.to_owned(),
        id: id.to_owned(),
        name: text(value, "alias", at)?.unwrap_or_else(|| id.to_owned()),
        description: text(value, "description", at)?,
        on,
        of,
        strings: large(value, "#strings", at)?,
        drawn,
    })
}

fn described(on: Entity, value: &Value, at: &Path<'_>) -> Result<Described, Finding> {
    let classes = required(value, "classes", at)?.as_array();
    let classes = classes.ok_or_else(|| at.inner("classes").wrong("is not a list"))?;
    let mut all = Vec::new();
    for (i, class) in classes.iter().enumerate() {
        let at = at.inner("classes").inner(i.to_string());
        let variables = required(class, "variables", &at)?.as_array();
        let variables = variables.ok_or_else(|| at.inner("variables").wrong("is not a list"))?;
        all.push(variables.iter().map(|part| described_part(part, &at)).collect::<Result<_, _>>()?);
    }
    Ok(Described {
        on,
        unique: value.get("unique").and_then(Value::as_bool).unwrap_or(false),
        strings: large(value, "#strings", at)?,
        classes: all,
    })
}

fn described_part(part: &Value, at: &Path<'_>) -> Result<Part, Finding> {
    if let Some(bits) = part.get("padding") {
        let bits = bits.as_u64().filter(|&bits| bits < 1 << 20);
        return Ok(Part::Padding(bits.ok_or_else(|| at.wrong("has padding that is not a number of bits"))?));
    }
    let name = text(part, "name", at)?.ok_or_else(|| at.wrong("has a variable without `name`"))?;
    let at = at.inner(name.clone());
    let of = type_of(Some(required(part, "type", &at)?), &at.inner("type"))?.expect("a type");
    if matches!(
        of.scalar,
        Scalar::IntInterval | Scalar::UintInterval | Scalar::DoubleInterval | Scalar::RationalInterval
    ) {
        return Err(at.inner("type").wrong("is an interval, which a variable cannot be"));
    }
    let bound = |key: &str| part.get(key).and_then(Value::as_i64);
    Ok(Part::Variable(DescribedVariable {
        is_optional: part.get("is-optional").and_then(Value::as_bool).unwrap_or(false),
        of,
        offset: match part.get("offset") {
            None => 0,
            Some(value) => (value.as_i64().map(i128::from))
                .or_else(|| value.as_u64().map(i128::from))
                .ok_or_else(|| at.inner("offset").wrong("is not an integer"))?,
        },
        bounds: bound("lower").zip(bound("upper")),
        name,
    }))
}

fn entity_of(word: &str) -> Option<Entity> {
    Entity::ALL.into_iter().find(|entity| entity.name() == word)
}

fn type_of(value: Option<&Value>, at: &Path<'_>) -> Result<Option<Type>, Finding> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let (name, size) = match value {
        Value::String(name) => (name.as_str(), None),
        _ => {
            let name = required(value, "type", at)?.as_str().ok_or_else(|| at.wrong("has no name"))?;
            (name, large(value, "size", at)?)
        }
    };
    let scalar =
        Scalar::of_name(name).ok_or_else(|| at.wrong(format!("is `{name}`, which is not a type")))?;
    let bits = size.unwrap_or(scalar.default_bits());
    if bits == 0 || bits > 1 << 20 {
        return Err(at.wrong(format!("has {bits} bits")));
    }
    Ok(Some(Type { scalar, bits }))
}

fn object<'a>(value: &'a Value, at: &Path<'_>) -> Result<&'a serde_json::Map<String, Value>, Finding> {
    value.as_object().ok_or_else(|| at.wrong("is not an object"))
}

fn required<'a>(value: &'a Value, key: &str, at: &Path<'_>) -> Result<&'a Value, Finding> {
    value.get(key).ok_or_else(|| at.wrong(format!("has no `{key}`")))
}

fn text(value: &Value, key: &str, at: &Path<'_>) -> Result<Option<String>, Finding> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(at.inner(key).wrong("is not a string")),
    }
}

fn texts(value: &Value, key: &str, at: &Path<'_>) -> Result<Vec<String>, Finding> {
    let Some(list) = value.get(key).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
    let wrong = || at.inner(key).wrong("is not a list of strings");
    let list = list.as_array().ok_or_else(wrong)?;
    list.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn large(value: &Value, key: &str, at: &Path<'_>) -> Result<Option<u64>, Finding> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(number) => {
            number.as_u64().map(Some).ok_or_else(|| at.inner(key).wrong("is not a non-negative integer"))
        }
    }
}

fn count(value: &Value, key: &str, at: &Path<'_>) -> Result<u32, Finding> {
    required(value, key, at)?;
    let count = large(value, key, at)?.ok_or_else(|| at.inner(key).wrong("is not a non-negative integer"))?;
    match u32::try_from(count) {
        Ok(count) if count < u32::MAX => Ok(count),
        _ => Err(Finding::error(
            codes::EXPLICIT_TOO_LARGE,
            format!("{} is {count}, more than 32-bit numbers can count", at.inner(key).name()),
        )
        .at(Place::in_member(at.file, NAME, None))
        .help("make the model smaller, through its constants or by bisimulation")),
    }
}
