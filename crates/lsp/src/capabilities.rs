//! What the server can do, as it says in the answer to `initialize`.

use crate::client::{Client, SCHEME};
use crate::features::{fixes, tokens};
use crate::runs::errands;
use serde_json::{Value, json};
use volvelle_diagnostics::PositionEncoding;

/// The result of `initialize`.
pub fn answer(client: &Client) -> Value {
    let encoding = match client.encoding {
        PositionEncoding::Utf8 => "utf-8",
        PositionEncoding::Utf16 => "utf-16",
        PositionEncoding::Utf32 => "utf-32",
    };
    let renames = if client.prepares_rename { json!({ "prepareProvider": true }) } else { json!(true) };
    let actions =
        if client.takes_code_actions { json!({ "codeActionKinds": fixes::KINDS }) } else { json!(false) };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            // Changes come as edits of parts.
            "textDocumentSync": { "openClose": true, "change": 2 },
            "diagnosticProvider": {
                "identifier": "volvelle",
                "interFileDependencies": true,
                "workspaceDiagnostics": false,
            },
            "documentSymbolProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "hoverProvider": true,
            // Words are asked for as they are begun; these are what names follow.
            "completionProvider": { "triggerCharacters": ["[", "(", "\"", "'", ".", "@", "#", "!", "?", "{"] },
            "signatureHelpProvider": { "triggerCharacters": ["(", ",", "["] },
            "inlayHintProvider": true,
            "codeLensProvider": { "resolveProvider": false },
            "executeCommandProvider": { "commands": [errands::RUN, errands::CANCEL, errands::SHOW] },
            "selectionRangeProvider": true,
            "foldingRangeProvider": true,
            "workspaceSymbolProvider": true,
            "renameProvider": renames,
            "codeActionProvider": actions,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS },
                "full": { "delta": true },
                "range": true,
            },
            "workspace": { "textDocumentContent": { "schemes": [SCHEME] } },
        },
        "serverInfo": { "name": "volvelle", "version": env!("CARGO_PKG_VERSION") },
    })
}
