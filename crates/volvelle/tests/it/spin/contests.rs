//! Small programs in which steps depend on others' being impossible, against SPIN: the same verdicts, here with
//! partial-order reduction and without, breadth first and depth first.

use super::claims::{QUESTIONS, Question, checked};
use super::peer::{Failure, Peer};
use super::{seeds, skipped};
use volvelle_promela_testing::{Choices, random_contest};

const SAFETY: Question =
    Question { name: "safety", compiler: &["-DSAFETY", "-DNOCLAIM"], verifier: "-w18", here: &["--safety"] };

#[test]
fn random_contests() {
    let Some(peer) = Peer::find() else {
        return skipped("SPIN and a C compiler are not there");
    };
    let folder = std::env::temp_dir().join(format!("volvelle-contests-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("model.pml");
    let (mut agreed, mut left_out, mut differing) = (0, 0, Vec::new());
    for seed in seeds() {
        let question = match seed % 2 {
            0 => &SAFETY,
            _ => &QUESTIONS[seed as usize / 2 % QUESTIONS.len()],
        };
        let is_safety = question.name == SAFETY.name;
        let contest = random_contest(&mut Choices::from_seed(seed), is_safety, false);
        let claim = if question.name == "claim" { contest.claim } else { String::new() };
        let text = contest.program + &claim;
        std::fs::write(&file, &text).expect("the program is written");
        let theirs = match peer.cycles(&folder, &file, question.compiler, &[&[question.verifier]]).as_deref()
        {
            Ok([Ok(verdict)]) => *verdict,
            Ok([Err(Failure::Odd(what))]) => {
                differing.push(format!("seed {seed}: SPIN says {what}\n{text}"));
                continue;
            }
            _ => {
                left_out += 1;
                continue;
            }
        };
        for more in [&[][..], &["--no-reduction"], &["--search", "dfs"]] {
            match checked(&file, &[question.here, more].concat()) {
                Ok(None) => left_out += 1,
                Ok(Some(ours)) if ours.verdict == theirs => agreed += 1,
                ours => {
                    let name = question.name;
                    let difference = format!("{name} {more:?}: here {ours:?}, SPIN {theirs:?}");
                    differing.push(format!("seed {seed}, {difference}\n{text}"));
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let report = format!("contests: {agreed} agree, {left_out} left out, {} differ\n", differing.len());
    eprint!("{report}");
    assert!(differing.is_empty(), "{report}{}", differing.join("\n"));
    assert!(agreed > left_out, "{report}");
}
