//! Parts as bytes.

use crate::samples;
use volvelle_campaign::{Damaged, read, write};
use volvelle_random::Random;

#[test]
fn parts_come_back() {
    let mut random = Random(1);
    for _ in 0..300 {
        let identity = samples::identity(&mut random);
        let (shards, paths) = (1 + random.below(7) as u64, random.below(3000) as u64);
        let (mut parts, _) = samples::parts(&mut random, &identity, shards, paths);
        parts.push(samples::points(&mut random, &identity));
        for part in parts {
            assert_eq!(read(&write(&part)), Ok(part));
        }
    }
}

#[test]
fn damage_is_found() {
    let mut random = Random(2);
    let identity = samples::identity(&mut random);
    let (parts, _) = samples::parts(&mut random, &identity, 2, 1000);
    let bytes = write(&parts[0]);
    for end in 0..bytes.len() {
        assert_eq!(read(&bytes[..end]), Err(Damaged));
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << random.below(8);
        assert_eq!(read(&changed), Err(Damaged));
    }
    assert_eq!(read(b""), Err(Damaged));
}

/// Of what has a right checksum but was not written by `write`, nothing makes the reader panic, and what it accepts can be written.
#[test]
fn what_is_read_is_consistent() {
    use sha2::{Digest, Sha256};
    let mut random = Random(3);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..3000 {
        let identity = samples::identity(&mut random);
        let paths = random.below(2000) as u64;
        let (parts, _) = samples::parts(&mut random, &identity, 3, paths);
        let mut bytes = write(&parts[random.below(3)]);
        bytes.truncate(bytes.len() - 32);
        for _ in 0..1 + random.below(3) {
            let place = random.below(bytes.len());
            bytes[place] = bytes[place].wrapping_add(1 + random.below(255) as u8);
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        match read(&bytes) {
            Ok(part) => {
                accepted += 1;
                assert_eq!(read(&write(&part)), Ok(part));
            }
            Err(Damaged) => refused += 1,
        }
    }
    assert!(accepted > 20 && refused > 20, "{accepted} and {refused}");
}
