//! Writing: the index, then every array; compressed with gzip unless the caller wants otherwise.
//!
//! Types are written with their sizes and member names without `./`, since readers of other tools need that.

use super::arrays::{Scalar, Type, push_rational, type_for};
use super::ids::{self, Ids};
use super::index::{self, Keys, Written};
use super::records::{Field, Packer, field_for};
use crate::archive;
use crate::finding::Finding;
use crate::model::{
    Actions, Column, Control as Deciding, Distribution, Entity, Measure, Model, Number, Numbers, Rows, Texts,
    Time, Valuations,
};
use crate::output::WriteError;
use serde_json::{Map, Value, json};
use std::io::Write;
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Bytes gathered before they are handed on.
const PIECE: usize = 1 << 16;

/// Writes a model as an archive that is not compressed. Gives what the format cannot hold.
pub fn write(model: &Model, out: &mut dyn Write, control: &Control<'_>) -> Result<Vec<Finding>, WriteError> {
    let mut findings = Vec::new();
    let plan = Plan::new(model, &mut findings)?;
    let mut index = serde_json::to_vec_pretty(&plan.index()).expect("texts and numbers");
    index.push(b'\n');
    let created_s = model.facts.created_s.unwrap_or(0);
    let mut sink = Sink { out, control, created_s, buffer: Vec::with_capacity(2 * PIECE) };
    sink.member(index::NAME, index.len() as u64, |sink| {
        sink.buffer.extend_from_slice(&index);
        Ok(())
    })?;
    plan.arrays(&mut sink)?;
    sink.out.write_all(&archive::END)?;
    Ok(findings)
}

/// Members of the archive being written.
struct Sink<'a> {
    out: &'a mut dyn Write,
    control: &'a Control<'a>,
    created_s: u64,
    buffer: Vec<u8>,
}

