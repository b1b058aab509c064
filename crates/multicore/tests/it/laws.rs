//! Laws on random streams and machines.

use crate::slow;
use crate::streams::{Look, Synthetic};
use volvelle_control::Control;
use volvelle_multicore::{
    Ahead, Answer, Configuration, Core, Machine, MemoryOrder, Mode, Placement, Policy, Sampling, Selection,
    ShippedProtocols, Specification, Stack, Training, run, run_in_batches,
};
use volvelle_random::{Random, attack_cases};

const PREDICTORS: [&str; 7] =
    ["oracle", "always-taken", "gag-6", "gshare-8", "perceptron-5", "tage", "hashed"];

fn look(random: &mut Random) -> Look {
    Look {
        size: 1 + random.below(120),
        bytes: random.pick(&[8, 64, 512, 4096]),
        memory: random.pick(&[0, 20, 40, 80]),
        branches: random.pick(&[0, 5, 20]),
    }
}

fn machine(random: &mut Random) -> Machine {
    let mut machine = Machine::default();
    let cores = random.pick(&[1, 1, 2, 3, 4, 8]);
    machine.cores = (0..cores)
        .map(|_| Core {
            width: random.pick(&[1, 2, 2, 4, 8]),
            alus: random.pick(&[1, 2, 4]),
            load_store: random.pick(&[1, 1, 2, 4]),
        })
        .collect();
    machine.tasks_per_core = random.pick(&[1, 1, 2, 3]);
    machine.task_length = random.pick(&[1, 4, 8, 16, 60]);
    machine.selection = random.pick(&[
        Selection::FirstBranch,
        Selection::FirstBranch,
        Selection::Length,
        Selection::Loop,
        Selection::Postdominator,
        Selection::Span(2),
    ]);
    machine.has_caches = random.one_in(2);
    machine.miss = random.pick(&[0, 1, 10, 10, 40]);
    machine.upgrade = random.pick(&[0, 3, 10]);
    machine.forward = random.pick(&[0, 0, 1, 5, 60]);
    machine.squash = random.pick(&[0, 0, 2, 7]);
    machine.group = random.pick(&[1, 4]);
    machine.mode = random.pick(&[Mode::Rounds, Mode::Rounds, Mode::Rolling, Mode::Optimistic]);
    machine.l1d.size_bytes = random.pick(&[64, 256, 1024, 65536]);
    machine.l1d.policy = random.pick(&[Policy::Lru, Policy::Fifo, Policy::Random]);
    machine.l1i.size_bytes = random.pick(&[32, 128, 65536]);
    if machine.has_caches && random.one_in(2) {
        machine.l2.shape.size_bytes = random.pick(&[512, 4096, 1 << 20]);
        machine.l2.shape.ways = random.pick(&[1, 8]);
        machine.l2.memory = random.pick(&[0, 3, 100]);
    }
    machine.placement = random.pick(&[Placement::Usual, Placement::RoundRobin, Placement::FirstFree]);
    machine.reorder_buffer = random.pick(&[0, 0, 1, 2, 5, 16]);
    machine.forward_bus = random.pick(&[0, 0, 1, 2]);
    machine.training = random.pick(&[Training::AtOnce, Training::Resolve, Training::Commit]);
    machine.is_history_repaired = !random.one_in(4);
    machine.keeps_younger = random.one_in(4);
    machine.memory_order =
        random.pick(&[MemoryOrder::Exact, MemoryOrder::Exact, MemoryOrder::AfterStores, MemoryOrder::Free]);
    machine.has_wrong_paths = !machine.keeps_younger && machine.mode == Mode::Rounds && random.one_in(2);
    if random.one_in(4) {
        let protocol = random.pick(&["msi", "moesi", "mesif", "a"]);
        machine.set("protocol", protocol, &mut ShippedProtocols).expect("it is shipped");
    }
    machine.check().expect("a right machine");
    machine
}

fn configuration(random: &mut Random) -> Configuration {
    let predictor = Specification::parse(random.pick(&PREDICTORS)).expect("a known name");
    Configuration {
        timeline: usize::MAX,
        has_branches: true,
        ..Configuration::new(machine(random), predictor)
    }
}

fn ahead(stream: &mut Synthetic, configurations: &[Configuration]) -> Ahead {
    Ahead::find(stream, configurations, &Control::unlimited()).expect("a right stream")
}

