//! Kernels whose directives depend on parameters: a kernel that is a choice between variants takes the time of the text that a
//! compiler would see.

use crate::common::{model, platform, table};
use volvelle_diagnostics::{FileId, RenderOptions, Sources, render_all};
use volvelle_opencl::{Model, Request, read, table as tables};

const HEAD: &str = "// volvelle: size = 64
// volvelle: parameter WG = 2, 4, 8
// volvelle: parameter MODE = 0, 1, 2, 3
// volvelle: parameter PAD = 0, 1
// volvelle: global = size, local = WG
";

/// Directives around functions, definitions, declarations and statements, in each other, with `#elif`, `#ifndef`, `defined`, and `#error`.
const KERNEL: &str = "#if MODE == 3 && PAD
#error no padding in mode 3
#endif
#if MODE > 1
  #define TRIPS (4 * MODE)
  #if PAD
    #define LENGTH (WG + 2)
  #elif MODE == 2
    #define LENGTH (WG + 1)
  #else
    #define LENGTH WG
  #endif
#else
  #define TRIPS 3
  #define LENGTH (2 * WG)
#endif
#ifndef WIDE
  #define WIDE 0
#endif
#if defined(MODE) && !WIDE && MODE != 1
float once(float x) { return x * 2.0f; }
#else
float once(float x) { return x * 2.0f + 1.0f; }
#endif
__kernel void k(__global float *a) {
#if PAD == 1
  __local float s[LENGTH][4];
#else
  __local float s[LENGTH][2];
#endif
  int l = get_local_id(0);
  float x = 0;
  for (int i = 0; i < TRIPS; i++) x += once(a[get_global_id(0) + i]);
#if MODE == 2
  s[l][0] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = s[WG - 1 - l][0];
#elif MODE == 0
  if (l < WG / 2) x += a[l];
#endif
  a[get_global_id(0)] = x;
}
";

/// The model of the text for a configuration, whose macros are constants.
fn alone(values: &[i64]) -> Result<Model, String> {
    let names = ["WG", "MODE", "PAD"];
    let constants = names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let mut sources = Sources::new();
    let text = format!("{HEAD}{KERNEL}");
    let file = sources.add("kernel.cl", &*text);
    let (kernel, found) = read(file, &text, &Request { constants, ..Request::default() });
    let Some(kernel) = kernel else { return Err(render_all(&found, &sources, RenderOptions::default())) };
    Model::new(&kernel, &platform("p104-100")).map_err(|found| format!("{found:?}"))
}

#[test]
fn variants_are_what_a_compiler_sees() {
    let all = model(&format!("{HEAD}{KERNEL}"), &platform("p104-100"));
    let rows = table(&all, 64);
    assert_eq!(rows.len(), 3 * (4 * 2 - 1));
    let mut names = vec![0; all.names.len()];
    for row in &rows {
        let one = alone(&row.values).unwrap();
        let size = one.names.find("size").unwrap();
        let mut sizes = vec![0; one.names.len()];
        sizes[size.0 as usize] = 64;
        let expected = tables::row(&one, &sizes, &[]);
        assert_eq!(row.time, expected.time, "{:?}", row.values);
        // The bytes of local memory as well.
        names[all.names.find("size").unwrap().0 as usize] = 64;
        for (parameter, value) in all.launch.parameters.iter().zip(&row.values) {
            names[parameter.name.0 as usize] = *value;
        }
        let bytes = |model: &Model, names: &[i64]| {
            model.local_bytes.value(&volvelle_opencl::expression::Values::of(names)).unwrap()
        };
        assert_eq!(bytes(&all, &names), bytes(&one, &sizes), "{:?}", row.values);
    }
    let times: std::collections::BTreeSet<u64> =
        rows.iter().filter_map(|row| row.time.clone().ok()).collect();
    assert!(times.len() > 8, "the variants differ: {times:?}");
    // What has an `#error` is no configuration, by either way.
    assert!(!rows.iter().any(|row| row.values[1..] == [3, 1]));
    assert!(alone(&[2, 3, 1]).unwrap_err().contains("no padding in mode 3"));
}

/// Barriers, accesses, keywords, and loops that macros stand for count as where they are written out.
#[test]
fn macros_are_what_they_stand_for() {
    let head = "// volvelle: parameter WG = 2, 4, 8
// volvelle: global = size, local = WG
";
    let with_macros = "#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define FENCE SYNC
#define LID get_local_id(0)
#define SHARED(name, n) __local float name[n]
#define AT(x, i) x[(i)]
#define ADD(to, x) (to += (x) * AT(a, LID))
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define TWICE(n) (2 * (n))
__kernel void k(__global float *a) {
  SHARED(s, TWICE(WG));
  float x = 0;
  EACH(i, TWICE(WG)) { ADD(x, AT(a, i * WG + LID)); }
  AT(s, LID) = x;
  SYNC;
  // volvelle: trips = 3
  while (AT(s, 0) > 0) { x += AT(s, WG - 1 - LID); FENCE; }
  a[get_global_id(0)] = x;
}
";
    let without = "__kernel void k(__global float *a) {
  __local float s[2 * WG];
  float x = 0;
  for (int i = 0; i < 2 * WG; i++) { x += a[i * WG + get_local_id(0)] * a[get_local_id(0)]; }
  s[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  // volvelle: trips = 3
  while (s[0] > 0) { x += s[WG - 1 - get_local_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); }
  a[get_global_id(0)] = x;
}
";
    for platform in [platform("p104-100"), platform("abstract")] {
        let times = |text: &str| {
            let model = model(&format!("{head}{text}"), &platform);
            table(&model, 32).into_iter().map(|row| row.time).collect::<Vec<_>>()
        };
        let (expected, found) = (times(without), times(with_macros));
        assert!(expected.iter().all(Result::is_ok) && expected.len() == 3, "{expected:?}");
        assert_eq!(found, expected);
    }
}

