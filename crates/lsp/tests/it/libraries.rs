//! Each use of a name of a library leads to its declaration in the document that the server has.

use crate::client::{Client, Files, able};
use crate::corpora::published;
use crate::examples::{examples, index_of, read};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use volvelle_symbols::LIBRARIES;

const URI: &str = "file:///models/model";

/// What stands at a place of a document that the server has.
fn shown(client: &mut Client, documents: &mut BTreeMap<String, String>, location: &Value) -> String {
    let uri = location["uri"].as_str().expect("a place");
    let text = documents.entry(uri.to_owned()).or_insert_with(|| {
        let page =
            client.request("workspace/textDocumentContent", json!({ "uri": uri })).expect("a document");
        page["text"].as_str().unwrap().to_owned()
    });
    let number = |path: &str| location.pointer(&format!("/range/{path}")).unwrap().as_u64().unwrap() as usize;
    assert_eq!(number("start/line"), number("end/line"));
    let line = text.lines().nth(number("start/line")).expect("a line");
    line[number("start/character")..number("end/character")].to_owned()
}

/// Follows all names of libraries in a text; gives how many there are.
fn followed(language: &str, text: &str) -> usize {
    let index = index_of(language, &[text]).expect("an index");
    let of_library = index.occurrences.iter().filter(|one| index.symbol(one.symbol).library.is_some());
    let mut client = Client::start(&Files::default(), able());
    let (uri, mut documents) = (format!("{URI}.{language}"), BTreeMap::new());
    client.open(&uri, language, text);
    let mut count = 0;
    for occurrence in of_library {
        let (start, end) = (occurrence.span.start as usize, occurrence.span.end as usize);
        let before = &text[..start];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().len();
        let position = json!({ "line": line, "character": character });
        let at = json!({ "textDocument": { "uri": uri }, "position": position });
        let location = client.request("textDocument/definition", at.clone()).expect("an answer");
        let found = shown(&mut client, &mut documents, &location);
        assert!(found.eq_ignore_ascii_case(&text[start..end]), "{found} for {}", &text[start..end]);
        // The hover has the declaration, and nobody renames it.
        let hover = client.request("textDocument/hover", at.clone()).expect("an answer").to_string();
        let has_name = hover.to_ascii_uppercase().contains(&found.to_ascii_uppercase());
        assert!(hover.contains("in a library of Volvelle") && has_name, "{hover}");
        let refused = client.request("textDocument/prepareRename", at).expect_err("a reason");
        assert!(refused["message"].as_str().unwrap().contains("library"), "{refused}");
        count += 1;
    }
    assert_eq!(client.leaves(), 0);
    count
}

#[test]
fn uses_in_specifications() {
    let is_lotos = |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "lotos");
    let models = examples().into_iter().chain(published("lotos")).filter(|example| is_lotos(&example.model));
    let count: usize = models.map(|example| followed("lotos", &read(&example.model))).sum();
    assert!(count >= 10, "{count} names");
}

/// Specifications with all types of the library, and formulas with all macros.
#[test]
fn all_that_libraries_declare() {
    for library in LIBRARIES {
        let names = |mark: &'static str| {
            library.text.lines().filter_map(move |line| line.strip_prefix(mark)?.split(' ').next())
        };
        match library.name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("lotos") => {
                let types: Vec<&str> = names("type ").collect();
                let all = types.join(", ");
                let text = format!("specification S : noexit library {all} endlib behaviour stop endspec");
                assert_eq!((types.len() >= 20, followed("lotos", &text)), (true, types.len()));
            }
            Some("mcl") => {
                let macros: Vec<&str> = names("macro ").collect();
                assert_eq!(
                    (macros.len() >= 10, followed("mcl", &macros.join(" and "))),
                    (true, macros.len())
                );
            }
            Some("n4jsd") => {
                assert_eq!(followed("n4js", "const one: Error = new Error(\"\");"), 2);
            }
            _ => panic!("{}", library.name),
        }
    }
}
