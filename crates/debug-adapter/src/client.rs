//! The client: what it is told, and how it counts.

use crate::protocol::{self, Answer, Request};
use serde_json::{Value, json};
use std::io::Write;
use volvelle_messages::frames;

/// The stream to the client.
pub struct Client<'o> {
    output: &'o mut dyn Write,
    seq: i64,
    /// Whether it does not read any more.
    pub is_gone: bool,
    /// The number of its first line.
    pub first_line: i64,
    /// The number of its first column.
    pub first_column: i64,
}

impl<'o> Client<'o> {
    /// A client that has said nothing yet.
    pub fn of(output: &'o mut dyn Write) -> Self {
        Client { output, seq: 0, is_gone: false, first_line: 1, first_column: 1 }
    }

    /// Reads how it counts from the arguments of `initialize`.
    pub fn introduce(&mut self, arguments: &Value) {
        let first = |name: &str| i64::from(arguments.get(name).and_then(Value::as_bool) != Some(false));
        (self.first_line, self.first_column) = (first("linesStartAt1"), first("columnsStartAt1"));
    }

    /// Answers a request.
    pub fn respond(&mut self, request: &Request, answer: &Answer) {
        let seq = self.next();
        self.send(&protocol::response(seq, request, answer));
    }

    /// Tells an event.
    pub fn event(&mut self, name: &str, body: &Value) {
        let seq = self.next();
        self.send(&protocol::event(seq, name, body));
    }

    /// Tells a text for the console.
    pub fn tell(&mut self, text: &str) {
        self.output("console", text);
    }

    /// Tells a text about something that went wrong.
    pub fn complain(&mut self, text: &str) {
        self.output("stderr", text);
    }

    fn output(&mut self, category: &str, text: &str) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.event("output", &json!({ "category": category, "output": format!("{text}{end}") }));
    }

    fn next(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    fn send(&mut self, message: &Value) {
        if frames::write(&mut self.output, message.to_string().as_bytes()).is_err() {
            self.is_gone = true;
        }
    }
}
