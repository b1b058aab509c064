//! LOTOS: behaviour and data.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "prefixes", size: 100, most: 51_200, files: prefixes, command: EXPLORE },
    Dimension { name: "choices", size: 100, most: 25_600, files: choices, command: EXPLORE },
    Dimension {
        name: "choices within choices",
        size: 10,
        most: 12_800,
        files: nested_choices,
        command: EXPLORE,
    },
    Dimension {
        name: "processes that call the next",
        size: 50,
        most: 25_600,
        files: processes,
        command: EXPLORE,
    },
    Dimension {
        name: "processes that are not called",
        size: 50,
        most: 25_600,
        files: unused,
        command: EXPLORE,
    },
    Dimension {
        name: "processes within processes",
        size: 10,
        most: 6_400,
        files: nested_processes,
        command: EXPLORE,
    },
    Dimension { name: "gates", size: 50, most: 12_800, files: gates, command: EXPLORE },
    Dimension {
        name: "gates of a process",
        size: 50,
        most: 12_800,
        files: gates_of_a_process,
        command: EXPLORE,
    },
    Dimension { name: "hidden gates", size: 50, most: 12_800, files: hidden, command: EXPLORE },
    Dimension { name: "components in step", size: 10, most: 640, files: components, command: EXPLORE },
    Dimension { name: "values of a process", size: 25, most: 3_200, files: parameters, command: EXPLORE },
    Dimension { name: "constructors", size: 50, most: 12_800, files: constructors, command: EXPLORE },
    Dimension { name: "equations", size: 50, most: 12_800, files: equations, command: EXPLORE },
    Dimension { name: "operations", size: 50, most: 12_800, files: operations, command: EXPLORE },
    Dimension { name: "sorts", size: 50, most: 12_800, files: sorts, command: EXPLORE },
    Dimension { name: "types", size: 25, most: 6_400, files: types, command: EXPLORE },
    Dimension { name: "offers of an action", size: 10, most: 5_120, files: offers, command: EXPLORE },
    Dimension {
        name: "values of a sort",
        size: 50,
        most: 25_600,
        files: values,
        command: "explore m.lotos --const NAT={n}",
    },
    Dimension { name: "depth of a term", size: 25, most: 12_800, files: deep_term, command: EXPLORE },
    Dimension { name: "length of a sum", size: 50, most: 25_600, files: sum, command: EXPLORE },
    Dimension {
        name: "length of a list",
        size: 25,
        most: 1_600,
        files: list,
        command: "explore m.lotos --const NAT={n}",
    },
    Dimension { name: "guards", size: 25, most: 12_800, files: guards, command: EXPLORE },
    Dimension { name: "behaviours in sequence", size: 10, most: 3_200, files: sequence, command: EXPLORE },
    Dimension { name: "interruptions", size: 10, most: 640, files: interruptions, command: EXPLORE },
    Dimension { name: "definitions", size: 25, most: 6_400, files: definitions, command: EXPLORE },
    Dimension { name: "letters of names", size: 500, most: 1 << 21, files: long_names, command: EXPLORE },
    Dimension { name: "comments", size: 500, most: 1 << 19, files: comments, command: EXPLORE },
    Dimension { name: "mistakes", size: 25, most: 12_800, files: mistakes, command: EXPLORE },
];

const EXPLORE: &str = "explore m.lotos";

fn specification(gates: &str, types: &str, behaviour: &str, processes: &str) -> Vec<File> {
    let head = format!("specification S [{gates}] : noexit\nlibrary BOOLEAN, NATURAL endlib\n{types}");
    vec![("m.lotos", format!("{head}behaviour\n{behaviour}\nwhere\n{processes}endspec\n"))]
}

fn prefixes(n: usize) -> Vec<File> {
    specification("A", "", &format!("{}stop", "A;\n".repeat(n)), "")
}

fn choices(n: usize) -> Vec<File> {
    specification("A", "", &joined(n, "\n[] ", |i| format!("A !{}; stop", i % 250)), "")
}

