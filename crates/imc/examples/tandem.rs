//! A large chain: tandem queues with a hand-over in no time, about a million tangible states.
//!
//! `cargo run --release -p volvelle-imc --example tandem [SIDE]`

use std::time::Instant;
use volvelle_control::Control;
use volvelle_imc::{Chain, Options, Wanted};
use volvelle_space::{Edge, Labels, Lts};

/// Two queues with room for `side` each. A customer who leaves the first enters the second at once (`MOVE`), or is lost
/// where it is full (`DROP`); half of those who leave the second come back with probability 1/10.
fn tandem(side: u32) -> Lts {
    let mut labels = Labels::new();
    let names = ["ARRIVE; rate 2", "rate 3", "rate 5/2", "MOVE", "DROP", "BACK; prob 0.1", "LEAVE; prob 0.9"];
    let [arrive, first, second, moves, drops, back, leave] = names.map(|name| labels.number(name));
    let size = (side + 1) * (side + 1);
    // Three layers: tangible, after the first server, after the second one.
    let state = |layer: u32, a: u32, b: u32| layer * size + a * (side + 1) + b;
    let (mut starts, mut edges) = (vec![0u32], Vec::new());
    for layer in 0..3 {
        for a in 0..=side {
            for b in 0..=side {
                let mut add = |label: u32, target: u32| edges.push(Edge { label, target });
                match layer {
                    0 => {
                        if a < side {
                            add(arrive, state(0, a + 1, b));
                        }
                        if a > 0 {
                            add(first, state(1, a - 1, b));
                        }
                        if b > 0 {
                            add(second, state(2, a, b - 1));
                        }
                    }
                    1 if b < side => add(moves, state(0, a, b + 1)),
                    1 => add(drops, state(0, a, b)),
                    _ if a < side => {
                        add(back, state(0, a + 1, b));
                        add(leave, state(0, a, b));
                    }
                    _ => add(leave, state(0, a, b)),
                }
                starts.push(edges.len() as u32);
            }
        }
    }
    Lts::new(0, labels, starts, edges)
}

fn main() {
    let side = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let control = Control::unlimited();
    let lts = tandem(side);
    let mut out = format!("{} states, {} transitions\n", lts.num_states(), lts.num_transitions());
    let start = Instant::now();
    let mut options = Options::default();
    if std::env::args().nth(2).is_some() { options.numerical.precision = 1e-3; }
    let chain = Chain::from_lts(&lts, &options, &control).expect("a chain");
    out += &format!("{} tangible states: {:.2} s\n", chain.tangible().len(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let steady = chain.steady(if std::env::args().nth(2).is_some() { Wanted::States } else { Wanted::Throughputs }, &control).expect("a steady state");
    for amount in &steady.throughputs {
        out += &format!("{:10} {:?}\n", amount.action, amount.bounds);
    }
    out += &format!("{} ({:?}): {:.2} s\n", steady.method, steady.stop, start.elapsed().as_secs_f64());
    std::io::Write::write_all(&mut std::io::stdout(), out.as_bytes()).expect("a terminal");
}
