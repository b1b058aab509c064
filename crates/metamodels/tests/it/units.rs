//! Units of measure, `examples/rules/units.rules`.

use crate::common::{check, corpus, root, system, told};
use crate::edits::edited;

fn sleep() -> String {
    std::fs::read_to_string(root().join("examples/rules/sleep.prism")).expect("the example")
}

/// What is found in a text.
fn found(text: &str) -> Vec<String> {
    let (mut sources, loaded) = system("units.rules");
    let report = check(&mut sources, &loaded, text);
    told(&sources, &report)
}

#[test]
fn the_example_is_right() {
    assert_eq!(found(&sleep()), Vec::<String>::new());
}

/// One mistake each: what is changed into what, the place, and what is told.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "max(draw * load, rest)",
        "max(draw * load, boot)",
        "max(draw * load, boot): `draw * load` is in J/s, `boot` (line 13) is in J: `max` takes values of one unit",
    ),
    ("-> arrival :", "-> draw :", "draw: `draw` (line 11) is in J/s: a rate is in 1/s"),
    ("service / N :", "service :", "service: `service` (line 6) is in job/s: a rate is in 1/s"),
    (
        "true : busy;",
        "true : boot;",
        "boot: `boot` (line 13) is in J: a state reward, which is per time, is in J/s, since J is accumulated (line 30)",
    ),
    (
        "[wake] true : boot;",
        "[wake] true : draw;",
        "draw: `draw` (line 11) is in J/s: a reward is in J, since J is accumulated (line 30)",
    ),
    (
        "waiting < N ->",
        "waiting < setup ->",
        "waiting < setup: `waiting` (line 20) is in job, `setup` (line 8) is in s: they cannot be compared",
    ),
    (
        "waiting = 0",
        "waiting = patience",
        "waiting = patience: `waiting` (line 20) is in job, `patience` (line 7) is in s: they cannot be equal",
    ),
    (
        "(waiting'=waiting+1)",
        "(waiting'=waiting+setup)",
        "waiting+setup: `waiting` (line 20) is in job, `setup` (line 8) is in s: they have no sum",
    ),
    (
        "(waiting'=waiting-1)",
        "(waiting'=load)",
        "load: `load` (line 15) is in 1: `waiting` (line 20) is in job",
    ),
    ("[0..N]", "[0..setup]", "setup: `setup` (line 8) is in s: `waiting` is in job"),
    ("init 0;", "init setup;", "setup: `setup` (line 8) is in s: `waiting` is in job"),
    (
        "asleep ? rest : max",
        "asleep ? setup : max",
        "asleep ? setup : max(draw * load, rest): `setup` (line 8) is in s, \
      `max(draw * load, rest)` is in J/s: the value would have one or the other",
    ),
    ("waiting / N;", "pow(waiting, N);", "N: `N` (line 4) is in job: an exponent is in 1"),
    ("= draw / 20;", "= draw / 20; // unit: J", "draw / 20: `draw / 20` is in J/s: `rest` is in J"),
    (
        "= 300; // unit: J",
        "= 300; // unit: J//s",
        "// unit: J//s: `J//s` is no unit; units are such as 1, s, J/s, m^2, 1/(s*job)",
    ),
    (
        "job*s",
        "job",
        "waiting: `waiting` (line 20) is in job: a state reward, which is per time, is in job/s, since job is accumulated (line 35)",
    ),
    ("\"energy\" // unit: J", "\"energy\"", ""),
];

#[test]
fn each_mistake_is_told_at_its_place() {
    for &(from, to, wanted) in MISTAKES {
        let text = sleep().replacen(from, to, 1);
        assert_ne!(text, sleep(), "{from}");
        let found = found(&text);
        if wanted.is_empty() {
            assert_eq!(found, Vec::<String>::new(), "{from} becomes {to}");
        } else {
            assert_eq!(found.first().map(String::as_str), Some(wanted), "{from} becomes {to}: {found:#?}");
        }
    }
}

