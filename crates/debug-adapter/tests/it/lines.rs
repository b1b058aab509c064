//! Lines of steps of LOTOS: each step has them, on each of them stands what is done, and they are those at which its processes were.

use crate::client::{Client, example, folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Examples in which processes call gates as the specification does.
const EXAMPLES: &[&str] = &["lock.lotos", "abp.lotos"];

/// Steps of a walk.
const STEPS: usize = 60;

fn targets(client: &mut Client) -> Vec<Value> {
    let thread = thread(client);
    let frame = client.body("stackTrace", json!({ "threadId": thread }))["stackFrames"][0]["id"].clone();
    client.body("stepInTargets", json!({ "frameId": frame }))["targets"].as_array().unwrap().clone()
}

/// The lines in a label such as `3: [PUT !1]  A, B  line 7,12  state: 0 -> 1`.
fn lines_of(label: &str) -> Vec<usize> {
    let (_, behind) = label.split_once("  line ").unwrap_or_else(|| panic!("no line: {label}"));
    let lines = behind.split("  ").next().unwrap();
    lines.split(',').map(|line| line.parse().unwrap()).collect()
}

#[test]
fn steps_of_lotos_are_where_their_actions_are_written() {
    let mut gates = BTreeSet::new();
    for (seed, name) in (1_usize..).zip(EXAMPLES) {
        let program = example(&format!("lotos/{name}"));
        let text = std::fs::read_to_string(&program).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut client = Client::launched(json!({ "program": program }));
        let mut drawn = seed;
        for _ in 0..STEPS {
            let targets = targets(&mut client);
            for target in &targets {
                let label = target["label"].as_str().unwrap();
                let gate = label.split(['[', ']', ' ']).filter(|word| !word.is_empty()).nth(1).unwrap();
                for line in lines_of(label) {
                    let written = lines[line - 1];
                    let is_there = gate == "i" || written.to_lowercase().contains(&gate.to_lowercase());
                    assert!(is_there, "{name}:{line}: {written}: {label}");
                }
                gates.insert(gate.to_owned());
            }
            if targets.is_empty() {
                break;
            }
            drawn = (drawn * 31 + 7) % 1009;
            let choice = drawn % targets.len() + 1;
            let label = targets[choice - 1]["label"].as_str().unwrap().to_owned();
            let thread = thread(&mut client);
            let told = client.ask("stepIn", json!({ "threadId": thread, "targetId": choice }));
            assert_eq!(told[0]["success"], true, "{label}: {told:?}");
        }
        assert_eq!(client.leaves(), 0);
    }
    assert!(gates.len() > 4, "{gates:?}");
}

fn thread(client: &mut Client) -> Value {
    client.body("threads", json!({}))["threads"][0]["id"].clone()
}

/// Processes that end together do so at their `exit`; those that wait for them do nothing that is written.
#[test]
fn who_waits_is_at_no_line() {
    let program = example("../fuzz/seeds/lotos_front/dynamic.lotos");
    let lines: Vec<String> = std::fs::read_to_string(&program).unwrap().lines().map(str::to_owned).collect();
    let mut client = Client::launched(json!({ "program": program }));
    let end = loop {
        let targets = targets(&mut client);
        let label = targets[0]["label"].as_str().unwrap().to_owned();
        if label.contains("[i]") {
            break label;
        }
        let thread = thread(&mut client);
        client.body("stepIn", json!({ "threadId": thread, "targetId": 1 }));
    };
    let (names, _) = end.split_once("  line ").unwrap();
    let found = lines_of(&end);
    assert_eq!(names.split(", ").count(), found.len(), "{end}");
    // The last is the process that was enabled.
    let (last, ended) = found.split_last().unwrap();
    assert!(ended.len() > 1 && ended.iter().all(|line| lines[line - 1].contains("exit")), "{end}");
    assert!(lines[last - 1].contains(">>"), "{end}");
    assert_eq!(client.leaves(), 0);
}

/// A breakpoint on a line of an action is met by the step that does it, whichever process does.
#[test]
fn breakpoints_on_actions_are_met() {
    let path = folder("lines").join("lock.lotos");
    let text = std::fs::read_to_string(example("lotos/lock.lotos")).unwrap();
    let text = text.replace("; ENTER", ";\n    ENTER").replace("; LEAVE", ";\n    LEAVE");
    std::fs::write(&path, &text).unwrap();
    let program = path.display().to_string();
    let line = text.lines().position(|line| line.contains("ENTER !")).unwrap() + 1;
    let mut client = Client::launched(json!({ "program": program }));
    let given = json!({ "source": { "path": program }, "breakpoints": [{ "line": line }] });
    let set = client.body("setBreakpoints", given)["breakpoints"][0].clone();
    assert_eq!((&set["verified"], &set["line"]), (&json!(true), &json!(line)), "{set}");
    for _ in 0..3 {
        let thread = thread(&mut client);
        let told = client.ask("continue", json!({ "threadId": thread }));
        let stopped = told.last().unwrap();
        assert_eq!(stopped["body"]["reason"], "breakpoint", "{told:?}");
        let steps = told.iter().filter_map(|message| message["body"]["output"].as_str()).collect::<String>();
        assert!(steps.lines().last().unwrap().contains("ENTER"), "{steps}");
    }
    assert_eq!(client.leaves(), 0);
}
