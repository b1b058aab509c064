//! The pictures of `docs/editor.md` and `docs/debugger.md`: what `volvelle lsp` and `volvelle debug` answer, drawn as an editor shows it.
//!
//! `BLESS=1 cargo test -p volvelle --test it editor_pictures::` draws them again. Times of answers are those of the pictures.

mod drawing;

use crate::common::{Folder, root};
use crate::debug::Editor;
use crate::lsp::{receive, send, start};
use drawing::{Drawing, Token, Told};
use serde_json::{Value, json};
use std::io::BufReader;
use std::process::{Child, ChildStdout};

const QUEUE: &str = "ctmc

// How many wait, at most.
const int N = 3;

module queue
  waiting : [0..N] init 0;
  [in]   waiting<N -> 2 : (waiting'=waiting+1);
  [out]  waiting>0 -> 3 : (waiting'=waitng-1);
endmodule

module server
  busy : bool init false;
  [in]   true -> (busy'=true);
  [out]  busy -> (busy'=waiting>1);
endmodule
";

const PROPERTIES: &str = "// The server is idle in the long run.
\"idle\": S=? [ waiting=0 ];

// The room is seldom full within one unit of time.
\"full\": P<=0.1 [ F<=1 waiting=N ];
";

/// An editor of texts, with one open.
struct Window {
    server: Child,
    output: BufReader<ChildStdout>,
    folder: Folder,
    next: i64,
    types: Vec<String>,
    modifiers: Vec<String>,
}

impl Window {
    fn of(folder: Folder) -> Self {
        let (server, output) = start();
        let (types, modifiers) = (Vec::new(), Vec::new());
        let mut window = Window { server, output, folder, next: 0, types, modifiers };
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-8"] },
            "textDocument": {
                "hover": { "contentFormat": ["markdown"] },
                "diagnostic": {},
                "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } },
            },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
        });
        let told = window.ask("initialize", &json!({ "capabilities": capabilities }));
        let legend = &told["capabilities"]["semanticTokensProvider"]["legend"];
        let words = |name: &str| {
            let words = legend[name].as_array().expect("words").iter();
            words.map(|word| word.as_str().expect("a word").to_owned()).collect()
        };
        (window.types, window.modifiers) = (words("tokenTypes"), words("tokenModifiers"));
        window
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        send(&mut self.server, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = receive(&mut self.output);
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    fn open(&mut self, name: &str) -> String {
        let text = std::fs::read_to_string(self.folder.path().join(name)).expect("a text");
        let document = json!({ "uri": self.uri(name), "languageId": "", "version": 1, "text": text });
        let message = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } });
        send(&mut self.server, &message);
        text
    }

    /// The coloured parts of each line.
    fn tokens(&mut self, name: &str, lines: usize) -> Vec<Vec<Token>> {
        let document = json!({ "textDocument": { "uri": self.uri(name) } });
        let told = self.ask("textDocument/semanticTokens/full", &document);
        let data = told["data"].as_array().expect("numbers").iter();
        let numbers: Vec<usize> = data.map(|number| number.as_u64().expect("a number") as usize).collect();
        let mut all: Vec<Vec<Token>> = (0..lines).map(|_| Vec::new()).collect();
        let (mut line, mut column) = (0, 0);
        for token in numbers.chunks(5) {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            let mut class = self.types[token[3]].clone();
            for (bit, modifier) in self.modifiers.iter().enumerate() {
                if token[4] >> bit & 1 == 1 {
                    class += &format!(" {modifier}");
                }
            }
            all[line].push(Token { column, length: token[2], class });
        }
        all
    }

    fn leaves(mut self) {
        drop(self.server.stdin.take());
        self.server.wait().expect("it ends");
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}")) as usize
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Markdown as an editor renders it, as far as the server writes it.
fn rendered(markdown: &str) -> Vec<Told> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            lines.push(Told::Code(line.to_owned()));
        } else if !line.trim().is_empty() {
            lines.push(Told::Prose(line.trim().replace(['`', '\\'], "")));
        }
    }
    lines
}

/// Compares a picture with the one of the page, or draws it.
fn compare(name: &str, drawn: &str) {
    let path = root().join("docs/pictures").join(name);
    roxmltree::Document::parse(drawn).expect("it is XML");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, drawn).expect("it can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = known.lines().zip(drawn.lines()).find(|(known, drawn)| known != drawn);
    assert!(known == drawn, "docs/pictures/{name} differs: {differs:?}\nBLESS=1 draws it again");
}

/// A misspelt name: colours, the error with its message, and the way out; the hover of an action.
#[test]
fn a_text_with_a_mistake() {
    let mut window = Window::of(Folder::new().file("queue.prism", QUEUE));
    let text = window.open("queue.prism");
    let lines: Vec<&str> = text.lines().collect();
    let tokens = window.tokens("queue.prism", lines.len());
    let uri = window.uri("queue.prism");
    let document = json!({ "uri": uri });
    let told = window.ask("textDocument/diagnostic", &json!({ "textDocument": document }));
    let diagnostics = told["items"].as_array().expect("a list").clone();
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let range = diagnostics[0]["range"].clone();
    let given =
        json!({ "textDocument": document, "range": range, "context": { "diagnostics": diagnostics } });
    let fixes = window.ask("textDocument/codeAction", &given);
    let at = json!({ "line": 14, "character": 4 });
    let hover = window.ask("textDocument/hover", &json!({ "textDocument": document, "position": at }));
    window.leaves();

    let mut drawing = Drawing::of("queue.prism", 76);
    for (number_of, line) in lines.iter().enumerate() {
        drawing.line(number_of + 1, line, &tokens[number_of], false);
        if number(&range["start"]["line"]) == number_of {
            let (start, end) = (number(&range["start"]["character"]), number(&range["end"]["character"]));
            drawing.underline(start, end - start);
            let code = words(&diagnostics[0]["code"]);
            let message = words(&diagnostics[0]["message"]);
            let mut box_of: Vec<Told> = message.lines().map(|line| Told::Prose(line.to_owned())).collect();
            if let Some(Told::Prose(first)) = box_of.first_mut() {
                *first = format!("error {code}: {first}");
            }
            let titles = fixes.as_array().expect("a list").iter().map(|fix| words(&fix["title"]));
            box_of.extend(titles.map(|title| Told::Head(format!("Quick fix: {title}"))));
            drawing.told(8, &box_of, "#ffebe9", "#ff8182");
        }
        if number_of == 14 {
            drawing.told(4, &rendered(&words(&hover["contents"]["value"])), "#f6f8fa", "#d1d9e0");
        }
    }
    compare("editor.svg", &drawing.finish());
}

