//! What cannot be read or abstracted is reported with its place; nothing makes the reader panic.

use crate::common::{example, platform};
use volvelle_diagnostics::{Code, RenderOptions, Severity, Sources, codes, render_all};
use volvelle_opencl::{Model, Platform, Question, problem};

/// The errors of a kernel and the text that each of them points at.
fn errors(text: &str, question: &Question) -> Vec<(Code, String)> {
    let mut sources = Sources::new();
    let file = sources.add("kernel.cl", text);
    let (problem, mut found) = problem(&mut sources, file, text, question);
    if let Some(problem) = &problem
        && let Err(more) = Model::new(&problem.kernel, &platform("p104-100"))
    {
        found.extend(more);
    }
    let _ = render_all(&found, &sources, RenderOptions::default());
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors
        .map(|d| (d.code, d.primary.as_ref().map_or("", |label| sources.text(label.span)).to_owned()))
        .collect()
}

fn of_body(body: &str) -> Vec<(Code, String)> {
    let text = format!(
        "// volvelle: global = size, local = WG
__kernel void f(__global int *a, __global int (*g)(int)) {{
  int i = get_global_id(0), lane = get_local_id(0);
  {body}
}}
"
    );
    errors(&text, &question("WG=4", 16))
}

fn question(parameters: &str, size: u64) -> Question {
    Question { parameters: vec![parameters.to_owned()], size: Some(size.to_string()), ..Question::default() }
}

#[track_caller]
fn refused(body: &str, code: Code, at: &str) {
    let found = of_body(body);
    assert!(found.iter().any(|(c, text)| *c == code && text == at), "{body}: {found:?}");
}

#[test]
fn what_depends_on_data_is_asked_for() {
    refused("while (a[i] > 0) a[i]--;", codes::KERNEL_ABSTRACTION, "(a[i] > 0)");
    refused("for (int k = 0; k < a[0]; k++) a[k] = 1;", codes::KERNEL_ABSTRACTION, "k < a[0]");
    refused(
        "for (int k = 0; k < 9; k++) { if (a[k]) break; a[k] = 1; }",
        codes::KERNEL_ABSTRACTION,
        "break;",
    );
    refused("if (a[i] > 0) barrier(CLK_LOCAL_MEM_FENCE);", codes::KERNEL_ABSTRACTION, "(a[i] > 0)");
    refused("if (lane > 0) barrier(CLK_LOCAL_MEM_FENCE);", codes::KERNEL_ABSTRACTION, "(lane > 0)");
    refused("goto end; end: a[0] = 1;", codes::KERNEL_ABSTRACTION, "goto end;");
    refused("a[0] = mystery(3);", codes::KERNEL_ABSTRACTION, "mystery(3)");
    refused("a[0] = (*g)(3);", codes::KERNEL_ABSTRACTION, "(*g)");
    refused("a[0] = UNKNOWN;", codes::KERNEL_ABSTRACTION, "UNKNOWN");
    refused("for (;;) a[0] = 1;", codes::KERNEL_ABSTRACTION, "for (;;) a[0] = 1;");
    refused("for (int k = 1; k < 9; k = 9 - k) a[0] = 1;", codes::KERNEL_ABSTRACTION, "k < 9");
    // A step that is left out in some iterations.
    refused(
        "int k = 0; while (k < 9) { if (k == i) continue; k += 2; }",
        codes::KERNEL_ABSTRACTION,
        "(k < 9)",
    );
    refused(
        "for (int k = 0; k < 9; k++) if (k % 4 == 3) break; a[0] = 1;",
        codes::KERNEL_ABSTRACTION,
        "for (int k = 0; k < 9; k++) if (k % 4 == 3) break;",
    );
    refused("a[0] = ;", codes::KERNEL_TEXT, "=");
}

#[test]
fn annotations_answer() {
    for body in [
        "// volvelle: trips = size / WG\n  while (a[i] > 0) a[i]--;",
        "while (a[i] > 0) a[i]--; // volvelle: trips = 3",
        "// volvelle: trips = lane\n  for (int k = 0; k < 9; k++) { if (a[k]) break; a[k] = 1; }",
        "// volvelle: cost = 3 * WG\n  a[0] = mystery(3);",
        "// volvelle: taken = never\n  if (a[i] > 0) a[0] = 1;",
    ] {
        assert_eq!(of_body(body), [], "{body}");
    }
    refused("// volvelle: trips = a\n  while (a[i]) a[i]--;", codes::KERNEL_ANNOTATION, "a");
    refused("// volvelle: taken = perhaps\n  if (a[i]) a[i]--;", codes::KERNEL_ANNOTATION, "perhaps");
    refused("// volvelle: trips = 3 +\n  while (a[i]) a[i]--;", codes::KERNEL_ANNOTATION, "");
}

