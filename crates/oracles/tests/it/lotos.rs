//! LOTOS: the program of a specification and the interpreter of the standard's rules give bisimilar systems, on the conformance set and
//! on random specifications.

use std::path::PathBuf;
use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_explore::{ExploreError, Options, explore_with_terms};
use volvelle_kernel::interp::Interpreter;
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lower::{Lowered, lower};
use volvelle_lotos::{library, parse, resolved};
use volvelle_oracles::lotos::bisimulation::{bisimilar, classes};
use volvelle_oracles::lotos::interpreter::{Refusal, interpret};
use volvelle_oracles::lotos::random_behaviours;
use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

const RANGES: Ranges = Ranges { nat: 5, int: 3 };

/// The specification as a program, or the diagnostics.
fn lowered(text: &str, ranges: Ranges) -> Result<Lowered, String> {
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text);
    let (mut tree, mut diagnostics) = parse::specification(file, text);
    diagnostics.extend(library::add(&mut tree, &mut sources));
    let (lowered, more) = lower(&sources, &tree, ranges);
    diagnostics.extend(more);
    let drawn = render_all(&diagnostics, &sources, RenderOptions::default());
    lowered.filter(|_| diagnostics.is_empty()).ok_or(drawn)
}

fn explored(lowered: &Lowered, most: u64) -> Result<Lts, ExploreError> {
    let mut evaluator = lowered.evaluator.clone();
    let limits = Limits { states: Some(most), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let options = Options::default();
    let explored = explore_with_terms(&lowered.program, &mut evaluator, &Interpreter, &options, &control)?;
    let space = &explored.space;
    let mut labels = Labels::new();
    let mut transitions = Vec::new();
    let choices = space.choices.as_ref().expect("choices of a labelled transition system");
    for s in 0..space.num_states() {
        if space.deadlocks.contains(s) {
            continue;
        }
        for choice in space.choices_of(s) {
            let text = &space.actions[choices.action[choice] as usize];
            let label = labels.number(if text.is_empty() { "i" } else { text });
            for place in space.row(choice) {
                transitions.push((s as u32, label, space.columns[place]));
            }
        }
    }
    transitions.sort_unstable();
    transitions.dedup();
    Ok(Lts::from_transitions(space.num_states() as u32, 0, labels, &transitions))
}

fn interpreted(text: &str, ranges: Ranges, most: usize) -> Result<Lts, Refusal> {
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text);
    let (mut tree, _) = parse::specification(file, text);
    library::add(&mut tree, &mut sources);
    let (core, data) = resolved(&tree, ranges, &mut Vec::new());
    interpret(&core, &data, most)
}

/// A system in the format of ALDEBARAN, one transition a line.
fn aldebaran(text: &str) -> Lts {
    let mut labels = Labels::new();
    let mut transitions = Vec::new();
    let mut states = 0;
    for (number, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let inside = &line[line.find('(').expect("a bracket") + 1..line.rfind(')').expect("a bracket")];
        let (first, rest) = inside.split_once(',').expect("a comma");
        let (middle, last) = rest.rsplit_once(',').expect("a comma");
        let number_of = |text: &str| text.trim().parse::<u32>().expect("a number");
        if number == 0 {
            states = number_of(last);
            continue;
        }
        let label = labels.number(middle.trim().trim_matches('"'));
        transitions.push((number_of(first), label, number_of(last)));
    }
    Lts::from_transitions(states, 0, labels, &transitions)
}

fn corpus() -> Vec<(String, String, Lts)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lotos");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the conformance set") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "lotos") {
            let text = std::fs::read_to_string(&path).expect("a specification");
            let graph = std::fs::read_to_string(path.with_extension("aut")).expect("its graph");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            all.push((name, text, aldebaran(&graph)));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(all.len(), 12);
    all
}

