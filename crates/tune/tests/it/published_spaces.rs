//! The published search spaces of Kernel Tuner's suite have as many configurations as Kernel Tuner 1.5.0 finds
//! (`benches/search_spaces.py` compares them in one run).

use std::path::Path;
use volvelle_tune::formats::t1;
use volvelle_tune::space::{ConfigurationId, Problem};

const COUNTS: [(&str, u64); 8] = [
    ("dedispersion", 11_130),
    ("expdist", 294_000),
    ("gemm", 116_928),
    ("hotspot", 349_853),
    ("microhh", 138_600),
    ("prl_2x2", 1_200),
    ("prl_4x4", 10_800),
    ("prl_8x8", 58_800),
];

#[test]
fn published_spaces_have_their_sizes() {
    for (name, count) in COUNTS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/tuning/spaces");
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a problem");
        let specification = t1::read(&text).expect("a problem in T1 format");
        let mut problem = Problem::new(specification.parameters);
        for condition in &specification.conditions {
            problem.require(condition).expect("a condition");
        }
        let space = problem.build(2, 1 << 20).expect("a space");
        assert_eq!(space.len(), count, "{name}");
        let table = space.table();
        for row in (0..count).step_by(997) {
            let indices: Vec<u16> = table.columns.iter().map(|column| column[row as usize]).collect();
            assert_eq!(space.find(&indices), Some(ConfigurationId(row)), "{name}");
        }
    }
}
