//! A large chain: a line of queues whose hand-overs take no time.
//!
//! `cargo run --release -p volvelle-imc --example line [QUEUES] [ROOM]`: 6 queues with room for 9 each give a
//! million tangible states. Ten labels are measured.

use std::io::Write;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_imc::{Chain, Options, Wanted};
use volvelle_space::{Edge, Labels, Lts};

/// Queues in a row. A customer who leaves one queue enters the next at once (`MOVE`), or is lost if that is
/// full (`DROP`). One in ten of those who leave the last is served badly.
fn line(queues: u32, room: u32) -> Lts {
    let mut labels = Labels::new();
    let arrive = labels.number("ARRIVE; rate 2");
    let serve: Vec<u32> =
        (0..queues).map(|queue| labels.number(&format!("SERVE !{queue}; rate 3"))).collect();
    let [moves, drops] = ["MOVE", "DROP"].map(|name| labels.number(name));
    let (bad, good) = (labels.number("BAD; prob 0.1"), labels.number("GOOD; prob 0.9"));
    let base = room + 1;
    let size = base.pow(queues);
    // Layer 0 is tangible; in layer k + 1 a customer has just left queue k.
    let (mut starts, mut edges) = (vec![0u32], Vec::new());
    for layer in 0..=queues {
        for state in 0..size {
            let length = |queue: u32| state / base.pow(queue) % base;
            let mut add = |label: u32, target: u32| edges.push(Edge { label, target });
            match layer {
                0 => {
                    if length(0) < room {
                        add(arrive, state + 1);
                    }
                    for queue in (0..queues).filter(|&queue| length(queue) > 0) {
                        add(serve[queue as usize], (queue + 1) * size + state - base.pow(queue));
                    }
                }
                layer if layer == queues => {
                    add(bad, state);
                    add(good, state);
                }
                next if length(next) < room => add(moves, state + base.pow(next)),
                _ => add(drops, state),
            }
            starts.push(edges.len() as u32);
        }
    }
    Lts::new(0, labels, starts, edges)
}

fn main() -> std::io::Result<()> {
    let number = |place: usize, default: u32| {
        std::env::args().nth(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (queues, room) = (number(1, 6), number(2, 9));
    let control = Control::unlimited();
    let mut out = std::io::stdout();
    let lts = line(queues, room);
    writeln!(out, "{} states, {} transitions", lts.num_states(), lts.num_transitions())?;
    let start = Instant::now();
    let options = Options::default();
    let chain = Chain::from_lts(&lts, &options, &control).expect("nothing is open");
    writeln!(out, "{} tangible states: {:.2} s", chain.tangible().len(), start.elapsed().as_secs_f64())?;
    let start = Instant::now();
    let steady = chain.steady(Wanted::Throughputs, &control).expect("no limits");
    for amount in &steady.throughputs {
        writeln!(out, "{:10} {:?}", amount.action, amount.bounds)?;
    }
    writeln!(out, "{} ({:?}): {:.2} s", steady.method, steady.stop, start.elapsed().as_secs_f64())
}
