//! Promela, its preprocessor, and claims.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "processes", size: 16, most: 128, files: processes, command: CHECK },
    Dimension { name: "process types", size: 50, most: 12_800, files: process_types, command: "info m.pml" },
    Dimension { name: "statements in sequence", size: 100, most: 25_600, files: statements, command: CHECK },
    Dimension { name: "statements of a d_step", size: 100, most: 25_600, files: d_step, command: CHECK },
    Dimension {
        name: "statements of an atomic sequence",
        size: 100,
        most: 25_600,
        files: atomic,
        command: CHECK,
    },
    Dimension { name: "options of a loop", size: 100, most: 12_800, files: loop_options, command: CHECK },
    Dimension { name: "options of a choice", size: 100, most: 12_800, files: choice_options, command: CHECK },
    Dimension { name: "choices in sequence", size: 50, most: 12_800, files: choices, command: CHECK },
    Dimension {
        name: "choices within choices",
        size: 10,
        most: 12_800,
        files: nested_choices,
        command: CHECK,
    },
    Dimension { name: "channels", size: 25, most: 6_400, files: channels, command: CHECK },
    Dimension { name: "places of a channel", size: 25, most: 255, files: places, command: CHECK },
    Dimension { name: "fields of messages", size: 5, most: 1_280, files: message_fields, command: CHECK },
    Dimension { name: "names of mtype", size: 25, most: 255, files: mtypes, command: CHECK },
    Dimension { name: "inlines of inlines", size: 10, most: 5_120, files: nested_inlines, command: CHECK },
    Dimension { name: "calls of an inline", size: 50, most: 12_800, files: inline_calls, command: CHECK },
    Dimension { name: "elements of an array", size: 50, most: 12_800, files: array, command: CHECK },
    Dimension { name: "global variables", size: 50, most: 12_800, files: globals, command: CHECK },
    Dimension { name: "local variables", size: 50, most: 12_800, files: locals, command: CHECK },
    Dimension { name: "fields of a structure", size: 50, most: 12_800, files: fields, command: CHECK },
    Dimension { name: "claims", size: 10, most: 2_560, files: claims, command: CHECK },
    Dimension { name: "conjuncts of a claim", size: 10, most: 640, files: long_claim, command: CHECK },
    Dimension { name: "macros", size: 100, most: 51_200, files: macros, command: CHECK },
    Dimension { name: "macros of macros", size: 25, most: 6_400, files: nested_macros, command: CHECK },
    Dimension { name: "arguments of a macro", size: 25, most: 6_400, files: macro_arguments, command: CHECK },
    Dimension { name: "conditional sections", size: 25, most: 25_600, files: sections, command: CHECK },
    Dimension { name: "included files", size: 10, most: 640, files: includes, command: CHECK },
    Dimension { name: "labels and jumps", size: 100, most: 12_800, files: jumps, command: CHECK },
    Dimension { name: "summands of an expression", size: 100, most: 25_600, files: sum, command: CHECK },
    Dimension {
        name: "parentheses of an expression",
        size: 25,
        most: 25_600,
        files: parentheses,
        command: "info m.pml",
    },
    Dimension { name: "letters of names", size: 1_000, most: 1 << 22, files: long_names, command: CHECK },
    Dimension { name: "comments", size: 500, most: 1 << 19, files: comments, command: CHECK },
    Dimension { name: "mistakes", size: 50, most: 12_800, files: mistakes, command: CHECK },
    Dimension {
        name: "statements under suspicion",
        size: 50,
        most: 12_800,
        files: suspicious,
        command: "lint m.pml",
    },
    Dimension { name: "values of select", size: 100, most: 1 << 20, files: select, command: CHECK },
    Dimension { name: "steps of a run", size: 1_000, most: 1 << 20, files: run, command: CHECK },
    Dimension { name: "steps of an error", size: 500, most: 1 << 18, files: error, command: CHECK },
    Dimension {
        name: "steps of a lasso",
        size: 500,
        most: 1 << 17,
        files: lasso,
        command: "check m.pml --acceptance",
    },
    Dimension {
        name: "steps of a simulation",
        size: 500,
        most: 1 << 18,
        files: run,
        command: "simulate m.pml --seed 1",
    },
    Dimension { name: "states of a claim", size: 1_000, most: 1 << 19, files: claimed, command: CHECK },
    Dimension {
        name: "values of a tuned parameter",
        size: 16,
        most: 4_096,
        files: tuned,
        command: "tune m.pml --minimize time --goal done --parameters X",
    },
];

const CHECK: &str = "check m.pml";

