//! Programs of message-passing primitives, protocols and studies.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "statements", size: 10, most: 1_280, files: statements, command: "mpi m.toml" },
    Dimension { name: "computations", size: 10, most: 2_560, files: computations, command: "mpi m.toml" },
    Dimension { name: "shared variables", size: 5, most: 640, files: variables, command: "mpi m.toml" },
    Dimension { name: "procedures", size: 10, most: 2_560, files: procedures, command: "mpi m.toml" },
    Dimension {
        name: "procedures that call the next",
        size: 5,
        most: 640,
        files: nested_procedures,
        command: "mpi m.toml",
    },
    Dimension { name: "constants", size: 10, most: 5_120, files: constants, command: "mpi m.toml" },
    Dimension { name: "branches", size: 10, most: 1_280, files: branches, command: "mpi m.toml" },
    Dimension { name: "turns of a for", size: 5, most: 1_280, files: turns, command: "mpi m.toml" },
    Dimension { name: "rows of a protocol", size: 10, most: 2_560, files: rows, command: "mpi m.toml" },
    Dimension { name: "values of a parameter", size: 5, most: 640, files: values, command: "mpi m.toml" },
    Dimension { name: "values of latencies", size: 5, most: 1_280, files: latencies, command: "mpi m.toml" },
    Dimension { name: "places", size: 8, most: 1_024, files: places, command: "mpi m.toml" },
    Dimension { name: "summands of an expression", size: 10, most: 2_560, files: sum, command: "mpi m.toml" },
    Dimension {
        name: "letters of names",
        size: 500,
        most: 1 << 19,
        files: long_names,
        command: "mpi m.toml",
    },
    Dimension { name: "comments", size: 250, most: 1 << 18, files: comments, command: "mpi m.toml" },
    Dimension { name: "mistakes", size: 10, most: 5_120, files: mistakes, command: "mpi m.toml" },
    Dimension {
        name: "rows of printed programs",
        size: 10,
        most: 640,
        files: statements,
        command: "mpi m.toml --explain",
    },
];

fn study(program: String, parameters: &str, latencies: &str, protocol: &str) -> Vec<File> {
    let toml = format!(
        "program = \"m.mpi\"\nprotocol = \"{protocol}\"\n[parameters]\n{parameters}\n[topology]\nshape = [2, 2]\n[processes]\n\"*\" = \"compact\"\n\
         [latencies]\nHit = 5\nMem = 180\n\"Mem+lookup\" = 230\n\"Mem+inv\" = 230\nCache = 200\n{latencies}"
    );
    vec![("m.toml", toml), ("m.mpi", program)]
}

fn plain(program: String) -> Vec<File> {
    study(program, "", "", "MESI")
}

fn process(before: &str, body: &str) -> String {
    format!("shared x : 0 .. 3 home 0;\n{before}process P0 {{ loop {{ measure START;\n{body}}} }}\n")
}

fn statements(n: usize) -> Vec<File> {
    plain(process("", &lines(n, |_| "read x;".to_owned())))
}

fn computations(n: usize) -> Vec<File> {
    plain(process("", &format!("local k : 0 .. 3 = 0;\n{}x = k;\n", lines(n, |i| format!("k = {};", i % 4)))))
}

fn variables(n: usize) -> Vec<File> {
    plain(process(&lines(n, |i| format!("shared y{i} : bool home 0;")), "read x;\n"))
}

fn procedures(n: usize) -> Vec<File> {
    plain(process(&lines(n, |i| format!("procedure f{i}() {{ read x; }}")), "f1();\n"))
}

fn nested_procedures(n: usize) -> Vec<File> {
    plain(process(
        &format!(
            "procedure f0() {{ read x; }}\n{}",
            lines(n, |i| format!("procedure f{}() {{ f{i}(); }}", i + 1))
        ),
        &format!("f{n}();\n"),
    ))
}

fn constants(n: usize) -> Vec<File> {
    plain(process(&lines(n, |i| format!("const c{i} = {i};")), "x = c1;\n"))
}

fn branches(n: usize) -> Vec<File> {
    plain(process("", &lines(n, |i| format!("if (x == {}) {{ work 2.5; }}", i % 4))))
}

fn turns(n: usize) -> Vec<File> {
    plain(process("", &format!("for (r: 1..{n}) {{ read x; }}\n")))
}

fn rows(n: usize) -> Vec<File> {
    let rows = "\"load  S|M  *  ->  =  =  Hit\", \"load  I    I  ->  S  I  Mem\", \"load  I    S  ->  S  S  Mem\", \"load  I    M  ->  S  S  Mem\",\n\
                \"store M    I  ->  M  I  Hit\", \"store I|S  I  ->  M  I  Mem\", \"store I|S  S  ->  M  I  Mem+inv\", \"store I    M  ->  M  I  Cache\",\n";
    let more = lines(n, |_| "\"load  I    I  ->  S  I  Mem\",".to_owned());
    let text = format!(
        "name = \"own\"\nstates = [\"I\", \"S\", \"M\"]\nexclusive = [\"M\"]\ndirty = [\"M\"]\nrows = [\n{rows}{more}]\n"
    );
    let mut files = study(process("", "read x;\n"), "", "", "own.toml");
    files.push(("own.toml", text));
    files
}

fn values(n: usize) -> Vec<File> {
    study(
        process("const p = 1;\n", "x = p % 4;\n"),
        &format!("p = [{}]", joined(n, ", ", |i| i.to_string())),
        "",
        "MESI",
    )
}

fn latencies(n: usize) -> Vec<File> {
    study(
        process("", "read x;\n"),
        &format!("w = [{}]", joined(n, ", ", |i| (i + 1).to_string())),
        "Own = \"{w}\"\n",
        "MESI",
    )
}

fn places(n: usize) -> Vec<File> {
    let mut files = plain(process("", "read x;\n"));
    files[0].1 = files[0].1.replace("shape = [2, 2]", &format!("shape = [2, {n}]"));
    files
}

fn sum(n: usize) -> Vec<File> {
    plain(process(
        "",
        &format!("local k : 0 .. 3 = 0;\nx = ({}) % 4;\n", joined(n, " + ", |_| "k".to_owned())),
    ))
}

fn long_names(n: usize) -> Vec<File> {
    let name = "y".repeat(n);
    plain(process(&format!("shared {name} : bool home 0;\n"), &format!("read {name};\n")))
}

fn comments(n: usize) -> Vec<File> {
    plain(process(&lines(n, |i| format!("/* {i} */ // {i}")), "read x;\n"))
}

fn mistakes(n: usize) -> Vec<File> {
    plain(process("", &lines(n, |i| format!("read u{i};"))))
}
