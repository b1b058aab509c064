//! The conversation: what may be asked when, what the client tells, and what it is told unasked.
//!
//! The server has texts as the client sent them, and answers from these and no others. A request that makes it panic gets an error.

use crate::address::Address;
use crate::capabilities;
use crate::client::Client;
use crate::desk::{Desk, NOTHING};
use crate::features::tokens;
use crate::protocol::messages::{Answer, ErrorCode, Failure};
use crate::protocol::types::{Changed, Diagnostic, OfDocument, Opened, Published, params};
use crate::reader::Disk;
use crate::runs::errands::{Ended, Errands, Reply};
use crate::settings::Settings;
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use volvelle_console::clock;

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
    desk: Desk,
    /// What the client was told last, because it asked or unasked, with the version of the text.
    published: Diagnosed,
    /// Whether texts changed since then.
    is_due: bool,
    /// The text that changed last: a client that asks for diagnostics asks for those of this one by itself.
    changed: Option<Address>,
}

/// What is wrong with documents, with the versions of their texts.
type Diagnosed = BTreeMap<Address, (Option<i64>, Vec<Diagnostic>)>;

/// What a request gets that made the server panic.
fn defect() -> Answer {
    Err(Failure::new(ErrorCode::Internal, "a defect of Volvelle: it gave up on this request"))
}