fn nested_choices(n: usize) -> Vec<File> {
    specification("A", "", &format!("{}stop{}", "A; (stop [] ".repeat(n), ")".repeat(n)), "")
}

fn processes(n: usize) -> Vec<File> {
    let all = lines(n, |i| format!("process P{i} [A] : noexit := A; P{} [A] endproc", (i + 1) % n));
    specification("A", "", "P0 [A]", &all)
}

fn unused(n: usize) -> Vec<File> {
    let all = lines(n, |i| format!("process P{i} [A] : noexit := A; stop endproc"));
    specification("A", "", "P0 [A]", &all)
}

fn nested_processes(n: usize) -> Vec<File> {
    let open =
        (0..n).map(|i| format!("process P{i} [A] : noexit := A; P{} [A] where\n", i + 1)).collect::<String>();
    let last = format!("process P{n} [A] : noexit := A; stop endproc\n");
    specification("A", "", "P0 [A]", &format!("{open}{last}{}", "endproc\n".repeat(n)))
}

fn gates(n: usize) -> Vec<File> {
    specification(
        &joined(n, ", ", |i| format!("G{i}")),
        "",
        &joined(n, "\n[] ", |i| format!("G{i}; stop")),
        "",
    )
}

fn gates_of_a_process(n: usize) -> Vec<File> {
    let names = joined(n, ", ", |i| format!("G{i}"));
    let body = joined(n, "\n[] ", |i| format!("G{i}; stop"));
    specification(
        &names,
        "",
        &format!("P [{names}]"),
        &format!("process P [{names}] : noexit := {body} endproc\n"),
    )
}

fn hidden(n: usize) -> Vec<File> {
    let names = joined(n, ", ", |i| format!("G{i}"));
    specification(
        "A",
        "",
        &format!("hide {names} in ({})", joined(n, "\n[] ", |i| format!("G{i}; A; stop"))),
        "",
    )
}

fn components(n: usize) -> Vec<File> {
    let process = "process P [A] : noexit := A; P [A] endproc\n";
    specification("A", "", &joined(n, "\n|| ", |_| "P [A]".to_owned()), process)
}

fn parameters(n: usize) -> Vec<File> {
    let (names, values) = (joined(n, ", ", |i| format!("X{i}")), joined(n, ", ", |i| format!("{}", i % 200)));
    let process = format!("process P [A] ({names} : NAT) : noexit := A !(X0 + X{}); stop endproc\n", n - 1);
    specification("A", "", &format!("P [A] ({values})"), &process)
}

fn typed(sorts: &str, operations: &str, equations: &str) -> String {
    format!("type T is BOOLEAN, NATURAL\nsorts {sorts}\nopns\n{operations}eqns\n{equations}endtype\n")
}

fn constructors(n: usize) -> Vec<File> {
    let operations = format!(" {} : -> T\n", joined(n, ", ", |i| format!("C{i}")));
    let text = format!("type T is BOOLEAN\nsorts T\nopns\n{operations}endtype\n");
    specification("A", &text, "A ?X : T; stop", "")
}

fn equations(n: usize) -> Vec<File> {
    let operations = format!(" {} : -> T\n F : T -> T\n", joined(n, ", ", |i| format!("C{i}")));
    let rules = lines(n, |i| format!(" F (C{i}) = C{};", (i + 1) % n));
    specification("A", &typed("T", &operations, &format!(" ofsort T\n{rules}")), "A !F (C1); stop", "")
}

fn operations(n: usize) -> Vec<File> {
    let operations = lines(n, |i| format!(" F{i} : NAT -> NAT"));
    let rules = lines(n, |i| format!(" F{i} (X) = X + {};", i % 200));
    let text =
        typed("T", &format!(" C : -> T\n{operations}"), &format!(" forall X : NAT\n ofsort NAT\n{rules}"));
    specification("A", &text, &joined(n, "\n[] ", |i| format!("A !F{i} (1); stop")), "")
}

