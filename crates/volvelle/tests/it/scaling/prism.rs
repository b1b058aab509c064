//! The PRISM language, and properties.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "commands of a module", size: 250, most: 64_000, files: commands, command: CHECK },
    Dimension {
        name: "commands with actions",
        size: 250,
        most: 64_000,
        files: commands_with_actions,
        command: CHECK,
    },
    Dimension {
        name: "modules that take turns",
        size: 50,
        most: 800,
        files: modules_in_turns,
        command: "info m.prism",
    },
    Dimension {
        name: "modules of one action",
        size: 100,
        most: 12_800,
        files: modules_of_one_action,
        command: CHECK,
    },
    Dimension {
        name: "modules that are renamed copies",
        size: 100,
        most: 12_800,
        files: copies,
        command: CHECK,
    },
    Dimension {
        name: "actions between two modules",
        size: 100,
        most: 12_800,
        files: actions,
        command: CHECK,
    },
    Dimension { name: "rates of commands", size: 100, most: 12_800, files: rates, command: CHECK },
    Dimension { name: "variables", size: 100, most: 12_800, files: variables, command: CHECK },
    Dimension { name: "global variables", size: 100, most: 12_800, files: globals, command: CHECK },
    Dimension { name: "values of a variable", size: 2_000, most: 1 << 21, files: values, command: CHECK },
    Dimension { name: "formulas", size: 100, most: 25_600, files: formulas, command: CHECK },
    Dimension { name: "formulas of formulas", size: 25, most: 200, files: nested_formulas, command: CHECK },
    Dimension { name: "constants", size: 100, most: 25_600, files: constants, command: CHECK },
    Dimension {
        name: "constants of constants",
        size: 25,
        most: 12_800,
        files: nested_constants,
        command: CHECK,
    },
    Dimension {
        name: "given constants",
        size: 100,
        most: 6_400,
        files: given_constants,
        command: "check m.prism m.props --const c=3",
    },
    Dimension { name: "choices of a state", size: 100, most: 25_600, files: choices, command: CHECK },
    Dimension { name: "updates of a command", size: 100, most: 25_600, files: updates, command: CHECK },
    Dimension { name: "conjuncts of a guard", size: 200, most: 51_200, files: long_guard, command: CHECK },
    Dimension { name: "summands of an update", size: 200, most: 51_200, files: long_update, command: CHECK },
    Dimension {
        name: "parentheses around a guard",
        size: 25,
        most: 51_200,
        files: nested_guard,
        command: "info m.prism",
    },
    Dimension {
        name: "conditions within conditions",
        size: 25,
        most: 51_200,
        files: nested_conditions,
        command: "info m.prism",
    },
    Dimension { name: "labels", size: 100, most: 25_600, files: labels, command: CHECK },
    Dimension {
        name: "items of a reward structure",
        size: 100,
        most: 25_600,
        files: reward_items,
        command: CHECK,
    },
    Dimension { name: "reward structures", size: 50, most: 12_800, files: reward_structures, command: CHECK },
    Dimension { name: "properties", size: 100, most: 12_800, files: properties, command: CHECK },
    Dimension {
        name: "properties of rewards",
        size: 50,
        most: 6_400,
        files: reward_properties,
        command: CHECK,
    },
    Dimension {
        name: "disjuncts of a property",
        size: 200,
        most: 51_200,
        files: long_property,
        command: CHECK,
    },
    Dimension {
        name: "properties within a property",
        size: 20,
        most: 6_400,
        files: nested_property,
        command: CHECK,
    },
    Dimension {
        name: "values of a sweep",
        size: 50,
        most: 6_400,
        files: sweep,
        command: "check m.prism m.props --const N=1:{n}",
    },
    Dimension {
        name: "values of a sweep of initial states",
        size: 50,
        most: 6_400,
        files: sweep_of_both,
        command: "check m.prism m.props --const N=10,S=1:{n}",
    },
    Dimension {
        name: "points of a sweep of properties",
        size: 50,
        most: 6_400,
        files: sweep_of_properties,
        command: "check m.prism m.props --const T=1:{n}",
    },
    Dimension { name: "letters of names", size: 1_000, most: 1 << 22, files: long_names, command: CHECK },
    Dimension { name: "comments", size: 1_000, most: 1 << 20, files: comments, command: CHECK },
    Dimension { name: "mistakes", size: 50, most: 25_600, files: mistakes, command: "check m.prism" },
    Dimension {
        name: "mistakes of one line",
        size: 50,
        most: 25_600,
        files: mistakes_of_one_line,
        command: "check m.prism",
    },
    Dimension { name: "initial states", size: 100, most: 1 << 18, files: initial_states, command: CHECK },
    Dimension {
        name: "next operators of a formula",
        size: 20,
        most: 1_280,
        files: next_operators,
        command: CHECK,
    },
    Dimension { name: "eventualities in a row", size: 10, most: 640, files: eventualities, command: CHECK },
    Dimension {
        name: "parallel queues of a printed model",
        size: 100,
        most: 12_800,
        files: variables,
        command: "explore m.prism --export m.tra,m.sta,m.lab",
    },
    Dimension {
        name: "states of a written chain",
        size: 2_000,
        most: 1 << 20,
        files: values,
        command: "explore m.prism --export m.drn,m.aut,m.umb",
    },
    Dimension {
        name: "states of a path",
        size: 2_000,
        most: 1 << 20,
        files: values,
        command: "trace m.prism --steps {n} --seed 1",
    },
    Dimension {
        name: "states of a chain in the long run",
        size: 1_000,
        most: 1 << 18,
        files: birth_and_death,
        command: CHECK,
    },
    Dimension {
        name: "states of a decision process",
        size: 1_000,
        most: 1 << 18,
        files: decisions,
        command: CHECK,
    },
    Dimension {
        name: "states of a scheduler",
        size: 500,
        most: 1 << 18,
        files: decisions,
        command: "check m.prism --prop Pmin=?[F(s=M)] --export-scheduler s.txt",
    },
    Dimension {
        name: "states of a witness",
        size: 500,
        most: 1 << 16,
        files: values,
        command: "check m.prism m.props --witness",
    },
    Dimension {
        name: "paths",
        size: 2_000,
        most: 1 << 24,
        files: walk,
        command: "simulate m.prism m.props --samples {n} --seed 1",
    },
];

