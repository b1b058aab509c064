//! Exports of small models: the exact text, and reading every format back.

use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_control::{Cancel, Control};
use volvelle_diagnostics::Sources;
use volvelle_explore::{Explored, Options, explore};
use volvelle_export::{ExportError, Format, Model, write};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_prism::{lower, parse};
use volvelle_space::{Kind, Space};

fn explored(text: &str) -> (Program, Explored) {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, diagnostics) = parse::model(&sources, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (lowered, diagnostics) = lower::lower(&sources, Arc::new(model), &lower::Constants::new());
    let program = lowered.unwrap_or_else(|| panic!("{diagnostics:?}")).program().clone();
    let options = Options { observe: Selection::all(&program), ..Options::default() };
    let explored = explore(&program, &Interpreter, &options, &Control::unlimited()).expect("it is small");
    (program, explored)
}

fn exported(program: &Program, explored: &Explored, format: Format, structure: usize) -> String {
    let mut out = Vec::new();
    write(Model { program, explored }, format, structure, &mut out, &Control::unlimited()).expect("it fits");
    String::from_utf8(out).expect("text")
}

fn export(text: &str, format: Format) -> String {
    let (program, explored) = explored(text);
    exported(&program, &explored, format, 0)
}

/// Two actions lead from 0 to 1: exploration merges them.
const MERGED: &str = "dtmc
module m
  x : [0..2];
  b : bool;
  [one] x=0 -> 1/4 : (x'=1) + 3/4 : (x'=2);
  [two] x=0 -> (x'=1);
  [] x=1 -> (b'=true);
endmodule
label \"end\" = x=2;
rewards \"cost\" x=1 : 1.5; [one] true : 8; [two] x=0 : 3; [] b : 0.1; endrewards
";

#[test]
fn transitions_of_a_chain() {
    assert_eq!(export(MERGED, Format::Tra), "4 5\n0 1 0.625\n0 2 0.375\n1 3 1\n2 2 1\n3 3 1\n");
}

#[test]
fn states_and_labels() {
    assert_eq!(export(MERGED, Format::Sta), "(x,b)\n0:(0,false)\n1:(1,false)\n2:(2,false)\n3:(1,true)\n");
    assert_eq!(export(MERGED, Format::Lab), "0=\"init\" 1=\"deadlock\" 2=\"end\"\n0: 0\n2: 1 2\n");
}

#[test]
fn rewards_of_merged_transitions_are_weighted_means() {
    // From 0 to 1: 1/8 with reward 8 and 1/2 with reward 3; to 2 only `one`.
    assert_eq!(
        export(MERGED, Format::Trew),
        "# Reward structure \"cost\"\n# Transition rewards\n4 3\n0 1 4\n0 2 8\n3 3 0.1\n"
    );
    assert_eq!(
        export(MERGED, Format::Srew),
        "# Reward structure \"cost\"\n# State rewards\n4 2\n1 1.5\n3 1.5\n"
    );
}

/// One choice per action; a structure without a name.
const CHOICES: &str = "mdp
module m
  x : [0..1];
  [go] x=0 -> 1/3 : (x'=1) + 2/3 : true;
  [] true -> (x'=0);
endmodule
rewards [go] true : 2; x=1 : 1; endrewards
";

#[test]
fn choices_with_their_actions() {
    assert_eq!(
        export(CHOICES, Format::Tra),
        "2 3 4\n0 0 0 1\n0 1 0 0.6666666666666666 go\n0 1 1 0.3333333333333333 go\n1 0 0 1\n"
    );
    assert_eq!(
        export(CHOICES, Format::Trew),
        "# Reward structure\n# Transition rewards\n2 3 2\n0 1 0 2\n0 1 1 2\n"
    );
}

#[test]
fn storm_reads_choices() {
    assert_eq!(
        export(CHOICES, Format::Drn),
        "// Exported by volvelle\n@type: MDP\n@parameters\n\n@reward_models\nreward1\n@nr_states\n2\n@nr_choices\n3\n\
         @model\nstate 0 [0] init\n\taction __NOLABEL__ [0]\n\t\t0 : 1\n\taction go [2]\n\t\t0 : 0.6666666666666666\n\
         \t\t1 : 0.3333333333333333\nstate 1 [1]\n\taction __NOLABEL__ [0]\n\t\t0 : 1\n"
    );
}

/// Rates add up; the reward of a jump is per jump in `.drn` and per transition in `.trew`.
const RATES: &str = "ctmc
module m
  x : [0..2];
  [a] x<2 -> 3 : (x'=x+1);
  [b] x<2 -> 1 : (x'=x+1);
  [c] x=1 -> 4 : (x'=0);
endmodule
rewards \"r\" [a] true : 1; [c] true : 0.5; endrewards
rewards \"s\" x=2 : 7; endrewards
";

#[test]
fn rates_and_their_rewards() {
    assert_eq!(export(RATES, Format::Tra), "3 4\n0 1 4\n1 0 4\n1 2 4\n2 2 1\n");
    assert_eq!(
        export(RATES, Format::Trew),
        "# Reward structure \"r\"\n# Transition rewards\n3 3\n0 1 0.75\n1 0 0.5\n1 2 0.75\n"
    );
    let drn = export(RATES, Format::Drn);
    assert!(drn.contains("state 1 !8 [0, 0]\n\taction 0 [0.625, 0]\n\t\t0 : 4\n\t\t2 : 4\n"), "{drn}");
    assert!(drn.contains("state 2 !1 [0, 7] deadlock\n"), "{drn}");
}

#[test]
fn a_picture() {
    let dot = export(CHOICES, Format::Dot);
    for line in [
        "digraph model {",
        "  0 [label=\"0\\n(0)\", peripheries=2];",
        "  c1 [shape=point, width=0.1, height=0.1, label=\"\"];",
        "  0 -> c1 [arrowhead=none, label=\"1:go\"];",
        "  c1 -> 1 [label=\"0.3333333333333333\"];",
        "}",
    ] {
        assert!(dot.lines().any(|l| l == line), "`{line}` in\n{dot}");
    }
}

/// Rows of `.tra`: source, choice, target, value, action.
type Transition = (usize, usize, usize, f64, String);

fn read_tra(text: &str, kind: Kind) -> (usize, Vec<Transition>) {
    let mut lines = text.lines();
    let header: Vec<usize> = lines.next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let rows: Vec<Transition> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(' ').collect();
            let number = |i: usize| cells[i].parse::<usize>().unwrap();
            match kind {
                Kind::Mdp => {
                    let action = cells.get(4).copied().unwrap_or_default().to_owned();
                    (number(0), number(1), number(2), cells[3].parse().unwrap(), action)
                }
                _ => (number(0), 0, number(1), cells[2].parse().unwrap(), String::new()),
            }
        })
        .collect();
    assert_eq!(*header.last().unwrap(), rows.len());
    (header[0], rows)
}

fn transitions(space: &Space) -> Vec<Transition> {
    let mut all = Vec::new();
    for state in 0..space.num_states() {
        for (i, choice) in space.choices_of(state).enumerate() {
            let action = space.choices.as_ref().map_or(0, |c| c.action[choice]) as usize;
            for (target, value) in space.transitions(choice) {
                all.push((state, i, target, value, space.actions[action].clone()));
            }
        }
    }
    all
}

/// The contents of a `.drn` file.
#[derive(Default)]
struct Drn {
    /// Source, choice, target, value.
    rows: Vec<(usize, usize, usize, f64)>,
    /// State rewards, by state.
    rewards: Vec<Vec<f64>>,
    /// Labels, by state.
    labels: Vec<Vec<String>>,
}

fn read_drn(text: &str) -> Drn {
    let Drn { mut rows, mut rewards, mut labels } = Drn::default();
    let (mut state, mut choice) = (0, 0);
    for line in text.lines().skip_while(|l| *l != "@model").skip(1) {
        if let Some(rest) = line.strip_prefix("state ") {
            let tuple = rest.split_once('[').map(|(_, r)| r.split_once(']').unwrap());
            let (inside, after) = tuple.unwrap_or(("", rest.split_once(' ').map_or("", |(_, r)| r)));
            state = rest.split(' ').next().unwrap().parse().unwrap();
            rewards.push(inside.split(", ").filter(|r| !r.is_empty()).map(|r| r.parse().unwrap()).collect());
            let names = after.split_whitespace().filter(|n| !n.starts_with('!'));
            labels.push(names.map(str::to_owned).collect());
            choice = usize::MAX;
        } else if line.starts_with("\taction") {
            choice = choice.wrapping_add(1);
        } else {
            let (target, value) = line.trim().split_once(" : ").unwrap();
            rows.push((state, choice, target.parse().unwrap(), value.parse().unwrap()));
        }
    }
    Drn { rows, rewards, labels }
}

fn examples() -> impl Iterator<Item = (String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prism");
    std::fs::read_dir(folder).expect("the examples are there").filter_map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_stem()?.to_str()?.to_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        (path.extension()? == "prism").then(|| (name, text.lines().map(closed).collect()))
    })
}

/// A line without its comment, and without an open constant: `const int N;   // so many`.
fn closed(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default().trim_end();
    match code.strip_suffix(';') {
        Some(open) if open.starts_with("const ") && !open.contains('=') => format!("{open} = 5;\n"),
        _ => format!("{code}\n"),
    }
}

#[test]
fn every_format_reads_back() {
    let texts = examples().chain([MERGED, CHOICES, RATES].map(|t| (String::new(), t.to_owned())));
    let mut kinds = BTreeMap::new();
    for (name, text) in texts {
        let (program, explored) = explored(&text);
        let space = &explored.space;
        *kinds.entry(space.kind.name()).or_insert(0) += 1;

        let (states, rows) = read_tra(&exported(&program, &explored, Format::Tra, 0), space.kind);
        let expected = transitions(space);
        assert_eq!(states, space.num_states(), "{name}");
        if space.kind == Kind::Mdp {
            assert_eq!(rows, expected, "{name}");
        } else {
            let plain = |t: &Transition| (t.0, t.2, t.3);
            assert_eq!(
                rows.iter().map(plain).collect::<Vec<_>>(),
                expected.iter().map(plain).collect::<Vec<_>>()
            );
        }

        let Drn { rows, rewards, labels } = read_drn(&exported(&program, &explored, Format::Drn, 0));
        assert_eq!(rows, expected.iter().map(|t| (t.0, t.1, t.2, t.3)).collect::<Vec<_>>(), "{name}");
        assert_eq!(rewards.len(), space.num_states(), "{name}");
        for (state, found) in rewards.iter().enumerate() {
            let of = |r: &volvelle_space::RewardVectors| r.state.as_ref().map_or(0.0, |v| v.get(state));
            assert_eq!(*found, space.rewards.iter().map(of).collect::<Vec<_>>(), "{name} {state}");
        }

        let sta = exported(&program, &explored, Format::Sta, 0);
        for (state, line) in sta.lines().skip(1).enumerate() {
            let values = explored.layout.unpack(explored.states.get(state));
            let shown = line.strip_prefix(&format!("{state}:(")).unwrap().strip_suffix(')').unwrap();
            let read: Vec<i64> = shown
                .split(',')
                .map(|v| match v {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().unwrap(),
                })
                .collect();
            assert_eq!(read, values, "{name}");
        }

        // `.lab` and `.drn` say the same, and what the space says.
        let lab = exported(&program, &explored, Format::Lab, 0);
        let header = lab.lines().next().unwrap();
        let names: Vec<&str> = header.split(' ').map(|n| n.split('"').nth(1).unwrap()).collect();
        let mut per_state: Vec<Vec<String>> = vec![Vec::new(); space.num_states()];
        for line in lab.lines().skip(1) {
            let (state, numbers) = line.split_once(": ").unwrap();
            let numbers = numbers.split(' ').map(|n| names[n.parse::<usize>().unwrap()].to_owned());
            per_state[state.parse::<usize>().unwrap()] = numbers.collect();
        }
        assert_eq!(per_state, labels, "{name}");
        for (name, set) in space.labels.iter().filter(|(n, _)| !n.is_empty()) {
            let found: Vec<usize> = (0..per_state.len()).filter(|&s| per_state[s].contains(name)).collect();
            assert_eq!(found, set.iter().collect::<Vec<_>>(), "{name}");
        }

        // Transition rewards times probabilities are what exploration has added up.
        for (i, structure) in space.rewards.iter().enumerate() {
            let trew = exported(&program, &explored, Format::Trew, i);
            let mut sums = vec![0.0; space.num_choices()];
            for line in trew.lines().skip(3) {
                let cells: Vec<&str> = line.split(' ').collect();
                let reward: f64 = cells[cells.len() - 1].parse().unwrap();
                let target: usize = cells[cells.len() - 2].parse().unwrap();
                let choice: usize = if cells.len() == 4 { cells[1].parse().unwrap() } else { 0 };
                let choice = space.choices_of(cells[0].parse().unwrap()).nth(choice).unwrap();
                let value = space.transitions(choice).find(|(t, _)| *t == target).unwrap().1;
                sums[choice] += value * reward;
            }
            let expected = structure
                .choice
                .as_ref()
                .map_or_else(|| vec![0.0; space.num_choices()], volvelle_space::Values::to_vec);
            for (choice, (sum, expected)) in sums.iter().zip(&expected).enumerate() {
                assert!(
                    (sum - expected).abs() <= 1e-12 * expected.abs(),
                    "{name} {choice}: {sum} {expected}"
                );
            }
        }
    }
    assert_eq!(kinds.len(), 3, "all kinds of models: {kinds:?}");
}

#[test]
fn there_is_no_such_structure() {
    let (program, explored) = explored(MERGED);
    let model = Model { program: &program, explored: &explored };
    let result = write(model, Format::Srew, 1, &mut Vec::new(), &Control::unlimited());
    assert!(matches!(result, Err(ExportError::NoSuchRewardStructure(1))));
}

#[test]
fn writing_can_be_stopped_and_can_fail() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (program, explored) = explored(MERGED);
    let model = Model { program: &program, explored: &explored };
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = Control { cancel: &cancel, ..Control::unlimited() };
    for format in Format::ALL {
        let result = write(model, format, 0, &mut Full, &Control::unlimited());
        assert!(matches!(result, Err(ExportError::Io(_))), "{format:?}");
        let result = write(model, format, 0, &mut Vec::new(), &stopped);
        assert!(matches!(result, Err(ExportError::Stopped(_))), "{format:?}");
    }
}

#[test]
fn formats_by_ending() {
    for format in Format::ALL {
        assert_eq!(Format::of_extension(&format.extension().to_uppercase()), Some(format));
    }
    assert_eq!(Format::of_extension("txt"), None);
    assert_eq!(Format::of_extension(""), None);
}
