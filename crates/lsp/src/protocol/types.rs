//! Parameters and results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A place between two characters, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Its line.
    pub line: u32,
    /// Units of the agreed encoding before it.
    pub character: u32,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// Behind its last character.
    pub end: Position,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// The document.
    pub uri: String,
    /// The part.
    pub range: Range,
}

/// Which document.
#[derive(Debug, Deserialize)]
pub struct TextDocument {
    /// Its name.
    pub uri: String,
    /// Its version, where the client says it.
    #[serde(default)]
    pub version: Option<i64>,
}

/// About a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfDocument {
    /// Which one.
    pub text_document: TextDocument,
}

/// About a place in a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AtPosition {
    /// Which document.
    pub text_document: TextDocument,
    /// Where.
    pub position: Position,
}

/// About a part of a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InRange {
    /// Which document.
    pub text_document: TextDocument,
    /// The part.
    pub range: Range,
}

/// `textDocument/semanticTokens/full/delta`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokensSince {
    /// Which document.
    pub text_document: TextDocument,
    /// Which tokens the client has.
    pub previous_result_id: String,
}

/// `textDocument/references`
#[derive(Debug, Deserialize)]
pub struct ReferencesTo {
    /// The name.
    #[serde(flatten)]
    pub at: AtPosition,
    /// Which of them.
    pub context: ReferenceContext,
}

/// Which references are wanted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceContext {
    /// Whether the declaration is one.
    pub include_declaration: bool,
}

/// `textDocument/rename`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameTo {
    /// The name.
    #[serde(flatten)]
    pub at: AtPosition,
    /// The new one.
    pub new_name: String,
}

/// `textDocument/codeAction`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionsFor {
    /// Which part.
    pub range: Range,
    /// Which of them.
    pub context: ActionContext,
}

/// Which actions are wanted.
#[derive(Debug, Default, Deserialize)]
pub struct ActionContext {
    /// Those of these diagnostics, as the client shows them; of all if there are none.
    #[serde(default)]
    pub diagnostics: Vec<Value>,
    /// Those of these kinds.
    #[serde(default)]
    pub only: Option<Vec<String>>,
}

/// `textDocument/didOpen`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The document.
    pub text_document: OpenedDocument,
}

/// A document that is opened.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedDocument {
    /// Its name.
    pub uri: String,
    /// Its language, by a name of the client.
    #[serde(default)]
    pub language_id: String,
    /// Its version.
    #[serde(default)]
    pub version: Option<i64>,
    /// Its text.
    pub text: String,
}

/// `textDocument/didChange`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Which document, with its version afterwards.
    pub text_document: TextDocument,
    /// The changes, each to what the one before left.
    pub content_changes: Vec<Change>,
}

/// A change of a text.
#[derive(Debug, Deserialize)]
pub struct Change {
    /// What is replaced; the whole text if absent.
    #[serde(default)]
    pub range: Option<Range>,
    /// By what.
    pub text: String,
}

/// `workspace/symbol`
#[derive(Debug, Deserialize)]
pub struct Query {
    /// Letters that occur in the name, in this order.
    #[serde(default)]
    pub query: String,
}

/// `workspace/textDocumentContent`
#[derive(Debug, Deserialize)]
pub struct ContentOf {
    /// The name of a document of the server.
    pub uri: String,
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Where.
    pub range: Range,
    /// 1 error, 2 warning, 3 information, 4 hint.
    pub severity: u8,
    /// `V0203`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The page about the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_description: Option<CodeDescription>,
    /// Who says so.
    pub source: &'static str,
    /// What.
    pub message: String,
    /// 1: what is there has no effect, and may be shown greyed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<u8>,
    /// Further places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_information: Vec<RelatedInformation>,
}

/// The page about a code.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeDescription {
    /// Its name.
    pub href: String,
}

/// A further place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelatedInformation {
    /// The place.
    pub location: Location,
    /// A few words about it.
    pub message: String,
}

/// `textDocument/publishDiagnostics`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published<'a> {
    /// The document.
    pub uri: &'a str,
    /// The version that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// What is wrong with it.
    pub diagnostics: &'a [Diagnostic],
}

/// A symbol with those inside.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSymbol {
    /// Its name.
    pub name: String,
    /// As it is declared.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What it is.
    pub kind: u8,
    /// The declaration.
    pub range: Range,
    /// The name in it.
    pub selection_range: Range,
    /// Those inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<DocumentSymbol>,
}

/// A symbol in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolInformation {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: u8,
    /// Where it is declared.
    pub location: Location,
    /// What it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_name: Option<String>,
}

/// An occurrence of the name under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DocumentHighlight {
    /// Where.
    pub range: Range,
    /// 2 it is read, 3 it is written.
    pub kind: u8,
}

/// What is shown about the name under the pointer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hover {
    /// The text.
    pub contents: MarkupContent,
    /// The name.
    pub range: Range,
}

/// A text that is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkupContent {
    /// `markdown` or `plaintext`.
    pub kind: &'static str,
    /// The text.
    pub value: String,
}

/// Lines that can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoldingRange {
    /// The line that stays.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// Why they belong together.
    pub kind: &'static str,
}

/// A replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// What is replaced.
    pub range: Range,
    /// By what.
    pub new_text: String,
}

/// Something that can be done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeAction {
    /// What, in a few words.
    pub title: String,
    /// What kind of thing that is.
    pub kind: &'static str,
    /// Which diagnostics it is a way out of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is probably what is wanted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_preferred: bool,
    /// What changes.
    pub edit: Value,
}

/// Reads parameters.
///
/// # Errors
/// They are not those of the method: why.
pub fn params<T: for<'de> Deserialize<'de>>(params: Value) -> Result<T, super::messages::Failure> {
    serde_json::from_value(params).map_err(|error| {
        super::messages::Failure::new(super::messages::ErrorCode::InvalidParams, error.to_string())
    })
}