fn file(text: String) -> Vec<File> {
    vec![("m.pml", text)]
}

fn active(head: &str, body: &str) -> Vec<File> {
    file(format!("{head}active proctype P() {{\n{body}\n}}\n"))
}

fn processes(n: usize) -> Vec<File> {
    let all = lines(n, |i| format!("active proctype P{i}() {{ t == {i} -> t = {} }}", i + 1));
    file(format!("short t;\n{all}"))
}

fn process_types(n: usize) -> Vec<File> {
    file(format!(
        "short t;\n{}init {{ run P1() }}\n",
        lines(n, |i| format!("proctype P{i}() {{ t = {} }}", i % 999))
    ))
}

fn statements(n: usize) -> Vec<File> {
    active("int x;\n", &lines(n, |i| format!("x = {i};")))
}

fn d_step(n: usize) -> Vec<File> {
    active("int x;\n", &format!("d_step {{ {} }}", lines(n, |i| format!("x = x + {i};"))))
}

fn atomic(n: usize) -> Vec<File> {
    active("int x;\n", &format!("atomic {{ {} }}", lines(n, |i| format!("x = x ^ {i};"))))
}

fn loop_options(n: usize) -> Vec<File> {
    active(
        "short x;\n",
        &format!("do\n{}:: x == {n} -> break\nod", lines(n, |i| format!(":: x == {i} -> x = {}", i + 1))),
    )
}

fn choice_options(n: usize) -> Vec<File> {
    active("short x;\n", &format!("if\n{}fi; x = 0", lines(n, |i| format!(":: x = {i}"))))
}

fn choices(n: usize) -> Vec<File> {
    active("int x;\n", &lines(n, |i| format!("if :: x > {i} -> x = 1 :: else -> x = {} fi;", i + 1)))
}

fn nested_choices(n: usize) -> Vec<File> {
    active("short x;\n", &format!("{} skip {}", "if :: x == 0 ->\n".repeat(n), ":: else fi ".repeat(n)))
}

fn channels(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!("chan c{i} = [1] of {{ byte }};"));
    active(&declared, &format!("d_step {{ {} }}", lines(n, |i| format!("c{i}!{};", i % 256))))
}

fn places(n: usize) -> Vec<File> {
    active(&format!("chan c = [{n}] of {{ byte }};\n"), "do :: nfull(c) -> c!1 :: full(c) -> break od")
}

fn message_fields(n: usize) -> Vec<File> {
    let declared = format!("chan c = [1] of {{ {} }};\nbyte x;\n", joined(n, ", ", |_| "byte".to_owned()));
    active(
        &declared,
        &format!(
            "c!{}; c?{}",
            joined(n, ",", |i| format!("{}", i % 256)),
            joined(n, ",", |_| "x".to_owned())
        ),
    )
}

fn mtypes(n: usize) -> Vec<File> {
    active(
        &format!("mtype = {{ {} }};\nmtype x;\n", joined(n, ", ", |i| format!("m{i}"))),
        &lines(n, |i| format!("x = m{i};")),
    )
}

fn nested_inlines(n: usize) -> Vec<File> {
    let inlines = lines(n, |i| format!("inline f{}(a) {{ f{i}(a) }}", i + 1));
    active(&format!("int x;\ninline f0(a) {{ a = a + 1 }}\n{inlines}"), &format!("f{n}(x)"))
}

fn inline_calls(n: usize) -> Vec<File> {
    active("int x;\ninline f(a, b) { a = a + b }\n", &lines(n, |i| format!("f(x, {i});")))
}

fn array(n: usize) -> Vec<File> {
    active(
        &format!("short a[{n}];\nshort i;\n"),
        &format!("d_step {{ for (i : 0 .. {}) {{ a[i] = i & 7 }} }}\nassert(a[1] == 1)", n - 1),
    )
}

fn globals(n: usize) -> Vec<File> {
    active(
        &lines(n, |i| format!("byte x{i} = {};", i % 256)),
        &format!("d_step {{ {} }}", lines(n, |i| format!("x{i}++;"))),
    )
}

fn locals(n: usize) -> Vec<File> {
    active(
        "",
        &format!(
            "{} d_step {{ {} }}",
            lines(n, |i| format!("byte x{i} = {};", i % 256)),
            lines(n, |i| format!("x{i}++;"))
        ),
    )
}

fn fields(n: usize) -> Vec<File> {
    let declared = lines(n, |i| format!(" byte x{i} = {};", i % 256));
    active(
        &format!("typedef T {{\n{declared}}};\nT v;\n"),
        &format!("d_step {{ {} }}", lines(n, |i| format!("v.x{i}++;"))),
    )
}

