//! Studies: programs × machines × predictors, in TOML.
//!
//! ```toml
//! title = "does a perceptron pay?"
//! machines = ["paper-single-4", "paper-octa-4"]   # presets, or files beside the study
//! predictors = ["gag-14", "perceptron-8"]
//! base = "gag-14"                                 # gains are told over this one
//!
//! [set]                                           # for all machines
//! tasks_per_core = 2
//!
//! [sweep]
//! forward = [0, 1]
//!
//! [[program]]
//! file = "sort.elf"
//! arguments = ["1000"]
//! input = "numbers.txt"                           # its standard input
//!
//! [[reading]]                                     # the same again with other settings
//! name = "cores refill alone"
//! set = { mode = "rolling" }
//!
//! [[expected]]                                    # a mean over all programs, from elsewhere
//! machine = "paper-octa-4"
//! predictor = "gag-14"
//! ipc = 7.64
//! ```

mod form;

pub use form::STUDY;

use crate::grid::Sweep;
use form::{EXPECTED, PROGRAM, READING};
use std::ops::Range;
use volvelle_declarations::form::Entry;
use volvelle_declarations::{Codes, DeTable, DeValue, Key, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes, has_errors};

const CODES: Codes =
    Codes { syntax: codes::MACHINE_KEY, key: codes::MACHINE_KEY, value: codes::MACHINE_VALUE };

/// A key of machines with its value, and where both stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// Where the value stands in the text.
    pub place: Range<usize>,
}

/// A program of a study.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ProgramOfStudy {
    /// Its file, as the study names it.
    pub file: String,
    /// Its name in answers; the file name if left out.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The file of its standard input.
    pub input: Option<String>,
    /// Where it is named.
    pub place: Range<usize>,
}

/// Other settings under which all questions are asked again.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reading {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub set: Vec<Assignment>,
    /// Predictors that replace those of the study, with their places.
    pub predictors: Option<Vec<(String, Range<usize>)>>,
}

/// A figure from elsewhere: the geometric mean over all programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The machine, by name.
    pub machine: String,
    /// The predictor, by name.
    pub predictor: String,
    /// Instructions per cycle.
    pub ipc: f64,
}

/// A study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// The question that it studies.
    pub title: String,
    /// Machines: presets, or files.
    pub machines: Vec<(String, Range<usize>)>,
    /// Predictors: names, or files.
    pub predictors: Vec<(String, Range<usize>)>,
    /// The predictor over which gains are stated.
    pub base: Option<String>,
    /// Settings of all machines.
    pub set: Vec<Assignment>,
    /// Keys that take several values.
    pub sweeps: Vec<Sweep>,
    /// The programs; at least one.
    pub programs: Vec<ProgramOfStudy>,
    /// Other readings.
    pub readings: Vec<Reading>,
    /// Figures from elsewhere.
    pub expected: Vec<Expected>,
}

impl Study {
    /// Reads a study.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn read(file: FileId, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut reader = Reader::new(file, text, CODES);
        let help = "a study has `machines`, `predictors`, and a `[[program]]` or more";
        let Some(table) = reader.parse(help) else { return Err(reader.found) };
        let mut study = Study::default();
        let mut base_place = 0..0;
        for (key, value) in entries(table.get_ref()) {
            match reader.known(key, STUDY.entries).map_or("", |entry| entry.name) {
                "title" => study.title.extend(reader.string("title", value, "`title = \"mine\"`")),
                "machines" => {
                    study.machines = reader.strings("machines", value, "`machines = [\"paper-quad-8\"]`");
                }
                "predictors" => {
                    study.predictors = reader.strings("predictors", value, "`predictors = [\"gag-14\"]`");
                }
                "base" => {
                    study.base = reader.string("base", value, "`base = \"gag-14\"`");
                    base_place = value.span();
                }
                "set" => study.set = settings(&mut reader, value),
                "sweep" => study.sweeps = sweeps(&mut reader, value),
                "program" => {
                    study.programs = each(&mut reader, "program", value, PROGRAM, |reader, table| {
                        program(reader, table, value.span())
                    });
                }
                "reading" => {
                    study.readings = each(&mut reader, "reading", value, READING, reading);
                }
                "expected" => {
                    study.expected = each(&mut reader, "expected", value, EXPECTED, expected);
                }
                _ => {}
            }
        }
        if !has_errors(&reader.found) {
            if study.programs.is_empty() {
                let help = "write `[[program]]` and below it `file = \"NAME.elf\"`";
                reader.report(codes::MACHINE_KEY, "the study has no program", 0..0, help);
            }
            if let Some(base) = &study.base
                && !study.predictors.iter().any(|(name, _)| name == base)
            {
                let message = format!("`{}` is none of the predictors", base.escape_debug());
                reader.report(codes::MACHINE_VALUE, message, base_place, "take one of `predictors`");
            }
        }
        if has_errors(&reader.found) { Err(reader.found) } else { Ok(study) }
    }
}

