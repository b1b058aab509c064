//! Times of configurations, against published numbers and closed forms.

#[allow(dead_code)]
mod common;

use common::{example, model, platform, table};

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
