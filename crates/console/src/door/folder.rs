//! What is in a folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The names in a folder. Large folders are not read to their end.
pub fn folder_entries(folder: &Path) -> Vec<String> {
    const MOST: usize = 100_000;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.take(MOST).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// The bytes of a file on disk that is in a folder, or in one inside it, also after links are followed: of what may be asked for by a
/// text that nobody has vouched for. `None` for what is elsewhere, for what is no file on disk, and for more than 64 MiB.
pub fn read_inside(folder: &Path, name: &Path) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 26;
    let (folder, path) = (fs::canonicalize(folder).ok()?, fs::canonicalize(folder.join(name)).ok()?);
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= MOST);
    if !path.starts_with(&folder) || !is_file(&path) {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nothing_outside_is_read() {
        let root = std::env::temp_dir().join(format!("volvelle-inside-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let folder = root.join("folder");
        fs::create_dir_all(folder.join("deeper")).unwrap();
        fs::write(root.join("secret"), "secret").unwrap();
        fs::write(folder.join("own"), "own").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("leads-out")).unwrap();
        std::os::unix::fs::symlink("../own", folder.join("deeper/leads-in")).unwrap();
        let read = |name: &str| read_inside(&folder, Path::new(name));
        assert_eq!(read("own"), Some(b"own".to_vec()));
        assert_eq!(read("deeper/leads-in"), Some(b"own".to_vec()));
        assert_eq!(read("deeper/../own"), Some(b"own".to_vec()));
        let outside = root.join("secret");
        for name in ["leads-out", "../secret", "deeper", "nothing", outside.to_str().unwrap(), "/dev/zero"] {
            assert_eq!(read(name), None, "{name}");
        }
        fs::remove_dir_all(&root).unwrap();
    }
}
