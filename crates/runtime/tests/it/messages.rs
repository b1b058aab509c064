//! Messages of any length from any rank, operations that run while a rank continues, and the end of a run.

use crate::network::Waiting;
use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_random::Random;
use volvelle_runtime::network::{Message, Network, Single, ThreadsAsRanks, Wanted};

/// Bytes that tell who sent them.
fn bytes(from: usize, n: usize) -> Vec<u8> {
    (0..(n * 31 + from) % 40).map(|i| (i * 7 + from * 31 + n * 101) as u8).collect()
}

fn others(network: &dyn Network) -> impl Iterator<Item = usize> + Clone {
    let own = network.rank();
    (0..network.size()).filter(move |&other| other != own)
}

#[test]
fn ten_thousand_messages() {
    ThreadsAsRanks::run(5, |network| {
        let own = network.rank();
        if own > 0 {
            (0..2500).for_each(|n| network.post(0, (n % 3) as u8, bytes(own, n)).unwrap());
            return;
        }
        // By sender and tag, messages arrive in order.
        let mut next = [[0, 1, 2]; 5];
        for n in 0..10_000 {
            let message = if n % 2 == 0 {
                network.receive_any(Wanted::ANY).unwrap()
            } else {
                look(&*network, Wanted::ANY)
            };
            let expected = &mut next[message.from][usize::from(message.tag)];
            assert_eq!(message.bytes, bytes(message.from, *expected));
            *expected += 3;
        }
        assert!(next[1..].iter().all(|next| *next == [2502, 2500, 2501]));
        // The others are gone, and have nothing more to say.
        assert!(network.receive_any(Wanted::ANY).is_err());
    });
}

/// A message, without a call that waits.
fn look(network: &dyn Network, wanted: Wanted) -> Message {
    loop {
        if let Some(message) = network.try_receive_any(wanted).unwrap() {
            return message;
        }
        std::thread::yield_now();
    }
}

/// The first rank hands out pieces of work as others ask for them; an empty message is the end.
#[test]
fn work_is_handed_out() {
    let shares = ThreadsAsRanks::run(4, |network| {
        if network.rank() > 0 {
            network.post(0, 1, vec![]).unwrap();
            let mut done = 0;
            loop {
                let work = network.receive_any(Wanted::from(0)).unwrap().bytes;
                let Some(&number) = work.first() else { return done };
                network.post(0, 2, vec![number; usize::from(number) * 10]).unwrap();
                done += 1;
            }
        }
        let (mut handed, mut results, mut busy) = (0, BTreeMap::new(), 3);
        while busy > 0 {
            let Message { from, tag, bytes } = network.receive_any(Wanted::ANY).unwrap();
            if tag == 2 {
                let number = bytes.first().copied().unwrap_or_default();
                assert_eq!(bytes, vec![number; usize::from(number) * 10]);
                results.insert(number, bytes);
            }
            busy -= usize::from(handed == 200);
            let work = if handed < 200 { vec![handed] } else { vec![] };
            handed += work.len() as u8;
            network.post(from, 3, work).unwrap();
        }
        results.len()
    });
    // Number 0 has a result without bytes, which looks like number 0.
    assert_eq!(shares[0], 200);
    assert_eq!(shares[1..].iter().sum::<usize>(), 200);
}

#[test]
fn messages_are_chosen_by_sender_and_tag() {
    ThreadsAsRanks::run(3, |network| {
        let own = network.rank();
        for other in others(&*network) {
            (0..4).for_each(|tag| network.post(other, tag, vec![own as u8, tag]).unwrap());
        }
        for from in others(&*network) {
            for tag in [3, 1] {
                let wanted = Wanted { from: Some(from), tag: Some(tag) };
                let expected = Message { from, tag, bytes: vec![from as u8, tag] };
                assert_eq!(network.receive_any(wanted).unwrap(), expected);
            }
            let expected = Message { from, tag: 0, bytes: vec![from as u8, 0] };
            assert_eq!(network.receive_any(Wanted::from(from)).unwrap(), expected);
        }
        // They do not meet messages of known length.
        for other in others(&*network) {
            network.send(other, &[own as u8; 5]).unwrap();
        }
        for _ in others(&*network) {
            let message = look(&*network, Wanted::tagged(2));
            assert_eq!(message.bytes, [message.from as u8, 2]);
        }
        for other in others(&*network) {
            let mut found = [0; 5];
            network.receive(other, &mut found).unwrap();
            assert_eq!(found, [other as u8; 5]);
        }
        for wrong in [own, 3, usize::MAX] {
            assert!(network.post(wrong, 0, vec![]).is_err());
            assert!(network.receive_any(Wanted::from(wrong)).is_err());
            assert!(network.try_receive_any(Wanted::from(wrong)).is_err());
        }
        network.barrier().unwrap();
        if own > 0 {
            assert_eq!(network.try_receive_any(Wanted::from(0)), Ok(None));
            network.barrier().unwrap();
        } else {
            network.barrier().unwrap();
        }
    });
    assert!(Single.post(0, 0, vec![]).is_err() && Single.receive_any(Wanted::ANY).is_err());
    assert!(Single.try_receive_any(Wanted::from(3)).is_err());
}

