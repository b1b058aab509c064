//! Any bytes as the stream of an editor: no panic, the same frames in pieces of any length, and what was read is written and read again.
#![no_main]

use std::io::{BufReader, Read};
use volvelle_messages::frames::{self, Frame};
use volvelle_messages::{Received, json, receive};

/// All frames, up to the one behind which nothing follows.
fn all(bytes: impl Read, at_once: usize) -> Vec<Frame> {
    let mut input = BufReader::with_capacity(at_once, bytes);
    let mut all = Vec::new();
    loop {
        let frame = frames::read(&mut input).expect("memory can be read");
        let is_last = matches!(frame, Frame::End | Frame::Broken(_));
        all.push(frame);
        if is_last {
            return all;
        }
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let found = all(bytes, 1 << 12);
    assert_eq!(found, all(bytes, 1), "byte by byte");
    let bodies = found.iter().filter_map(|frame| match frame {
        Frame::Whole(body) => Some(body),
        _ => None,
    });
    let bodies: Vec<&Vec<u8>> = bodies.collect();
    let mut written = Vec::new();
    for body in &bodies {
        frames::write(&mut written, body).expect("memory can be written");
    }
    let again = all(&written[..], 1 << 12);
    assert_eq!(again.len(), bodies.len() + 1, "each is written once");
    assert!(again.iter().zip(&bodies).all(|(frame, body)| *frame == Frame::Whole(body.to_vec())));
    let mut messages = Vec::new();
    receive(BufReader::new(bytes), |received| {
        messages.extend(match received {
            Received::Message(body) => Some(body),
            Received::NoMessage { .. } => None,
        });
        true
    });
    assert!(messages.iter().eq(bodies.iter().copied()), "the loop passes on what was read");
    for message in messages {
        if let Ok(value) = json::read(&message) {
            let read = json::read(value.to_string().as_bytes()).expect("what is written is JSON");
            assert_eq!(read, value);
        }
    }
});
