//! Kernels that were built before, kept in a folder: text, options, device and driver go in, what the compiler made of them
//! comes out.
//!
//! A file is named after a hash of its key and holds the key itself and a checksum besides the binary. What cannot be read, is
//! torn, or belongs to another key counts as not there and is replaced; no trouble with the folder is ever an error. Files are
//! written under another name and renamed, so that processes may share a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Starts every file; the digit counts formats.
const MAGIC: &[u8; 8] = b"VOLVKC1\n";
/// Ends the names of kept binaries.
const KEPT: &str = "kernel";
/// Ends the names of files that are being written.
const PARTIAL: &str = "partial";
/// Bytes that a folder may take where nobody says otherwise.
const DEFAULT_LIMIT: u64 = 256 << 20;

/// Where built kernels are kept, if anywhere. Clones share the folder.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    folder: Option<Arc<Path>>,
    limit: u64,
}

impl Cache {
    /// Keeps nothing.
    pub fn none() -> Self {
        Cache::default()
    }

    /// Keeps kernels in a folder, which is made when the first one is kept; at most 256 MiB of them.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: Some(folder.into().into()), limit: DEFAULT_LIMIT }
    }

    /// With another bound on the bytes that it keeps.
    pub fn bounded(self, bytes: u64) -> Self {
        Cache { limit: bytes, ..self }
    }

    /// Whether anything is kept.
    pub fn is_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// The binary that was kept for a key.
    pub(crate) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let mut file = File::open(&path).ok()?;
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).ok()?;
        let binary = unpack(&contents, key)?.to_vec();
        // The one used last goes last; a folder that is only read keeps its order.
        let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        Some(binary)
    }

    /// Keeps a binary, if that can be done, and makes room.
    pub(crate) fn put(&self, key: &Key, binary: &[u8]) {
        let (Some(folder), Some(path)) = (&self.folder, self.path(key)) else { return };
        let contents = pack(key, binary);
        if contents.len() as u64 > self.limit || fs::create_dir_all(folder).is_err() {
            return;
        }
        if write_whole(&path, &contents).is_some() {
            self.make_room(folder);
        }
    }

    /// Forgets what is kept for a key: its compiler does not take it any more.
    pub(crate) fn forget(&self, key: &Key) {
        if let Some(path) = self.path(key) {
            let _ = fs::remove_file(path);
        }
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{:032x}.{KEPT}", hash(&key.0))))
    }

    /// Removes the oldest files until the others are within the limit. Files of others are left alone.
    fn make_room(&self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let ours = |path: &Path| path.extension().is_some_and(|e| e == KEPT || e == PARTIAL);
        let mut files: Vec<(SystemTime, PathBuf, u64)> = entries
            .flatten()
            .filter(|entry| ours(&entry.path()))
            .filter_map(|entry| {
                let facts = entry.metadata().ok()?;
                Some((facts.modified().ok()?, entry.path(), facts.len()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, path, bytes) in files {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// What a binary depends on.
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// From parts, which stay apart: `ab`, `c` is another key than `a`, `bc`.
    pub(crate) fn new(parts: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        Key(bytes)
    }
}

/// FNV-1a with 128 bits (Fowler, Noll, Vo). Finds files and torn ones; it needs to withstand nobody, since the key is compared.
fn hash(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// Magic, length of the key, key, checksum of the binary, binary.
fn pack(key: &Key, binary: &[u8]) -> Vec<u8> {
    let mut contents = MAGIC.to_vec();
    contents.extend((key.0.len() as u64).to_le_bytes());
    contents.extend(&key.0);
    contents.extend(hash(binary).to_le_bytes());
    contents.extend(binary);
    contents
}

/// The binary inside, if the file is whole and belongs to the key.
fn unpack<'a>(contents: &'a [u8], key: &Key) -> Option<&'a [u8]> {
    let rest = contents.strip_prefix(MAGIC)?;
    let rest = rest.strip_prefix(&(key.0.len() as u64).to_le_bytes())?;
    let rest = rest.strip_prefix(key.0.as_slice())?;
    let (checksum, binary) = rest.split_at_checked(16)?;
    (checksum == hash(binary).to_le_bytes()).then_some(binary)
}

/// Writes a file that others see whole or not at all.
fn write_whole(path: &Path, contents: &[u8]) -> Option<()> {
    // Whoever opens a new file first has its name; a few others may be at work on the same kernel.
    let (partial, mut file) = (0..16).find_map(|n| {
        let partial = path.with_extension(format!("{n}.{PARTIAL}"));
        let file = OpenOptions::new().write(true).create_new(true).open(&partial).ok()?;
        Some((partial, file))
    })?;
    let written = file.write_all(contents).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    /// A new folder, removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("volvelle-cache-{}-{number}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn files(&self) -> Vec<PathBuf> {
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let folder = Folder::new();
        let cache = Cache::at(&folder.0);
        let (one, two) = (Key::new(&["ab", "c"]), Key::new(&["a", "bc"]));
        assert_eq!(cache.get(&one), None);
        cache.put(&one, b"first");
        cache.put(&two, b"");
        assert_eq!((cache.get(&one), cache.get(&two)), (Some(b"first".to_vec()), Some(Vec::new())));
        cache.put(&one, b"again");
        assert_eq!(cache.get(&one), Some(b"again".to_vec()));
        assert_eq!(folder.files().len(), 2);
        cache.forget(&one);
        assert_eq!(cache.get(&one), None);
    }

    #[test]
    fn nothing_is_kept_nowhere() {
        let cache = Cache::none();
        cache.put(&Key::new(&["a"]), b"binary");
        assert_eq!(cache.get(&Key::new(&["a"])), None);
        // A folder that cannot be made: a file is in its place.
        let folder = Folder::new();
        let file = folder.0.join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::at(file.join("folder"));
        cache.put(&Key::new(&["a"]), b"binary");
        assert_eq!(cache.get(&Key::new(&["a"])), None);
    }

    #[test]
    fn no_file_that_is_not_whole() {
        let folder = Folder::new();
        let cache = Cache::at(&folder.0);
        let key = Key::new(&["text", "options"]);
        cache.put(&key, b"a binary");
        let path = folder.files().remove(0);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.get(&key), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            fs::write(&path, &changed).unwrap();
            assert_eq!(cache.get(&key), None, "changed at {at}");
        }
        // A file of another key under this name.
        fs::write(&path, pack(&Key::new(&["other"]), b"a binary")).unwrap();
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"a binary");
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn the_oldest_go() {
        let folder = Folder::new();
        fs::write(folder.0.join("of somebody else"), vec![0; 10_000]).unwrap();
        let cache = Cache::at(&folder.0).bounded(3500);
        let key = |n: u64| Key::new(&[&n.to_string()]);
        let start = SystemTime::now() - Duration::from_secs(1000);
        for n in 0..3 {
            cache.put(&key(n), &[n as u8; 1000]);
            let file = File::options().append(true).open(cache.path(&key(n)).unwrap()).unwrap();
            file.set_modified(start + Duration::from_secs(n)).unwrap();
        }
        // Being used makes it young.
        assert!(cache.get(&key(0)).is_some());
        cache.put(&key(3), &[3; 1000]);
        let kept: Vec<bool> = (0..4).map(|n| cache.get(&key(n)).is_some()).collect();
        assert_eq!(kept, [true, false, true, true]);
        assert!(folder.0.join("of somebody else").exists());
        // What has no room at all is not kept, and drives nobody out.
        cache.put(&key(4), &[0; 5000]);
        assert!(cache.get(&key(4)).is_none() && cache.get(&key(3)).is_some());
    }

    #[test]
    fn many_writers() {
        let folder = Folder::new();
        let cache = Cache::at(&folder.0);
        let binary = |n: u64| vec![n as u8; 50_000];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for n in 0..40 {
                        let key = Key::new(&[&(n % 5).to_string()]);
                        cache.put(&key, &binary(n % 5));
                        if let Some(found) = cache.get(&key) {
                            assert_eq!(found, binary(n % 5));
                        }
                    }
                });
            }
        });
        assert_eq!(folder.files().len(), 5, "no partial file stays");
    }
}
