//! Whole programs from the emulator: their tasks, and how many of these are mispredicted.

use crate::corpus;
use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_multicore::{Ahead, Configuration, Machine, ShippedProtocols, Specification, run};
use volvelle_riscv::{Access, Arguments, Emulator, Errno, FileId, Output, Program, World};

/// Programs see no files, and their output is discarded.
struct Nothing;

impl World for Nothing {
    fn write(&mut self, _: Output, _: &[u8]) {}

    fn open(&mut self, _: &[u8], _: Access) -> Result<FileId, Errno> {
        Err(Errno::NOENT)
    }

    fn size(&mut self, _: FileId) -> u64 {
        0
    }

    fn read_at(&mut self, _: FileId, _: u64, _: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::IO)
    }
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split('\t').collect())
}

/// What is run, and the tasks, predictions and mispredictions that are known of it.
type Case = (Configuration, [Option<u64>; 3]);

#[test]
fn tasks_and_mispredictions_of_programs() {
    let Some(folder) = corpus::folder("programs") else { return };
    let (tasks, wrong) = (corpus::text(&folder, "tasks.tsv"), corpus::text(&folder, "mispredictions.tsv"));
    let number = |text: &str| text.parse::<u64>().expect("a number");
    // By program: machines and predictors, and what is expected of each.
    let mut cases: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    let machine = |length: &str, group: &str| {
        let mut machine = Machine::default();
        machine.set("task_length", length, &mut ShippedProtocols).expect("a length");
        machine.set("group", group, &mut ShippedProtocols).expect("a group");
        machine
    };
    let predictor = |name: &str| Specification::parse(name).expect("a predictor");
    for row in rows(&tasks) {
        let [program, length, tasks, predicted, taken] = row[..] else { panic!("{row:?}") };
        let configuration = Configuration::untimed(machine(length, "1"), predictor("never-taken"));
        // What never expects a jump is wrong about all that are taken.
        let expected = [tasks, predicted, taken].map(|text| Some(number(text)));
        cases.entry(program).or_default().push((configuration, expected));
    }
    for row in rows(&wrong) {
        let [program, length, name, group, predictions, mispredictions] = row[..] else { panic!("{row:?}") };
        let configuration = Configuration::untimed(machine(length, group), predictor(name));
        let expected = [None, Some(number(predictions)), Some(number(mispredictions))];
        cases.entry(program).or_default().push((configuration, expected));
    }
    assert!(!cases.is_empty());
    for (name, cases) in cases {
        let bytes = std::fs::read(folder.join(format!("{name}.elf"))).expect("a program");
        let program = Program::read(&bytes).expect("it can be read");
        let (mut world, control) = (Nothing, Control::unlimited());
        let mut emulator =
            Emulator::new(&program, &Arguments::new([name]), &mut world, &control).expect("it is loaded");
        let configurations: Vec<Configuration> = cases.iter().map(|case| case.0.clone()).collect();
        let answers = run(&mut emulator, &configurations, &Ahead::default(), &control).expect("it ends");
        for (answer, (configuration, [tasks, predictions, wrong])) in answers.iter().zip(&cases) {
            let what = format!("{name} {} {}", configuration.machine.task_length, answer.predictor);
            assert!(tasks.is_none_or(|tasks| tasks == answer.tasks), "{what}: {tasks:?} {}", answer.tasks);
            assert_eq!(*predictions, Some(answer.predictions), "{what}");
            assert_eq!(*wrong, Some(answer.mispredictions), "{what}");
        }
    }
}
