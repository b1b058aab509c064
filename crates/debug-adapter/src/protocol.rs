//! Messages of the Debug Adapter Protocol, as far as this server speaks it.
//!
//! Follows version 1.68 of the specification. What a client says besides is passed over; tests read every answer as the types that are generated
//! from the specification.

use serde_json::{Value, json};
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};

/// What a client asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// What is asked.
    pub command: String,
    /// About what.
    pub arguments: Value,
}

impl Request {
    /// Whether it is to stop what runs.
    pub fn interrupts(&self) -> bool {
        matches!(self.command.as_str(), "pause" | "disconnect" | "terminate" | "restart")
    }
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// In a sentence.
    pub message: String,
    /// As a text of several lines, perhaps.
    pub text: String,
}

impl Failure {
    /// A reason in a sentence.
    pub fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Failure { text: message.clone(), message }
    }

    /// Diagnostics as they are rendered.
    pub fn of(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        let message = diagnostics.first().map_or("it failed", |diagnostic| &diagnostic.message);
        Failure { message: message.to_owned(), text: rendered(diagnostics, sources) }
    }
}

/// The answer to a request: its body.
pub type Answer = Result<Value, Failure>;

/// Diagnostics as a text.
pub fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    render_all(diagnostics, sources, RenderOptions::default()).trim_end().to_owned()
}

/// Reads a message; `None` for one that is no request.
///
/// # Errors
/// It is no message.
pub fn read(bytes: &[u8]) -> Result<Option<Request>, String> {
    let value = volvelle_messages::json::read(bytes).map_err(|error| error.to_string())?;
    let Value::Object(mut fields) = value else { return Err("a message is an object".to_owned()) };
    match fields.get("type").and_then(Value::as_str) {
        Some("request") => {}
        Some("response" | "event") => return Ok(None),
        _ => return Err("its `type` is none of `request`, `response` and `event`".to_owned()),
    }
    let seq = fields.get("seq").and_then(Value::as_i64).ok_or("a request has a number as `seq`")?;
    let Some(Value::String(command)) = fields.remove("command") else {
        return Err("a request has a text as `command`".to_owned());
    };
    Ok(Some(Request { seq, command, arguments: fields.remove("arguments").unwrap_or_default() }))
}

/// The message that answers a request.
pub fn response(seq: i64, request: &Request, answer: &Answer) -> Value {
    let mut message = json!({
        "seq": seq,
        "type": "response",
        "request_seq": request.seq,
        "command": request.command,
        "success": answer.is_ok(),
    });
    match answer {
        Ok(Value::Null) => {}
        Ok(body) => message["body"] = body.clone(),
        Err(failure) => {
            message["message"] = json!(failure.message);
            // Braces in a format are variables, which texts of models must not be.
            let (format, variables) = ("{text}", json!({ "text": failure.text }));
            message["body"] =
                json!({ "error": { "id": 1, "format": format, "variables": variables, "showUser": true } });
        }
    }
    message
}

/// The message of an event.
pub fn event(seq: i64, name: &str, body: &Value) -> Value {
    let mut message = json!({ "seq": seq, "type": "event", "event": name });
    if !body.is_null() {
        message["body"] = body.clone();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = read(br#"{"seq":4,"type":"request","command":"next","arguments":{"threadId":1}}"#);
        let expected = Request { seq: 4, command: "next".into(), arguments: json!({ "threadId": 1 }) };
        assert_eq!(request, Ok(Some(expected)));
        assert_eq!(read(br#"{"seq":4,"type":"response"}"#), Ok(None));
        assert_eq!(read(br#"{"seq":4,"type":"event","event":"x"}"#), Ok(None));
    }

    #[test]
    fn what_is_no_message() {
        for text in [
            "",
            "[]",
            "7",
            "{",
            "{}",
            r#"{"type":"request"}"#,
            r#"{"type":"request","seq":1}"#,
            r#"{"type":"request","seq":"1","command":"next"}"#,
            r#"{"type":"request","seq":1,"command":3}"#,
            r#"{"type":7,"seq":1,"command":"next"}"#,
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn braces_of_a_text_are_no_variables() {
        let request = Request { seq: 1, command: "launch".into(), arguments: Value::Null };
        let message = response(2, &request, &Err(Failure::new("do { x }")));
        assert_eq!(message["body"]["error"]["format"], "{text}");
        assert_eq!(message["body"]["error"]["variables"]["text"], "do { x }");
        assert_eq!(message["message"], "do { x }");
    }
}
