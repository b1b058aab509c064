//! What the client has done by the server: runs about models, and showing what they have found.

use super::answer::{self, Hint, Outcome};
use super::question::{self, Command, Question};
use super::{Asked, Kept, Launcher, Place, RunId, Running, Runs, pages};
use crate::address::Address;
use crate::analysis::Analysis;
use crate::client::{Client, SCHEME};
use crate::protocol::messages::{self, Answer, ErrorCode, Failure};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;

/// Starts a run: `{"uri": …, "command": "check", "property": "name"}`. It is answered when the run ends.
pub const RUN: &str = "volvelle.run";
/// Ends the run about a model: `{"uri": …}`.
pub const CANCEL: &str = "volvelle.cancel";
/// Shows what a run has found: the same as it was started with.
pub const SHOW: &str = "volvelle.show";

/// A run prints no more; what it prints beyond is lost, and so is its answer.
const MOST_BYTES: u64 = 1 << 28;
/// Texts that are kept to be shown.
const MOST_SHOWN: usize = 32;

/// A run has ended by itself.
pub struct Ended {
    /// Which.
    pub run: RunId,
    /// What it has printed.
    pub printed: Vec<u8>,
}

/// An answer that comes at once, or later.
pub enum Reply {
    /// This one.
    Now(Answer),
    /// A result, as JSON: of large ones no tree is made.
    Written(String),
    /// It is sent when it is there.
    Later,
}

/// What a command is about.
#[derive(Deserialize)]
struct About {
    uri: String,
    #[serde(flatten)]
    question: Question,
}

/// The runs, and messages that wait to be sent.
pub struct Errands {
    runs: Runs,
    tell: Arc<dyn Fn(Ended) + Send + Sync>,
    /// Texts that were shown, with their numbers.
    shown: VecDeque<(u64, String)>,
    next: u64,
    /// Messages to the client, as bytes.
    pub outbox: Vec<Vec<u8>>,
}

impl Errands {
    /// Nothing runs. `tell` is called from other threads.
    pub fn new(launcher: Rc<dyn Launcher>, tell: Arc<dyn Fn(Ended) + Send + Sync>) -> Self {
        Errands { runs: Runs::new(launcher), tell, shown: VecDeque::new(), next: 0, outbox: Vec::new() }
    }

    /// The runs.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// `workspace/executeCommand`
    pub fn execute(
        &mut self,
        request: &Value,
        given: &Value,
        workspace: &mut Workspace,
        client: &Client,
    ) -> Reply {
        let command = given["command"].as_str().unwrap_or_default();
        let argument = given["arguments"][0].clone();
        let failed = |code, message: String| Reply::Now(Err(Failure::new(code, message)));
        match command {
            RUN | SHOW => {
                let about: About = match serde_json::from_value(argument) {
                    Ok(about) => about,
                    Err(error) => return failed(ErrorCode::InvalidParams, error.to_string()),
                };
                let done = match command {
                    RUN => {
                        let token = given.get("workDoneToken").cloned();
                        self.run(request, token, about, workspace, client).map(|()| Reply::Later)
                    }
                    _ => self.show(&about, workspace, client).map(|answer| Reply::Now(Ok(answer))),
                };
                done.unwrap_or_else(|why| failed(ErrorCode::RequestFailed, why))
            }
            CANCEL => {
                // A file of properties stands for its model.
                let analysis = argument["uri"].as_str().and_then(|uri| analysis(workspace, uri).ok());
                let running = analysis.and_then(|analysis| self.runs.running(&analysis.main));
                if let Some(request) = running.map(|running| running.request.clone()) {
                    self.cancel(&request, client);
                }
                Reply::Now(Ok(Value::Null))
            }
            _ => failed(ErrorCode::InvalidParams, format!("there is no command `{command}`")),
        }
    }

    fn run(
        &mut self,
        request: &Value,
        given_token: Option<Value>,
        about: About,
        workspace: &mut Workspace,
        client: &Client,
    ) -> Result<(), String> {
        let document = Address::of(&about.uri);
        let analysis = analysis(workspace, &about.uri)?;
        let model = analysis.main.clone();
        let folder = model.folder().ok_or("a run reads files: save the model first")?.to_path_buf();
        if let Some(name) = workspace.unsaved(&analysis) {
            return Err(format!("a run reads files: save `{name}` first"));
        }
        let settings = workspace.settings(&model)?;
        let question = about.question.normal(&analysis);
        let command = question.command;
        let arguments = question::arguments(&question, &analysis, &settings);
        let is_given = given_token.is_some();
        self.next += 1;
        let own_token = client.creates_progress.then(|| json!(format!("volvelle/{}", self.next)));
        let token = given_token.or(own_token);
        let name = model.name();
        let place = Place { model, question };
        let texts = analysis.identity();
        let asked = Asked { place, document, request: request.clone(), token: token.clone(), texts };
        let started = self.runs.start(asked, &folder, &arguments);
        let (run, output, ended) = started.map_err(|error| format!("the run cannot be started: {error}"))?;
        if let Some(ended) = ended {
            self.end(&ended, &cancelled("another run of the same model was started"), client);
        }
        let tell = self.tell.clone();
        // It ends with the output of the process, which ends with the process.
        std::thread::spawn(move || {
            let mut printed = Vec::new();
            let _ = output.take(MOST_BYTES).read_to_end(&mut printed);
            tell(Ended { run, printed });
        });
        if let Some(token) = &token {
            if !is_given {
                let create = json!({ "token": token });
                self.outbox.push(messages::request_with(
                    "progress",
                    "window/workDoneProgress/create",
                    &create,
                ));
            }
            let title = format!("volvelle {}", command.word());
            self.progress(
                token,
                &json!({ "kind": "begin", "title": title, "message": name, "cancellable": true }),
            );
        }
        self.lenses_changed(client);
        Ok(())
    }

