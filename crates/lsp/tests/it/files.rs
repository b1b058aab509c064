//! Names of files that are offered are those of files that are there, and lead to them.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use volvelle_random::{Random, attack_cases};

const URI: &str = "file:///models/deep/steps.toml";
const FOLDER: &str = "/models/deep";

const PARTS: &[&str] = &[
    "a.lotos",
    "b.aut",
    "queue.drn",
    "Queue.tra",
    ".git",
    "x y.mpi",
    "ü.prism",
    "sub",
    "other",
    "c\"d.aut",
    "e\\f.aut",
];

const TYPED: &[&str] = &[
    "",
    "q",
    "Q",
    "sub/",
    "sub/other/",
    "sub/q",
    "../",
    "../top",
    "/",
    "/models/",
    "./",
    "sub/../",
    ".",
    "ü",
    "no/",
];

/// A name that is typed, and what is asked at its end.
fn asked(client: &mut Client, version: i64, typed: &str, method: &str) -> Value {
    let text = format!("[step.a]\nmodel = \"{typed}\"\n");
    client.change(URI, version, json!([{ "text": text }]));
    let character = 9 + typed.len();
    let position = json!({ "line": 1, "character": character });
    client
        .request(
            &format!("textDocument/{method}"),
            json!({ "textDocument": { "uri": URI }, "position": position }),
        )
        .expect("an answer")
}

fn labels(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn attack_what_is_offered_is_there() {
    let (mut offered, mut nothing) = (0, 0);
    for seed in attack_cases(60) {
        let mut random = Random(seed);
        let files = Files::default();
        let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
        for _ in 0..random.below(12) {
            let mut path =
                PathBuf::from(random.pick(&["/models/deep", "/models/deep", "/models", "/models/deep/sub"]));
            for _ in 0..=random.below(3) {
                path.push(random.pick(PARTS));
            }
            paths.insert(path);
        }
        // No path is both a file and a folder.
        let all = paths.clone();
        paths.retain(|path| !all.iter().any(|other| other != path && other.starts_with(path)));
        files.lock().unwrap().extend(paths.iter().map(|path| (path.clone(), b"des (0, 1, 2)\n".to_vec())));
        let mut client = Client::start(&files, able());
        client.open(URI, "toml", "");
        let mut version = 1;
        for typed in TYPED {
            version += 1;
            let list = asked(&mut client, version, typed, "completion");
            let labels = labels(&list);
            for label in &labels {
                let path = Path::new(label);
                assert!(path.components().all(|part| !matches!(part, Component::RootDir)), "{label}");
                assert!(label.to_lowercase().starts_with(&typed.to_lowercase()), "{label} for {typed}");
                // Those above the folder are not told.
                assert!(!typed.starts_with("..") && !typed.starts_with('/'), "{label} for {typed}");
                let whole: PathBuf = clean(&Path::new(FOLDER).join(path));
                match label.strip_suffix('/') {
                    Some(_) => assert!(
                        paths.iter().any(|path| path != &whole && path.starts_with(&whole)),
                        "{label}"
                    ),
                    None => assert!(paths.contains(&whole), "{label} of {paths:?}"),
                }
                offered += 1;
                version += 1;
                let found = asked(&mut client, version, label, "hover").to_string();
                assert_eq!(found.contains("no such file"), label.ends_with('/'), "{label}: {found}");
            }
            nothing += usize::from(labels.is_empty());
        }
        // Each file that can be written as it is, and is not hidden, is offered where its folder is typed.
        for path in &paths {
            let Ok(inside) = path.strip_prefix(FOLDER) else { continue };
            let name = inside.to_str().unwrap();
            if name.contains(['"', '\\']) || inside.iter().any(|part| part == ".git") {
                continue;
            }
            let before = name.rfind('/').map_or("", |at| &name[..=at]);
            version += 1;
            let list = asked(&mut client, version, before, "completion");
            assert!(labels(&list).iter().any(|label| label == name), "{name}: {list}");
        }
        assert_eq!(client.leaves(), 0);
    }
    assert!(offered > 200 && nothing > 200, "{offered} offered, {nothing} times nothing");
}

/// A path without detours.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

/// Of a large folder some are offered, and more when people go on typing.
#[test]
fn a_large_folder() {
    let files = Files::default();
    let all = (0..1000).map(|number| (PathBuf::from(format!("{FOLDER}/m{number:03}.aut")), Vec::new()));
    files.lock().unwrap().extend(all);
    let mut client = Client::start(&files, able());
    client.open(URI, "toml", "");
    let list = asked(&mut client, 2, "", "completion");
    assert_eq!((labels(&list).len(), &list["isIncomplete"]), (200, &json!(true)));
    let list = asked(&mut client, 3, "m77", "completion");
    assert_eq!((labels(&list).len(), &list["isIncomplete"]), (10, &json!(false)));
    assert_eq!(client.leaves(), 0);
}