const CHECK: &str = "check m.prism m.props";

fn files(model: String, properties: impl Into<String>) -> Vec<File> {
    vec![("m.prism", model), ("m.props", properties.into())]
}

fn module(head: &str, body: String) -> String {
    format!("{head}\nmodule m\n{body}endmodule\n")
}

fn commands(n: usize) -> Vec<File> {
    let steps = lines(n, |i| format!(" [] s={i} -> (s'={});", i + 1));
    files(module("dtmc", format!(" s:[0..{n}];\n{steps} [] s={n} -> true;\n")), format!("P=? [ F s={n} ]\n"))
}

fn commands_with_actions(n: usize) -> Vec<File> {
    let step = |i: usize| {
        let (a, b) = (i * 7919 % n, (i * 104_729 + 1) % n);
        format!(" [a] s={i} -> 0.3:(s'={a}) + 0.7:(s'={b});\n [b] s={i} -> 0.6:(s'={b}) + 0.4:(s'={a});")
    };
    files(module("mdp", format!(" s:[0..{}];\n{}", n - 1, lines(n, step))), "Pmax=? [ F<=3 s=1 ]\n")
}

fn modules_in_turns(n: usize) -> Vec<File> {
    let modules = lines(n, |i| {
        format!("module m{i} x{i}:bool; [] t={i} & !x{i} -> (t'={}) & (x{i}'=true); endmodule", i + 1)
    });
    files(format!("mdp\nglobal t:[0..{n}];\n{modules}"), format!("Pmax=? [ F t={n} ]\n"))
}

fn modules_of_one_action(n: usize) -> Vec<File> {
    let modules = lines(n, |i| format!("module m{i} x{i}:[0..1]; [go] x{i}=0 -> (x{i}'=1); endmodule"));
    files(format!("dtmc\n{modules}"), "P=? [ F x1=1 ]\n")
}

