//! Machines in TOML.
//!
//! ```toml
//! name = "two unequal cores"
//! base = "paper-quad-8"      # a preset to begin with; `paper` if left out
//! task_length = 16
//! protocol = "moesi"
//!
//! [[core]]
//! width = 4
//! alus = 4
//! load_store = 2
//!
//! [[core]]                   # keys that are left out are those of the base
//! width = 1
//!
//! [l1d]
//! size = 32768
//! ```

use super::form::{CORE, ENTRIES};
use super::keys::Setting;
use super::{Machine, Protocols};
use crate::limits::MOST_CORES;
use std::ops::Range;
use volvelle_declarations::{Codes, DeTable, DeValue, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes, has_errors};

const CODES: Codes =
    Codes { syntax: codes::MACHINE_KEY, key: codes::MACHINE_KEY, value: codes::MACHINE_VALUE };

impl Machine {
    /// Reads a machine.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn read(file: FileId, text: &str, protocols: &mut dyn Protocols) -> Result<Self, Vec<Diagnostic>> {
        let mut reader = Reader::new(file, text, CODES);
        let help = "a machine has keys such as `cores = 4` and `width = 2`";
        let Some(table) = reader.parse(help) else { return Err(reader.found) };
        let machine = declared(&mut reader, table.get_ref(), protocols);
        if !has_errors(&reader.found)
            && let Err(found) = machine.check()
        {
            let key = ["l1d", "l1i", "l2", "protocol", "wrong path"]
                .into_iter()
                .find(|key| found.message.contains(key))
                .map(|key| if key == "wrong path" { "wrong_path" } else { key });
            let place = reader.find(key.unwrap_or("cores"));
            reader.found.push(found.at(place, ""));
        }
        if has_errors(&reader.found) { Err(reader.found) } else { Ok(machine) }
    }
}

fn declared(reader: &mut Reader<'_>, table: &DeTable<'_>, protocols: &mut dyn Protocols) -> Machine {
    let all = entries(table);
    let mut machine = Machine::default();
    for (key, value) in &all {
        if key.get_ref() == "base"
            && let Some(name) = reader.string("base", value, "`base = \"paper-quad-8\"`")
        {
            match Machine::preset(&name) {
                Ok(preset) => machine = preset,
                Err(found) => push(reader, found, value.span()),
            }
        }
    }
    for (key, value) in all {
        let Some(entry) = reader.known(key, ENTRIES) else { continue };
        match entry.name {
            "base" => {}
            "name" => {
                if let Some(name) = reader.string("name", value, "`name = \"mine\"`") {
                    machine.name = name;
                }
            }
            "core" => cores(reader, &mut machine, value),
            name => match entry.shape.entries() {
                None => assign(reader, &mut machine, name, value, protocols),
                Some(known) => {
                    let example = format!("`[{name}]` on a line of its own");
                    let Some(table) = reader.table(name, value, &example) else { continue };
                    for (inner, value) in entries(table) {
                        if let Some(inner) = reader.known(inner, known) {
                            let key = format!("{name}.{}", inner.name);
                            assign(reader, &mut machine, &key, value, protocols);
                        }
                    }
                }
            },
        }
    }
    machine
}

/// Cores declared one by one, which replace those of the base.
fn cores(reader: &mut Reader<'_>, machine: &mut Machine, value: &Value<'_>) {
    let usual = machine.cores[0];
    let mut all = Vec::new();
    for item in reader.list("core", value, "`[[core]]` on a line of its own") {
        let mut core = usual;
        let Some(table) = reader.table("core", item, "`[[core]]` on a line of its own") else { continue };
        for (key, value) in entries(table) {
            if let Some(entry) = reader.known(key, CORE)
                && let Some(setting) = setting(reader, entry.name, value)
                && let Err(found) = core.read(entry.name, setting)
            {
                found.into_iter().for_each(|found| push(reader, found, value.span()));
            }
        }
        all.push(core);
    }
    if all.is_empty() || all.len() > MOST_CORES {
        let message = format!("a machine has 1 to {MOST_CORES} cores, not {}", all.len());
        return reader.report(codes::MACHINE_VALUE, message, value.span(), "");
    }
    machine.cores = all;
}

fn assign(
    reader: &mut Reader<'_>,
    machine: &mut Machine,
    key: &str,
    value: &Value<'_>,
    protocols: &mut dyn Protocols,
) {
    if let Some(setting) = setting(reader, key, value)
        && let Err(found) = machine.assign(key, setting, protocols)
    {
        found.into_iter().for_each(|found| push(reader, found, value.span()));
    }
}

fn setting<'v>(reader: &mut Reader<'_>, key: &str, value: &'v Value<'v>) -> Option<Setting<'v>> {
    match value.get_ref() {
        DeValue::String(text) => Some(Setting::Text(text)),
        // A number that does not fit into 64 bits is outside every range.
        DeValue::Integer(digits) => {
            Some(Setting::Whole(u64::from_str_radix(digits.as_str(), digits.radix()).unwrap_or(u64::MAX)))
        }
        DeValue::Boolean(flag) => Some(Setting::Text(if *flag { "true" } else { "false" })),
        _ => {
            reader.wrong(key, value, "a whole number or a word", &format!("`{key} = 1`"));
            None
        }
    }
}

fn push(reader: &mut Reader<'_>, found: Diagnostic, at: Range<usize>) {
    let has_place = found.primary.is_some();
    let span = reader.span(at);
    reader.found.push(if has_place { found } else { found.at(span, "") });
}
