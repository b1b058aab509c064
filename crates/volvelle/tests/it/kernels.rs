//! `volvelle tune` on kernels whose time is predicted: the composed time against an exploration of the model that is written.

use crate::common::{Folder, root};
use serde_json::{Value, json};

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect("a file of the repository")
}

/// Divergence, an early return, loops whose bounds depend on items and groups, data that decides, barriers under conditions.
const ODD: &str = "// volvelle: parameter L = 1, 2; parameter M = 1, 2
// volvelle: global = size, size; local = L, M
__kernel void odd(__global const float *a, __global float *b) {
  __local float t[L * M];
  int x = get_local_id(0), y = get_local_id(1);
  float s = 0;
  t[y * L + x] = a[get_global_id(1) * get_global_size(0) + get_global_id(0)];
  for (int k = get_group_id(0); k > 0; k--) { s += t[0]; barrier(CLK_LOCAL_MEM_FENCE); }
  if (x >= y) { if (x > 0) s += 1; for (int q = 0; q < x + y; q++) s += b[q]; }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(1) == 0) { s *= 2; barrier(CLK_LOCAL_MEM_FENCE); s += t[1]; }
  do { s = sqrt(s); x--; } while (x > 0);
  if (s > 3) s = b[0];
  if (y == 1) return;
  b[0] = s;
}
";

/// Loops with a stride of all items, which some items go through once more than others, conditions on the end of the data, a tree, and
/// directives on a parameter.
const STRIDES: &str = "// volvelle: parameter WG = 2, 4; parameter GROUPS = 1, 2; parameter WAY = 1, 2, 3
// volvelle: global = WG * GROUPS, local = WG
// volvelle: argument n = int size
#if WAY == 1
#define LOAD(i) a[i]
#elif WAY == 2
#define LOAD(i) (a[i] * a[i + 1])
#endif
__kernel void strides(__global const float *a, __global float *b, int n) {
  __local float t[WG];
  int x = get_local_id(0), g = get_global_id(0);
  float s = 0;
#if WAY < 3
  for (int i = g; i < n; i += get_global_size(0)) s += LOAD(i);
#else
  if (g < n) s = a[g];
  if (x == 0 && g + 2 <= n) s += a[g + 2];
#endif
  t[x] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int w = WG / 2; w > 0; w >>= 1) { if (x < w) t[x] += t[x + w]; barrier(CLK_LOCAL_MEM_FENCE); }
  if (x == 0) b[get_group_id(0)] = t[0];
}
";

/// Guards on groups and items, loops that are left early, one of them with the kernel, a switch, and sizes that are rounded up.
const EARLY: &str = "// volvelle: parameter L = 1, 2; parameter M = 1, 2
// volvelle: global = (size + L - 1) / L * L, 2; local = L, M
// volvelle: argument n = int size
#define NOTHING(v)
#define GUARD if (x >= n) return
__kernel void early(__global const float *a, __global float *b, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  GUARD;
  if (y > 0 && x % 2 == 0) s = a[x];
  for (int i = 0; i < 5; i++) { s += a[i]; if (i == x + y) break; b[i] = s; }
  switch (get_group_id(0) & 1) { case 0: s += b[0]; break; default: s += b[1] + b[2]; }
  for (int i = 0; i < 3; i++) { if (i > get_group_id(1) + x) return; s += a[i]; }
  NOTHING(s);
  b[x] = s;
}
";

/// Platforms that use everything: several devices and units, warps, prefetching, costs of all kinds.
fn platform(device: &str) -> String {
    format!(
        "[device]\nsegment = 8\n{device}\n[time]\nglobal = 4\nlocal = 1\noperation = 1\nlaunch = 3\ngroup = 2
barrier = 1\nphase = 1\nmessage_host = 1\nmessage_unit = 1\n"
    )
}

fn table(document: &Value) -> Vec<Value> {
    document["tuning"]["table"].as_array().expect("a table").clone()
}

