//! Explicit models, networks, pipelines, and formulas about transition systems.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "steps of a chain in .aut",
        size: 500,
        most: 1 << 20,
        files: aut_chain,
        command: "explore m.aut",
    },
    Dimension {
        name: "labels in .aut",
        size: 250,
        most: 1 << 19,
        files: aut_labels,
        command: "explore m.aut --export n.aut",
    },
    Dimension {
        name: "letters of a label",
        size: 1_000,
        most: 1 << 22,
        files: aut_long_label,
        command: "explore m.aut --export n.aut",
    },
    Dimension {
        name: "steps of a chain, reduced",
        size: 500,
        most: 1 << 18,
        files: aut_chain,
        command: "reduce m.aut --relation strong",
    },
    Dimension {
        name: "steps of a chain, branching",
        size: 500,
        most: 1 << 18,
        files: aut_chain,
        command: "reduce m.aut --relation branching",
    },
    Dimension {
        name: "internal steps of a chain, branching",
        size: 500,
        most: 1 << 18,
        files: aut_internal,
        command: "reduce m.aut --relation branching",
    },
    Dimension {
        name: "internal steps of a chain, weak",
        size: 500,
        most: 1 << 18,
        files: aut_internal,
        command: "reduce m.aut --relation weak",
    },
    Dimension {
        name: "labels, reduced",
        size: 250,
        most: 1 << 18,
        files: aut_labels,
        command: "reduce m.aut --relation strong",
    },
    Dimension {
        name: "steps of a chain, compared",
        size: 500,
        most: 1 << 18,
        files: aut_two,
        command: "compare m.aut o.aut",
    },
    Dimension {
        name: "steps of a chain with rates",
        size: 500,
        most: 1 << 17,
        files: aut_rates,
        command: "steady m.aut",
    },
    Dimension { name: "rules of renaming", size: 25, most: 3_200, files: renaming, command: "explore m.exp" },
    Dimension {
        name: "states in .tra",
        size: 500,
        most: 1 << 19,
        files: tra,
        command: "check m.tra --prop P=?[F(x=1)]",
    },
    Dimension {
        name: "labels in .lab",
        size: 50,
        most: 12_800,
        files: lab,
        command: "check m.tra --prop P=?[F(x=1)]",
    },
    Dimension {
        name: "states in .drn",
        size: 500,
        most: 1 << 19,
        files: drn,
        command: "check m.drn --prop 'P=? [ F \"b\" ]'",
    },
    Dimension {
        name: "labels of a state in .drn",
        size: 50,
        most: 12_800,
        files: drn_labels,
        command: "check m.drn --prop 'P=? [ F \"b\" ]'",
    },
    Dimension {
        name: "rewards of a state in .drn",
        size: 50,
        most: 12_800,
        files: drn_rewards,
        command: "check m.drn --prop 'P=? [ F \"b\" ]'",
    },
    Dimension {
        name: "components in step",
        size: 10,
        most: 1_280,
        files: components,
        command: "explore m.exp",
    },
    Dimension {
        name: "components in step, reduced",
        size: 10,
        most: 1_280,
        files: reduced_components,
        command: "explore m.exp",
    },
    Dimension {
        name: "components of a par",
        size: 10,
        most: 1_280,
        files: par_components,
        command: "explore m.exp",
    },
    Dimension { name: "gates of a par", size: 50, most: 12_800, files: par_gates, command: "explore m.exp" },
    Dimension { name: "vectors of a par", size: 25, most: 12_800, files: vectors, command: "explore m.exp" },
    Dimension { name: "hidden gates", size: 50, most: 12_800, files: hidden, command: "explore m.exp" },
    Dimension {
        name: "parentheses of a network",
        size: 25,
        most: 12_800,
        files: parentheses,
        command: "explore m.exp",
    },
    Dimension {
        name: "hiding within hiding",
        size: 25,
        most: 6_400,
        files: nested_hiding,
        command: "explore m.exp",
    },
    Dimension {
        name: "steps of a pipeline, one after the other",
        size: 25,
        most: 6_400,
        files: pipeline_chain,
        command: "run m.toml",
    },
    Dimension {
        name: "steps of a pipeline, side by side",
        size: 25,
        most: 6_400,
        files: pipeline_star,
        command: "run m.toml",
    },
    Dimension {
        name: "reductions of a pipeline",
        size: 25,
        most: 3_200,
        files: pipeline_reductions,
        command: "run m.toml",
    },
    Dimension {
        name: "questions of a pipeline",
        size: 25,
        most: 3_200,
        files: pipeline_questions,
        command: "run m.toml",
    },
    Dimension {
        name: "files that a pipeline writes",
        size: 25,
        most: 3_200,
        files: pipeline_files,
        command: "run m.toml",
    },
    Dimension {
        name: "constants of a pipeline",
        size: 10,
        most: 1_280,
        files: pipeline_constants,
        command: "run m.toml",
    },
    Dimension {
        name: "values of a pipeline's constant",
        size: 25,
        most: 3_200,
        files: pipeline_values,
        command: "run m.toml",
    },
    Dimension {
        name: "mistakes of a pipeline",
        size: 25,
        most: 6_400,
        files: pipeline_mistakes,
        command: "run m.toml",
    },
    Dimension { name: "conjuncts of a formula", size: 50, most: 12_800, files: conjuncts, command: MCL },
    Dimension { name: "diamonds of a formula", size: 50, most: 12_800, files: diamonds, command: MCL },
    Dimension { name: "steps of a sequence", size: 50, most: 6_400, files: sequence, command: MCL },
    Dimension { name: "labels of a step", size: 50, most: 12_800, files: labels, command: MCL },
    Dimension { name: "repetitions", size: 50, most: 6_400, files: repetitions, command: MCL },
    Dimension { name: "negations", size: 50, most: 25_600, files: negations, command: MCL },
    Dimension { name: "macros of formulas", size: 50, most: 12_800, files: macros, command: MCL },
    Dimension { name: "fixpoints side by side", size: 25, most: 3_200, files: fixpoints, command: MCL },
    Dimension { name: "letters of a pattern", size: 100, most: 12_800, files: pattern, command: MCL },
    Dimension { name: "states under a formula", size: 500, most: 1 << 18, files: always, command: MCL },
    Dimension {
        name: "states under a formula of mCRL2",
        size: 500,
        most: 1 << 18,
        files: always_mcf,
        command: "check m.aut --mcl f.mcf",
    },
];