#[test]
fn a_function_that_calls_itself() {
    let text = "// volvelle: global = size, local = WG
int f(int n) { return n + f(n - 1); }
__kernel void k(__global int *a) { a[0] = f(3); }";
    let found = errors(text, &question("WG=4", 16));
    assert_eq!(found, [(codes::KERNEL_ABSTRACTION, "f(n - 1)".to_owned())]);
}

#[test]
fn questions_without_an_answer() {
    let text = example("examples/kernels/minimum.cl");
    let code = |question: &Question| errors(&text, question).first().map(|(code, _)| *code);
    assert_eq!(code(&question("WG,TSS", 16)), Some(codes::KERNEL_PARAMETER));
    assert_eq!(code(&question("WG=3,TS=5", 16)), Some(codes::KERNEL_SPACE));
    assert_eq!(
        code(&Question { size: Some("2^".to_owned()), ..Question::default() }),
        Some(codes::KERNEL_ANNOTATION)
    );
    let kernel = Some("maximum".to_owned());
    assert_eq!(code(&Question { kernel, ..Question::default() }), Some(codes::KERNEL_CHOICE));
    let constraints = vec!["WG < XY".to_owned()];
    assert_eq!(code(&Question { constraints, ..Question::default() }), Some(codes::KERNEL_PARAMETER));
    assert_eq!(code(&Question::default()), None);
}

#[test]
fn a_launch_that_is_not_described() {
    let found = errors("__kernel void k(__global int *a) { a[0] = WG; }", &question("WG=4", 16));
    assert_eq!(found, [(codes::KERNEL_LAUNCH, "k".to_owned())]);
    let found = errors("int f() { return 1; }", &question("WG=4", 16));
    assert_eq!(found, [(codes::KERNEL_CHOICE, String::new())]);
}

/// Pieces of the examples in every order that a simple generator finds: the reader answers each with diagnostics or a model.
#[test]
fn broken_texts_are_no_reason_to_panic() {
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    for name in ["abstract", "minimum", "matmul", "reduction"] {
        let text = example(&format!("examples/kernels/{name}.cl"));
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ';', ',']).collect();
        for _ in 0..60 {
            let mut broken = words.clone();
            for _ in 0..=next(4) {
                let (from, to) = (next(broken.len()), next(broken.len()));
                match next(3) {
                    0 => broken.swap(from, to),
                    1 => broken[from] = words[to],
                    _ => {
                        broken.remove(from);
                    }
                }
            }
            let _ = errors_of_any(&broken.concat());
        }
    }
    for text in [
        "",
        "#if",
        "#define",
        "/*",
        "// volvelle:",
        "\"",
        "'\\",
        "__kernel",
        "__attribute__((",
        "\u{0}é__local",
    ] {
        let _ = errors_of_any(text);
    }
    let deep =
        format!("__kernel void k(__global int *a) {{ a[0] = {}1{}; }}", "(".repeat(5000), ")".repeat(5000));
    let _ = errors_of_any(&deep);
    let chain = format!("__kernel void k(__global int *a) {{ {} }}", "if (a[0]) return; ".repeat(2000));
    let _ = errors_of_any(&chain);
}

fn errors_of_any(text: &str) -> usize {
    let mut sources = Sources::new();
    let file = sources.add("kernel.cl", text);
    let (problem, found) = problem(&mut sources, file, text, &question("WG=1,2", 16));
    let _ = render_all(&found, &sources, RenderOptions::default());
    if let Some(problem) = problem
        && let Ok(model) = Model::new(&problem.kernel, &platform("p104-100"))
    {
        for values in problem.configurations.iter().take(4) {
            let _ = volvelle_opencl::table::row(&model, &problem.names, values);
        }
        let file = "kernel.cl";
        let text = volvelle_opencl::emit::promela(
            &model,
            file,
            &problem.names,
            &problem.choices,
            &problem.configurations,
        );
        assert!(text.contains("proctype"));
    }
    found.len()
}