impl Sink<'_> {
    /// Writes a member of this many bytes, which `fill` appends to the buffer piece by piece.
    fn member(
        &mut self,
        name: &str,
        bytes: u64,
        fill: impl FnOnce(&mut Self) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        self.control.check()?;
        self.out.write_all(&archive::header(name, bytes, self.created_s))?;
        fill(self)?;
        self.flush()?;
        self.out.write_all(archive::padding(bytes))?;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Hands the buffer on once it is full.
    #[inline]
    fn full(&mut self) -> Result<(), WriteError> {
        if self.buffer.len() < PIECE {
            return Ok(());
        }
        self.control.check()?;
        self.flush()
    }

    fn wide(&mut self, name: &str, numbers: impl ExactSizeIterator<Item = u64>) -> Result<(), WriteError> {
        self.member(name, 8 * numbers.len() as u64, |sink| {
            for number in numbers {
                sink.buffer.extend_from_slice(&number.to_le_bytes());
                sink.full()?;
            }
            Ok(())
        })
    }

    fn narrow(&mut self, name: &str, numbers: &[u32]) -> Result<(), WriteError> {
        self.member(name, 4 * numbers.len() as u64, |sink| {
            for number in numbers {
                sink.buffer.extend_from_slice(&number.to_le_bytes());
                sink.full()?;
            }
            Ok(())
        })
    }

    fn rows(&mut self, name: &str, rows: &Rows) -> Result<(), WriteError> {
        self.wide(name, rows.starts().map(u64::from))
    }

    fn bits(&mut self, name: &str, set: &BitSet) -> Result<(), WriteError> {
        self.wide(name, set.words().iter().copied())
    }

    fn numbers(&mut self, name: &str, of: Type, numbers: &Numbers) -> Result<(), WriteError> {
        self.member(name, of.bytes(numbers.len() as u64), |sink| {
            let half = (of.bits / 16) as usize;
            for number in numbers.iter() {
                match (of.scalar, number) {
                    (Scalar::Double, number) => {
                        let value = number.to_f64().expect("a plain number");
                        sink.buffer.extend_from_slice(&value.to_le_bytes());
                    }
                    (_, Number::Exact(value)) => push_rational(value, half, &mut sink.buffer),
                    (_, Number::DoubleInterval(lower, upper)) => {
                        sink.buffer.extend_from_slice(&lower.to_le_bytes());
                        sink.buffer.extend_from_slice(&upper.to_le_bytes());
                    }
                    (_, Number::ExactInterval(lower, upper)) => {
                        push_rational(lower, half / 2, &mut sink.buffer);
                        push_rational(upper, half / 2, &mut sink.buffer);
                    }
                    (_, Number::Double(_) | Number::Symbolic(_)) => {
                        unreachable!("the type is that of the numbers")
                    }
                }
                sink.full()?;
            }
            Ok(())
        })
    }

    fn strings<'t>(
        &mut self,
        folder: &str,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<(), WriteError> {
        let mut starts = vec![0];
        starts.extend(texts.clone().scan(0, |end, text| {
            *end += text.len() as u64;
            Some(*end)
        }));
        self.wide(&format!("{folder}/string-mapping.bin"), starts.iter().copied())?;
        self.member(&format!("{folder}/strings.bin"), *starts.last().expect("an end"), |sink| {
            for text in texts {
                sink.buffer.extend_from_slice(text.as_bytes());
                sink.full()?;
            }
            Ok(())
        })
    }

    fn column(&mut self, folder: &str, of: Type, column: &Column) -> Result<(), WriteError> {
        let name = format!("{folder}/values.bin");
        match column {
            Column::Bool(set) => self.bits(&name, set),
            Column::Int(values) => self.wide(&name, values.iter().map(|value| value as u64)),
            Column::Unsigned(values) => self.wide(&name, values.iter().copied()),
            Column::Numbers(numbers) => self.numbers(&name, of, numbers),
            Column::IntInterval(values) => {
                self.pairs(&name, values.iter().map(|pair| pair.map(|v| v as u64)))
            }
            Column::UnsignedInterval(values) => self.pairs(&name, values.iter().copied()),
            Column::Text(texts) => {
                self.wide(&name, texts.codes().iter().map(|&code| u64::from(code)))?;
                self.strings(folder, texts.distinct().iter().map(String::as_str))
            }
        }
    }

    fn pairs(
        &mut self,
        name: &str,
        pairs: impl ExactSizeIterator<Item = [u64; 2]>,
    ) -> Result<(), WriteError> {
        self.member(name, 16 * pairs.len() as u64, |sink| {
            for pair in pairs {
                sink.buffer.extend_from_slice(&pair[0].to_le_bytes());
                sink.buffer.extend_from_slice(&pair[1].to_le_bytes());
                sink.full()?;
            }
            Ok(())
        })
    }
}

/// An annotation with its place in the archive.
struct Planned<'a> {
    group: String,
    id: String,
    name: &'a str,
    description: Option<&'a str>,
    of: Type,
    arrays: Vec<(Entity, Array<'a>)>,
    drawn: Option<&'a Distribution>,
}

enum Array<'a> {
    Set(&'a BitSet),
    Numbers(&'a Numbers),
    Column(&'a Column),
}

struct PlannedValuations<'a> {
    of: &'a Valuations,
    fields: Vec<(usize, Field)>,
    padding: u64,
    strings: Vec<&'a Texts>,
}

/// The contents of the archive, checked, with types and names.
struct Plan<'a> {
    model: &'a Model,
    /// Probabilities and exit rates where the model has rates.
    embedded: Option<(Numbers, Numbers)>,
    probability: Option<Type>,
    exit_rate: Option<Type>,
    annotations: Vec<Planned<'a>>,
    valuations: Vec<PlannedValuations<'a>>,
}

impl<'a> Plan<'a> {
    fn new(model: &'a Model, findings: &mut Vec<Finding>) -> Result<Self, WriteError> {
        let embedded = match (model.measure, &model.values) {
            (Measure::Rates, Some(rates)) => Some(embed(model, rates)?),
            _ => None,
        };
        let (values, exit_rates) = match &embedded {
            Some((values, exit_rates)) => (Some(values), Some(exit_rates)),
            None => (model.values.as_ref(), model.exit_rates.as_ref()),
        };
        let probability = values.map(type_of).transpose()?;
        let exit_rate = exit_rates.filter(|_| model.time != Time::Discrete).map(type_of).transpose()?;
        let mut plan = Plan {
            model,
            embedded: None,
            probability,
            exit_rate,
            annotations: Vec::new(),
            valuations: Vec::new(),
        };
        plan.embedded = embedded;
        plan.plan_annotations()?;
        for valuations in &model.valuations {
            plan.plan_valuations(valuations, findings);
        }
        Ok(plan)
    }