const MCL: &str = "check m.aut --mcl f.mcl";

fn chain(n: usize, label: impl Fn(usize) -> String) -> String {
    format!("des (0, {n}, {n})\n{}", lines(n, |i| format!("({i}, \"{}\", {})", label(i), (i + 1) % n)))
}

fn small() -> String {
    chain(2, |i| ["A", "B"][i].to_owned())
}

fn aut_chain(n: usize) -> Vec<File> {
    vec![("m.aut", chain(n, |i| ["A", "B", "B"][usize::from(i > 0) + usize::from(i % 3 == 1)].to_owned()))]
}

fn aut_labels(n: usize) -> Vec<File> {
    vec![("m.aut", chain(n, |i| format!("L !{i}")))]
}

fn aut_long_label(n: usize) -> Vec<File> {
    vec![("m.aut", chain(2, |i| format!("{}{i}", "L".repeat(n))))]
}

fn aut_internal(n: usize) -> Vec<File> {
    vec![(
        "m.aut",
        format!(
            "des (0, {n}, {})\n{}({}, \"A\", 0)\n",
            n,
            lines(n - 1, |i| format!("({i}, \"{}\", {})", if i % 4 == 1 { "A" } else { "i" }, i + 1)),
            n - 1
        ),
    )]
}

fn aut_two(n: usize) -> Vec<File> {
    vec![("m.aut", chain(n, |i| format!("L !{}", i % 5))), ("o.aut", chain(n, |i| format!("L !{}", i % 5)))]
}

fn aut_rates(n: usize) -> Vec<File> {
    vec![("m.aut", chain(n, |i| format!("A; rate {}", 1 + i % 3)))]
}

fn renaming(n: usize) -> Vec<File> {
    let rules = joined(n, ", ", |i| format!("\"A{i}\" -> \"B{i}\""));
    vec![("m.exp", format!("rename {rules} in \"m.aut\"\n")), ("m.aut", chain(n, |i| format!("A{i}")))]
}

fn tra(n: usize) -> Vec<File> {
    vec![(
        "m.tra",
        format!(
            "{n} {}\n{}",
            2 * n,
            lines(n, |i| format!("{i} {} 0.25\n{i} {} 0.75", (i + 1) % n, (i + 2) % n))
        ),
    )]
}

