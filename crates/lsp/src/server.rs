//! From messages to answers.
//!
//! The server has texts as the client sent them, and answers from these and no others. A request that makes it panic gets an error.

use crate::address::Address;
use crate::analysis::Analysis;
use crate::capabilities;
use crate::client::Client;
use crate::features::{
    completion, diagnostics, fixes, folding, hints, hover, lenses, navigation, outline, rename, selection,
    signature, tokens,
};
use crate::protocol::messages::{Answer, ErrorCode, Failure};
use crate::protocol::types::{
    ActionsFor, AtPosition, Changed, ContentOf, Diagnostic, InRange, OfDocument, Opened, Published, Query,
    ReferencesTo, RenameTo, TextEdit, TokensSince, params,
};
use crate::protocol::typing::{SelectionsAt, TypingAt};
use crate::reader::Disk;
use crate::runs::errands::{Ended, Errands, Reply};
use crate::settings::Settings;
use crate::workspace::{View, Workspace};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use volvelle_console::clock;
use volvelle_diagnostics::Edit;

/// Where a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    /// Requests are answered.
    Running,
    /// After `shutdown`.
    ShutDown,
    /// After `exit`.
    Ended,
}

/// What the client is told without having asked.
pub enum Told<'a> {
    /// What is wrong with a document.
    Diagnostics(Published<'a>),
    /// That other diagnostics than before apply to documents that it did not change.
    Refresh,
}

/// A server in a conversation with one client.
pub struct Server {
    phase: Phase,
    was_shut_down: bool,
    client: Client,
    workspace: Workspace,
    /// What the client was told last, because it asked or unasked, with the version of the text.
    published: Diagnosed,
    /// Whether texts changed since then.
    is_due: bool,
    errands: Errands,
    sent: tokens::Sent,
    /// The text that changed last: a client that asks for diagnostics asks for those of this one by itself.
    changed: Option<Address>,
}

/// What is wrong with documents, with the versions of their texts.
type Diagnosed = BTreeMap<Address, (Option<i64>, Vec<Diagnostic>)>;

/// What a request gets that made the server panic.
fn defect() -> Answer {
    Err(Failure::new(ErrorCode::Internal, "a defect of Volvelle: it gave up on this request"))
}

/// An answer to a request about a text that is in no known language, or that is not open.
const NOTHING: Answer = Ok(Value::Null);

impl Server {
    /// A server that waits for `initialize`.
    pub fn new(disk: Rc<dyn Disk>, errands: Errands) -> Self {
        Server {
            phase: Phase::New,
            was_shut_down: false,
            client: Client::default(),
            workspace: Workspace::new(disk),
            published: BTreeMap::new(),
            is_due: false,
            errands,
            sent: tokens::Sent::default(),
            changed: None,
        }
    }