    fn plan_annotations(&mut self) -> Result<(), WriteError> {
        let (mut labels, mut rewards) = (Ids::default(), Ids::default());
        for label in &self.model.labels {
            self.annotations.push(Planned {
                group: "aps".to_owned(),
                id: labels.of(&label.name),
                name: &label.name,
                description: label.description.as_deref(),
                of: Type { scalar: Scalar::Bool, bits: 1 },
                arrays: vec![(Entity::States, Array::Set(&label.states))],
                drawn: None,
            });
        }
        for reward in &self.model.rewards {
            let entities = [Entity::States, Entity::Choices, Entity::Branches];
            let arrays: Vec<_> = entities.iter().filter_map(|&on| Some((on, reward.of(on)?))).collect();
            let mut of = Type { scalar: Scalar::Double, bits: 64 };
            for (i, (_, numbers)) in arrays.iter().enumerate() {
                let own = type_of(numbers)?;
                of = match (i, own.scalar == of.scalar) {
                    (0, _) => own,
                    (_, true) => Type { scalar: of.scalar, bits: of.bits.max(own.bits) },
                    // A reward has one type: doubles hold all plain numbers.
                    (_, false) if own.scalar == Scalar::Double || of.scalar == Scalar::Double => {
                        Type { scalar: Scalar::Double, bits: 64 }
                    }
                    _ => return Err(symbolic("rewards of several types").into()),
                };
            }
            self.annotations.push(Planned {
                group: "rewards".to_owned(),
                id: rewards.of(&reward.name),
                name: &reward.name,
                description: reward.description.as_deref(),
                of,
                arrays: arrays.into_iter().map(|(on, numbers)| (on, Array::Numbers(numbers))).collect(),
                drawn: None,
            });
        }
        let mut others: std::collections::HashMap<String, Ids> = std::collections::HashMap::new();
        others.insert("aps".to_owned(), labels);
        others.insert("rewards".to_owned(), rewards);
        let names: Vec<&str> = self.model.annotations.iter().map(|a| a.group.as_str()).collect();
        let groups = ids::groups(&names);
        for annotation in &self.model.annotations {
            let group = groups[annotation.group.as_str()].clone();
            let id = others.entry(group.clone()).or_default().of(&annotation.name);
            self.annotations.push(Planned {
                group,
                id,
                name: &annotation.name,
                description: annotation.description.as_deref(),
                of: column_type(&annotation.values)?,
                arrays: vec![(annotation.on, Array::Column(&annotation.values))],
                drawn: annotation.distribution.as_ref(),
            });
        }
        Ok(())
    }

    fn plan_valuations(&mut self, valuations: &'a Valuations, findings: &mut Vec<Finding>) {
        let (mut fields, mut strings, mut bits) = (Vec::new(), Vec::new(), 0);
        for (i, variable) in valuations.variables.iter().enumerate() {
            let Some(field) = field_for(variable) else {
                let message =
                    format!("the variable `{}` is not written: its values are intervals", variable.name);
                findings.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
                continue;
            };
            bits += field.of.bits + u64::from(field.is_optional);
            if let Column::Text(texts) = &variable.values {
                strings.push(texts);
            }
            fields.push((i, field));
        }
        let padding = bits.wrapping_neg() % 8;
        self.valuations.push(PlannedValuations { of: valuations, fields, padding, strings });
    }

