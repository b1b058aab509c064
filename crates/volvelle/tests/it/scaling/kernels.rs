//! OpenCL kernels whose time is predicted.

use super::{Dimension, File, joined, lines};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension { name: "statements", size: 25, most: 6_400, files: statements, command: TUNE },
    Dimension { name: "accesses", size: 25, most: 6_400, files: accesses, command: TUNE },
    Dimension { name: "loops in sequence", size: 10, most: 2_560, files: loops, command: TUNE },
    Dimension { name: "branches in sequence", size: 10, most: 640, files: branches, command: TUNE },
    Dimension { name: "barriers", size: 10, most: 2_560, files: barriers, command: TUNE },
    Dimension { name: "blocks within blocks", size: 10, most: 5_120, files: nested_blocks, command: TUNE },
    Dimension { name: "macros", size: 25, most: 12_800, files: macros, command: TUNE },
    Dimension { name: "macros of macros", size: 10, most: 2_560, files: nested_macros, command: TUNE },
    Dimension { name: "functions", size: 10, most: 2_560, files: functions, command: TUNE },
    Dimension {
        name: "parameters of one value",
        size: 5,
        most: 640,
        files: parameters,
        command: TUNE_PARAMETERS,
    },
    Dimension {
        name: "values of a parameter",
        size: 16,
        most: 4_096,
        files: values,
        command: "tune k.cl --platform p.toml --size {n} --parameters WG=1:{n}",
    },
    Dimension { name: "constraints", size: 10, most: 2_560, files: constraints, command: TUNE },
    Dimension { name: "buffers", size: 10, most: 1_280, files: buffers, command: TUNE },
    Dimension { name: "summands of an expression", size: 50, most: 6_400, files: sum, command: TUNE },
    Dimension { name: "parentheses", size: 25, most: 6_400, files: parentheses, command: TUNE },
    Dimension { name: "letters of names", size: 500, most: 1 << 19, files: long_names, command: TUNE },
    Dimension { name: "comments", size: 500, most: 1 << 18, files: comments, command: TUNE },
    Dimension {
        name: "turns of a loop",
        size: 64,
        most: 1 << 20,
        files: turns,
        command: "tune k.cl --platform p.toml --size {n} --parameters WG=1,2",
    },
];

const TUNE: &str = "tune k.cl --platform p.toml --parameters WG=1,2";
const TUNE_PARAMETERS: &str = "tune k.cl --platform p.toml";

const PLATFORM: &str = include_str!("../../../../../platforms/abstract.toml");

/// A kernel, with what stands before it, more arguments and more comments for the launch.
fn kernel(before: &str, launch: &str, arguments: &str, body: &str) -> Vec<File> {
    let head = "// volvelle: size = 64\n// volvelle: parameter WG = powers(1, 16)\n// volvelle: global = size, local = WG\n\
                // volvelle: argument a = random int[size]\n// volvelle: argument b = zero int[size] -> each\n// volvelle: reference WG = 1\n";
    let text = format!(
        "{head}{launch}{before}__kernel void k(__global const int *a, __global int *b{arguments})\n{{\n  const int i = get_global_id(0);\n  int x = 0;\n{body}  b[i] = x;\n}}\n"
    );
    vec![("k.cl", text), ("p.toml", PLATFORM.to_owned())]
}

fn statements(n: usize) -> Vec<File> {
    kernel("", "", "", &lines(n, |i| format!("  x += {i};")))
}

fn accesses(n: usize) -> Vec<File> {
    kernel("", "", "", &lines(n, |_| "  x += a[i];".to_owned()))
}

fn loops(n: usize) -> Vec<File> {
    kernel("", "", "", &lines(n, |i| format!("  for (int j{i} = 0; j{i} < WG; j{i}++) x += a[i];")))
}

fn branches(n: usize) -> Vec<File> {
    kernel("", "", "", &lines(n, |i| format!("  if (get_local_id(0) == {i}) x += a[i];")))
}

fn barriers(n: usize) -> Vec<File> {
    kernel("", "", "", &lines(n, |_| "  x += a[i];\n  barrier(CLK_LOCAL_MEM_FENCE);".to_owned()))
}

fn nested_blocks(n: usize) -> Vec<File> {
    kernel("", "", "", &format!("{}x += a[i];{}\n", "{ ".repeat(n), " }".repeat(n)))
}

fn macros(n: usize) -> Vec<File> {
    kernel(&lines(n, |i| format!("#define M{i} {i}")), "", "", &lines(n, |i| format!("  x += M{i};")))
}

fn nested_macros(n: usize) -> Vec<File> {
    kernel(
        &format!("#define M0 1\n{}", lines(n, |i| format!("#define M{} M{i}", i + 1))),
        "",
        "",
        &format!("  x += M{n};\n"),
    )
}

fn functions(n: usize) -> Vec<File> {
    kernel(
        &lines(n, |i| format!("int f{i}(int y) {{ return y + {i}; }}")),
        "",
        "",
        &lines(n, |i| format!("  x += f{i}(x);")),
    )
}

fn parameters(n: usize) -> Vec<File> {
    let launch = lines(n, |i| {
        format!("// volvelle: parameter P{i} = {}\n// volvelle: reference P{i} = {}", i + 1, i + 1)
    });
    kernel("", &launch, "", &lines(n, |i| format!("  x += P{i};")))
}

fn values(_: usize) -> Vec<File> {
    kernel("", "", "", "  x += a[i];\n")
}

fn constraints(n: usize) -> Vec<File> {
    kernel("", &lines(n, |i| format!("// volvelle: constraint WG <= {}", i + 16)), "", "  x += a[i];\n")
}

fn buffers(n: usize) -> Vec<File> {
    let launch = lines(n, |i| format!("// volvelle: argument a{i} = random int[size]"));
    let arguments = (0..n).map(|i| format!(", __global const int *a{i}")).collect::<String>();
    kernel("", &launch, &arguments, &lines(n, |i| format!("  x += a{i}[i];")))
}

fn sum(n: usize) -> Vec<File> {
    kernel("", "", "", &format!("  x = {};\n", joined(n, " + ", |_| "a[i]".to_owned())))
}

fn parentheses(n: usize) -> Vec<File> {
    kernel("", "", "", &format!("  x = {}a[i]{};\n", "(".repeat(n), ")".repeat(n)))
}

fn long_names(n: usize) -> Vec<File> {
    let name = "y".repeat(n);
    kernel("", "", "", &format!("  int {name} = a[i]; x += {name};\n"))
}

fn comments(n: usize) -> Vec<File> {
    kernel(&lines(n, |i| format!("/* {i} */ // {i}")), "", "", "  x += a[i];\n")
}

fn turns(_: usize) -> Vec<File> {
    kernel("", "", "", "  for (int j = 0; j < get_global_size(0); j++) x += a[j];\n")
}
