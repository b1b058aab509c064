//! Kernels that run while elements of others arrive.

use super::{devices, function, same_everywhere};
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_random::Random;
use volvelle_runtime::contents::{Content, Layout, SyncedArray};
use volvelle_runtime::network::ThreadsAsRanks;
use volvelle_runtime::{Argument, Context, Database, Kernel};

const RAISE: &str = "
    kernel raise(lane: u64, by: i64) {
        buffer all: write i64;
        all[lane] = all[lane] + by;
    }";

/// The elements that a device of this process has now.
fn held(array: &SyncedArray, device: usize) -> Vec<i64> {
    let mut bytes = vec![0; 8 * array.elements() as usize];
    array.region(device).read(0, &mut bytes).unwrap();
    bytes.chunks(8).map(|b| i64::from_ne_bytes(b.try_into().unwrap())).collect()
}

/// Others see the elements as they were when the synchronisation began. What their owner writes meanwhile
/// stays, and the next synchronisation distributes it.
#[test]
fn own_elements_change_while_those_of_others_arrive() {
    let found = same_everywhere(|context| {
        let array = Arc::new(SyncedArray::new(context, Layout::of(Type::I64), 11).unwrap());
        array.fill(&[0_i64; 11]).unwrap();
        let mut kernel = Kernel::new(context, function(RAISE)).unwrap();
        kernel.set("all", array.clone()).unwrap();
        for round in 1..=3 {
            kernel.set("by", 1_i64).unwrap();
            kernel.start(11, None).unwrap();
            let mut pending = array.start_synchronize().unwrap();
            let _ = pending.is_done().unwrap();
            kernel.set("by", 100_i64).unwrap();
            kernel.start(11, None).unwrap();
            pending.finish().unwrap();
            for device in 0..context.devices().len() {
                let owned = array.owned(device);
                for (element, value) in (0..).zip(held(&array, device)) {
                    let expected = 101 * round - if owned.contains(&element) { 0 } else { 100 };
                    assert_eq!(value, expected, "round {round}, element {element} of device {device}");
                }
            }
        }
        array.synchronize().unwrap();
        for device in 0..context.devices().len() {
            assert_eq!(held(&array, device), [303; 11]);
        }
        array.values::<i64>().unwrap()
    });
    assert_eq!(found, [303; 11]);
}

/// A synchronisation that is never finished changes nothing, and does not block the next one.
#[test]
fn synchronisations_that_are_dropped() {
    ThreadsAsRanks::run(3, |network| {
        let context = Context::among(devices(1 + network.rank()), network).unwrap();
        let array = Arc::new(SyncedArray::new(&context, Layout::of(Type::I64), 7).unwrap());
        let mut kernel = Kernel::new(&context, function(RAISE)).unwrap();
        kernel.set("all", array.clone()).unwrap();
        kernel.set("by", 1_i64).unwrap();
        kernel.start(7, None).unwrap();
        drop(array.start_synchronize().unwrap());
        for device in 0..context.devices().len() {
            let owned = array.owned(device);
            let expected: Vec<i64> = (0..7).map(|element| i64::from(owned.contains(&element))).collect();
            assert_eq!(held(&array, device), expected);
        }
        array.synchronize().unwrap();
        (0..context.devices().len()).for_each(|device| assert_eq!(held(&array, device), [1; 7]));
    });
}

/// Sums of near cells: first (phase 0) where no cell of another device is near, then the rest.
const SUM: &str = "
    kernel sum(lane: u64, first: u64, end: u64, start: u64, units: u64, reach: u64, phase: u64) {
        buffer old: read u32;
        buffer new: write u32;
        local i: u64; local sum: u32; local inner: u64;
        if lane >= first + reach && lane + reach < end { inner = 1u64; }
        if inner + phase == 1u64 {
            for i in max(lane, reach) - reach..min(lane + reach + 1u64, units) { sum = sum + old[i - start]; }
            new[lane - first] = sum;
        }
    }";

const TURN: &str = "
    kernel turn(lane: u64, first: u64, start: u64) {
        buffer new: read u32;
        buffer old: write u32;
        old[lane - start] = new[lane - first];
    }";

fn summed(cells: &[u32], reach: usize, steps: usize) -> Vec<u32> {
    let mut old = cells.to_vec();
    for _ in 0..steps {
        let near = |i: usize| &old[i.saturating_sub(reach)..(i + reach + 1).min(old.len())];
        old = (0..old.len()).map(|i| near(i).iter().fold(0, |sum: u32, x| sum.wrapping_add(*x))).collect();
    }
    old
}

#[test]
fn inner_cells_do_not_wait_for_halos() {
    for (count, reach) in [(1, 1), (40, 1), (40, 3), (17, 0), (5, 2), (17, 100)] {
        let mut random = Random(count as u64);
        let cells: Vec<u32> = (0..count).map(|_| random.bits() as u32).collect();
        let found = same_everywhere(|context| {
            let units = count as u64;
            let mut database = Database::new(context);
            let old = database.partial_array("old", Layout::of(Type::U32), units, reach as u64).unwrap();
            let new = database.array("new", Layout::of(Type::U32), units).unwrap();
            old.fill(&cells).unwrap();
            let mut sum = Kernel::new(context, function(SUM)).unwrap();
            sum.set("end", Argument::End).unwrap();
            sum.set("units", Argument::Units).unwrap();
            sum.set("reach", reach as u64).unwrap();
            let mut turn = Kernel::new(context, function(TURN)).unwrap();
            for kernel in [&mut sum, &mut turn] {
                kernel.set("first", Argument::First).unwrap();
                kernel.set("start", Argument::Start(old.clone())).unwrap();
                kernel.set("old", old.clone()).unwrap();
                kernel.set("new", new.clone()).unwrap();
            }
            for _ in 0..3 {
                let pending = old.start_exchange().unwrap();
                sum.set("phase", 0_u64).unwrap();
                assert_eq!(sum.start(units, None), Ok(()));
                pending.finish().unwrap();
                sum.set("phase", 1_u64).unwrap();
                assert_eq!(sum.start(units, None), Ok(()));
                assert_eq!(turn.start(units, None), Ok(()));
            }
            old.values::<u32>().unwrap()
        });
        assert_eq!(found, summed(&cells, reach, 3), "{count} cells, {reach} to each side");
    }
}