/// Composes the times of a kernel, explores all interleavings of its model, and compares all configurations.
#[track_caller]
fn agree(kernel: &str, size: &str, device: &str) {
    agree_with(kernel, size, device, &["--all", "--no-confluence", "--interpreter"], "exhaustive");
}

/// The same with certified runs of the model, one for each configuration.
#[track_caller]
fn agree_by_certificates(kernel: &str, size: &str, device: &str) {
    agree_with(kernel, size, device, &["--interpreter"], "certified");
}

#[track_caller]
fn agree_with(kernel: &str, size: &str, device: &str, options: &[&str], evidence: &str) {
    let folder = Folder::new().file("k.cl", kernel).file("p.toml", platform(device));
    let composed = folder.run(&[
        "tune",
        "k.cl",
        "--platform",
        "p.toml",
        "--size",
        size,
        "--json",
        "--export-model",
        "k.pml",
    ]);
    let composed = composed.exits(0).json();
    let names: Vec<String> =
        composed["tuning"]["parameters"].as_array().expect("parameters").iter().map(name).collect();
    let parameters = names.join(",");
    let question = ["--minimize", "time", "--goal", "FIN", "--parameters", &parameters];
    let explored = folder.run(&[&["tune", "k.pml", "--json"][..], &question, options].concat()).json();
    let explored = table(&explored);
    let mut compared = 0;
    for row in table(&composed) {
        let same = |other: &&Value| names.iter().all(|name| other[name] == row[name]);
        let found = explored.iter().find(same).unwrap_or_else(|| panic!("{row} was not explored"));
        assert_eq!(
            (&found["time"], &found["evidence"]),
            (&row["time"], &json!(evidence)),
            "{device}: {row} {found}"
        );
        // A barrier that not all items reach is never passed.
        assert!(row["time"].is_null() || found["all_alike"] == json!(true), "{device}: {row} {found}");
        compared += 1;
    }
    assert!(compared > 1);
}

fn name(value: &Value) -> String {
    value.as_str().expect("a name").to_owned()
}

#[test]
fn composition_agrees_with_exploration() {
    let minimum = read("examples/kernels/minimum.cl");
    agree(&minimum, "8", "units = 2\nelements = 2");
    agree(&minimum, "8", "units = 1\nelements = 4\nwarp = 2");
    agree(&read("examples/kernels/reduction.cl"), "4", "units = 2\nelements = 2\nwarp = 2");
    agree(&read("examples/kernels/matmul.cl"), "4", "units = 2\nelements = 2\nprefetch = true");
    agree(&read("examples/kernels/abstract.cl"), "8", "units = 2\nelements = 2\nprefetch = true");
    for size in ["5", "8", "9"] {
        agree(STRIDES, size, "units = 2\nelements = 2\nwarp = 2");
        agree(STRIDES, size, "units = 1\nelements = 4");
    }
    for device in ["units = 2\nelements = 2\nwarp = 2", "units = 1\nelements = 4"] {
        agree(EARLY, "3", device);
    }
    agree(ODD, "4", "units = 1\nelements = 4\nwarp = 2");
    agree(ODD, "2", "devices = 2\nunits = 1\nelements = 2");
}

/// Sizes that no exploration reaches: a device with one unit, where the schedule of groups makes no choice.
#[test]
fn composition_agrees_with_certificates() {
    agree_by_certificates(
        &read("examples/kernels/abstract.cl"),
        "1024",
        "units = 1\nelements = 4\nprefetch = true",
    );
    agree_by_certificates(&read("examples/kernels/minimum.cl"), "256", "units = 1\nelements = 4\nwarp = 2");
    agree_by_certificates(&read("examples/kernels/reduction.cl"), "64", "units = 1\nelements = 8");
    agree_by_certificates(&read("examples/kernels/matmul.cl"), "16", "units = 1\nelements = 4");
    agree_by_certificates(ODD, "4", "units = 1\nelements = 4\nwarp = 2");
}

