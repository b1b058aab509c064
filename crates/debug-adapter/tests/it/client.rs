//! A client of the server: it talks through pipes.

use crate::protocol;
use serde_json::{Value, json};
use std::io::{BufReader, PipeReader, PipeWriter, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use volvelle_control::Cancel;
use volvelle_debug_adapter::{Surroundings, converse};
use volvelle_messages_testing::{framed, receive};

/// A client, and the server that it started.
pub struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: JoinHandle<u8>,
    seq: i64,
    cancel: &'static Cancel,
}

impl Client {
    /// Starts a server, and says nothing yet.
    pub fn silent() -> Self {
        let (server_reads, to) = std::io::pipe().unwrap();
        let (from, server_writes) = std::io::pipe().unwrap();
        let cancel: &'static Cancel = Box::leak(Box::default());
        let surroundings = Surroundings { cancel, abandon: || {} };
        let server = thread::spawn(move || converse(server_reads, server_writes, surroundings));
        Client { to: Some(to), from: BufReader::new(from), server, seq: 0, cancel }
    }

    /// Starts a server and introduces itself.
    pub fn start() -> Self {
        let mut client = Self::silent();
        let told = client.ask("initialize", json!({ "adapterID": "volvelle" }));
        assert_eq!(told[0]["success"], true, "{told:?}");
        client
    }

    /// The same, and something is launched.
    pub fn launched(arguments: Value) -> Self {
        let mut client = Self::start();
        let told = client.ask("launch", arguments);
        assert_eq!(told[0]["success"], true, "{told:?}");
        client.ask("configurationDone", json!({}));
        client
    }

    /// Sends bytes that need not be a message.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a text in a frame.
    pub fn send_text(&mut self, text: &str) {
        self.send_bytes(framed(text).as_bytes());
    }

    /// Sends a request, and gives its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let seq = self.seq;
        let request = json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments });
        self.send_text(&request.to_string());
        seq
    }

    /// Asks, and gives the answer, with the events behind it.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Vec<Value> {
        self.send(command, arguments);
        self.all()
    }

    /// The same for the body of the answer.
    pub fn body(&mut self, command: &str, arguments: Value) -> Value {
        let told = self.ask(command, arguments);
        assert_eq!(told[0]["success"], true, "{told:?}");
        told[0]["body"].clone()
    }

    /// All messages up to now: the server answers one request after the other.
    pub fn all(&mut self) -> Vec<Value> {
        let probe = self.send("threads", Value::Null);
        let mut all = Vec::new();
        loop {
            let message = self.receive().expect("the server is there");
            if message["type"] == "response" && message["request_seq"] == probe {
                return all;
            }
            all.push(message);
        }
    }

    /// The next message; none if the server is gone.
    pub fn receive(&mut self) -> Option<Value> {
        let message = receive(&mut self.from)?;
        protocol::check(&message);
        Some(message)
    }

    /// Disconnects; the exit code of the server.
    pub fn leaves(mut self) -> u8 {
        self.send("disconnect", json!({}));
        while self.receive().is_some() {}
        self.server.join().expect("the server does not panic")
    }

    /// Ends the server by a signal to its process; the exit code.
    pub fn signals(mut self) -> u8 {
        self.cancel.cancel();
        while self.receive().is_some() {}
        self.server.join().expect("the server does not panic")
    }

    /// Is gone without a word; the exit code of the server.
    pub fn dies(mut self) -> u8 {
        drop(self.to.take());
        while self.receive().is_some() {}
        self.server.join().expect("the server does not panic")
    }
}

/// A folder of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug-adapter").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// An example of the repository.
pub fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}
