//! Times of configurations, against published numbers and closed forms.

use crate::common::{example, model, platform, table};
use volvelle_opencl::Platform;
use volvelle_opencl::features::{NAMES, features};

/// The optima of the paper's model without its superfluous work-groups, for sizes 8 to 1024; every WG reaches them.
const OPTIMA: [u64; 8] = [44, 156, 584, 2_224, 8_672, 33_984, 134_528, 533_248];

#[test]
fn the_abstract_kernel_has_the_optima_of_the_paper() {
    let model = model(&example("examples/kernels/abstract.cl"), &platform("abstract"));
    for (n, optimum) in (3..).zip(OPTIMA) {
        let size = 1_i64 << n;
        let rows = table(&model, size);
        assert_eq!(rows.len(), (n - 2) * (n - 1), "size {size}");
        for row in &rows {
            // The closed form of the published model, for NP = 4, NU = 2, GMT = 4.
            let (wg, ts) = (row.values[0] as u64, row.values[1] as u64);
            let size = size as u64;
            let groups = (size / wg).div_ceil(2);
            let group = (wg / 4).max(1) * (4 * size + size / ts + ts + 4 + 2);
            assert_eq!(row.time, Ok(groups * group), "size {size}, WG {wg}, TS {ts}");
        }
        let best = rows.iter().filter_map(|row| row.time.clone().ok()).min();
        assert_eq!(best, Some(optimum), "size {size}");
        let mut widths: Vec<i64> =
            rows.iter().filter(|row| row.time == Ok(optimum)).map(|row| row.values[0]).collect();
        widths.dedup();
        assert_eq!(widths.len(), n - 2, "every WG ties at size {size}");
    }
}

#[test]
fn sizes_far_beyond_exploration() {
    let model = model(&example("examples/kernels/abstract.cl"), &platform("abstract"));
    let size = 1_i64 << 20;
    let rows = table(&model, size);
    assert_eq!(rows.len(), 18 * 19);
    let best = rows.iter().filter_map(|row| row.time.clone().ok()).min();
    // The tile closest to the root of the size: 2 size tiles, and their start and end.
    let (size, tile) = (size as u64, 1024);
    let group = 4 * size + size / tile + tile + 4 + 2;
    assert_eq!(best, Some(size / 4 / 2 * group));
}

/// Groups over units, units over devices: 7 groups on 2 devices with 2 units each.
#[test]
fn groups_go_to_whoever_is_idle() {
    let text = "// volvelle: parameter WG = 2
// volvelle: global = size, local = WG
__kernel void f(__global int *a) { a[get_global_id(0)] = 1; }";
    let mut platform = platform("abstract");
    (platform.devices, platform.units, platform.costs.phase) = (2, 2, 0);
    (platform.costs.launch, platform.costs.group, platform.costs.message_unit) = (100, 10, 1);
    platform.costs.message_host = 1000;
    let row = &table(&model(text, &platform), 14)[0];
    // The first device has 4 groups, its units 2 each; the second has 3, and is told later.
    let group = 1 + 10 + 4 + 1;
    assert_eq!(row.time, Ok(100 + 2 * 1000 + 2 * group + 1000));
}

#[test]
fn lanes_that_diverge_take_turns() {
    let text = "// volvelle: parameter WG = 4
// volvelle: global = size, local = WG
__kernel void f(__global int *a, __local int *b) {
  int i = get_local_id(0);
  if (i % 2) b[i] = 1; else { b[i] = 2; b[i] = 3; }
  for (int k = 0; k < i; k++) b[k] = 1;
}";
    let mut platform = platform("abstract");
    (platform.units, platform.costs.phase) = (1, 0);
    // On their own, the last item is the slowest: 1 + 3.
    assert_eq!(table(&model(text, &platform), 4)[0].time, Ok(4));
    // As one warp: both branches, and three iterations.
    platform.warp = 4;
    assert_eq!(table(&model(text, &platform), 4)[0].time, Ok(1 + 2 + 3));
    // As two warps on one slot: branches twice, one iteration and three.
    (platform.warp, platform.elements) = (2, 2);
    assert_eq!(table(&model(text, &platform), 4)[0].time, Ok(3 + 3 + 1 + 3));
}

#[test]
fn neighbours_share_transactions() {
    let kernel = |index: &str| {
        format!(
            "// volvelle: parameter WG = 32
// volvelle: global = size, local = WG
__kernel void f(__global int *a) {{ int i = get_global_id(0); a[{index}] = 1; }}"
        )
    };
    let mut platform = platform("p104-100");
    platform.costs = volvelle_opencl::platform::Costs { global: 1, ..Platform::default().costs };
    for (index, transactions) in
        [("i", 1), ("0", 1), ("2 * i", 2), ("i * 32", 32), ("i * i", 32), ("63 - i", 1)]
    {
        let row = &table(&model(&kernel(index), &platform), 32)[0];
        assert_eq!(row.time, Ok(transactions), "{index}");
    }
    // Without warps, every access costs the same.
    let row = &table(&model(&kernel("i * 32"), &platform.without_warps()), 32)[0];
    assert_eq!(row.time, Ok(1));
}

/// An item of the minimum kernel: TS elements, and a tree over the items of its group.
#[test]
fn features_count_what_items_do() {
    let model = model(&example("examples/kernels/minimum.cl"), &platform("pocl"));
    let mut names = vec![0; model.names.len()];
    for (name, value) in [("size", 1 << 12), ("WG", 16), ("TS", 8)] {
        names[model.names.find(name).unwrap().0 as usize] = value;
    }
    let found = features(&model, &names).unwrap();
    let of = |name: &str| found[NAMES.iter().position(|known| *known == name).unwrap()];
    // 32 groups on two units.
    let groups = 16.0;
    assert_eq!(of("launch"), 1.0);
    assert_eq!(of("group"), groups);
    assert_eq!(of("item"), groups * 16.0);
    // Loads of all items, and the store of the first.
    assert_eq!(of("global_coalesced"), groups * (16.0 * 8.0 + 1.0));
    // Each stores once; 8 + 4 + 2 + 1 items load twice and store once; the first loads the result.
    assert_eq!(of("local"), groups * (16.0 + 15.0 * 3.0 + 1.0));
    assert_eq!(of("barrier"), groups * 5.0);
    assert_eq!(of("operation"), groups * (16.0 * 8.0 + 15.0));
}
