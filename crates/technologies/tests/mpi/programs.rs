//! Programs on contents, which do not know how many processes there are.

use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_kernel::{Exit, Type, text::parse};
use volvelle_runtime::contents::Layout;
use volvelle_runtime::network::NetworkStorage;
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{Argument, Context, Database, Function, Kernel, Network, Storage, Technology};
use volvelle_technologies::{Interpreter, Threads};

const KERNELS: &str = "
    kernel kick(lane: u64, first: u64, step: f64) {
        buffer position: read f64;
        buffer velocity: write f64;
        local j: u64; local x: f64; local y: f64; local z: f64; local square: f64; local pull: f64;
        local ax: f64; local ay: f64; local az: f64;
        for j in 0u64..len(position) >> 2u64 {
            x = position[j * 4u64] - position[lane * 4u64];
            y = position[j * 4u64 + 1u64] - position[lane * 4u64 + 1u64];
            z = position[j * 4u64 + 2u64] - position[lane * 4u64 + 2u64];
            square = x * x + y * y + z * z + 0.01f64;
            pull = position[j * 4u64 + 3u64] / (square * sqrt(square));
            ax = ax + x * pull; ay = ay + y * pull; az = az + z * pull;
        }
        velocity[(lane - first) * 3u64] = velocity[(lane - first) * 3u64] + ax * step;
        velocity[(lane - first) * 3u64 + 1u64] = velocity[(lane - first) * 3u64 + 1u64] + ay * step;
        velocity[(lane - first) * 3u64 + 2u64] = velocity[(lane - first) * 3u64 + 2u64] + az * step;
    }
    kernel drift(lane: u64, first: u64, step: f64) {
        buffer position: write f64;
        buffer velocity: read f64;
        local i: u64;
        for i in 0u64..3u64 {
            position[lane * 4u64 + i] = position[lane * 4u64 + i] + velocity[(lane - first) * 3u64 + i] * step;
        }
    }
    kernel smooth(lane: u64, first: u64, start: u64, units: u64) {
        buffer old: read f64;
        buffer new: write f64;
        local i: u64; local sum: f64;
        for i in max(lane, 2u64) - 2u64..min(lane + 3u64, units) { sum = sum + old[i - start] / 5.0f64; }
        new[lane - first] = sum;
    }
    kernel turn(lane: u64, first: u64, start: u64) {
        buffer new: read f64;
        buffer old: write f64;
        old[lane - start] = new[lane - first];
    }";

fn kernel(context: &Arc<Context>, name: &str) -> Kernel {
    let ir = parse(KERNELS).unwrap().into_iter().find(|ir| ir.name == name).unwrap();
    let mut kernel = Kernel::new(context, Function::of(ir)).unwrap();
    kernel.set("first", Argument::First).unwrap();
    kernel
}

/// Numbers between 0 and 1.
fn numbers(count: u64) -> Vec<f64> {
    (0..count).map(|i| ((i * i * 7919) % 1009) as f64 / 1009.0).collect()
}

/// Bodies that attract each other.
pub fn orbits(context: &Arc<Context>, bodies: u64, overlap: bool) -> Vec<f64> {
    let mut database = Database::new(context);
    let position = database.synced_array("position", Layout::several(Type::F64, 4), bodies).unwrap();
    let velocity = database.array("velocity", Layout::several(Type::F64, 3), bodies).unwrap();
    position.fill(&numbers(4 * bodies)).unwrap();
    let kernels = ["kick", "drift"].map(|name| {
        let mut kernel = kernel(context, name);
        kernel.set("step", 0.001).unwrap();
        kernel.set("position", position.clone()).unwrap();
        kernel.set("velocity", velocity.clone()).unwrap();
        kernel
    });
    for _ in 0..5 {
        for kernel in &kernels {
            assert_eq!(kernel.start(bodies, None), Ok(Exit::Done));
        }
        if overlap {
            let mut pending = position.start_synchronize().unwrap();
            while !pending.is_done().unwrap() {
                std::thread::yield_now();
            }
            pending.finish().unwrap();
        } else {
            position.synchronize().unwrap();
        }
    }
    let mut values: Vec<f64> = position.values().unwrap();
    values.extend(velocity.values::<f64>().unwrap());
    values
}

/// Cells that become more like their neighbours.
pub fn smoothed(context: &Arc<Context>, cells: u64) -> Vec<f64> {
    let mut database = Database::new(context);
    let old = database.partial_array("old", Layout::of(Type::F64), cells, 2).unwrap();
    let new = database.array("new", Layout::of(Type::F64), cells).unwrap();
    old.fill(&numbers(cells)).unwrap();
    let mut smooth = kernel(context, "smooth");
    smooth.set("units", Argument::Units).unwrap();
    let mut turn = kernel(context, "turn");
    for kernel in [&mut smooth, &mut turn] {
        kernel.set("start", Argument::Start(old.clone())).unwrap();
        kernel.set("old", old.clone()).unwrap();
        kernel.set("new", new.clone()).unwrap();
    }
    for _ in 0..7 {
        assert_eq!(smooth.start(cells, None), Ok(Exit::Done));
        assert_eq!(turn.start(cells, None), Ok(Exit::Done));
        old.exchange().unwrap();
    }
    old.values().unwrap()
}

/// Bytes that go through the memory of all ranks, one after the other, and come back to the first.
fn round_trip(network: &Arc<dyn Network>) -> Vec<f64> {
    let bytes: Vec<u8> = numbers(200_000).into_iter().flat_map(f64::to_ne_bytes).collect();
    let (own, size) = (network.rank(), network.size());
    let region = Ram.allocate(bytes.len()).unwrap();
    if own == 0 {
        region.write(0, &bytes).unwrap();
    }
    let of = |rank: usize| {
        let storage: Arc<dyn Storage> = Arc::new(NetworkStorage::of(network.clone(), rank).unwrap());
        storage.allocate(bytes.len()).unwrap()
    };
    if size > 1 && own == 0 {
        of(1).copy_from(0, &*region, 0, bytes.len()).unwrap();
        region.write(0, &vec![0; bytes.len()]).unwrap();
        region.copy_from(0, &*of(size - 1), 0, bytes.len()).unwrap();
    } else if size > 1 {
        region.copy_from(0, &*of(own - 1), 0, bytes.len()).unwrap();
        of((own + 1) % size).copy_from(0, &*region, 0, bytes.len()).unwrap();
    }
    let mut found = vec![0; bytes.len()];
    region.read(0, &mut found).unwrap();
    assert_eq!(found, bytes, "rank {own}");
    numbers(1)
}

/// All programs on a network, with one device or two on each rank: a digest of the bits of all values (FNV-1a), since launchers mix
/// long lines.
pub fn all(network: Arc<dyn Network>) -> String {
    let threads = Threads::new(NonZeroUsize::MIN).open(0).unwrap();
    let devices = match network.rank() % 2 {
        0 => vec![threads],
        _ => vec![threads, Interpreter.open(0).unwrap()],
    };
    let context = Context::among(devices, network.clone()).unwrap();
    let mut values = orbits(&context, 53, false);
    values.extend(orbits(&context, 3, false));
    assert_eq!(orbits(&context, 53, true), values[..53 * 7], "with overlap");
    values.extend(smoothed(&context, 41));
    values.extend(smoothed(&context, 5));
    values.extend(round_trip(&network));
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let digest = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{} values {digest:016x}", values.len())
}