/// A line for each: what is computed, and its unit.
#[test]
fn units_are_computed() {
    let declared = "ctmc const double m; // unit: m\nconst double s; // unit: s\nconst double k; // unit: kg*m^2/s^2\n\
                    const double n; // unit: 1\nconst double u;\n";
    let cases = [
        ("m / s", "m/s"),
        ("m * m", "m^2"),
        ("pow(m, 2) / m", "m"),
        ("m^-2", "1/m^2"),
        ("pow(k / k, 3)", "1"),
        ("pow(m * m, 0.5)", "m"),
        ("pow(m, 1/2)", "m^(1/2)"),
        ("pow(pow(m, 1/2), 2)", "m"),
        ("1 / (m * s)", "1/(m*s)"),
        ("k / (m * m) * s^2", "kg"),
        ("floor(2 * m + 1)", "m"),
        ("mod(m, 3)", "m"),
        ("min(1, m)", "m"),
        ("-(3 * m)", "m"),
        ("m * n", "m"),
        ("log(m / m, 2) * s", "s"),
        ("m > 1 ? s : 2", "s"),
    ];
    for (expression, unit) in cases {
        // What is compared with another unit is a mistake that shows its own.
        let other = if unit == "kg" { "s" } else { "k" };
        let found = found(&format!("{declared}label \"l\" = ({expression}) = {other};"));
        let wanted = format!("`({expression})` is in {unit}, ");
        assert!(found.len() == 1 && found[0].contains(&wanted), "{expression}: {found:?}");
    }
    for expression in ["u", "u * m", "2", "1 + 1", "max(u, 1)", "pow(m, u)"] {
        let text = format!("{declared}label \"l\" = ({expression}) = s;");
        assert_eq!(found(&text), Vec::<String>::new(), "{expression}");
    }
}

#[test]
fn units_as_written() {
    for unit in [
        "s",
        "1",
        "1/s",
        "J/s",
        "m^2",
        "m^-2",
        "m^(1/2)",
        "m^(-1/2)",
        "kg*m^2/s^2",
        "1/(s*job)",
        "kg * m / s",
    ] {
        assert_eq!(found(&format!("ctmc const double a; // unit: {unit}")), Vec::<String>::new(), "{unit}");
    }
    for unit in [
        "",
        "2",
        "2*s",
        "J s",
        "/s",
        "s/",
        "m^",
        "m^x",
        "m^(1/0)",
        "m^(1",
        "(",
        "(s",
        "s)",
        "((s))",
        "s*-",
        "m^99999999999999999999",
    ] {
        let found = found(&format!("ctmc const double a; // unit: {unit}"));
        assert!(found.len() == 1 && found[0].contains("is no unit"), "{unit}: {found:?}");
    }
    // Orders and spellings of one unit are one.
    for (one, two) in [
        ("J/s", "1/s*J"),
        ("m*kg", "kg*m"),
        ("s^2", "s*s"),
        ("1/(s*m)", "1/s/m"),
        ("m^(2/4)", "m^(1/2)"),
        ("s/s", "1"),
    ] {
        let text = format!(
            "ctmc const double a; // unit: {one}\nconst double b; // unit: {two}\nlabel \"l\" = a = b;"
        );
        assert_eq!(found(&text), Vec::<String>::new(), "{one} is {two}");
    }
}

