//! Parts of campaigns with other bytes.

use std::path::Path;
use volvelle_oracles::campaign_part;
use volvelle_random::Random;

#[test]
fn parts_with_other_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/campaign_part");
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(folder).expect("seeds") {
        seeds.push(std::fs::read(entry.expect("a readable folder").path()).expect("a seed"));
    }
    assert!(seeds.len() > 2);
    let mut random = Random(5);
    for seed in &seeds {
        campaign_part(seed);
        for _ in 0..3000 {
            let mut bytes = seed.clone();
            let mut below = |n: usize| (random.bits() % n as u64) as usize;
            for _ in 0..=below(3) {
                let at = below(bytes.len());
                match below(3) {
                    0 => bytes[at] = below(256) as u8,
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, [0, 1, 0x7f, 0x80, 0xff][below(5)]),
                }
            }
            campaign_part(&bytes);
        }
    }
}