fn copies(n: usize) -> Vec<File> {
    let copies = lines(n, |i| format!("module m{i} = m [x=x{i}] endmodule"));
    files(format!("dtmc\nmodule m x:[0..1]; [go] x=0 -> (x'=1); endmodule\n{copies}"), "P=? [ F x1=1 ]\n")
}

fn actions(n: usize) -> Vec<File> {
    // All actions lead from the first of two states to the second: states do not become more.
    let commands = |m: char| lines(n, |i| format!(" [a{i}] {m}=0 -> ({m}'=1);"));
    let text = format!(
        "mdp\nmodule m\n x:[0..1];\n{}endmodule\nmodule o\n y:[0..1];\n{}endmodule\n",
        commands('x'),
        commands('y')
    );
    files(text, "Pmax=? [ F x=1 ]\n")
}

fn rates(n: usize) -> Vec<File> {
    let steps = lines(n, |i| format!(" [] s={i} -> {}*k/(t+1) : (s'={}) + t*k : (t'=1);", i + 1, i + 1));
    let ends = format!(" [] s={n} -> true;\n");
    files(
        module("ctmc\nconst double k = 0.5;", format!(" s:[0..{n}];\n t:[0..1];\n{steps}{ends}")),
        format!("P=? [ F s={n} ]\n"),
    )
}

fn variables(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!(" x{i}:[0..3] init {};", i % 4));
    let set = joined(n, " & ", |i| format!("(x{i}'={})", (i + 1) % 4));
    files(module("dtmc", format!("{declared} s:[0..1];\n [] s=0 -> (s'=1) & {set};\n")), "P=? [ F x1=2 ]\n")
}

fn globals(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!("global x{i}:[0..3] init {};", i % 4));
    let read = joined(n, " + ", |i| format!("x{i}"));
    files(
        module(&format!("dtmc\n{declared}"), format!(" s:[0..1];\n [] s=0 & {read} > 1 -> (s'=1);\n")),
        "P=? [ F s=1 ]\n",
    )
}

fn values(n: usize) -> Vec<File> {
    let text =
        format!(" s:[0..{n}];\n [] s<{n} -> 0.5:(s'=s+1) + 0.5:(s'=min(s+2,{n}));\n [] s={n} -> true;\n");
    files(module("dtmc", text), format!("P=? [ F s={n} ]\n"))
}

fn formulas(n: usize) -> Vec<File> {
    let formulas = lines(n, |i| format!("formula f{i} = s + {i};"));
    let commands = lines(n, |i| format!(" [] s=1 & f{i} > {n} -> (s'=0);"));
    files(
        module(&format!("mdp\n{formulas}"), format!(" s:[0..1];\n{commands} [] s=0 -> (s'=1);\n")),
        "Pmax=? [ F s=1 ]\n",
    )
}

fn nested_formulas(n: usize) -> Vec<File> {
    let formulas = lines(n - 1, |i| format!("formula f{} = f{i} + 1;", i + 1));
    let text = module(
        &format!("dtmc\nformula f0 = s;\n{formulas}"),
        format!(" s:[0..1];\n [] f{} >= {n} -> (s'=0);\n [] s=0 -> (s'=1);\n", n - 1),
    );
    files(text, "P=? [ F s=1 ]\n")
}

fn constants(n: usize) -> Vec<File> {
    let constants = lines(n, |i| format!("const int c{i} = {i};"));
    let commands = lines(n, |i| format!(" [] s=1 & s > c{i} -> (s'=0);"));
    files(
        module(&format!("mdp\n{constants}"), format!(" s:[0..1];\n{commands} [] s=0 -> (s'=1);\n")),
        "Pmax=? [ F s=1 ]\n",
    )
}

fn nested_constants(n: usize) -> Vec<File> {
    let constants = lines(n, |i| format!("const int c{} = c{i} + 1;", i + 1));
    let text = module(
        &format!("dtmc\nconst int c0 = 1;\n{constants}"),
        format!(" s:[0..1];\n [] s=0 & c{n} > 0 -> (s'=1);\n"),
    );
    files(text, "P=? [ F s=1 ]\n")
}

fn given_constants(n: usize) -> Vec<File> {
    let constants = lines(n, |i| format!("const int c{i} = c + {i};"));
    let text = module(
        &format!("dtmc\nconst int c;\n{constants}"),
        " s:[0..1];\n [] s=0 & c > 0 -> (s'=1);\n".to_owned(),
    );
    files(text, "P=? [ F s=1 & c1>0 ]\n")
}

