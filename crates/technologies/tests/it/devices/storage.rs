//! Memory of devices against plain vectors.

use crate::devices::Numbers;
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{Error, Executor, Region};

/// Everything about memory.
pub fn check(device: &dyn Executor) {
    zeroed(device);
    empty(device);
    round_trips(device);
    copies(device);
    too_much(device);
}

fn zeroed(device: &dyn Executor) {
    for bytes in [1, 3, 16, 1000, 4097, 1 << 20] {
        let region = device.storage().allocate(bytes).unwrap();
        assert_eq!(region.bytes(), bytes);
        assert_eq!(contents(&*region), vec![0; bytes]);
        // Memory that comes back is given out again.
        region.write(0, &vec![0xa5; bytes]).unwrap();
    }
}

fn empty(device: &dyn Executor) {
    let region = device.storage().allocate(0).unwrap();
    region.write(0, &[]).unwrap();
    region.read(0, &mut []).unwrap();
    let other = device.storage().allocate(7).unwrap();
    other.copy_from(7, &*region, 0, 0).unwrap();
    region.copy_from(0, &*other, 3, 0).unwrap();
    assert_eq!(contents(&*other), [0; 7]);
}

fn round_trips(device: &dyn Executor) {
    let mut numbers = Numbers(1);
    for bytes in [1, 17, 255, 5000, 300_001] {
        let region = device.storage().allocate(bytes).unwrap();
        let mut model = vec![0; bytes];
        for _ in 0..30 {
            let offset = numbers.below(bytes + 1);
            let count = numbers.below(bytes - offset + 1);
            let data = numbers.bytes(count);
            region.write(offset, &data).unwrap();
            model[offset..offset + count].copy_from_slice(&data);
            let offset = numbers.below(bytes + 1);
            let mut read = vec![0; numbers.below(bytes - offset + 1)];
            region.read(offset, &mut read).unwrap();
            assert_eq!(read, model[offset..offset + read.len()]);
        }
    }
}

fn copies(device: &dyn Executor) {
    const BYTES: usize = 10_007;
    let mut numbers = Numbers(2);
    let here = device.storage().allocate(BYTES).unwrap();
    let there = device.storage().allocate(BYTES).unwrap();
    let ram = Ram::shared().allocate(BYTES).unwrap();
    let regions: [&dyn Region; 3] = [&*here, &*there, &*ram];
    let mut models: Vec<Vec<u8>> = Vec::new();
    for region in regions {
        models.push(numbers.bytes(BYTES));
        region.write(0, models.last().unwrap()).unwrap();
    }
    for _ in 0..60 {
        // To the region itself as well, where the ranges may overlap; the last one is not a device's.
        let (to, from) = (numbers.below(3), numbers.below(3));
        let (offset, start) = (numbers.below(BYTES), numbers.below(BYTES));
        let count = numbers.below(BYTES - offset.max(start) + 1);
        if to == 2 && from == 2 {
            continue;
        }
        regions[to].copy_from(offset, regions[from], start, count).unwrap();
        let copied = models[from][start..start + count].to_vec();
        models[to][offset..offset + count].copy_from_slice(&copied);
        assert_eq!(contents(regions[to]), models[to], "from {from} at {start} to {to} at {offset}: {count}");
    }
}

fn too_much(device: &dyn Executor) {
    let memory = device.offer().device.memory_bytes.expect("a device with memory") as usize;
    for bytes in [usize::MAX, usize::MAX - 15, usize::MAX / 2, memory + 1] {
        match device.storage().allocate(bytes) {
            Err(Error::Memory { bytes: named, .. }) => assert_eq!(named, bytes),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{bytes} bytes of {memory}"),
        }
    }
    assert_eq!(contents(&*device.storage().allocate(5).unwrap()), [0; 5]);
}

/// All bytes of a region.
pub fn contents(region: &dyn Region) -> Vec<u8> {
    let mut bytes = vec![1; region.bytes()];
    region.read(0, &mut bytes).unwrap();
    bytes
}
