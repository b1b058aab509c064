//! Machines: presets, keys, declarations, and what is refused.

use volvelle_diagnostics::{Sources, codes};
use volvelle_multicore::{KEYS, Kind, Machine, Mode, ShippedProtocols, read_predictor};

fn read(text: &str) -> Result<Machine, Vec<String>> {
    let found = Machine::read(Sources::new().add("machine.toml", text), text, &mut ShippedProtocols);
    found.map_err(|all| all.into_iter().map(|found| format!("{} {}", found.code, found.message)).collect())
}

#[test]
fn presets_are_the_papers() {
    for name in Machine::presets() {
        Machine::preset(&name).expect("a preset").check().expect("a right machine");
    }
    let quad = Machine::preset("paper-quad-8").expect("a preset");
    let core = quad.cores[3];
    assert_eq!((quad.cores.len(), quad.task_length), (4, 8));
    assert_eq!([core.width, core.alus, core.load_store], [4, 4, 2]);
    let found = Machine::preset("paper-quad-7").expect_err("no length of the paper");
    assert_eq!(found.helps, ["did you mean `paper-quad-4`?"]);
}

#[test]
fn declarations_begin_with_a_preset() {
    let text = "name = \"odd\"\nbase = \"paper-dual-16\"\nmode = \"rolling\"\nprotocol = \"moesi\"\n\
                [[core]]\nwidth = 4\n[[core]]\nwidth = 1\nalus = 1\n[[core]]\n[l1d]\nsize = 32768\nways = 4\n[latency]\ndiv = 12\n";
    let machine = read(text).expect("a right machine");
    let widths: Vec<u32> = machine.cores.iter().map(|core| core.width).collect();
    assert_eq!(widths, [4, 1, 8]);
    assert_eq!((machine.l1d.size_bytes, machine.l1d.ways, machine.latencies.div), (32768, 4, 12));
    assert_eq!((machine.mode, machine.protocol.name.as_str()), (Mode::Rolling, "MOESI"));
    assert_eq!((machine.name.as_str(), machine.task_length), ("odd", 16));
}

#[test]
fn all_that_is_wrong_is_told() {
    let text = "cores = 4\nwidht = 2\nwidth = 0\ncaches = \"none\"\nprotocol = \"mesy\"\ncores2 = 1.5\n";
    let found = read(text).expect_err("wrong");
    assert!(found[0].starts_with("V2023 unknown key `widht`"), "{found:?}");
    assert!(found[1].starts_with("V2024 `width` is a whole number from 1 to 64"), "{found:?}");
    assert!(found[2].starts_with("V2024 `caches` is `perfect`, `real`, not `none`"), "{found:?}");
    assert!(found[3].contains("there is no protocol `mesy`"), "{found:?}");
    assert!(read("cores = ").expect_err("no TOML")[0].starts_with("V2023"));
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    for text in [
        "[l1d]\nways = 3\n",
        "[l1d]\nsize = 1000\n",
        "[l1i]\nblock = 24\n",
        "[l1d]\nsize = 32\nblock = 64\n",
        "[l1d]\nsize = 99999999999999999999\n",
        "cores = 64\n[l1d]\nsize = 67108864\nblock = 1\n",
        "cores = 64\ntasks_per_core = 16\ntask_length = 256\n",
        "cores = 0\n",
        "cores = 65\n",
        "cores = -1\n",
        "[[core]]\nwidth = 65\n",
        "core = []\n",
    ] {
        let found = read(text).expect_err(text);
        assert!(found[0].starts_with("V2024"), "{text}: {found:?}");
    }
}

#[test]
fn keys_are_set_by_name() {
    let mut machine = Machine::default();
    for (key, value) in [
        ("cores", "4"),
        ("width", "8"),
        ("l1d.size", "1024"),
        ("caches", "real"),
        ("mode", "optimistic"),
        ("selection", "span-3"),
        ("returns", "stack"),
        ("targets", "ittage"),
        ("wrong_targets", "squash"),
        ("latency.fp", "5"),
        ("l1i.policy", "fifo"),
    ] {
        assert!(KEYS.contains(&key));
        machine.set(key, value, &mut ShippedProtocols).unwrap_or_else(|found| panic!("{key}: {found:?}"));
    }
    assert_eq!((machine.cores.len(), machine.cores[3].width, machine.l1d.size_bytes), (4, 8, 1024));
    assert_eq!(
        machine.set("wdth", "1", &mut ShippedProtocols).expect_err("misspelt")[0].helps,
        ["did you mean `width`?"]
    );
    for (key, value) in [
        ("width", ""),
        ("width", "x"),
        ("width", "+1"),
        ("caches", "1"),
        ("selection", "span-0"),
        ("miss", "10001"),
    ] {
        assert_eq!(
            machine.set(key, value, &mut ShippedProtocols).expect_err(key)[0].code,
            codes::MACHINE_VALUE,
            "{key}={value}"
        );
    }
    // Every key can be set to something.
    for key in KEYS {
        let tries = [
            "1", "16", "perfect", "length", "mesi", "rounds", "cache", "counted", "lru", "usual", "resolve",
            "kept", "exact", "repaired", "true",
        ];
        assert!(
            tries.iter().any(|value| machine.clone().set(key, value, &mut ShippedProtocols).is_ok()),
            "{key}"
        );
    }
}

#[test]
fn predictors_are_declared() {
    let read = |text: &str| read_predictor(Sources::new().add("p.toml", text), text);
    let tage = read("name = \"long\"\nkind = \"tage\"\nlengths = [5, 15, 44, 130]\ntable_bits = 10\n")
        .expect("right");
    assert_eq!((tage.name.as_str(), tage.kind.bits()), ("long", 4 * 13 * 1024 + 8192));
    let perceptron =
        read("kind = \"perceptron\"\nhistory = 12\nby_address = true\nvectors = 100\n").expect("right");
    assert_eq!(perceptron.name, "perceptron-12-by-address-vectors-100");
    assert!(matches!(perceptron.kind, Kind::Perceptron(shape) if shape.threshold == 38));
    for text in [
        "",
        "kind = \"tag\"",
        "kind = \"tage\"\nlengths = [4, 4]",
        "kind = \"tage\"\nlengths = [300]",
        "kind = \"gag\"\nbits = 25",
        "kind = \"gag\"\nhistory = 2",
        "kind = 3",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}