    fn index(&self) -> Written {
        let model = self.model;
        let facts = &model.facts;
        let mut data = Map::new();
        let optional = [
            ("name", &facts.name),
            ("version", &facts.version),
            ("description", &facts.description),
            ("comment", &facts.comment),
            ("doi", &facts.doi),
            ("url", &facts.url),
        ];
        for (key, text) in optional {
            if let Some(text) = text {
                data.insert(key.to_owned(), json!(text));
            }
        }
        if !facts.authors.is_empty() {
            data.insert("authors".to_owned(), json!(facts.authors));
        }
        let mut file = Map::new();
        file.insert("tool".to_owned(), json!("Volvelle"));
        file.insert("tool-version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        if let Some(created_s) = facts.created_s {
            file.insert("creation-date".to_owned(), json!(created_s));
        }
        let parameters = facts.parameters.as_ref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(parameters) = parameters {
            file.insert("parameters".to_owned(), parameters);
        }
        let mut groups: Keys<Keys<Value>> = Keys::default();
        for annotation in &self.annotations {
            let at = groups.0.iter().position(|(name, _)| *name == annotation.group);
            let at = at.unwrap_or_else(|| {
                groups.0.push((annotation.group.clone(), Keys::default()));
                groups.0.len() - 1
            });
            groups.0[at].1.0.push((annotation.id.clone(), annotation.index()));
        }
        let valuations = self.valuations.iter().map(|v| (v.of.on.name().to_owned(), v.index()));
        Written {
            format_version: 1,
            format_revision: 0,
            model_data: data,
            file_data: file,
            transition_system: self.index_of_system(),
            annotations: groups,
            valuations: valuations.collect(),
        }
    }

    fn index_of_system(&self) -> Value {
        let model = self.model;
        let count = |actions: &Option<Actions>| actions.as_ref().map_or(0, |actions| actions.names.len());
        let players = match model.control {
            Deciding::Chance => 0,
            Deciding::Nondeterminism => 1,
            Deciding::Game => model.count(Entity::Players),
        };
        let mut system = json!({
            "time": match model.time {
                Time::Discrete => "discrete",
                Time::Stochastic => "stochastic",
                Time::UrgentStochastic => "urgent-stochastic",
            },
            "#players": players,
            "#states": model.num_states(),
            "#initial-states": model.initial.count(),
            "#choices": model.num_choices(),
            "#choice-actions": count(&model.choice_actions),
            "#branches": model.num_branches(),
            "#branch-actions": count(&model.branch_actions),
            "#observations": model.count(Entity::Observations),
        });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                system[key] = value;
            }
        };
        set("branch-probability-type", self.probability.map(type_json));
        set("exit-rate-type", self.exit_rate.map(type_json));
        set("player-names", model.players.as_ref().map(|players| json!(players.names)));
        if let Some(observations) = model.observations.as_ref().filter(|o| o.count > 0) {
            set("observations-apply-to", Some(json!(observations.on.name())));
            let drawn = observations.distribution.as_ref();
            let drawn = drawn.and_then(|drawn| type_for(&drawn.probabilities));
            set("observation-probability-type", drawn.map(type_json));
        }
        system
    }

    fn arrays(&self, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        let model = self.model;
        if let Rows::Starts(_) = model.choices {
            sink.rows("state-to-choices.bin", &model.choices)?;
        }
        if let Rows::Starts(_) = model.branches {
            sink.rows("choice-to-branches.bin", &model.branches)?;
        }
        if let Some(players) = &model.players {
            sink.narrow("state-to-player.bin", &players.of)?;
        }
        sink.bits("state-is-initial.bin", &model.initial)?;
        if let Some(markovian) = &model.markovian {
            sink.bits("state-is-markovian.bin", markovian)?;
        }
        let (values, exit_rates) = match &self.embedded {
            Some((values, exit_rates)) => (Some(values), Some(exit_rates)),
            None => (model.values.as_ref(), model.exit_rates.as_ref()),
        };
        if let Some((of, numbers)) = self.exit_rate.zip(exit_rates) {
            sink.numbers("state-to-exit-rate.bin", of, numbers)?;
        }
        sink.wide("branch-to-target.bin", model.targets.iter().map(|&target| u64::from(target)))?;
        if let Some((of, numbers)) = self.probability.zip(values) {
            sink.numbers("branch-to-probability.bin", of, numbers)?;
        }
        let actions =
            [("actions/choices", &model.choice_actions), ("actions/branches", &model.branch_actions)];
        for (folder, actions) in actions {
            if let Some(actions) = actions {
                sink.narrow(&format!("{folder}/values.bin"), &actions.of)?;
                sink.strings(folder, actions.names.iter().map(String::as_str))?;
            }
        }
        if let Some(observations) = model.observations.as_ref().filter(|o| o.count > 0) {
            let folder = format!("observations/{}", observations.on.name());
            let of = observations.of.iter().map(|&observation| u64::from(observation));
            sink.wide(&format!("{folder}/values.bin"), of)?;
            if let Some(drawn) = &observations.distribution {
                drawn_arrays(sink, &folder, drawn)?;
            }
        }
        for annotation in &self.annotations {
            for (on, array) in &annotation.arrays {
                let folder = format!("annotations/{}/{}/{}", annotation.group, annotation.id, on.name());
                match array {
                    Array::Set(set) => sink.bits(&format!("{folder}/values.bin"), set)?,
                    Array::Numbers(numbers) => {
                        sink.numbers(&format!("{folder}/values.bin"), annotation.of, numbers)?;
                    }
                    Array::Column(column) => sink.column(&folder, annotation.of, column)?,
                }
                if let Some(drawn) = annotation.drawn {
                    drawn_arrays(sink, &folder, drawn)?;
                }
            }
        }
        self.valuations.iter().try_for_each(|valuations| valuations.arrays(model, sink))
    }
}

