//! Broken input of every kind: a diagnostic with a code and a place, exit code 2, and the same as JSON.

use crate::common::Folder;

/// A model, what is given besides, and the code, the text under the caret and a part of what is printed.
struct Case {
    model: &'static str,
    options: &'static [&'static str],
    code: &'static str,
    /// The text at the place that the diagnostic names; empty where it has none.
    at: &'static str,
    says: &'static str,
}

const fn case(model: &'static str, code: &'static str, at: &'static str, says: &'static str) -> Case {
    Case { model, options: &[], code, at, says }
}

/// A module around commands.
macro_rules! dtmc {
    ($commands:literal) => {
        concat!("dtmc\nmodule m\n  x : [0..3] init 0;\n  y : bool;\n", $commands, "\nendmodule\n")
    };
}

const CASES: &[Case] = &[
    // Lexical and syntax.
    case(dtmc!("[] x=0 @ y -> true;"), "V0101", "@", ""),
    case(dtmc!("[] x=0 - true;"), "V0102", "", ""),
    case(dtmc!("[] (x=0 -> true;"), "V0102", "->", ""),
    case("dtmc\nmodule m\n  x : [0..3];\n", "V0103", "module", "endmodule"),
    case(dtmc!("[] x=99999999999999999999 -> true;"), "V0104", "99999999999999999999", ""),
    case(dtmc!("[] x=0 -> (module'=1);"), "V0106", "module", ""),
    // Names and types.
    case(dtmc!("[] x=0 -> (x'=xx);"), "V0203", "xx", "did you mean `x`?"),
    case(
        "dtmc\nconst int N = 1;\nformula N = 2;\nmodule m x : [0..1]; endmodule\n",
        "V0201",
        "N",
        "first declared",
    ),
    case(dtmc!("[] x -> true;"), "V0204", "x", "int"),
    case(dtmc!("[] x=0 -> (x'=y);"), "V0204", "y", ""),
    case(dtmc!("[] x=0 -> (x'=0.5);"), "V0204", "0.5", ""),
    case(
        "dtmc\nconst int one = two;\nconst int two = one;\nmodule m x : [0..1]; endmodule\n",
        "V0205",
        "",
        "cyclic",
    ),
    case(dtmc!("[] mod(x)=0 -> true;"), "V0206", "", ""),
    case(dtmc!("[] maxx(x,1)=0 -> true;"), "V0207", "maxx", "max"),
    case("dtmc\nmodule m x : [0..y]; y : [0..1]; endmodule\n", "V0208", "y", ""),
    case("dtmc\nconst double d = 1/0;\nmodule m x : [0..1]; endmodule\n", "V0209", "1/0", "division by zero"),
    case("dtmc\nconst int d = mod(1,0);\nmodule m x : [0..1]; endmodule\n", "V0209", "mod(1,0)", ""),
    case("dtmc\nmodule m = n [ x=y ] endmodule\n", "V0210", "n", ""),
    // Open constants.
    case("dtmc\nconst int N;\nmodule m x : [0..N]; endmodule\n", "V0117", "N", "--const N="),
    Case {
        model: "dtmc\nconst int N;\nmodule m x : [0..N]; endmodule\n",
        options: &["--const", "N=2.5"],
        code: "V0006",
        at: "N",
        says: "2.5",
    },
    Case {
        model: "dtmc\nconst int N;\nmodule m x : [0..N]; endmodule\n",
        options: &["--const", "N=2,M=3"],
        code: "V0214",
        at: "",
        says: "`M`",
    },
    // Structure.
    case("pta\nmodule m x : [0..1]; endmodule\n", "V0301", "pta", "probabilistic timed automata"),
    case("pomdp\nmodule m x : [0..1]; endmodule\n", "V0301", "pomdp", ""),
    case("smg\nmodule m x : [0..1]; endmodule\n", "V0301", "smg", ""),
    case("dtmc\nmodule m x : [3..1]; endmodule\n", "V0303", "", ""),
    case("dtmc\nmodule m x : [0..1] init 7; endmodule\n", "V0304", "7", ""),
    case(
        "mdp\nmodule m x : [0..1]; [] true -> (y'=1); endmodule\nmodule n y : [0..1]; endmodule\n",
        "V0305",
        "",
        "",
    ),
    case(
        "mdp\nglobal g : [0..1];\nmodule m x : [0..1]; [a] true -> (g'=1); endmodule\nmodule n z : [0..1]; [a] true -> true; endmodule\n",
        "V0306",
        "",
        "",
    ),
    case(dtmc!("[] x=0 -> (x'=1)&(x'=2);"), "V0307", "", ""),
    case("mdp\nmodule m x : [0..1]; z : bool; endmodule\nmodule n = m [ x=y ] endmodule\n", "V0308", "", "z"),
    case("mdp\nmodule m x : [0..1]; endmodule\nsystem m || m endsystem\n", "V0309", "", ""),
    case("mdp\nmodule m x : [0..1] init 0; endmodule\ninit x=1 endinit\n", "V0310", "", ""),
    case("dtmc\nmodule m x : double; endmodule\n", "V0312", "", ""),
    case("mdp\nmodule m x : [0..1]; endmodule\ninit x=2 endinit\n", "V0314", "", ""),
    case(dtmc!("[] x=0 -> 1.5 : (x'=1);"), "V0315", "1.5", "between 0 and 1"),
    case(dtmc!("[] x=0 -> 0.5 : (x'=1) + 0.4 : (x'=2);"), "V0316", "", "0.9"),
    case("ctmc\nmodule m x : [0..1]; [] x=0 -> -2 : (x'=1); endmodule\n", "V0317", "-2", ""),
    // Met while exploring.
    case(dtmc!("[] true -> 1/(x+2) : (x'=1) + 0.4 : (x'=2);"), "V0401", "", "0.9"),
    case(
        "ctmc\nmodule m x : [0..9] init 5; [] true -> (3-x) : (x'=x+1); endmodule\n",
        "V0402",
        "",
        "in state x=5",
    ),
    case(
        "ctmc\nmodule m x : [0..9]; [] true -> log(x-1,2) : (x'=x+1); endmodule\n",
        "V0403",
        "",
        "in state x=0",
    ),
    case(dtmc!("[] x<3 -> (x'=x+1);\n[] 1/(x-2)>7 -> true;"), "V0404", "", "in state x=2"),
    case(dtmc!("[] mod(5,x-2)=1 -> true;"), "V0404", "", ""),
    case("mdp\nmodule m x : int init 1; [] true -> (x'=x*x*3); endmodule\n", "V0405", "", "32-bit"),
    case(dtmc!("[go] true -> (x'=x+1);"), "V0406", "x'=x+1", "reached by 3 steps: go (3 times)"),
    case("dtmc\nmodule m x : [0..9]; [] true -> (x'=floor(pow(10.0,10+x))); endmodule\n", "V0407", "", ""),
    case(
        "dtmc\nmodule m x : [0..3]; [] x<3 -> (x'=x+1); [] x=3 -> true; endmodule\nrewards x=2 : log(x-2,2); endrewards\n",
        "V0410",
        "",
        "",
    ),
    Case {
        model: dtmc!("[] x<3 -> (x'=x+1);"),
        options: &["--no-fix-deadlocks"],
        code: "V0408",
        at: "",
        says: "the first is x=3",
    },
];

