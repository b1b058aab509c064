//! Traits of kernels in public libraries: they are read, and mean what they mean to a compiler.

use crate::common::{model, platform, table};
use volvelle_opencl::Platform;

/// The times of all configurations on the abstract platform, or what is wrong.
fn times(text: &str) -> Vec<u64> {
    let rows = table(&model(text, &platform("abstract")), 256);
    rows.into_iter().map(|row| row.time.unwrap_or_else(|why| panic!("{why}\n{text}"))).collect()
}

/// A kernel with other lines of description and other code.
fn kernel(lines: &str, before: &str, body: &str) -> String {
    format!(
        "{lines}// volvelle: parameter WG = 16, 32
// volvelle: global = size, local = WG
// volvelle: argument x = random float[size]
// volvelle: argument y = zero float[size] -> each
// volvelle: argument n = int 4
{before}
__kernel void k(__global const float *x, __global float *y, int n) {{
  int g = get_global_id(0);
  float s = 0;
  {body}
  y[g] = s;
}}
"
    )
}

/// Two texts that mean the same take the same time.
#[track_caller]
fn same(before: &str, body: &str, plain: &str) {
    assert_eq!(times(&kernel("", before, body)), times(&kernel("", "", plain)), "{before}\n{body}");
}

#[test]
fn macros_may_be_anything() {
    let plain = "s += x[g];";
    for (before, body) in [
        ("#define NOTHING(v)", "s += x[g]; NOTHING(s);"),
        ("#define EMPTY", "EMPTY s EMPTY += x[g];"),
        ("#define INLINE inline\nINLINE float id(const float v) { return v; }", "s += id(x[g]);"),
        ("#define FUNC static inline\nFUNC float id(float v) { return v; }", "s += id(x[g]);"),
        ("#define real float\ninline real id(real v) { return v; }", "s += id(x[g]);"),
        (
            "#define GLOBAL __global\n#define CONST const\nfloat id(GLOBAL CONST float *p) { return *p; }",
            "s += id(x + g);",
        ),
        ("#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)", "float v1 = x[g]; s += JOIN(v, 1);"),
        ("#define LOG(...)", "LOG(\"%d\", g, s); s += x[g];"),
        ("#define DO(op, ...) s op __VA_ARGS__", "DO(+=, x[g]);"),
        ("#define TWO(a) do { s += (a); } while (0)", "TWO(x[g]);"),
        (
            "#if defined(WG) && WG >= 16 && !defined NOPE\n#define LOAD x[g]\n#else\n#define LOAD y[g] + x[g]\n#endif",
            "s += LOAD;",
        ),
        (
            "#define A 3\n#define B (A * 2)\n#if (B ^ A) == 5 && ~0 == -1\n#define LOAD x[g]\n#endif",
            "s += LOAD;",
        ),
        ("#define IS(a) ((a) == 3)\n#define A 3\n#if IS(A)\n#define LOAD x[g]\n#endif", "s += LOAD;"),
        ("#define OLD x[g]\n#define LOAD OLD\n#undef NOPE", "s += LOAD;"),
        ("#ifndef WG\n#define WG 1\n#elif WG > 1000\n#error too large\n#endif", "s += x[g];"),
        ("float id(__global const float * restrict p) { return *p; }", "s += id(&x[g]);"),
        ("float id(__global const float * __restrict p) { return p[0]; }", "s += id(&x[g]);"),
        ("__attribute__((always_inline)) float id(float v) { return v; }", "s += id(x[g]);"),
        ("__constant float weights[4] = { 1, 2, 3, 4 };", "s += x[g];"),
        ("typedef struct { float a, b; } pair;", "pair p; p.a = x[g]; s += p.a;"),
        ("enum { COUNT = 1 };", "for (int i = 0; i < COUNT; i++) s += x[g];"),
        ("", "const __global float *p = x + g; s += *p;"),
        ("", "const int at = (n > 3) ? g : 0; s += x[at];"),
        ("", "int i = 0; while (true) { s += x[g]; if (++i >= 1) break; }"),
        ("", "switch (n) { case 4: s += x[g]; break; default: s += x[0] + x[1]; }"),
        ("", "for (int i = 0; i < n; i++) { if (i > 0) continue; s += x[g]; }"),
        ("", "int i = 0; while (i < 1) { if (++i > 9) continue; s += x[g]; }"),
        ("", "for (int i = 0, j = 1; i < j; i++) s += x[g];"),
        ("", "for (uint i = 0u; i < 1u; ++i) s += x[g];"),
        ("", "for (int i = n; i --> 3;) s += x[g];"),
        ("", "float2 v; v.x = x[g]; s += v.x;"),
        ("", "float4 v = (float4)(x[g], 0, 0, 0); s += v.s0;"),
        ("", "if (g >= (int)get_global_size(0)) { return; } s += x[g];"),
        ("", "#pragma unroll\n  for (int i = 0; i < 1; i++) s += x[g];"),
        ("", "__attribute__((opencl_unroll_hint(2)))\n  for (int i = 0; i < 1; i++) s += x[g];"),
    ] {
        let (before, body) = (before, body);
        same(before, body, plain);
    }
}