#[test]
fn platforms_are_written_as_they_are_read() {
    for name in ["abstract", "p104-100", "h200", "pocl"] {
        let platform = platform(name);
        let text = platform.write();
        let mut sources = Sources::new();
        let file = sources.add("platform.toml", text.clone());
        let (read, found) = Platform::read(file, &text);
        assert!(found.is_empty(), "{}", render_all(&found, &sources, RenderOptions::default()));
        assert_eq!(read, platform, "{text}");
    }
}

/// A time must not depend on costs that were not stated. A platform without any cost is rejected; missing
/// keys are listed with their assumed values.
#[test]
fn platforms_that_leave_out_what_decides() {
    let found = |text: &str| {
        let mut sources = Sources::new();
        let file = sources.add("platform.toml", text);
        let (_, found) = Platform::read(file, text);
        let is_error = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        (is_error, render_all(&found, &sources, RenderOptions::default()))
    };
    for text in ["", "name = \"mine\"", "[device]\nunits = 2\nelements = 4", "[time]"] {
        let (is_error, told) = found(text);
        assert!(is_error && told.contains("states no costs"), "{text}: {told}");
    }
    let whole = Platform::default().write();
    assert_eq!(found(&whole), (false, String::new()));
    // Each key of a whole description, left out.
    let mut section = "";
    for line in whole.lines() {
        if line.starts_with('[') {
            section = line.split(' ').next().unwrap_or("");
        }
        let Some((key, _)) = line.split_once(" = ").filter(|_| !section.is_empty()) else { continue };
        let (is_error, told) = found(&whole.replacen(line, "", 1));
        // Segments are those of warps.
        let expected = if key == "segment" { String::new() } else { format!("`{section}`: `{key} = ") };
        assert!(
            !is_error && told.contains(&expected) && told.is_empty() == (key == "segment"),
            "{key}: {told}"
        );
    }
    let (is_error, told) = found("[nanoseconds]\ngroup = 3.0\n[device]\nunits = 1\nwarp = 2\nelements = 2");
    assert!(!is_error && told.contains("`launch = 0`") && told.contains("`segment = 128`"), "{told}");
    assert!(!told.contains("`[time]`"), "{told}");
}

#[test]
fn mistakes_in_platforms() {
    for (text, code, at) in [
        ("[device]\nunits = 0", codes::PLATFORM_VALUE, "0"),
        ("[processor]\nitem = [1.0]", codes::PLATFORM_VALUE, "processor"),
        ("[processor]\ngroups = [4, 4]\nitem = [1.0]", codes::PLATFORM_VALUE, "4"),
        ("[processor]\ngroups = [1, 4]\nitem = [1.0]", codes::PLATFORM_VALUE, "item"),
        ("[processor]\ngroups = [1]\nitem = [-1.0]", codes::PLATFORM_VALUE, "-1.0"),
        ("[processor]\ngroups = [1]\nitem = 1", codes::PLATFORM_VALUE, "1"),
        ("[processor]\ngroups = [1]\ncaches = [[1, 2]]", codes::PLATFORM_VALUE, "[1, 2]"),
        ("[processor]\ngroups = [1]\nitems = [1]", codes::PLATFORM_KEY, "items"),
        ("[device]\nunits = -1", codes::PLATFORM_VALUE, "-1"),
        ("[device]\nunits = 2.5", codes::PLATFORM_VALUE, "2.5"),
        ("[device]\nprefetch = 1", codes::PLATFORM_VALUE, "1"),
        ("[device]\nwarp = 64\nelements = 32", codes::PLATFORM_VALUE, "warp"),
        ("[time]\nglobale = 4", codes::PLATFORM_KEY, "globale"),
        ("[nanoseconds]\nitem = -1.0", codes::PLATFORM_VALUE, "-1.0"),
        ("[nanoseconds]\nitems = 1.0", codes::PLATFORM_KEY, "items"),
        ("device = 3", codes::PLATFORM_VALUE, "3"),
        ("[device\nunits = 2", codes::PLATFORM_SYNTAX, ""),
    ] {
        let mut sources = Sources::new();
        let file = sources.add("platform.toml", text);
        let (_, found) = Platform::read(file, text);
        let places: Vec<(Code, &str)> = found
            .iter()
            .map(|d| (d.code, d.primary.as_ref().map_or("", |label| sources.text(label.span))))
            .collect();
        let matches = |(c, place): &(Code, &str)| *c == code && (at.is_empty() || *place == at);
        assert!(places.iter().any(matches), "{text}: {places:?}");
    }
}