    /// A run has ended by itself.
    pub fn ended(&mut self, ended: &Ended, now: String, client: &Client) {
        // One that was ended before was answered then.
        let Some(running) = self.runs.ended(ended.run) else { return };
        let is_json = !running.place.question.wants_path();
        let outcome = answer::read(&ended.printed, is_json);
        let answer = match &outcome {
            Ok(outcome) => {
                Ok(json!({ "text": outcome.text, "holds": outcome.verdict, "value": outcome.value }))
            }
            Err(why) => Err(Failure::new(ErrorCode::RequestFailed, why.clone())),
        };
        let outcome = outcome.unwrap_or_else(|why| Outcome { text: why, ..Outcome::default() });
        let kept = Kept { outcome, texts: running.texts, when: now };
        self.runs.keep(running.place.clone(), kept);
        self.end(&running, &answer, client);
    }

    /// Ends the run that answers a request, or whose progress has a token.
    pub fn cancel(&mut self, request_or_token: &Value, client: &Client) {
        if let Some(running) = self.runs.cancel(request_or_token) {
            self.end(&running, &cancelled("the run was cancelled"), client);
        }
    }

    /// Ends the run that was asked for from a document.
    pub fn close(&mut self, document: &Address, client: &Client) {
        if let Some(running) = self.runs.close(document) {
            self.end(&running, &cancelled("the document was closed"), client);
        }
    }

    /// Ends all runs.
    pub fn end_all(&mut self, client: &Client) {
        for running in self.runs.end_all() {
            self.end(&running, &cancelled("the server ends"), client);
        }
    }

    /// Answers the request that waits for a run.
    fn end(&mut self, running: &Running, answer: &Answer, client: &Client) {
        if let Some(token) = &running.token {
            self.progress(token, &json!({ "kind": "end" }));
        }
        self.outbox.push(messages::answered(&running.request, answer));
        self.lenses_changed(client);
    }

    fn progress(&mut self, token: &Value, value: &Value) {
        let progress = json!({ "token": token, "value": value });
        self.outbox.push(messages::notification("$/progress", &progress));
    }

    fn lenses_changed(&mut self, client: &Client) {
        if client.refreshes_lenses {
            self.outbox.push(messages::request("lenses", "workspace/codeLens/refresh"));
        }
    }

    /// What runs have found suspicious in a model as it is now.
    pub fn hints(&self, analysis: &Analysis) -> &[Hint] {
        let question = Question { command: Command::Lint, property: None };
        let kept = self.runs.kept(&Place { model: analysis.main.clone(), question });
        kept.filter(|kept| kept.texts == analysis.identity()).map_or(&[], |kept| &kept.outcome.hints)
    }

    /// Opens what a run has found, where the client opens documents of the server.
    fn show(&mut self, about: &About, workspace: &mut Workspace, client: &Client) -> Result<Value, String> {
        let analysis = analysis(workspace, &about.uri)?;
        let place =
            Place { model: analysis.main.clone(), question: about.question.clone().normal(&analysis) };
        let kept = self.runs.kept(&place).ok_or("nothing was found yet")?;
        let text = pages::page(&place, kept);
        self.next += 1;
        let uri = format!("{SCHEME}:/found/{}.md", self.next);
        self.shown.push_back((self.next, text.clone()));
        if self.shown.len() > MOST_SHOWN {
            self.shown.pop_front();
        }
        if client.shows_documents {
            let show = json!({ "uri": uri, "takeFocus": true });
            self.outbox.push(messages::request_with("show", "window/showDocument", &show));
        }
        Ok(json!({ "uri": uri, "text": text }))
    }

    /// The text of a document that was shown.
    pub fn shown(&self, uri: &str) -> Option<&str> {
        let name = uri.strip_prefix(SCHEME)?.strip_prefix(":/found/")?;
        let number: u64 = name.strip_suffix(".md")?.parse().ok()?;
        self.shown.iter().find(|(shown, _)| *shown == number).map(|(_, text)| text.as_str())
    }
}

/// What is known about the model of a document that is open.
fn analysis(workspace: &mut Workspace, uri: &str) -> Result<Rc<Analysis>, String> {
    let view = workspace.view(&Address::of(uri)).map_err(|why| why.reason().to_owned())?;
    Ok(view.ok_or_else(|| format!("{uri} is not open"))?.analysis)
}

fn cancelled(why: &str) -> Answer {
    Err(Failure::new(ErrorCode::RequestCancelled, why))
}
