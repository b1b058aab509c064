//! Programs on contents, which do not depend on the number of processes.

use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_kernel::{Type, text::parse};
use volvelle_runtime::contents::Layout;
use volvelle_runtime::network::NetworkStorage;
use volvelle_runtime::{Argument, Context, Database, Function, Kernel, Network, Technology};
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
            assert_eq!(kernel.start(bodies, None), Ok(()));
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
        assert_eq!(smooth.start(cells, None), Ok(()));
        assert_eq!(turn.start(cells, None), Ok(()));
        old.exchange().unwrap();
    }
    old.values().unwrap()
}

/// A part of a database that goes through the memory of all ranks, one after the other, and comes back to the first.
fn round_trip(context: &Arc<Context>) -> Vec<f64> {
    let network = context.network();
    let (own, size, count) = (network.rank(), network.size(), 200_000);
    let mut database = Database::new(context);
    for rank in (0..size).filter(|&rank| rank != own) {
        let storage = NetworkStorage::of(network.clone(), rank).unwrap();
        database.add_storage(&format!("rank {rank}"), Arc::new(storage)).unwrap();
    }
    let array = database.array("array", Layout::of(Type::F64), count).unwrap();
    array.fill(&numbers(count)).unwrap();
    // What the first rank has, for everybody.
    let part = database.storage("RAM").unwrap().allocate(8 * count as usize).unwrap();
    if own == 0 {
        array.save(&*part).unwrap();
    }
    let there = |rank: usize| {
        let storage = database.storage(&format!("rank {rank}")).unwrap();
        storage.allocate(8 * count as usize).unwrap()
    };
    if size > 1 && own == 0 {
        there(1).copy_from(0, &*part, 0, part.bytes()).unwrap();
        part.copy_from(0, &*there(size - 1), 0, part.bytes()).unwrap();
    } else if size > 1 {
        part.copy_from(0, &*there(own - 1), 0, part.bytes()).unwrap();
        array.save(&*part).unwrap();
        there((own + 1) % size).copy_from(0, &*part, 0, part.bytes()).unwrap();
    }
    // The parts of all are there when it has gone round.
    if own == 0 {
        array.load(&*part).unwrap();
        let mut bytes = vec![0; part.bytes()];
        part.read(0, &mut bytes).unwrap();
        let found: Vec<f64> = bytes.chunks(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap())).collect();
        assert_eq!(found, numbers(count));
    }
    array.values().unwrap()
}

/// All programs on a network, with one device or two on each rank: a digest of the bits of all values (FNV-1a), since launchers mix
/// long lines.
pub fn all(network: Arc<dyn Network>) -> String {
    let threads = Threads::new(NonZeroUsize::MIN).open(0).unwrap();
    let devices = match network.rank() % 2 {
        0 => vec![threads],
        _ => vec![threads, Interpreter.open(0).unwrap()],
    };
    let context = Context::among(devices, network).unwrap();
    let mut values = orbits(&context, 53, false);
    values.extend(orbits(&context, 3, false));
    assert_eq!(orbits(&context, 53, true), values[..53 * 7], "with overlap");
    values.extend(smoothed(&context, 41));
    values.extend(smoothed(&context, 5));
    values.extend(round_trip(&context));
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let digest = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{} values {digest:016x}", values.len())
}
