//! Cells of a grid that read their neighbours: devices have a halo.

use super::{devices, function, same_everywhere};
use std::path::Path;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_random::Random;
use volvelle_runtime::contents::{Content, Layout, PartialArray};
use volvelle_runtime::network::ThreadsAsRanks;
use volvelle_runtime::storage::{FileStorage, Ram};
use volvelle_runtime::{Argument, Context, Database, Kernel, Storage};

/// The sum of all cells not farther than `reach`, wrapping.
const SUM: &str = "
    kernel sum(lane: u64, first: u64, start: u64, units: u64, reach: u64) {
        buffer old: read u32;
        buffer new: write u32;
        local i: u64; local sum: u32;
        for i in max(lane, reach) - reach..min(lane + reach + 1u64, units) { sum = sum + old[i - start]; }
        new[lane - first] = sum;
    }";

/// The kernel that turns new values into old ones: only own cells are written.
const TAKE: &str = "
    kernel turn(lane: u64, first: u64, start: u64) {
        buffer new: read u32;
        buffer old: write u32;
        old[lane - start] = new[lane - first];
    }";

fn cells(count: usize) -> Vec<u32> {
    let mut random = Random(4);
    (0..count).map(|_| random.bits() as u32).collect()
}

fn summed(count: usize, reach: usize, steps: usize) -> Vec<u32> {
    let mut old = cells(count);
    for _ in 0..steps {
        let near = |i: usize| &old[i.saturating_sub(reach)..(i + reach + 1).min(count)];
        old = (0..count).map(|i| near(i).iter().fold(0, |sum: u32, x| sum.wrapping_add(*x))).collect();
    }
    old
}

pub fn run(context: &Arc<Context>, count: usize, reach: usize, steps: usize) -> Vec<u32> {
    let mut database = Database::new(context);
    let old = database.partial_array("old", Layout::of(Type::U32), count as u64, reach as u64).unwrap();
    let new = database.array("new", Layout::of(Type::U32), count as u64).unwrap();
    old.fill(&cells(count)).unwrap();
    let mut sum = Kernel::new(context, function(SUM)).unwrap();
    sum.set("first", Argument::First).unwrap();
    sum.set("start", Argument::Start(old.clone())).unwrap();
    sum.set("units", Argument::Units).unwrap();
    sum.set("reach", reach as u64).unwrap();
    sum.set("old", old.clone()).unwrap();
    sum.set("new", new.clone()).unwrap();
    let mut turn = Kernel::new(context, function(TAKE)).unwrap();
    turn.set("first", Argument::First).unwrap();
    turn.set("start", Argument::Start(old.clone())).unwrap();
    turn.set("new", new).unwrap();
    turn.set("old", old.clone()).unwrap();
    for _ in 0..steps {
        assert_eq!(sum.start(count as u64, None), Ok(()));
        assert_eq!(turn.start(count as u64, None), Ok(()));
        old.exchange().unwrap();
    }
    old.values().unwrap()
}

#[test]
fn sums_are_the_same_on_any_devices() {
    // Halos of nothing, of less and of more than a part, of more than there is.
    for (count, reach) in [(1, 1), (5, 0), (5, 2), (40, 1), (40, 13), (17, 100)] {
        let found = same_everywhere(|context| run(context, count, reach, 3));
        assert_eq!(found, summed(count, reach, 3), "{count} cells, {reach} to each side");
    }
}

/// After an exchange a halo holds the values of the owners, cell by cell.
#[test]
fn halos_have_what_owners_have() {
    for halo in [0, 1, 4, u64::MAX] {
        ThreadsAsRanks::run(3, |network| {
            let context = Context::among(devices(1 + network.rank()), network.clone()).unwrap();
            let array = PartialArray::new(&context, Layout::several(Type::I16, 2), 23, halo).unwrap();
            // Each process knows its own cells only.
            let mut values = vec![-1_i16; 46];
            for device in 0..context.devices().len() {
                for cell in array.owned(device) {
                    values[2 * cell as usize] = cell as i16;
                    values[2 * cell as usize + 1] = 100 + cell as i16;
                }
            }
            array.fill(&values).unwrap();
            array.exchange().unwrap();
            for device in 0..context.devices().len() {
                let held = array.held(device);
                let mut bytes = vec![0; 4 * (held.end - held.start) as usize];
                array.region(device).read(0, &mut bytes).unwrap();
                let found: Vec<i16> =
                    bytes.chunks(2).map(|b| i16::from_ne_bytes(b.try_into().unwrap())).collect();
                let expected: Vec<i16> = held.flat_map(|cell| [cell as i16, 100 + cell as i16]).collect();
                assert_eq!(found, expected, "halo {halo}, rank {}, device {device}", network.rank());
            }
        });
    }
}

#[test]
fn arrays_go_to_files_and_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grid");
    let files = FileStorage::in_folder(&folder).unwrap();
    files.create("cells", 4 * 33).unwrap();
    let expected = cells(33);
    ThreadsAsRanks::run(2, |network| {
        let context = Context::among(devices(2), network.clone()).unwrap();
        let array = PartialArray::new(&context, Layout::of(Type::U32), 33, 2).unwrap();
        array.fill(&expected).unwrap();
        array.save(&*files.open("cells").unwrap()).unwrap();
        network.barrier().unwrap();
        assert!(array.save(&*Ram.allocate(5).unwrap()).is_err());
    });
    // Another number of devices, and another kind of array.
    let context = Context::of(devices(3)).unwrap();
    let mut database = Database::new(&context);
    let array = database.synced_array("cells", Layout::of(Type::U32), 33).unwrap();
    array.load(&*files.open("cells").unwrap()).unwrap();
    assert_eq!(array.values::<u32>().unwrap(), expected);
    let (own, bytes) = array.own().unwrap();
    assert_eq!((own, bytes.len()), (0..33, 132));
}
