//! Laws on random streams and machines.

use crate::slow;
use crate::streams::{Look, Synthetic};
use volvelle_control::Control;
use volvelle_multicore::{
    Answer, Configuration, Core, Machine, Mode, Policy, Selection, Specification, run, run_in_batches,
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
    if random.one_in(4) {
        let protocol = random.pick(&["msi", "moesi", "mesif", "a"]);
        machine.set("protocol", protocol).expect("it is shipped");
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

fn hold(answer: &Answer, configuration: &Configuration) {
    let machine = &configuration.machine;
    assert_eq!(
        answer.stack.total(),
        answer.cycles * machine.cores.len() as u64,
        "{:?} {machine:?}",
        answer.stack
    );
    assert!(answer.cycles >= answer.bounds.width_cycles.max(answer.bounds.alu_cycles), "{machine:?}");
    assert!(answer.cycles >= answer.bounds.memory_cycles, "{machine:?}");
    if machine.mode != Mode::Optimistic {
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
        let configuration = configuration(&mut random);
        let seed = random.bits();
        let answers = run(
            &mut Synthetic::new(seed, length, look),
            std::slice::from_ref(&configuration),
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
        };
        assert_eq!(found, expected, "case {case}: {configuration:?}");
    }
}

/// Eight configurations in a pass, and batches of any length, give what each gives alone.
#[test]
fn attack_passes_and_batches_change_nothing() {
    for case in attack_cases(15) {
        let mut random = Random(1_000_000 + case);
        let look = look(&mut random);
        let all: Vec<Configuration> = (0..8).map(|_| configuration(&mut random)).collect();
        let seed = random.bits();
        let answers = |configurations: &[Configuration], batch| {
            let mut stream = Synthetic::new(seed, 5000, look);
            run_in_batches(&mut stream, configurations, batch, &Control::unlimited()).expect("a right stream")
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
