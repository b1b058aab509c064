//! Schedulers in files.

use volvelle_session::choices::SavedScheduler;

#[test]
fn both_formats_are_read() {
    let table = "# volvelle scheduler 1\n# property: x\nstate\tx\tb\tchoice\taction\n0\t-3\ttrue\t1\tgo\n\n1\t2\tfalse\t0\t-\n";
    let json = r#"{ "scheduler": 1, "variables": ["x", "b"], "choices": [
        { "number": 0, "values": [-3, true], "choice": 1, "action": "go" },
        { "number": 1, "values": [2, false], "choice": 0 } ] }"#;
    let [a, b] = [table, json].map(|text| SavedScheduler::read("f", text).expect("a scheduler"));
    assert_eq!(a.variables, b.variables);
    for (a, b) in a.decisions.iter().zip(&b.decisions) {
        assert_eq!((&a.values, a.choice, &a.action), (&b.values, b.choice, &b.action));
    }
    assert_eq!((a.decisions.len(), b.decisions.len()), (2, 2));
    // With the texts of commands, which are for readers.
    let wide = "# volvelle scheduler 1\nstate\tx\tb\tchoice\taction\tplace\tcommand\n0\t-3\ttrue\t1\tgo\tm:1\t[go] x, 1\n1\t2\tfalse\t0\t-\t-\t-\n";
    let csv = "state,x,b,choice,action,place,command\n0,-3,true,1,go,m:1,\"[go] x, \"\"1\"\"\"\n1,2,false,0,-,-,-\n";
    for text in [wide, csv] {
        let c = SavedScheduler::read("f", text).expect("a scheduler");
        for (a, c) in a.decisions.iter().zip(&c.decisions) {
            assert_eq!((&a.values, a.choice, &a.action), (&c.values, c.choice, &c.action));
        }
        assert_eq!((&a.variables, c.decisions.len()), (&c.variables, 2));
    }
}

#[test]
fn what_is_no_scheduler_says_why() {
    for (text, why) in [
        ("", "does not begin"),
        ("x\ty\n", "does not begin"),
        ("# volvelle scheduler 3\n", "version"),
        ("# volvelle scheduler 2\nstate\tx\tchoice\taction\n", "columns are not those of version 2"),
        (
            "# volvelle scheduler 2\nstate\tmemory\tchoice\tprobability\tnext\taction\n0\t0\t0\t2\t0\t-\n",
            "`2` in line 3",
        ),
        (
            "# volvelle scheduler 2\nstate\tmemory\tchoice\tprobability\tnext\taction\n0\t0\t0\t0.5\t-\t-\n",
            "steps are counted",
        ),
        ("# volvelle scheduler 1\n", "columns"),
        ("# volvelle scheduler 1\nstate\tx\tchoice\n", "columns"),
        ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\t1\t0\n", "line 3 has 3 columns"),
        ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\tone\t0\t-\n", "`one` in line 3"),
        ("# volvelle scheduler 1\nstate\tx\tchoice\taction\n0\t1\t-1\t-\n", "`-1`"),
        ("{", "EOF"),
        ("{}", "version"),
        ("{ \"scheduler\": 1 }", "`variables`"),
        ("{ \"scheduler\": 1, \"variables\": [], \"choices\": [{ \"memory\": 0 }] }", "`memory`"),
        (
            "{ \"scheduler\": 1, \"variables\": [\"x\"], \"choices\": [{ \"values\": [], \"choice\": 0 }] }",
            "has no values",
        ),
    ] {
        let complaint = SavedScheduler::read("f", text).expect_err(text);
        assert!(complaint.message.contains(why), "{text}: {}", complaint.message);
    }
}
