//! Programs on which the two once differed, with the numbers that are right in their first line.

use super::checked;
use std::path::Path;

#[test]
fn kept_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/spin/kept");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no programs in {}", folder.display());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let expected = text.lines().next().unwrap_or_default().trim_start_matches("// ").to_owned();
        let found = match checked(&file) {
            Ok(counts) => counts.to_string(),
            Err(reason) => reason,
        };
        if found != expected {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            wrong.push(format!("{name}: expected {expected}, found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