fn drawn_arrays(sink: &mut Sink<'_>, folder: &str, drawn: &Distribution) -> Result<(), WriteError> {
    sink.rows(&format!("{folder}/distribution-mapping.bin"), &drawn.rows)?;
    let of = type_of(&drawn.probabilities)?;
    sink.numbers(&format!("{folder}/probabilities.bin"), of, &drawn.probabilities)
}

impl Planned<'_> {
    fn index(&self) -> Value {
        let on: Vec<&str> = self.arrays.iter().map(|(on, _)| on.name()).collect();
        let mut index = json!({ "alias": self.name, "applies-to": on, "type": type_json(self.of) });
        if let Some(description) = self.description {
            index["description"] = json!(description);
        }
        for (_, array) in &self.arrays {
            if let Array::Column(Column::Text(texts)) = array {
                index["#strings"] = json!(texts.distinct().len());
            }
        }
        if let Some(drawn) = self.drawn {
            index["probability-type"] = type_for(&drawn.probabilities).map_or(Value::Null, type_json);
            index["#probabilities"] = json!(drawn.probabilities.len());
        }
        index
    }
}

impl PlannedValuations<'_> {
    fn index(&self) -> Value {
        let mut variables: Vec<Value> = Vec::new();
        for (i, field) in &self.fields {
            let variable = &self.of.variables[*i];
            let mut index = json!({ "name": variable.name, "type": type_json(field.of) });
            if field.is_optional {
                index["is-optional"] = json!(true);
            }
            if field.offset != 0 {
                index["offset"] = json!(field.offset as i64);
            }
            if let Some((lower, upper)) = variable.bounds {
                index["lower"] = json!(lower);
                index["upper"] = json!(upper);
            }
            variables.push(index);
        }
        if self.padding > 0 {
            variables.push(json!({ "padding": self.padding }));
        }
        let mut index = json!({ "unique": self.of.unique, "classes": [{ "variables": variables }] });
        if !self.strings.is_empty() {
            index["#strings"] = json!(self.strings.iter().map(|texts| texts.distinct().len()).sum::<usize>());
        }
        index
    }

    fn arrays(&self, model: &Model, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        let folder = format!("valuations/{}", self.of.on.name());
        let members = model.count(self.of.on);
        let bits: u64 = self.fields.iter().map(|(_, f)| f.of.bits + u64::from(f.is_optional)).sum();
        let bytes = (bits + self.padding) / 8;
        sink.member(&format!("{folder}/valuations.bin"), bytes * members as u64, |sink| {
            let mut packer = Packer::default();
            let mut rational = Vec::new();
            for member in 0..members {
                let mut before = 0;
                for (i, field) in &self.fields {
                    let variable = &self.of.variables[*i];
                    if let Some(present) = &variable.present {
                        packer.push(u64::from(present.contains(member)), 1);
                    }
                    let bits = field.of.bits;
                    match &variable.values {
                        Column::Bool(values) => packer.push(u64::from(values.contains(member)), bits),
                        Column::Int(values) => {
                            packer.push((i128::from(values.get(member)) - field.offset) as u64, bits);
                        }
                        Column::Unsigned(values) => packer.push(values[member], bits),
                        Column::Numbers(Numbers::Double(values)) => {
                            packer.push(values[member].to_bits(), bits)
                        }
                        Column::Numbers(Numbers::Exact(values)) => {
                            rational.clear();
                            push_rational(values.get(member), (bits / 16) as usize, &mut rational);
                            rational.iter().for_each(|&byte| packer.push(byte.into(), 8));
                        }
                        Column::Text(texts) => {
                            packer.push(before + u64::from(texts.codes()[member]), bits);
                            before += texts.distinct().len() as u64;
                        }
                        _ => unreachable!("no field is planned for it"),
                    }
                }
                packer.push(0, self.padding);
                sink.buffer.append(&mut packer.take());
                sink.full()?;
            }
            Ok(())
        })?;
        if self.strings.is_empty() {
            return Ok(());
        }
        sink.strings(&folder, self.strings.iter().flat_map(|texts| texts.distinct()).map(String::as_str))
    }
}