/// Answers above properties.
#[test]
fn properties_with_answers() {
    let model = QUEUE.replace("waitng", "waiting");
    let folder = Folder::new().file("queue.prism", &model).file("queue.props", PROPERTIES);
    let mut window = Window::of(folder);
    let text = window.open("queue.props");
    let uri = window.uri("queue.props");
    for property in ["idle", "full"] {
        let question = json!({ "uri": uri, "command": "check", "property": property });
        let params = json!({ "command": "volvelle.run", "arguments": [question] });
        window.ask("workspace/executeCommand", &params);
    }
    let lines: Vec<&str> = text.lines().collect();
    let tokens = window.tokens("queue.props", lines.len());
    let lenses = window.ask("textDocument/codeLens", &json!({ "textDocument": { "uri": uri } }));
    window.leaves();

    let mut drawing = Drawing::of("queue.props", 76);
    for (number_of, line) in lines.iter().enumerate() {
        let here = lenses.as_array().expect("a list").iter();
        let here = here.filter(|lens| number(&lens["range"]["start"]["line"]) == number_of);
        let titles: Vec<String> = here.map(|lens| timeless(&words(&lens["command"]["title"]))).collect();
        if !titles.is_empty() {
            drawing.lens(&titles.join("  |  "));
        }
        drawing.line(number_of + 1, line, &tokens[number_of], false);
    }
    compare("editor-answers.svg", &drawing.finish());
}

/// The time of an answer is that of the picture.
fn timeless(title: &str) -> String {
    match title.find(" (20") {
        Some(at) if title.ends_with("UTC)") => format!("{} (2026-12-01 09:30 UTC)", &title[..at]),
        _ => title.to_owned(),
    }
}

/// The counterexample of a lost update, where the second process has read the number that the first one changes.
#[test]
fn a_counterexample_in_the_debugger() {
    let page = std::fs::read_to_string(root().join("docs/debugger.md")).expect("the page");
    let (_, model) = page.split_once("```promela file=lost.pml\n").expect("the model of the page");
    let (model, _) = model.split_once("```").expect("its end");
    let folder = Folder::new().file("lost.pml", model);
    let mut window = Window::of(folder);
    let text = window.open("lost.pml");
    let lines: Vec<&str> = text.lines().collect();
    let tokens = window.tokens("lost.pml", lines.len());
    let mut editor = Editor::start();
    editor.launch(&json!({ "program": "lost.pml", "cwd": window.folder.path(), "claim": "added" }));
    for _ in 0..3 {
        editor.body("next", &json!({ "threadId": 1 }));
    }
    let threads = editor.body("threads", &json!({}))["threads"].clone();
    let mut told = Vec::new();
    let mut here = Vec::new();
    for (place, thread) in threads.as_array().expect("a list").iter().enumerate() {
        let frames = editor.body("stackTrace", &json!({ "threadId": thread["id"] }))["stackFrames"].clone();
        let line = number(&frames[0]["line"]);
        here.push(line);
        told.push(Told::Head(format!(
            "{}, line {line}: {}",
            words(&thread["name"]),
            words(&frames[0]["name"])
        )));
        let scopes = editor.body("scopes", &json!({ "frameId": frames[0]["id"] }))["scopes"].clone();
        for scope in scopes.as_array().expect("a list") {
            // What is the same for all of them is shown once.
            let name = words(&scope["name"]);
            if name == "Last step" || place > 0 && name != words(&thread["name"]) {
                continue;
            }
            let given = json!({ "variablesReference": scope["variablesReference"] });
            let variables = editor.body("variables", &given)["variables"].clone();
            let shown = variables.as_array().expect("a list").iter();
            let shown =
                shown.map(|variable| format!("{} = {}", words(&variable["name"]), words(&variable["value"])));
            let shown: Vec<String> = shown.collect();
            if !shown.is_empty() {
                told.push(Told::Prose(format!("{name}:  {}", shown.join(",  "))));
            }
        }
    }
    let console = editor.repl("l");
    editor.leaves();
    window.leaves();

    let mut drawing = Drawing::of("lost.pml", 88);
    for (number_of, line) in lines.iter().enumerate() {
        drawing.line(number_of + 1, line, &tokens[number_of], here.contains(&(number_of + 1)));
    }
    drawing.told(0, &told, "#f6f8fa", "#d1d9e0");
    // The steps; the values of the initial state are above.
    let steps = console.lines().filter(|line| !line.trim_start().starts_with("0 "));
    let console: Vec<Told> =
        steps.map(|line| Told::Code(line.get(5..).unwrap_or(line).trim_end().to_owned())).collect();
    drawing.told(0, &console, "#ffffff", "#d1d9e0");
    compare("debugger.svg", &drawing.finish());
}