#[test]
fn every_kind_of_error_has_a_code_and_a_place() {
    let failures: Vec<String> = CASES.iter().filter_map(|case| problem(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// What is wrong with the diagnostics for a case.
fn problem(case: &Case) -> Result<(), String> {
    let folder = Folder::with_model(case.model);
    let arguments = [&["explore", "model.prism"], case.options].concat();
    let run = folder.run(&arguments);
    let fail = |what: String| Err(format!("{what} for\n{}\nin\n{}", case.model, run.err));
    if run.code != 2 || !run.err.contains(&format!("error[{}]", case.code)) {
        return fail(format!("no {}", case.code));
    }
    if !run.err.contains(case.says) {
        return fail(format!("no `{}`", case.says));
    }
    let json = folder.run(&[&arguments[..], &["--json"]].concat()).exits(2).json();
    let diagnostics = json["diagnostics"].as_array().expect("diagnostics");
    let Some(found) = diagnostics.iter().find(|d| d["code"] == case.code) else {
        return fail(format!("{} is not in {json}", case.code));
    };
    if !case.at.is_empty() {
        let (line, column) = (found["line"].as_u64().unwrap_or(1), found["column"].as_u64().unwrap_or(1));
        let line = case.model.lines().nth(line as usize - 1).unwrap_or_default();
        let text: String = line.chars().skip(column as usize - 1).collect();
        if found["file"] != "model.prism" || !text.starts_with(case.at) {
            return fail(format!("{} is about `{text}`, not `{}`", case.code, case.at));
        }
    }
    Ok(())
}

/// Properties over `x : [0..3]`, counting up; code and a part of what is printed.
const PROPERTIES: &[(&str, &str, &str, &str)] = &[
    ("dtmc", "P=? [ F x= ]", "V0102", ""),
    ("dtmc", "P=? [ F z=1 ]", "V0203", "z"),
    ("dtmc", "P=? [ F \"nolabel\" ]", "V0211", "nolabel"),
    ("dtmc", "R{\"none\"}=? [ F x=3 ]", "V0212", "none"),
    ("dtmc", "P=? [ F x+1 ]", "V0508", ""),
    ("dtmc", "P>1.5 [ F x=3 ]", "V0506", ""),
    ("dtmc", "P=? [ F<=-1 x=3 ]", "V0506", ""),
    ("dtmc", "P=? [ F<=x x=3 ]", "V0208", ""),
    ("dtmc", "P=? [ F<=0.5 x=3 ]", "V0506", ""),
    ("ctmc", "P=? [ G F<=2 x=3 ]", "V0504", "time bound"),
    ("ctmc", "E [ F<=2 x=3 ]", "V0504", "time bound"),
    ("dtmc", "T=? [ (F x=1) & (G x<3) ]", "V0508", "co-safe"),
    ("mdp", "Pmaxmin=? [ F x=3 ]", "V0503", ""),
    ("mdp", "multi(Pmax=? [ F x=3 ], Pmin>=0.5 [ G x<3 ])", "V0531", "min or max"),
    ("dtmc", "multi(Pmax=? [ F x=3 ], P>=0.5 [ G x<3 ])", "V0504", ""),
    ("dtmc", "P=? [ F x=3 || G x<3 ]", "V0534", "x=0"),
    ("mdp", "Pmax=? [ F x=3 || G x<3 ]", "V0534", "x=0"),
    ("dtmc", "filter(max, P=? [ F x=3 ], x=7)", "V0509", ""),
    ("dtmc", "P=? [ F mod(1, 3-x)=0 ]", "V0404", "in state x=3"),
];

#[test]
fn a_broken_property_costs_only_itself() {
    for (kind, property, code, says) in PROPERTIES {
        let model =
            format!("{kind}\nmodule m\n  x : [0..3];\n  [] x<3 -> (x'=x+1);\n  [] x=3 -> true;\nendmodule\n");
        let folder = Folder::with_model(&model).file(
            "model.props",
            format!("\"good\": P>=1 [ F x=3 ];\n\"bad\": {property};\n\"fine\": P>=1 [ F x=2 ];\n"),
        );
        let run = folder.run(&["check", "model.prism", "model.props"]).exits(2);
        assert!(
            run.err.contains(&format!("error[{code}]")),
            "{code} in {property}\n{}\n{}",
            run.out,
            run.err
        );
        assert!(run.err.contains(says), "{says} in\n{}", run.err);
        let json = folder.run(&["check", "model.prism", "model.props", "--json"]).exits(2).json();
        let results = json["results"].as_array().expect("results");
        assert_eq!(results.len(), 3, "{json}");
        assert_eq!(results[0]["verdict"], true, "{json}");
        assert_eq!(results[1]["error"]["code"], *code, "{json}");
        assert_eq!(results[2]["verdict"], true, "{json}");
    }
}

#[test]
fn several_errors_in_one_run() {
    let folder = Folder::with_model(
        "dtmc\nconst int N;\nmodule m\n  x : [0..N] init 0;\n  [] x=0 -> (x'=z);\n  [] y -> true;\nendmodule\n",
    );
    let run = folder.run(&["explore", "model.prism"]).exits(2);
    for code in ["V0117", "V0203"] {
        assert!(run.err.contains(code), "{code} in\n{}", run.err);
    }
    assert!(run.err.contains("3 errors"), "{}", run.err);
}

#[test]
fn nothing_runs_away() {
    // Deep nesting, long chains, huge ranges, many copies: an answer or a diagnostic, and soon.
    let deep = format!(
        "dtmc\nmodule m x : [0..1]; [] {}x=0{} -> true; endmodule\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let chain = format!("dtmc\nmodule m x : [0..1]; [] x=0{} -> true; endmodule\n", " & x=0".repeat(100_000));
    let nots = format!("dtmc\nmodule m x : [0..1]; [] {}(x=0) -> true; endmodule\n", "!".repeat(100_000));
    let ranges =
        "mdp\nmodule m x : [0..2147483647]; y : [-2147483648..2147483647]; [] true -> (x'=x); endmodule\n";
    let initial = "mdp\nmodule m x : [0..2000000000]; y : [0..2000000000]; [] true -> true; endmodule\ninit true endinit\n";
    let formulas: String = (1..2000).map(|i| format!("formula f{i} = f{} + f{};\n", i - 1, i - 1)).collect();
    let doubling =
        format!("dtmc\nformula f0 = 1.0;\n{formulas}module m x : [0..1]; [] f1999>x -> true; endmodule\n");
    for model in [&deep, &chain, &nots, ranges, initial, &doubling] {
        let folder = Folder::with_model(model);
        let start = std::time::Instant::now();
        let run = folder.run(&[
            "explore",
            "model.prism",
            "--max-states",
            "1e5",
            "--timeout",
            "5",
            "--max-memory",
            "500M",
        ]);
        assert!([0, 2, 3].contains(&run.code), "{}: {}", run.code, &run.err[..run.err.len().min(2000)]);
        assert!(!run.err.contains("panicked"), "{}", run.err);
        assert!(
            start.elapsed().as_secs() < 60,
            "{:?} for\n{}",
            start.elapsed(),
            &model[..200.min(model.len())]
        );
    }
}

/// A file with an automaton, and properties that name it or ask for rewards: from a folder of its own, and with what is wrong.
#[test]
fn automata_ratios_and_budgets() {
    let automaton = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"one\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
        State: 0\n[0] 1\n[!0] 0\nState: 1 {0}\n[t] 1\n--END--\n";
    let model = "mdp\nmodule m\n  x : [0..2] init 0;\n  [a] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=2);\n  [b] x=0 -> (x'=2);\n  \
        [c] x>0 -> true;\nendmodule\nlabel \"one\" = x=1;\nrewards \"r\" x=0 : 1; endrewards\n\
        rewards \"q\" [a] true : 2; endrewards\n";
    let several = automaton.replace("[!0] 0", "[t] 0");
    let folder = Folder::new()
        .file("m.prism", model)
        .file("good.hoa", automaton)
        .file("several.hoa", several)
        .file("bytes.hoa", [0xff, 0xfe, 0x00])
        .file("empty.hoa", "");
    std::fs::create_dir(folder.path().join("inner")).expect("a folder");
    let text = "Pmax=? [ HOA: {\"../good.hoa\", \"b\" <- x=2} ];\n";
    std::fs::write(folder.path().join("inner/p.props"), text).expect("a file");
    let run = folder.run(&["check", "m.prism", "inner/p.props", "--json"]);
    assert_eq!(run.json()["results"][0]["value"], 0.5, "{}", run.err);
    for (property, code, says) in [
        ("Pmax=? [ HOA: {\"inner/good.hoa\", \"b\" <- x=2} ]", "V0001", "no such file"),
        ("Pmax=? [ HOA: {\"inner\", \"b\" <- x=2} ]", "V0001", "it is a folder"),
        ("Pmax=? [ HOA: {\"several.hoa\", \"b\" <- x=2} ]", "V0511", "line 9, column 1: [t] 0"),
        ("Pmax=? [ HOA: {\"bytes.hoa\"} ]", "V0511", "no text in UTF-8"),
        ("Pmax=? [ HOA: {\"empty.hoa\"} ]", "V0511", "expected `HOA: v1`, found the end of the file"),
        ("Pmax=? [ HOA: {\"m.prism\"} ]", "V0511", "cannot be used"),
        ("Pmax=? [ HOA: {\"good.hoa\"} ]", "V0211", "the proposition \"b\" of the automaton is no label"),
        ("Pmax=? [ HOA: {\"good.hoa\", \"c\" <- x=2} ]", "V0511", "the automaton has no proposition \"c\""),
        ("Pmax=? [ HOA: {\"good.hoa\", \"b\" <- x=1, \"b\" <- x=2} ]", "V0511", "is given twice"),
        ("Pmax=? [ HOA: {\"good.hoa\", \"b\" <- x} ]", "V0508", "expected a condition"),
        ("Pmax=? [ HOA: {\"good.hoa\", \"b\" = x=2} ]", "V0102", "expected `<-`"),
        ("Pmax=? [ HOA: {\"good.hoa\", \"b\" <- x=2 ]", "V0102", "expected `}`"),
        (
            "Pmax=? [ X HOA: {\"good.hoa\", \"b\" <- x=2} ]",
            "V0503",
            "automata in combinations of path formulas",
        ),
        (
            "Pmax=? [ HOA: {\"good.hoa\", \"b\" <- x=2} || F x=1 ]",
            "V0503",
            "automata in conditional probabilities",
        ),
        ("Rmax=? [ HOA: {\"good.hoa\", \"b\" <- x=2} ]", "V0503", "automata in rewards until"),
        ("HOA: {\"good.hoa\", \"b\" <- x=2}", "V0102", ""),
        ("R{\"r\"}/{\"q\"}max=? [ S ]", "V0503", "ratios of rewards of an mdp"),
        ("R{\"r\"}/{\"q\"}max=? [ C ]", "V0503", "ratios of rewards other than in the long run"),
        ("R{\"r\"}/{\"z\"}max=? [ S ]", "V0212", "no reward structure \"z\""),
        ("R{\"r\"}{\"q\"}max=? [ S ]", "V0503", "two reward structures"),
        ("R{\"r\"}max=? [ C{\"q\"}>=1 ]", "V0506", "up to a bound only"),
        ("R{\"r\"}max=? [ C{\"q\"}<=-1 ]", "V0506", "negative"),
        ("R{\"r\"}max=? [ C{\"q\"}<=x ]", "V0208", "not constant"),
        ("R{\"r\"}max=? [ C{\"z\"}<=1 ]", "V0212", "no reward structure \"z\""),
        ("R{\"r\"}max=? [ C^{rew<=1} ]", "V0501", "names the reward structure"),
        ("R{\"r\"}max=? [ C^{\"q\"<=1} ]", "V0102", ""),
        ("Pmax=? [ F rew<=1 x=1 ]", "V0501", "names the reward structure"),
        ("R{\"r\"}max=? [ F{\"q\"}<=1 x=1 ]", "V0503", "rewards until a formula with bounds on rewards"),
        ("R[var]{\"r\"}max=? [ F x=1 ]", "V0503", "variances of rewards"),
        ("R[mean]{\"r\"}max=? [ F x=1 ]", "V0501", "is its mean"),
        ("quantile(min B, R{\"r\"}>=1 [ C{\"q\"}<=B ])", "V0503", "quantiles over accumulated rewards"),
        ("quantile(min B, max D, P>=0.5 [ F{\"q\"}<=B,{\"r\"}<=D x=1 ])", "V0503", "one variable only"),
        ("quantile(min B, max C, P>=0.5 [ F{\"q\"}<=B,{\"r\"}<=C x=1 ])", "V0106", "`C` is a reserved word"),
        ("Pmax=? [ multi(F{\"q\"}<=1 x=1, F{\"r\"}<=1 x=2) ]", "V0503", "path formulas in multi(...)"),
        ("R{\"r\"}max=? [ Fc x=1 ]", "V0503", "`Fc` and `F0`"),
    ] {
        let run = folder.run(&["check", "m.prism", "--prop", property]);
        assert!(
            run.err.contains(&format!("error[{code}]")) && run.err.contains(says),
            "{property}\n{}",
            run.err
        );
        assert!(!run.err.contains("panicked"), "{property}\n{}", run.err);
        assert_eq!(run.code, 2, "{property}\n{}", run.err);
    }
}
