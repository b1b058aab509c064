//! Caches on golden streams: counts, and states after every access.

use crate::corpus;
use serde_json::Value;
use volvelle_coherence::{Operation, read, shipped};
use volvelle_diagnostics::Sources;
use volvelle_multicore::{CacheShape, Caches, Policy, ProtocolTable, Touch, accesses};
use volvelle_random::Random;

fn table(name: &str) -> ProtocolTable {
    let text = shipped(name).expect("it is shipped");
    let (protocol, _) = read(Sources::new().add("protocol", text), text);
    ProtocolTable::new(&protocol.expect("it is right")).expect("it is coherent")
}

#[test]
fn golden_counts_and_states() {
    let Some(folder) = corpus::folder("caches") else { return };
    let cases: Value = serde_json::from_str(&corpus::text(&folder, "expected.json")).expect("JSON");
    let mut checked = 0;
    for case in cases.as_array().expect("a list") {
        let name = case["case"].as_str().expect("a name");
        let number = |key: &str| case[key].as_u64().expect("a number");
        let shape = CacheShape {
            size_bytes: number("size"),
            ways: number("ways") as u32,
            block_bytes: number("block"),
            policy: Policy::Lru,
        };
        shape.check("l1d").expect("a right shape");
        let cores = number("cores") as usize;
        let mut caches = Caches::new(cores, &shape, table("mesi"));
        let text = corpus::text(&folder, &format!("{name}.tsv"));
        let stream = accesses(Sources::new().add("stream", text.as_str()), &text).expect("a right stream");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), stream.len());
        for (access, line) in stream.iter().zip(lines) {
            let effect =
                caches.access(access.core.into(), access.operation, access.address, access.size_bytes);
            let touch = match effect.touch {
                Touch::Hit => "hit",
                Touch::Upgrade => "upgrade",
                Touch::Miss => "miss",
            };
            let states: String = (0..cores).map(|core| caches.state(core, access.address)).collect();
            let expected: Vec<&str> = line.split('\t').skip(4).collect();
            assert_eq!([touch, states.as_str()], expected[..], "{name}: {line}");
        }
        let counts = caches.counts();
        for (key, found) in [
            ("accesses", counts.accesses),
            ("hits", counts.hits),
            ("misses", counts.misses),
            ("upgrades", counts.upgrades),
            ("invalidations", counts.invalidations),
            ("transfers", counts.transfers),
            ("writebacks", counts.writebacks),
            ("evictions", counts.evictions),
            ("coherence_misses", counts.coherence_misses),
        ] {
            assert_eq!(Some(found), case["counts"][key].as_u64(), "{name}: {key}");
            checked += 1;
        }
        let shared = caches.shared_blocks();
        assert_eq!(shared.iter().map(|block| block.coherence_misses).sum::<u64>(), counts.coherence_misses);
        match name {
            "mesi-false-sharing" => assert_eq!(counts.false_sharing, counts.coherence_misses, "{name}"),
            "mesi-ping-pong" => assert_eq!(counts.false_sharing, 0, "{name}"),
            _ => {}
        }
    }
    assert_eq!(checked, 189);
}

/// FIFO loses what LRU keeps: golden stream `lru-not-fifo`, by hand.
#[test]
fn the_first_that_came_goes() {
    let accesses = [0u64, 0x8000, 0, 0x10000, 0, 0x8000];
    let misses = |policy| {
        let shape = CacheShape { policy, ..CacheShape::paper(32) };
        let mut caches = Caches::new(1, &shape, table("mesi"));
        let touches = accesses.map(|address| caches.access(0, Operation::Load, address, 4).touch);
        touches.map(|touch| touch == Touch::Miss)
    };
    assert_eq!(misses(Policy::Lru), [true, true, false, true, false, true]);
    assert_eq!(misses(Policy::Fifo), [true, true, false, true, true, true]);
}

/// What a protocol may never do, on random accesses: two cores may write, or one reads while another may write.
#[test]
fn all_protocols_stay_coherent() {
    let mut random = Random(7);
    for (name, alone) in
        [("msi", "M"), ("mesi", "EM"), ("mesif", "EM"), ("moesi", "EM"), ("b", "EM"), ("a", "EM")]
    {
        for policy in [Policy::Lru, Policy::Fifo, Policy::Random] {
            let shape = CacheShape { size_bytes: 256, ways: 2, block_bytes: 32, policy };
            let mut caches = Caches::new(4, &shape, table(name));
            for _ in 0..4000 {
                let operation = random.pick(&Operation::ALL);
                let address = 8 * random.below(80) as u64;
                caches.access(random.below(4), operation, address, 8);
                let states: Vec<&str> = (0..4).map(|core| caches.state(core, address)).collect();
                let holders = states.iter().filter(|state| **state != "I").count();
                let is_alone = states.iter().any(|state| alone.contains(state));
                assert!(!is_alone || holders == 1, "{name}: {states:?}");
            }
            let counts = caches.counts();
            assert_eq!(counts.hits + counts.misses + counts.upgrades, counts.accesses);
            assert!(counts.coherence_misses > 0 && counts.false_sharing > 0, "{name}");
        }
    }
}
