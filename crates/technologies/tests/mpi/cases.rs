//! What ranks do.

use crate::programs;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use volvelle_diagnostics::FileId;
use volvelle_runtime::architecture::Cpu;
use volvelle_runtime::configuration::Configuration;
use volvelle_runtime::network::{Message, Wanted};
use volvelle_runtime::{Context, Error, Network, Node};
use volvelle_technologies::mpi::{self, Launcher, Mpi, Settings};
use volvelle_technologies::{Connection, Threads};

/// Runs this rank's part of a case.
pub fn rank(case: &str) -> ExitCode {
    let launcher = Launcher::of(|name| std::env::var(name).ok());
    // Small pieces, so that messages of a test have several.
    let largest_piece = if case == "pieces" { 1000 } else { Settings::default().largest_piece };
    let settings = Settings { largest_piece, ..Settings::default() };
    if case == "configured" {
        return configured(&launcher, settings);
    }
    if case == "dropped" {
        let mpi = Mpi::open(&launcher, settings).unwrap();
        fail(&*mpi.network(), case).unwrap();
    }
    let ended = mpi::run(&launcher, settings, |network| -> Result<(), Error> {
        assert_eq!(network.name(), "mpi");
        match case {
            "programs" => println!("{}", programs::all(network)),
            "messages" => messages(&*network),
            "operations" => operations(&*network),
            "pieces" => {
                messages(&*network);
                operations(&*network);
                posts(&*network);
            }
            "threads" => threads(&network),
            "posts" => posts(&*network),
            "work" => work(&*network),
            "gone" => gone(&*network),
            "large" => large(&*network),
            "one thread" => one_thread(&network),
            "short" => short(&*network)?,
            "panic" | "error" | "killed" | "exit" | "exit with success" | "abandoned" => {
                fail(&*network, case)?
            }
            other => panic!("unknown case {other}"),
        }
        if !["programs", "abandoned"].contains(&case) {
            println!("all is well");
        }
        Ok(())
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            // MPICH's launcher takes a process that ends before it initialises MPI for a good one, for which the others wait.
            std::thread::sleep(std::time::Duration::from_millis(200));
            std::process::abort()
        }
    }
}

/// The network that a configuration names.
fn configured(launcher: &Launcher, settings: Settings) -> ExitCode {
    let size = launcher.size().unwrap();
    let connection = |text: &str| {
        let (configuration, mistakes) = Configuration::read(FileId(0), text);
        assert_eq!(mistakes, []);
        (Connection::open(&configuration, launcher, settings).unwrap(), configuration)
    };
    assert_eq!(connection("network = 'single'").0.network().size(), 1);
    // Without a name, it is that of the launcher.
    let text = if size > 1 { "context.devices = 'threads'" } else { "network = 'MPI'" };
    let (connection, configuration) = connection(text);
    let ended = connection.run(|network| -> Result<(), Error> {
        assert_eq!((network.name(), network.size()), ("mpi", size));
        let node = Node::find(&[&Cpu::new()], vec![Arc::new(Threads::new(NonZeroUsize::MIN))]);
        let context = Context::open(&node, &configuration, network).unwrap();
        assert_eq!(context.counts(), vec![1; size]);
        println!("all is well");
        Ok(())
    });
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Bytes that tell who sent them.
fn bytes(from: usize, to: usize, count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + from * 31 + to * 101) as u8).collect()
}

fn others(network: &dyn Network) -> impl Iterator<Item = usize> + Clone {
    let own = network.rank();
    (0..network.size()).filter(move |&other| other != own)
}

