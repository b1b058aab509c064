//! Whether results are what the specification says: they are read as the types that are generated from it, and written again.

use gen_lsp_types as lsp;
use gen_lsp_types::{Notification, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Fails if a result is not one of the method, or has a field that no such result has.
pub fn check(method: &str, result: &Value) {
    match method {
        "initialize" => same::<<lsp::InitializeRequest as Request>::Result>(method, result),
        "textDocument/documentSymbol" => {
            same::<<lsp::DocumentSymbolRequest as Request>::Result>(method, result)
        }
        "textDocument/definition" => same::<<lsp::DefinitionRequest as Request>::Result>(method, result),
        "textDocument/references" => same::<<lsp::ReferencesRequest as Request>::Result>(method, result),
        "textDocument/documentHighlight" => {
            same::<<lsp::DocumentHighlightRequest as Request>::Result>(method, result);
        }
        "textDocument/hover" => same::<<lsp::HoverRequest as Request>::Result>(method, result),
        "textDocument/codeLens" => same::<<lsp::CodeLensRequest as Request>::Result>(method, result),
        "workspace/executeCommand" => {}
        "textDocument/completion" => same::<<lsp::CompletionRequest as Request>::Result>(method, result),
        "textDocument/signatureHelp" => {
            same::<<lsp::SignatureHelpRequest as Request>::Result>(method, result)
        }
        "textDocument/inlayHint" => same::<<lsp::InlayHintRequest as Request>::Result>(method, result),
        "textDocument/selectionRange" => {
            same::<<lsp::SelectionRangeRequest as Request>::Result>(method, result)
        }
        "textDocument/foldingRange" => same::<<lsp::FoldingRangeRequest as Request>::Result>(method, result),
        "textDocument/semanticTokens/full" => {
            same::<<lsp::SemanticTokensRequest as Request>::Result>(method, result);
        }
        "textDocument/semanticTokens/full/delta" => {
            same::<<lsp::SemanticTokensDeltaRequest as Request>::Result>(method, result);
        }
        "textDocument/semanticTokens/range" => {
            same::<<lsp::SemanticTokensRangeRequest as Request>::Result>(method, result);
        }
        "textDocument/prepareRename" => {
            same::<<lsp::PrepareRenameRequest as Request>::Result>(method, result)
        }
        "textDocument/rename" => same::<<lsp::RenameRequest as Request>::Result>(method, result),
        "textDocument/codeAction" => same::<<lsp::CodeActionRequest as Request>::Result>(method, result),
        "workspace/symbol" => same::<<lsp::WorkspaceSymbolRequest as Request>::Result>(method, result),
        "textDocument/diagnostic" => {
            same::<<lsp::DocumentDiagnosticRequest as Request>::Result>(method, result);
        }
        "workspace/textDocumentContent" => {
            same::<<lsp::TextDocumentContentRequest as Request>::Result>(method, result);
        }
        "textDocument/publishDiagnostics" => {
            same::<<lsp::PublishDiagnosticsNotification as Notification>::Params>(method, result);
        }
        "shutdown" => assert!(result.is_null()),
        other => panic!("no type is known for {other}"),
    }
}

fn same<T: DeserializeOwned + Serialize>(method: &str, value: &Value) {
    let read: T =
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{method}: {error} in {value}"));
    assert_eq!(&serde_json::to_value(&read).unwrap(), value, "{method}");
}
