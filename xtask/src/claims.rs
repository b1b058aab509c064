//! What the README claims, measured again: `cargo xtask claims`.
//!
//! Each figure of the comparison in README.md is a [`Claim`]: the words of the README, the words of docs/performance.md that they
//! summarise, and the benchmark that measures it in a few minutes. A claim fails where what is measured now is worse than what is
//! claimed by more than half; a better figure is told, and fails nothing. Tests of this crate hold that the words stand in both
//! pages, and that no cell of the comparison has a figure without a claim.

mod table;

use crate::tree;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
pub use table::{CLAIMS, Claim, Measure};

/// By which factor a figure may be worse than the claimed one: short runs on a busy machine differ by as much.
const SLACK: f64 = 1.5;

/// Runs of a command whose duration is claimed.
const STARTS: usize = 21;

/// The output of each benchmark that was run, by its script and arguments.
type Printed = BTreeMap<(&'static str, &'static [&'static str]), String>;

/// `cargo xtask claims`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    if arguments.iter().any(|argument| argument == "--list") {
        for claim in CLAIMS {
            println!("{:<12} {}", claim.name, claim.says);
        }
        return Ok(true);
    }
    let find = |name: &String| {
        let names = CLAIMS.iter().map(|claim| claim.name).collect::<Vec<_>>().join(", ");
        CLAIMS
            .iter()
            .find(|claim| claim.name == name)
            .ok_or_else(|| format!("there is no claim `{name}`: {names}"))
    };
    let chosen: Vec<&Claim> = match arguments {
        [] => CLAIMS.iter().collect(),
        names => names.iter().map(find).collect::<Result<_, _>>()?,
    };
    let root = tree::root();
    let program = program(&root)?;
    let mut printed = Printed::new();
    let mut all_hold = true;
    let mut lines = Vec::new();
    for claim in chosen {
        println!("\n== {}: {}", claim.name, claim.says);
        let found = measured(claim, &root, &program, &mut printed);
        let line = match &found {
            Ok(figures) => judged(claim, figures),
            Err(message) => Err(format!("not measured: {message}")),
        };
        all_hold &= line.is_ok();
        let (word, text) = match line {
            Ok(text) => ("holds", text),
            Err(text) => ("FAILS", text),
        };
        lines.push(format!("{word}  {:<12} {text}", claim.name));
        println!("{}", lines.last().expect("just pushed"));
    }
    println!("\n{}", lines.join("\n"));
    Ok(all_hold)
}

/// Builds the program that is measured.
fn program(root: &Path) -> Result<std::path::PathBuf, String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["build", "--release", "--locked", "-p", "volvelle"]);
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("the program does not build".to_owned());
    }
    Ok(crate::metadata::target_folder(root)?.join("release/volvelle"))
}

/// The figures of a claim, in the order in which it has them; `printed` has what benchmarks have printed so far.
fn measured(claim: &Claim, root: &Path, program: &Path, printed: &mut Printed) -> Result<Vec<f64>, String> {
    match claim.measure {
        Measure::Benchmark { script, arguments, before } => {
            let text = match printed.entry((script, arguments)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(output(script, arguments, root, program)?),
            };
            before.iter().map(|words| figure_behind(text, words)).collect()
        }
        Measure::Milliseconds(arguments) => {
            let mut times = Vec::new();
            for _ in 0..STARTS {
                let start = Instant::now();
                let output = Command::new(program).current_dir(root).args(arguments).output();
                let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
                times.push(start.elapsed().as_secs_f64() * 1000.0);
                // A property that is false is an answer, too.
                if !matches!(output.status.code(), Some(0 | 1)) {
                    return Err(format!("volvelle {} fails", arguments.join(" ")));
                }
            }
            times.sort_by(f64::total_cmp);
            Ok(vec![times[STARTS / 2]])
        }
    }
}

