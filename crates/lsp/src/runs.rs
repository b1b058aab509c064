//! Runs of the program about models that are open: each a process of its own, at most one of a model at a time.
//!
//! The server itself explores nothing, so that no model can stop the typing. A run reads files, as any command does; it ends when the
//! client cancels it, when another one of the same model begins, when the document closes from which it was asked for, and when the server
//! ends.

pub mod answer;
pub mod errands;
pub mod pages;
pub mod question;

use crate::address::Address;
use answer::Outcome;
use question::Question;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

/// Starts this program once more.
pub trait Launcher {
    /// Starts it in a folder, with arguments, without input.
    ///
    /// # Errors
    /// It cannot be started.
    fn start(&self, folder: &Path, arguments: &[String]) -> io::Result<Box<dyn Child>>;
}

/// A process that was started. It is killed when it is dropped.
pub trait Child {
    /// What it prints; to be taken once.
    fn output(&mut self) -> Box<dyn Read + Send>;
}

/// A run, by its number.
pub type RunId = u64;

/// Where the answer to a question is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The model.
    pub model: Address,
    /// The question.
    pub question: Question,
}

/// A run that goes on.
pub struct Running {
    /// Its number.
    pub id: RunId,
    /// What is asked.
    pub place: Place,
    /// The document from which it was asked for.
    pub document: Address,
    /// The request of the client that waits for it.
    pub request: Value,
    /// The token under which its progress is shown, if it is.
    pub token: Option<Value>,
    /// What the texts of the model were.
    pub texts: u64,
    /// Killed when the run is dropped.
    _child: Box<dyn Child>,
}

/// An answer, with what it was computed for.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The answer.
    pub outcome: Outcome,
    /// What the texts of the model were.
    pub texts: u64,
    /// When it was computed: `2026-11-30 20:45:00`, in universal time.
    pub when: String,
}

/// All runs.
pub struct Runs {
    launcher: Rc<dyn Launcher>,
    next: RunId,
    /// By model.
    running: BTreeMap<Address, Running>,
    /// The last answer to each question.
    kept: BTreeMap<Place, Kept>,
}

/// What a run is asked for.
pub struct Asked {
    /// What is asked.
    pub place: Place,
    /// The document from which it is asked for.
    pub document: Address,
    /// The request of the client.
    pub request: Value,
    /// The token of its progress.
    pub token: Option<Value>,
    /// What the texts of the model are.
    pub texts: u64,
}

impl Runs {
    /// Nothing runs.
    pub fn new(launcher: Rc<dyn Launcher>) -> Self {
        Runs { launcher, next: 0, running: BTreeMap::new(), kept: BTreeMap::new() }
    }

    /// Starts a run, with what it prints; the one of the same model that it ends, if there is one.
    ///
    /// # Errors
    /// It cannot be started: why.
    pub fn start(
        &mut self,
        asked: Asked,
        folder: &Path,
        arguments: &[String],
    ) -> io::Result<(RunId, Box<dyn Read + Send>, Option<Running>)> {
        // One that cannot be started ends none.
        let mut child = self.launcher.start(folder, arguments)?;
        let output = child.output();
        let ended = self.running.remove(&asked.place.model);
        self.next += 1;
        let Asked { place, document, request, token, texts } = asked;
        let model = place.model.clone();
        let running = Running { id: self.next, place, document, request, token, texts, _child: child };
        self.running.insert(model, running);
        Ok((self.next, output, ended))
    }

    /// Takes out the run that has ended by itself; `None` if it was ended before.
    pub fn ended(&mut self, id: RunId) -> Option<Running> {
        self.take(|running| running.id == id)
    }

    /// Ends the run that answers a request, or whose progress has a token.
    pub fn cancel(&mut self, request_or_token: &Value) -> Option<Running> {
        self.take(|running| {
            running.request == *request_or_token || running.token.as_ref() == Some(request_or_token)
        })
    }

    /// Ends the run that was asked for from a document.
    pub fn close(&mut self, document: &Address) -> Option<Running> {
        self.take(|running| running.document == *document)
    }

    /// Ends all runs.
    pub fn end_all(&mut self) -> Vec<Running> {
        std::mem::take(&mut self.running).into_values().collect()
    }

    fn take(&mut self, is_it: impl Fn(&Running) -> bool) -> Option<Running> {
        let model =
            self.running.iter().find(|(_, running)| is_it(running)).map(|(model, _)| model.clone())?;
        self.running.remove(&model)
    }

    /// What runs about a model.
    pub fn running(&self, model: &Address) -> Option<&Running> {
        self.running.get(model)
    }

    /// Keeps an answer.
    pub fn keep(&mut self, place: Place, kept: Kept) {
        self.kept.insert(place, kept);
    }

    /// The last answer to a question.
    pub fn kept(&self, place: &Place) -> Option<&Kept> {
        self.kept.get(place)
    }
}
