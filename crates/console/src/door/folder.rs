//! What is in a folder.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

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
    let (path, data) = inside(folder, name)?;
    (data.is_file() && data.len() <= MOST).then(|| first_bytes(&path, MOST))?
}

/// The first bytes of such a file, at most so many, and how many it has, however many these are.
pub fn head_inside(folder: &Path, name: &Path, most: u64) -> Option<(Vec<u8>, u64)> {
    let (path, data) = inside(folder, name)?;
    let bytes = data.is_file().then(|| first_bytes(&path, most))?;
    Some((bytes?, data.len()))
}

/// The names in such a folder, at most so many are looked at, and whether each is one of a folder. What is neither a file nor a folder is
/// left out, and so are links that lead elsewhere.
pub fn entries_inside(folder: &Path, name: &Path, most: usize) -> Vec<(String, bool)> {
    let entries = inside(folder, name).and_then(|(path, _)| fs::read_dir(path).ok());
    let entry = |entry: std::io::Result<fs::DirEntry>| {
        let own = entry.ok()?.file_name().into_string().ok()?;
        let (_, data) = inside(folder, &name.join(&own))?;
        (data.is_file() || data.is_dir()).then(|| (own, data.is_dir()))
    };
    entries.into_iter().flatten().take(most).filter_map(entry).collect()
}

/// Where a name leads, after links are followed, if that is in the folder, or in one inside it; and what is there.
fn inside(folder: &Path, name: &Path) -> Option<(PathBuf, Metadata)> {
    let (folder, path) = (fs::canonicalize(folder).ok()?, fs::canonicalize(folder.join(name)).ok()?);
    let data = fs::metadata(&path).ok()?;
    path.starts_with(&folder).then_some((path, data))
}

fn first_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
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
        let head = |name: &str| head_inside(&folder, Path::new(name), 2);
        assert_eq!(
            (head("own"), head("deeper/leads-in")),
            (Some((b"ow".to_vec(), 3)), Some((b"ow".to_vec(), 3)))
        );
        for name in ["leads-out", "../secret", "deeper", "nothing", "/dev/zero"] {
            assert_eq!(head(name), None, "{name}");
        }
        let entries = |name: &str| {
            let mut found = entries_inside(&folder, Path::new(name), 100);
            found.sort();
            found
        };
        assert_eq!(entries(""), [("deeper".to_owned(), true), ("own".to_owned(), false)]);
        assert_eq!(entries("deeper"), [("leads-in".to_owned(), false)]);
        for name in ["..", "/", "own", "nothing", "deeper/../.."] {
            assert_eq!(entries(name), [], "{name}");
        }
        assert_eq!(entries_inside(&folder, Path::new(""), 0), []);
        fs::remove_dir_all(&root).unwrap();
    }
}
