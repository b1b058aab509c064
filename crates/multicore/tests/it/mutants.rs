//! The golden data notice each change of a rule: some case has another outcome then.
//!
//! A mutant is a change of options that breaks one rule. One that no case noticed would be a rule that the golden data do not test.

use crate::{caches, predictors, timing};
use volvelle_coherence::shipped;
use volvelle_control::Control;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{
    Ahead, CacheShape, Configuration, Core, HashedShape, Kind, Machine, Mode, Policy, Predictor,
    ProtocolTable, Selection, ShippedProtocols, Specification, TextTrace, run,
};

/// Asserts that each mutant is noticed, by name.
fn assert_all_noticed(mutants: impl IntoIterator<Item = (&'static str, bool)>) {
    let unnoticed: Vec<&str> =
        mutants.into_iter().filter(|(_, is_noticed)| !is_noticed).map(|(name, _)| name).collect();
    assert!(unnoticed.is_empty(), "no golden case notices: {unnoticed:?}");
}

/// MESI in which a load that misses alone gets S, not E.
fn never_exclusive() -> String {
    let text = shipped("mesi").expect("it is shipped");
    let changed = text.replace("->  E  I  Mem", "->  S  I  Mem");
    assert_ne!(changed, text);
    changed
}

#[test]
fn caches_notice() {
    let Some(cases) = caches::golden() else { return };
    let is_noticed = |change: fn(&mut CacheShape), table: &ProtocolTable| {
        cases.iter().any(|case| {
            let mut shape = case.shape;
            change(&mut shape);
            !case.compare(&shape, table).1.is_empty()
        })
    };
    let mesi = caches::table("mesi");
    assert!(!is_noticed(|_| (), &mesi));
    assert_all_noticed([
        ("FIFO in place of LRU", is_noticed(|shape| shape.policy = Policy::Fifo, &mesi)),
        ("chance in place of LRU", is_noticed(|shape| shape.policy = Policy::Random, &mesi)),
        ("twice the ways", is_noticed(|shape| shape.ways *= 2, &mesi)),
        ("blocks twice as large", is_noticed(|shape| shape.block_bytes *= 2, &mesi)),
        ("caches twice as large", is_noticed(|shape| shape.size_bytes *= 2, &mesi)),
        ("loads that miss alone get S", is_noticed(|_| (), &caches::table_of(&never_exclusive()))),
        ("MSI in place of MESI", is_noticed(|_| (), &caches::table("msi"))),
        ("MOESI in place of MESI", is_noticed(|_| (), &caches::table("moesi"))),
    ]);
}

/// Counters with a number of bits, found by the address and a number of outcomes: a table of weights that
/// always learns. It is so large that no two addresses share a counter.
fn counters(length: u32, counter_bits: u32) -> Kind {
    Kind::Hashed(HashedShape {
        lengths: vec![length],
        table_bits: 20,
        weight_bits: counter_bits,
        threshold: i32::MAX,
    })
}

#[test]
fn predictors_notice() {
    let Some(cases) = predictors::golden() else { return };
    // Cases of one predictor, with another one in its place.
    let is_noticed_of = |of: &str, with: &dyn Fn(u32) -> Predictor| {
        cases.iter().filter(|case| case.predictor == of).any(|case| {
            let mut predictor = with(case.group);
            predictor.observe(&case.stream, &mut Vec::new());
            predictor.mispredictions != case.mispredictions
        })
    };
    let kind = |name: &str| Specification::parse(name).expect("a known name").kind;
    let is_noticed = |of: &str, instead: &Kind| is_noticed_of(of, &|group| Predictor::new(instead, group));
    // With two bits these are the counters of the golden data: what is noticed with more of them is that they do not saturate.
    assert!(!is_noticed("gshare-14", &counters(14, 2)));
    assert_all_noticed([
        ("counters do not saturate", is_noticed("gshare-14", &counters(14, 8))),
        ("weights of 4 bits do not saturate", is_noticed("perceptron-8-weights-4", &kind("perceptron-8"))),
        ("weights of 3 bits do not saturate", is_noticed("hashed-weights-3", &kind("hashed"))),
        ("an outcome less in the history", is_noticed("gag-14", &kind("gag-13"))),
        ("counters by history alone", is_noticed("gshare-14", &kind("gag-14"))),
        ("an outcome less for the perceptron", is_noticed("perceptron-8", &kind("perceptron-7"))),
        ("vectors by address", is_noticed("perceptron-8", &kind("perceptron-8-by-address"))),
        ("fewer vectors", is_noticed("perceptron-8", &kind("perceptron-8-small"))),
        ("another threshold", is_noticed("perceptron-8", &kind("perceptron-8-threshold-29"))),
        ("fewer entries of TAGE", is_noticed("tage", &kind("tage-tables-8"))),
    ]);
    for name in ["gag-14", "gshare-14", "perceptron-8", "hashed", "tage"] {
        let unrepaired = |group| Predictor::new(&kind(name), group).unrepaired();
        assert!(is_noticed_of(name, &unrepaired), "{name}: histories are not repaired");
    }
    for name in ["perceptron-8", "hashed"] {
        let singly = |_| Predictor::new(&kind(name), 1);
        assert!(is_noticed_of(name, &singly), "{name}: groups are predicted one after the other");
    }
}

/// Outcomes are learnt when eight more were predicted.
#[test]
fn predictors_notice_late_training() {
    let Some(cases) = predictors::golden() else { return };
    const DELAY: u64 = 8;
    for name in ["bimodal-12", "gag-14", "gshare-14", "perceptron-8", "hashed", "tage"] {
        let kind = Specification::parse(name).expect("a known name").kind;
        let is_noticed = |delay: u64| {
            cases.iter().filter(|case| case.predictor == name && case.group == 1).any(|case| {
                let mut predictor = Predictor::new(&kind, 1);
                for (number, outcome) in case.stream.iter().enumerate() {
                    let number = number as u64;
                    predictor.learn(|last| last + delay < number);
                    predictor.foretell(*outcome, number);
                }
                predictor.mispredictions != case.mispredictions
            })
        };
        assert!(!is_noticed(0) && is_noticed(DELAY), "{name}");
    }
}

#[test]
fn cycles_notice() {
    let Some(cases) = timing::golden() else { return };
    let is_noticed = |change: &dyn Fn(&mut Machine)| {
        cases.iter().any(|case| {
            let mut configuration = case.configuration.clone();
            change(&mut configuration.machine);
            !case.compare(&configuration, 1000).1.is_empty()
        })
    };
    assert!(!is_noticed(&|_| ()));
    let cores = |change: fn(&mut Core)| is_noticed(&|machine| machine.cores.iter_mut().for_each(change));
    assert_all_noticed([
        ("forwarding takes no time", is_noticed(&|machine| machine.forward = 0)),
        ("forwarding takes a cycle more", is_noticed(&|machine| machine.forward += 1)),
        ("a squash costs nothing", is_noticed(&|machine| machine.squash = 0)),
        ("a squash costs a cycle more", is_noticed(&|machine| machine.squash += 1)),
        ("an upgrade costs nothing", is_noticed(&|machine| machine.upgrade = 0)),
        ("a miss costs a cycle less", is_noticed(&|machine| machine.miss -= 1)),
        ("nothing misses", is_noticed(&|machine| machine.has_caches = false)),
        ("cores refill alone", is_noticed(&|machine| machine.mode = Mode::Rolling)),
        ("cores do not wait for each other", is_noticed(&|machine| machine.mode = Mode::Optimistic)),
        ("a task more for each core", is_noticed(&|machine| machine.tasks_per_core += 1)),
        ("tasks are shorter", is_noticed(&|machine| machine.task_length -= 1)),
        ("tasks end by length only", is_noticed(&|machine| machine.selection = Selection::Length)),
        ("a core more", is_noticed(&|machine| machine.cores.push(machine.cores[0]))),
        ("wider", cores(|core| core.width += 1)),
        ("an ALU more", cores(|core| core.alus += 1)),
        ("a load/store unit more", cores(|core| core.load_store += 1)),
        ("data blocks twice as large", is_noticed(&|machine| machine.l1d.block_bytes *= 2)),
        ("instruction blocks twice as large", is_noticed(&|machine| machine.l1i.block_bytes *= 2)),
        ("products take a cycle less", is_noticed(&|machine| machine.latencies.mul -= 1)),
        ("quotients take a cycle less", is_noticed(&|machine| machine.latencies.div -= 1)),
        ("loads take a cycle more", is_noticed(&|machine| machine.latencies.load += 1)),
        ("a reorder buffer of two", is_noticed(&|machine| machine.reorder_buffer = 2)),
        (
            "a second level that misses",
            is_noticed(&|machine| {
                if machine.has_caches {
                    machine.l2.shape.size_bytes = 65536
                }
            }),
        ),
    ]);
}

/// Wrong outcomes that no test detects.
#[test]
fn cycles_notice_predictions() {
    let Some(cases) = timing::golden() else { return };
    for (of, instead) in [("always-taken", "oracle"), ("always-taken", "never-taken")] {
        let is_noticed = cases.iter().filter(|case| case.configuration.predictor.name == of).any(|case| {
            let mut configuration = case.configuration.clone();
            configuration.predictor = Specification::parse(instead).expect("a known name");
            !case.compare(&configuration, 1000).1.is_empty()
        });
        assert!(is_noticed, "{instead} in place of {of}");
    }
}

/// All tasks of a golden trace have the same length, so that its cores are free in turn. Here a long one comes first: by turns core 0 gets
/// the third task behind it, and else core 1.
#[test]
fn placement_is_noticed() {
    let mut text = "pc\tclass\trd\tsources\taddress\tsize\ttaken\n".to_owned();
    for (number, class) in ["alu", "alu", "alu", "branch", "branch", "branch"].iter().enumerate() {
        let taken = if *class == "branch" { "0" } else { "-" };
        text += &format!("{:x}\t{class}\t-\t-\t-\t-\t{taken}\n", 0x1000 + 4 * number);
    }
    for (placement, expected) in [("usual", (0, 2)), ("round-robin", (0, 2)), ("first-free", (1, 0))] {
        let mut machine = Machine::default();
        for (key, value) in [("cores", "2"), ("tasks_per_core", "2"), ("placement", placement)] {
            machine.set(key, value, &mut ShippedProtocols).expect("a key and a value");
        }
        let oracle = Specification::parse("oracle").expect("a known name");
        let configuration = Configuration { timeline: 6, ..Configuration::new(machine, oracle) };
        let mut trace = TextTrace::new(Sources::new().add("trace", text.as_str()), &text).expect("columns");
        let answers = run(&mut trace, &[configuration], &Ahead::default(), &Control::unlimited());
        let last = answers.expect("a right trace")[0].timeline[5];
        assert_eq!((last.core, last.fetch), expected, "{placement}");
    }
}
