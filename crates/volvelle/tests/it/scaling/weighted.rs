//! Weighted structures, terms and their formulas.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "states of a chain",
        size: 250,
        most: 1 << 18,
        files: states,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "states of a chain under a question",
        size: 250,
        most: 1 << 17,
        files: states,
        command: "check m.wks --wctl EF[<=?]q --global",
    },
    Dimension {
        name: "states of a chain, for all paths",
        size: 250,
        most: 1 << 17,
        files: states,
        command: "check m.wks --wctl AF[<=?]q",
    },
    Dimension {
        name: "steps of a state",
        size: 250,
        most: 1 << 18,
        files: steps,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "propositions of a state",
        size: 100,
        most: 51_200,
        files: propositions,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "propositions of a structure",
        size: 100,
        most: 51_200,
        files: all_propositions,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "parameters",
        size: 25,
        most: 3_200,
        files: parameters,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "states, reduced",
        size: 100,
        most: 51_200,
        files: states,
        command: "reduce m.wks --relation wbb -o n.wks",
    },
    Dimension {
        name: "states, compared",
        size: 50,
        most: 12_800,
        files: compared,
        command: "compare m.wks:s0 o.wks:s0 --relation ebs",
    },
    Dimension {
        name: "states at a distance",
        size: 50,
        most: 6_400,
        files: compared,
        command: "distance m.wks:s0 o.wks:s0",
    },
    Dimension {
        name: "written states",
        size: 250,
        most: 1 << 18,
        files: states,
        command: "explore m.wks --export n.wks,n.json,n.dot",
    },
    Dimension {
        name: "states in JSON",
        size: 250,
        most: 1 << 18,
        files: json,
        command: "check m.json --wctl 'EF q'",
    },
    Dimension {
        name: "conjuncts of a formula",
        size: 50,
        most: 6_400,
        files: conjuncts,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "operators within operators",
        size: 25,
        most: 3_200,
        files: nested,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "negations",
        size: 25,
        most: 12_800,
        files: negations,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "letters of names",
        size: 500,
        most: 1 << 21,
        files: long_names,
        command: "check m.wks --wctl f.wctl",
    },
    Dimension {
        name: "mistakes",
        size: 25,
        most: 12_800,
        files: mistakes,
        command: "check m.wks --wctl 'EF q'",
    },
    Dimension { name: "prefixes of a term", size: 50, most: 12_800, files: term_prefixes, command: TERM },
    Dimension { name: "summands of a term", size: 50, most: 12_800, files: term_sum, command: TERM },
    Dimension { name: "definitions", size: 50, most: 12_800, files: term_definitions, command: TERM },
    Dimension { name: "components of a term", size: 10, most: 640, files: term_components, command: TERM },
    Dimension { name: "restricted actions", size: 25, most: 6_400, files: term_restricted, command: TERM },
];

const TERM: &str = "check m.wccs:S --wctl 'EF q'";

fn with_formula(text: String, formula: String) -> Vec<File> {
    vec![("m.wks", text), ("f.wctl", format!("{formula}\n"))]
}

fn chain(n: usize) -> String {
    let steps = lines(n - 1, |i| {
        format!("state s{i} {{p}}: -{}-> s{}, -{}-> s{};", 1 + i % 5, i + 1, 3 + i % 7, (i + 2).min(n - 1))
    });
    format!("{steps}state s{} {{q}};\n", n - 1)
}

fn states(n: usize) -> Vec<File> {
    with_formula(chain(n), format!("EF[<={}] q", 4 * n))
}

fn steps(n: usize) -> Vec<File> {
    let to = joined(n, ", ", |i| format!("-{}-> s{i}", 1 + i % 9));
    with_formula(
        format!(
            "state s {{p}}: {to};\n{}",
            lines(n, |i| format!("state s{i} {{{}}};", ["p", "q"][usize::from(i + 1 == n)]))
        ),
        "EF[<=9] q".to_owned(),
    )
}

fn propositions(n: usize) -> Vec<File> {
    with_formula(
        format!("state s {{{}}}: -1-> t;\nstate t {{q}};\n", joined(n, ", ", |i| format!("p{i}"))),
        "EF[<=9] q".to_owned(),
    )
}

fn all_propositions(n: usize) -> Vec<File> {
    with_formula(
        format!("{}state s{n} {{q}};\n", lines(n, |i| format!("state s{i} {{p{i}}}: -1-> s{};", i + 1))),
        format!("EF[<={n}] q"),
    )
}

fn parameters(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!("parameter x{i} in [1, 3];"));
    with_formula(
        format!(
            "{declared}{}state s{n} {{q}};\n",
            lines(n, |i| format!("state s{i} {{p}}: -(2*x{i})-> s{};", i + 1))
        ),
        format!("EF[<={}] q", 5 * n),
    )
}

fn compared(n: usize) -> Vec<File> {
    vec![("m.wks", chain(n)), ("o.wks", chain(n))]
}

fn json(n: usize) -> Vec<File> {
    let states = joined(n, ", ", |i| format!("\"s{i}\""));
    let labels = joined(n, ", ", |i| format!("\"s{i}\": [\"{}\"]", ["p", "q"][usize::from(i + 1 == n)]));
    let steps = joined(n - 1, ", ", |i| format!("[\"s{i}\", {}, \"s{}\"]", 1 + i % 5, i + 1));
    vec![("m.json", format!("{{\"states\": [{states}], \"labels\": {{{labels}}}, \"trans\": [{steps}]}}\n"))]
}

fn conjuncts(n: usize) -> Vec<File> {
    with_formula(chain(3), joined(n, "\nand ", |i| format!("EF[<={}] q", 20 + i)))
}

fn nested(n: usize) -> Vec<File> {
    with_formula(chain(3), format!("{}q{}", "EF (p or ".repeat(n), ")".repeat(n)))
}

fn negations(n: usize) -> Vec<File> {
    with_formula(chain(3), format!("{}q", "not ".repeat(2 * n)))
}

fn long_names(n: usize) -> Vec<File> {
    let name = "x".repeat(n);
    with_formula(
        format!("state {name} {{{name}p}}: -1-> {name}t;\nstate {name}t {{{name}q}};\n"),
        format!("EF[<=3] {name}q"),
    )
}

fn mistakes(n: usize) -> Vec<File> {
    vec![("m.wks", lines(n, |i| format!("state s{i} {{p}}: -1-> u{i};")))]
}

fn terms(text: String) -> Vec<File> {
    vec![("m.wccs", text)]
}

fn term_prefixes(n: usize) -> Vec<File> {
    terms(format!("S := {}q:0;\n", "<a,1>.".repeat(n)))
}

fn term_sum(n: usize) -> Vec<File> {
    terms(format!("S := {} + <a,1>.q:0;\n", joined(n, " + ", |i| format!("<a{i},{}>.0", 1 + i % 5))))
}

fn term_definitions(n: usize) -> Vec<File> {
    terms(format!("S := P0;\n{}P{n} := q:0;\n", lines(n, |i| format!("P{i} := <a,1>.P{};", i + 1))))
}

fn term_components(n: usize) -> Vec<File> {
    terms(format!("S := ({}) \\ {{a}};\nP := <a,1>.P;\n", joined(n, " | ", |_| "P".to_owned())))
}

fn term_restricted(n: usize) -> Vec<File> {
    terms(format!("S := (P) \\ {{{}}};\nP := <b,1>.q:0;\n", joined(n, ", ", |i| format!("a{i}"))))
}
