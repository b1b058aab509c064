//! The documents show what the program prints.
//!
//! In every page of the README, the book and the specifications, a block
//!
//! ````text
//! ```console
//! $ volvelle check examples/prism/die.prism --prop 'P=? [ F face=1 ]'
//! ... output ...
//! ```
//! ````
//!
//! is run, and its output compared: standard output, then standard error; times do not count. `$ printf TEXT | volvelle ...` has it read
//! a text, and `$ cat FILE` shows a file that a command has written. A block with `file=NAME` behind its language is a file for the commands below it.
//! `BLESS=1 cargo test -p volvelle --test it documents::` writes what was printed into the pages.

use crate::common::markdown::{Block, blocks, masked, replaced, words};
use crate::common::{Folder, root, run_in, told_in};
use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs"), root.join("spec")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// Runs the commands of a block; gives the block as it should be. `None` if it is none of ours.
fn transcript(block: &Block, page: &str, folder: &Path) -> Option<String> {
    let text = block.text(page);
    let is_ours = text.starts_with("$ volvelle") || text.starts_with("$ printf");
    if block.language() != "console" || !is_ours {
        return None;
    }
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut command = command.to_owned();
        out.push_str(&format!("$ {command}\n"));
        while let Some(open) = command.strip_suffix('\\') {
            let more = lines.next().expect("a line behind the backslash");
            out.push_str(&format!("{more}\n"));
            command = format!("{} {}", open.trim_end(), more.trim());
        }
        let words = words(&command);
        match words[0].as_str() {
            "volvelle" => {
                let run = run_in(folder, &words[1..]);
                out.push_str(&run.out);
                if !run.out.is_empty() && !run.err.is_empty() {
                    out.push('\n');
                }
                out.push_str(&run.err);
            }
            "printf" => {
                let input = words[1].replace("\\n", "\n");
                let [pipe, program, rest @ ..] = &words[2..] else { panic!("`{command}` has no pipe") };
                assert_eq!([pipe, program], ["|", "volvelle"], "{command}");
                let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
                let run = told_in(folder, &rest, &input);
                out.push_str(&run.out);
                out.push_str(&run.err);
            }
            "cat" => out.push_str(&std::fs::read_to_string(folder.join(&words[1])).expect("a file to show")),
            other => panic!("`{other}` cannot be run in a page"),
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    Some(out)
}

#[test]
fn pages_show_what_is_printed() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = String::new();
    let mut shown = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let folder = Folder::with_examples();
        let mut changes = Vec::new();
        for block in blocks(&page) {
            if let Some(name) = block.attribute("file") {
                std::fs::write(folder.path().join(name), block.text(&page)).expect("a file of a page");
            }
            let Some(found) = transcript(&block, &page, folder.path()) else { continue };
            shown += 1;
            if masked(&found) != masked(block.text(&page)) {
                wrong += &format!("--- {}\n{}+++ found\n{found}\n", path.display(), block.text(&page));
                changes.push((block.range.clone(), found));
            }
        }
        if bless && !changes.is_empty() {
            std::fs::write(&path, replaced(&page, &changes)).expect("the page can be written");
        }
    }
    assert!(shown > 10, "only {shown} blocks were found");
    assert!(wrong.is_empty() || bless, "BLESS=1 accepts what was found\n{wrong}");
}

#[test]
fn times_do_not_count() {
    assert_eq!(masked("a.prism  DTMC   (12 ms)\n"), masked("a.prism  DTMC  (1.2 s)"));
    assert_eq!(masked("x  exact   <1 ms\n"), masked("x  exact    2 ms\n"));
    assert_eq!(masked("= 1  uniformisation, 2 min 3 s"), masked("= 1  uniformisation, 2 min 4 s"));
    assert_eq!(
        masked("= 1  within +/-1 (sound)  elimination"),
        masked("= 1  within +/-2 (sound)  iteration")
    );
    assert_ne!(masked("= 1  within +/-1 (sound)"), masked("= 2  within +/-1 (sound)"));
    assert_ne!(masked("= 0.5  exact"), masked("= 0.6  exact"));
    assert_eq!(masked("= 0.16666666 within +/-1e-9"), masked("= 0.1666666667 within +/-2e-15"));
    assert_ne!(masked("\"value\": 0.2501,"), masked("\"value\": 0.2502,"));
}

#[test]
fn commands_are_split_as_a_shell_does() {
    assert_eq!(words("a  'b \"c\"' d\"e f\" ''"), ["a", "b \"c\"", "de f", ""]);
}
