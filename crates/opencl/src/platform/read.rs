//! Parsing of a platform's description, with diagnostics.

use super::reader::{duration, section, set};
use super::{COEFFICIENTS, Nanoseconds, Platform, read_processor};
use volvelle_declarations::{Codes, Key, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes};

/// Times and counts beyond this are mistakes, and their products could leave 64 bits.
const LARGEST: u64 = 1 << 30;

pub(super) fn read(file: FileId, text: &str) -> (Platform, Vec<Diagnostic>) {
    let codes =
        Codes { syntax: codes::PLATFORM_SYNTAX, key: codes::PLATFORM_KEY, value: codes::PLATFORM_VALUE };
    let mut reader = Reader::new(file, text, codes);
    let mut platform = Platform::default();
    let help = "a platform has sections such as `[device]` and `[time]` with lines such as `units = 2`";
    let Some(table) = reader.parse(help) else { return (platform, reader.found) };
    for (key, value) in entries(table.get_ref()) {
        match &**key.get_ref() {
            "name" => match value.get_ref().as_str() {
                Some(name) => name.clone_into(&mut platform.name),
                None => reader.wrong_type("the name", value, "a string", "it in quotation marks"),
            },
            "device" => {
                section(&mut reader, key, value, |reader, entry| device(reader, &mut platform, entry))
            }
            "time" => section(&mut reader, key, value, |reader, entry| time(reader, &mut platform, entry)),
            "nanoseconds" => {
                let mut values = [0.0; COEFFICIENTS.len()];
                section(&mut reader, key, value, |reader, entry| nanoseconds(reader, &mut values, entry));
                platform.nanoseconds = Some(Nanoseconds(values));
            }
            "processor" => platform.processor = read_processor::read(&mut reader, key, value),
            _ => reader.unknown(key, &["name", "device", "time", "nanoseconds", "processor"]),
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
    (platform, reader.found)
}

fn device(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let at_least_one = 1..=LARGEST;
    match &**key.get_ref() {
        "devices" => set(reader, key, value, 1..=256, &mut platform.devices),
        "units" => set(reader, key, value, at_least_one, &mut platform.units),
        "elements" => set(reader, key, value, at_least_one, &mut platform.elements),
        "warp" => set(reader, key, value, 1..=1024, &mut platform.warp),
        "local_memory" => {
            if let Some(bytes) = reader.whole(key.get_ref(), value, 0..=1 << 40) {
                platform.local_memory_bytes = bytes;
            }
        }
        "work_group_max" => set(reader, key, value, at_least_one, &mut platform.work_group_max),
        "segment" => set(reader, key, value, 1..=1 << 16, &mut platform.segment_bytes),
        "prefetch" => platform.prefetch = reader.flag("prefetch", value),
        _ => reader.unknown(
            key,
            &[
                "devices",
                "units",
                "elements",
                "warp",
                "local_memory",
                "work_group_max",
                "segment",
                "prefetch",
            ],
        ),
    }
}

fn time(reader: &mut Reader<'_>, platform: &mut Platform, (key, value): (&Key<'_>, &Value<'_>)) {
    let costs = &mut platform.costs;
    let target = match &**key.get_ref() {
        "global" => &mut costs.global,
        "local" => &mut costs.local,
        "private" => &mut costs.private,
        "operation" => &mut costs.operation,
        "launch" => &mut costs.launch,
        "group" => &mut costs.group,
        "barrier" => &mut costs.barrier,
        "phase" => &mut costs.phase,
        "message_host" => &mut costs.message_host,
        "message_unit" => &mut costs.message_unit,
        _ => {
            let known = [
                "global",
                "local",
                "private",
                "operation",
                "launch",
                "group",
                "barrier",
                "phase",
                "message_host",
                "message_unit",
            ];
            return reader.unknown(key, &known);
        }
    };
    set(reader, key, value, 0..=LARGEST, target);
}

fn nanoseconds(reader: &mut Reader<'_>, values: &mut [f64], (key, value): (&Key<'_>, &Value<'_>)) {
    let Some(at) = COEFFICIENTS.iter().position(|name| name == key.get_ref()) else {
        return reader.unknown(key, &COEFFICIENTS);
    };
    if let Some(number) = duration(reader, key.get_ref(), value) {
        values[at] = number;
    }
}