fn type_json(of: Type) -> Value {
    json!({ "type": of.scalar.name(), "size": of.bits })
}

fn type_of(numbers: &Numbers) -> Result<Type, Finding> {
    type_for(numbers).ok_or_else(|| symbolic("expressions over parameters"))
}

fn symbolic(what: &str) -> Finding {
    Finding::error(codes::EXPLICIT_UNSUPPORTED, format!("UMB cannot hold {what}"))
        .help("give the parameters values, or write `.drn`")
}

fn column_type(column: &Column) -> Result<Type, Finding> {
    let scalar = match column {
        Column::Numbers(numbers) => return type_of(numbers),
        Column::Bool(_) => Scalar::Bool,
        Column::Int(_) => Scalar::Int,
        Column::Unsigned(_) => Scalar::Uint,
        Column::Text(_) => Scalar::String,
        Column::IntInterval(_) => Scalar::IntInterval,
        Column::UnsignedInterval(_) => Scalar::UintInterval,
    };
    Ok(Type { scalar, bits: scalar.default_bits() })
}

/// Probabilities of branches and exit rates of states, from the rates of branches.
fn embed(model: &Model, rates: &Numbers) -> Result<(Numbers, Numbers), Finding> {
    let branches_of =
        |state: usize| model.choices.range(state).flat_map(|choice| model.branches.range(choice));
    match rates {
        Numbers::Double(rates) => {
            let mut values = rates.clone();
            let mut exit_rates = Vec::with_capacity(model.num_states());
            for state in 0..model.num_states() {
                let exit_rate: f64 = branches_of(state).map(|branch| rates[branch]).sum();
                branches_of(state).for_each(|branch| values[branch] = rates[branch] / exit_rate);
                exit_rates.push(exit_rate);
            }
            Ok((Numbers::Double(values), Numbers::Double(exit_rates)))
        }
        Numbers::Exact(rates) => {
            let mut values = volvelle_space::RatiosBuilder::default();
            let mut exit_rates = volvelle_space::RatiosBuilder::default();
            for state in 0..model.num_states() {
                let exit_rate =
                    branches_of(state).fold(dashu_ratio::RBig::ZERO, |sum, branch| sum + rates.get(branch));
                branches_of(state).for_each(|branch| values.push(rates.get(branch) / &exit_rate));
                exit_rates.push(exit_rate);
            }
            Ok((Numbers::Exact(values.finish()), Numbers::Exact(exit_rates.finish())))
        }
        _ => Err(symbolic("intervals of rates")),
    }
}