/// Values of parameters that are left by conditions.
fn left(lines: &str) -> Vec<i64> {
    let text = kernel(&format!("// volvelle: constraint {lines}\n"), "", "s += x[g] * WG;")
        .replace("WG = 16, 32", "WG = 1, 2, 4, 8, 16, 32, 64");
    let rows = table(&model(&text, &platform("abstract")), 256);
    rows.iter().map(|row| row.values[0]).collect()
}

#[test]
fn conditions_as_other_tuners_write_them() {
    for (condition, expected) in [
        ("WG in [32]", vec![32]),
        ("WG in (2, 4, 99)", vec![2, 4]),
        ("WG not in [1, 2, 4, 8]", vec![16, 32, 64]),
        ("WG in []", vec![]),
        ("WG//32 == 1", vec![32]),
        ("WG // 3 in [1, 2]", vec![4, 8]),
        ("-WG // 3 == -1", vec![1, 2]),
        ("4 < WG <= 16", vec![8, 16]),
        ("2 <= WG < 32 and not WG == 8", vec![2, 4, 16]),
        ("not WG < 16 or WG == 1", vec![1, 16, 32, 64]),
        ("WG ** 2 == 64", vec![8]),
        ("min(WG, 8, 4) == 4 and max(WG, 1, 16) == 16", vec![4, 8, 16]),
        ("abs(WG - 8) <= 4", vec![4, 8]),
        ("(WG if WG > 8 else 2) == 2", vec![1, 2, 4, 8]),
        ("WG % 4 == 0 and (WG & 8 or WG == 64)", vec![8, 64]),
        ("WG > 8 ? WG < 64 : WG == 1", vec![1, 16, 32]),
        ("True and WG == 4", vec![4]),
        ("int(WG / 8) == 1", vec![8]),
    ] {
        assert_eq!(left(condition), expected, "{condition}");
    }
}

/// Sizes that are rounded up need not be multiples; other quotients need to.
#[test]
fn sizes_that_are_rounded_up() {
    let text = |global: &str| {
        format!(
            "// volvelle: size = 1000
// volvelle: parameter WG = 32, 64, 128
// volvelle: global = {global}, local = WG
// volvelle: argument x = random float[size]
// volvelle: argument y = zero float[size] -> each
// volvelle: argument n = int size
__kernel void k(__global const float *x, __global float *y, int n) {{ int i = get_global_id(0); if (i < n) y[i] = 2 * x[i]; }}
"
        )
    };
    let up = "((size + WG - 1) / WG) * WG";
    for global in [
        up,
        "(size + (WG - 1)) / WG * WG",
        "((size - 1) / WG + 1) * WG",
        "(size / WG + (size % WG != 0)) * WG",
        "-(-size // WG) * WG",
    ] {
        let rows = table(&model(&text(global), &platform("abstract")), 1000);
        assert_eq!(rows.len(), 3, "{global}");
        let expected = table(&model(&text(up), &platform("abstract")), 1000);
        assert_eq!(rows, expected, "{global}");
    }
    // 1000 items load and store; the rest does nothing.
    let plain = Platform { units: 1, ..Platform::default() };
    let rows = table(&model(&text(up), &plain), 1000);
    assert!(rows.iter().all(|row| row.time == Ok(8 * 1000)), "{rows:?}");
    assert_eq!(table(&model(&text("size / WG * WG"), &plain), 1024).len(), 3);
    assert_eq!(table(&model(&text("size / WG * WG"), &plain), 1000).len(), 0);
}

/// Rows that are padded by macros of macros.
#[test]
fn local_arrays_with_sizes_from_macros() {
    let text = "// volvelle: size = 1024
// volvelle: parameter B = 16, 48, 64
// volvelle: global = size * 3, local = B
// volvelle: argument x = random float[size * 3]
// volvelle: argument y = zero float[size * 3] -> each
#define ROW (B * 2 + 4)
#if (B % 32 != 0) && ((ROW - B) % 32 != 0)
#define PAD (32 - (ROW - B) % 32)
#undef ROW
#define ROW (B * 2 + 4 + PAD)
#endif
__kernel void k(__global const float *x, __global float *y) { __local float t[ROW]; t[get_local_id(0)] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); y[get_global_id(0)] = t[get_local_id(0)]; }
";
    let model = model(text, &platform("abstract"));
    for (b, row) in [(16, 36 + 12), (48, 100 + 12), (64, 132)] {
        let mut names = vec![0; model.names.len()];
        for (name, value) in [("size", 1024), ("B", b)] {
            names[model.names.find(name).unwrap().0 as usize] = value;
        }
        let small = Platform { local_memory_bytes: 4 * row - 1, ..platform("abstract") };
        let refused = volvelle_opencl::Model { platform: small, ..model.clone() };
        let needs = volvelle_opencl::compose::time(&refused, &names).unwrap_err().to_string();
        assert!(needs.contains(&format!("needs {} bytes", 4 * row)), "{b}: {needs}");
    }
}
