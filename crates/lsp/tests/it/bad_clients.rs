//! Clients that break the rules: they get an error or silence, as the protocol says, and no wrong text is answered from.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const URI: &str = "file:///folder/m.prism";
const MODEL: &str = "dtmc\nmodule m\n  x : [0..1] init 0;\nendmodule\n";

fn no_files() -> Files {
    Arc::new(Mutex::new(Default::default()))
}

fn client() -> Client {
    Client::start(&no_files(), able())
}

fn code(answer: Result<Value, Value>) -> i64 {
    answer.expect_err("an error")["code"].as_i64().unwrap()
}

fn hover(client: &mut Client) -> Result<Value, Value> {
    let position = json!({ "line": 2, "character": 2 });
    client.request("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": position }))
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": at(from), "end": at(to) })
}

#[test]
fn requests_at_the_wrong_time() {
    let mut client = Client::silent(&no_files());
    assert_eq!(code(client.request("textDocument/hover", json!({}))), -32002);
    assert_eq!(code(client.request("shutdown", Value::Null)), -32002);
    client.open(URI, "prism", MODEL);
    client.request("initialize", json!({ "capabilities": able() })).unwrap();
    assert_eq!(code(client.request("initialize", json!({}))), -32600);
    assert_eq!(hover(&mut client), Ok(Value::Null), "what was opened before does not count");
    client.request("shutdown", Value::Null).unwrap();
    assert_eq!(code(hover(&mut client)), -32600);
    assert_eq!(code(client.request("shutdown", Value::Null)), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.waits(), 0);
}

#[test]
fn ends() {
    assert_eq!(client().leaves(), 0);
    assert_eq!(client().dies(), 1);
    assert_eq!(Client::silent(&no_files()).dies(), 1);
    let mut rude = client();
    rude.notify("exit", Value::Null);
    assert_eq!(rude.waits(), 1);
    let mut cut = client();
    cut.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"");
    assert_eq!(cut.dies(), 1);
    let mut gone = client();
    gone.request("shutdown", Value::Null).unwrap();
    assert_eq!(gone.dies(), 0);
}

#[test]
fn what_is_not_known() {
    let mut client = client();
    for method in ["textDocument/completions", "$/what", "", "TextDocument/hover"] {
        assert_eq!(code(client.request(method, json!({}))), -32601, "{method}");
        client.notify(method, json!([1, 2]));
    }
    for params in
        [json!(null), json!([]), json!({ "textDocument": URI }), json!({ "textDocument": { "uri": 7 } })]
    {
        assert_eq!(code(client.request("textDocument/hover", params.clone())), -32602, "{params}");
        for method in ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"] {
            client.notify(method, params.clone());
        }
    }
    let position = json!({ "line": -1, "character": 4_294_967_296_i64 });
    let at = json!({ "textDocument": { "uri": URI }, "position": position });
    assert_eq!(code(client.request("textDocument/definition", at)), -32602);
    assert_eq!(client.leaves(), 0);
}

#[test]
fn what_is_no_message() {
    let mut client = client();
    for (text, expected) in [
        ("{", -32700),
        ("\u{feff}{}", -32700),
        ("[{\"id\":1,\"method\":\"shutdown\"}]", -32600),
        ("{\"id\":{},\"method\":\"shutdown\"}", -32600),
        ("17", -32600),
        ("", -32700),
    ] {
        client.send_text(text);
        assert_eq!(code(client.answer(&Value::Null)), expected, "{text}");
    }
    client.send_bytes(b"Content-Length: 14\r\n\r\n{\"method\":\"\xff\"}");
    assert_eq!(code(client.answer(&Value::Null)), -32700);
    client.send_text("{\"id\":\"word\",\"method\":\"nothing\"}");
    assert_eq!(code(client.answer(&json!("word"))), -32601);
    client.send_text("{\"id\":99,\"result\":null}");
    client.send_text("{\"id\":12345678901234567890,\"method\":\"nothing\"}");
    assert_eq!(code(client.answer(&json!(12_345_678_901_234_567_890_u64))), -32601);
    assert_eq!(client.leaves(), 0);
}

#[test]
fn broken_headers_end_the_conversation() {
    for header in ["Content-Length: many\r\n\r\n", "no header\r\n\r\n", "A: b\r\n\r\n"] {
        let mut client = client();
        client.send_bytes(header.as_bytes());
        assert_eq!(code(client.answer(&Value::Null)), -32700, "{header}");
        assert_eq!(client.waits(), 1);
    }
}

/// A header may promise more bytes than there is memory.
#[test]
fn promises() {
    for length in ["536870912", "99999999999", "18446744073709551615"] {
        let mut client = client();
        client.send_bytes(format!("Content-Length: {length}\r\n\r\n{{}}").as_bytes());
        assert_eq!(client.dies(), 1);
    }
}