fn hold(answer: &Answer, configuration: &Configuration) {
    let machine = &configuration.machine;
    assert_eq!(
        answer.stack.total(),
        answer.cycles * machine.cores.len() as u64,
        "{:?} {machine:?}",
        answer.stack
    );
    if !answer.windows.is_empty() {
        return;
    }
    // A core works in its shares, and waits for others between them.
    let Stack { squash, imbalance, .. } = answer.stack;
    assert_eq!(answer.shares.cycles, answer.stack.total() - squash - imbalance, "{machine:?}");
    if machine.mode == Mode::Rounds {
        let of_rounds = (1..).zip(&answer.shares.rounds).map(|(busy, rounds)| busy * rounds);
        assert_eq!(answer.shares.count, of_rounds.sum::<u64>(), "{machine:?}");
        assert_eq!(answer.rounds, answer.shares.rounds.iter().sum::<u64>(), "{machine:?}");
    }
    assert!(answer.cycles >= answer.bounds.width_cycles.max(answer.bounds.alu_cycles), "{machine:?}");
    assert!(answer.cycles >= answer.bounds.memory_cycles, "{machine:?}");
    if machine.mode != Mode::Optimistic && machine.memory_order == MemoryOrder::Exact {
        assert!(answer.cycles >= answer.bounds.dataflow_cycles, "{machine:?}");
    }
    let executions: u64 = answer.branches.iter().map(|branch| branch.executions).sum();
    let mispredictions: u64 = answer.branches.iter().map(|branch| branch.mispredictions).sum();
    assert_eq!([executions, mispredictions], [answer.predictions, answer.mispredictions]);
}

/// The fast simulator gives every cycle of the slow one.
#[test]
fn attack_fast_is_slow() {
    for case in attack_cases(400) {
        let mut random = Random(case);
        let look = look(&mut random);
        let length = random.pick(&[1, 30, 300, 800]);
        let mut configuration = configuration(&mut random);
        // The slow one knows no wrong paths.
        configuration.machine.has_wrong_paths = false;
        let seed = random.bits();
        let configurations = std::slice::from_ref(&configuration);
        let answers = run(
            &mut Synthetic::new(seed, length, look),
            configurations,
            &ahead(&mut Synthetic::new(seed, length, look), configurations),
            &Control::unlimited(),
        );
        let answer = &answers.expect("a right stream")[0];
        hold(answer, &configuration);
        let stream = slow::executed(&mut Synthetic::new(seed, length, look));
        let expected = slow::simulate(&stream, &configuration.machine, &configuration.predictor.kind);
        let times: Vec<[u64; 5]> = answer
            .timeline
            .iter()
            .map(|times| [times.core.into(), times.fetch, times.issue, times.complete, times.retire])
            .collect();
        let wrong = times.iter().zip(&expected.times).position(|(fast, slow)| fast != slow);
        if let Some(at) = wrong {
            panic!(
                "case {case}, instruction {at}: {:?}, not {:?}: {configuration:?}",
                times[at], expected.times[at]
            );
        }
        let found = slow::Found {
            cycles: answer.cycles,
            rounds: answer.rounds,
            tasks: answer.tasks,
            mispredictions: answer.mispredictions,
            times,
            dcache_misses: answer.dcache.misses,
            icache_misses: answer.icache_misses,
            l2: (answer.l2_accesses, answer.l2_misses),
        };
        assert_eq!(found, expected, "case {case}: {configuration:?}");
    }
}

/// Eight configurations in a pass, and batches of any length, give the same answers as each configuration
/// alone.
#[test]
fn attack_passes_and_batches_change_nothing() {
    for case in attack_cases(15) {
        let mut random = Random(1_000_000 + case);
        let look = look(&mut random);
        let mut all: Vec<Configuration> = (0..8).map(|_| configuration(&mut random)).collect();
        for configuration in &mut all {
            let windows = random.pick(&[1, 3, 10]);
            let window = configuration.machine.in_flight().max(random.pick(&[1, 40, 200]));
            let sampling = Sampling { windows, window, warm_up: random.pick(&[0, 30]) };
            configuration.sampling = random.one_in(2).then_some(sampling);
        }
        let seed = random.bits();
        let answers = |configurations: &[Configuration], batch| {
            let mut stream = Synthetic::new(seed, 5000, look);
            let ahead = ahead(&mut Synthetic::new(seed, 5000, look), configurations);
            run_in_batches(&mut stream, configurations, &ahead, batch, &Control::unlimited())
                .expect("a right stream")
        };
        let together = answers(&all, 10_000);
        assert_eq!(together, answers(&all, 1));
        assert_eq!(together, answers(&all, 777));
        for (answer, configuration) in together.iter().zip(&all) {
            hold(answer, configuration);
            assert_eq!(*answer, answers(std::slice::from_ref(configuration), 4096)[0]);
        }
    }
}

