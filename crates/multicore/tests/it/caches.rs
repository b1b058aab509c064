//! Caches on golden streams: counts, and states after every access.

use crate::corpus;
use serde_json::Value;
use volvelle_coherence::{Operation, read, shipped};
use volvelle_diagnostics::Sources;
use volvelle_multicore::{Access, CacheShape, Caches, Policy, ProtocolTable, Touch, accesses};
use volvelle_random::Random;

pub fn table(name: &str) -> ProtocolTable {
    table_of(shipped(name).expect("it is shipped"))
}

/// The table of a protocol's text.
pub fn table_of(text: &str) -> ProtocolTable {
    let (protocol, _) = read(Sources::new().add("protocol", text), text);
    ProtocolTable::new(&protocol.expect("it is right")).expect("it is coherent")
}

/// A golden stream: what caches make of it, access by access.
pub struct Case {
    pub name: String,
    pub shape: CacheShape,
    cores: usize,
    accesses: Vec<Access>,
    /// What each access does, and the states of its block in all caches behind it.
    effects: Vec<[String; 2]>,
    counts: Value,
}

/// All golden streams; `None` if they are missing, which a line reports.
pub fn golden() -> Option<Vec<Case>> {
    let folder = corpus::folder("caches")?;
    let cases: Value = serde_json::from_str(&corpus::text(&folder, "expected.json")).expect("JSON");
    let case = |case: &Value| {
        let name = case["case"].as_str().expect("a name").to_owned();
        let number = |key: &str| case[key].as_u64().expect("a number");
        let shape = CacheShape {
            size_bytes: number("size"),
            ways: number("ways") as u32,
            block_bytes: number("block"),
            policy: Policy::Lru,
        };
        let text = corpus::text(&folder, &format!("{name}.tsv"));
        let effect = |line: &str| {
            let mut columns = line.split('\t').skip(4).map(str::to_owned);
            [(); 2].map(|()| columns.next().expect("six columns"))
        };
        Case {
            shape,
            cores: number("cores") as usize,
            accesses: accesses(Sources::new().add("stream", text.as_str()), &text).expect("a right stream"),
            effects: text.lines().skip(1).map(effect).collect(),
            counts: case["counts"].clone(),
            name,
        }
    };
    Some(cases.as_array().expect("a list").iter().map(case).collect())
}

impl Case {
    /// What caches of a shape make of the stream, and where that is not what is expected.
    pub fn compare(&self, shape: &CacheShape, table: &ProtocolTable) -> (Caches, Vec<String>) {
        shape.check("l1d").expect("a right shape");
        let mut caches = Caches::new(self.cores, shape, table.clone());
        let mut differences = Vec::new();
        assert_eq!(self.effects.len(), self.accesses.len());
        for (number, (access, expected)) in self.accesses.iter().zip(&self.effects).enumerate() {
            let effect =
                caches.access(access.core.into(), access.operation, access.address, access.size_bytes);
            let touch = match effect.touch {
                Touch::Hit => "hit",
                Touch::Upgrade => "upgrade",
                Touch::Miss => "miss",
            };
            let states: String = (0..self.cores).map(|core| caches.state(core, access.address)).collect();
            if [touch, states.as_str()] != *expected {
                differences.push(format!("access {number}: {touch} {states}, not {expected:?}"));
            }
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
            let expected = self.counts[key].as_u64().expect("a count");
            if found != expected {
                differences.push(format!("{key}: {found}, not {expected}"));
            }
        }
        (caches, differences)
    }
}

#[test]
fn golden_counts_and_states() {
    let Some(cases) = golden() else { return };
    assert_eq!(cases.len(), 21);
    for case in cases {
        let (caches, differences) = case.compare(&case.shape, &table("mesi"));
        assert!(differences.is_empty(), "{}: {differences:?}", case.name);
        let counts = caches.counts();
        let shared = caches.shared_blocks();
        assert_eq!(shared.iter().map(|block| block.coherence_misses).sum::<u64>(), counts.coherence_misses);
        match case.name.as_str() {
            "mesi-false-sharing" => assert_eq!(counts.false_sharing, counts.coherence_misses),
            "mesi-ping-pong" => assert_eq!(counts.false_sharing, 0),
            _ => {}
        }
    }
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
