//! Arrays of random shapes on random devices of random ranks.

use super::devices;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_random::Random;
use volvelle_runtime::contents::{Array, Content, Layout, PartialArray, SyncedArray};
use volvelle_runtime::network::{Network, ThreadsAsRanks};
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{Context, Storage};

/// The parameters of a case; all ranks know them.
struct Shape {
    /// Weights of the devices of each rank.
    weights: Vec<Vec<u64>>,
    elements: u64,
    width: usize,
    halo: u64,
}

fn shape(random: &mut Random) -> Shape {
    let ranks = 1 + random.below(3);
    Shape {
        weights: (0..ranks)
            .map(|_| (0..1 + random.below(4)).map(|_| [0, 1, 1, 5][random.below(4)]).collect())
            .collect(),
        elements: [0, 1, 3, 20, 50][random.below(5)],
        width: 1 + random.below(4),
        halo: [0, 1, 2, 7, 1000][random.below(5)],
    }
}

/// The values of an element, the same wherever they are requested.
fn element(shape: &Shape, number: u64) -> Vec<u16> {
    (0..shape.width).map(|i| (number * 10 + i as u64) as u16).collect()
}

/// The elements in the region of a device.
fn seen(content: &dyn Content, device: usize) -> Vec<u16> {
    let held = content.held(device);
    let mut bytes = vec![0; (held.end - held.start) as usize * content.layout().bytes()];
    content.region(device).read(0, &mut bytes).unwrap();
    bytes.chunks(2).map(|b| u16::from_ne_bytes(b.try_into().unwrap())).collect()
}

/// Writes to each device just what it owns, as its kernels would.
fn write_own(shape: &Shape, context: &Context, content: &dyn Content) {
    for device in 0..context.devices().len() {
        let (held, owned) = (content.held(device), content.owned(device));
        assert!(owned.is_empty() || (held.start <= owned.start && owned.end <= held.end));
        let values = owned.clone().flat_map(|number| element(shape, number));
        let bytes: Vec<u8> = values.flat_map(u16::to_ne_bytes).collect();
        let start = (owned.start - held.start) as usize * content.layout().bytes();
        content.region(device).write(start, &bytes).unwrap();
    }
}

/// Whether each device has of each element that it has what the owner wrote.
fn expect_all(shape: &Shape, context: &Context, content: &dyn Content) {
    for device in 0..context.devices().len() {
        let expected: Vec<u16> = content.held(device).flat_map(|number| element(shape, number)).collect();
        assert_eq!(seen(content, device), expected, "device {device}");
    }
}

fn check(shape: &Shape, network: Arc<dyn Network>) {
    let own = &shape.weights[network.rank()];
    let weighted = devices(own.len()).into_iter().zip(own.iter().copied()).collect();
    let context = Context::weighted(weighted, network.clone()).unwrap();
    let layout = Layout::several(Type::U16, shape.width);
    let all: Vec<u16> = (0..shape.elements).flat_map(|number| element(shape, number)).collect();

    let synced = SyncedArray::new(&context, layout, shape.elements).unwrap();
    write_own(shape, &context, &synced);
    synced.synchronize().unwrap();
    expect_all(shape, &context, &synced);
    assert_eq!(synced.values::<u16>().unwrap(), all);

    let partial = PartialArray::new(&context, layout, shape.elements, shape.halo).unwrap();
    write_own(shape, &context, &partial);
    partial.exchange().unwrap();
    expect_all(shape, &context, &partial);
    assert_eq!(partial.values::<u16>().unwrap(), all);

    let array = Array::new(&context, layout, shape.elements).unwrap();
    array.fill(&all).unwrap();
    expect_all(shape, &context, &array);
    // Every process saves its own part; together they are the whole.
    let saved = Ram.allocate(2 * all.len()).unwrap();
    array.save(&*saved).unwrap();
    let (own, bytes) = array.own().unwrap();
    let size = layout.bytes();
    let mut found = vec![0; bytes.len()];
    saved.read(own.start as usize * size, &mut found).unwrap();
    assert_eq!(found, bytes);
    let whole = Ram.allocate(2 * all.len()).unwrap();
    whole.write(0, &all.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>()).unwrap();
    let loaded = PartialArray::new(&context, layout, shape.elements, shape.halo).unwrap();
    loaded.load(&*whole).unwrap();
    expect_all(shape, &context, &loaded);
    // Writing some elements changes these only.
    if shape.elements > 2 {
        loaded.write(1, &vec![0xff; size]).unwrap();
        let mut expected = all.clone();
        expected[shape.width..2 * shape.width].fill(0xffff);
        assert_eq!(loaded.values::<u16>().unwrap(), expected);
    }
}

#[test]
fn arrays_of_any_shape() {
    for seed in 0..150 {
        let shape = shape(&mut Random(seed));
        ThreadsAsRanks::run(shape.weights.len(), |network| check(&shape, network));
    }
}