fn choices(n: usize) -> Vec<File> {
    let choices = lines(n, |i| format!(" [] s=0 -> (s'={});", i + 1));
    files(module("mdp", format!(" s:[0..{n}];\n{choices} [] s>0 -> true;\n")), "Pmax=? [ F s=1 ]\n")
}

fn updates(n: usize) -> Vec<File> {
    let updates = joined(n, " + ", |i| format!("1/{n}:(s'={})", i + 1));
    files(
        module("dtmc", format!(" s:[0..{n}];\n [] s=0 -> {updates};\n [] s>0 -> true;\n")),
        "P=? [ F s=1 ]\n",
    )
}

fn long_guard(n: usize) -> Vec<File> {
    let guard = joined(n, " & ", |i| format!("s!={}", i + 2));
    files(module("dtmc", format!(" s:[0..1];\n [] {guard} & s=0 -> (s'=1);\n")), "P=? [ F s=1 ]\n")
}

fn long_update(n: usize) -> Vec<File> {
    let sum = joined(n, " + ", |i| format!("{}*s", i % 3));
    files(module("dtmc", format!(" s:[0..1];\n [] s=0 -> (s'={sum} + 1);\n")), "P=? [ F s=1 ]\n")
}

fn nested_guard(n: usize) -> Vec<File> {
    let guard = format!("{}s=0{}", "(".repeat(n), ")".repeat(n));
    files(module("dtmc", format!(" s:[0..1];\n [] {guard} -> (s'=1);\n")), "P=? [ F s=1 ]\n")
}

fn nested_conditions(n: usize) -> Vec<File> {
    let value = format!("{}0", (0..n).map(|i| format!("s={i} ? 1 : ")).collect::<String>());
    files(module("dtmc", format!(" s:[0..1];\n [] s=0 -> (s'={value});\n")), "P=? [ F s=1 ]\n")
}