/// Windows change nothing about predictions, have the length that was asked for, and say about the same cycles.
#[test]
fn attack_windows_stand_for_the_whole() {
    let (mut inside, mut all) = (0, 0);
    for case in attack_cases(60) {
        let mut random = Random(2_000_000 + case);
        let look = look(&mut random);
        let mut configuration = configuration(&mut random);
        // Warm-ups that are this short do not fill cores that are far ahead of each other.
        configuration.machine.forward = configuration.machine.forward.min(5);
        // What is learnt when tasks complete depends on cycles.
        configuration.machine.training = Training::AtOnce;
        let mut sampled = configuration.clone();
        sampled.timeline = 0;
        let windows = 10;
        let most = sampled.machine.in_flight();
        let window = most.max(300);
        sampled.sampling = Some(Sampling { windows, window, warm_up: 100 });
        let seed = random.bits();
        let stream = || Synthetic::new(seed, 20_000, look);
        let both = [configuration, sampled];
        let ahead = ahead(&mut stream(), &both);
        let answers = run(&mut stream(), &both, &ahead, &Control::unlimited()).expect("a right stream");
        let [whole, sampled] = &answers[..] else { panic!("two answers") };
        hold(sampled, &both[1]);
        assert_eq!(
            [whole.tasks, whole.predictions, whole.mispredictions, whole.target_misses],
            [sampled.tasks, sampled.predictions, sampled.mispredictions, sampled.target_misses]
        );
        if both[0].machine.mode == Mode::Rounds && both[0].machine.placement != Placement::FirstFree {
            assert_eq!(whole.rounds, sampled.rounds);
        }
        if !both[0].machine.has_wrong_paths {
            assert_eq!(whole.dcache.accesses, sampled.dcache.accesses);
        }
        assert_eq!(sampled.windows.len() as u64, windows);
        for one in &sampled.windows {
            assert!(one.instructions + most > window && one.instructions < window + most, "{one:?}");
        }
        let interval = sampled.ipc_interval().expect("ten windows");
        all += 1;
        inside += u64::from(interval.contains(whole.ipc()));
        let error = sampled.ipc() / whole.ipc() - 1.0;
        assert!(
            error.abs() < 0.5,
            "case {case}: {} {} {:?} {:?}",
            sampled.ipc(),
            whole.ipc(),
            both[1].machine,
            sampled.windows
        );
    }
    // Streams of few instructions repeat themselves, so that their windows are hardly random.
    assert!(inside * 10 > all * 7, "{inside} of {all}");
}

/// An oracle has no more rounds than a predictor, and takes more cycles only where a misprediction has put tasks into other rounds. Where
/// tasks stay on their cores, perfect caches take more only by an anomaly of schedules, which are rare (R. L. Graham, *Bounds on
/// multiprocessing timing anomalies*, SIAM Journal on Applied Mathematics 17, 1969).
#[test]
fn attack_oracles_lose_by_anomalies_only() {
    let (mut anomalies, mut lost, mut asked) = (0, 0, 0);
    for case in attack_cases(200) {
        let mut random = Random(7_000_000 + case);
        let look = look(&mut random);
        let mut usual = configuration(&mut random);
        usual.machine.mode = Mode::Rounds;
        // The first core that is free may be another one when blocks are there.
        if usual.machine.placement == Placement::FirstFree {
            usual.machine.placement = Placement::Usual;
        }
        let predictor = Specification::parse("oracle").expect("a known name");
        let oracle = Configuration { predictor, ..usual.clone() };
        let mut perfect = usual.clone();
        perfect.machine.has_caches = false;
        perfect.machine.l2 = Machine::default().l2;
        let seed = random.bits();
        let all = [usual, oracle, perfect];
        let stream = || Synthetic::new(seed, 1000, look);
        let ahead = ahead(&mut stream(), &all);
        let answers = run(&mut stream(), &all, &ahead, &Control::unlimited()).expect("a right stream");
        let [usual, oracle, perfect] = &answers[..] else { panic!("three answers") };
        lost += u64::from(perfect.cycles > usual.cycles);
        asked += 1;
        assert_eq!(oracle.mispredictions, 0);
        assert!(oracle.rounds <= usual.rounds, "case {case}");
        if oracle.cycles > usual.cycles {
            anomalies += 1;
            assert!(usual.mispredictions > 0, "case {case}: {:?}", all[0].machine);
        }
    }
    assert!(lost * 200 <= asked, "{lost} of {asked}");
    assert!(anomalies > 0, "`docs/multicore.md` says that there are some");
}
