//! Numbers as written: rows whose probabilities do not sum to 1 have one meaning for every engine, and what is positive in the text
//! happens, whatever its double is.

use crate::common::Folder;
use serde_json::Value;
use volvelle_random::{Random, attack_cases};

const DIE: &str = "dtmc
module die
 d:[0..6];
 [] d=0 -> 0.166667:(d'=1)+0.166667:(d'=2)+0.166667:(d'=3)+0.166667:(d'=4)+0.166667:(d'=5)+0.166667:(d'=6);
 [] d>0 -> (d'=0);
endmodule
rewards d=6:1; endrewards
";

const THIRDS: &str = "dtmc
module L
 x:[0..2];
 [a] x=0 -> 0.333333:(x'=1)+0.666666:(x'=2);
 [b] x>0 -> true;
endmodule
";

/// The step to s=1 has probability 1e-360.
const RARE: &str = "dtmc
const int n = 120;
module m
 s:[0..1];
 [] s=0 -> pow(0.001,n):(s'=1) + 1-pow(0.001,n):(s'=0);
 [] s=1 -> true;
endmodule
rewards true : 1; endrewards
";

/// The answers to properties, and the codes of what is said about the model.
fn answers(folder: &Folder, properties: &[&str], more: &[&str]) -> (Vec<Value>, Vec<String>) {
    let mut arguments = vec!["check", "model.prism", "--json"];
    properties.iter().for_each(|property| arguments.extend(["--prop", property]));
    arguments.extend(more);
    let json = folder.run(&arguments).json();
    let said = json["diagnostics"].as_array().into_iter().flatten();
    let said = said.filter_map(|d| d["code"].as_str().map(str::to_owned)).collect();
    (json["results"].as_array().cloned().unwrap_or_default(), said)
}

/// What an answer says its value lies between.
fn bounds(answer: &Value) -> Option<[f64; 2]> {
    let number = |value: &Value| match value {
        Value::String(text) if text == "inf" || text == "Infinity" => Some(f64::INFINITY),
        value => value.as_f64(),
    };
    match (number(&answer["lo"]), number(&answer["hi"])) {
        (Some(lo), Some(hi)) => Some([lo, hi]),
        _ => number(&answer["value"]).map(|value| [value, value]),
    }
}

#[track_caller]
fn holds(answer: &Value, value: f64) {
    let [lo, hi] = bounds(answer).unwrap_or_else(|| panic!("{answer}"));
    assert!(lo <= hi && lo <= value + 1e-15 && hi >= value - 1e-15 && hi - lo < 1e-9, "{value}: {answer}");
}

#[test]
fn rows_that_do_not_sum_to_one_are_shares_for_every_engine() {
    let folder = Folder::with_model(DIE);
    let properties = [
        ("P=? [ X d=6 ]", 1.0 / 6.0),
        ("P=? [ F<=1 d=6 ]", 1.0 / 6.0),
        ("P=? [ F d=6 ]", 1.0),
        ("P=? [ (X d=6) | (X d<6) ]", 1.0),
        ("P=? [ G<=2000 d<7 ]", 1.0),
        ("P=? [ F<=3 d=6 ]", 11.0 / 36.0),
        ("R=? [ C<=2 ]", 1.0 / 6.0),
        ("R=? [ I=3 ]", 1.0 / 6.0),
        ("S=? [ d=6 ]", 1.0 / 12.0),
        ("R=? [ S ]", 1.0 / 12.0),
    ];
    let texts: Vec<&str> = properties.iter().map(|(property, _)| *property).collect();
    for more in [&[][..], &["--exact"]] {
        let (found, said) = answers(&folder, &texts, more);
        for (answer, (_, value)) in found.iter().zip(&properties) {
            holds(answer, *value);
        }
        assert_eq!(said, ["V0316"], "one note names the command");
    }
    let said = folder.run(&["check", "model.prism", "--prop", "P=? [ X d=6 ]"]).exits(0).err;
    assert!(said.contains("sum to 1.000002") && said.contains("divided by their sum"), "{said}");
    let folder = Folder::with_model(THIRDS);
    let texts = ["P=? [ F x=1 ]", "P=? [ F<=1 x=1 ]", "P=? [ X x=1 ]", "P=? [ G<=9 x!=2 ]"];
    for more in [&[][..], &["--exact"]] {
        answers(&folder, &texts, more).0.iter().for_each(|answer| holds(answer, 1.0 / 3.0));
    }
}

/// Sums that depend on the state are met during exploration.
#[test]
fn rows_whose_sums_depend_on_the_state_are_shares_too() {
    let text = "dtmc
const double p = 0.3;
module m
 x:[1..3];
 [] x<3 -> p*x/1.000003 : (x'=x+1) + 1-p*x : (x'=1);
 [] x=3 -> true;
endmodule
";
    let folder = Folder::with_model(text);
    let share = |x: f64| 0.3 * x / 1.000_003 / (0.3 * x / 1.000_003 + 1.0 - 0.3 * x);
    let texts = ["P=? [ X x=2 ]", "P=? [ F<=2 x=3 ]", "P=? [ F x=3 ]"];
    for more in [&[][..], &["--exact"]] {
        let (found, said) = answers(&folder, &texts, more);
        holds(&found[0], share(1.0));
        holds(&found[1], share(1.0) * share(2.0));
        holds(&found[2], 1.0);
        assert_eq!(said, ["V0401"], "{more:?}");
    }
    let run = folder.run(&["check", "model.prism", "--prop", "P=? [ X x=2 ]"]).exits(0);
    assert!(
        run.err.contains("x=2") && run.err.contains("the sum is 0.9999982"),
        "the worst state: {}",
        run.err
    );
    // One in the text, whatever its doubles add up to: no word.
    let sums_to_one = text.replace("/1.000003", "");
    assert_eq!(answers(&Folder::with_model(&sums_to_one), &texts, &[]).1, [""; 0]);
    let decimals = THIRDS.replace("0.333333:(x'=1)+0.666666:(x'=2)", "0.1:(x'=1)+0.2:(x'=0)+0.7:(x'=2)");
    assert_eq!(answers(&Folder::with_model(&decimals), &["P=? [ F x=1 ]"], &[]).1, [""; 0]);
    // Too far away remains an error.
    let wrong = Folder::with_model(&text.replace("1.000003", "1.003"));
    assert!(wrong.run(&["check", "model.prism", "--prop", "P=? [ F x=3 ]"]).exits(2).err.contains("V0401"));
}

#[test]
fn rows_of_files_that_do_not_sum_to_one_are_shares() {
    let chain = "4 6\n0 1 0.333333\n0 2 0.333333\n0 3 0.333333\n1 1 1\n2 2 1\n3 0 1\n";
    let folder = Folder::new().file("m.tra", chain).file("ok.tra", "2 3\n0 0 0.7\n0 1 0.3\n1 1 1\n");
    let words = ["check", "m.tra", "--prop", "P=? [ F<=1 x=1 ]", "--prop", "P=? [ F x=1 ]"];
    let words = [&words[..], &["--prop", "P=? [ G<=9 x<4 ]", "--prop", "P=? [ X x=2 ]", "--json"]].concat();
    let json = folder.run(&words).exits(0).json();
    for (answer, value) in json["results"].as_array().unwrap().iter().zip([1.0 / 3.0, 0.5, 1.0, 1.0 / 3.0]) {
        holds(answer, value);
    }
    let said = folder.run(&words[..4]).exits(0).err;
    assert!(said.contains("warning[V1109]") && said.contains("state 0 sum to 0.999999"), "{said}");
    let quiet = folder.run(&["check", "ok.tra", "--prop", "P=? [ F<=1 x=1 ]"]).exits(0).err;
    assert!(!quiet.contains("V1109"), "{quiet}");
}

#[test]
fn a_positive_probability_below_the_doubles_is_a_transition() {
    let folder = Folder::with_model(RARE);
    let texts = ["P=? [ F s=1 ]", "P>0 [ F s=1 ]", "E [ F s=1 ]", "P>=1 [ F s=1 ]", "P>0 [ F<=3 s=1 ]"];
    for more in [&[][..], &["--exact"]] {
        let (found, _) = answers(&folder, &texts, more);
        holds(&found[0], 1.0);
        for answer in &found[1..] {
            assert_eq!(answer["value"], true, "{more:?} {answer}");
        }
    }
    // Numbers that doubles cannot hold are enclosed all the same.
    let (found, _) = answers(&folder, &["P=? [ X s=1 ]", "P=? [ F<=9 s=1 ]", "S=? [ s=1 ]"], &[]);
    for answer in &found[..2] {
        let [lo, hi] = bounds(answer).unwrap();
        assert!((0.0..1e-280).contains(&lo) && hi > 0.0, "{answer}");
    }
    holds(&found[2], 1.0);
}

/// Products and powers that depend on the state, of one module and of several, literals, and files.
#[test]
fn products_that_underflow_are_transitions() {
    let of_state = "dtmc
module m
 s:[0..200];
 [] s<200 & s>0 -> pow(0.001,s):(s'=200) + 1-pow(0.001,s):(s'=s);
 [] s=0 -> (s'=150);
 [] s=200 -> true;
endmodule
";
    let of_several = "mdp
module a
 s:[0..1];
 x:[1..2] init 2;
 [go] s=0 -> 1e-200*x:(s'=1) + 1-1e-200*x:(s'=0);
 [go] s=1 -> true;
endmodule
module b
 t:[0..1];
 [go] t=0 -> 1e-300:(t'=1) + 1-1e-300:true;
 [go] t=1 -> true;
endmodule
";
    let literal = "ctmc
module m
 s:[0..200];
 [] s=0 -> 1e-400:(s'=200);
 [] s=200 -> true;
endmodule
";
    for (text, goal) in [(of_state, "s=200"), (of_several, "s=1 & t=1"), (literal, "s=200")] {
        let folder = Folder::with_model(text);
        let min = if text.starts_with("mdp") { "min" } else { "" };
        let texts =
            [format!("P{min}=? [ F {goal} ]"), format!("P>0 [ F {goal} ]"), format!("E [ F {goal} ]")];
        let texts = texts.each_ref().map(String::as_str);
        for more in [&[][..], &["--exact"]] {
            let (found, _) = answers(&folder, &texts, more);
            holds(&found[0], 1.0);
            assert!(found[1..].iter().all(|answer| answer["value"] == true), "{found:?}");
        }
    }
    let folder = Folder::new().file("m.tra", "2 3\n0 0 1\n0 1 1e-400\n1 1 1\n");
    let words = ["check", "m.tra", "--prop", "P=? [ F x=1 ]", "--prop", "P>0 [ F x=1 ]", "--json"];
    let json = folder.run(&words).exits(0).json();
    holds(&json["results"][0], 1.0);
    assert_eq!(json["results"][1]["value"], true);
}

/// A chain or decision process whose rows are off by 1e-12 to 9e-6, some of them by factors that depend on the state, and some of whose
/// probabilities are below the doubles.
fn random_model(r: &mut Random) -> String {
    let states = 3 + r.below(3);
    let mdp = r.one_in(3);
    let mut text = format!("{}\nmodule m\n x:[0..{}];\n", if mdp { "mdp" } else { "dtmc" }, states - 1);
    for state in 0..states {
        for _ in 0..if mdp { 1 + r.below(2) } else { 1 } {
            let parts = 2 + r.below(2);
            let shares: Vec<usize> = (0..parts).map(|_| 1 + r.below(9)).collect();
            let total: usize = shares.iter().sum();
            let mut updates = Vec::new();
            for (i, share) in shares.iter().enumerate() {
                let mut weight = format!("{share}/{total}");
                if i == 0 && r.chance(70) {
                    let off = r.pick(&["1e-12", "3e-11", "2.5e-9", "1e-7", "9e-6"]);
                    let sign = r.pick(&["+", "-"]);
                    weight = match r.below(3) {
                        0 => format!("{weight}{sign}{off}"),
                        1 => format!("{weight}{sign}{off}*x/{}", state.max(1)),
                        _ => format!("(x={state} ? {weight}{sign}{off} : 1)"),
                    };
                } else if i == 1 && r.one_in(6) {
                    weight = format!(
                        "{weight}-1e-230*1e-{} : (x'={}) + 1e-230*1e-{0}",
                        20 + r.below(200),
                        r.below(states)
                    );
                }
                updates.push(format!("{weight} : (x'={})", r.below(states)));
            }
            text += &format!(" [] x={state} -> {};\n", updates.join(" + "));
        }
    }
    text + "endmodule\nrewards \"r\" true : 1; x=1 : 2; endrewards\n"
}

#[test]
fn attack_rows_that_do_not_sum_to_one() {
    let mut numbers = 0;
    for seed in attack_cases(24) {
        let mut r = Random(seed);
        let text = random_model(&mut r);
        let folder = Folder::with_model(&text);
        let optimum = if text.starts_with("mdp") { r.pick(&["min", "max"]) } else { "" };
        let (a, b) = (1 + r.below(2), r.below(3));
        let k = 1 + r.below(40);
        let mut texts: Vec<String> = [
            format!("[ X x={a} ]"),
            format!("[ F<=1 x={a} ]"),
            format!("[ F<={k} x={a} ]"),
            format!("[ G<={k} x!={a} ]"),
            format!("[ F x={a} ]"),
            format!("[ (F x={a}) & (G F x={b}) ]"),
        ]
        .iter()
        .map(|path| format!("P{optimum}=? {path}"))
        .collect();
        texts.extend(
            [format!("[ C<={k} ]"), format!("[ I={k} ]"), format!("[ F x={a} ]")]
                .iter()
                .map(|query| format!("R{{\"r\"}}{optimum}=? {query}")),
        );
        if optimum.is_empty() {
            texts.extend([format!("S=? [ x={a} ]"), format!("P=? [ F{{\"r\"}}<={k} x={a} ]")]);
        }
        texts.extend([format!("P>0 [ F x={a} ]"), format!("P>=1 [ F x={a} ]")]);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (doubles, _) = answers(&folder, &texts, &[]);
        let (fractions, _) = answers(&folder, &texts, &["--exact"]);
        assert_eq!(doubles.len(), texts.len(), "{text}");
        for ((property, rounded), exact) in texts.iter().zip(&doubles).zip(&fractions) {
            let told = format!("seed {seed}\n{text}\n{property}\n{rounded}\n{exact}");
            if exact["value"].is_boolean() {
                assert_eq!(rounded["value"], exact["value"], "{told}");
                continue;
            }
            let (Some([lo, hi]), Some([least, most])) = (bounds(rounded), bounds(exact)) else { continue };
            assert!(lo <= hi && lo <= most && least <= hi, "{told}");
            numbers += 1;
        }
        // What comes after one step, as the next step and as a bound on steps; and both ways to say "never".
        if let (Some(x), Some(f)) = (bounds(&doubles[0]), bounds(&doubles[1]))
            && !text.contains(&format!("x={a} init"))
            && a != 0
        {
            assert!(x[0] <= f[1] && f[0] <= x[1], "seed {seed}\n{text}");
        }
    }
    assert!(numbers > 100, "{numbers}");
}