fn messages(network: &dyn Network) {
    let own = network.rank();
    for count in [0, 1, 999, 1000, 1001, 5000, 300_000] {
        // A ring: half of the ranks receive first.
        for other in others(network) {
            let mut found = vec![1; count];
            if own < other {
                network.send(other, &bytes(own, other, count)).unwrap();
                network.receive(other, &mut found).unwrap();
            } else {
                network.receive(other, &mut found).unwrap();
                network.send(other, &bytes(own, other, count)).unwrap();
            }
            assert_eq!(found, bytes(other, own, count), "{count} bytes from {other}");
        }
    }
    // Messages of another length, longer and shorter.
    for other in others(network) {
        for expected in [2, 4] {
            let mut found = vec![0; expected];
            if own < other {
                network.send(other, &[1, 2, 3]).unwrap();
            } else {
                let error = network.receive(other, &mut found).unwrap_err().to_string();
                assert!(error.contains(&format!("rank {other}")), "{error}");
            }
        }
    }
    for wrong in [own, network.size(), usize::MAX] {
        assert!(network.send(wrong, &[]).is_err() && network.receive(wrong, &mut []).is_err());
        assert!(network.post(wrong, 0, vec![]).is_err() && network.receive_any(Wanted::from(wrong)).is_err());
    }
    network.barrier().unwrap();
}

fn operations(network: &dyn Network) {
    let (own, size) = (network.rank(), network.size());
    for round in 0..40_usize {
        let counts: Vec<usize> =
            (0..size).map(|rank| (round * (rank + 3) * 977) % 7000 * (round % 3)).collect();
        let expected: Vec<u8> =
            counts.iter().enumerate().flat_map(|(rank, &count)| bytes(rank, round, count)).collect();
        let start: usize = counts[..own].iter().sum();
        let mut all = vec![0; expected.len()];
        all[start..start + counts[own]].copy_from_slice(&expected[start..start + counts[own]]);
        let mut pending = network.start_all_gather(&counts, all.clone()).unwrap();
        // Another operation, and other messages, while that one runs.
        let sent: Vec<(usize, Vec<u8>)> = others(network)
            .flat_map(|to| [(to, bytes(own, to, round * 90)), (to, vec![own as u8])])
            .collect();
        let received: Vec<(usize, usize)> =
            others(network).flat_map(|from| [(from, round * 90), (from, 1)]).collect();
        let exchange = network.start_exchange(sent, &received).unwrap();
        for other in others(network) {
            network.post(other, 3, vec![round as u8]).unwrap();
        }
        let _ = pending.is_done().unwrap();
        let found = exchange.wait().unwrap();
        let expected_messages: Vec<Vec<u8>> =
            others(network).flat_map(|from| [bytes(from, own, round * 90), vec![from as u8]]).collect();
        assert_eq!(found, expected_messages, "round {round}");
        assert_eq!(pending.wait().unwrap(), expected, "round {round}");
        network.all_gather(&counts, &mut all).unwrap();
        assert_eq!(all, expected, "round {round}");
        for other in others(network) {
            assert_eq!(network.receive_any(Wanted::from(other)).unwrap().bytes, [round as u8]);
        }
        network.barrier().unwrap();
    }
    assert!(network.all_gather(&[1, 1, 1, 1, 1], &mut [0]).is_err());
    // Operations for which nothing waits do not block others.
    drop(network.start_all_gather(&vec![1; size], vec![0; size]).unwrap());
}

/// Several threads of a rank use the network.
fn threads(network: &Arc<dyn Network>) {
    let other = 1 - network.rank();
    std::thread::scope(|scope| {
        for tag in 0..4_u8 {
            scope.spawn(move || {
                for n in 0..300_u32 {
                    network.post(other, tag, n.to_le_bytes().to_vec()).unwrap();
                    let found = network.receive_any(Wanted::tagged(tag)).unwrap();
                    assert_eq!((found.tag, found.bytes), (tag, n.to_le_bytes().to_vec()));
                }
            });
        }
        for n in 0..300_u32 {
            network.barrier().unwrap();
            let counts = [4, 4];
            let mut all = vec![0; 8];
            all[4 * network.rank()..][..4].copy_from_slice(&n.to_le_bytes());
            network.all_gather(&counts, &mut all).unwrap();
            assert_eq!(all, [n.to_le_bytes(), n.to_le_bytes()].concat());
        }
    });
}

