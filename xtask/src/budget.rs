//! What a release build costs: `cargo xtask budget`.
//!
//! The program is built from nothing, and every call of the compiler is measured (cargo calls this program in place of it: [`measure`]).
//! What the crates cost is told relative to one of them, the code generator, so that the figures of machines can be compared; the bytes
//! of the program are told by the crate from which they come. Budgets stand in `xtask/budget.toml`: whoever exceeds one makes the build
//! cheaper, or raises the budget where everybody sees it.

mod limits;
mod map;

use crate::{metadata, processor_time, this_program, tree};
pub use limits::Extent;
use limits::Limits;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate by which the others are measured, compiled as the profile says: at level 3.
const REFERENCE: &str = "cranelift_codegen";

/// The variable that names the file to which [`measure`] adds lines.
pub const NOTES: &str = "VOLVELLE_BUDGET";

/// Crates that are listed.
const LISTED: usize = 30;

/// `cargo xtask budget`: builds, lists, and compares with the budgets.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let mut extents = Vec::new();
    for argument in arguments {
        extents.push(match argument.as_str() {
            "whole" => Extent::Whole,
            "core" => Extent::Core,
            other => return Err(format!("there is no budget for `{other}`: whole, core")),
        });
    }
    if extents.is_empty() {
        extents = vec![Extent::Core, Extent::Whole];
    }
    let root = tree::root();
    let mut is_kept = true;
    for extent in extents {
        let folder = metadata::target_folder(&root)?.join("budget").join(extent.name());
        // What was built before would not be measured.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&root).args(["build", "--release", "--locked", "-p", "volvelle"]);
        if extent == Extent::Core {
            command.arg("--no-default-features");
        }
        command.arg("--target-dir").arg(&folder);
        let notes = Notes::beginning(&folder)?;
        notes.take_from(&mut command)?;
        let status = command.status().map_err(|e| format!("cargo: {e}"))?;
        if !status.success() {
            return Ok(false);
        }
        is_kept &= notes.judged(&root, extent, &folder.join("release/volvelle"))?;
    }
    Ok(is_kept)
}

/// Where the measurements of a build are noted.
pub struct Notes {
    file: PathBuf,
}

impl Notes {
    /// Begins anew in a folder.
    pub fn beginning(folder: &Path) -> Result<Self, String> {
        let file = folder.join("budget.tsv");
        for old in [file.clone(), map_beside(&file)] {
            if old.exists() {
                fs::remove_file(&old).map_err(|e| format!("{}: {e}", old.display()))?;
            }
        }
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Notes { file })
    }

    /// Lets a command of cargo, or one that calls it, be measured.
    pub fn take_from(&self, command: &mut Command) -> Result<(), String> {
        command.env("RUSTC_WRAPPER", this_program::path()?).env(NOTES, &self.file);
        Ok(())
    }

    /// Shows what was measured, and compares it with the budgets. A build that had something to begin with is not judged.
    pub fn judged(&self, root: &Path, extent: Extent, program: &Path) -> Result<bool, String> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let seconds = by_crate(&text);
        let Some(reference) = seconds.get(REFERENCE).copied().filter(|&seconds| seconds > 0.0) else {
            println!("the cost of the build is not known: not everything was built");
            return Ok(true);
        };
        let bytes = fs::metadata(program).map_err(|e| format!("{}: {e}", program.display()))?.len();
        let map = fs::read_to_string(map_beside(&self.file)).unwrap_or_default();
        let sizes = map::by_crate(&map);
        print!("{}", table(&seconds, &sizes, reference));
        let total: f64 = seconds.values().sum();
        let limits = Limits::read(root)?.of(extent);
        println!(
            "{}: {total:.0} s of CPU time, {:.2} times the code generator ({reference:.0} s; budget {:.2}); {:.1} MB (budget {:.1})",
            extent.name(),
            total / reference,
            limits.times,
            bytes as f64 / 1e6,
            limits.megabytes
        );
        Ok(limits.allow(total / reference, bytes as f64 / 1e6))
    }
}

/// Where the linker says what it put into the program.
fn map_beside(notes: &Path) -> PathBuf {
    notes.with_extension("map")
}

/// Seconds by crate, of the lines that [`measure`] has written.
fn by_crate(notes: &str) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for line in notes.lines() {
        if let Some((name, seconds)) = line.split_once('\t')
            && let Ok(seconds) = seconds.parse::<f64>()
        {
            *all.entry(name.to_owned()).or_insert(0.0) += seconds;
        }
    }
    all
}

/// The dearest crates, and the largest.
fn table(seconds: &BTreeMap<String, f64>, bytes: &BTreeMap<String, u64>, reference: f64) -> String {
    let mut names: Vec<&String> = seconds.keys().chain(bytes.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let cost = |name: &str| seconds.get(name).copied().unwrap_or_default();
    let size = |name: &str| bytes.get(name).copied().unwrap_or_default();
    // A second is about as bad as a hundred kilobytes.
    let weight = |name: &str| cost(name) + size(name) as f64 / 1e5;
    names.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    let mut text = format!("{:<28} {:>8} {:>8} {:>8}\n", "crate", "s", "times", "KB");
    for name in names.iter().take(LISTED) {
        let (cost, size) = (cost(name), size(name) / 1000);
        text += &format!("{name:<28} {cost:>8.1} {:>8.2} {size:>8}\n", cost / reference);
    }
    text
}

/// The wrapper that cargo calls in place of the compiler: notes what the call cost. Gives whether it succeeded.
pub fn measure(compiler: &str, arguments: &[String], notes: &Path) -> Result<bool, String> {
    let value = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let name = value("--crate-name").unwrap_or("");
    let mut command = Command::new(compiler);
    command.args(arguments);
    if name.starts_with("volvelle") {
        // Nothing else compiles the program without its wings: what is unused then shall be seen.
        command.arg("-Dwarnings");
    }
    if name == "volvelle" && value("--crate-type") == Some("bin") {
        command.arg("-C").arg(format!("link-arg=-Wl,-Map={}", map_beside(notes).display()));
    }
    let status = command.status().map_err(|e| format!("{compiler}: {e}"))?;
    // Questions that cargo asks the compiler have no crate.
    if !name.is_empty() && name != "___" {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(notes);
        let line = format!("{name}\t{:.2}\n", processor_time::of_children());
        let _ = file.as_mut().map(|file| file.write_all(line.as_bytes()));
    }
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::{by_crate, table};
    use crate::processor_time;

    #[test]
    fn costs_are_summed_by_crate() {
        let all = by_crate("a\t1.50\nb\t2.00\na\t0.25\nnoise\nc\tx\n");
        assert_eq!(all.len(), 2);
        assert!((all["a"] - 1.75).abs() < 1e-9);
        let sizes = [("b".to_owned(), 900_000), ("std".to_owned(), 5_000)].into();
        let text = table(&all, &sizes, 2.0);
        let first = text.lines().nth(1).expect("a line");
        assert!(first.starts_with("b ") && first.ends_with("900") && first.contains("1.00"), "{text}");
    }

    #[test]
    fn children_cost_something() {
        let before = processor_time::of_children();
        let mut child = std::process::Command::new("sh");
        child.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]).status().expect("a shell");
        if cfg!(target_os = "linux") {
            assert!(processor_time::of_children() > before);
        }
    }
}