/// Vectors have the size of their lanes, whatever names their type: a macro, or a `typedef`.
#[test]
fn names_of_types() {
    let text = |named: &str, ty: &str| {
        format!(
            "// volvelle: parameter WG = 32, 64
// volvelle: global = size / 4, local = WG
{named}
__kernel void k(__global const {ty} *a, __global {ty} *b) {{
  __local {ty} s[WG];
  s[get_local_id(0)] = a[get_global_id(0)];
  b[get_global_id(0)] = s[get_local_id(0)];
}}"
        )
    };
    let platform = platform("p104-100");
    let found = |named: &str, ty: &str| {
        let model = model(&text(named, ty), &platform);
        let times: Vec<_> = table(&model, 4096).into_iter().map(|row| row.time).collect();
        (times, model.local_bytes)
    };
    let vectors = found("", "float4");
    assert_ne!(vectors, found("", "float"));
    assert_eq!(found("#define vector float4", "vector"), vectors);
    assert_eq!(found("typedef float4 vector;", "vector"), vectors);
    assert_eq!(found("typedef float4 four;\n#define wide four\ntypedef wide vector;", "vector"), vectors);
    // A type that names itself is no reason not to end.
    found("#define a_type b_type\n#define b_type a_type", "a_type");
}

/// Components of variables are registers, and a parameter may be for the compiler alone.
#[test]
fn components_of_variables_are_no_memory() {
    let head = "// volvelle: parameter WG = 2, 4; parameter UNROLL = 1, 2
// volvelle: global = size, local = WG
";
    let vectors = "typedef struct { float4 at; float mass; } body;
__kernel void k(__global float *a) {
  float4 v; body b;
  #pragma unroll UNROLL
  for (int i = 0; i < 4; i++) { v.x = a[i]; b.at.y = v.x; (b.mass) += v.x; v.w++; }
  a[get_global_id(0)] = v.x + b.mass;
}
";
    let scalars = "__kernel void k(__global float *a) {
  float x, w = a[0], y, mass = a[0];
  #pragma unroll UNROLL
  for (int i = 0; i < 4; i++) { x = a[i]; y = x; mass += x; w++; }
  a[get_global_id(0)] = x + mass;
}
";
    let platform = platform("abstract");
    let times = |text: &str| {
        let model = model(&format!("{head}{text}"), &platform);
        table(&model, 32).into_iter().map(|row| row.time).collect::<Vec<_>>()
    };
    let scalar = times(scalars);
    assert!(scalar.iter().all(Result::is_ok) && scalar.len() == 4, "{scalar:?}");
    let vector = times(vectors);
    // Without the two loads at the beginning: what a group saves, times the groups of a unit.
    let loads = |wg: u64| 2 * u64::from(platform.costs.global) * wg.div_ceil(4) * (32 / wg / 2);
    for (at, (one, other)) in scalar.iter().zip(&vector).enumerate() {
        let wg = [2, 2, 4, 4][at];
        assert_eq!(one.as_ref().unwrap() - other.as_ref().unwrap(), loads(wg), "{at}");
    }
}

/// Values of the request replace those of the text. Other values are rejected, since their variants were not
/// read.
#[test]
fn values_that_were_not_read_are_no_configurations() {
    let text = format!("{HEAD}{KERNEL}");
    let values = vec![("MODE".to_owned(), vec![2, 7])];
    let (kernel, found) = read(FileId(0), &text, &Request { values, ..Request::default() });
    assert_eq!(found, []);
    let kernel = kernel.unwrap();
    let model = Model::new(&kernel, &platform("p104-100")).unwrap();
    let mut names = vec![0; model.names.len()];
    names[model.names.find("size").unwrap().0 as usize] = 64;
    assert!(tables::row(&model, &names, &[4, 7, 0]).time.is_ok());
    assert!(tables::row(&model, &names, &[4, 0, 0]).time.unwrap_err().to_string().contains("directives"));
}

/// Mistakes in several variants are reported once, and too many variants are rejected.
#[test]
fn mistakes_are_told_once() {
    let errors = |text: &str, parameters: &[&str]| {
        let mut sources = Sources::new();
        let file = sources.add("kernel.cl", text);
        let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
        let (kernel, found) = read(file, text, &Request { parameters, ..Request::default() });
        assert!(kernel.is_none());
        render_all(&found, &sources, RenderOptions::default())
    };
    let twice = errors(&format!("{HEAD}{}", KERNEL.replace("i < TRIPS", "a[i] > 0")), &[]);
    assert_eq!(twice.matches("depends on data").count(), 1, "{twice}");
    let text = "// volvelle: parameter A = range(1, 2000)
// volvelle: global = 64, local = A
#if A > 7
#endif
__kernel void k(__global int *a) { a[get_global_id(0)] = A; }";
    let many = errors(text, &[]);
    assert!(many.contains("this condition depends on the parameter `A`"), "{many}");
    assert!(many.contains("more than 1024 combinations"), "{many}");
    let none = errors(&text.replace("// volvelle: parameter A = range(1, 2000)\n", ""), &["A"]);
    assert!(none.contains("// volvelle: parameter A = 1, 2"), "{none}");
}
