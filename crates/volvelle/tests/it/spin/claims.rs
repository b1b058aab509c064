//! Claims of random programs, and their cycles, against SPIN's: the same verdicts, with weak fairness and without, and here with
//! partial-order reduction and without.

use super::peer::{Failure, Peer, Verdict};
use super::{MAX_STATES, program, seeds, skipped};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use volvelle_promela_testing::{Choices, Features, random_program_with};

/// What is asked of a program.
pub struct Question {
    pub name: &'static str,
    /// Options of the C compiler and of SPIN's verifier.
    pub compiler: &'static [&'static str],
    pub verifier: &'static str,
    /// Options here.
    pub here: &'static [&'static str],
}

pub const QUESTIONS: [Question; 3] = [
    Question { name: "claim", compiler: &[], verifier: "-a", here: &["--ltl", "claim"] },
    Question { name: "acceptance", compiler: &["-DNOCLAIM"], verifier: "-a", here: &["--acceptance"] },
    Question { name: "progress", compiler: &["-DNP", "-DNOCLAIM"], verifier: "-l", here: &["--progress"] },
];

/// A verdict, and whether the run that shows it is fair in any case: nothing moves behind it, or it may go on in any way.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    is_fair: bool,
}

/// The verdict on a file; `None` beyond the limits.
pub fn checked(file: &Path, options: &[&str]) -> Result<Option<Answer>, String> {
    let run = Command::new(program())
        .arg("check")
        .arg(file)
        .args(options)
        .args(["--json", "--threads", "1", "--max-states", MAX_STATES, "--timeout", "60"])
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&run.stdout);
    match (run.status.code(), serde_json::from_str::<serde_json::Value>(&text)) {
        (Some(3), _) => Ok(None),
        (Some(0 | 1), Ok(json)) => {
            let result = &json["results"][0];
            let run = &result["counterexample"];
            let last = run["steps"].as_array().and_then(|steps| steps.last());
            let is_fair = run["cycle_start"].is_null() || last.is_some_and(|step| step["process"].is_null());
            match result["verdict"].as_bool() {
                Some(true) => Ok(Some(Answer { verdict: Verdict::Holds, is_fair })),
                Some(false) => Ok(Some(Answer { verdict: Verdict::Fails, is_fair })),
                None => Err(json["diagnostics"].to_string()),
            }
        }
        _ => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
    }
}

#[test]
fn random_claims() {
    let Some(peer) = Peer::find() else {
        return skipped("SPIN and a C compiler are not there");
    };
    let keep = std::env::var_os("VOLVELLE_SPIN_KEEP");
    let folder = std::env::temp_dir().join(format!("volvelle-claims-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("model.pml");
    let features = Features { claims: true, ..Features::default() };
    let (mut agreed, mut violated, mut limits, mut refused, mut differing) = (0, 0, 0, 0, Vec::new());
    // Two searches there and four here for each.
    for seed in seeds().step_by(2) {
        let text = random_program_with(&mut Choices::from_seed(seed), features);
        std::fs::write(&file, &text).expect("the program is written");
        let question = &QUESTIONS[seed as usize % QUESTIONS.len()];
        let searches: [&[&str]; 2] = [&[question.verifier], &[question.verifier, "-f"]];
        let theirs = match peer.cycles(&folder, &file, question.compiler, &searches) {
            Ok(theirs) => theirs,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        for (theirs, fair) in theirs.into_iter().zip([&[][..], &["--fair"]]) {
            // Under fairness it also forgets processes that `provided` stops.
            if !fair.is_empty() && text.contains("provided (") {
                continue;
            }
            let theirs = match theirs {
                Ok(verdict) => verdict,
                Err(Failure::Refused(_)) => {
                    refused += 1;
                    continue;
                }
                Err(_) => {
                    limits += 1;
                    continue;
                }
            };
            for more in [&[][..], &["--no-reduction"]] {
                let ours = checked(&file, &[question.here, fair, more].concat());
                match ours {
                    Ok(None) => limits += 1,
                    Ok(Some(ours)) if ours.verdict == theirs => {
                        agreed += 1;
                        violated += u64::from(ours.verdict == Verdict::Fails);
                    }
                    // Under fairness SPIN's verifier misses runs that end.
                    Ok(Some(ours)) if theirs == Verdict::Holds && ours.is_fair && !fair.is_empty() => {}
                    ours => {
                        let name = question.name;
                        let difference = format!("{name} {fair:?} {more:?}: here {ours:?}, SPIN {theirs:?}")
                            .replace('\n', " ");
                        if let Some(keep) = &keep {
                            let kept = Path::new(keep).join(format!("claims-{seed}.pml"));
                            let _ = std::fs::write(kept, format!("// {difference}\n{text}"));
                        }
                        differing.push(format!("seed {seed}, {difference}"));
                    }
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let mut report = String::new();
    let _ = writeln!(
        report,
        "claims: {agreed} verdicts agree ({violated} violated), {limits} beyond limits, {refused} refused, {} differ",
        differing.len()
    );
    eprint!("{report}");
    assert!(differing.is_empty(), "{report}{}", differing.join("\n"));
    assert!(agreed > limits + refused, "too few verdicts were compared: {report}");
}
