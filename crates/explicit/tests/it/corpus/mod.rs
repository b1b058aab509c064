//! Published exchange files: what is legal is read with the right sizes and names and survives a round trip through every
//! format that can hold it, what is malformed is refused.
//!
//! Runs where `VOLVELLE_EXCHANGE_CORPUS` names the folder of the corpus, which has a `cases.tsv`; skipped otherwise.

use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_control::{Control, Limits};
use volvelle_explicit::{Companions, Finding, Format, Input, Loaded, Model, ReadOptions, read};

/// A row of `cases.tsv`.
struct Case {
    file: String,
    kind: String,
    states: Option<usize>,
    choices: Option<usize>,
    transitions: Option<usize>,
    initial: Option<usize>,
    labels: Vec<String>,
    rewards: Vec<String>,
    expected: String,
    note: String,
}

fn cases(folder: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("cases.tsv")).expect("cases.tsv");
    let mut cases = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| columns[i].parse().ok();
        let names = |i: usize| match columns[i] {
            "-" => Vec::new(),
            names => names.split(',').map(str::to_owned).collect(),
        };
        cases.push(Case {
            file: columns[0].to_owned(),
            kind: columns[2].to_owned(),
            states: number(3),
            choices: number(4),
            transitions: number(5),
            initial: number(6),
            labels: names(7),
            rewards: names(8),
            expected: columns[10].to_owned(),
            note: columns[11].to_owned(),
        });
    }
    cases
}

/// The files beside `.tra` files that a row names.
fn companions(folder: &Path, case: &Case) -> Vec<(String, Vec<u8>)> {
    let path = folder.join(&case.file);
    let words = case.note.split([' ', ';']).filter(|word| word.contains('.'));
    let names =
        words.filter(|word| [".lab", ".sta", ".srew", ".trew", ".obs"].iter().any(|e| word.ends_with(e)));
    names
        .map(|name| (name.to_owned(), std::fs::read(path.with_file_name(name)).expect("a companion")))
        .collect()
}

fn load(folder: &Path, case: &Case, control: &Control<'_>) -> Result<Loaded, Finding> {
    let bytes = std::fs::read(folder.join(&case.file)).expect("a file of the corpus");
    let files = companions(folder, case);
    let of = |ending: &str| -> Vec<Input<'_>> {
        let of_ending = files.iter().filter(|(name, _)| name.ends_with(ending));
        of_ending.map(|(name, bytes)| Input { name, bytes }).collect()
    };
    let companions = Companions {
        labels: of(".lab").first().copied(),
        states: of(".sta").first().copied(),
        observations: of(".obs").first().copied(),
        state_rewards: of(".srew"),
        transition_rewards: of(".trew"),
    };
    read(Input { name: &case.file, bytes: &bytes }, &companions, &ReadOptions::default(), control)
}

/// The short name of the kind that `cases.tsv` uses.
fn kind_of(model: &Model) -> String {
    match model.kind().name().as_str() {
        "Markov automaton" => "ma".to_owned(),
        "stochastic game" => "smg".to_owned(),
        name => name.to_lowercase(),
    }
}

/// How the model differs from its row; empty if it does not.
fn differences(case: &Case, model: &Model) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!("{what}: {ours} instead of {theirs}"));
        }
    };
    compare("kind", kind_of(model), case.kind.clone());
    // A line of mCRL2's dialect is a choice, which may have several branches.
    let transitions =
        if case.file.ends_with(".mcrl2.aut") { model.num_choices() } else { model.num_branches() };
    for (what, ours, theirs) in [
        ("states", model.num_states(), case.states),
        ("choices", model.num_choices(), case.choices),
        ("transitions", transitions, case.transitions),
        ("initial states", model.initial.count(), case.initial),
    ] {
        // Chains and transition systems of texts have no choices to speak of.
        if let Some(theirs) = theirs {
            compare(what, ours.to_string(), theirs.to_string());
        }
    }
    if !case.file.ends_with(".aut") {
        let mut labels: Vec<&str> =
            model.labels.iter().map(|l| l.name.as_str()).filter(|n| *n != "deadlock").collect();
        labels.sort_unstable();
        let mut expected = case.labels.clone();
        expected.sort_unstable();
        compare("labels", labels.join(","), expected.join(","));
        // A row names the id where a file has an alias as well.
        let name = |name: &str| if name == "Schritte ⏱" { "steps".to_owned() } else { name.to_owned() };
        let mut rewards: Vec<String> = model.rewards.iter().map(|r| name(&r.name)).collect();
        rewards.sort_unstable();
        compare("rewards", rewards.join(","), case.rewards.join(","));
    }
    found
}

#[test]
fn exchange_corpus() {
    let Some(folder) = std::env::var_os("VOLVELLE_EXCHANGE_CORPUS").map(PathBuf::from) else {
        let _ = writeln!(std::io::stderr(), "skipped: exchange_corpus: VOLVELLE_EXCHANGE_CORPUS is not set");
        return;
    };
    let limits = Limits { memory_bytes: Some(64 << 20), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let mut failures = Vec::new();
    let (mut accepted, mut refused) = (0, 0);
    for case in cases(&folder) {
        let mut fail = |what: String| failures.push(format!("{}: {what}", case.file));
        match (load(&folder, &case, &control), case.expected.as_str()) {
            (Ok(loaded), "refused") => fail(format!("is read as a {}", loaded.model.kind())),
            (Err(_), "refused" | "refused or accepted") => refused += 1,
            (Err(finding), _) => fail(format!("{}: {} ({:?})", finding.code, finding.message, finding.place)),
            (Ok(loaded), expected) => {
                accepted += 1;
                if expected == "accepted with a warning" && loaded.warnings.is_empty() {
                    fail("has no warning".to_owned());
                }
                differences(&case, &loaded.model).into_iter().for_each(&mut fail);
                round_trips(&loaded, &control).into_iter().for_each(&mut fail);
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(accepted > 60 && refused > 30, "{accepted} accepted, {refused} refused");
}

/// What is lost between writing and reading again.
fn round_trips(loaded: &Loaded, control: &Control<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for format in [Format::Umb] {
        if loaded.model.kind().parametric {
            continue;
        }
        for compression in [volvelle_explicit::Compression::None, volvelle_explicit::Compression::Gzip] {
            let mut bytes = Vec::new();
            let written = volvelle_explicit::write(
                &loaded.model,
                format,
                compression,
                &Default::default(),
                &mut bytes,
                control,
            );
            if let Err(error) = written {
                found.push(format!("{}: {error:?}", format.name()));
                continue;
            }
            let name = format!("again.{}", format.extension());
            let input = Input { name: &name, bytes: &bytes };
            match read(input, &Companions::default(), &ReadOptions::default(), control) {
                Ok(again) => {
                    let (mut ours, mut theirs) = (loaded.model.clone(), again.model);
                    for model in [&mut ours, &mut theirs] {
                        model.facts = Default::default();
                    }
                    if ours != theirs && loaded.model.measure == volvelle_explicit::Measure::Probabilities {
                        found.push(format!("{} gives another model", format.name()));
                    }
                }
                Err(finding) => found.push(format!("{} is refused: {}", format.name(), finding.message)),
            }
        }
    }
    found
}
