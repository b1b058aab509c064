//! The parameters of what is called at a place.

use crate::client::Client;
use crate::features::hover;
use crate::protocol::types::Position;
use crate::protocol::typing::{Parameter, Signature, SignatureHelp};
use crate::workspace::View;
use serde_json::json;
use volvelle_symbols::call_at;

/// What is called at a position.
pub fn help(view: &View, position: Position, client: &Client) -> Option<SignatureHelp> {
    let analysis = &view.analysis;
    let index = analysis.index()?;
    let offset = analysis.offset(view.file, position, client.encoding);
    let text = analysis.text(view.file)?;
    let call = call_at(analysis.indexed()?, index, view.file, text, offset)?;
    let mut label = format!("{}(", call.name);
    let mut parameters = Vec::new();
    for (number, parameter) in call.parameters.iter().enumerate() {
        if number > 0 {
            label += ", ";
        }
        let units = |text: &str| text.encode_utf16().count();
        let start = units(&label);
        label += parameter;
        let place = json!([start, units(&label)]);
        parameters.push(Parameter { label: if client.places_parameters { place } else { json!(parameter) } });
    }
    label.push(')');
    // The argument that the place is in: the first that ends behind it, or the one that is still to be written.
    let before = call
        .arguments
        .iter()
        .take_while(|argument| argument.end < offset && text_has_comma(text, argument.end, offset));
    let last = call.parameters.len().saturating_sub(1);
    let active_parameter = before.count().min(last) as u32;
    let symbol = call.symbol.map(|id| index.symbol(id));
    let documentation = symbol.and_then(|symbol| hover::comment(symbol, client));
    Some(SignatureHelp {
        signatures: vec![Signature { label, documentation, parameters }],
        active_signature: 0,
        active_parameter,
    })
}

fn text_has_comma(text: &str, from: u32, to: u32) -> bool {
    text.get(from as usize..to as usize).is_some_and(|between| between.contains(','))
}
