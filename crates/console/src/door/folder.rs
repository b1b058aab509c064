//! What is in a folder.

use std::fs;
use std::path::Path;

/// The names in a folder. Large folders are not read to their end.
pub fn folder_entries(folder: &Path) -> Vec<String> {
    const MOST: usize = 100_000;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.take(MOST).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}
