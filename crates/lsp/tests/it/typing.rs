//! Texts that are typed: whatever stands there so far, every request is answered.

use crate::client::{Client, Files, able};
use crate::examples::root;
use serde_json::json;

/// What was found wrong with a beginning that cannot be read at all does not stay when it can be.
#[test]
fn texts_that_could_not_be_read_before() {
    let uri = "file:///typed/study.toml";
    for beginning in
        ["program = ", "program = \"a.mpi\"\nx", "program = \"a.mpi\"\nprotocol = [", "program = 1"]
    {
        let mut client = Client::start(&Files::default(), able());
        client.open(uri, "", beginning);
        let document = json!({ "textDocument": { "uri": uri } });
        let mut asked = |text: Option<&str>| {
            if let Some(text) = text {
                client.change(uri, 2, json!([{ "text": text }]));
            }
            client.request("textDocument/diagnostic", document.clone()).unwrap()["items"].clone()
        };
        let broken = asked(None);
        assert_ne!(broken, json!([]), "{beginning}");
        let whole = asked(Some("program = \"other.mpi\"\nprotocol = \"A\"\n"));
        assert!(whole.to_string().contains("other.mpi"), "{whole}");
        assert_eq!(client.leaves(), 0);
    }
}

/// One of each kind.
const TYPED: &[&str] = &[
    "prism/die.prism",
    "prism/bold_play.prism",
    "prism/bold_play.props",
    "promela/handover.pml",
    "tuning/platform.pml",
    "lotos/lock.lotos",
    "lotos/service.lotos",
    "mpi/pingpong.toml",
    "weighted/vending.wks",
    "weighted/semaphore.wccs",
    "pipelines/timed.aut",
];

/// How many of the beginnings of a text are asked about.
const ASKED: usize = 40;

#[test]
fn beginnings_of_texts() {
    for path in TYPED {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let characters = text.chars().count();
        let mut client = Client::start(&Files::default(), able());
        let uri = format!("file:///typed/{}", path.rsplit('/').next().unwrap());
        client.open(&uri, "", "");
        let (mut line, mut column, mut version) = (0, 0, 1);
        for (number, character) in text.chars().enumerate() {
            let place = json!({ "line": line, "character": column });
            version += 1;
            let range = json!({ "start": place, "end": place });
            client.change(&uri, version, json!([{ "range": range, "text": character }]));
            match character {
                '\n' => (line, column) = (line + 1, 0),
                other => column += other.len_utf8() as u32,
            }
            if number < 5 || number % (characters / ASKED).max(1) == 0 {
                client.ask_everything(&uri, line, column.saturating_sub(1));
            }
        }
        client.ask_everything(&uri, 0, 0);
        // What was typed is what stands there.
        let typed = client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        let mut other = Client::start(&Files::default(), able());
        other.open(&uri, "", &text);
        let opened = other.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        assert_eq!(typed, opened, "{path}");
        assert_eq!((client.leaves(), other.leaves()), (0, 0));
    }
}