/// The same for units that take their groups from one channel.
#[test]
fn composition_agrees_with_certificates_of_several_units() {
    agree_by_certificates(&read("examples/kernels/minimum.cl"), "32", "units = 4\nelements = 4");
    agree_by_certificates(&read("examples/kernels/reduction.cl"), "32", "units = 3\nelements = 4\nwarp = 2");
    agree_by_certificates(
        &read("examples/kernels/matmul.cl"),
        "8",
        "units = 2\nelements = 4\nprefetch = true",
    );
    agree_by_certificates(ODD, "4", "units = 2\nelements = 4\nwarp = 2");
    agree_by_certificates(ODD, "4", "devices = 2\nunits = 2\nelements = 2");
}

#[test]
fn the_published_optima() {
    let folder = Folder::new()
        .file("k.cl", read("examples/kernels/abstract.cl"))
        .file("p.toml", read("platforms/abstract.toml"));
    for (size, time) in [("8", 44), ("16", 156), ("32", 584), ("1024", 533_248)] {
        let run = folder.run(&["tune", "k.cl", "--platform", "p.toml", "--size", size, "--json"]);
        let tuning = &run.exits(0).json()["tuning"];
        assert_eq!((&tuning["time"], &tuning["proven"]), (&json!(time), &json!(true)));
    }
    // The property of the paper, on the model that is written.
    let emitted = ["tune", "k.cl", "--platform", "p.toml", "--size", "8", "--export-model", "k.pml"];
    folder.run(&emitted).exits(0);
    folder.run(&["check", "k.pml", "-DT=43"]).exits(0);
    folder.run(&["check", "k.pml", "-DT=44"]).exits(1);
}

#[test]
fn configurations_that_do_not_fit_are_told() {
    let folder = Folder::new()
        .file("k.cl", read("examples/kernels/abstract.cl"))
        .file("p.toml", platform("local_memory = 256\nwork_group_max = 16"));
    let run = folder.run(&["tune", "k.cl", "--platform", "p.toml", "--size", "64"]).exits(0);
    assert!(run.err.contains("need more local memory than the device has"), "{}", run.err);
    assert!(run.err.contains("have larger work-groups than the device allows"), "{}", run.err);
    let none = folder.file("p.toml", platform("local_memory = 1"));
    none.run(&["tune", "k.cl", "--platform", "p.toml", "--size", "64"]).exits(2);
}

#[test]
fn kernels_from_the_command_line() {
    let folder = Folder::new()
        .file("k.cl", read("examples/kernels/reduction.cl"))
        .file("p.toml", read("platforms/p104-100.toml"));
    let tune = ["tune", "k.cl", "--platform", "p.toml", "--size", "2^20"];
    let with = |more: &[&'static str]| folder.run(&[&tune[..], more].concat());
    let all = with(&["--json"]).exits(0).json();
    let strided = with(&["--json", "-D", "STRIDED=1"]).exits(0).json();
    assert!(strided["tuning"]["time"].as_f64() > all["tuning"]["time"].as_f64(), "{strided:#}");
    assert_eq!(strided["tuning"]["parameters"], json!(["WG", "PER"]));
    // Parameters that are not chosen have the value of the reference.
    let few = with(&["--json", "--parameters", "WG=64,128,PER=1:4", "--constraint", "WG*PER < 300"])
        .exits(0)
        .json();
    assert_eq!(few["tuning"]["configurations"], json!(5));
    let with_values = with(&["--parameters", "WG,PIR"]).exits(2);
    assert!(with_values.err.contains("did you mean `PER`?"), "{}", with_values.err);
    let missing = folder.run(&["tune", "k.cl"]).exits(2);
    assert!(missing.err.contains("--platform"), "{}", missing.err);
    with(&["--minimize", "time"]).exits(2);
    with(&["--evaluations", "3"]).exits(2);
}