fn lab(n: usize) -> Vec<File> {
    let names =
        joined(n, " ", |i| format!("{i}=\"{}\"", if i == 0 { "init".to_owned() } else { format!("l{i}") }));
    vec![
        ("m.tra", "2 2\n0 1 1\n1 1 1\n".to_owned()),
        ("m.lab", format!("{names}\n0: 0\n1: {}\n", joined(n - 1, " ", |i| format!("{}", i + 1)))),
    ]
}

fn drn(n: usize) -> Vec<File> {
    let states = lines(n, |i| {
        format!(
            "state {i}{}\n\taction 0\n\t\t{} : 0.25\n\t\t{} : 0.75",
            ["", " init", " b"][usize::from(i == 0) + 2 * usize::from(i == 1)],
            (i + 1) % n,
            (i + 2) % n
        )
    });
    vec![(
        "m.drn",
        format!(
            "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n{n}\n@nr_choices\n{n}\n@model\n{states}"
        ),
    )]
}

fn drn_labels(n: usize) -> Vec<File> {
    let labels = joined(n, " ", |i| format!("l{i}"));
    vec![(
        "m.drn",
        format!(
            "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@nr_choices\n2\n@model\nstate 0 init {labels}\n\taction 0\n\t\t1 : 1\nstate 1 b\n\taction 0\n\t\t1 : 1\n"
        ),
    )]
}

fn drn_rewards(n: usize) -> Vec<File> {
    let (names, values) = (joined(n, " ", |i| format!("r{i}")), joined(n, ", ", |i| format!("{i}")));
    vec![(
        "m.drn",
        format!(
            "@type: DTMC\n@parameters\n\n@reward_models\n{names}\n@nr_states\n2\n@nr_choices\n2\n@model\nstate 0 [{values}] init\n\taction 0 [{values}]\n\t\t1 : 1\nstate 1 [{values}] b\n\taction 0 [{values}]\n\t\t1 : 1\n"
        ),
    )]
}

fn network(text: String) -> Vec<File> {
    vec![("m.exp", format!("{text}\n")), ("m.aut", small())]
}

fn components(n: usize) -> Vec<File> {
    network(joined(n, "\n|| ", |_| "\"m.aut\"".to_owned()))
}

fn reduced_components(n: usize) -> Vec<File> {
    network(format!("smart branching reduction of ({})", joined(n, "\n|| ", |_| "\"m.aut\"".to_owned())))
}

fn par_components(n: usize) -> Vec<File> {
    network(format!("par A, B in {} end par", joined(n, "\n|| ", |_| "\"m.aut\"".to_owned())))
}

fn par_gates(n: usize) -> Vec<File> {
    let mut files =
        network(format!("par {} in \"m.aut\" || \"m.aut\" end par", joined(n, ", ", |i| format!("A{i}"))));
    files[1].1 = chain(n, |i| format!("A{i}"));
    files
}

fn vectors(n: usize) -> Vec<File> {
    let all = joined(n, ", ", |i| format!("\"A{i}\" * \"A{i}\" -> B{i}"));
    let mut files = network(format!("label.par {all} in \"m.aut\" || \"m.aut\" end par"));
    files[1].1 = chain(n, |i| format!("A{i}"));
    files
}

fn hidden(n: usize) -> Vec<File> {
    let mut files = network(format!("hide {} in \"m.aut\"", joined(n, ", ", |i| format!("A{i}"))));
    files[1].1 = chain(n, |i| format!("A{i}"));
    files
}

fn parentheses(n: usize) -> Vec<File> {
    network(format!("{}\"m.aut\"{}", "(".repeat(n), ")".repeat(n)))
}

fn nested_hiding(n: usize) -> Vec<File> {
    network(format!("{}\"m.aut\"", "hide A in ".repeat(n)))
}

fn pipeline(text: String) -> Vec<File> {
    vec![("m.toml", format!("{text}[step.s]\nmodel = \"m.aut\"\n")), ("m.aut", small())]
}

fn pipeline_chain(n: usize) -> Vec<File> {
    let from = |i: usize| if i == 0 { "s".to_owned() } else { format!("s{}", i - 1) };
    pipeline((0..n).rev().map(|i| format!("[step.s{i}]\nfrom = \"{}\"\n", from(i))).collect())
}

