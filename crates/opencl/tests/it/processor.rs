//! What kinds of work kernels do on a processor.

use crate::common::{example, model, platform};
use volvelle_opencl::processor::{Cache, KINDS};
use volvelle_opencl::tally::tally;

const CACHES: [Cache; 2] =
    [Cache { bytes: 32 << 10, ways: 8, line: 64 }, Cache { bytes: 512 << 10, ways: 8, line: 64 }];

/// The work of a configuration on one unit, without launches, groups and caches: kinds that occur.
fn work(text: &str, values: &[(&str, i64)]) -> Vec<(&'static str, f64)> {
    let mut platform = platform("pocl");
    platform.units = 1;
    let model = model(text, &platform);
    let mut names = vec![0; model.names.len()];
    for (name, value) in values {
        names[model.names.find(name).unwrap().0 as usize] = *value;
    }
    let (work, _) = tally(&model, &names, &CACHES).unwrap();
    let places = ["launch", "group", "line_1", "line_2", "page"];
    let kinds = KINDS.iter().copied().zip(work);
    kinds.filter(|(kind, count)| *count > 0.0 && !places.contains(kind)).collect()
}

fn amount(text: &str, values: &[(&str, i64)], kind: &str) -> f64 {
    work(text, values).iter().find(|(known, _)| *known == kind).map_or(0.0, |(_, count)| *count)
}

/// Items of the minimum read neighbouring elements, iterations are as far apart as there are items.
#[test]
fn work_of_the_minimum() {
    let text = example("examples/kernels/minimum.cl");
    let found = work(&text, &[("size", 1 << 12), ("WG", 16), ("TS", 8)]);
    let groups = 32.0;
    let expected = [
        // The loop, 4 steps of the tree, and the result: regions of 16 items each.
        ("item", groups * 6.0 * 16.0),
        ("barrier", groups * 5.0),
        ("loop_whole", groups * 16.0),
        ("whole_near_far", groups * 16.0 * 8.0),
        // The first item loads and stores the result.
        ("single_same", groups * 2.0),
        ("single_near", groups * (16.0 + 15.0 * 3.0)),
    ];
    assert_eq!(found, expected);
    // A group of one item reads one element after the other; a loop of one iteration is none.
    assert_eq!(amount(&text, &[("size", 256), ("WG", 1), ("TS", 256)], "whole_same_near"), 256.0);
    let single = work(&text, &[("size", 256), ("WG", 256), ("TS", 1)]);
    assert!(single.iter().all(|(kind, _)| !kind.starts_with("whole")), "{single:?}");
}

#[test]
fn sums_of_real_numbers_wait() {
    let text = example("examples/kernels/reduction.cl");
    let side_by_side = [("size", 1024), ("WG", 8), ("PER", 64), ("STRIDED", 0)];
    // The tree that follows has barriers in a loop.
    assert_eq!(amount(&text, &side_by_side, "joined_near_far"), 1024.0);
    let runs = [("size", 1024), ("WG", 8), ("PER", 64), ("STRIDED", 1)];
    assert_eq!(amount(&text, &runs, "joined_far_near"), 1024.0);
    assert_eq!(amount(&text, &runs, "loop_joined"), 16.0);
    // That of two items has one level, which is no loop; without it, neither.
    let pairs = [("size", 1024), ("WG", 2), ("PER", 64), ("STRIDED", 1)];
    assert_eq!(amount(&text, &pairs, "real_far_near"), 1024.0);
    let plain = text.replace("width > 0", "width > WG");
    assert_eq!(amount(&plain, &side_by_side, "real_near_far"), 1024.0);
}

/// Sums in a private array are steps of a loop over its elements; a single one is a value that is kept across barriers.
#[test]
fn products_of_matrices() {
    let text = example("examples/kernels/matmul.cl");
    for (tile, work) in [(8_i64, 4_i64), (8, 8), (4, 1), (1, 1)] {
        let size = 16;
        let values = [("size", size), ("TILE", tile), ("WORK", work)];
        let kind = format!("elements_{work}");
        assert_eq!(amount(&text, &values, &kind), (size * size * size) as f64, "{tile} {work}");
    }
}

#[test]
fn copies_wait_for_nothing() {
    let text = "// volvelle: parameter WG = 4
// volvelle: global = size, local = WG
__kernel void f(__global float *a, __local float *b) {
  int i = get_local_id(0);
  for (int k = 0; k < 6; k++) b[k * WG + i] = a[i * 6 + k];
  barrier(CLK_LOCAL_MEM_FENCE);
}";
    let found = work(text, &[("size", 4), ("WG", 4)]);
    let expected = [
        ("item", 4.0),
        ("barrier", 1.0),
        ("loop_copy", 4.0),
        ("copy_near_far", 24.0),
        ("copy_far_near", 24.0),
    ];
    assert_eq!(found, expected);
}

/// Items side by side share lines, unless other lines have taken their place in the cache before.
#[test]
fn lines_of_caches() {
    let text = "// volvelle: parameter WG = 16, 1024
// volvelle: parameter TS = 8, 64
// volvelle: global = size, local = WG
__kernel void f(__global const int *a) {
  int sum = 0;
  for (int i = 0; i < TS; i++) sum += a[get_local_id(0) + i * WG];
}";
    let mut platform = platform("pocl");
    platform.units = 1;
    let model = model(text, &platform);
    let lines = |wg: i64, ts: i64| {
        let mut names = vec![0; model.names.len()];
        for (name, value) in [("size", wg), ("WG", wg), ("TS", ts)] {
            names[model.names.find(name).unwrap().0 as usize] = value;
        }
        let work = tally(&model, &names, &CACHES).unwrap().0;
        ["line_1", "line_2", "page"].map(|kind| work[KINDS.iter().position(|known| *known == kind).unwrap()])
    };
    // A line for each iteration, in one page.
    assert_eq!(lines(16, 64), [64.0, 64.0, 1.0]);
    // 4 KiB apart: all lines of a group of 16 items are in one set of the first cache, in which 8 fit.
    assert_eq!(lines(1024, 8), [8.0 * 64.0, 8.0 * 64.0, 8.0]);
    assert_eq!(lines(1024, 64), [64.0 * 1024.0, 64.0 * 64.0, 64.0]);
}
