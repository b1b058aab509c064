//! A client of the server: it talks through pipes.

use crate::protocol;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, PipeReader, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use volvelle_lsp::{Child, Disk, Head, Launcher, Listed};
use volvelle_messages_testing::{framed, receive};

/// Files in memory, by absolute path.
pub type Files = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

struct Memory(Files);

impl Disk for Memory {
    fn read(&self, folder: &Path, name: &Path) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(&folder.join(name)).cloned()
    }

    fn head(&self, folder: &Path, name: &Path, most: usize) -> Option<Head> {
        let bytes = self.read(folder, name)?;
        assert!(most <= 4096, "only the beginning is read");
        Some(Head { size: bytes.len() as u64, bytes: bytes[..bytes.len().min(most)].to_vec() })
    }

    fn listed(&self, folder: &Path, inside: &Path, most: usize) -> Vec<Listed> {
        let files = self.0.lock().unwrap();
        let own = folder.join(inside);
        let below = files.keys().filter_map(|path| path.strip_prefix(&own).ok());
        let mut listed: Vec<Listed> = below
            .filter_map(|path| {
                let mut parts = path.iter().map(|part| part.to_str().unwrap().to_owned());
                Some(Listed { name: parts.next()?, is_folder: parts.next().is_some() })
            })
            .collect();
        listed.dedup();
        listed.truncate(most);
        listed
    }

    fn entries(&self, folder: &Path) -> Vec<String> {
        let files = self.0.lock().unwrap();
        let inside = files.keys().filter(|path| path.parent() == Some(folder));
        inside.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }
}

/// Processes that are no processes: what a test writes into them is what they print.
#[derive(Clone, Default)]
pub struct Processes(Arc<Mutex<Vec<Process>>>);

/// One of them.
pub struct Process {
    /// Its arguments.
    arguments: Vec<String>,
    /// What it prints goes here; without, its output has ended.
    output: Option<PipeWriter>,
    /// Whether it was killed, or has ended and was waited for.
    is_gone: Arc<Mutex<bool>>,
}

impl Processes {
    /// How many were started.
    pub fn started(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// The arguments of the one that was started last.
    pub fn arguments(&self) -> Vec<String> {
        self.0.lock().unwrap().last().expect("one was started").arguments.clone()
    }

    /// Has one print something and end.
    pub fn print(&self, number: usize, text: &str) {
        let output = self.0.lock().unwrap()[number].output.take();
        output.expect("it goes on").write_all(text.as_bytes()).unwrap();
    }

    /// Whether one is gone.
    pub fn is_gone(&self, number: usize) -> bool {
        *self.0.lock().unwrap()[number].is_gone.lock().unwrap()
    }
}

impl Launcher for Processes {
    fn start(&self, folder: &Path, arguments: &[String]) -> std::io::Result<Box<dyn Child>> {
        struct Started(Option<PipeReader>, Arc<Mutex<bool>>);
        impl Child for Started {
            fn output(&mut self) -> Box<dyn Read + Send> {
                Box::new(self.0.take().unwrap())
            }
        }
        impl Drop for Started {
            fn drop(&mut self) {
                *self.1.lock().unwrap() = true;
            }
        }
        assert_eq!(folder, Path::new("/folder"));
        let (reader, writer) = std::io::pipe()?;
        let is_gone = Arc::new(Mutex::new(false));
        let started = Started(Some(reader), is_gone.clone());
        self.0.lock().unwrap().push(Process { arguments: arguments.to_vec(), output: Some(writer), is_gone });
        Ok(Box::new(started))
    }
}

/// A client, and the server that it started.
pub struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: JoinHandle<u8>,
    next: i32,
    /// Diagnostics that came while something else was awaited.
    published: VecDeque<Value>,
    /// What the server has started.
    pub processes: Processes,
}

/// What a client can do that can do everything.
pub fn able() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8"] },
        "textDocument": {
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "completion": { "completionItem": { "snippetSupport": true } },
            "signatureHelp": { "signatureInformation": { "parameterInformation": { "labelOffsetSupport": true } } },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "publishDiagnostics": { "relatedInformation": true, "codeDescriptionSupport": true },
            "rename": { "prepareSupport": true },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source.fixAll"] } },
                "isPreferredSupport": true,
            },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true }, "textDocumentContent": {} },
    })
}

impl Client {
    /// Starts a server, and says nothing yet.
    pub fn silent(files: &Files) -> Self {
        let (server_reads, to) = std::io::pipe().unwrap();
        let (from, server_writes) = std::io::pipe().unwrap();
        let files = files.clone();
        let processes = Processes::default();
        let launcher = processes.clone();
        let server = thread::spawn(move || {
            volvelle_lsp::converse(server_reads, server_writes, Rc::new(Memory(files)), Rc::new(launcher))
        });
        let (from, published) = (BufReader::new(from), VecDeque::new());
        Client { to: Some(to), from, server, next: 0, published, processes }
    }

