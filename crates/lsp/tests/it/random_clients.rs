//! Clients that send whatever they like: each request is answered once, and the text is what an obvious reading of the changes makes it.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::cmp::Ordering;
use volvelle_random::{Random, attack_cases};

const NAMES: &[&str] = &["m.prism", "m.props", "n.pml", "l.lotos", "unknown.xyz"];

const TEXTS: &[&str] = &[
    "",
    "dtmc\nconst int N = 3;\nmodule m\n  x : [0..N] init 0;\n  [a] x<N -> (x'=x+1); // ü𝄞\nendmodule\nlabel \"end\" = x=N;\n",
    "const double p;\n\"one\": P=? [ F \"end\" ];\nP>0.5 [ F<=3 x=1 ]\n",
    "#define N 3\nmtype = { a, b };\nchan c = [1] of { mtype };\nactive proctype P(byte n) { byte y; do :: y < N -> y++; c!a :: else -> break od }\n",
    "specification S [G] : noexit behaviour P [G] (0) where process P [G] (N : NAT) : noexit := G !N; P [G] (N) endproc endspec\r\n",
];

/// What is typed.
const PIECES: &[&str] = &[
    "",
    "x",
    "N",
    "\n",
    "\r\n",
    " ",
    "ü",
    "𝄞",
    "\"",
    "[",
    "]",
    "(",
    ")",
    ";",
    "//",
    "/*",
    "endmodule",
    "'=",
    "::",
    "0",
    "\t",
];

const METHODS: &[&str] = &[
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/diagnostic",
    "workspace/symbol",
    "workspace/executeCommand",
    "workspace/textDocumentContent",
    "volvelle/unknown",
];

fn position(random: &mut Random) -> Value {
    json!({ "line": random.below(9), "character": random.below(40) })
}

/// Places of a text in units of UTF-16, by going through it; `None` where there is none.
fn offset(text: &str, place: &Value) -> Option<usize> {
    let (line, character) = (place["line"].as_u64()?, place["character"].as_u64()?);
    let mut start = 0;
    for number in 0..line {
        let rest = &text[start..];
        // The line behind the last one is how clients write the end of a text.
        let Some(at) = rest.find(['\n', '\r']) else { return (number + 1 == line).then_some(text.len()) };
        start += at + if rest[at..].starts_with("\r\n") { 2 } else { 1 };
    }
    let rest = &text[start..];
    let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let mut units = 0;
    for (at, letter) in rest[..end].char_indices() {
        match units.cmp(&character) {
            Ordering::Equal => return Some(start + at),
            // Inside a pair.
            Ordering::Greater => return None,
            Ordering::Less => {}
        }
        units += letter.len_utf16() as u64;
    }
    // Behind the end of a line is its end.
    (units <= character).then_some(start + end)
}

/// The diagnostics of a text that a client opens.
fn told(client: &mut Client, uri: &str) -> Result<Value, Value> {
    client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))
}

fn capabilities() -> Value {
    let mut capabilities = able();
    capabilities["general"]["positionEncodings"] = json!(["utf-16"]);
    // Nothing is told unasked: then what comes is an answer.
    capabilities["textDocument"]["diagnostic"] = json!({});
    capabilities
}

#[test]
fn attack_conversations() {
    for case in attack_cases(150) {
        let mut random = Random(case);
        let mut client = Client::start(&Files::default(), capabilities());
        // What is open, and what it should be; `None` once a change did not fit.
        let mut open: Vec<(String, Option<String>, i64)> = Vec::new();
        for _ in 0..40 {
            let uri = format!("file:///random/{}", NAMES[random.below(NAMES.len())]);
            let known = open.iter().position(|(name, _, _)| *name == uri);
            match (random.below(6), known) {
                (0, None) | (1, None) => {
                    let text = TEXTS[random.below(TEXTS.len())];
                    client.open(&uri, "", text);
                    open.push((uri, Some(text.to_owned()), 1));
                }
                (0, Some(number)) if random.below(4) == 0 => {
                    client.close(&uri);
                    open.remove(number);
                }
                (0..=2, Some(number)) => {
                    let (_, text, version) = &mut open[number];
                    let (mut start, mut end) = (position(&mut random), position(&mut random));
                    if start["line"].as_u64() > end["line"].as_u64() {
                        std::mem::swap(&mut start, &mut end);
                    }
                    let piece = PIECES[random.below(PIECES.len())];
                    *version += 1;
                    let fits =
                        text.as_ref().and_then(|text| Some((offset(text, &start)?, offset(text, &end)?)));
                    match (fits, text) {
                        (Some((from, to)), Some(text)) if from <= to => text.replace_range(from..to, piece),
                        (_, text) => *text = None,
                    }
                    let change = json!([{ "range": { "start": start, "end": end }, "text": piece }]);
                    client.change(&uri, *version, change);
                }
                _ => {
                    let method = METHODS[random.below(METHODS.len())];
                    let mut params = json!({
                        "textDocument": { "uri": uri },
                        "position": position(&mut random),
                        "positions": [position(&mut random)],
                        "range": { "start": position(&mut random), "end": position(&mut random) },
                        "context": { "includeDeclaration": true },
                        "newName": PIECES[random.below(PIECES.len())],
                        "previousResultId": random.below(9).to_string(),
                        "query": PIECES[random.below(PIECES.len())],
                        "uri": "volvelle:/explain/V0203.md",
                        "command": "volvelle.show",
                        "arguments": [{ "uri": uri, "command": "check" }],
                    });
                    if random.below(8) == 0 {
                        let fields: Vec<String> = params.as_object().unwrap().keys().cloned().collect();
                        params[&fields[random.below(fields.len())]] = json!([null, 3]);
                    }
                    let id = client.ask(method, params.clone());
                    let answer = client.answer(&json!(id));
                    // A defect would be code -32603.
                    assert!(
                        answer.as_ref().err().is_none_or(|error| error["code"] != -32603),
                        "{method} {params}: {answer:?}"
                    );
                }
            }
        }
        for (uri, text, _) in &open {
            let mut fresh = Client::start(&Files::default(), capabilities());
            match text {
                Some(text) if open.iter().all(|(_, text, _)| text.is_some()) => {
                    for (uri, text, _) in &open {
                        fresh.open(uri, "", text.as_deref().unwrap());
                    }
                    assert_eq!(told(&mut client, uri), told(&mut fresh, uri), "case {case}: {uri}: {text:?}");
                }
                Some(_) => {}
                // A text that the client knows and the server does not is answered by an error, not by something about another text.
                None => assert_eq!(told(&mut client, uri).unwrap_err()["code"], -32801, "case {case}: {uri}"),
            }
            assert_eq!(fresh.leaves(), 0);
        }
        assert_eq!(client.leaves(), 0);
    }
}
