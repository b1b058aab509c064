//! Folders of kept kernels.

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
    fs::write(folder.0.join("of another program"), vec![0; 10_000]).unwrap();
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
    assert!(folder.0.join("of another program").exists());
    // An entry larger than the folder is not stored, and evicts no other.
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