fn sorts(n: usize) -> Vec<File> {
    let text = format!(
        "type T is BOOLEAN\nsorts {}\nopns\n{}endtype\n",
        joined(n, ", ", |i| format!("T{i}")),
        lines(n, |i| format!(" C{i} : -> T{i}"))
    );
    specification("A", &text, "A !C1; stop", "")
}

fn types(n: usize) -> Vec<File> {
    let text = lines(n, |i| {
        format!(
            "type T{i} is {} sorts S{i} opns C{i} : -> S{i} endtype",
            if i == 0 { "BOOLEAN".to_owned() } else { format!("T{}", i - 1) }
        )
    });
    specification("A", &text, "A !C1; stop", "")
}

fn offers(n: usize) -> Vec<File> {
    specification("A", "", &format!("A {}; stop", joined(n, " ", |i| format!("!{}", i % 250))), "")
}

fn values(_: usize) -> Vec<File> {
    specification("A", "", "A ?X : NAT; stop", "")
}

fn deep_term(n: usize) -> Vec<File> {
    let text = typed(
        "T",
        " C : -> T\n S : T -> T\n F : T -> T\n",
        " forall X : T\n ofsort T\n F (S (X)) = F (X);\n F (C) = C;\n",
    );
    specification("A", &text, &format!("A !F ({}C{}); stop", "S (".repeat(n), ")".repeat(n)), "")
}

fn sum(n: usize) -> Vec<File> {
    specification(
        "A",
        "",
        &format!("A !({}); stop", joined(n, " + ", |i| format!("{}", usize::from(i < 9)))),
        "",
    )
}

fn list(n: usize) -> Vec<File> {
    let text = typed(
        "L",
        " NIL : -> L\n CONS : NAT, L -> L\n LENGTH : L -> NAT\n",
        " forall X : NAT, Y : L\n ofsort NAT\n LENGTH (NIL) = 0;\n LENGTH (CONS (X, Y)) = LENGTH (Y) + 1;\n",
    );
    let process = format!(
        "process P [A] (K : NAT, X : L) : noexit := [K < {n}] -> A; P [A] (K + 1, CONS (1, X)) [] [K == {n}] -> A !LENGTH (X); stop endproc\n"
    );
    specification("A", &text, "P [A] (0, NIL)", &process)
}

fn guards(n: usize) -> Vec<File> {
    specification(
        "A",
        "",
        &format!("A ?X : NAT; ({})", joined(n, "\n[] ", |i| format!("[X == {}] -> A; stop", i % 250))),
        "",
    )
}

fn sequence(n: usize) -> Vec<File> {
    let steps = "P [A] >> ".repeat(n);
    specification("A", "", &format!("{steps} stop"), "process P [A] : exit := A; exit endproc\n")
}

fn interruptions(n: usize) -> Vec<File> {
    specification("A", "", &format!("{} A; stop", "A; stop [> ".repeat(n)), "")
}

fn definitions(n: usize) -> Vec<File> {
    let all = (0..n).map(|i| format!("let X{} : NAT = X{i} in ", i + 1)).collect::<String>();
    specification("A", "", &format!("let X0 : NAT = 1 in {all} A !X{n}; stop"), "")
}

fn long_names(n: usize) -> Vec<File> {
    let name = "X".repeat(n);
    let process = format!("process {name} [{name}A] : noexit := {name}A; {name} [{name}A] endproc\n");
    specification(&format!("{name}A"), "", &format!("{name} [{name}A]"), &process)
}

fn comments(n: usize) -> Vec<File> {
    specification("A", "", &format!("{}A; stop", lines(n, |i| format!("(* {i} \u{e9} *)"))), "")
}

fn mistakes(n: usize) -> Vec<File> {
    specification("A", "", &joined(n, "\n[] ", |i| format!("B{i}; stop")), "")
}
