//! Ranks that talk, and storages that are not memory.

use std::sync::Arc;
use volvelle_random::Random;
use volvelle_runtime::network::{Network, NetworkStorage, Single, ThreadsAsRanks};
use volvelle_runtime::storage::{FileStorage, Ram, converted};
use volvelle_runtime::{Error, Storage};

#[test]
fn messages_arrive_in_order() {
    let heard = ThreadsAsRanks::run(4, |network| {
        let (own, size) = (network.rank(), network.size());
        for other in (0..size).filter(|&other| other != own) {
            for n in 0..3_u8 {
                network.send(other, &[own as u8, n]).unwrap();
            }
        }
        let mut heard = Vec::new();
        for other in (0..size).filter(|&other| other != own) {
            for _ in 0..3 {
                let mut message = [0; 2];
                network.receive(other, &mut message).unwrap();
                heard.push(message);
            }
        }
        heard
    });
    for (own, heard) in heard.into_iter().enumerate() {
        let others = (0..4).filter(|&other| other != own);
        let expected: Vec<[u8; 2]> = others.flat_map(|other| (0..3).map(move |n| [other as u8, n])).collect();
        assert_eq!(heard, expected);
    }
}

/// A network whose messages wait until they are received, as libraries of messages may do.
pub struct Waiting(pub Arc<dyn Network>);

impl Network for Waiting {
    fn name(&self) -> &str {
        "waiting"
    }
    fn rank(&self) -> usize {
        self.0.rank()
    }
    fn size(&self) -> usize {
        self.0.size()
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.0.send(to, bytes)?;
        self.0.receive(to, &mut [0])
    }
    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.receive(from, bytes)?;
        self.0.send(from, &[1])
    }
}

#[test]
fn all_gather_gives_everybody_all() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let size = 1 + random.below(6);
        let counts: Vec<usize> = (0..size).map(|_| random.below(4) * random.below(30)).collect();
        let expected: Vec<u8> = counts
            .iter()
            .enumerate()
            .flat_map(|(rank, &count)| (0..count).map(move |i| (rank * 50 + i) as u8))
            .collect();
        let gathered = ThreadsAsRanks::run(size, |network| {
            let network: Arc<dyn Network> = if seed % 2 == 0 { network } else { Arc::new(Waiting(network)) };
            let own: usize = counts[..network.rank()].iter().sum();
            let own = own..own + counts[network.rank()];
            let mut all = vec![0; expected.len()];
            all[own.clone()].copy_from_slice(&expected[own]);
            network.all_gather(&counts, &mut all).unwrap();
            network.barrier().unwrap();
            all
        });
        assert!(gathered.iter().all(|all| *all == expected), "seed {seed}");
    }
}

#[test]
fn ranks_do_not_wait_for_one_that_is_gone() {
    let ends = ThreadsAsRanks::run(3, |network| match network.rank() {
        0 => Ok(()),
        _ => network.barrier(),
    });
    assert_eq!(ends[0], Ok(()));
    assert!(ends[1..].iter().all(Result::is_err), "{ends:?}");
    let panic = std::panic::catch_unwind(|| {
        ThreadsAsRanks::run(2, |network| match network.rank() {
            0 => panic!("rank 0 has a bug"),
            _ => network.receive(0, &mut [0]),
        })
    });
    assert!(panic.is_err());
}

#[test]
fn messages_that_do_not_fit() {
    ThreadsAsRanks::run(2, |network| {
        let other = 1 - network.rank();
        network.send(other, &[1, 2, 3]).unwrap();
        let error = network.receive(other, &mut [0; 2]).unwrap_err().to_string();
        assert!(error.contains("3 bytes") && error.contains("instead of 2"), "{error}");
        for wrong in [network.rank(), 2, 99] {
            assert!(network.send(wrong, &[]).is_err() && network.receive(wrong, &mut []).is_err());
        }
        assert!(
            network.all_gather(&[1], &mut [0]).is_err() && network.all_gather(&[1, 1], &mut [0]).is_err()
        );
        assert!(network.all_gather(&[usize::MAX, 2], &mut [0]).is_err());
    });
    assert!(Single.send(0, &[]).is_err() && Single.receive(1, &mut []).is_err());
    assert_eq!(Single.all_gather(&[2], &mut [1, 2]), Ok(()));
    assert!(Single.all_gather(&[1], &mut [1, 2]).is_err());
}

