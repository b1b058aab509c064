//! The section of a platform's description on the costs of a processor.

use super::form::{LARGEST, PROCESSOR};
use super::reader::{duration, section};
use crate::processor::{Cache, KIND_COUNT, KINDS, Processor};
use volvelle_declarations::form::Entry;
use volvelle_declarations::{Key, Reader, Value};
use volvelle_diagnostics::codes;

/// Reads `[processor]`; `None` after a diagnostic about its shape.
pub(super) fn read(reader: &mut Reader<'_>, key: &Key<'_>, value: &Value<'_>) -> Option<Processor> {
    let mut processor = Processor::default();
    // The costs of each kind, or `None` if a wrong one was already reported.
    let mut rows: Vec<(usize, Option<Vec<f64>>, std::ops::Range<usize>)> = Vec::new();
    section(reader, key, value, |reader, (key, value)| {
        let Some(&Entry { name, .. }) = reader.known(key, &PROCESSOR) else { return };
        match name {
            "groups" => {
                for entry in reader.list(name, value, "`groups = [1, 4, 16]`") {
                    let Some(size) = reader.whole(name, entry, 1..=LARGEST) else { continue };
                    if processor.groups.last().is_some_and(|last| u64::from(*last) >= size) {
                        let message = "sizes of work-groups rise from one to the next".to_owned();
                        reader.report(codes::PLATFORM_VALUE, message, entry.span(), "");
                        continue;
                    }
                    processor.groups.push(size as u32);
                }
            }
            "caches" => {
                for entry in reader.list(name, value, "`caches = [[32768, 8, 64]]`") {
                    let example = "`[32768, 8, 64]`: bytes, ways, bytes of a line";
                    let numbers = reader.list(name, entry, example).iter();
                    let numbers: Vec<u32> = numbers
                        .filter_map(|number| reader.whole(name, number, 1..=LARGEST))
                        .map(|number| number as u32)
                        .collect();
                    match numbers[..] {
                        [bytes, ways, line] => processor.caches.push(Cache { bytes, ways, line }),
                        _ => reader.wrong_type("a cache", entry, "three numbers", example),
                    }
                }
            }
            _ => {
                let Some(kind) = KINDS.iter().position(|kind| *kind == name) else { return };
                let costs = reader.list(name, value, &format!("`{name} = [0.5, 0.25]`")).iter();
                let costs: Vec<Option<f64>> = costs.map(|cost| duration(reader, name, cost)).collect();
                rows.push((kind, costs.into_iter().collect(), key.span()));
            }
        }
    });
    let count = processor.groups.len();
    if count == 0 {
        let message = "`[processor]` does not say for which work-groups its costs are".to_owned();
        let help = "list their sizes: `groups = [1, 4, 16]`";
        reader.report(codes::PLATFORM_VALUE, message, key.span(), help);
        return None;
    }
    processor.costs = vec![[0.0; KIND_COUNT]; count];
    for (kind, costs, at) in rows {
        let Some(costs) = costs else { continue };
        if costs.len() != count {
            let (name, found) = (KINDS[kind], costs.len());
            let message = format!("`{name}` has costs for {found} of the {count} sizes of `groups`");
            reader.report(codes::PLATFORM_VALUE, message, at, "");
            continue;
        }
        for (row, cost) in processor.costs.iter_mut().zip(costs) {
            row[kind] = cost;
        }
    }
    Some(processor)
}
