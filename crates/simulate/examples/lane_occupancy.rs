//! How many lanes of a device that runs 32 of them in step have something to do, for ways to hand out paths: counted from how
//! long the paths of a model are, without a device.
//!
//! `lane_occupancy MODEL PROPERTY PATHS LANES [CONSTANT=VALUE,...]`. What a lane does between its paths, or a device to
//! regroup them, counts for nothing here.
#![expect(clippy::print_stdout, reason = "it is a program")]

#[path = "plan/mod.rs"]
mod plan;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_native::{Native, Options};
use volvelle_simulate::runner::{Paths, Runner};

/// Lanes that run in step.
const WARP: usize = 32;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, property, paths, lanes, constants @ ..] = arguments.as_slice() else {
        println!("lane_occupancy MODEL PROPERTY PATHS LANES [CONSTANT=VALUE,...]");
        return;
    };
    let text = std::fs::read_to_string(model).expect("a file");
    let plan = plan::plan(&text, property, constants.first().map_or("", String::as_str));
    let native = Native::new(Options::default()).expect("machine code");
    let runner = Runner::scalar(&plan, &native).expect("it compiles");
    let mut run = Paths::default();
    let count: u64 = paths.parse().expect("a number of paths");
    runner.run(1, 0..count, u32::MAX, &mut run).expect("it runs");
    let lengths: Vec<u64> = run.status.iter().map(|status| (status >> 1).max(1)).collect();
    let lanes: usize = lanes.parse().expect("a number of lanes");
    let all: u64 = lengths.iter().sum();
    let told = |what: &str, turns: u64| {
        println!("{:>6.1} %   {what}", 100.0 * all as f64 / turns as f64);
    };
    println!(
        "{count} paths of {:.0} steps on the mean, the longest {}",
        all as f64 / count as f64,
        lengths.iter().max().unwrap_or(&0)
    );
    let single = lengths.chunks(WARP).map(|warp| WARP as u64 * warp.iter().max().unwrap_or(&0)).sum();
    told("a lane for each path", single);
    told("lanes with paths of their own, one after the other", in_turn(&lengths, lanes, false));
    told("lanes that take the next path", in_turn(&lengths, lanes, true));
    for steps in [100, 1000, 10_000] {
        told(&format!("regrouped every {steps} steps"), regrouped(&lengths, lanes, steps));
    }
}

/// Turns of all lanes until the last is done, where a lane begins another path when its own has ended. A warp takes turns as
/// long as one of its lanes does; the device is busy as long as one of its warps.
fn in_turn(lengths: &[u64], lanes: usize, claimed: bool) -> u64 {
    let lanes = lanes.min(lengths.len());
    let mut busy = vec![0u64; lanes];
    if claimed {
        let mut free: BinaryHeap<Reverse<(u64, usize)>> = (0..lanes).map(|lane| Reverse((0, lane))).collect();
        for length in lengths {
            let Some(Reverse((now, lane))) = free.pop() else { break };
            busy[lane] = now + length;
            free.push(Reverse((busy[lane], lane)));
        }
    } else {
        for (path, length) in lengths.iter().enumerate() {
            busy[path % lanes] += length;
        }
    }
    busy.chunks(WARP).map(|warp| WARP as u64 * warp.iter().max().unwrap_or(&0)).sum()
}

/// Number of turns if paths are stored after a number of steps, and the unfinished ones are regrouped.
fn regrouped(lengths: &[u64], lanes: usize, steps: u64) -> u64 {
    let mut waiting = lengths.iter();
    let mut active: Vec<u64> = Vec::new();
    let mut turns = 0;
    loop {
        active.extend(waiting.by_ref().take(lanes.saturating_sub(active.len())));
        if active.is_empty() {
            return turns;
        }
        for warp in active.chunks(WARP) {
            turns += WARP as u64 * warp.iter().map(|&left| left.min(steps)).max().unwrap_or(0);
        }
        active.iter_mut().for_each(|left| *left = left.saturating_sub(steps));
        active.retain(|&left| left > 0);
    }
}
