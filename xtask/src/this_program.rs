//! The program of these tasks, which cargo calls in place of the compiler where a task wants that.

use std::path::PathBuf;

/// Where this program is. Who has built the tests meanwhile has put the same program anew in its place, and the system says of
/// the one that runs that it was deleted.
pub fn path() -> Result<PathBuf, String> {
    let path = std::env::current_exe().map_err(|e| format!("the path of this program: {e}"))?;
    let again = path.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from);
    match again {
        Some(again) if !path.exists() => Ok(again),
        _ => Ok(path),
    }
}
