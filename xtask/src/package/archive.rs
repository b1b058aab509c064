//! Archives and their checksums.

use super::steps::{answers, emptied, succeeds};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packs a folder: `.zip` for Windows, whose `tar` knows it, `.tar.gz` elsewhere.
pub fn make(output: &Path, name: &str, is_zip: bool) -> Result<PathBuf, String> {
    let archive = output.join(format!("{name}.{}", if is_zip { "zip" } else { "tar.gz" }));
    let how = if is_zip { "-acf" } else { "-czf" };
    succeeds(Command::new("tar").current_dir(output).arg(how).arg(&archive).arg(name))?;
    Ok(archive)
}

/// Writes `FILE.sha256`, in the form that `sha256sum --check` reads.
pub fn write_checksum(file: &Path) -> Result<PathBuf, String> {
    let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let path = file.with_file_name(format!("{name}.sha256"));
    fs::write(&path, format!("{}  {name}\n", checksum(file)?))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn checksum(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Unpacks an archive and asks the program in it.
pub fn try_out(archive: &Path, name: &str) -> Result<(), String> {
    let folder = archive.with_file_name("unpacked");
    emptied(&folder)?;
    succeeds(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&folder))?;
    let own = folder.join(name);
    let program = own.join(format!("volvelle{}", std::env::consts::EXE_SUFFIX));
    answers(&program, &own.join("examples"))?;
    fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// That of `abc` (FIPS 180-4, example of NIST).
    #[test]
    fn checksums_are_those_of_the_standard() {
        let file = std::env::temp_dir().join(format!("volvelle-checksum-{}", std::process::id()));
        std::fs::write(&file, "abc").expect("a file");
        let found = checksum(&file);
        std::fs::remove_file(&file).expect("it goes away");
        assert_eq!(found.as_deref(), Ok("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }
}