    /// Whether the conversation is over.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// The exit code of the process, as the protocol has it.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.was_shut_down)
    }

    /// Messages that wait to be sent.
    pub fn outbox(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.errands.outbox)
    }

    /// A run has ended by itself.
    pub fn ended(&mut self, ended: &Ended) {
        self.errands.ended(ended, clock::now(), &self.client);
        // It may have found something suspicious.
        self.is_due = true;
    }

    /// The client does not want an answer any more.
    pub fn cancel(&mut self, request_or_token: &Value) {
        self.errands.cancel(request_or_token, &self.client);
    }

    /// Answers a request, at once or later.
    pub fn request(&mut self, id: &Value, method: &str, params: Value) -> Reply {
        if (self.phase, method) == (Phase::Running, "workspace/executeCommand") {
            let execute = || self.errands.execute(id, &params, &mut self.workspace, &self.client);
            return catch_unwind(AssertUnwindSafe(execute)).unwrap_or_else(|_| Reply::Now(defect()));
        }
        if let (Phase::Running, Some(which)) =
            (self.phase, method.strip_prefix("textDocument/semanticTokens/"))
        {
            let answer = AssertUnwindSafe(|| self.tokens(which, params));
            let answer = catch_unwind(answer).unwrap_or_else(|_| defect().map(|_: Value| String::new()));
            return answer.map_or_else(|failure| Reply::Now(Err(failure)), Reply::Written);
        }
        Reply::Now(self.answered(method, params))
    }

    /// `textDocument/semanticTokens/`: all, those of a part, or what is different.
    fn tokens(&mut self, which: &str, given: Value) -> Result<String, Failure> {
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

    fn answered(&mut self, method: &str, params: Value) -> Answer {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Running;
                self.client = Client::of(&params);
                if let Some(settings) = params.get("initializationOptions") {
                    self.workspace.set(Settings::of_client(settings));
                }
                Ok(capabilities::answer(&self.client))
            }
            (Phase::New, _) => {
                Err(Failure::new(ErrorCode::ServerNotInitialized, "the first request has to be `initialize`"))
            }
            (Phase::Running, "shutdown") => {
                (self.phase, self.was_shut_down) = (Phase::ShutDown, true);
                self.errands.end_all(&self.client);
                NOTHING
            }
            (Phase::Running, "initialize") => {
                Err(Failure::new(ErrorCode::InvalidRequest, "`initialize` was asked before"))
            }
            (Phase::Running, _) => {
                let answer = AssertUnwindSafe(|| self.answer(method, params));
                catch_unwind(answer).unwrap_or_else(|_| defect())
            }
            (Phase::ShutDown | Phase::Ended, _) => {
                Err(Failure::new(ErrorCode::InvalidRequest, "the server was shut down"))
            }
        }
    }

    /// Takes note of what the client tells.
    pub fn notification(&mut self, method: &str, given: Value) {
        if method == "exit" {
            self.phase = Phase::Ended;
        }
        if self.phase != Phase::Running {
            return;
        }
        match method {
            "textDocument/didOpen" => {
                if let Ok(opened) = params::<Opened>(given) {
                    let address = self.workspace.texts.open(opened.text_document);
                    self.workspace.arranged(&address);
                    self.is_due = true;
                }
            }
            "textDocument/didChange" => self.change(given),
            "textDocument/didClose" => {
                if let Ok(closed) = params::<OfDocument>(given) {
                    let address = Address::of(&closed.text_document.uri);
                    self.is_due |= self.workspace.texts.close(&address);
                    self.errands.close(&address, &self.client);
                    self.sent.forget(&address);
                    self.workspace.arranged(&address);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.workspace.disk_changed();
                self.is_due = true;
            }
            "workspace/didChangeConfiguration" => {
                // Some clients send all settings, and some send those of this server.
                let given = given.get("settings").unwrap_or(&Value::Null);
                self.workspace.set(Settings::of_client(given.get("volvelle").unwrap_or(given)));
                self.is_due = true;
            }
            "window/workDoneProgress/cancel" => {
                if let Some(token) = given.get("token") {
                    self.cancel(token);
                }
            }
            // What is not known is not meant for this server.
            _ => {}
        }
    }

    fn change(&mut self, given: Value) {
        let uri = given.pointer("/textDocument/uri").and_then(Value::as_str).map(Address::of);
        let Some(address) = uri else { return };
        match params::<Changed>(given) {
            Ok(changed) => {
                if !self.workspace.texts.change(&address, changed, self.client.encoding) {
                    return;
                }
            }
            Err(_) => self.workspace.texts.lose(&address),
        }
        self.workspace.changed(&address);
        self.changed = Some(address);
        self.is_due = true;
    }

    fn answer(&mut self, method: &str, given: Value) -> Answer {
        match method {
            "textDocument/diagnostic" => self.diagnostics(&params::<OfDocument>(given)?.text_document.uri),
            "textDocument/documentSymbol" => self.about(given, |server, view, _: OfDocument| {
                Ok(outline::symbols(view, &server.client, |address| server.workspace.uri(address)))
            }),
            "textDocument/definition" => self.about(given, |server, view, asked: AtPosition| {
                let uri = |address: &Address| server.workspace.uri(address);
                Ok(json!(navigation::definition(view, asked.position, &server.client, uri)))
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
                Ok(json!(hover::hover(view, asked.position, &server.client)))
            }),
            "textDocument/completion" => self.about(given, |server, view, asked: TypingAt| {
                Ok(json!(completion::completion(view, asked.at.position, &server.client)))
            }),
            "textDocument/signatureHelp" => self.about(given, |server, view, asked: TypingAt| {
                Ok(json!(signature::help(view, asked.at.position, &server.client)))
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
                Ok(json!({ "text": found.or_else(|| diagnostics::page(&uri)).ok_or_else(no_page)? }))
            }
            _ => Err(Failure::new(ErrorCode::MethodNotFound, format!("`{method}` is not known"))),
        }
    }

    /// Answers a request about a text.
    fn about<T: for<'de> serde::Deserialize<'de> + About>(
        &mut self,
        given: Value,
        answer: impl FnOnce(&Self, &View, T) -> Answer,
    ) -> Answer {
        let asked = params::<T>(given)?;
        match self.view(asked.uri())? {
            Some(view) => answer(self, &view, asked),
            None => NOTHING,
        }
    }

    /// What is known about a text.
    fn view(&mut self, uri: &str) -> Result<Option<View>, Failure> {
        let out_of_step = |why: crate::texts::OutOfStep| {
            let message = format!("{}: the text is not known until it is sent as a whole", why.reason());
            Failure::new(ErrorCode::ContentModified, message)
        };
        self.workspace.view(&Address::of(uri)).map_err(out_of_step)
    }

    fn told<'a>(&self, analysis: &'a Analysis) -> Cow<'a, BTreeMap<Address, Vec<Diagnostic>>> {
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

    /// `textDocument/diagnostic`: what is wrong with a text, and with others of the same model.
    fn diagnostics(&mut self, uri: &str) -> Answer {
        let report = |items: &[Diagnostic]| json!({ "kind": "full", "items": items });
        let Some(view) = self.view(uri)? else { return Ok(report(&[])) };
        let told = self.told(&view.analysis);
        let own = view.analysis.document(view.file);
        let of_own = own.and_then(|own| told.get(own)).map_or(&[][..], Vec::as_slice);
        let mut answer = report(of_own);
        let mut known: Vec<_> = own.map(|own| (own.clone(), of_own.to_vec())).into_iter().collect();
        if self.client.takes_related_documents {
            let others = told.iter().filter(|(address, _)| Some(*address) != own);
            known.extend(others.clone().map(|(address, items)| (address.clone(), items.clone())));
            let related = others.map(|(address, items)| (self.workspace.uri(address), report(items)));
            answer["relatedDocuments"] = Value::Object(related.collect());
        }
        if self.client.pulls_diagnostics {
            self.published.extend(known.into_iter().map(|(address, items)| (address, (None, items))));
        }
        Ok(answer)
    }

    fn renamed(&mut self, given: Value) -> Answer {
        let asked = params::<RenameTo>(given)?;
        let Some(view) = self.view(asked.uri())? else { return NOTHING };
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

    /// What the client is to be told now, unasked.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn settle<E>(&mut self, mut tell: impl FnMut(Told<'_>) -> Result<(), E>) -> Result<(), E> {
        let is_silent = self.client.pulls_diagnostics && !self.client.refreshes_diagnostics;
        if !std::mem::take(&mut self.is_due) || self.phase != Phase::Running || is_silent {
            return Ok(());
        }
        let due = self.due();
        let changed = self.changed.take();
        if self.client.pulls_diagnostics {
            return if self.is_outdated(&due, changed.as_ref()) { tell(Told::Refresh) } else { Ok(()) };
        }
        let before = std::mem::replace(&mut self.published, due);
        for (address, (version, diagnostics)) in &self.published {
            let before = before.get(address);
            let is_known = before.is_some_and(|before| before.0 == *version && before.1 == *diagnostics);
            let is_nothing_new = before.is_none() && version.is_none() && diagnostics.is_empty();
            if !is_known && !is_nothing_new {
                let uri = self.workspace.uri(address);
                tell(Told::Diagnostics(Published { uri: &uri, version: *version, diagnostics }))?;
            }
        }
        for (address, (_, diagnostics)) in &before {
            if !self.published.contains_key(address) && !diagnostics.is_empty() {
                let uri = address.uri();
                tell(Told::Diagnostics(Published { uri: &uri, version: None, diagnostics: &[] }))?;
            }
        }
        Ok(())
    }

    /// Whether something else is due than what the client got when it asked last, for another document than the one that changed.
    /// It is noted as told: a client is asked once to ask again.
    fn is_outdated(&mut self, due: &Diagnosed, changed: Option<&Address>) -> bool {
        let mut is_outdated = false;
        self.published.retain(|address, (_, told)| match due.get(address) {
            Some((_, now)) => {
                is_outdated |= Some(address) != changed && told != now;
                told.clone_from(now);
                true
            }
            None => false,
        });
        is_outdated
    }

    /// What is wrong with all documents that are open, and with those that belong to them.
    fn due(&mut self) -> Diagnosed {
        let mut due = Diagnosed::new();
        for (address, text) in self.workspace.texts.iter() {
            due.insert(address.clone(), (text.version, Vec::new()));
        }
        for analysis in self.workspace.analyses() {
            for (address, told) in self.told(&analysis).as_ref() {
                let (_, all) = due.entry(address.clone()).or_default();
                // A file that several models include has the same mistake in each.
                for diagnostic in told {
                    if !all.contains(diagnostic) {
                        all.push(diagnostic.clone());
                    }
                }
            }
        }
        due
    }
}

/// Parameters that are about a document.
trait About {
    fn uri(&self) -> &str;
}

impl About for OfDocument {
    fn uri(&self) -> &str {
        &self.text_document.uri
    }
}

impl About for AtPosition {
    fn uri(&self) -> &str {
        &self.text_document.uri
    }
}

impl About for InRange {
    fn uri(&self) -> &str {
        &self.text_document.uri
    }
}

impl About for ActionsFor {
    fn uri(&self) -> &str {
        &self.text_document.uri
    }
}

impl About for ReferencesTo {
    fn uri(&self) -> &str {
        self.at.uri()
    }
}

impl About for TypingAt {
    fn uri(&self) -> &str {
        self.at.uri()
    }
}

impl About for SelectionsAt {
    fn uri(&self) -> &str {
        &self.text_document.uri
    }
}

impl About for RenameTo {
    fn uri(&self) -> &str {
        self.at.uri()
    }
}
