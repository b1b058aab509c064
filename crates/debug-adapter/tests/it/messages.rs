//! Random sequences of messages: each request is answered once, and nothing panics.

use crate::client::{Client, example};
use proptest::prelude::*;
use serde_json::{Value, json};

const PROGRAMS: &[&str] =
    &["prism/die.prism", "promela/handover.pml", "lotos/lock.lotos", "weighted/courier.wks"];

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0..5i64, 2 => 90..120i64, 2 => 1000..1240i64, 1 => any::<i64>()]
}

fn text() -> impl Strategy<Value = String> {
    let lines = [
        "1",
        "2",
        "r",
        "r 5",
        "b",
        "b 3",
        "u node=7",
        "u [flip]",
        "u state=2",
        "j 0",
        "j 3",
        "v",
        "l",
        "?",
        "",
        "=1",
        "node",
        "node=3 & face=1",
        "x",
        "save",
        "load no-such.json",
        "99",
        "(",
        "true",
        "u",
        "loaded",
    ];
    prop_oneof![9 => prop::sample::select(lines.to_vec()).prop_map(str::to_owned), 1 => ".{0,12}"]
}

fn arguments() -> impl Strategy<Value = Value> {
    let fields = (number(), number(), text(), 0..4usize, any::<bool>());
    fields.prop_map(|(number, other, text, program, flag)| {
        json!({
            "threadId": number.clamp(-2, 4),
            "targetId": if flag { json!(other) } else { Value::Null },
            "frameId": other,
            "variablesReference": other,
            "expression": text,
            "context": if flag { "repl" } else { "watch" },
            "program": example(PROGRAMS[program]),
            "seed": if flag { json!(other.unsigned_abs()) } else { Value::Null },
            "steps": 500,
            "filters": if flag { json!(["claim", "deadlock"]) } else { json!([]) },
            "line": number,
            "endLine": other,
            "source": { "path": example(PROGRAMS[program]) },
            "breakpoints": [{ "line": number, "name": text, "condition": if flag { json!(text) } else { Value::Null } }],
            "startFrame": number,
            "column": number,
            "text": text,
            "levels": other,
        })
    })
}

fn command() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "initialize",
        "launch",
        "configurationDone",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "evaluate",
        "evaluate",
        "next",
        "next",
        "stepIn",
        "stepIn",
        "stepOut",
        "stepBack",
        "continue",
        "reverseContinue",
        "pause",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setExceptionBreakpoints",
        "breakpointLocations",
        "completions",
        "stepInTargets",
        "exceptionInfo",
        "terminate",
        "restart",
        "source",
        "nonsense",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered_once(
        program in 0..4usize,
        is_launched in prop::bool::weighted(0.9),
        asked in prop::collection::vec((command(), arguments(), prop::bool::weighted(0.05)), 1..40),
    ) {
        let mut client = match is_launched {
            true => Client::launched(json!({ "program": example(PROGRAMS[program]), "steps": 500 })),
            false => Client::silent(),
        };
        for (command, arguments, is_odd) in asked {
            let arguments = if is_odd { json!([arguments]) } else { arguments };
            let told = client.ask(command, arguments.clone());
            let answers = told.iter().filter(|message| message["type"] == "response").count();
            prop_assert_eq!(answers, 1, "{} {}: {:?}", command, arguments, told);
            let is_defect = told.iter().any(|message| message.to_string().contains("defect"));
            prop_assert!(!is_defect, "{} {}: {:?}", command, arguments, told);
        }
        prop_assert_eq!(client.leaves(), 0);
    }
}
