//! Real programs, executed by QEMU and by `volvelle multicore`: they print the same, write the same files, and end with the same status.
//!
//! Their sources are packages of Debian (`sources`), compiled here for RISC-V (`recipes`). Everything stays in the folder `programs` of what is built. Where a tool
//! is missing, nothing runs. Instructions are not counted: Debian's QEMU comes without the plugin for it; small programs are compared by count and
//! hashes in the test suite.

mod recipes;
mod sources;

use crate::{metadata, tree};
use recipes::{Case, RECIPES, Recipe};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const EMULATOR: &str = "qemu-riscv64";
const COMPILER: &str = "riscv64-linux-gnu-gcc";

/// `cargo xtask programs`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let (volvelle, names) = read(arguments)?;
    let chosen: Vec<&Recipe> =
        RECIPES.iter().filter(|recipe| names.is_empty() || names.contains(&recipe.name)).collect();
    if let Some(missing) =
        [EMULATOR, COMPILER, "apt-get", "dpkg-source"].into_iter().find(|tool| !is_there(tool))
    {
        println!("skipped: {missing} is not there");
        return Ok(true);
    }
    let root = tree::root();
    let target = metadata::target_folder(&root)?;
    let folder = target.join("programs");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    if let Err(why) = sources::fetch(&folder, chosen.iter().map(|recipe| recipe.package)) {
        println!("skipped: {why}");
        return Ok(true);
    }
    let volvelle = match volvelle {
        Some(path) => std::path::absolute(&path).map_err(|e| format!("{path}: {e}"))?,
        None => build(&root, &target)?,
    };
    println!("instructions are not compared: no plugin of QEMU counts them");
    let mut passed = true;
    for recipe in chosen {
        let source = sources::of(&folder, recipe.package)
            .ok_or_else(|| format!("the sources of {} are not where they should be", recipe.package))?;
        let program = recipe.build(COMPILER, &source, &folder)?;
        for case in recipe.cases {
            let outcome = compare(&volvelle, &program, &source, &folder, case)?;
            passed &= outcome.is_ok();
            let arguments = case.arguments.join(" ");
            match outcome {
                Ok(executed) => println!("{} {arguments}: the same, {executed} instructions", recipe.name),
                Err(why) => println!("{} {arguments}: FAILED: {why}", recipe.name),
            }
        }
    }
    Ok(passed)
}

/// The program to test, if it is named, and the names of recipes.
fn read(arguments: &[String]) -> Result<(Option<String>, Vec<&'static str>), String> {
    let (mut volvelle, mut names) = (None, Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--volvelle" => volvelle = Some(rest.next().ok_or("--volvelle needs a file")?.clone()),
            option if option.starts_with("--") => return Err(format!("programs knows no option `{option}`")),
            name => {
                let all: Vec<&'static str> = RECIPES.iter().map(|recipe| recipe.name).collect();
                let found = all.iter().find(|known| **known == name);
                names
                    .push(*found.ok_or_else(|| format!("there is no program `{name}`: {}", all.join(", ")))?);
            }
        }
    }
    Ok((volvelle, names))
}

fn is_there(tool: &str) -> bool {
    let status = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn build(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let mut command = Command::new(env!("CARGO"));
    let status =
        command.current_dir(root).args(["build", "--release", "--locked", "-p", "volvelle"]).status();
    match status {
        Ok(status) if status.success() => Ok(target.join("release").join("volvelle")),
        Ok(_) => Err("volvelle does not build".to_owned()),
        Err(error) => Err(format!("cargo build: {error}")),
    }
}

/// What a run has printed, its status, and the files that it should have written.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    printed: Vec<u8>,
    exit: i32,
    written: Vec<Option<Vec<u8>>>,
}

/// Runs a case both ways: instructions, or what is not the same.
fn compare(
    volvelle: &Path,
    program: &Path,
    source: &Path,
    folder: &Path,
    case: &Case,
) -> Result<Result<String, String>, String> {
    // Both call the program by its file's name alone.
    let name = program.file_name().unwrap_or_default();
    let mut emulator = Command::new(EMULATOR);
    let (printed, exit, written) =
        execute(emulator.arg("-0").arg(name).arg(program), &folder.join("by-qemu"), source, case)?;
    let expected = Ran { printed, exit, written };
    let mut command = Command::new(volvelle);
    command.args(["multicore".as_ref(), program.as_os_str()]);
    command.args(["--only", "program", "--write", "--"]);
    let (printed, _, written) = execute(&mut command, &folder.join("by-volvelle"), source, case)?;
    let Some((printed, executed, exit)) = summary(&printed) else {
        return Ok(Err(String::from_utf8_lossy(&printed).into_owned()));
    };
    let found = Ran { printed: printed.to_vec(), exit, written };
    Ok(match () {
        () if expected.exit != found.exit => Err(format!("status {}, not {}", found.exit, expected.exit)),
        () if expected.printed != found.printed => Err("it prints something else".to_owned()),
        () if expected.written != found.written => Err("it writes something else".to_owned()),
        () => Ok(executed),
    })
}

/// Runs a command in a new folder with the files of a case.
#[expect(clippy::type_complexity, reason = "taken apart at once")]
fn execute(
    command: &mut Command,
    folder: &Path,
    source: &Path,
    case: &Case,
) -> Result<(Vec<u8>, i32, Vec<Option<Vec<u8>>>), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir(folder).map_err(failed)?;
    for input in case.inputs {
        input.put(source, folder)?;
    }
    // Both streams go to one file, in their order.
    let printed = folder.with_extension("printed");
    let file = File::create(&printed).map_err(failed)?;
    let both = file.try_clone().map_err(failed)?;
    command.current_dir(folder).args(case.arguments).stdin(Stdio::null()).stdout(file).stderr(both);
    let status = command.status().map_err(failed)?;
    let written = case.outputs.iter().map(|name| std::fs::read(folder.join(name)).ok()).collect();
    Ok((std::fs::read(&printed).map_err(failed)?, status.code().unwrap_or(-1), written))
}

/// What volvelle tells of a run: what the program has printed, instructions, and its status.
fn summary(all: &[u8]) -> Option<(&[u8], String, i32)> {
    const BEFORE: &str = " instructions, exit ";
    let mut start = 0;
    let mut found = None;
    for line in all.split_inclusive(|byte| *byte == b'\n') {
        if let Some((left, exit)) = std::str::from_utf8(line).ok().and_then(|text| text.split_once(BEFORE)) {
            let executed = left.rsplit(' ').next().unwrap_or_default().to_owned();
            found = exit.trim().parse().ok().map(|exit| (&all[..start], executed, exit)).or(found);
        }
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_found_behind_what_was_printed() {
        let text =
            b"hi\n3 instructions, exit early\np.elf  4,580,238 instructions, exit 3\n  executed  alu\n";
        let (printed, executed, exit) = summary(text).expect("a summary");
        assert_eq!(printed, b"hi\n3 instructions, exit early\n");
        assert_eq!((executed.as_str(), exit), ("4,580,238", 3));
        assert!(summary(b"error[V2006]: the program ends itself\n").is_none());
    }

    #[test]
    fn arguments_are_names_of_programs() {
        let read = |all: &[&str]| read(&all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(read(&["lua", "--volvelle", "v"]), Ok((Some("v".to_owned()), vec!["lua"])));
        assert!(read(&["nothing"]).is_err() && read(&["--fast"]).is_err() && read(&["--volvelle"]).is_err());
    }
}
