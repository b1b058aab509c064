//! Contents and kernels over many devices and ranks: the same bits for one device and for more than there are elements.

mod arrays;
mod bodies;
mod errors;
mod failover;
mod faults;
mod grid;
mod in_order;
mod opencl;
mod overlap;
mod tree;

use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_kernel::text::parse;
use volvelle_runtime::network::{Network, ThreadsAsRanks};
use volvelle_runtime::{Context, Executor, Function, Technology};
use volvelle_technologies::{Interpreter, Threads};

/// A function from the text of a kernel.
fn function(text: &str) -> Function {
    Function::of(parse(text).unwrap().remove(0))
}

/// `count` devices, of two technologies in turn.
fn devices(count: usize) -> Vec<Arc<dyn Executor>> {
    let technologies: [Arc<dyn Technology>; 2] =
        [Arc::new(Threads::new(NonZeroUsize::new(2).unwrap())), Arc::new(Interpreter)];
    (0..count).map(|i| technologies[i % 2].open(0).unwrap()).collect()
}

/// Devices of each rank that are tried: alone, several, several ranks, different numbers, more than there are elements.
const SHAPES: [&[usize]; 7] = [&[1], &[2], &[3], &[1, 1], &[2, 1], &[1, 3, 2], &[9, 8]];

/// Runs a job on contexts of all shapes, and compares the results of all ranks with the first.
fn same_everywhere<T: PartialEq + std::fmt::Debug + Send>(job: impl Fn(&Arc<Context>) -> T + Sync) -> T {
    let alone = Context::of(devices(1)).unwrap();
    let expected = job(&alone);
    for shape in SHAPES {
        let found = ThreadsAsRanks::run(shape.len(), |network: Arc<dyn Network>| {
            let context = Context::among(devices(shape[network.rank()]), network).unwrap();
            job(&context)
        });
        for found in found {
            assert_eq!(found, expected, "{shape:?}");
        }
    }
    for weights in [[1, 3, 2], [0, 1, 0], [1000, 1, 500]] {
        let found = ThreadsAsRanks::run(2, |network: Arc<dyn Network>| {
            // The first rank has the first device, the other one has two.
            let own = if network.rank() == 0 { 0..1 } else { 1..3 };
            let weighted = devices(own.len()).into_iter().zip(weights[own].iter().copied()).collect();
            job(&Context::weighted(weighted, network).unwrap())
        });
        for found in found {
            assert_eq!(found, expected, "{weights:?}");
        }
    }
    expected
}
