//! Compressed instructions.

use volvelle_riscv::compressed::expand;

/// One of each form, and reserved ones, which are 0 here. The disassembler of LLVM prints both sides of each line alike.
#[test]
fn forms() {
    let cases: [(u16, u32); 50] = [
        (0x0044, 0x00410493),
        (0x1ffc, 0x3fc10793),
        (0x2190, 0x0005b607),
        (0x4398, 0x0007a703),
        (0x6394, 0x0007b683),
        (0xa390, 0x00c7b027),
        (0xc398, 0x00e7a023),
        (0xe394, 0x00d7b023),
        (0x1141, 0xff010113),
        (0x2085, 0x0010809b),
        (0x50fd, 0xfff00093),
        (0x6105, 0x02010113),
        (0x717d, 0xff010113),
        (0x6785, 0x000017b7),
        (0x77fd, 0xfffff7b7),
        (0x8285, 0x0016d693),
        (0x8685, 0x4016d693),
        (0x8a85, 0x0016f693),
        (0x8c05, 0x40940433),
        (0x8d2d, 0x00b54533),
        (0x8dd1, 0x00c5e5b3),
        (0x8de5, 0x0095f5b3),
        (0x9c19, 0x40e4043b),
        (0x9f3d, 0x00f7073b),
        (0xa001, 0x0000006f),
        (0xbffd, 0xfffff06f),
        (0xc001, 0x00040063),
        (0xdffd, 0xfe078fe3),
        (0xe001, 0x00041063),
        (0xfffd, 0xfe079fe3),
        (0x1086, 0x02109093),
        (0x2502, 0x00013507),
        (0x4522, 0x00812503),
        (0x6582, 0x00013583),
        (0x8082, 0x00008067),
        (0x8582, 0x00058067),
        (0x9002, 0x00100073),
        (0x9582, 0x000580e7),
        (0x9596, 0x005585b3),
        (0xa02a, 0x00a13027),
        (0xc02a, 0x00a12023),
        (0xe02a, 0x00a13023),
        (0x0000, 0x00000000),
        (0x2001, 0x00000000),
        (0x4002, 0x00000000),
        (0x6101, 0x00000000),
        (0x6081, 0x00000000),
        (0x8002, 0x00000000),
        (0x9c41, 0x00000000),
        (0x9c61, 0x00000000),
    ];
    for (half, word) in cases {
        assert_eq!(expand(half).map_or(0, |word| word.0), word, "{half:#06x}");
    }
}

/// All 49,152 of them were compared with LLVM's disassembler; the hash (FNV-1a over words) is that of what it agreed to.
#[test]
fn all_half_words() {
    let expanded =
        (0..=u16::MAX).filter(|half| half & 3 != 3).map(|half| expand(half).map_or(0, |word| word.0));
    let mix = |hash: u64, word: u32| (hash ^ u64::from(word)).wrapping_mul(1_099_511_628_211);
    assert_eq!(expanded.fold(14_695_981_039_346_656_037, mix), 0xcfb9c4343e55a9e);
    assert!((0..=u16::MAX).filter(|half| half & 3 == 3).all(|half| expand(half).is_none()));
}
