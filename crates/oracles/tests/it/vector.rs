//! Generated kernels over many lanes: all back ends agree.

use volvelle_kernel::Exit;
use volvelle_oracles::vector_levels;
use volvelle_random::Random;

#[test]
fn levels_agree() {
    let mut random = Random(0x5eed);
    let (mut done, mut other) = (0, 0);
    for _ in 0..150 {
        let bytes: Vec<u8> = (0..200 + random.below(2000)).map(|_| random.bits() as u8).collect();
        match vector_levels(&bytes) {
            Exit::Done => done += 1,
            _ => other += 1,
        }
    }
    assert!(done > 30 && other > 10, "{done} done, {other} not");
}
