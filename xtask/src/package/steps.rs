//! Commands, folders, and the question that tries a program out.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a command; what it prints is shown, and an error says what failed.
pub fn succeeds(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} failed: {status}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// What a command prints.
pub fn printed(command: &mut Command) -> Result<Vec<u8>, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{program}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(output.stdout)
}

/// Asks the program that lies in a folder for an answer about a model that lies beside it.
pub fn answers(program: &Path, examples: &Path) -> Result<(), String> {
    let model = examples.join("prism/die.prism");
    let mut command = Command::new(program);
    let text = printed(command.arg("check").arg(&model).args(["--prop", "P=? [ F face=6 ]", "--exact"]))?;
    let text = String::from_utf8_lossy(&text);
    if text.contains("= 1/6") {
        Ok(())
    } else {
        Err(format!("{} gives no 1/6 for a die:\n{text}", program.display()))
    }
}

/// Makes an empty folder.
pub fn emptied(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}