#[test]
fn the_conformance_set_has_its_published_graphs() {
    for (name, text, published) in corpus() {
        let by_rules = interpreted(&text, RANGES, 10_000).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(bisimilar(&by_rules, &published), "{name}: the interpreter gives another system");
        let lowered = lowered(&text, Ranges::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = explored(&lowered, 100_000).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(bisimilar(&found, &published), "{name}: exploration gives another system");
        assert_eq!(classes(&found), classes(&published), "{name}");
    }
}

/// Specifications in the folder `lotos_specifications`, with the largest natural number, and their states up to
/// bisimilarity.
const CASE_STUDIES: &[(&str, i64, usize)] = &[
    ("arbiter", 8, 19),
    ("bakery", 8, 254),
    ("bus", 8, 26),
    ("chang_roberts", 8, 16),
    ("commit", 8, 12),
    ("daemon_game", 8, 324),
    ("dekker", 8, 126),
    ("directory", 8, 672),
    ("dynamic", 8, 24),
    ("file_server", 8, 16),
    ("inres", 8, 726),
    ("le_lann", 8, 336),
    ("leader_after_reset", 8, 10),
    ("lists_trees", 8, 71),
    ("memory", 8, 8),
    ("multicast", 8, 574),
    ("nested", 8, 3),
    ("numbers", 8, 11),
    ("octets", 255, 4),
    ("odd", 8, 10),
    ("overtaking", 8, 264),
    ("philosophers", 8, 99),
    ("retransmission", 8, 571),
    ("sliding_window", 8, 1263),
    ("tables", 8, 58),
    ("telephones", 8, 489),
    ("token_ring", 8, 8),
    ("trader", 8, 21),
    ("transport", 8, 92),
];

/// Specifications in the manner of published case studies: exploration and the interpreter of the rules give bisimilar systems, of as many
/// states up to bisimilarity as written here.
#[test]
fn case_studies_are_bisimilar_to_what_the_rules_give() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lotos_specifications");
    let names = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut found: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| names(entry.expect("an entry")))
        .collect();
    found.sort();
    let listed: Vec<String> = CASE_STUDIES.iter().map(|(name, ..)| format!("{name}.lotos")).collect();
    assert_eq!(found, listed);
    let mut wrong = Vec::new();
    for &(name, nat, count) in CASE_STUDIES {
        let ranges = Ranges { nat, int: 40 };
        let text = std::fs::read_to_string(folder.join(format!("{name}.lotos"))).expect("a specification");
        let lowered = lowered(&text, ranges).unwrap_or_else(|e| panic!("{name}: {e}"));
        let explored = explored(&lowered, 50_000).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let by_rules = interpreted(&text, ranges, 50_000).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(bisimilar(&explored, &by_rules), "{name}: the rules give another system");
        let classes = classes(&explored);
        if classes != count {
            wrong.push((name, classes));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn random_specifications_are_bisimilar_to_what_the_rules_give() {
    let (mut compared, mut refused, mut large) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        let text = random_behaviours::specification(&mut |bound| random.below(bound));
        let ranges = Ranges { nat: 2, int: 1 };
        let lowered = match lowered(&text, ranges) {
            Ok(lowered) => lowered,
            Err(diagnostics) => {
                let is_known = ["V1308", "V1310"].iter().any(|code| diagnostics.contains(code));
                assert!(is_known, "seed {seed}: {diagnostics}\n{text}");
                refused += 1;
                continue;
            }
        };
        let (found, by_rules) = (explored(&lowered, 3000), interpreted(&text, ranges, 3000));
        match (found, by_rules) {
            (Ok(found), Ok(by_rules)) => {
                assert!(
                    bisimilar(&found, &by_rules),
                    "seed {seed}: {} states explored, {} by the rules\n{text}",
                    found.num_states(),
                    by_rules.num_states()
                );
                compared += 1;
            }
            (Ok(_), Err(Refusal::Value)) | (Err(ExploreError::Failed { .. }), Ok(_)) => {
                panic!("seed {seed}: a value is evaluated on one side only\n{text}")
            }
            (Err(ExploreError::Kernel(error)), _) => panic!("seed {seed}: {error:?}\n{text}"),
            _ => large += 1,
        }
    }
    assert!(compared > 250, "{compared} compared, {refused} refused, {large} too large");
}