    /// Starts a server and introduces itself.
    pub fn start(files: &Files, capabilities: Value) -> Self {
        let mut client = Self::silent(files);
        client.request("initialize", json!({ "capabilities": capabilities })).expect("it is initialized");
        client.notify("initialized", json!({}));
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

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send_text(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Asks, and waits for the answer, which has to be of the type that the specification has.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        let answer = self.answer(&json!(id));
        if let Ok(result) = &answer {
            protocol::check(method, result);
        }
        answer
    }

    /// Asks, and does not wait.
    pub fn ask(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        let id = self.next;
        self.send_text(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        id
    }

    /// Waits for an answer.
    pub fn answer(&mut self, id: &Value) -> Result<Value, Value> {
        loop {
            let mut message = self.receive().expect("the server is there");
            if message.get("method").is_some() {
                self.published.push_back(message);
                continue;
            }
            assert_eq!(message.get("id"), Some(id), "{message}");
            return match message.get_mut("error") {
                Some(error) => Err(error.take()),
                None => Ok(message["result"].take()),
            };
        }
    }

    /// Waits for diagnostics of a document: those of a version, if one is given.
    pub fn published(&mut self, uri: &str, version: Option<i64>) -> Value {
        loop {
            let message = match self.published.pop_front() {
                Some(message) => message,
                None => self.receive().expect("the server is there"),
            };
            assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
            protocol::check("textDocument/publishDiagnostics", &message["params"]);
            let is_version = version.is_none_or(|version| message["params"]["version"] == version);
            if message["params"]["uri"] == uri && is_version {
                return message["params"]["diagnostics"].clone();
            }
        }
    }

    /// The next message; none if the server is gone.
    pub fn receive(&mut self) -> Option<Value> {
        let message = receive(&mut self.from)?;
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    pub fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Asks everything that can be asked about a document: each has to be answered, and not by an error.
    pub fn ask_everything(&mut self, uri: &str, line: u32, character: u32) {
        let document = json!({ "textDocument": { "uri": uri } });
        let position = json!({ "line": line, "character": character });
        let at = json!({ "textDocument": { "uri": uri }, "position": position });
        let mut referring = at.clone();
        referring["context"] = json!({ "includeDeclaration": true });
        let mut part = document.clone();
        part["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": position });
        let mut several = document.clone();
        several["positions"] = json!([position, { "line": 0, "character": 0 }]);
        for (method, params) in [
            ("textDocument/diagnostic", &document),
            ("textDocument/documentSymbol", &document),
            ("textDocument/semanticTokens/full", &document),
            ("textDocument/foldingRange", &document),
            ("textDocument/semanticTokens/range", &part),
            ("textDocument/codeLens", &document),
            ("textDocument/completion", &at),
            ("textDocument/signatureHelp", &at),
            ("textDocument/inlayHint", &part),
            ("textDocument/selectionRange", &several),
            ("textDocument/definition", &at),
            ("textDocument/references", &referring),
            ("textDocument/documentHighlight", &at),
            ("textDocument/hover", &at),
            ("workspace/symbol", &json!({ "query": "e" })),
        ] {
            let answer = self.request(method, params.clone());
            assert!(answer.is_ok(), "{method} {params}: {answer:?}");
            // There is none for a text in no language.
            if let Some(data) = answer.unwrap().get("data") {
                assert_in_order(data);
            }
        }
        // Whether a name can be changed is another matter; it is no defect.
        if let Err(error) = self.request("textDocument/prepareRename", at) {
            assert_eq!(error["code"], -32803, "{error}");
        }
    }

    /// Goes away without a word; the exit code of the server.
    pub fn dies(mut self) -> u8 {
        self.to = None;
        while self.receive().is_some() {}
        self.server.join().expect("no panic")
    }

    /// Waits for the end of the server without hanging up: its exit code.
    pub fn waits(mut self) -> u8 {
        while self.receive().is_some() {}
        self.server.join().expect("no panic")
    }

    /// Says good-bye; the exit code of the server.
    pub fn leaves(mut self) -> u8 {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        self.waits()
    }
}

/// Tokens have lengths, and come one after the other without overlaps.
pub fn assert_in_order(data: &Value) {
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let mut before = 0;
    for token in numbers.chunks(5) {
        assert!(token[2] > 0, "{token:?}");
        assert!(token[0] > 0 || token[1] >= before, "{token:?} after one of length {before}");
        before = token[2];
    }
}
