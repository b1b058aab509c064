//! What editors show while people type: types of parameters and answers.

use super::types::{MarkupContent, Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `textDocument/selectionRange`
#[derive(Debug, Deserialize)]
pub struct SelectionsAt {
    /// Where.
    pub positions: Vec<Position>,
}

/// What may stand at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionList {
    /// Whether there are more.
    pub is_incomplete: bool,
    /// In the order in which they fit.
    pub items: Vec<CompletionItem>,
}

/// Something that may stand at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionItem {
    /// What is shown.
    pub label: String,
    /// What it is.
    pub kind: u8,
    /// As it is declared.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The comment above the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<MarkupContent>,
    /// Orders the items.
    pub sort_text: String,
    /// What is typed to find it, where that is not what is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_text: Option<String>,
    /// 1 a text, 2 a snippet.
    pub insert_text_format: u8,
    /// What is written, and where.
    pub text_edit: super::types::TextEdit,
}

/// What is called at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignatureHelp {
    /// There is one.
    pub signatures: Vec<Signature>,
    /// This one.
    pub active_signature: u32,
    /// The parameter at the place.
    pub active_parameter: u32,
}

/// Something with parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signature {
    /// `P(int n, byte id)`
    pub label: String,
    /// The comment above its declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<MarkupContent>,
    /// The parts of the label.
    pub parameters: Vec<Parameter>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// A part of the label of the signature: its text, or where it begins and ends in units of UTF-16.
    pub label: Value,
}

/// A text that an editor shows in another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InlayHint {
    /// Before what stands here.
    pub position: Position,
    /// The text.
    pub label: String,
    /// 1 a type or a value, 2 the name of a parameter.
    pub kind: u8,
    /// Whether there is a blank before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub padding_left: bool,
    /// Whether there is a blank behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub padding_right: bool,
}

/// A part of a text, and the larger one that is selected next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelectionRange {
    /// The part.
    pub range: Range,
    /// The larger one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<SelectionRange>>,
}