impl Server {
    /// A server that waits for `initialize`.
    pub fn new(disk: Rc<dyn Disk>, errands: Errands) -> Self {
        Server {
            phase: Phase::New,
            was_shut_down: false,
            desk: Desk {
                client: Client::default(),
                workspace: Workspace::new(disk),
                errands,
                sent: tokens::Sent::default(),
            },
            published: BTreeMap::new(),
            is_due: false,
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
        std::mem::take(&mut self.desk.errands.outbox)
    }

    /// A run has ended by itself.
    pub fn ended(&mut self, ended: &Ended) {
        self.desk.errands.ended(ended, clock::now(), &self.desk.client);
        // It may have found something suspicious.
        self.is_due = true;
    }

    /// The client does not want an answer any more.
    pub fn cancel(&mut self, request_or_token: &Value) {
        self.desk.errands.cancel(request_or_token, &self.desk.client);
    }

    /// Answers a request, at once or later.
    pub fn request(&mut self, id: &Value, method: &str, params: Value) -> Reply {
        if (self.phase, method) == (Phase::Running, "workspace/executeCommand") {
            let execute =
                || self.desk.errands.execute(id, &params, &mut self.desk.workspace, &self.desk.client);
            return catch_unwind(AssertUnwindSafe(execute)).unwrap_or_else(|_| Reply::Now(defect()));
        }
        let colours = method.strip_prefix("textDocument/semanticTokens/");
        // Long answers are written without a tree of their values.
        if self.phase == Phase::Running && (colours.is_some() || method == "textDocument/completion") {
            let answer = AssertUnwindSafe(|| match colours {
                Some(which) => self.desk.tokens(which, params),
                None => self.desk.completion(params),
            });
            let answer = catch_unwind(answer).unwrap_or_else(|_| defect().map(|_: Value| String::new()));
            return answer.map_or_else(|failure| Reply::Now(Err(failure)), Reply::Written);
        }
        Reply::Now(self.answered(method, params))
    }

    fn answered(&mut self, method: &str, given: Value) -> Answer {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Running;
                self.desk.client = Client::of(&given);
                if let Some(settings) = given.get("initializationOptions") {
                    self.desk.workspace.set(Settings::of_client(settings));
                }
                Ok(capabilities::answer(&self.desk.client))
            }
            (Phase::New, _) => {
                Err(Failure::new(ErrorCode::ServerNotInitialized, "the first request has to be `initialize`"))
            }
            (Phase::Running, "shutdown") => {
                (self.phase, self.was_shut_down) = (Phase::ShutDown, true);
                self.desk.errands.end_all(&self.desk.client);
                NOTHING
            }
            (Phase::Running, "initialize") => {
                Err(Failure::new(ErrorCode::InvalidRequest, "`initialize` was asked before"))
            }
            (Phase::Running, _) => {
                let answer = AssertUnwindSafe(|| match method {
                    "textDocument/diagnostic" => {
                        self.diagnostics(&params::<OfDocument>(given)?.text_document.uri)
                    }
                    _ => self.desk.answer(method, given),
                });
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
                    let address = self.desk.workspace.texts.open(opened.text_document);
                    self.desk.workspace.arranged(&address);
                    self.is_due = true;
                }
            }
            "textDocument/didChange" => self.change(given),
            "textDocument/didClose" => {
                if let Ok(closed) = params::<OfDocument>(given) {
                    let address = Address::of(&closed.text_document.uri);
                    self.is_due |= self.desk.workspace.texts.close(&address);
                    self.desk.errands.close(&address, &self.desk.client);
                    self.desk.sent.forget(&address);
                    self.desk.workspace.arranged(&address);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.desk.workspace.disk_changed();
                self.is_due = true;
            }
            "workspace/didChangeConfiguration" => {
                // Some clients send all settings, and some send those of this server.
                let given = given.get("settings").unwrap_or(&Value::Null);
                self.desk.workspace.set(Settings::of_client(given.get("volvelle").unwrap_or(given)));
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
                if !self.desk.workspace.texts.change(&address, changed, self.desk.client.encoding) {
                    return;
                }
            }
            Err(_) => self.desk.workspace.texts.lose(&address),
        }
        self.desk.workspace.changed(&address);
        self.changed = Some(address);
        self.is_due = true;
    }

    /// `textDocument/diagnostic`: what is wrong with a text, and with others of the same model.
    fn diagnostics(&mut self, uri: &str) -> Answer {
        let report = |items: &[Diagnostic]| json!({ "kind": "full", "items": items });
        let Some(view) = self.desk.view(uri)? else { return Ok(report(&[])) };
        let told = self.desk.told(&view.analysis);
        let own = view.analysis.document(view.file);
        let of_own = own.and_then(|own| told.get(own)).map_or(&[][..], Vec::as_slice);
        let mut answer = report(of_own);
        let mut known: Vec<_> = own.map(|own| (own.clone(), of_own.to_vec())).into_iter().collect();
        if self.desk.client.takes_related_documents {
            let others = told.iter().filter(|(address, _)| Some(*address) != own);
            known.extend(others.clone().map(|(address, items)| (address.clone(), items.clone())));
            let related = others.map(|(address, items)| (self.desk.workspace.uri(address), report(items)));
            answer["relatedDocuments"] = Value::Object(related.collect());
        }
        if self.desk.client.pulls_diagnostics {
            self.published.extend(known.into_iter().map(|(address, items)| (address, (None, items))));
        }
        Ok(answer)
    }

    /// What the client is to be told now, unasked.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn settle<E>(&mut self, mut tell: impl FnMut(Told<'_>) -> Result<(), E>) -> Result<(), E> {
        let is_silent = self.desk.client.pulls_diagnostics && !self.desk.client.refreshes_diagnostics;
        if !std::mem::take(&mut self.is_due) || self.phase != Phase::Running || is_silent {
            return Ok(());
        }
        let due = self.due();
        let changed = self.changed.take();
        if self.desk.client.pulls_diagnostics {
            return if self.is_outdated(&due, changed.as_ref()) { tell(Told::Refresh) } else { Ok(()) };
        }
        let before = std::mem::replace(&mut self.published, due);
        for (address, (version, diagnostics)) in &self.published {
            let before = before.get(address);
            let is_known = before.is_some_and(|before| before.0 == *version && before.1 == *diagnostics);
            let is_nothing_new = before.is_none() && version.is_none() && diagnostics.is_empty();
            if !is_known && !is_nothing_new {
                let uri = self.desk.workspace.uri(address);
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
        for (address, text) in self.desk.workspace.texts.iter() {
            due.insert(address.clone(), (text.version, Vec::new()));
        }
        for analysis in self.desk.workspace.analyses() {
            for (address, told) in self.desk.told(&analysis).as_ref() {
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
