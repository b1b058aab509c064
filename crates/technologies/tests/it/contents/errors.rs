//! Mismatches are found before anything runs.

use super::{devices, function};
use std::sync::Arc;
use volvelle_kernel::{Buffer, Exit, Type};
use volvelle_runtime::contents::{Array, Layout, PartialArray, Replica, SyncedArray};
use volvelle_runtime::network::ThreadsAsRanks;
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{Argument, Context, Database, Error, Kernel};

const SCALE: &str = "
    kernel scale(lane: u64, first: u64, factor: f32) {
        buffer from: read f32;
        buffer to: write f32;
        site @0: assertion, tag 0;
        if factor > 100.0f32 { fail @0; }
        to[lane - first] = from[lane - first] * factor;
    }";

fn context() -> Arc<Context> {
    Context::of(devices(2)).unwrap()
}

#[track_caller]
fn mismatch<T>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Mismatch(why)) => why,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it fits"),
    }
}

#[test]
fn arguments() {
    let context = context();
    let mut kernel = Kernel::new(&context, function(SCALE)).unwrap();
    let floats = Arc::new(Array::new(&context, Layout::of(Type::F32), 10).unwrap());
    let doubles = Arc::new(Array::new(&context, Layout::of(Type::F64), 10).unwrap());
    assert_eq!(
        mismatch(kernel.start(10, None)),
        "kernel `scale`: arguments are not set: `first`, `factor`, `from`, `to`"
    );
    assert_eq!(
        mismatch(kernel.set("factors", 1.0_f32)),
        "kernel `scale`: there is no argument `factors` among 4: `first`, `factor`, `from`, `to`"
    );
    assert!(mismatch(kernel.set("lane", 1_u64)).contains("no argument `lane`"));
    assert!(mismatch(kernel.set(4, 1_u64)).contains("no argument number 4"));
    assert_eq!(
        mismatch(kernel.set("factor", 1.0_f64)),
        "kernel `scale`: argument `factor` is a number of type f32, not a number of type f64"
    );
    assert!(mismatch(kernel.set("factor", Argument::First)).contains("not a number of type u64"));
    assert_eq!(
        mismatch(kernel.set("from", doubles.clone())),
        "kernel `scale`: argument `from` is a buffer of f32, not elements of f64"
    );
    assert!(mismatch(kernel.set("from", 3_u64)).contains("a buffer of f32"));
    assert!(
        mismatch(kernel.set("first", floats.clone()))
            .contains("is a number of type u64, not elements of f32")
    );
    kernel.set("first", Argument::First).unwrap();
    kernel.set("factor", 2.0_f32).unwrap();
    kernel.set("from", floats.clone()).unwrap();
    kernel.set("to", floats.clone()).unwrap();
    assert_eq!(
        mismatch(kernel.start(11, None)),
        "kernel `scale`: argument `from` is split over the devices (Array), and has 10 elements for 11 units"
    );
    assert_eq!(kernel.start(10, None), Ok(()));
    kernel.set("factor", 101.0_f32).unwrap();
    let failed = kernel.start(10, None).unwrap_err();
    assert!(matches!(failed, Error::Exit { exit: Exit::Failed(volvelle_kernel::Site(0)), .. }), "{failed:?}");
    assert!(failed.to_string().contains("kernel `scale` failed at its site 0"), "{failed}");
    assert_eq!(kernel.built().len(), 2);
}

#[test]
fn kernels_that_no_device_can_build() {
    let context = context();
    let error =
        Kernel::new(&context, function("kernel e(lane: u64) { buffer b: append u64; emit b, lane; }"));
    assert!(error.err().unwrap().to_string().contains("is for appending"));
    let nothing = volvelle_runtime::Function { ir: None, ..function(SCALE) };
    let error = Kernel::new(&context, nothing).err().unwrap().to_string();
    assert!(error.contains("threads: ") && error.contains("no implementation"), "{error}");
}

