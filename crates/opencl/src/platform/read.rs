//! Parsing of a platform's description, with diagnostics.

use super::form::{DEVICE, NANOSECONDS, PLATFORM, TIME};
use super::reader::{duration, section, set};
use super::{COEFFICIENTS, Nanoseconds, Platform, read_processor};
use volvelle_declarations::{Codes, Key, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes};

pub(super) fn read(file: FileId, text: &str) -> (Platform, Vec<Diagnostic>) {
    let codes =
        Codes { syntax: codes::PLATFORM_SYNTAX, key: codes::PLATFORM_KEY, value: codes::PLATFORM_VALUE };
    let mut reader = Reader::new(file, text, codes);
    let mut platform = Platform::default();
    let help = "a platform has sections such as `[device]` and `[time]` with lines such as `units = 2`";
    let Some(table) = reader.parse(help) else { return (platform, reader.found) };
    let mut stated = Stated::default();
    for (key, value) in entries(table.get_ref()) {
        match reader.known(key, PLATFORM.entries).map_or("", |entry| entry.name) {
            "name" => match value.get_ref().as_str() {
                Some(name) => name.clone_into(&mut platform.name),
                None => reader.wrong_type("the name", value, "a string", "it in quotation marks"),
            },
            "device" => section(&mut reader, key, value, |reader, entry| {
                stated.device.push(entry.0.get_ref().to_string());
                device(reader, &mut platform, entry);
            }),
            "time" => section(&mut reader, key, value, |reader, entry| {
                stated.time.push(entry.0.get_ref().to_string());
                time(reader, &mut platform, entry);
            }),
            "nanoseconds" => {
                let mut values = [0.0; COEFFICIENTS.len()];
                section(&mut reader, key, value, |reader, entry| {
                    stated.nanoseconds.push(entry.0.get_ref().to_string());
                    nanoseconds(reader, &mut values, entry);
                });
                platform.nanoseconds = Some(Nanoseconds(values));
            }
            "processor" => platform.processor = read_processor::read(&mut reader, key, value),
            _ => {}
        }
    }
    if platform.warp > platform.elements && reader.found.is_empty() {
        // A unit whose elements are fewer than the lanes of a warp runs one warp at a time.
        let message =
            format!("a warp has {} lanes, but a unit has {} elements", platform.warp, platform.elements);
        let help = "let `elements` be a multiple of `warp`";
        let place = reader.find("warp");
        reader.report_at(codes::PLATFORM_VALUE, message, place, help);
    }
    if reader.found.is_empty() {
        stated.tell(&mut reader, &platform);
    }
    (platform, reader.found)
}

/// The keys that a description has, by section.
#[derive(Default)]
struct Stated {
    device: Vec<String>,
    time: Vec<String>,
    nanoseconds: Vec<String>,
}

impl Stated {
    /// Reports the defaults that times depend on and that the description does not state, so that an
    /// assumption is not mistaken for a statement.
    fn tell(&self, reader: &mut Reader<'_>, platform: &Platform) {
        if self.time.is_empty() && !platform.is_calibrated() {
            let message =
                "the platform states no costs: a least time would be one over costs that nobody stated";
            let help = "add `[time]` with `global = 4` and what else takes time; the platforms that ship state all keys";
            return reader.report(codes::PLATFORM_KEY, message, 0..0, help);
        }
        let costs = &platform.costs;
        let prefetch = u64::from(platform.prefetch);
        let device: [(&str, u64); 8] = [
            ("devices", platform.devices.into()),
            ("units", platform.units.into()),
            ("elements", platform.elements.into()),
            ("warp", platform.warp.into()),
            ("local_memory", platform.local_memory_bytes),
            ("work_group_max", platform.work_group_max.into()),
            ("segment", platform.segment_bytes.into()),
            ("prefetch", prefetch),
        ];
        let time: [(&str, u32); 10] = [
            ("global", costs.global),
            ("local", costs.local),
            ("private", costs.private),
            ("operation", costs.operation),
            ("launch", costs.launch),
            ("group", costs.group),
            ("barrier", costs.barrier),
            ("phase", costs.phase),
            ("message_host", costs.message_host),
            ("message_unit", costs.message_unit),
        ];
        let is_open = |stated: &[String], key: &str| !stated.iter().any(|known| known == key);
        let mut notes = Vec::new();
        let mut note = |section: &str, taken: Vec<String>| {
            if !taken.is_empty() {
                notes.push(format!("`[{section}]`: {}", taken.join(", ")));
            }
        };
        // Only warps use segments.
        let counts = |key: &str| key != "segment" || platform.warp > 1;
        let shown = |key: &str, value: u64| match key {
            "prefetch" => format!("`prefetch = {}`", value > 0),
            _ => format!("`{key} = {value}`"),
        };
        let open = device.iter().filter(|(key, _)| is_open(&self.device, key) && counts(key));
        note("device", open.map(|(key, value)| shown(key, *value)).collect());
        // Nanoseconds of calibrated platforms do not depend on these.
        if !platform.is_calibrated() {
            let open = time.iter().filter(|(key, _)| is_open(&self.time, key));
            note("time", open.map(|(key, value)| shown(key, u64::from(*value))).collect());
        }
        if platform.nanoseconds.is_some() && platform.processor.is_none() {
            let open = COEFFICIENTS.iter().filter(|key| is_open(&self.nanoseconds, key));
            note("nanoseconds", open.map(|key| shown(key, 0)).collect());
        }
        if !notes.is_empty() {
            let message = "the platform does not state all that times depend on; this was taken";
            let mut warning = Diagnostic::warning(codes::PLATFORM_KEY, message);
            for note in notes {
                warning = warning.note(note);
            }
            reader.found.push(warning.help("state them, or check that they are so"));
        }
    }
}

fn device(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let Some(entry) = reader.known(key, DEVICE) else { return };
    let target = match entry.name {
        "devices" => &mut platform.devices,
        "units" => &mut platform.units,
        "elements" => &mut platform.elements,
        "warp" => &mut platform.warp,
        "work_group_max" => &mut platform.work_group_max,
        "segment" => &mut platform.segment_bytes,
        "local_memory" => {
            let bytes = entry.range().and_then(|range| reader.whole(entry.name, value, range));
            platform.local_memory_bytes = bytes.unwrap_or(platform.local_memory_bytes);
            return;
        }
        _ => {
            platform.prefetch = reader.flag("prefetch", value);
            return;
        }
    };
    set(reader, entry, value, target);
}

fn time(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let Some(entry) = reader.known(key, TIME) else { return };
    let costs = &mut platform.costs;
    let target = match entry.name {
        "global" => &mut costs.global,
        "local" => &mut costs.local,
        "private" => &mut costs.private,
        "operation" => &mut costs.operation,
        "launch" => &mut costs.launch,
        "group" => &mut costs.group,
        "barrier" => &mut costs.barrier,
        "phase" => &mut costs.phase,
        "message_host" => &mut costs.message_host,
        _ => &mut costs.message_unit,
    };
    set(reader, entry, value, target);
}

fn nanoseconds(reader: &mut Reader<'_>, values: &mut [f64], (key, value): (&Key<'_>, &Value<'_>)) {
    let Some(entry) = reader.known(key, &NANOSECONDS) else { return };
    let Some(at) = COEFFICIENTS.iter().position(|name| *name == entry.name) else { return };
    if let Some(number) = duration(reader, entry.name, value) {
        values[at] = number;
    }
}
