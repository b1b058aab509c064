//! Frames as a client has them.

use serde_json::Value;
use std::io::BufRead;

/// A text in a frame.
pub fn framed(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The next message; none if the server is gone.
///
/// # Panics
/// The server has sent something else.
pub fn receive(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).expect("a pipe can be read") == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ").map(|length| length.parse()),
        }
    }
    let length = length.expect("a header has a length").expect("it is a number");
    let mut body = vec![0; length];
    input.read_exact(&mut body).expect("a frame has as many bytes as it says");
    Some(serde_json::from_slice(&body).expect("a frame has JSON"))
}

#[cfg(test)]
mod tests {
    use super::{framed, receive};

    #[test]
    fn what_is_framed_is_received() {
        let text = framed("{\"a\":\"ü\"}") + &framed("[1]");
        let mut input = text.as_bytes();
        assert_eq!(receive(&mut input), Some(serde_json::json!({ "a": "ü" })));
        assert_eq!(receive(&mut input), Some(serde_json::json!([1])));
        assert_eq!(receive(&mut input), None);
    }
}