#[test]
fn probabilities_copies_and_products() {
    let chain = "dtmc const double p; // unit: 1/s\nmodule m x : [0..1]; [] true -> p : (x'=0) + 1-p : (x'=1); endmodule";
    let told = found(chain);
    assert_eq!(told[0], "p: `p` (line 1) is in 1/s: a probability is in 1", "{told:?}");
    let copy = "ctmc const double a; // unit: 1/s\nconst double b; // unit: J\nmodule m x : [0..1]; // unit: job\n\
                [] true -> a : (x'=0); endmodule\nmodule n = m [x=y, a=b] endmodule\nlabel \"l\" = y = a;";
    assert_eq!(
        found(copy),
        [
            "a=b: `a` (line 1) is in 1/s, `b` (line 2) is in J: one cannot stand for the other",
            "y = a: `y` (line 3) is in job, `a` (line 1) is in 1/s: they cannot be equal",
        ]
    );
    let product = "ctmc const double a; // unit: 1/s\nconst double p; // unit: 1\nmodule m x : [0..1];\n[go] true -> a : (x'=0);\n\
                   endmodule\nmodule n y : [0..1]; [go] true -> RATE : (y'=0); endmodule";
    assert_eq!(found(&product.replace("RATE", "p")), Vec::<String>::new());
    assert_eq!(
        found(&product.replace("RATE", "a")),
        [
            "go: modules that synchronise multiply their rates, and that of line 4 is in 1/time, too: one of them is 1"
        ]
    );
    // What defines itself has no unit, and an end.
    assert_eq!(
        found("ctmc formula a = b; formula b = a; const int c = c; label \"l\" = a > c;"),
        Vec::<String>::new()
    );
}

#[test]
fn rewards_without_a_unit_are_compared() {
    let plain = sleep().replace("\"energy\" // unit: J", "\"energy\"");
    assert_eq!(found(&plain), Vec::<String>::new());
    assert_eq!(
        found(&plain.replace("[wake] true : boot", "[wake] true : draw")),
        ["draw: this adds up to J/s, the reward of line 31 to J"]
    );
    assert_eq!(
        found(&plain.replace("true : busy;", "true : busy; asleep : boot;")),
        ["boot: `boot` (line 13) is in J, the reward of line 31 in J/s"]
    );
}

#[test]
fn what_comments_say_of_rates_and_rewards() {
    let text = sleep().replacen("(waiting'=waiting+1);", "(waiting'=waiting+1); // unit: J", 1);
    assert_eq!(
        found(&text),
        [
            "arrival: `arrival` (line 5) is in 1/s: its command says J",
            "arrival: the rate is in J: a rate is in 1/s"
        ]
    );
    let text = sleep().replace("true : busy;", "true : 3; // unit: W");
    assert_eq!(
        found(&text),
        [
            "3: the reward is in W: a state reward, which is per time, is in J/s, since J is accumulated (line 30)"
        ]
    );
    let text = found(&sleep().replace("// time: s", "// time: h"));
    assert_eq!(text[0], "arrival: `arrival` (line 5) is in 1/s: a rate is in 1/h", "{text:#?}");
    let text = found(&sleep().replace("// time: s", "// time: /"));
    assert!(
        text.len() == 1 && text[0].ends_with("// time: /: `/` is no unit of time; one is such as s"),
        "{text:#?}"
    );
}

const FOLDERS: &[&str] = &["examples/prism", "../shared/corpus/prism"];
const ENDINGS: &[&str] = &["prism", "pm", "sm", "nm"];

#[test]
fn published_models_without_units_are_right() {
    let (mut sources, loaded) = system("units.rules");
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let report = check(&mut sources, &loaded, &text);
        assert_eq!(told(&sources, &report), Vec::<String>::new(), "{}", path.display());
    }
}

/// Every second declaration gets a unit: what is told is a mistake of a model, never one of the rules.
#[test]
fn rules_do_not_break_on_any_units() {
    let (mut sources, loaded) = system("units.rules");
    let units = ["s", "1/s", "J", "1", "m^(1/2)"];
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        if text.len() > 20_000 {
            continue;
        }
        let lines = text.lines().enumerate().map(|(at, line)| {
            match line.trim_end().ends_with(';') && !line.contains("//") {
                true => format!("{line} // unit: {}\n", units[at % units.len()]),
                false => format!("{line}\n"),
            }
        });
        let text: String = lines.collect();
        for text in [text.clone(), edited(&text, 7).swap_remove(1)] {
            let report = check(&mut sources, &loaded, &text);
            assert_eq!(report.stopped, None);
            let broken = report
                .findings
                .iter()
                .find(|one| one.diagnostic.code == volvelle_diagnostics::codes::RULE_BREAKDOWN);
            assert!(broken.is_none(), "{}: {broken:?}", path.display());
        }
    }
}
