//! Paths of mdps: choices made by chance, or as a scheduler says that `check --export-scheduler` wrote.

use crate::common::{self, Folder, root};

/// Two processes that run for a coin, with much to choose.
const COINS: &str = "mdp
const int K = 3;
module one
  c : [-K..K] init 0;
  tired : bool init false;
  [] c>-K & c<K -> 0.5 : (c'=c+1) + 0.5 : (c'=c-1);
  [bold] c>-K+1 & c<K-1 -> 0.45 : (c'=c+2) + 0.55 : (c'=c-2);
  [meet] !tired & c>-K & c<K -> 0.6 : (c'=c-1) & (tired'=true) + 0.4 : (tired'=true);
  [done] c=K | c=-K -> true;
endmodule
module two
  left : [0..2] init 2;
  [meet] left>0 -> 0.5 : (left'=left-1) + 0.5 : (left'=left);
endmodule
rewards \"work\" [] true : 0.1; [bold] true : 2; [meet] true : 1; tired : 0.5; endrewards
label \"won\" = c=K;
label \"over\" = c=K | c=-K;
";

fn results(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let run = folder.run(&[arguments, &["--json"]].concat()).exits(0);
    run.json()["results"][0].clone()
}

/// The number that a property has, and an interval of it by paths of the exported scheduler.
fn compare(folder: &Folder, property: &str, file: &str) {
    let of = |name: &str, rest: &[&str]| {
        results(folder, &[&[name, "model.prism", "--prop", property], rest].concat())
    };
    let computed = of("check", &["--export-scheduler", file])["value"].as_f64().expect("a number");
    let simulated = of("simulate", &["--scheduler", file, "--samples", "20000", "--confidence", "0.9999"]);
    let interval = &simulated["statistics"]["interval"];
    let estimate = simulated["value"].as_f64().expect("a number");
    match (interval[0].as_f64(), interval[1].as_f64()) {
        (Some(lo), Some(hi)) => {
            assert!(lo <= computed && computed <= hi, "{property}: {computed} is not in {lo}..{hi}");
        }
        // All paths gave the same.
        _ => assert!(
            (estimate - computed).abs() <= 1e-9 * computed.abs().max(1e-3),
            "{property}: {estimate}, {computed}"
        ),
    }
    let method = simulated["method"].as_str().expect("a method");
    assert!(method.contains(&format!("choices of {file}")), "{method}");
}

#[test]
fn exported_schedulers_are_worth_what_was_computed() {
    let folder = Folder::with_model(COINS);
    for property in [
        "Pmax=? [ F \"won\" ]",
        "Pmin=? [ F \"won\" ]",
        "Rmin=? [ F \"over\" ]",
        "Rmax=? [ F \"over\" ]",
        "Pmax=? [ c>-2 U \"won\" ]",
        "Pmin=? [ G c<2 ]",
    ] {
        compare(&folder, property, "best.txt");
        compare(&folder, property, "best.json");
    }
}

/// Every kind of property: whether a scheduler of it can be written, and why not. What cannot is refused before anything is
/// explored: the limit of one state is not reached.
#[test]
fn schedulers_that_cannot_be_written_are_refused_first() {
    let folder = Folder::with_model(COINS).file("chain.prism", COINS.replace("mdp", "dtmc")).file(
        "rates.prism",
        "ctmc\nmodule m\n x : [0..2] init 0;\n [] x<2 -> 2 : (x'=x+1);\n [] x=2 -> 1 : (x'=0);\nendmodule\n",
    );
    let no_measure = "it is not a probability or reward property";
    let of_mdp = [
        ("multi(Pmax=? [ F \"won\" ], Pmax=? [ F c=-K ])", "every point of the curve has its own scheduler"),
        ("A [ F \"over\" ]", no_measure),
        ("E [ G c<2 ]", no_measure),
        ("1 - Pmax=? [ F \"won\" ]", no_measure),
        ("filter(count, c>0)", no_measure),
        ("c>0", no_measure),
        ("quantile(min B, Pmax>=0.9 [ F{\"work\"}<=B \"won\" ])", "it asks for an amount"),
    ];
    let refused = |model: &str, property: &str, why: &str| {
        for export in [["--export-scheduler", "best.txt"], ["--export-induced", "best.umb"]] {
            let words = ["check", model, "--prop", property, "--max-states", "1"];
            let run = folder.run(&[&words[..], &export].concat()).exits(2);
            assert!(run.err.contains("V0614") && run.err.contains(why), "{property}: {}", run.err);
            assert!(!run.err.contains("V0003") && run.out.is_empty(), "{property}: {}", run.out);
            assert!(!folder.path().join(export[1]).exists(), "{property}");
        }
    };
    for (property, why) in of_mdp {
        refused("model.prism", property, why);
    }
    for property in ["P=? [ F \"won\" ]", "R=? [ F \"over\" ]", "S=? [ \"won\" ]", "P=? [ F<=3 \"won\" ]"] {
        refused("chain.prism", property, "a DTMC has no choices");
    }
    for property in ["P=? [ F x=2 ]", "S=? [ x=2 ]", "P=? [ F<=3 x=2 ]"] {
        refused("rates.prism", property, "a CTMC has no choices");
    }
    // No scheduler meets both bounds: the answer is false, and there is nothing to write.
    let property = "multi(P>=0.9 [ F \"won\" ], P>=0.9 [ F c=-K ])";
    let words = ["check", "model.prism", "--prop", property, "--export-scheduler", "best.txt"];
    let run = folder.run(&words).exits(1);
    assert!(run.err.contains("no scheduler meets all bounds"), "{}", run.err);
    let run =
        folder.run(&["check", "model.prism", "--prop", "Pmax=? [ F c=1 ]", "--export-induced", "x.ump"]);
    assert!(run.exits(2).err.contains("did you mean `x.umb`?"));
}

/// Properties of every kind, and whether paths can be simulated for them.
const KINDS: &[(&str, bool)] = &[
    ("Pmax=? [ F \"won\" ]", true),
    ("Pmin=? [ c>-2 U \"won\" ]", true),
    ("Pmax=? [ G c<2 ]", true),
    ("Pmax=? [ c<2 W \"won\" ]", true),
    ("Pmax=? [ !(F \"won\") ]", true),
    ("Pmax=? [ X c=1 ]", true),
    ("Pmax=? [ F<=5 \"won\" ]", true),
    ("Pmin=? [ F<=9 \"won\" ]", true),
    ("Pmin=? [ G<=5 c<2 ]", true),
    ("Pmax=? [ c<3 U[2,6] c>1 ]", true),
    ("Pmax=? [ F>=3 c=1 ]", true),
    ("Pmax=? [ (F c=2) & (F c=-1) ]", true),
    ("Pmin=? [ F (c=1 & X c=0) ]", true),
    ("Pmax=? [ G F \"won\" ]", true),
    ("Pmin=? [ F G c=-3 ]", true),
    ("Pmax=? [ P>=0.4 [ F<=3 \"won\" ] U \"over\" ]", false),
    ("Rmin=? [ F \"over\" ]", true),
    ("Rmax=? [ C<=6 ]", true),
    ("Rmin=? [ I=4 ]", true),
    ("Rmin=? [ F (\"over\" & X \"over\") ]", true),
    ("Rmin=? [ C ]", false),
    ("Rmax=? [ C ]", false),
    ("R{\"bold\"}max=? [ C ]", false),
    ("Rmax=? [ S ]", false),
    ("Rmin=? [ S ]", false),
    ("Smax=? [ \"won\" ]", false),
    ("Tmax=? [ F \"over\" ]", true),
    ("Pmax=? [ F \"won\" || F left=1 ]", false),
    ("Pmin=? [ F \"won\" || F left=1 ]", false),
    ("Pmin=? [ F \"won\" || c=0 ]", false),
    ("Pmax=? [ F{\"work\"}<=6 \"won\" ]", true),
    ("Pmin=? [ F{\"work\"}<=6 \"over\" ]", true),
    ("Pmax=? [ c>-2 U{\"work\"}>=1.5,steps<=7 \"won\" ]", true),
    ("Pmax=? [ !(F{\"work\"}<3 \"over\") ]", true),
    ("R{\"bold\"}max=? [ C{\"work\"}<=4 ]", true),
    ("R{\"bold\"}min=? [ C{\"work\"}<=4,steps<=5 ]", true),
    ("R{\"work\"}max=? [ C{\"bold\"}<2 ]", false),
    ("R{\"work\"}max=? [ C{\"bold\"}<2,steps<=9 ]", true),
    ("Rmax=? [ Cdiscount=0.9 ]", false),
    ("Rmin=? [ C<=6 discount=0.9 ]", false),
    ("R{\"net\"}min=? [ F \"over\" ]", true),
    ("R{\"net\"}max=? [ C<=5 ]", true),
    ("R{\"net\"}min=? [ S ]", false),
];

/// What is exported is worth what was computed: followed by `check` and `simulate`, and as a chain that is read again.
#[test]
fn schedulers_of_every_kind_are_followed() {
    let more = "rewards \"bold\" [bold] true : 1; endrewards\n\
                rewards \"net\" [bold] true : -1; [meet] true : 2; [] true : 0.25; endrewards\n";
    let folder = Folder::with_model(&format!("{COINS}\n{more}"));
    let bounds = |result: &serde_json::Value| -> [f64; 2] {
        let of = |name: &str| match &result[name] {
            serde_json::Value::String(text) if text == "inf" => Some(f64::INFINITY),
            value => value.as_f64(),
        };
        let value = of("value");
        [of("lo").or(value), of("hi").or(value)].map(|end| end.unwrap_or_else(|| panic!("{result:#}")))
    };
    for (i, &(property, is_sampled)) in KINDS.iter().enumerate() {
        let file = ["s.txt", "s.csv", "s.json"][i % 3];
        let chain = ["c.umb", "c.drn"][i % 2];
        let export = ["--export-scheduler", file, "--export-induced", chain];
        let best =
            bounds(&results(&folder, &[&["check", "model.prism", "--prop", property], &export[..]].concat()));
        let close = |other: [f64; 2], what: &str| {
            let apart = (other[0] - best[1]).max(best[0] - other[1]);
            let fits = other == best || apart <= 2e-6 * best[1].abs().max(1e-3);
            assert!(fits, "{property}: {best:?}, {what}: {other:?}");
        };
        let ask = ["check", "model.prism", "--prop", property, "--scheduler", file];
        close(bounds(&results(&folder, &ask)), "followed");
        // DRN has no variables, and operators within operators mean the chain there.
        if chain == "c.umb" && !property.contains("P>=") {
            close(bounds(&results(&folder, &["check", chain, "--prop", property])), "as a chain");
        }
        if is_sampled {
            let more = ["--samples", "3000", "--confidence", "0.99999"];
            let ask = ["simulate", "model.prism", "--prop", property, "--scheduler", file];
            let simulated = results(&folder, &[&ask[..], &more].concat());
            let interval = &simulated["statistics"]["interval"];
            match (interval[0].as_f64(), interval[1].as_f64()) {
                (Some(lo), Some(hi)) => {
                    assert!(lo <= best[1] && best[0] <= hi, "{property}: {best:?} is not in {lo}..{hi}");
                }
                _ => close([simulated["value"].as_f64().expect("a number"); 2], "simulated"),
            }
        }
    }
}

/// A memory says how much is left of every bound, in all formats; in the graph, too.
#[test]
fn memories_of_bounds_have_amounts() {
    let folder = Folder::with_model(COINS);
    let property = "Pmax=? [ F{\"work\"}<=2,steps>=2 \"won\" ]";
    let ask = ["check", "model.prism", "--prop", property, "--export-scheduler"];
    let out = folder.run(&[&ask[..], &["s.txt"]].concat()).exits(0).out;
    assert!(
        out.contains("(what is left of the bounds)") && out.contains("work 2 left, steps 2 to go"),
        "{out}"
    );
    let table = folder.read("s.txt");
    assert!(table.contains("# memory: amounts (what is left of the bounds), 0 at first\n"), "{table}");
    assert!(table.contains("# memory 0: work 2 left, steps 2 to go\n"), "{table}");
    assert!(table.contains(": work 1.9 left, steps 1 to go\n"), "{table}");
    folder.run(&[&ask[..], &["s.json"]].concat()).exits(0);
    let json: serde_json::Value = serde_json::from_str(&folder.read("s.json")).expect("JSON");
    let memory = &json["memory"];
    assert_eq!(memory["bounds"][0], serde_json::json!({ "counted": "work", "end": "upper" }));
    assert_eq!(memory["bounds"][1], serde_json::json!({ "counted": "steps", "end": "lower" }));
    assert_eq!(memory["left"][0], serde_json::json!([2, 2]));
    assert_eq!(memory["left"].as_array().map(Vec::len), memory["count"].as_u64().map(|n| n as usize));
    folder.run(&[&ask[..], &["s.dot"]].concat()).exits(0);
    assert!(folder.read("s.dot").contains("\\nwork 2 left, steps 2 to go\""), "{}", folder.read("s.dot"));
}

/// Under a scheduler there is one value: no minimum or maximum has to be asked for.
#[test]
fn properties_under_a_scheduler_need_no_optimum() {
    let folder = Folder::with_model(COINS);
    let best = ["--prop", "Pmax=? [ F \"won\" ]", "--export-scheduler", "best.txt"];
    let max = results(&folder, &[&["check", "model.prism"], &best[..]].concat());
    for file in ["best.txt", "uniform"] {
        let of = |property: &str| {
            results(&folder, &["check", "model.prism", "--prop", property, "--scheduler", file])["value"]
                .clone()
        };
        assert_eq!(of("P=? [ F \"won\" ]"), of("Pmin=? [ F \"won\" ]"));
        assert_eq!(of("R=? [ F \"over\" ]"), of("Rmax=? [ F \"over\" ]"));
    }
    let one =
        results(&folder, &["check", "model.prism", "--prop", "P=? [ F \"won\" ]", "--scheduler", "best.txt"]);
    let [one, max] = [one, max].map(|result| result["value"].as_f64().expect("a number"));
    assert!((one - max).abs() < 1e-6, "{one} {max}");
}

/// Graphs of a scheduler with memory and of its chain, whose nodes are states with their memory.
#[test]
fn schedulers_are_drawn() {
    let folder = Folder::with_model(COINS);
    let property = "Pmax=? [ F<=2 c=2 ]";
    let files = ["--export-scheduler", "s.dot", "--export-induced", "c.dot,c.tra,c.sta,c.srew"];
    let run = folder.run(&[&["check", "model.prism", "--prop", property], &files[..]].concat()).exits(0);
    assert!(run.out.contains("written: s.dot, c.dot, c.tra, c.sta, c.srew"), "{}", run.out);
    let graph = folder.read("s.dot");
    assert!(graph.starts_with("digraph scheduler {") && graph == folder.read("c.dot"), "{graph}");
    assert!(graph.contains("label=\"c=0 tired=false left=2\\nmemory 2\", peripheries=2"), "{graph}");
    assert!(folder.read("c.sta").starts_with("(c,tired,left,memory)\n0:(0,false,2,2)\n"));
    // Rewards of choices and states are those of the model.
    let again = results(&folder, &["check", "c.tra", "--prop", "P=? [ F c=2 ]"]);
    assert!(again["value"].as_f64().is_some(), "{again}");
    // With several properties, files are numbered.
    let ask = ["check", "model.prism", "--prop", property, "--prop", "Pmin=? [ F c=2 ]"];
    let run = folder.run(&[&ask[..], &["--export-induced", "d.umb"]].concat()).exits(0);
    assert!(run.out.contains("written: d1.umb, d2.umb"), "{}", run.out);
}

/// A mix of schedulers: no single one meets the bound.
#[test]
fn mixes_are_followed() {
    let folder = Folder::with_model(
        "mdp\nmodule m\n x : [0..2] init 0;\n [a] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=0);\n [b] x=0 -> (x'=2);\n \
         [] x>0 -> true;\nendmodule\n",
    );
    let property = "multi(Pmax=? [ F x=1 ], P>=0.25 [ F x=2 ])";
    for file in ["s.txt", "s.csv", "s.json"] {
        folder.run(&["check", "model.prism", "--prop", property, "--export-scheduler", file]).exits(0);
        for (part, value) in [("Pmax=? [ F x=1 ]", 0.75), ("Pmax=? [ F x=2 ]", 0.25)] {
            let of = |command: &str| {
                let ask = [command, "model.prism", "--prop", part, "--scheduler", file];
                results(&folder, &ask)["value"].as_f64().expect("a number")
            };
            assert!((of("check") - value).abs() < 1e-9 && (of("simulate") - value).abs() < 0.01, "{file}");
        }
    }
    let text = folder.read("s.txt");
    assert!(text.contains("# volvelle scheduler 2\n") && text.contains("# memory: mix "), "{text}");
    // Probabilities that do not add up.
    let less = "# volvelle scheduler 2\nstate\tx\tmemory\tchoice\tprobability\tnext\taction\n\
                0\t0\t0\t0\t0.75\t0\ta\n0\t0\t0\t1\t0.125\t0\tb\n1\t1\t0\t0\t1.0\t0\t-\n";
    let folder = folder.file("less.txt", less);
    let ask = ["check", "model.prism", "--prop", "Pmax=? [ F x=1 ]", "--scheduler", "less.txt"];
    let run = folder.run(&ask).exits(2);
    assert!(run.err.contains("V0907") && run.err.contains("add up to 0.875"), "{}", run.err);
}

#[test]
fn exported_schedulers_of_examples() {
    for (example, property) in [
        ("bold_play", "Pmax=? [ F \"rich\" ]"),
        ("bold_play", "Pmin=? [ F \"rich\" ]"),
        ("courier", "Pmax=? [ F \"delivered\" ]"),
        ("courier", "Pmin=? [ F \"delivered\" ]"),
        ("courier", "Rmin=? [ F at=hops | lost ]"),
        ("courier", "Rmax=? [ F at=hops | lost ]"),
    ] {
        let text = std::fs::read_to_string(root().join(format!("examples/prism/{example}.prism")));
        compare(&Folder::with_model(&text.expect("an example")), property, "best.txt");
    }
}

/// Two ways with the same action, and two modules that move together.
const ROADS: &str = "mdp
module car
  at : [0..2] init 0;
  // The short way may be closed.
  [go] at=0 -> 0.6 : (at'=2)
             + 0.4 : (at'=1);
  [go] at=0 -> 0.9 : (at'=2) + 0.1 : (at'=1);
  [] at=1 -> true;
  [] at=1 -> 0.5 : (at'=2) + 0.5 : true;
  [] at=2 -> true;
endmodule
module trips
  n : [0..3] init 0;
  [go] n<3 -> (n'=n+1);
endmodule
";

#[test]
fn commands_are_told_by_their_text_and_their_line() {
    let folder = Folder::with_model(ROADS);
    let run = ["check", "model.prism", "--prop", "Pmax=? [ at!=1 U at=2 ]", "--export-scheduler"];
    let out = folder.run(&[&run[..], &["best.txt"]].concat()).exits(0).out;
    assert!(out.contains("2 of 3 states have several choices"), "{out}");
    let go = "car: [go] at=0 -> 0.9 : (at'=2) + 0.1 : (at'=1) || trips: [go] n<3 -> (n'=n+1)";
    for text in [go, "model.prism:7, model.prism:14"] {
        assert!(out.contains(text), "{text}:\n{out}");
    }
    let table = folder.read("best.txt");
    assert!(table.contains("\tchoice\taction\tplace\tcommand\n"), "{table}");
    assert!(table.contains(&format!("0\t0\t0\t1\tgo\tmodel.prism:7, model.prism:14\t{go}\n")), "{table}");
    let csv = folder.run(&[&run[..], &["best.csv", "--json"]].concat()).exits(0).json();
    let decision = &csv["results"][0]["scheduler"]["decisions"][0];
    assert_eq!((decision["choice"].as_u64(), decision["of"].as_u64()), (Some(1), Some(2)), "{decision}");
    assert_eq!(decision["commands"][1]["module"], "trips");
    assert_eq!(decision["commands"][0]["command"], "[go] at=0 -> 0.9 : (at'=2) + 0.1 : (at'=1)");
    assert!(folder.read("best.csv").starts_with("state,at,n,choice,action,place,command\n0,0,0,1,go,"));
    // Text over several lines, with a comment before it.
    folder
        .run(&[
            "check",
            "model.prism",
            "--prop",
            "Pmin=? [ at!=1 U at=2 ]",
            "--export-scheduler",
            "worst.json",
        ])
        .exits(0);
    let worst = folder.read("worst.json");
    assert!(worst.contains("\"command\": \"[go] at=0 -> 0.6 : (at'=2) + 0.4 : (at'=1)\""), "{worst}");
    // All formats are followed.
    for file in ["best.txt", "best.csv"] {
        let simulated = results(
            &folder,
            &[
                "simulate",
                "model.prism",
                "--prop",
                "Pmax=? [ at!=1 U at=2 ]",
                "--scheduler",
                file,
                "--samples",
                "500",
            ],
        );
        assert!(simulated["value"].as_f64().is_some_and(|x| (0.8..1.0).contains(&x)), "{file}: {simulated}");
    }
    // Along a path, the line tells commands with the same action apart.
    let out =
        folder.run(&["check", "model.prism", "--prop", "Pmax=? [ at!=1 U at=2 ]", "--witness"]).exits(0).out;
    assert!(out.contains("0.9  [go] lines 7 and 14  at=2 n=1"), "{out}");
}

#[test]
fn every_tier_follows_a_scheduler() {
    let folder = Folder::with_model(COINS);
    let property = "Rmax=? [ F \"over\" ]";
    folder.run(&["check", "model.prism", "--prop", property, "--export-scheduler", "best.txt"]).exits(0);
    for scheduler in ["uniform", "best.txt"] {
        let values: Vec<(String, serde_json::Value)> = ["interpreter", "scalar", "vector"]
            .iter()
            .map(|tier| {
                let options = ["simulate", "model.prism", "--prop", property, "--scheduler", scheduler];
                let rest = ["--tier", tier, "--samples", "3000", "--seed", "5"];
                let result = results(&folder, &[&options[..], &rest].concat());
                (result["value"].to_string(), result["statistics"]["steps"].clone())
            })
            .collect();
        assert!(values.windows(2).all(|w| w[0] == w[1]), "{scheduler}: {values:?}");
    }
}

#[test]
fn chance_makes_a_chain_of_an_mdp() {
    // In a dtmc the choices that are enabled are equally likely by definition.
    let folder = Folder::with_model(COINS).file("chain.prism", COINS.replace("mdp", "dtmc"));
    for (of_mdp, of_chain) in [
        ("Pmax=? [ F \"won\" ]", "P=? [ F \"won\" ]"),
        ("Pmin=? [ F<=7 \"won\" ]", "P=? [ F<=7 \"won\" ]"),
        ("Rmin=? [ C<=9 ]", "R=? [ C<=9 ]"),
        ("Rmax=? [ F \"over\" ]", "R=? [ F \"over\" ]"),
    ] {
        let rest = ["--samples", "30000", "--confidence", "0.9999"];
        let options = ["simulate", "model.prism", "--prop", of_mdp, "--scheduler", "uniform"];
        let uniform = results(&folder, &[&options[..], &rest].concat());
        let computed = results(&folder, &["check", "chain.prism", "--prop", of_chain]);
        let (value, interval) =
            (computed["value"].as_f64().expect("a number"), &uniform["statistics"]["interval"]);
        let [lo, hi] = [0, 1].map(|i| interval[i].as_f64().expect("a number"));
        assert!(lo <= value && value <= hi, "{of_mdp}: {value} is not in {lo}..{hi}");
        // The same paths, even.
        let chain = results(&folder, &[&["simulate", "chain.prism", "--prop", of_chain], &rest[..]].concat());
        assert_eq!(chain["value"], uniform["value"], "{of_mdp}");
    }
}

#[test]
fn rare_events_of_choices_by_chance() {
    let folder = Folder::with_model(COINS).file("chain.prism", COINS.replace("mdp", "dtmc"));
    folder.run(&["check", "model.prism", "--prop", "Pmax=? [ F \"won\" ]", "--export-scheduler", "best.txt"]);
    let rest = ["--rare", "--seed", "4", "--samples", "1000"];
    let of = |model: &str, property: &str, more: &[&str]| {
        folder.run(&[&["simulate", model, "--prop", property, "--json"], &rest[..], more].concat())
    };
    let property = "Pmax=? [ F<=3 \"won\" ]";
    let chain = of("chain.prism", "P=? [ F<=3 \"won\" ]", &[]).exits(0).json();
    let uniform = of("model.prism", property, &["--scheduler", "uniform"]).exits(0).json();
    assert_eq!(chain["results"][0]["value"], uniform["results"][0]["value"]);
    let run = of("model.prism", property, &["--scheduler", "best.txt"]).exits(2);
    assert!(run.err.contains("does not support schedulers from files"), "{}", run.err);
    let run = of("chain.prism", "P=? [ F<=3 \"won\" ]", &["--scheduler", "uniform"]).exits(2);
    assert!(run.err.contains("has no choices"), "{}", run.err);
}

#[test]
fn paths_are_told_as_they_are_simulated() {
    let folder = Folder::with_model(COINS);
    let property = "Rmin=? [ F \"over\" ]";
    folder.run(&["check", "model.prism", "--prop", property, "--export-scheduler", "best.json"]).exits(0);
    for scheduler in ["uniform", "best.json"] {
        let options = ["model.prism", "--prop", property, "--scheduler", scheduler, "--seed", "9"];
        let simulated = results(&folder, &[&["simulate"], &options[..], &["--samples", "1"]].concat());
        let told = folder.run(&[&["trace"], &options[..], &["--json"]].concat()).exits(0).json();
        let steps = told["path"]["steps"].as_array().expect("steps");
        assert_eq!(steps[steps.len() - 1]["decided"][0]["value"], simulated["value"], "{told:#}");
        assert_eq!(Some(steps.len() as u64 - 1), simulated["statistics"]["steps"].as_u64());
        assert!(told["path"]["scheduler"].as_str().is_some_and(|s| s.starts_with("choices")));
    }
    let run = folder.run(&["trace", "model.prism", "--scheduler", "uniform"]).exits(0);
    assert!(run.out.contains("MDP  path 0 of seed 1  choices uniformly at random"), "{}", run.out);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let folder = Folder::with_model(COINS)
        .file("chain.prism", COINS.replace("mdp", "dtmc"))
        .file("other.prism", COINS.replace("tired", "sleepy"))
        .file("list.txt", "milk\nbread\n");
    // The bold are worse off: the worst scheduler is bold.
    let best = ["--prop", "Pmin=? [ F \"won\" ]"];
    folder
        .run(&[&["check", "model.prism"], &best[..], &["--export-scheduler", "best.txt"]].concat())
        .exits(0);
    let table = folder.read("best.txt");
    let folder = folder
        .file(
            "short.txt",
            table.lines().filter(|l| !l.contains("\t0\tfalse\t")).collect::<Vec<_>>().join("\n"),
        )
        .file("moody.txt", table.replace("state\tc", "state\tmood"))
        .file("wide.txt", table.replace("\n0\t0\t", "\n0\t17\t"))
        .file("ninth.txt", table.replace("\tbold\t", "\tbolder\t").replace("\tmeet\t", "\tmeeting\t"));
    let refused = |model: &str, scheduler: &str, words: &str| {
        let property = if model == "chain.prism" { "P=? [ F \"won\" ]" } else { best[1] };
        for command in ["simulate", "trace"] {
            let run = folder.run(&[command, model, "--prop", property, "--scheduler", scheduler]).exits(2);
            assert!(run.err.contains(words), "{command} {model} {scheduler}: {}", run.err);
        }
    };
    refused("chain.prism", "uniform", "has no choices");
    refused("chain.prism", "best.txt", "has no choices");
    refused("model.prism", "nowhere.txt", "V0001");
    refused("model.prism", "list.txt", "does not begin with");
    refused("other.prism", "best.txt", "lacks the variable `sleepy`");
    refused("model.prism", "moody.txt", "lacks the variable `c`");
    refused("model.prism", "wide.txt", "its range is -3..3");
    refused("model.prism", "ninth.txt", "in the model");
    refused("model.prism", "short.txt", "has no decision for a state");
    for (model, scheduler, words) in [
        ("chain.prism", "uniform", "a DTMC has no choices"),
        ("other.prism", "best.txt", "lacks the variable `sleepy`"),
        ("model.prism", "ninth.txt", "in the model"),
        ("model.prism", "short.txt", "says nothing about state"),
    ] {
        let property = if model == "chain.prism" { "P=? [ F \"won\" ]" } else { best[1] };
        let run = folder.run(&["check", model, "--prop", property, "--scheduler", scheduler]).exits(2);
        assert!(run.err.contains(words), "check {model} {scheduler}: {}", run.err);
    }
    for command in ["simulate", "trace"] {
        let run = folder.run(&[&[command, "model.prism"], &best[..]].concat()).exits(2);
        assert!(run.err.contains("without a scheduler for its choices"), "{}", run.err);
        assert!(run.err.contains("--scheduler uniform"), "{}", run.err);
    }
}

/// `--witness 5` shows five paths, by falling probability; their sum is below the probability.
#[test]
fn several_paths() {
    let model = "examples/prism/die.prism";
    let folder = Folder::with_model(&std::fs::read_to_string(common::root().join(model)).expect("a model"));
    let ask = ["check", "model.prism", "--prop", "P=? [ F face=1 ]", "--json", "--witness"];
    let json = folder.run(&[&ask[..], &["5"]].concat()).exits(0).json();
    let witness = &json["results"][0]["witness"];
    let further = witness["further"].as_array().expect("further paths");
    assert_eq!(further.len(), 4);
    let first = witness["probability"].as_f64();
    let all: Vec<f64> =
        (first.into_iter()).chain(further.iter().filter_map(|p| p["probability"].as_f64())).collect();
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
    // 1/8, then a quarter less for every round.
    assert_eq!(all, [0.125, 0.03125, 0.0078125, 0.001953125, 0.00048828125]);
    assert_eq!(witness["paths_together"].as_f64(), Some(all.iter().sum()));
    // Without a number there is one, even before the name of the model.
    let one = folder
        .run(&["check", "--witness", "model.prism", "--prop", "P=? [ F face=1 ]", "--json"])
        .exits(0)
        .json();
    assert!(one["results"][0]["witness"].get("further").is_none());
}