fn labels(n: usize) -> Vec<File> {
    let labels = lines(n, |i| format!("label \"l{i}\" = s={};", i % 2));
    let text = module("dtmc", " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned());
    files(format!("{text}{labels}"), format!("P=? [ F {} ]\n", joined(n, " | ", |i| format!("\"l{i}\""))))
}

fn reward_items(n: usize) -> Vec<File> {
    let items = lines(n, |i| format!(" s={i} : {i};"));
    let text = module("dtmc", " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned());
    files(format!("{text}rewards\n{items}endrewards\n"), "R=? [ F s=1 ]\n")
}

fn reward_structures(n: usize) -> Vec<File> {
    let all = lines(n, |i| format!("rewards \"r{i}\" s=0 : {i}; endrewards"));
    let text = module("dtmc", " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned());
    files(format!("{text}{all}"), "R{\"r1\"}=? [ F s=1 ]\n")
}

fn properties(n: usize) -> Vec<File> {
    let text = module("dtmc", format!(" s:[0..{n}];\n [] s=0 -> 0.5:(s'=1) + 0.5:(s'={n});\n"));
    files(text, lines(n, |i| format!("P=? [ F s={i} ]")))
}

fn reward_properties(n: usize) -> Vec<File> {
    let text = module("dtmc", format!(" s:[0..{n}];\n [] s=0 -> 0.5:(s'=1) + 0.5:(s'={n});\n"));
    files(
        format!("{text}rewards s=0 : 3; endrewards\n"),
        lines(n, |i| format!("\"p{i}\": R=? [ F s>={} ];", i % 3)),
    )
}

fn long_property(n: usize) -> Vec<File> {
    let text = module("dtmc", " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned());
    files(text, format!("P=? [ F s=1 | {} ]\n", joined(n, " | ", |i| format!("s={i}"))))
}

fn nested_property(n: usize) -> Vec<File> {
    let text = module("dtmc", " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned());
    files(text, format!("{}s=1{}\n", "P>0 [ F ".repeat(n), " ]".repeat(n)))
}

fn sweep(_: usize) -> Vec<File> {
    let text = " s:[0..9];\n [] s<9 & N>0 -> (s'=s+1);\n [] s=9 -> true;\n";
    files(
        module("dtmc\nconst int N;", text.to_owned()),
        "P=? [ F s=9 & N>0 ]\nfilter(max, P=? [ F s=9 ], s=1)\n",
    )
}

fn sweep_of_both(n: usize) -> Vec<File> {
    let mut files = sweep(n);
    files[1].1 = "const int S;\nP=? [ F s=9 & N>0 & S>0 ]\n".to_owned();
    files
}

fn sweep_of_properties(_: usize) -> Vec<File> {
    let text = " s:[0..9];\n [] s<9 -> 0.5:(s'=s+1) + 0.5:(s'=0);\n [] s=9 -> true;\n";
    files(module("dtmc", text.to_owned()), "const int T;\nP=? [ F<=9 s=mod(T, 10) ]\n")
}

fn long_names(n: usize) -> Vec<File> {
    let name = "x".repeat(n);
    let text = module("dtmc", format!(" {name}:[0..1];\n [{name}a] {name}=0 -> ({name}'=1);\n"));
    files(format!("{text}label \"{name}l\" = {name}=1;\n"), format!("P=? [ F \"{name}l\" ]\n"))
}

fn comments(n: usize) -> Vec<File> {
    let comments = lines(n, |i| format!("// {i} \u{e9}"));
    files(
        module(&format!("dtmc\n{comments}"), " s:[0..1];\n [] s=0 -> (s'=1);\n".to_owned()),
        format!("{comments}P=? [ F s=1 ]\n"),
    )
}

fn mistakes(n: usize) -> Vec<File> {
    files(module("dtmc", format!(" s:[0..1];\n{}", lines(n, |i| format!(" [] s=u{i} -> (s'=v{i});")))), "")
}

fn mistakes_of_one_line(n: usize) -> Vec<File> {
    files(
        module("dtmc", format!(" s:[0..1];\n [] {} -> true;\n", joined(n, " & ", |i| format!("s=u{i}")))),
        "",
    )
}

fn initial_states(n: usize) -> Vec<File> {
    let text = module("dtmc", format!(" s:[0..{n}];\n [] s>0 -> (s'=s-1);\n [] s=0 -> true;\n"));
    files(format!("{text}init s > {} endinit\n", n / 2), "filter(min, P=? [ F s=0 ], \"init\")\n")
}

fn next_operators(n: usize) -> Vec<File> {
    let text = module("dtmc", " s:[0..1];\n [] true -> 0.5:(s'=1) + 0.5:(s'=0);\n".to_owned());
    files(text, format!("P=? [ {} s=1 ]\n", "X ".repeat(n)))
}

fn eventualities(n: usize) -> Vec<File> {
    let text = module("dtmc", " s:[0..1];\n [] true -> 0.5:(s'=1) + 0.5:(s'=0);\n".to_owned());
    let formula = (0..n).map(|i| format!("F (s={} & ", i % 2)).collect::<String>();
    files(text, format!("P=? [ {formula}true{} ]\n", ")".repeat(n)))
}

fn birth_and_death(n: usize) -> Vec<File> {
    let text = module("ctmc", format!(" s:[0..{n}];\n [] s<{n} -> 1:(s'=s+1);\n [] s>0 -> 1.5:(s'=s-1);\n"));
    files(text, "S=? [ s=0 ]\n")
}

fn decisions(n: usize) -> Vec<File> {
    let text = " [a] s<M -> 0.5:(s'=s+1) + 0.5:(s'=s);\n [b] s<M -> 0.9:(s'=s+1) + 0.1:(s'=min(s+2,M));\n [] s=M -> true;\n";
    files(
        module(&format!("mdp\nconst int M={n};"), format!(" s:[0..M];\n{text}")),
        "Pmax=? [ F<=5 s=3 ]\nPmin=? [ F s=M ]\n",
    )
}

fn walk(_: usize) -> Vec<File> {
    files(
        module("dtmc", " s:[0..9];\n [] s<9 -> 0.5:(s'=s+1) + 0.5:(s'=0);\n [] s=9 -> true;\n".to_owned()),
        "P=? [ F<=20 s=9 ]\n",
    )
}