/// What a benchmark prints.
fn output(script: &str, arguments: &[&str], root: &Path, program: &Path) -> Result<String, String> {
    let mut command = Command::new("python3");
    command.current_dir(root).arg(script);
    for argument in arguments {
        match *argument {
            "$PROGRAM" => command.arg(program),
            other => command.arg(other),
        };
    }
    let output = command.output().map_err(|e| format!("python3: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{text}");
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{script}: {}", errors.trim().lines().last().unwrap_or("no message")));
    }
    Ok(text)
}

/// The number that follows these words, of which `...` leaves some out.
fn figure_behind(text: &str, words: &str) -> Result<f64, String> {
    let mut rest = text;
    for part in words.split("...") {
        let at = rest.find(part).ok_or_else(|| format!("the output does not say `{words}`"))?;
        rest = &rest[at + part.len()..];
    }
    let number: String = rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.trim_end_matches('.').parse().map_err(|_| format!("no number follows `{words}`"))
}

/// Says what was claimed and found; an error where it is worse.
fn judged(claim: &Claim, found: &[f64]) -> Result<String, String> {
    let is_time = matches!(claim.measure, Measure::Milliseconds(_));
    let is_worse = |claimed: f64, found: f64| {
        if is_time { found > claimed * SLACK } else { found * SLACK < claimed }
    };
    let pairs = claim.figures.iter().zip(found);
    let text = pairs.clone().map(|(claimed, found)| format!("claimed {claimed}, found {found:.1}"));
    let text = text.collect::<Vec<_>>().join("; ");
    if pairs.clone().any(|(claimed, found)| is_worse(*claimed, *found)) { Err(text) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, Claim, Measure, figure_behind, judged};
    use crate::tree;

    fn page(name: &str) -> String {
        let text = std::fs::read_to_string(tree::root().join(name)).expect("a page");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn claims_stand_in_both_pages() {
        let (readme, figures) = (page("README.md"), page("docs/performance.md"));
        for claim in CLAIMS {
            assert!(readme.contains(claim.says), "README.md does not say `{}`", claim.says);
            assert!(figures.contains(claim.shown), "docs/performance.md does not say `{}`", claim.shown);
            for figure in claim.figures {
                let stands = |text: &str| {
                    let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
                    numbers.filter_map(|n| n.trim_end_matches('.').parse::<f64>().ok()).any(|n| n == *figure)
                };
                assert!(stands(claim.says), "`{}` has no figure {figure}", claim.says);
            }
        }
    }

    #[test]
    fn every_figure_of_the_comparison_is_claimed() {
        let readme = std::fs::read_to_string(tree::root().join("README.md")).expect("the README");
        let section = readme.split("## Beside other tools").nth(1).expect("the comparison");
        let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
        let mut cells = 0;
        for row in rows {
            for cell in row.trim_matches('|').split('|').skip(1).map(str::trim) {
                // Ours is the unit of each ratio.
                if cell != "1" && cell.contains(|c: char| c.is_ascii_digit()) {
                    cells += 1;
                    assert!(CLAIMS.iter().any(|claim| claim.says == cell), "nothing measures `{cell}`");
                }
            }
        }
        assert!(cells >= 5, "{cells} cells");
    }

    #[test]
    fn figures_are_found_and_judged() {
        assert_eq!(figure_behind("a 1, least: 7.6).", "least: "), Ok(7.6));
        assert_eq!(figure_behind("geometric mean 396.", "mean"), Ok(396.0));
        assert_eq!(figure_behind("| sound (98 cases) | 5.6 |", "| sound (... cases) | "), Ok(5.6));
        assert!(figure_behind("a", "b").is_err() && figure_behind("a b", "a").is_err());
        let claim = |measure| Claim { name: "", says: "", shown: "", figures: &[6.0], measure };
        let ratio = claim(Measure::Benchmark { script: "", arguments: &[], before: &[] });
        assert!(judged(&ratio, &[4.1]).is_ok() && judged(&ratio, &[3.9]).is_err());
        let time = claim(Measure::Milliseconds(&[]));
        assert!(judged(&time, &[8.9]).is_ok() && judged(&time, &[9.1]).is_err());
    }
}
