//! A package for Debian and what descends from it (Debian Policy Manual 4.7: control files, 5; places of files, 9.1, 12).

use super::staging::copied;
use super::steps::{answers, emptied, printed, succeeds};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's name of the architecture of a platform.
pub fn architecture(target: &str) -> Result<&'static str, String> {
    match target.split_once("-unknown-linux") {
        Some(("x86_64", _)) => Ok("amd64"),
        Some(("aarch64", _)) => Ok("arm64"),
        _ => Err(format!("there are no Debian packages for {target}")),
    }
}

/// Makes the package from the folder that is packed.
pub fn make(output: &Path, staged: &Path, version: &str, target: &str) -> Result<PathBuf, String> {
    let architecture = architecture(target)?;
    let tree = output.join("debian");
    emptied(&tree)?;
    let put = |from: &str, to: &str| {
        let to = tree.join(to);
        let parent = to.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        copied(&staged.join(from), &to)
    };
    put("volvelle", "usr/bin/volvelle")?;
    put("completions/volvelle.bash", "usr/share/bash-completion/completions/volvelle")?;
    put("completions/_volvelle", "usr/share/zsh/vendor-completions/_volvelle")?;
    put("completions/volvelle.fish", "usr/share/fish/vendor_completions.d/volvelle.fish")?;
    for text in ["README.md", "CHANGELOG.md", "LICENSE-FONT"] {
        put(text, &format!("usr/share/doc/volvelle/{text}"))?;
    }
    let copyright = copyright(staged)?;
    written(&tree.join("usr/share/doc/volvelle/copyright"), &copyright)?;
    let pages = tree.join("usr/share/man/man1");
    fs::create_dir_all(&pages).map_err(|e| format!("{}: {e}", pages.display()))?;
    for page in files(&staged.join("man"))? {
        let to = pages.join(page.file_name().expect("a file has a name"));
        copied(&page, &to)?;
        succeeds(Command::new("gzip").args(["-9", "-n"]).arg(&to))?;
    }
    let examples = tree.join("usr/share/doc/volvelle");
    succeeds(Command::new("cp").arg("-r").arg(staged.join("examples")).arg(&examples))?;
    let program = fs::read(tree.join("usr/bin/volvelle")).map_err(|e| format!("usr/bin/volvelle: {e}"))?;
    let control = control(version, architecture, c_library(&program).as_deref());
    fs::create_dir_all(tree.join("DEBIAN")).map_err(|e| format!("DEBIAN: {e}"))?;
    written(&tree.join("DEBIAN/control"), &control)?;
    let deb = output.join(format!("volvelle_{version}-1_{architecture}.deb"));
    succeeds(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&tree).arg(&deb))?;
    fs::remove_dir_all(&tree).map_err(|e| format!("{}: {e}", tree.display()))?;
    Ok(deb)
}

/// Installs a package into a folder of its own, asks the program there, and removes it again.
pub fn try_out(deb: &Path, output: &Path) -> Result<(), String> {
    let place = output.join("installed");
    emptied(&place)?;
    let database = place.join("var/lib/dpkg");
    for folder in ["updates", "info", "triggers"] {
        let folder = database.join(folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    for file in ["status", "available"] {
        written(&database.join(file), "")?;
    }
    let dpkg = || {
        let mut command = Command::new("dpkg");
        command
            .arg(format!("--root={}", place.display()))
            .arg(format!("--log={}", place.join("log").display()));
        // The folder holds no C library, and belongs to whoever runs this.
        command.args(["--force-not-root", "--force-depends"]);
        command
    };
    succeeds(dpkg().arg("--install").arg(deb))?;
    answers(&place.join("usr/bin/volvelle"), &place.join("usr/share/doc/volvelle/examples"))?;
    succeeds(dpkg().args(["--purge", "volvelle"]))?;
    if place.join("usr/bin/volvelle").exists() {
        return Err("the program is still there after the package was removed".to_owned());
    }
    // Programs that look at packages read its head.
    printed(Command::new("dpkg-deb").arg("--info").arg(deb))?;
    fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))
}

fn control(version: &str, architecture: &str, library: Option<&str>) -> String {
    let depends = library.map_or(String::new(), |version| format!("Depends: libc6 (>= {version})\n"));
    format!(
        "Package: volvelle\nVersion: {version}-1\nArchitecture: {architecture}\nMaintainer: The Volvelle developers\n{depends}\
         Section: science\nPriority: optional\nDescription: model checker and simulator for stochastic and concurrent systems\n \
         Reads PRISM, Promela, LOTOS, explicit models and weighted systems; computes\n probabilities, rewards and times with sound \
         bounds, searches for errors, samples\n paths with compiled code, and tunes kernels.\n"
    )
}

/// The licences in the form that Debian asks for.
fn copyright(staged: &Path) -> Result<String, String> {
    let path = staged.join("LICENSE-MIT");
    let licence = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines =
        licence.trim().lines().map(|line| if line.is_empty() { " .".into() } else { format!(" {line}") });
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: volvelle\n\nFiles: *\n\
         Copyright: the Volvelle developers\nLicense: Apache-2.0 or MIT\n\nLicense: Apache-2.0\n On Debian systems the text is \
         /usr/share/common-licenses/Apache-2.0.\n\nLicense: MIT\n{}\n",
        lines.collect::<Vec<String>>().join("\n")
    ))
}

/// The newest version of the C library of which a program asks for symbols; none for a static program.
fn c_library(program: &[u8]) -> Option<String> {
    let mut newest: Option<(u32, u32)> = None;
    let text = String::from_utf8_lossy(program);
    for (at, mark) in text.match_indices("GLIBC_") {
        let mut numbers = text[at + mark.len()..].split(|c: char| !c.is_ascii_digit()).map(str::parse);
        if let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) {
            newest = newest.max(Some((major, minor)));
        }
    }
    newest.map(|(major, minor)| format!("{major}.{minor}"))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

fn written(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{c_library, control};

    #[test]
    fn the_newest_symbol_counts() {
        assert_eq!(
            c_library(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE").as_deref(),
            Some("2.34")
        );
        assert_eq!(c_library(b"GLIBC"), None);
    }

    #[test]
    fn a_static_program_depends_on_nothing() {
        assert!(!control("1", "amd64", None).contains("Depends"));
        assert!(control("1", "amd64", Some("2.34")).contains("\nDepends: libc6 (>= 2.34)\n"));
    }
}