#[test]
fn values_and_sizes() {
    let context = context();
    let array = SyncedArray::new(&context, Layout::several(Type::F32, 2), 3).unwrap();
    assert_eq!(mismatch(array.fill(&[1.0_f32; 5])), "5 values for an array of 6");
    assert_eq!(mismatch(array.fill(&[1.0_f64; 6])), "values of f64 in an array of 2 x f32");
    assert_eq!(mismatch(array.values::<u8>()), "values of u8 in an array of 2 x f32");
    for (first, bytes) in [(0, 25), (0, 7), (3, 8), (u64::MAX, 8)] {
        assert!(mismatch(array.write(first, &vec![0; bytes])).contains("not elements of an array"));
    }
    array.write(1, &[1; 8]).unwrap();
    array.write(3, &[]).unwrap();
    assert!(
        mismatch(array.load(&*volvelle_runtime::Storage::allocate(&Ram, 1).unwrap()))
            .contains("region of 1 bytes")
    );
    assert!(mismatch(Array::new(&context, Layout::several(Type::F32, 0), 3)).contains("at least one value"));
    for elements in [u64::MAX, 1 << 62] {
        let error = Array::new(&context, Layout::of(Type::U64), elements).err().unwrap();
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
    let replica = Replica::new(&context, Layout::several(Type::U32, 2)).unwrap();
    assert!(mismatch(replica.set(&[1_u32; 3])).contains("3 values of u32 for elements of 2 x u32"));
    assert!(mismatch(replica.set(&[1.0_f32; 2])).contains("of f32"));
}

#[test]
fn databases() {
    let context = context();
    let mut database = Database::new(&context);
    assert_eq!(database.storages().collect::<Vec<_>>(), ["RAM", "interpreter", "threads"]);
    assert_eq!(mismatch(database.content("mass")), "there is no content `mass`; there are none");
    let mass = database.array("mass", Layout::of(Type::F64), 10).unwrap();
    database.synced_array("position", Layout::several(Type::F64, 4), 10).unwrap();
    assert_eq!(
        mismatch(database.array("mass", Layout::of(Type::F64), 1)),
        "there is a content `mass` already"
    );
    assert_eq!(mismatch(database.content("x")), "there is no content `x`; there are mass, position");
    assert!(Arc::ptr_eq(&database.find::<Array>("mass").unwrap(), &mass));
    assert!(
        mismatch(database.find::<Array>("position")).contains("is a SyncedArray, not of the requested kind")
    );
    let lines: Vec<String> = database
        .contents()
        .iter()
        .map(|c| format!("{} {} {} {} {}", c.name, c.kind, c.layout, c.elements, c.bytes_here))
        .collect();
    assert_eq!(lines, ["mass Array f64 10 80", "position SyncedArray 4 x f64 10 640"]);
    database.octree("tree").unwrap();
    assert!(mismatch(database.octree("tree").map(|_| ())).contains("`tree.centre` already"));
    assert_eq!(database.contents().len(), 8);
    database.remove("mass").unwrap();
    assert!(mismatch(database.remove("mass")).contains("no content `mass`"));
    assert!(mismatch(database.storage("disk")).contains("there are RAM, interpreter, threads"));
    database.add_storage("disk", Ram::shared()).unwrap();
    assert!(mismatch(database.add_storage("disk", Ram::shared())).contains("already"));
    assert_eq!(database.storage("disk").unwrap().name(), "RAM");
}

#[test]
fn contexts_without_devices() {
    assert_eq!(Context::of(Vec::new()).err().unwrap().to_string(), "there is no device to work on");
    let errors = ThreadsAsRanks::run(2, |network| {
        let rank = network.rank();
        Context::among(devices(rank), network).err().unwrap().to_string()
    });
    assert_eq!(errors, ["rank 0 has no device to work on"; 2], "all hear of it");
}

/// A stencil without a guard at its border accesses elements outside its buffer, on one device and on many,
/// whichever device has the border.
#[test]
fn border_rows_without_a_guard_are_errors_on_all_devices() {
    let heat = "
        kernel heat(lane: u64, n: u64, held_old: u64, held_new: u64) {
            buffer old: read f64;
            buffer new: write f64;
            local c: u64; local i: u64;
            for c in 0u64..n {
                i = (lane - held_old) * n + c;
                new[(lane - held_new) * n + c] = 0.5f64 * (old[i - n] + old[i + n]);
            }
        }";
    for count in [1, 2, 3, 9] {
        let context = Context::of(devices(count)).unwrap();
        let rows = || Arc::new(PartialArray::new(&context, Layout::several(Type::F64, 4), 12, 1).unwrap());
        let (old, new) = (rows(), rows());
        let mut kernel = Kernel::new(&context, function(heat)).unwrap();
        kernel.set("n", 4_u64).unwrap();
        kernel.set("held_old", Argument::Start(old.clone())).unwrap();
        kernel.set("held_new", Argument::Start(new.clone())).unwrap();
        kernel.set("old", old).unwrap();
        kernel.set("new", new).unwrap();
        let error = kernel.start(12, None).unwrap_err();
        assert!(
            matches!(error, Error::Exit { exit: Exit::OutOfBounds(Buffer(0)), .. }),
            "{count}: {error:?}"
        );
        assert_eq!(error.to_string(), "kernel `heat` left its buffer `old`");
        assert!(!error.is_of_the_device());
    }
}
