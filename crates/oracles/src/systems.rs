//! Labelled transition systems in files, and networks of them: any bytes in, no panic; what was read is written and read again
//! unchanged, on any number of threads; and strategies of composition give equivalent systems.

use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_explicit::{Compression, Dialect, read_lts, read_mcrl2_lts, write_lts};
use volvelle_lts::{Network, Node, Strategy, compare, compose, parse_network};
use volvelle_space::{Labels, Lts};

/// Bytes that a system of a fuzzer may take.
const MEMORY: u64 = 64 << 20;

/// States beyond which a system that bytes describe is not written and read again.
const LARGEST: usize = 10_000;

/// States of products beyond which networks are not composed.
const STATES: u64 = 2_000;

fn control(threads: usize) -> Control<'static> {
    let limits = Limits { memory_bytes: Some(MEMORY), states: Some(STATES), ..Limits::default() };
    Control { limits, threads, ..Control::unlimited() }
}

/// Reads bytes as a transition system in each dialect of ALDEBARAN files, and in the format of mCRL2.
pub fn labelled_text(bytes: &[u8]) {
    if let Ok(lts) = read_mcrl2_lts("model.lts", &mut &*bytes, &control(1)) {
        survives(&lts);
    }
    for dialect in [Dialect::Automatic, Dialect::Cadp, Dialect::Mcrl2, Dialect::Ltsmin] {
        let read = |bytes: &[u8], threads| read_lts("model.aut", &mut &*bytes, dialect, &control(threads));
        let (found, again) = (read(bytes, 1), read(bytes, 3));
        match (found, again) {
            (Ok(lts), Ok(again)) => {
                assert_eq!(lts, again, "as three threads read it");
                survives(&lts);
            }
            (Err(finding), Err(again)) => assert_eq!(finding.message, again.message),
            (found, again) => panic!("one thread reads {found:?}, three {again:?}"),
        }
    }
}

/// Writes a system, plain and compressed, and reads it again.
fn survives(lts: &Lts) {
    if lts.num_states() > LARGEST {
        return;
    }
    for compression in [Compression::None, Compression::Gzip] {
        let mut file = Vec::new();
        write_lts(lts, Dialect::Cadp, compression, &mut file, &control(1)).expect("memory does not fail");
        let again = read_lts("model.aut", &mut file.as_slice(), Dialect::Cadp, &control(2));
        let again = again.unwrap_or_else(|finding| panic!("what was written is not read: {finding:?}"));
        assert_eq!(sorted(lts), sorted(&again), "what was written is another system");
    }
}

/// States, the initial one, and the transitions, with the texts of labels as the format can hold them.
fn sorted(lts: &Lts) -> (usize, u32, Vec<(u32, String, u32)>) {
    let mut transitions: Vec<_> = (0..lts.num_states() as u32)
        .flat_map(|state| lts.outgoing(state).iter().map(move |edge| (state, edge)))
        .map(|(state, edge)| (state, lts.labels.text(edge.label).replace('"', "'"), edge.target))
        .collect();
    transitions.sort_unstable();
    (lts.num_states(), lts.initial, transitions)
}

/// Reads a network, and composes it out of small systems.
pub fn network_text(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("model.exp", text);
    let (read, diagnostics) = parse_network(file, text);
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
    assert_eq!(read.is_none(), !diagnostics.is_empty(), "a network is refused with a reason");
    let Some(read) = read else { return };
    let leaves: Vec<Lts> = (0..read.files.len()).map(leaf).collect();
    let Ok(composed) = compose(&read.network, &leaves, &control(1)) else { return };
    strategies(read.network, &leaves, &composed.lts);
}

/// Small systems that speak to each other.
fn leaf(number: usize) -> Lts {
    let mut labels = Labels::new();
    let [put, get, done, ended] = ["PUT !1", "GET !1", "DONE", "exit"].map(|text| labels.number(text));
    match number % 3 {
        0 => Lts::from_transitions(3, 0, labels, &[(0, put, 1), (1, 0, 0), (1, done, 2), (2, ended, 2)]),
        1 => Lts::from_transitions(3, 0, labels, &[(0, put, 1), (1, get, 0), (0, done, 2), (2, ended, 1)]),
        _ => Lts::from_transitions(2, 0, labels, &[(0, get, 1), (1, 0, 1), (1, get, 0)]),
    }
}

/// Whatever is reduced on the way to a reduction of the whole, the result is equivalent.
fn strategies(network: Network, leaves: &[Lts], expected: &Lts) {
    let Some((&Node::Reduce { of, options, .. }, inner)) = network.nodes.split_last() else { return };
    let is_reduced = |node: &Node| matches!(node, Node::Reduce { .. });
    if options.relation.is_stochastic() || inner.iter().any(is_reduced) {
        return;
    }
    for strategy in [Strategy::Root, Strategy::Leaf, Strategy::Node, Strategy::Smart] {
        let mut nodes = inner.to_vec();
        nodes.push(Node::Reduce { of, options, strategy });
        // Products on the way may be larger than the whole.
        let Ok(composed) = compose(&Network { nodes }, leaves, &control(1)) else { continue };
        let compared = compare(expected.clone(), composed.lts, options, &control(1));
        assert!(compared.is_ok_and(|found| found.equivalent), "{strategy:?} gives another system");
    }
}