/// The tables of a list of tables with known keys.
fn each<T>(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Value<'_>,
    known: &'static [Entry],
    mut read: impl FnMut(&mut Reader<'_>, &DeTable<'_>) -> Option<T>,
) -> Vec<T> {
    let example = format!("`[[{name}]]` on a line of its own");
    let mut all = Vec::new();
    for item in reader.list(name, value, &example) {
        let Some(table) = reader.table(name, item, &example) else { continue };
        reader.all_known(table, known);
        all.extend(read(reader, table));
    }
    all
}

/// The entry of a key.
fn find<'t>(table: &'t DeTable<'t>, key: &str) -> Option<&'t Value<'t>> {
    entries(table).into_iter().find(|(known, _)| known.get_ref() == key).map(|(_, value)| value)
}

/// A text that has to be there.
fn text(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, near: &Range<usize>) -> Option<String> {
    match find(table, key) {
        Some(value) => reader.string(key, value, &format!("`{key} = \"NAME\"`")),
        None => {
            let help = format!("write `{key} = \"NAME\"`");
            reader.report(codes::MACHINE_KEY, format!("`{key}` is missing"), near.clone(), &help);
            None
        }
    }
}

fn program(reader: &mut Reader<'_>, table: &DeTable<'_>, near: Range<usize>) -> Option<ProgramOfStudy> {
    let file = text(reader, table, "file", &near)?;
    let place = find(table, "file").map_or(near, Value::span);
    let name = find(table, "name").and_then(|value| reader.string("name", value, "`name = \"sort\"`"));
    let arguments = find(table, "arguments")
        .map(|value| reader.strings("arguments", value, "`arguments = [\"1000\"]`"))
        .unwrap_or_default();
    let input = find(table, "input").and_then(|value| reader.string("input", value, "`input = \"a.txt\"`"));
    let stem = || {
        let last = file.rsplit('/').next().unwrap_or(&file);
        last.strip_suffix(".elf").unwrap_or(last).to_owned()
    };
    Some(ProgramOfStudy {
        name: name.unwrap_or_else(stem),
        arguments: arguments.into_iter().map(|(text, _)| text).collect(),
        input,
        file,
        place,
    })
}

fn reading(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Reading> {
    let near = entries(table).first().map_or(0..0, |(key, _)| key.span());
    let name = text(reader, table, "name", &near)?;
    let set = find(table, "set").map(|value| settings(reader, value)).unwrap_or_default();
    let predictors = find(table, "predictors")
        .map(|value| reader.strings("predictors", value, "`predictors = [\"gshare-14\"]`"));
    Some(Reading { name, set, predictors })
}

fn expected(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Expected> {
    let near = entries(table).first().map_or(0..0, |(key, _)| key.span());
    let machine = text(reader, table, "machine", &near)?;
    let predictor = text(reader, table, "predictor", &near)?;
    let value = find(table, "ipc");
    let number = value.and_then(|value| match value.get_ref() {
        DeValue::Float(digits) => {
            digits.as_str().parse().ok().filter(|ipc: &f64| ipc.is_finite() && *ipc > 0.0)
        }
        DeValue::Integer(digits) => digits.as_str().parse().ok().filter(|ipc| *ipc > 0.0),
        _ => None,
    });
    if number.is_none() {
        let place = value.map_or(near, Value::span);
        reader.report(codes::MACHINE_VALUE, "`ipc` is a number above 0", place, "write `ipc = 2.6`");
    }
    Some(Expected { machine, predictor, ipc: number? })
}

fn settings(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<Assignment> {
    let Some(table) = reader.table("set", value, "`set = { miss = 20 }`") else { return Vec::new() };
    let mut all = Vec::new();
    flat(reader, "", table, &mut |reader, key, value| {
        let Some(text) = scalar(reader, &key, value) else { return };
        all.push(Assignment { key, value: text, place: value.span() });
    });
    all
}

fn sweeps(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<Sweep> {
    let Some(table) = reader.table("sweep", value, "`[sweep]` on a line of its own") else {
        return Vec::new();
    };
    let mut all = Vec::new();
    flat(reader, "", table, &mut |reader, key, value| {
        let items = reader.list(&key, value, "`forward = [0, 1]`");
        let values: Vec<String> = items.iter().filter_map(|item| scalar(reader, &key, item)).collect();
        match values.is_empty() {
            true if items.is_empty() => {
                reader.report(codes::MACHINE_VALUE, format!("`{key}` has no values"), value.span(), "");
            }
            true => {}
            false => all.push(Sweep { key, values }),
        }
    });
    all
}

/// Calls `f` for all entries of a table. `l1d = { size = 1024 }` and `l1d.size = 1024` are the same.
fn flat<'t>(
    reader: &mut Reader<'_>,
    prefix: &str,
    table: &'t DeTable<'t>,
    f: &mut impl FnMut(&mut Reader<'_>, String, &'t Value<'t>),
) {
    for (key, value) in entries(table) {
        let name = Key::get_ref(key);
        match value.get_ref().as_table() {
            // Keys have at most one dot.
            Some(inner) if prefix.is_empty() => flat(reader, &format!("{name}."), inner, f),
            _ => f(reader, format!("{prefix}{name}"), value),
        }
    }
}

fn scalar(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(digits) => Some(digits.as_str().to_owned()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => {
            reader.wrong(key, value, "a whole number or a word", &format!("`{key} = 1`"));
            None
        }
    }
}
