//! The loop of a thread that reads what a client sends.

use crate::frames::{self, Frame};
use std::io::BufRead;

/// Something that came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// Something else, with the reason.
    NoMessage {
        /// Why it is none.
        why: String,
        /// Whether it cannot be known where the next message begins: nothing follows.
        is_broken: bool,
    },
}

/// Reads until the client is gone or a header is broken, or until `pass_on` wants no more.
pub fn receive(mut input: impl BufRead, mut pass_on: impl FnMut(Received) -> bool) {
    loop {
        let (received, is_last) = match frames::read(&mut input) {
            Ok(Frame::Whole(bytes)) => (Received::Message(bytes), false),
            Ok(Frame::TooLong(bytes)) => {
                let why = format!("a message of {bytes} bytes is too long");
                (Received::NoMessage { why, is_broken: false }, false)
            }
            Ok(Frame::Broken(why)) => (Received::NoMessage { why: why.to_owned(), is_broken: true }, true),
            Ok(Frame::End) | Err(_) => return,
        };
        if !pass_on(received) || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], most: usize) -> Vec<Received> {
        let mut all = Vec::new();
        receive(bytes, |received| {
            all.push(received);
            all.len() < most
        });
        all
    }

    #[test]
    fn nothing_follows_a_broken_header() {
        let text = b"Content-Length: 2\r\n\r\n{}no header\r\n\r\nContent-Length: 2\r\n\r\n{}";
        let all = all(text, 9);
        assert_eq!(all.len(), 2, "{all:?}");
        assert_eq!(all[0], Received::Message(b"{}".to_vec()));
        assert!(matches!(all[1], Received::NoMessage { is_broken: true, .. }));
    }

    #[test]
    fn who_wants_no_more_gets_no_more() {
        let text = b"Content-Length: 2\r\n\r\n{}".repeat(5);
        assert_eq!(all(&text, 3).len(), 3);
        assert_eq!(all(&text, 9).len(), 5);
    }
}
