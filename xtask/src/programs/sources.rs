//! Source packages of Debian: `apt-get source`, with lists and states of its own in one folder, so that it changes nothing else and needs no rights.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where Debian's packages are; apt checks their signatures.
const MIRROR: &str = "http://deb.debian.org/debian";

/// The sources of a package in a folder.
pub fn of(folder: &Path, package: &str) -> Option<PathBuf> {
    let begin = format!("{package}-");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all.into_iter().find(|path| {
        path.is_dir() && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin))
    })
}

/// Brings those that are not there.
///
/// # Errors
/// Why that is not possible.
pub fn fetch<'a>(folder: &Path, packages: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let missing: Vec<&str> = packages.filter(|package| of(folder, package).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let release = release().ok_or("this is no release of Debian")?;
    let own = folder.join("apt");
    for part in ["state/lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(own.join(part)).map_err(|e| format!("{}: {e}", own.display()))?;
    }
    let list = own.join("sources.list");
    std::fs::write(&list, format!("deb-src {MIRROR} {release} main\n"))
        .map_err(|e| format!("{}: {e}", list.display()))?;
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.current_dir(folder).arg("-qq");
        for (name, value) in [
            ("Dir::State", own.join("state")),
            ("Dir::Cache", own.join("cache")),
            ("Dir::Etc::sourcelist", list.clone()),
            ("Dir::Etc::sourceparts", "/dev/null".into()),
            ("APT::Sandbox::User", "root".into()),
        ] {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        }
        command.args(arguments).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !apt(&["update"]) || !apt(&[&["source"], &missing[..]].concat()) {
        return Err(format!("the sources of {} cannot be had from {MIRROR}", missing.join(", ")));
    }
    Ok(())
}

/// The name of Debian's release that this runs on.
fn release() -> Option<String> {
    let text = std::fs::read_to_string("/etc/os-release").ok()?;
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    value("ID=").filter(|id| *id == "debian")?;
    value("VERSION_CODENAME=").map(|name| name.trim_matches('"').to_owned())
}
