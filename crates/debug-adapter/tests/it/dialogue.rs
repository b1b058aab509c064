//! Random walks of an editor, back and forth, compared with the straight walk along the same choices as the commands of `volvelle step` take it.

use crate::client::{Client, example, folder};
use serde_json::{Value, json};

/// Numbers of a linear congruential generator, the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

const EXAMPLES: &[&str] = &[
    "prism/die.prism",
    "promela/handover.pml",
    "lotos/lock.lotos",
    "lotos/abp.lotos",
    "weighted/courier.wks",
    "weighted/election.wccs",
    "weighted/sensor.prism",
];

const TRANSITIONS: &str = "des (0, 4, 3)\n(0, \"GO !1\", 1)\n(0, i, 2)\n(1, \"BACK\", 0)\n(2, \"BACK\", 0)\n";

/// Everything that an editor shows of a state.
fn everything(client: &mut Client) -> Value {
    let threads = client.body("threads", json!({}))["threads"].clone();
    let mut all = Vec::new();
    for thread in threads.as_array().unwrap() {
        let frames = client.body("stackTrace", json!({ "threadId": thread["id"] }))["stackFrames"].clone();
        for frame in frames.as_array().unwrap() {
            let scopes = client.body("scopes", json!({ "frameId": frame["id"] }))["scopes"].clone();
            for scope in scopes.as_array().unwrap() {
                let given = json!({ "variablesReference": scope["variablesReference"] });
                all.push(json!([scope["name"], client.body("variables", given)["variables"]]));
            }
            let targets = client.body("stepInTargets", json!({ "frameId": frame["id"] }))["targets"].clone();
            let labels: Vec<&Value> =
                targets.as_array().unwrap().iter().map(|target| &target["label"]).collect();
            let label =
                |label: &Value| label.as_str().unwrap().replace("  (the next of the known steps)", "");
            all.push(json!([frame, labels.into_iter().map(label).collect::<Vec<_>>()]));
        }
        all.push(thread.clone());
    }
    json!(all)
}

fn repl(client: &mut Client, line: &str) -> Vec<Value> {
    client.ask("evaluate", json!({ "expression": line, "context": "repl" }))
}

fn count_of_steps(client: &mut Client, thread: &Value) -> usize {
    let frame = client.body("stackTrace", json!({ "threadId": thread }))["stackFrames"][0]["id"].clone();
    client.body("stepInTargets", json!({ "frameId": frame }))["targets"].as_array().unwrap().len()
}

/// Walks at random, and gives the choices that lead to the last state.
fn walked(client: &mut Client, numbers: &mut Numbers, moves: usize) -> Vec<usize> {
    let mut choices: Vec<usize> = Vec::new();
    for _ in 0..moves {
        let thread = client.body("threads", json!({}))["threads"][0]["id"].clone();
        let count = count_of_steps(client, &thread);
        if count == 0 || numbers.below(4) == 0 {
            let told = client.ask("stepBack", json!({ "threadId": thread }));
            assert_eq!(told[0]["success"] == true, choices.pop().is_some(), "{told:?}");
            continue;
        }
        let choice = numbers.below(count) + 1;
        let told = client.ask("stepIn", json!({ "threadId": thread, "targetId": choice }));
        // A step that fails leaves the walk where it is.
        if told[0]["success"] == true {
            choices.push(choice);
            let stopped = told.last().unwrap();
            assert_eq!(stopped["event"], "stopped", "{told:?}");
        }
    }
    choices
}

#[test]
fn ways_there_and_back_lead_to_the_same_states() {
    let lts = folder("dialogue").join("small.aut");
    std::fs::write(&lts, TRANSITIONS).unwrap();
    let programs = EXAMPLES.iter().map(|name| example(name)).chain([lts.display().to_string()]);
    for (seed, program) in (1..).zip(programs) {
        let launch = json!({ "program": program });
        let mut wandering = Client::launched(launch.clone());
        let choices = walked(&mut wandering, &mut Numbers(seed), 40);
        let mut straight = Client::launched(launch);
        for choice in &choices {
            let told = repl(&mut straight, &choice.to_string());
            assert_eq!(told[0]["success"], true, "{program}: {told:?}");
        }
        assert_eq!(everything(&mut wandering), everything(&mut straight), "{program} {choices:?}");
        let list = |client: &mut Client| repl(client, "l")[0]["body"]["result"].clone();
        assert_eq!(list(&mut wandering), list(&mut straight), "{program}");
        // The same way once more, by the trail.
        let trail = folder("dialogue-trail").join("walk.json");
        let told = repl(&mut straight, &format!("save {}", trail.display()));
        assert_eq!(told[0]["success"], true, "{program}: {told:?}");
        let launch = json!({ "program": program, "trail": trail.display().to_string() });
        let mut replayed = Client::launched(launch);
        let thread = replayed.body("threads", json!({}))["threads"][0]["id"].clone();
        for _ in &choices {
            let told = replayed.ask("next", json!({ "threadId": thread }));
            let gone = told[0]["message"].as_str().is_some_and(|text| text.contains("no thread"));
            assert!(told[0]["success"] == true || gone, "{program}: {told:?}");
            if gone {
                repl(&mut replayed, &format!("j {}", choices.len()));
            }
        }
        assert_eq!(list(&mut replayed), list(&mut straight), "{program}");
        for client in [wandering, straight, replayed] {
            assert_eq!(client.leaves(), 0);
        }
    }
}

/// A run forward with a breakpoint and a run back meet at the same states.
#[test]
fn runs_back_stop_where_runs_forward_do() {
    let mut client = Client::launched(json!({ "program": example("prism/die.prism"), "seed": 7 }));
    client.body("setExceptionBreakpoints", json!({ "filters": [] })).take();
    client.body("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "mod(node,2)=0" }] }));
    let position = |client: &mut Client| {
        client.body("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0]["name"].clone()
    };
    let mut forward = vec![position(&mut client)];
    loop {
        let told = client.ask("continue", json!({ "threadId": 1 }));
        if told.last().unwrap()["body"]["reason"] != "function breakpoint" {
            break;
        }
        forward.push(position(&mut client));
    }
    assert!(forward.len() > 1, "{forward:?}");
    while let Some(expected) = forward.pop() {
        client.ask("reverseContinue", json!({ "threadId": 1 }));
        assert_eq!(position(&mut client), expected);
    }
    assert_eq!(client.leaves(), 0);
}