/// Bytes that are written in pieces and read in others.
fn exercise(storage: &dyn Storage) {
    let mut random = Random(7);
    for bytes in [0, 1, 1000, 3 << 20] {
        let region = storage.allocate(bytes).unwrap();
        assert_eq!(region.bytes(), bytes);
        let mut found = vec![1; bytes];
        region.read(0, &mut found).unwrap();
        assert!(found.iter().all(|&byte| byte == 0), "{}: new regions are zero", storage.name());
        let mut expected = vec![0; bytes];
        for _ in 0..20 {
            let start = random.below(bytes + 1);
            let length = random.below(bytes - start + 1);
            let piece: Vec<u8> = (0..length).map(|i| (i as u8) ^ random.0 as u8).collect();
            region.write(start, &piece).unwrap();
            expected[start..start + length].copy_from_slice(&piece);
        }
        region.read(0, &mut found).unwrap();
        assert_eq!(found, expected, "{}", storage.name());
        let copy = converted(&*converted(&*region, &Ram).unwrap(), storage).unwrap();
        copy.read(0, &mut found).unwrap();
        assert_eq!(found, expected, "{}: there and back", storage.name());
    }
}

#[test]
fn memory_and_files() {
    exercise(&Ram);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("regions");
    let _ = std::fs::remove_dir_all(&folder);
    let files = FileStorage::in_folder(&folder).unwrap();
    exercise(&files);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "files go with their regions");
    let other = FileStorage::in_folder(&folder).unwrap();
    let (one, two) = (files.allocate(1).unwrap(), other.allocate(1).unwrap());
    one.write(0, &[1]).unwrap();
    let mut byte = [5];
    two.read(0, &mut byte).unwrap();
    assert_eq!(byte, [0], "two storages in one folder do not share files");
}

#[test]
fn files_that_stay() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("named");
    let files = FileStorage::in_folder(&folder).unwrap();
    files.create("positions", 10).unwrap().write(3, &[1, 2, 3]).unwrap();
    let region = FileStorage::in_folder(&folder).unwrap().open("positions").unwrap();
    let mut found = [9; 10];
    region.read(0, &mut found).unwrap();
    assert_eq!(found, [0, 0, 0, 1, 2, 3, 0, 0, 0, 0]);
    for name in ["", "..", "a/b", "/etc/passwd", "."] {
        assert!(files.create(name, 1).is_err() && files.open(name).is_err(), "{name}");
    }
    assert!(files.open("absent").is_err());
    std::fs::write(folder.join("file"), "").unwrap();
    assert!(FileStorage::in_folder(folder.join("file")).is_err(), "a file is no folder");
}

#[test]
fn regions_of_other_ranks() {
    ThreadsAsRanks::run(2, |network| {
        let other = NetworkStorage::of(network.clone(), 1 - network.rank()).unwrap();
        // More than is copied at once.
        let bytes = (1 << 20) + 77;
        let region = other.allocate(bytes).unwrap();
        let own = Ram.allocate(bytes).unwrap();
        if network.rank() == 0 {
            own.write(0, &(0..bytes).map(|i| i as u8).collect::<Vec<_>>()).unwrap();
            region.copy_from(0, &*own, 0, bytes).unwrap();
            region.write(5, &[1]).unwrap();
        } else {
            own.copy_from(0, &*region, 0, bytes).unwrap();
            let mut found = vec![0; bytes];
            own.read(0, &mut found).unwrap();
            assert!(found.iter().enumerate().all(|(i, &byte)| byte == i as u8));
            assert!(region.read(6, &mut [0]).is_err(), "both sides mean the same place");
            // The piece whose place was rejected is still in progress: its sender fails if this rank ends
            // first.
            network.receive(0, &mut [0]).unwrap();
        }
        assert!(NetworkStorage::of(network.clone(), network.rank()).is_err());
        assert!(NetworkStorage::of(network.clone(), 2).is_err());
    });
}