/// Ten thousand messages of all ranks to the first, small ones and some of many pieces.
fn posts(network: &dyn Network) {
    let (own, size) = (network.rank(), network.size());
    let each = 10_000 / (size - 1);
    let length = |from: usize, n: usize| if n % 1000 == 7 { 40_000 + from * 500 } else { n % 13 };
    let say =
        |from: usize, n: usize| [(n as u32).to_le_bytes().to_vec(), bytes(from, n, length(from, n))].concat();
    if own > 0 {
        for n in 0..each {
            network.post(0, (n % 3) as u8, say(own, n)).unwrap();
        }
        assert_eq!(network.receive_any(Wanted::from(0)).unwrap().bytes, b"thanks");
        return;
    }
    // By sender and tag, messages arrive in order.
    let mut next = vec![[0_usize, 1, 2]; size];
    let mut waits = 0_u64;
    for n in 0..each * (size - 1) {
        // Some rounds take what is first, some wait for a kind.
        let wanted = Wanted::ANY;
        let message = match n % 2 {
            0 => network.receive_any(wanted).unwrap(),
            _ => loop {
                match network.try_receive_any(wanted).unwrap() {
                    Some(message) => break message,
                    None => waits += 1,
                }
            },
        };
        let Message { from, tag, bytes } = message;
        let expected = &mut next[from][usize::from(tag)];
        assert_eq!(bytes, say(from, *expected), "message {expected} of {from}");
        *expected += 3;
    }
    assert!(next[1..].iter().all(|next| next.iter().all(|&next| next >= each)));
    eprintln!("looked {waits} times in vain");
    for other in others(network) {
        network.post(other, 9, b"thanks".to_vec()).unwrap();
    }
}

const REQUEST: u8 = 1;
const RESULT: u8 = 2;
const WORK: u8 = 3;

/// The first rank hands out pieces of work, as others ask for them; results have any length.
fn work(network: &dyn Network) {
    let (own, size) = (network.rank(), network.size());
    let result = |n: u32| vec![n as u8; (n as usize * 7919) % 100_000];
    if own > 0 {
        network.post(0, REQUEST, vec![]).unwrap();
        loop {
            let message = network.receive_any(Wanted { from: Some(0), tag: Some(WORK) }).unwrap();
            let Ok(number) = message.bytes.try_into() else { return };
            let number = u32::from_le_bytes(number);
            let mut text = number.to_le_bytes().to_vec();
            text.extend(result(number));
            network.post(0, RESULT, text).unwrap();
        }
    }
    let (mut handed, mut results, mut busy) = (0_u32, std::collections::BTreeMap::new(), size - 1);
    let total = 500;
    while busy > 0 {
        let Message { from, tag, bytes } = network.receive_any(Wanted::ANY).unwrap();
        if tag == RESULT {
            let (number, rest) = bytes.split_first_chunk::<4>().unwrap();
            let number = u32::from_le_bytes(*number);
            assert_eq!(rest, result(number));
            assert!(results.insert(number, from).is_none(), "{number} was done before");
        }
        if handed < total {
            network.post(from, WORK, handed.to_le_bytes().to_vec()).unwrap();
            handed += 1;
        } else {
            network.post(from, WORK, vec![]).unwrap();
            busy -= 1;
        }
    }
    assert_eq!(results.len(), total as usize);
}

