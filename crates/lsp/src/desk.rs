//! Answers to requests about texts.

use crate::address::Address;
use crate::analysis::Analysis;
use crate::client::Client;
use crate::features::{
    completion, diagnostics, files, fixes, folding, hints, hover, lenses, library, navigation, outline,
    rename, selection, signature, tokens,
};
use crate::protocol::messages::{Answer, ErrorCode, Failure};
use crate::protocol::types::{
    ActionsFor, AtPosition, ContentOf, Diagnostic, InRange, OfDocument, Query, ReferencesTo, RenameTo,
    TextEdit, TokensSince, params,
};
use crate::protocol::typing::SelectionsAt;
use crate::runs::errands::Errands;
use crate::workspace::{View, Workspace};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use volvelle_diagnostics::Edit;

/// What answers come from.
pub struct Desk {
    /// What the client can do.
    pub client: Client,
    /// The texts, and what is known about them.
    pub workspace: Workspace,
    /// Runs.
    pub errands: Errands,
    /// The colours that the client has.
    pub sent: tokens::Sent,
}

/// An answer to a request about a text that is in no known language, or that is not open.
pub const NOTHING: Answer = Ok(Value::Null);

impl Desk {
    /// `textDocument/completion`, as JSON.
    ///
    /// # Errors
    /// As for colours.
    pub fn completion(&mut self, given: Value) -> Result<String, Failure> {
        let asked = params::<AtPosition>(given)?;
        let view = self.view(&asked.text_document.uri)?;
        let found = view.map(|view| {
            let listed = |folder: &str| self.workspace.listed(&view.analysis.main, folder);
            completion::completion(&view, asked.position, &self.client, listed)
        });
        Ok(found.unwrap_or_else(|| "null".to_owned()))
    }

    /// `textDocument/semanticTokens/`: all, those of a part, or what is different.
    ///
    /// # Errors
    /// The parameters are not those of the request, or the text is not the one that the client has.
    pub fn tokens(&mut self, which: &str, given: Value) -> Result<String, Failure> {
        let (uri, part, has) = match which {
            "full" => (params::<OfDocument>(given)?.text_document.uri, None, None),
            "full/delta" => {
                let asked = params::<TokensSince>(given)?;
                (asked.text_document.uri, None, Some(asked.previous_result_id))
            }
            "range" => {
                let asked = params::<InRange>(given)?;
                (asked.text_document.uri, Some(asked.range), None)
            }
            _ => {
                let message = format!("`textDocument/semanticTokens/{which}` is not known");
                return Err(Failure::new(ErrorCode::MethodNotFound, message));
            }
        };
        let Some(view) = self.view(&uri)? else { return Ok("null".to_owned()) };
        let data = tokens::tokens(&view, part, &self.client);
        Ok(match part {
            Some(_) => tokens::written(&data),
            None => self.sent.answer(&Address::of(&uri), data, has.as_deref()),
        })
    }

    /// Answers a request that is about texts, but for those about diagnostics, colours, completion and runs.
    pub fn answer(&mut self, method: &str, given: Value) -> Answer {
        match method {
            "textDocument/documentSymbol" => self.about(given, |server, view, _: OfDocument| {
                Ok(outline::symbols(view, &server.client, |address| server.workspace.uri(address)))
            }),
            "textDocument/definition" => self.about(given, |server, view, asked: AtPosition| {
                let uri = |address: &Address| server.workspace.uri(address);
                let beside = |name: &str| server.workspace.beside(&view.analysis.main, name);
                Ok(json!(navigation::definition(view, asked.position, &server.client, beside, uri)))
            }),
            "textDocument/references" => self.about(given, |server, view, asked: ReferencesTo| {
                let uri = |address: &Address| server.workspace.uri(address);
                let with_declaration = asked.context.include_declaration;
                let position = asked.at.position;
                Ok(json!(navigation::references(view, position, with_declaration, &server.client, uri)))
            }),
            "textDocument/documentHighlight" => self.about(given, |server, view, asked: AtPosition| {
                Ok(json!(navigation::highlights(view, asked.position, &server.client)))
            }),
            "textDocument/hover" => self.about(given, |server, view, asked: AtPosition| {
                let found = hover::hover(view, asked.position, &server.client);
                let known = |name: &str| server.workspace.known(&view.analysis.main, name);
                let file = || files::hover(view, asked.position, &server.client, known);
                Ok(json!(found.or_else(file)))
            }),
            "textDocument/signatureHelp" => self.about(given, |server, view, asked: AtPosition| {
                Ok(json!(signature::help(view, asked.position, &server.client)))
            }),
            "textDocument/inlayHint" => self.about(given, |server, view, asked: InRange| {
                Ok(json!(hints::hints(view, asked.range, &server.client)))
            }),
            "textDocument/selectionRange" => self.about(given, |server, view, asked: SelectionsAt| {
                Ok(json!(selection::selections(view, &asked.positions, &server.client)))
            }),
            "textDocument/codeLens" => self.about(given, |server, view, asked: OfDocument| {
                let uri = &asked.text_document.uri;
                Ok(json!(lenses::lenses(view, uri, server.errands.runs(), &server.client)))
            }),
            "textDocument/foldingRange" => {
                self.about(given, |_, view, _: OfDocument| Ok(json!(folding::folding(view))))
            }
            "textDocument/prepareRename" => self.about(given, |server, view, asked: AtPosition| {
                let (range, placeholder) = rename::prepared(view, asked.position, &server.client)?;
                Ok(json!({ "range": range, "placeholder": placeholder }))
            }),
            "textDocument/rename" => self.renamed(given),
            "textDocument/codeAction" => self.about(given, |server, view, asked: ActionsFor| {
                let uri = |address: &Address| server.workspace.uri(address);
                let edit = |edits: &[Edit]| server.edited(view, edits);
                Ok(json!(fixes::actions(view, &asked, &server.client, uri, edit)))
            }),
            "workspace/symbol" => {
                let query = params::<Query>(given)?.query;
                let mut found = Vec::new();
                for analysis in self.workspace.analyses() {
                    let uri = |address: &Address| self.workspace.uri(address);
                    outline::found(&analysis, &query, &self.client, uri, &mut found);
                }
                Ok(json!(found))
            }
            "workspace/textDocumentContent" => {
                let uri = params::<ContentOf>(given)?.uri;
                let no_page = || Failure::new(ErrorCode::RequestFailed, format!("there is no page `{uri}`"));
                let found = self.errands.shown(&uri).map(str::to_owned);
                let found = found.or_else(|| diagnostics::page(&uri)).or_else(|| library::page(&uri));
                Ok(json!({ "text": found.ok_or_else(no_page)? }))
            }
            _ => Err(Failure::new(ErrorCode::MethodNotFound, format!("`{method}` is not known"))),
        }
    }

