//! From text to a pipeline.

use super::resolve::resolve;
use super::steps::{self, Raw};
use super::{MOST_POINTS, PIPELINE, Pipeline, values};
use volvelle_declarations::{Codes, Reader, entries};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

/// Reads a declaration; without errors there is a pipeline. Files are only named, not read.
pub fn read(file: FileId, text: &str) -> (Option<Pipeline>, Vec<Diagnostic>) {
    let codes =
        Codes { syntax: codes::PIPELINE_SYNTAX, key: codes::PIPELINE_KEY, value: codes::PIPELINE_VALUE };
    let mut reader = Reader::new(file, text, codes);
    let help = "a pipeline has a table `[constants]` and tables such as `[step.queue]`";
    let Some(table) = reader.parse(help) else { return (None, reader.found) };
    let is_broken = has_errors(&reader.found);
    let mut constants = Vec::new();
    let mut raw: Vec<Raw> = Vec::new();
    for (key, value) in entries(table.get_ref()) {
        match reader.known(key, PIPELINE.entries).map_or("", |entry| entry.name) {
            "constants" => {
                let Some(table) = reader.table("constants", value, "`[constants]`") else { continue };
                for (key, value) in entries(table) {
                    constants.extend(values::constant(&mut reader, key, value));
                }
            }
            "step" => {
                let Some(table) = reader.table("step", value, "a table for each step: `[step.queue]`") else {
                    continue;
                };
                for (key, value) in entries(table) {
                    raw.extend(steps::step(&mut reader, key, value));
                }
            }
            _ => {}
        }
    }
    // A table may be extended further down: steps count where they begin.
    raw.sort_by_key(|step| step.span.start);
    if raw.is_empty() && reader.found.is_empty() {
        let message = "the pipeline has no step";
        let help = "declare one: `[step.queue]`, and below it `model = \"queue.lotos\"`";
        reader.report_at(codes::PIPELINE_KEY, message.to_owned(), Span::new(file, 0, 0), help);
    }
    let points =
        constants.iter().try_fold(1usize, |count, constant| count.checked_mul(constant.values.len()));
    if points.is_none_or(|points| points > MOST_POINTS) {
        let message = format!("the values of the constants combine to more than {MOST_POINTS} points");
        let place =
            constants.iter().max_by_key(|constant| constant.values.len()).map(|constant| constant.span);
        reader.report_at(
            codes::PIPELINE_VALUE,
            message,
            place.unwrap_or(Span::new(file, 0, 0)),
            "give fewer values",
        );
        return (None, reader.found);
    }
    // Where the text is broken, names may be missing only because of that.
    let pipeline = if is_broken { Pipeline::default() } else { resolve(&mut reader, constants, raw) };
    let pipeline = (!has_errors(&reader.found)).then_some(pipeline);
    (pipeline, reader.found)
}
