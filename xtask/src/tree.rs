//! The files of the checkout.

use std::path::{Path, PathBuf};

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    /// Contents.
    pub text: String,
}

impl File {
    /// A file, for tests of rules.
    pub fn new(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether it is Rust.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is Markdown.
    pub fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }
}

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// Folders that hold no sources: outputs of builds, packages of others, bench runs and fuzzers, and the repository's own data.
const SKIPPED: &[&str] = &[
    "target",
    ".git",
    "fuzz/corpus",
    "fuzz/artifacts",
    "benches/storm/venv",
    "__pycache__",
    "node_modules",
    "editors/vscode/dist",
];

/// All text files below `root`, sorted by path. Files that are not UTF-8 are left out, except for pictures, to which pages link:
/// they have an empty text.
pub fn files(root: &Path) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", folder.display()))?;
            let path = entry.path();
            let relative = relative(root, &path);
            if SKIPPED
                .iter()
                .any(|skipped| relative == *skipped || relative.ends_with(&format!("/{skipped}")))
            {
                continue;
            }
            let kind = entry.file_type().map_err(|e| format!("{}: {e}", path.display()))?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                match std::fs::read_to_string(&path) {
                    Ok(text) => files.push(File { path: relative, text }),
                    Err(_) if relative.ends_with(".png") => {
                        files.push(File { path: relative, text: String::new() });
                    }
                    Err(_) => {}
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
