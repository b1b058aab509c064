//! How long ranks need to give one another what each owns: `mpirun -n 2 target/release/examples/all_gather`.
//!
//! For three sizes (elements of 4 x `f64`, the positions of particles), medians in milliseconds: of the network's operation alone; of a
//! synchronisation of a `SyncedArray` on one device of threads for each rank; and of a step in which a kernel computes for about as long,
//! one after the other and at the same time. Two lines give the time of a small message there and back.

#![allow(clippy::print_stdout, reason = "its table is its result")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;
use volvelle_kernel::{Type, text::parse};
use volvelle_runtime::contents::{Array, Layout, SyncedArray};
use volvelle_runtime::network::Wanted;
use volvelle_runtime::{Argument, Context, Error, Function, Kernel, Network, Technology};
use volvelle_technologies::Threads;
use volvelle_technologies::mpi::{self, Launcher, Settings};

fn main() -> Result<(), Error> {
    let launcher = Launcher::of(|name| std::env::var(name).ok());
    mpi::run(&launcher, Settings::default(), |network| {
        let is_first = network.rank() == 0;
        if is_first {
            println!("{} ranks; medians in ms", network.size());
            println!(
                "{:>9} {:>10} {:>12} {:>10} {:>10} {:>10}",
                "elements", "gather", "synchronize", "kernel", "in turn", "at once"
            );
        }
        for elements in [8192, 65_536, 327_680] {
            let times = measure(&network, elements)?;
            if is_first {
                let [gather, synchronize, kernel, in_turn, at_once] = times;
                println!(
                    "{elements:>9} {gather:>10.4} {synchronize:>12.4} {kernel:>10.4} {in_turn:>10.4} {at_once:>10.4}"
                );
            }
        }
        let [direct, tagged] = round_trips(&network)?;
        if is_first {
            println!("there and back: {direct:.4} ms, with a tag {tagged:.4} ms");
        }
        Ok(())
    })
}

/// The median time of some runs in milliseconds, each of which all ranks begin together.
fn median(network: &Arc<dyn Network>, mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let mut times = Vec::new();
    for _ in 0..100 {
        network.barrier()?;
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

const WORK: &str = "
    kernel work(lane: u64, first: u64, rounds: u64) {
        buffer out: write f64;
        local i: u64; local x: f64;
        x = out[lane - first] + 1.0f64;
        for i in 0u64..rounds { x = x * 0.999f64 + 0.5f64; }
        out[lane - first] = x;
    }";

fn measure(network: &Arc<dyn Network>, elements: u64) -> Result<[f64; 5], Error> {
    let context = Context::among(vec![Threads::new(NonZeroUsize::MIN).open(0)?], network.clone())?;
    let position = SyncedArray::new(&context, Layout::several(Type::F64, 4), elements)?;
    let partition = context.partition(elements);
    let part = |rank: usize| partition.part(rank);
    let counts: Vec<usize> =
        (0..network.size()).map(|rank| 32 * (part(rank).end - part(rank).start) as usize).collect();
    let mut all = vec![1; 32 * elements as usize];
    let gather = median(network, || {
        all = network.start_all_gather(&counts, std::mem::take(&mut all))?.wait()?;
        Ok(())
    })?;
    let synchronize = median(network, || position.synchronize())?;

    let out = Arc::new(Array::new(&context, Layout::of(Type::F64), elements)?);
    let ir = parse(WORK).map_err(|error| Error::Build(format!("{error:?}")))?.remove(0);
    let mut kernel = Kernel::new(&context, Function::of(ir))?;
    kernel.set("first", Argument::First)?;
    kernel.set("rounds", 20_u64)?;
    kernel.set("out", out)?;
    let kernel_alone = median(network, || kernel.start(elements, None).map(drop))?;
    let in_turn = median(network, || {
        kernel.start(elements, None)?;
        position.synchronize()
    })?;
    let at_once = median(network, || {
        let pending = position.start_synchronize()?;
        kernel.start(elements, None)?;
        pending.finish()
    })?;
    Ok([gather, synchronize, kernel_alone, in_turn, at_once])
}

/// Between the first two ranks.
fn round_trips(network: &Arc<dyn Network>) -> Result<[f64; 2], Error> {
    let (own, mut byte) = (network.rank(), [0]);
    let direct = median(network, || match own {
        0 if network.size() > 1 => {
            network.send(1, &[1])?;
            network.receive(1, &mut byte)
        }
        1 => {
            network.receive(0, &mut byte)?;
            network.send(0, &byte)
        }
        _ => Ok(()),
    })?;
    let tagged = median(network, || match own {
        0 if network.size() > 1 => {
            network.post(1, 0, vec![1])?;
            network.receive_any(Wanted::ANY).map(drop)
        }
        1 => network.post(0, 0, network.receive_any(Wanted::ANY)?.bytes),
        _ => Ok(()),
    })?;
    Ok([direct, tagged])
}