fn pipeline_star(n: usize) -> Vec<File> {
    pipeline(lines(n, |i| format!("[step.s{i}]\nfrom = \"s\"\nrename = [\"/A/A{i}/\"]")))
}

fn pipeline_reductions(n: usize) -> Vec<File> {
    let from = |i: usize| if i == 0 { "s".to_owned() } else { format!("s{}", i - 1) };
    pipeline(lines(n, |i| {
        format!("[step.s{i}]\nfrom = \"{}\"\nrename = [\"/A.*/A{i}/\"]\nreduce = \"strong\"", from(i))
    }))
}

fn pipeline_questions(n: usize) -> Vec<File> {
    pipeline(lines(n, |i| format!("[step.s{i}]\nfrom = \"s\"\ncheck = \"<\\\"A\\\"> true\"\nexpect = true")))
}

fn pipeline_files(n: usize) -> Vec<File> {
    pipeline(lines(n, |i| format!("[step.s{i}]\nfrom = \"s\"\nwrite = \"s{i}.aut\"")))
}

fn pipeline_constants(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!("C{i} = {i}"));
    let steps = lines(n, |i| format!("[step.s{i}]\nmodel = \"m.prism\"\nconstants = [\"N=C{i}\"]"));
    let mut files = pipeline(format!("[constants]\n{declared}\n{steps}"));
    files.push(("m.prism", PRISM.to_owned()));
    files
}

const PRISM: &str = "dtmc\nconst int N;\nmodule m\n s:[0..1];\n [a] s=0 & N>=0 -> (s'=1);\nendmodule\n";

fn pipeline_values(n: usize) -> Vec<File> {
    let mut files = pipeline(format!(
        "[constants]\nN = \"1:{n}\"\n[step.t]\nmodel = \"m.prism\"\nconstants = [\"N\"]\n[step.u]\nfrom = \"t\"\ncheck = \"<true> true\"\n"
    ));
    files.push(("m.prism", PRISM.to_owned()));
    files
}

fn pipeline_mistakes(n: usize) -> Vec<File> {
    pipeline(lines(n, |i| format!("[step.s{i}]\nfrom = \"u{i}\"\nnonsense = {i}")))
}

fn formula(text: String) -> Vec<File> {
    vec![("f.mcl", format!("{text}\n")), ("m.aut", small())]
}

fn conjuncts(n: usize) -> Vec<File> {
    formula(joined(n, "\nand ", |i| format!("(<\"A\"> true or [\"B\"] <\"C{}\"> true)", i % 7)))
}

fn diamonds(n: usize) -> Vec<File> {
    formula(format!("{}true", (0..n).map(|i| ["<\"A\"> ", "<\"B\"> "][i % 2]).collect::<String>()))
}

fn sequence(n: usize) -> Vec<File> {
    formula(format!("<{}> true", joined(n, " . ", |i| format!("\"{}\"", ["A", "B"][i % 2]))))
}

fn labels(n: usize) -> Vec<File> {
    formula(format!("<{}> true", joined(n, " or ", |i| format!("\"A{i}\""))))
}

fn repetitions(n: usize) -> Vec<File> {
    formula(format!("<true{{{n}}}> true"))
}

fn negations(n: usize) -> Vec<File> {
    formula(format!("{}(<\"A\"> true)", "not ".repeat(n)))
}

fn macros(n: usize) -> Vec<File> {
    let all = lines(n, |i| format!("macro M{} (X) = M{i} (X) end_macro", i + 1));
    formula(format!("macro M0 (X) = <X> true end_macro\n{all}M{n} (\"A\")"))
}

fn fixpoints(n: usize) -> Vec<File> {
    formula(joined(n, "\nand ", |i| format!("(nu X{i} . (<true> X{i}))")))
}

fn pattern(n: usize) -> Vec<File> {
    formula(format!("<'(A|{})'> true", joined(n, "|", |i| format!("B{i}"))))
}

fn always(n: usize) -> Vec<File> {
    vec![
        ("f.mcl", "[true*] <true*> <\"L !1\"> true\n".to_owned()),
        ("m.aut", chain(n, |i| format!("L !{}", i % 5))),
    ]
}

fn always_mcf(n: usize) -> Vec<File> {
    vec![
        ("f.mcf", "[true*] (mu X: (<a>true || <true>X))\n".to_owned()),
        ("m.aut", chain(n, |i| if i == 0 { "a" } else { "b" }.to_owned())),
    ]
}
