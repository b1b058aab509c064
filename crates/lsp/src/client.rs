//! What the client can do, as it says in `initialize`.

use serde_json::Value;
use volvelle_diagnostics::PositionEncoding;

/// The scheme of the documents that the server has: pages about diagnostics and runs, texts of libraries.
pub const SCHEME: &str = "volvelle";

/// What the client can do. A client that says nothing has the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// What positions count.
    pub encoding: PositionEncoding,
    /// It asks for diagnostics: then none are sent unasked, which it would show twice.
    pub pulls_diagnostics: bool,
    /// It asks again for those of all documents when it is told to.
    pub refreshes_diagnostics: bool,
    /// With those of a document it takes those of others.
    pub takes_related_documents: bool,
    /// It shows further places of diagnostics.
    pub shows_related_places: bool,
    /// It shows a link behind a code.
    pub links_codes: bool,
    /// What is completed may have places where people go on writing.
    pub takes_snippets: bool,
    /// Parameters may be places in a signature.
    pub places_parameters: bool,
    /// It asks again for code lenses when it is told to.
    pub refreshes_lenses: bool,
    /// It shows the progress of what the server does.
    pub creates_progress: bool,
    /// It opens documents when it is told to.
    pub shows_documents: bool,
    /// It asks the server for the documents that it has.
    pub shows_pages: bool,
    /// It has a debugger for the command `volvelle.debug`.
    pub debugs: bool,
    /// It shows diagnostics about what has no effect in a way of its own.
    pub takes_tags: bool,
    /// Symbols may contain others.
    pub nests_symbols: bool,
    /// Hovers may be Markdown.
    pub shows_markdown: bool,
    /// Before a rename it asks whether there is a name.
    pub prepares_rename: bool,
    /// Edits may say which version of a text they are for.
    pub takes_versioned_edits: bool,
    /// Ways out are edits that it makes, not commands that it asks the server to carry out.
    pub takes_code_actions: bool,
}

impl Client {
    /// Reads the parameters of `initialize`. Whatever is not as the specification says counts as not there.
    pub fn of(params: &Value) -> Self {
        let at = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let has = |path: &str| at(path).and_then(Value::as_bool) == Some(true);
        let option = |name: &str| {
            let given = params.get("initializationOptions").and_then(|options| options.get(name));
            given.and_then(Value::as_bool) == Some(true)
        };
        let lists = |path: &str, word: &str| {
            at(path).and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == word))
        };
        let encodings = at("general/positionEncodings").and_then(Value::as_array);
        let preferred = encodings.into_iter().flatten().find_map(|name| match name.as_str()? {
            "utf-8" => Some(PositionEncoding::Utf8),
            "utf-16" => Some(PositionEncoding::Utf16),
            "utf-32" => Some(PositionEncoding::Utf32),
            _ => None,
        });
        Client {
            encoding: preferred.unwrap_or_default(),
            pulls_diagnostics: at("textDocument/diagnostic").is_some_and(Value::is_object),
            refreshes_diagnostics: has("workspace/diagnostics/refreshSupport"),
            takes_related_documents: has("textDocument/diagnostic/relatedDocumentSupport"),
            shows_related_places: has("textDocument/publishDiagnostics/relatedInformation")
                || has("textDocument/diagnostic/relatedInformation"),
            links_codes: has("textDocument/publishDiagnostics/codeDescriptionSupport")
                || has("textDocument/diagnostic/codeDescriptionSupport"),
            takes_snippets: has("textDocument/completion/completionItem/snippetSupport"),
            places_parameters: has(
                "textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport",
            ),
            refreshes_lenses: has("workspace/codeLens/refreshSupport"),
            creates_progress: has("window/workDoneProgress"),
            shows_documents: has("window/showDocument/support"),
            // Extensions say so whose client library does not know such documents.
            shows_pages: at("workspace/textDocumentContent").is_some_and(Value::is_object) || option("pages"),
            debugs: option("debugger"),
            takes_tags: at("textDocument/publishDiagnostics/tagSupport").is_some()
                || at("textDocument/diagnostic/tagSupport").is_some(),
            nests_symbols: has("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            shows_markdown: lists("textDocument/hover/contentFormat", "markdown"),
            prepares_rename: has("textDocument/rename/prepareSupport"),
            takes_versioned_edits: has("workspace/workspaceEdit/documentChanges"),
            takes_code_actions: at("textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_client_that_says_nothing() {
        for params in
            [json!(null), json!([]), json!({ "capabilities": { "general": 7, "textDocument": [] } })]
        {
            assert_eq!(Client::of(&params), Client::default());
        }
        assert_eq!(Client::default().encoding, PositionEncoding::Utf16);
    }

    #[test]
    fn the_first_encoding_that_is_known() {
        let of = |names: Value| {
            Client::of(&json!({ "capabilities": { "general": { "positionEncodings": names } } })).encoding
        };
        assert_eq!(of(json!(["utf-32", "utf-8"])), PositionEncoding::Utf32);
        assert_eq!(of(json!(["utf-7", 3, "utf-8", "utf-16"])), PositionEncoding::Utf8);
        assert_eq!(of(json!(["utf-7"])), PositionEncoding::Utf16);
    }
}
