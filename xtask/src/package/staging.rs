//! The folder that is packed.

use super::steps::{emptied, printed};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Shells, with the names of the files of their completions.
pub const SHELLS: &[(&str, &str)] = &[
    ("bash", "volvelle.bash"),
    ("zsh", "_volvelle"),
    ("fish", "volvelle.fish"),
    ("powershell", "volvelle.ps1"),
];

/// Texts that lie beside the program, with their names there.
const TEXTS: &[(&str, &str)] = &[
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("crates/plot/font/OFL.txt", "LICENSE-FONT"),
];

/// Fills the folder: program, `completions`, `man`, `examples`, texts.
pub fn stage(root: &Path, program: &Path, folder: &Path) -> Result<(), String> {
    emptied(folder)?;
    let name = program.file_name().ok_or_else(|| format!("{} is no program", program.display()))?;
    let own = folder.join(name);
    copied(program, &own)?;
    for (from, to) in TEXTS {
        copied(&root.join(from), &folder.join(to))?;
    }
    let completions = folder.join("completions");
    emptied(&completions)?;
    for (shell, file) in SHELLS {
        let text = printed(Command::new(&own).args(["completions", shell]))?;
        let path = completions.join(file);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    printed(Command::new(&own).arg("man").arg("--output").arg(folder.join("man")))?;
    // What lies in the folder of examples without belonging to the repository is left behind.
    let listed = printed(Command::new("git").current_dir(root).args(["ls-files", "-z", "examples"]))?;
    for path in String::from_utf8_lossy(&listed).split('\0').filter(|path| !path.is_empty()) {
        let to = folder.join(path);
        let parent = to.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        copied(&root.join(path), &to)?;
    }
    Ok(())
}

/// Copies a file, with its permissions.
pub fn copied(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}
