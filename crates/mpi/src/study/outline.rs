//! What a study says before a configuration is chosen: its title, files, and parameters.

use super::{HELP, STUDY, reader, template};
use volvelle_declarations::{DeTable, DeValue, Reader, entries};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes, has_errors};

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values; those of a parameter that is swept are several.
    pub values: Vec<String>,
    /// Its declaration.
    pub span: Span,
}

/// What a study says before a configuration is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Title; empty where there is none.
    pub title: String,
    /// File of the program, perhaps with parameters, and its place.
    pub program: (String, Span),
    /// File or name of the protocol, perhaps with parameters, and its place.
    pub protocol: (String, Span),
    /// Parameters in the order of the text.
    pub parameters: Vec<Parameter>,
}

/// Values that a parameter may have at most.
const MOST_VALUES: usize = 1000;

impl Outline {
    /// Reads the outline of a study; without errors there is one.
    pub fn read(file: FileId, text: &str) -> (Option<Self>, Vec<Diagnostic>) {
        let mut reader = reader(file, text);
        let Some(table) = reader.parse(HELP) else { return (None, reader.found) };
        let table = table.get_ref();
        reader.all_known(table, STUDY.entries);
        let title = table.get("title").and_then(|value| reader.string("title", value, "`title = \"...\"`"));
        let program = required(&mut reader, table, "program", "`program = \"pingpong.mpi\"`");
        let protocol = required(&mut reader, table, "protocol", "`protocol = \"MESI\"`");
        let parameters = parameters(&mut reader, table);
        let is_broken = has_errors(&reader.found);
        let outline = match (program, protocol) {
            (Some(program), Some(protocol)) if !is_broken => {
                Some(Outline { title: title.unwrap_or_default(), program, protocol, parameters })
            }
            _ => None,
        };
        (outline, reader.found)
    }
}

fn required(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    example: &str,
) -> Option<(String, Span)> {
    match table.get(key) {
        Some(value) => {
            let span = reader.span(value.span());
            Some((reader.string(key, value, example)?, span))
        }
        None => {
            let span = Span::new(reader.file, 0, 0);
            let message = format!("the study has no `{key}`");
            reader.report_at(codes::MPI_KEY, message, span, &format!("add {example}"));
            None
        }
    }
}

fn parameters(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<Parameter> {
    let Some(value) = table.get("parameters") else { return Vec::new() };
    let Some(table) = reader.table("parameters", value, "`[parameters]`") else { return Vec::new() };
    let mut all = Vec::new();
    for (key, value) in entries(table) {
        let name = key.get_ref().to_string();
        let items = match value.get_ref().as_array() {
            Some(list) => list.iter().collect::<Vec<_>>(),
            None => vec![value],
        };
        if items.is_empty() || items.len() > MOST_VALUES {
            let message = format!("`{name}` has 1 to {MOST_VALUES} values, not {}", items.len());
            reader.report(codes::MPI_VALUE, message, value.span(), "");
            continue;
        }
        let mut values = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => values.push(text.to_string()),
                DeValue::Integer(number) => values.push(number.to_string()),
                DeValue::Float(number) => values.push(number.to_string()),
                DeValue::Boolean(truth) => values.push(truth.to_string()),
                _ => {
                    let example = format!("`{name} = 1` or `{name} = [\"A\", \"B\"]`");
                    reader.wrong(&name, item, "a number, a text, or a list of those", &example);
                }
            }
        }
        all.push(Parameter { name, values, span: reader.span(key.span()) });
    }
    all
}

impl Outline {
    /// The file of the program in a configuration.
    ///
    /// # Errors
    /// A text with a parameter that does not exist.
    pub fn program_in(&self, text: &str, values: &template::Values) -> Result<String, Vec<Diagnostic>> {
        self.expanded(&self.program, text, values)
    }

    /// The file or name of the protocol in a configuration.
    ///
    /// # Errors
    /// A text with a parameter that does not exist.
    pub fn protocol_in(&self, text: &str, values: &template::Values) -> Result<String, Vec<Diagnostic>> {
        self.expanded(&self.protocol, text, values)
    }

    fn expanded(
        &self,
        (template, span): &(String, Span),
        text: &str,
        values: &template::Values,
    ) -> Result<String, Vec<Diagnostic>> {
        let mut reader = reader(span.file, text);
        let at = span.start as usize..span.end as usize;
        template::expanded(&mut reader, template, at, values).ok_or(reader.found)
    }
}
