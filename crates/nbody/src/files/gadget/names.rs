//! Names of the files of a snapshot.

use std::path::{Path, PathBuf};

/// The path of file `number` of the snapshot `name.hdf5`: `name.NUMBER.hdf5`.
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("{number}.{ending}"))
}

/// The path of the snapshot to which a numbered file belongs: the same without the number. `None` if the name
/// has no number.
pub fn without_number(path: &Path) -> Option<PathBuf> {
    let stem = Path::new(path.file_stem()?);
    let number = stem.extension()?.to_str()?;
    number.parse::<u32>().ok()?;
    let ending = path.extension()?;
    Some(path.with_file_name(stem.file_stem()?).with_added_extension(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_before_the_ending() {
        let whole = Path::new("run/snapshot_000.hdf5");
        let second = numbered(whole, 1);
        assert_eq!(second, Path::new("run/snapshot_000.1.hdf5"));
        assert_eq!(without_number(&second).as_deref(), Some(whole));
        assert_eq!(without_number(whole), None);
    }
}

/// The type of bodies of which nothing else is known: matter without collisions.
pub(super) const TYPE: usize = 1;

/// The column that has the type of each body, where not all are of the usual one.
pub(super) const TYPE_COLUMN: &str = "type";