fn claims(n: usize) -> Vec<File> {
    file(format!(
        "byte x;\nactive proctype P() {{ x = 1 }}\n{}",
        lines(n, |i| format!("ltl p{i} {{ [] (x < {}) }}", i + 2))
    ))
}

fn long_claim(n: usize) -> Vec<File> {
    let all = joined(n, " && ", |i| format!("[] (x < {})", i + 2));
    file(format!("byte x;\nactive proctype P() {{ x = 1 }}\nltl p {{ {all} }}\n"))
}

fn macros(n: usize) -> Vec<File> {
    active(
        &format!("int x;\n{}", lines(n, |i| format!("#define M{i} {i}"))),
        &lines(n, |i| format!("x = M{i};")),
    )
}

fn nested_macros(n: usize) -> Vec<File> {
    active(
        &format!("int x;\n#define M0 1\n{}", lines(n, |i| format!("#define M{} M{i}", i + 1))),
        &format!("x = M{n};"),
    )
}

fn macro_arguments(n: usize) -> Vec<File> {
    let (names, values) = (joined(n, ",", |i| format!("a{i}")), joined(n, ",", |i| format!("{i}")));
    active(
        &format!("int x;\n#define M({names}) {}\n", joined(n, "+", |i| format!("a{i}"))),
        &format!("x = M({values});"),
    )
}

fn sections(n: usize) -> Vec<File> {
    active(
        &format!(
            "#define A\nint x;\n{}",
            lines(n, |i| format!("#ifdef A\n#define B{i} {i}\n#else\n#define B{i} 0\n#endif"))
        ),
        "x = B1",
    )
}

fn includes(n: usize) -> Vec<File> {
    let all = "#include \"i.h\"\n".repeat(n);
    vec![
        ("m.pml", format!("{all}int x;\nactive proctype P() {{ x = ONE }}\n")),
        ("i.h", "#define ONE 1\n".to_owned()),
    ]
}

fn jumps(n: usize) -> Vec<File> {
    active(
        "int x;\n",
        &format!("goto l0;\n{}l{n}: skip", lines(n, |i| format!("l{i}: x = {i}; goto l{};", i + 1))),
    )
}

fn sum(n: usize) -> Vec<File> {
    active("int x;\n", &format!("x = {}", joined(n, " + ", |i| format!("(x & {i})"))))
}

fn parentheses(n: usize) -> Vec<File> {
    active("int x;\n", &format!("x = {}1{}", "(".repeat(n), ")".repeat(n)))
}

fn long_names(n: usize) -> Vec<File> {
    let name = "x".repeat(n);
    file(format!(
        "byte {name};\nactive proctype P{name}() {{ {name} = 1; {name}l: {name}++ }}\nltl c{name} {{ [] ({name} < 5) }}\n"
    ))
}

fn comments(n: usize) -> Vec<File> {
    active(&lines(n, |i| format!("/* {i} \u{e9} */ // {i}")), "skip")
}

fn mistakes(n: usize) -> Vec<File> {
    active("int x;\n", &lines(n, |i| format!("x = u{i};")))
}

fn suspicious(n: usize) -> Vec<File> {
    active("byte x;\n", &lines(n, |_| "x = 300;".to_owned()))
}

fn select(n: usize) -> Vec<File> {
    active("int x;\n", &format!("select (x : 1 .. {n}); assert(x > 0)"))
}

fn run(n: usize) -> Vec<File> {
    active("int x;\n", &format!("do :: x < {n} -> x++ :: else -> break od"))
}

fn error(n: usize) -> Vec<File> {
    active("int x;\n", &format!("do :: x < {n} -> x++ :: else -> break od; assert(false)"))
}

fn lasso(n: usize) -> Vec<File> {
    active("int x;\n", &format!("do :: x < {n} -> x++ :: else -> x = 0; accept: skip od"))
}

fn claimed(n: usize) -> Vec<File> {
    let text = format!("int x;\nactive proctype P() {{ do :: x < {n} -> x++ :: else -> x = 0 od }}\n");
    file(format!("{text}ltl p {{ [] (x == 0 -> <> (x == {n})) }}\n"))
}

fn tuned(n: usize) -> Vec<File> {
    // One option for each value: `select` has as many steps as the value.
    let values = lines(n, |i| format!(":: X = {}", i + 1));
    let run = "do :: time < 3 + X / 1000 -> time++ :: else -> break od; done = true";
    active("int X; int time; bool done;\n", &format!("if\n{values}fi; {run}"))
}