/// Overlapping collective operations give the same results as one after the other, also on networks that run
/// them at once.
#[test]
fn operations_overlap() {
    for seed in 0..30 {
        ThreadsAsRanks::run(4, |network| {
            let network: Arc<dyn Network> = if seed % 3 == 0 { Arc::new(Waiting(network)) } else { network };
            let (own, mut random) = (network.rank(), Random(seed));
            let counts: Vec<usize> = (0..4).map(|_| random.below(3) * random.below(50)).collect();
            let expected: Vec<u8> =
                counts.iter().enumerate().flat_map(|(rank, &count)| vec![rank as u8 + 1; count]).collect();
            let mine = |byte: &u8| if usize::from(*byte) == own + 1 { *byte } else { 0 };
            let all: Vec<u8> = expected.iter().map(mine).collect();
            // How many messages there are between each pair, and how long they are.
            let lengths: Vec<Vec<usize>> =
                (0..16).map(|_| (0..random.below(3)).map(|_| random.below(9)).collect()).collect();
            let message = |from: usize, to: usize, n: usize| {
                vec![(from * 40 + to * 10 + n) as u8; lengths[4 * from + to][n]]
            };
            let sent = others(&*network)
                .flat_map(|to| (0..lengths[4 * own + to].len()).map(move |n| (to, n)))
                .map(|(to, n)| (to, message(own, to, n)))
                .collect();
            let pairs: Vec<(usize, usize)> = others(&*network)
                .flat_map(|from| (0..lengths[4 * from + own].len()).map(move |n| (from, n)))
                .collect();
            let received: Vec<(usize, usize)> =
                pairs.iter().map(|&(from, n)| (from, lengths[4 * from + own][n])).collect();
            let mut gather = network.start_all_gather(&counts, all.clone()).unwrap();
            let exchange = network.start_exchange(sent, &received).unwrap();
            let mut again = network.start_all_gather(&counts, all).unwrap();
            assert_eq!(again.wait_polling(), expected, "seed {seed}");
            let messages: Vec<Vec<u8>> = pairs.iter().map(|&(from, n)| message(from, own, n)).collect();
            assert_eq!(exchange.wait().unwrap(), messages, "seed {seed}");
            assert_eq!(gather.wait_polling(), expected, "seed {seed}");
            network.barrier().unwrap();
            assert!(network.start_exchange(vec![(own, vec![])], &[]).is_err());
        });
    }
}

/// Waits without a call that waits.
trait Polling {
    fn wait_polling(&mut self) -> Vec<u8>;
}

impl Polling for volvelle_runtime::network::Pending<Vec<u8>> {
    fn wait_polling(&mut self) -> Vec<u8> {
        while !self.is_done().unwrap() {
            std::thread::yield_now();
        }
        std::mem::replace(self, Box::new(volvelle_runtime::network::Done(Vec::new()))).wait().unwrap()
    }
}

#[test]
fn operations_do_not_wait_for_ranks_that_are_gone() {
    ThreadsAsRanks::run(3, |network| {
        if network.rank() == 0 {
            return;
        }
        while network.post(0, 0, vec![]).is_ok() {}
        assert!(network.start_exchange(vec![], &[(0, 1)]).unwrap().wait().is_err());
        assert!(network.start_exchange(vec![], &[(0, 1)]).unwrap().is_done().is_err());
        assert!(network.receive_any(Wanted::from(0)).is_err());
        assert!(network.start_all_gather(&[1, 1, 1], vec![0; 3]).is_err());
    });
}

#[test]
fn a_rank_ends_the_run() {
    let ends = ThreadsAsRanks::run(4, |network| match network.rank() {
        2 => {
            network.abort("there is no water left");
            network.barrier()
        }
        3 => network.receive_any(Wanted::ANY).map(drop),
        // It waits for one that is still there, or finds the end before it sends.
        rank => network.receive(1 - rank, &mut [0]),
    });
    for end in ends {
        let error = end.unwrap_err().to_string();
        assert!(error.contains("rank 2 ended the run: there is no water left"), "{error}");
    }
    Single.abort("nobody hears it");
}