/// The last rank leaves at once: the others do not wait for it.
fn gone(network: &dyn Network) {
    let last = network.size() - 1;
    if network.rank() == last {
        network.post(0, 5, b"farewell".to_vec()).unwrap();
        return network.send(0, b"bye").unwrap();
    }
    if network.rank() == 0 {
        // What was sent before is received.
        let mut text = [0; 3];
        network.receive(last, &mut text).unwrap();
        assert_eq!(&text, b"bye");
        assert_eq!(network.receive_any(Wanted::from(last)).unwrap().bytes, b"farewell");
    }
    let error = network.receive(last, &mut [0; 3]).unwrap_err().to_string();
    assert!(error.contains(&format!("rank {last} is gone")), "{error}");
    assert!(network.receive_any(Wanted::from(last)).is_err());
    assert!(network.start_exchange(vec![], &[(last, 5)]).unwrap().wait().is_err());
    // Another one is still there, unless there are two.
    if network.size() == 2 {
        assert!(network.receive_any(Wanted::ANY).is_err() && network.try_receive_any(Wanted::ANY).is_err());
    }
    // What it does not receive is no obstacle.
    network.send(last, &vec![1; 300_000]).unwrap();
    network.post(last, 1, vec![2; 300_000]).unwrap();
}

/// The second rank fails in some way; the others wait for it.
fn fail(network: &dyn Network, case: &str) -> Result<(), Error> {
    network.barrier()?;
    match (network.rank(), case) {
        (1, "panic" | "dropped") => panic!("the tank is empty"),
        (1, "error") => Err(Error::Transfer("the pipe is broken".to_owned())),
        (1, "exit") => std::process::exit(3),
        (1, "exit with success") => std::process::exit(0),
        (1, "killed") => {
            let own = std::process::id().to_string();
            let _ = std::process::Command::new("kill").args(["-9", &own]).status();
            unreachable!("a process that was killed");
        }
        // It starts a collective operation in which the others take no part, and drops it.
        (1, "abandoned") => {
            drop(network.start_all_gather(&[1; 3], vec![0; 3])?);
            Ok(())
        }
        (_, "abandoned") => Ok(()),
        (_, _) => network.receive(1, &mut [0]),
    }
}

/// Where only the thread that opened the library may call it, others get an error.
fn one_thread(network: &Arc<dyn Network>) {
    let other = 1 - network.rank();
    let error =
        std::thread::scope(|scope| scope.spawn(|| network.send(other, &[1])).join().unwrap()).unwrap_err();
    assert!(error.to_string().contains("the thread that initialised it"), "{error}");
    network.barrier().unwrap();
}

/// Something of everything, whose errors come back.
fn short(network: &dyn Network) -> Result<(), Error> {
    let other = 1 - network.rank();
    network.all_gather(&[5, 3], &mut [1; 8])?;
    network.post(other, 1, vec![1])?;
    network.receive_any(Wanted::ANY)?;
    network.exchange(vec![(other, vec![2])], &[(other, 1)])?;
    network.barrier()
}

/// Messages of more bytes than a number of 31 bits counts.
fn large(network: &dyn Network) {
    let (own, other, count) = (network.rank(), 1 - network.rank(), (1_usize << 31) + 12_345);
    let mut message = vec![0_u8; count];
    let mark = |bytes: &mut [u8], rank: usize| {
        for at in [0, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, count - 1] {
            bytes[at] = (at / 7 + rank) as u8 | 1;
        }
    };
    let mut expected = message.clone();
    mark(&mut expected, other);
    mark(&mut message, own);
    if own == 0 {
        network.send(1, &message).unwrap();
        let found = network.receive_any(Wanted::from(1)).unwrap().bytes;
        assert!(found == expected, "posted");
    } else {
        let mut found = vec![0; count];
        network.receive(0, &mut found).unwrap();
        assert!(found == expected, "received");
        network.post(0, 1, message.clone()).unwrap();
    }
    network.barrier().unwrap();
    // More in all than a number of 32 bits counts.
    let mut all = vec![0; 2 * count];
    all[own * count..][..count].copy_from_slice(&message);
    let all = network.start_all_gather(&[count, count], all).unwrap().wait().unwrap();
    assert!(all[own * count..][..count] == message && all[other * count..][..count] == expected, "gathered");
}