#[test]
fn changes_that_do_not_fit() {
    for (version, change) in [
        (2, json!({ "range": range((9, 0), (9, 1)), "text": "y" })),
        (2, json!({ "range": range((1, 3), (1, 1)), "text": "y" })),
        (2, json!({ "range": { "start": 5 }, "text": "y" })),
        (2, json!({ "range": range((0, 0), (0, 0)) })),
        (0, json!({ "range": range((0, 0), (0, 0)), "text": "y" })),
        (0, json!({ "text": "mdp" })),
    ] {
        let mut client = client();
        client.open(URI, "prism", MODEL);
        assert!(hover(&mut client).unwrap().is_object());
        client.change(URI, version, json!([change]));
        assert_eq!(code(hover(&mut client)), -32801, "{change}");
        client.change(URI, 3, json!([{ "range": range((0, 0), (0, 0)), "text": "//\n" }]));
        assert_eq!(code(hover(&mut client)), -32801, "still");
        client.change(URI, 4, json!([{ "text": MODEL }]));
        assert!(hover(&mut client).unwrap().is_object(), "the way back");
        assert_eq!(client.leaves(), 0);
    }
}

#[test]
fn documents_that_are_not_open() {
    let mut client = client();
    client.change(URI, 2, json!([{ "text": MODEL }]));
    client.close(URI);
    assert_eq!(hover(&mut client), Ok(Value::Null));
    client.open(URI, "prism", "dtmc");
    client.open(URI, "prism", MODEL);
    assert!(hover(&mut client).unwrap().is_object(), "opened twice: the second text counts");
    client.close(URI);
    assert_eq!(hover(&mut client), Ok(Value::Null));
    for uri in ["", "file:", "untitled:x", "file:///", "prism", "file:///%2e%2e/%00"] {
        client.open(uri, "prism", MODEL);
        client.ask_everything(uri, 0, 0);
    }
    assert_eq!(client.leaves(), 0);
}

/// Editors that count in units of 16 bits may cut a pair of surrogates, which no text contains.
#[test]
fn halves_of_pairs() {
    let mut client = Client::start(&no_files(), json!({}));
    client.open(URI, "prism", &format!("// 𝄞\n{MODEL}"));
    client.send_text(&format!(
        r#"{{"method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{URI}","version":2}},"contentChanges":[{{"range":{},"text":"\ud834"}}]}}}}"#,
        range((0, 3), (0, 5))
    ));
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 3, "character": 2 } });
    assert!(client.request("textDocument/hover", at.clone()).unwrap().is_object());
    client.change(URI, 3, json!([{ "range": range((0, 3), (0, 4)), "text": "𝄞" }]));
    assert!(client.request("textDocument/hover", at.clone()).unwrap().is_object());
    client.change(URI, 4, json!([{ "range": range((0, 4), (0, 5)), "text": "" }]));
    assert_eq!(code(client.request("textDocument/hover", at)), -32801, "half of a pair is no text");
    client.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 4 } }),
    );
    assert_eq!(client.dies(), 1);
}

#[test]
fn requests_that_are_cancelled() {
    let mut client = client();
    client.open(URI, "prism", MODEL);
    // All in one piece, so that they wait together.
    let mut bytes = Vec::new();
    let mut put = |message: Value| {
        let text = message.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
    };
    for id in 1000..2000 {
        let params = json!({ "textDocument": { "uri": URI } });
        put(json!({ "id": id, "method": "textDocument/semanticTokens/full", "params": params }));
    }
    for id in 1000..2000 {
        put(json!({ "method": "$/cancelRequest", "params": { "id": id } }));
    }
    client.send_bytes(&bytes);
    let answers: Vec<bool> = (1000..2000)
        .map(|id| match client.answer(&json!(id)) {
            Ok(_) => false,
            Err(error) => error["code"] == -32800,
        })
        .collect();
    assert!(answers.iter().any(|is_cancelled| *is_cancelled), "none was cancelled");
    client.notify("$/cancelRequest", json!({ "id": "none" }));
    client.notify("$/cancelRequest", json!(null));
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_document_of_64_megabytes() {
    let mut client = client();
    let line = "// a comment that makes the text long\n";
    let text = MODEL.to_owned() + &line.repeat((64 << 20) / line.len());
    client.open(URI, "prism", &text);
    let told = client.published(URI, Some(1));
    assert!(told[0]["message"].as_str().unwrap().contains("8 MiB"), "{told}");
    client.change(URI, 2, json!([{ "range": range((1_000_000, 0), (1_000_000, 2)), "text": "#" }]));
    client.ask_everything(URI, 2, 2);
    client.change(URI, 3, json!([{ "text": MODEL }]));
    assert_eq!(client.published(URI, Some(3)), json!([]));
    client.ask_everything(URI, 2, 2);
    assert_eq!(client.leaves(), 0);
}

/// Depths that no stack has room for.
#[test]
fn texts_that_are_deep() {
    for (name, text) in [
        ("deep.prism", format!("dtmc\nconst int N = {}1{};", "(".repeat(100_000), ")".repeat(100_000))),
        ("deep.pml", format!("init {{ {} skip {} }}", "atomic { ".repeat(20_000), "}".repeat(20_000))),
        ("deep.lotos", format!("specification s: noexit behaviour {} stop", "hide g in ".repeat(20_000))),
    ] {
        let mut client = client();
        let uri = format!("file:///folder/{name}");
        client.open(&uri, "", &text);
        client.ask_everything(&uri, 0, 20);
        assert_eq!(client.leaves(), 0);
    }
}
