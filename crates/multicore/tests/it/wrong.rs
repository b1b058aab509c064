//! Wrong paths: what they change, and what they must not change.

use crate::streams::{Look, Synthetic};
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};
use volvelle_multicore::{
    Ahead, Answer, Configuration, Machine, ShippedProtocols, Specification, TextTrace, run,
};
use volvelle_random::{Random, attack_cases};

/// A division, a branch that waits for it, and a load; on the wrong path a load of the same block.
struct Prefetch {
    listing: Listing,
    is_followed: bool,
    is_over: bool,
}

impl Stream for Prefetch {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, _: usize, _: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(false);
        }
        let division = Instruction { class: Class::Div, destination: Register(1), ..Instruction::at(0x1000) };
        let mut branch = Instruction { class: Class::Branch, ..Instruction::at(0x1004) };
        branch.sources[0] = Register(1);
        let load = |pc| Instruction { class: Class::Load, size: 8, ..Instruction::at(pc) };
        for instruction in [division, branch, load(0x1008)] {
            batch.steps.push(Step::new(self.listing.number(instruction), false));
        }
        batch.addresses.push(0x8000);
        if self.is_followed {
            batch.wrong.steps.push(Step::new(self.listing.number(load(0x2000)), false));
            batch.wrong.addresses.push(0x8008);
            batch.wrong.end();
        }
        Ok(true)
    }

    fn follow_wrong_paths(&mut self, length: usize) -> bool {
        self.is_followed = length > 0;
        true
    }
}

fn machine(keys: &[(&str, &str)]) -> Machine {
    let mut machine = Machine::default();
    for (key, value) in keys {
        machine.set(key, value, &mut ShippedProtocols).expect("a key and a value");
    }
    machine
}

fn answer(stream: &mut dyn Stream, machine: &Machine, predictor: &str) -> Answer {
    let predictor = Specification::parse(predictor).expect("a known name");
    let configuration = Configuration::new(machine.clone(), predictor);
    run(stream, &[configuration], &Ahead::default(), &Control::unlimited()).expect("a right stream").remove(0)
}

/// Without: the load issues at 34 and misses, 46 cycles. With: its block came at 21, before the branch completes at 32.
#[test]
fn wrong_paths_bring_blocks() {
    for (wrong_path, cycles, misses) in [("false", 46, 1), ("true", 36, 1)] {
        let machine = machine(&[("tasks_per_core", "2"), ("caches", "real"), ("wrong_path", wrong_path)]);
        let mut stream = Prefetch { listing: Listing::default(), is_followed: false, is_over: false };
        let answer = answer(&mut stream, &machine, "always-taken");
        assert_eq!((answer.cycles, answer.dcache.misses, answer.mispredictions), (cycles, misses, 1));
        assert_eq!(answer.instructions, 3);
        assert_eq!(answer.stack.total(), answer.cycles);
    }
    // A division that is over sooner leaves no time.
    let quick = [("tasks_per_core", "2"), ("caches", "real"), ("wrong_path", "true"), ("latency.div", "1")];
    let mut stream = Prefetch { listing: Listing::default(), is_followed: false, is_over: false };
    assert_eq!(answer(&mut stream, &machine(&quick), "always-taken").cycles, 27);
}

/// Older instructions go first, so wrong paths take no time if caches are perfect. Without mispredictions
/// there are none.
#[test]
fn attack_wrong_paths_take_no_time() {
    for case in attack_cases(60) {
        let mut random = Random(6_000_000 + case);
        let look = Look { size: 1 + random.below(100), bytes: 512, memory: 30, branches: 20 };
        let seed = random.bits();
        let cores = random.pick(&["1", "2", "4", "8"]);
        let mut keys = vec![
            ("cores", cores),
            ("tasks_per_core", random.pick(&["1", "2", "3"])),
            ("task_length", random.pick(&["1", "4", "16"])),
            ("selection", random.pick(&["first-branch", "length", "loop", "span-2"])),
            ("placement", random.pick(&["usual", "first-free"])),
            ("reorder_buffer", random.pick(&["0", "3"])),
            ("forward_bus", random.pick(&["0", "1"])),
            ("forward", "2"),
        ];
        let caches = random.pick(&["perfect", "real"]);
        keys.extend([("caches", caches), ("l1d.size", "256"), ("l1i.size", "128")]);
        let predictor = if caches == "real" { "oracle" } else { random.pick(&["gag-6", "always-taken"]) };
        let without = answer(&mut Synthetic::new(seed, 3000, look), &machine(&keys), predictor);
        keys.push(("wrong_path", "true"));
        let with = answer(&mut Synthetic::new(seed, 3000, look), &machine(&keys), predictor);
        // A bus is used by wrong paths, too.
        let has_bus = keys.contains(&("forward_bus", "1"));
        assert!(
            with == without || has_bus && predictor != "oracle",
            "case {case}: {keys:?} {predictor} {with:?} {without:?}"
        );
        assert_eq!(with.stack.total(), with.cycles * with.cores as u64);
    }
}

#[test]
fn traces_have_no_wrong_paths() {
    let text = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n1000\talu\tx1\t-\t-\t-\t-\n";
    let file = volvelle_diagnostics::Sources::new().add("trace.tsv", text);
    let mut trace = TextTrace::new(file, text).expect("columns");
    let machine = machine(&[("wrong_path", "true")]);
    let configuration = Configuration::new(machine, Specification::parse("gag-4").expect("a known name"));
    let failure = run(&mut trace, &[configuration], &Ahead::default(), &Control::unlimited());
    let Err(Failure::Faulty(found)) = failure else { panic!("{failure:?}") };
    assert_eq!(found.message, "a trace has no wrong paths");
}
