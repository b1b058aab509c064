//! Misspelt words that end definitions: one mistake, whose fix restores the text.

use std::path::{Path, PathBuf};
use volvelle_diagnostics::{FileId, Sources, applied};
use volvelle_lotos::parse;

const ENDS: &[&str] = &["endlib", "endproc", "endspec", "endtype"];

fn specifications() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        ["examples/lotos", "crates/oracles/tests/lotos", "crates/oracles/tests/lotos_specifications"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "lotos"));
    paths.sort();
    assert!(paths.len() > 10);
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn each_end() {
    let mut tried = 0;
    for (path, text) in specifications() {
        let (tree, mistakes) = parse::specification(FileId(0), &text);
        assert!(mistakes.is_empty(), "{}", path.display());
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start + line.len() - line.trim_start().len();
            start += line.len();
            let word =
                line.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            if !ENDS.contains(&word.to_ascii_lowercase().as_str()) {
                continue;
            }
            let (first, rest) = word.split_at(1);
            for other in [
                &word[..word.len() - 1],
                &format!("{word}{}", &word[word.len() - 1..]),
                &format!("{first}{rest}x"),
            ] {
                let mut sources = Sources::new();
                let broken = format!("{}{other}{}", &text[..at], &text[at + word.len()..]);
                let file = sources.add("m.lotos", broken.as_str());
                let (found, mistakes) = parse::specification(file, &broken);
                let about = format!(
                    "{} {other}: {:?}",
                    path.display(),
                    mistakes.iter().map(|one| &one.message).collect::<Vec<_>>()
                );
                assert_eq!(mistakes.len(), 1, "{about}");
                let [fix] = mistakes[0].fixes.as_slice() else { panic!("{about}") };
                assert!(fix.is_certain(), "{about}");
                let restored = applied(&sources, &[fix]).text(&sources, file);
                assert_eq!(restored.as_ref(), Some(&text), "{about}");
                assert_eq!(found.processes.len(), tree.processes.len(), "{about}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// Where no end is missing, a name near to one is a name.
#[test]
fn names_near_to_ends() {
    let text = "specification S [A] : noexit\nbehaviour\n  ENDPRO [A]\nwhere\nprocess ENDPRO [A] : noexit :=\n  A; ENDPROCS\nwhere\n\
        process ENDPROCS : noexit :=\n  ENDPROCS\nendproc\nendproc\nendspec\n";
    assert_eq!(parse::specification(FileId(0), text).1, []);
}