    /// Answers a request about a text.
    fn about<T: for<'de> serde::Deserialize<'de>>(
        &mut self,
        given: Value,
        answer: impl FnOnce(&Self, &View, T) -> Answer,
    ) -> Answer {
        // Its name stands in the same place, whatever is asked.
        let Some(uri) = given.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_owned) else {
            return params::<OfDocument>(given).and(NOTHING);
        };
        let asked = params::<T>(given)?;
        match self.view(&uri)? {
            Some(view) => answer(self, &view, asked),
            None => NOTHING,
        }
    }

    /// What is known about a text.
    ///
    /// # Errors
    /// The text is not the one that the client has.
    pub fn view(&mut self, uri: &str) -> Result<Option<View>, Failure> {
        let out_of_step = |why: crate::texts::OutOfStep| {
            let message = format!("{}: the text is not known until it is sent as a whole", why.reason());
            Failure::new(ErrorCode::ContentModified, message)
        };
        self.workspace.view(&Address::of(uri)).map_err(out_of_step)
    }

    /// What is wrong with the texts of a model, and what runs have found suspicious in them.
    pub fn told<'a>(&self, analysis: &'a Analysis) -> Cow<'a, BTreeMap<Address, Vec<Diagnostic>>> {
        let uri = |address: &Address| self.workspace.uri(address);
        let told = diagnostics::by_document(analysis, &self.client, &uri);
        let hints = self.errands.hints(analysis);
        if hints.is_empty() {
            return Cow::Borrowed(told);
        }
        let mut told = told.clone();
        for hint in hints {
            let named = analysis.documents().find(|document| document.name() == hint.file);
            if let Some((document, file)) =
                named.and_then(|document| Some((document, analysis.file(document)?)))
            {
                let hint = diagnostics::hint(analysis, file, hint, &self.client);
                told.entry(document.clone()).or_default().push(hint);
            }
        }
        Cow::Owned(told)
    }

    fn renamed(&mut self, given: Value) -> Answer {
        let asked = params::<RenameTo>(given)?;
        let Some(view) = self.view(&asked.at.text_document.uri)? else { return NOTHING };
        let others = || self.workspace.others(&view);
        let found = rename::renamed(&view, asked.at.position, &asked.new_name, &self.client, others)?;
        let edit = |&range: &_| TextEdit { range, new_text: asked.new_name.clone() };
        let edits = found.0.iter().map(|(address, ranges)| (address, ranges.iter().map(edit).collect()));
        Ok(self.workspace_edit(&edits.collect()))
    }

    /// Edits as the client takes them; `None` if there are none, or one is in a text of the program.
    fn edited(&self, view: &View, all: &[Edit]) -> Option<Value> {
        let mut edits: BTreeMap<&Address, Vec<TextEdit>> = BTreeMap::new();
        for edit in all {
            let document = view.analysis.document(edit.span.file)?;
            let range = view.analysis.range(edit.span, self.client.encoding);
            edits.entry(document).or_default().push(TextEdit { range, new_text: edit.text.clone() });
        }
        if edits.is_empty() {
            return None;
        }
        Some(self.workspace_edit(&edits))
    }

    /// Edits of documents, with the versions that they are for, where the client takes these.
    fn workspace_edit(&self, edits: &BTreeMap<&Address, Vec<TextEdit>>) -> Value {
        if !self.client.takes_versioned_edits {
            let changes = edits.iter().map(|(address, edits)| (self.workspace.uri(address), json!(edits)));
            return json!({ "changes": Value::Object(changes.collect()) });
        }
        let changes = edits.iter().map(|(address, edits)| {
            let version = self.workspace.texts.get(address).and_then(|text| text.version);
            let document = json!({ "uri": self.workspace.uri(address), "version": version });
            json!({ "textDocument": document, "edits": edits })
        });
        json!({ "documentChanges": changes.collect::<Vec<_>>() })
    }
}
