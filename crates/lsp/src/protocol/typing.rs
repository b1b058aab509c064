//! What editors show while people type: types of parameters and answers.

use super::types::{MarkupContent, Position, Range};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// `textDocument/selectionRange`
#[derive(Debug, Deserialize)]
pub struct SelectionsAt {
    /// Where.
    pub positions: Vec<Position>,
}

/// What may stand at a place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionList<'v> {
    /// Whether there are more.
    pub is_incomplete: bool,
    /// In the order in which they fit.
    pub items: Vec<CompletionItem<'v>>,
}

/// Something that may stand at a place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionItem<'v> {
    /// What is shown.
    pub label: Cow<'v, str>,
    /// What it is.
    pub kind: u8,
    /// As it is declared.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub detail: &'v str,
    /// The comment above the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<MarkupContent>,
    /// Orders the items.
    pub sort_text: Padded,
    /// What is typed to find it, where that is not what is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_text: Option<Cow<'v, str>>,
    /// 1 a text, 2 a snippet.
    pub insert_text_format: u8,
    /// What is written, and where.
    pub text_edit: Replacement<'v>,
}

/// What is written in place of a part of a text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement<'v> {
    /// What is replaced.
    pub range: Range,
    /// By what.
    pub new_text: Cow<'v, str>,
}

/// A number with at least four digits, as a text.
#[derive(Debug)]
pub struct Padded(pub usize);

impl Serialize for Padded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:04}", self.0))
    }
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
