//! Messages: JSON-RPC 2.0, as the protocol has it.

use serde::Serialize;
use serde_json::{Value, json};
use volvelle_messages::json as text;

/// What a client sends.
#[derive(Debug, PartialEq)]
pub enum Message {
    /// It wants an answer.
    Request {
        /// Tells its answer from others.
        id: Value,
        /// What is asked.
        method: String,
        /// About what.
        params: Value,
    },
    /// It wants none.
    Notification {
        /// What is told.
        method: String,
        /// About what.
        params: Value,
    },
    /// An answer to a request of the server.
    Response,
}

/// Why a request has no result. The numbers are those of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "i32")]
pub enum ErrorCode {
    /// The message is no JSON.
    Parse = -32700,
    /// It is no message, or comes at the wrong time.
    InvalidRequest = -32600,
    /// The server does not know the method.
    MethodNotFound = -32601,
    /// The parameters are not those of the method.
    InvalidParams = -32602,
    /// A defect of the server.
    Internal = -32603,
    /// The first request has to be `initialize`.
    ServerNotInitialized = -32002,
    /// The text that the server has is not the one that the client has.
    ContentModified = -32801,
    /// The client did not want an answer any more.
    RequestCancelled = -32800,
    /// What was asked for cannot be done, for the reason in the message.
    RequestFailed = -32803,
}

impl From<ErrorCode> for i32 {
    fn from(code: ErrorCode) -> Self {
        code as i32
    }
}

/// An answer that is no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its kind.
    pub code: ErrorCode,
    /// The reason.
    pub message: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }
}

/// The result of a request.
pub type Answer = Result<Value, Failure>;

/// Reads a message.
///
/// # Errors
/// It is none: the answer to it, with its id if that is known.
pub fn read(bytes: &[u8]) -> Result<Message, (Value, Failure)> {
    let value: Value = match text::read(bytes) {
        Ok(value) => value,
        Err(error) => return Err((Value::Null, Failure::new(ErrorCode::Parse, error.to_string()))),
    };
    let invalid = |id: Value, message: &str| Err((id, Failure::new(ErrorCode::InvalidRequest, message)));
    let Value::Object(mut fields) = value else {
        return invalid(Value::Null, "a message is an object");
    };
    let id = fields.remove("id");
    let id = match id {
        None => None,
        Some(id) if id.is_number() || id.is_string() => Some(id),
        Some(_) if fields.contains_key("method") => {
            return invalid(Value::Null, "an id is a number or a string");
        }
        Some(_) => None,
    };
    let params = fields.remove("params").unwrap_or_default();
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(Value::String(method)), None) => Ok(Message::Notification { method, params }),
        (Some(_), id) => invalid(id.unwrap_or_default(), "a method is a string"),
        (None, _) if fields.contains_key("result") || fields.contains_key("error") => Ok(Message::Response),
        (None, id) => invalid(id.unwrap_or_default(), "there is no method"),
    }
}

/// The message that answers a request.
pub fn answered(id: &Value, answer: &Answer) -> Vec<u8> {
    let message = match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(failure) => json!({ "jsonrpc": "2.0", "id": id, "error": failure }),
    };
    message.to_string().into_bytes()
}

/// The same for a result that is JSON already.
pub fn answered_with(id: &Value, result: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

/// A message that is not answered.
pub fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes()
}

/// A request without parameters.
pub fn request(id: &str, method: &str) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string().into_bytes()
}

/// A request with parameters.
pub fn request_with(id: &str, method: &str, params: &impl Serialize) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<(Value, ErrorCode)> {
        read(text.as_bytes()).err().map(|(id, failure)| (id, failure.code))
    }

    #[test]
    fn three_kinds_of_messages() {
        let request = read(br#"{"jsonrpc":"2.0","id":"a","method":"m","params":[1]}"#);
        let expected = Message::Request { id: json!("a"), method: "m".into(), params: json!([1]) };
        assert_eq!(request, Ok(expected));
        let told = Message::Notification { method: "m".into(), params: Value::Null };
        assert_eq!(read(br#"{"method":"m"}"#), Ok(told));
        assert_eq!(read(br#"{"id":4,"result":null}"#), Ok(Message::Response));
        assert_eq!(read(br#"{"id":null,"error":{"code":1,"message":""}}"#), Ok(Message::Response));
    }

    #[test]
    fn what_is_no_message() {
        let (null, four) = (Value::Null, json!(4));
        for (text, id, expected) in [
            ("", &null, ErrorCode::Parse),
            ("{", &null, ErrorCode::Parse),
            ("\u{0}", &null, ErrorCode::Parse),
            ("[]", &null, ErrorCode::InvalidRequest),
            ("7", &null, ErrorCode::InvalidRequest),
            ("{}", &null, ErrorCode::InvalidRequest),
            (r#"{"id":4}"#, &four, ErrorCode::InvalidRequest),
            (r#"{"id":4,"method":5}"#, &four, ErrorCode::InvalidRequest),
            (r#"{"id":[],"method":"m"}"#, &null, ErrorCode::InvalidRequest),
        ] {
            assert_eq!(code(text), Some((id.clone(), expected)), "{text}");
        }
        assert_eq!(code(&"[".repeat(100_000)), Some((Value::Null, ErrorCode::Parse)));
        assert!(read(b"{\"method\":\"\xff\"}").is_err());
    }
}
