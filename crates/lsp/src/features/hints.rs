//! Values of constants and names of parameters, shown in the text.

use crate::client::Client;
use crate::protocol::types::{Position, Range};
use crate::protocol::typing::InlayHint;
use crate::workspace::View;
use volvelle_diagnostics::Span;
use volvelle_symbols::{Index, Kind, Symbol, calls};

const VALUE: u8 = 1;
const PARAMETER: u8 = 2;

/// The hints in a part of a text.
pub fn hints(view: &View, part: Range, client: &Client) -> Vec<InlayHint> {
    let analysis = &view.analysis;
    let Some(index) = analysis.index() else { return Vec::new() };
    let offset = |position| analysis.offset(view.file, position, client.encoding);
    let part = Span { file: view.file, start: offset(part.start), end: offset(part.end) };
    let mut hints = values(view, index, part, client);
    let (Some(text), Some(language)) = (analysis.text(view.file), analysis.indexed()) else { return hints };
    for call in calls(language, index, view.file, text) {
        for (argument, parameter) in call.arguments.iter().zip(&call.parameters) {
            let written = text.get(argument.start as usize..argument.end as usize).unwrap_or("");
            let name = name_of(parameter);
            // What says the same twice is no hint.
            if argument.start < part.start
                || part.end < argument.start
                || written.is_empty()
                || written == name
            {
                continue;
            }
            let position = analysis.range(*argument, client.encoding).start;
            let label = format!("{name}:");
            hints.push(InlayHint {
                position,
                label,
                kind: PARAMETER,
                padding_left: false,
                padding_right: true,
            });
        }
    }
    hints.sort_by_key(|hint| (hint.position, hint.kind));
    hints
}

/// The name in a declaration such as `int n`, `n : Nat` or `byte id = 3`.
fn name_of(parameter: &str) -> &str {
    let before = parameter.split([':', '=']).next().unwrap_or(parameter).trim();
    before.rsplit(' ').next().unwrap_or(before)
}

/// Behind a constant whose definition is not its value: what it is with the constants that are given.
fn values(view: &View, index: &Index, part: Span, client: &Client) -> Vec<InlayHint> {
    let here = |span: &Span| span.file == part.file && part.start <= span.start && span.end <= part.end;
    let constants = index.symbols.iter().filter(|symbol| symbol.kind == Kind::Constant);
    let hint = |symbol: &Symbol| {
        let whole = symbol.whole.filter(here)?;
        let value = view.analysis.value(symbol)?;
        let position: Position = view.analysis.range(whole, client.encoding).end;
        let label = format!("= {value}");
        let is_told = symbol.detail.ends_with(&label);
        (!is_told).then_some(InlayHint {
            position,
            label,
            kind: VALUE,
            padding_left: true,
            padding_right: false,
        })
    };
    constants.filter_map(hint).collect()
}
