//! Clients that ask for diagnostics: nothing is sent unasked, but that they may ask again.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};

const MODEL: &str = "file:///folder/m.prism";
const PROPERTIES: &str = "file:///folder/m.props";

fn pulling() -> Client {
    let mut capabilities = able();
    capabilities["textDocument"]["diagnostic"] = json!({ "relatedDocumentSupport": true });
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    Client::start(&Files::default(), capabilities)
}

fn pull(client: &mut Client, uri: &str) -> Value {
    client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } })).unwrap()
}

#[test]
fn other_documents_are_asked_for_again() {
    let mut client = pulling();
    client.open(MODEL, "prism", "dtmc\nmodule m\n  x : [0..1] init 0;\nendmodule\n");
    client.open(PROPERTIES, "", "P=? [ F x=1 ];\n");
    let report = pull(&mut client, PROPERTIES);
    assert_eq!(report["items"], json!([]));
    assert_eq!(report["relatedDocuments"][MODEL]["items"], json!([]));
    // The model changes, and what is wrong with the properties.
    let place = json!({ "line": 2, "character": 2 });
    let behind = json!({ "line": 2, "character": 3 });
    client.change(MODEL, 2, json!([{ "range": { "start": place, "end": behind }, "text": "y" }]));
    let told = client.receive().expect("the server is there");
    assert_eq!((&told["method"], &told["id"]), (&json!("workspace/diagnostic/refresh"), &json!("refresh")));
    client.send_text(r#"{"jsonrpc":"2.0","id":"refresh","result":null}"#);
    assert_eq!(pull(&mut client, PROPERTIES)["items"][0]["code"], "V0203");
    assert_eq!(pull(&mut client, MODEL)["items"], json!([]));
    // A mistake of the text that changes is asked for anyway.
    client.change(MODEL, 3, json!([{ "range": { "start": place, "end": behind }, "text": "z" }]));
    assert_eq!(pull(&mut client, PROPERTIES)["items"][0]["code"], "V0203");
    assert_eq!(client.leaves(), 0);
}
