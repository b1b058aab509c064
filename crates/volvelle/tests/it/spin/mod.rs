//! Programs of Promela against SPIN: the same states, the same transitions, the same verdict.
//!
//! Random programs are given to both, where `spin` and `gcc` (or what `CC` names) are there. A few in the usual run;
//! `VOLVELLE_SPIN=from..to` chooses seeds, `VOLVELLE_SPIN_KEEP=folder` keeps programs on which the two differ,
//! `VOLVELLE_SPIN_PROGRAM` names another build of the checker. Programs
//! that once differed are in `kept/`, made small, with the numbers that are right: they need no SPIN.
#![expect(clippy::print_stderr, reason = "a line that says what was compared, or why nothing was")]

mod claims;
mod contests;
mod kept;
mod peer;
mod trails;

use peer::{Counts, Peer, Verdict};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use volvelle_promela_testing::{Choices, Features, random_program_with};

/// Programs with more states are passed over.
const MAX_STATES: &str = "20000";

/// Seeds of the usual run.
const USUAL: std::ops::Range<u64> = 0..8;

/// What the checker says of a file.
fn checked(file: &Path) -> Result<Counts, String> {
    let run = Command::new(program())
        .arg("check")
        .arg(file)
        .args([
            "--safety",
            "--no-reduction",
            "--all-errors",
            "--json",
            "--max-states",
            MAX_STATES,
            "--timeout",
            "60",
        ])
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&run.stdout);
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else {
        return Err(format!("no report: {}", String::from_utf8_lossy(&run.stderr)));
    };
    let model = &json["model"];
    let (Some(states), Some(transitions)) = (model["states"].as_u64(), model["transitions"].as_u64()) else {
        return Err(json["diagnostics"].to_string());
    };
    if model["complete"] == false {
        return Err("too large".into());
    }
    let verdict = match json["results"][0]["verdict"].as_bool() {
        Some(true) => Verdict::Holds,
        _ => Verdict::Fails,
    };
    Ok(Counts { states, transitions, verdict, is_whole: true })
}

/// The program under test.
fn program() -> String {
    std::env::var("VOLVELLE_SPIN_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_volvelle").to_owned())
}

fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("VOLVELLE_SPIN") else { return USUAL };
    let range = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.expect("VOLVELLE_SPIN is a range of seeds, as in 0..1000")
}

/// How many programs ended how.
#[derive(Debug, Default)]
struct Tally {
    agreed: u64,
    with_errors: u64,
    refused: Vec<String>,
    too_large: u64,
    differing: Vec<String>,
}

#[test]
fn random_programs() {
    compared(Features::default(), "plain");
}

#[test]
fn random_programs_with_priorities() {
    compared(Features { priorities: true, ..Features::default() }, "priorities");
}

#[test]
fn random_programs_with_traces() {
    compared(Features { traces: true, ..Features::default() }, "traces");
}

/// Says that the test cannot run here. `cargo xtask ci` counts these lines.
fn skipped(why: &str) {
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("skipped: {}: {why}\n", test.name().unwrap_or_default()),
    );
}

/// Compares programs of all seeds; `name` tells what they have.
fn compared(features: Features, name: &str) {
    let Some(peer) = Peer::find() else {
        return skipped("SPIN and a C compiler are not there");
    };
    let keep = std::env::var_os("VOLVELLE_SPIN_KEEP");
    let folder = std::env::temp_dir().join(format!("volvelle-spin-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("model.pml");
    let mut tally = Tally::default();
    for seed in seeds() {
        let text = random_program_with(&mut Choices::from_seed(seed), features);
        std::fs::write(&file, &text).expect("the program is written");
        let refused = tally.refused.len();
        let difference = compare(&peer, &folder, &file, (text.contains("atomic {"), features), &mut tally);
        if let (Some(keep), true) = (&keep, tally.refused.len() > refused) {
            let _ = std::fs::write(Path::new(keep).join(format!("refused-{name}-{seed}.pml")), &text);
        }
        let Some(difference) = difference else { continue };
        tally.differing.push(format!("seed {seed}: {difference}"));
        if let Some(keep) = &keep {
            let kept = Path::new(keep).join(format!("{name}-{seed}.pml"));
            std::fs::write(kept, format!("// {difference}\n{text}")).expect("the program is kept");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let Tally { agreed, with_errors, refused, too_large, differing } = tally;
    let mut report = String::new();
    if let Some(keep) = &keep {
        let _ = std::fs::write(Path::new(keep).join(format!("refused-{name}.txt")), refused.join("\n"));
    }
    let refused = refused.len() as u64;
    let _ = writeln!(
        report,
        "{name}: {agreed} agree ({with_errors} with errors), {refused} refused by SPIN, {too_large} too large, {} differ",
        differing.len()
    );
    eprint!("{report}");
    assert!(differing.is_empty(), "{report}{}", differing.join("\n"));
    assert!(refused * 20 <= agreed + refused, "too many programs that SPIN refuses: {report}");
    assert!(agreed > too_large, "too few programs were compared: {report}");
}

/// Compares one program; a text where the two differ.
fn compare(
    peer: &Peer,
    folder: &Path,
    file: &Path,
    (has_atomic, features): (bool, Features),
    tally: &mut Tally,
) -> Option<String> {
    // SPIN masks what it takes for the padding of a process, and with it the priority, unless it is told not to.
    let options: &[&str] = if features.priorities { &["-DNOCOMP"] } else { &[] };
    let stops = |text: String| text.contains("[0] of") || text.contains("provided (");
    let may_stop = features.priorities || std::fs::read_to_string(file).is_ok_and(stops);
    let ours = checked(file);
    if matches!(&ours, Err(reason) if reason == "too large") {
        tally.too_large += 1;
        return None;
    }
    match (ours, peer.check(folder, file, options)) {
        (_, Err(peer::Failure::Refused(reason))) => tally.refused.push(reason),
        (_, Err(peer::Failure::Limit)) => tally.too_large += 1,
        (Ok(ours), Ok(theirs)) if ours.agree(&theirs, has_atomic, may_stop) => {
            tally.agreed += 1;
            tally.with_errors += u64::from(ours.verdict == Verdict::Fails);
        }
        (Ok(ours), Ok(theirs)) => return Some(format!("here {ours}, SPIN {theirs}")),
        (ours, theirs) => return Some(format!("here {ours:?}, SPIN {theirs:?}").replace('\n', " ")),
    }
    None
}
