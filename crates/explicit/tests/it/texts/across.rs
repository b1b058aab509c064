//! The same model in several formats, from the corpus that `VOLVELLE_EXCHANGE_CORPUS` names; skipped without it.

use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_explicit::{Companions, Input, Model, Numbers, Precision, ReadOptions, read};

/// Models that have one numbering in `umb/*.exact`, `drn/` and `prism/*.tra`.
const NAMES: [&str; 9] = ["relay", "exact", "pool", "rover", "starts", "jobs", "coin", "doors", "cell"];

fn load(path: &Path) -> Option<Model> {
    let bytes = std::fs::read(path).ok()?;
    let name = path.to_string_lossy().into_owned();
    let beside = |ending: &str| -> Vec<(String, Vec<u8>)> {
        let names =
            ["", "1", "2"].map(|n| path.with_extension("").to_string_lossy().into_owned() + n + ending);
        names.into_iter().filter_map(|name| std::fs::read(&name).ok().map(|bytes| (name, bytes))).collect()
    };
    let is_tra = name.ends_with(".tra");
    let files =
        [".lab", ".sta", ".srew", ".trew"].map(|ending| if is_tra { beside(ending) } else { Vec::new() });
    let inputs = files
        .each_ref()
        .map(|files| -> Vec<Input<'_>> { files.iter().map(|(name, bytes)| Input { name, bytes }).collect() });
    let companions = Companions {
        labels: inputs[0].first().copied(),
        states: inputs[1].first().copied(),
        state_rewards: inputs[2].clone(),
        transition_rewards: inputs[3].clone(),
        ..Companions::default()
    };
    let options = ReadOptions { numbers: Precision::Exact, ..ReadOptions::default() };
    let loaded = read(Input { name: &name, bytes: &bytes }, &companions, &options, &Control::unlimited());
    Some(loaded.unwrap_or_else(|finding| panic!("{}", super::draw(&finding))).model)
}

fn sets(model: &Model) -> Vec<(String, Vec<usize>)> {
    let labels = model.labels.iter().filter(|label| label.name != "deadlock");
    let mut all: Vec<_> = labels.map(|label| (label.name.clone(), label.states.iter().collect())).collect();
    all.sort();
    all
}

#[test]
fn formats_agree() {
    let Some(folder) = std::env::var_os("VOLVELLE_EXCHANGE_CORPUS").map(PathBuf::from) else {
        // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
        let test = std::thread::current();
        let name = test.name().unwrap_or_default();
        let line = format!("skipped: {name}: VOLVELLE_EXCHANGE_CORPUS is not set\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return;
    };
    let mut compared = 0;
    for name in NAMES {
        let files = [
            format!("umb/{name}.exact.umb"),
            format!("drn/{name}.rational.drn"),
            format!("prism/{name}.tra"),
        ];
        let models: Vec<(String, Model)> =
            files.into_iter().filter_map(|file| Some((file.clone(), load(&folder.join(&file))?))).collect();
        let (first_file, first) = &models[0];
        for (file, model) in &models[1..] {
            let what = format!("{file} against {first_file}");
            assert_eq!(model.num_states(), first.num_states(), "{what}");
            assert_eq!(model.num_choices(), first.num_choices(), "{what}");
            assert_eq!(model.targets, first.targets, "{what}");
            assert_eq!(model.initial, first.initial, "{what}");
            assert_eq!(sets(model), sets(first), "{what}");
            assert_eq!(model.kind().control, first.kind().control, "{what}");
            if model.measure == first.measure && !matches!(model.values, Some(Numbers::DoubleInterval(_))) {
                assert_eq!(model.values, first.values, "{what}");
            }
            for reward in &first.rewards {
                assert_eq!(
                    model.reward(&reward.name).and_then(|r| r.states.clone()),
                    reward.states,
                    "{what}"
                );
            }
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared}");
}
