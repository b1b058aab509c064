//! Machines with keys beyond the paper's, and protocols in files.

use crate::common::Folder;
use crate::multicore::{TRACE, examples};

/// MESI in which a load that misses alone does not get the block for itself.
fn careful() -> String {
    let text = mesi();
    let changed = text.replace("->  E  I  Mem", "->  S  I  Mem");
    assert_ne!(changed, text);
    changed.replace("MESI", "careful")
}

fn mesi() -> String {
    let path = crate::common::root().join("crates/coherence/protocols/mesi.toml");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn protocols_come_from_files() {
    let stores = "core\toperation\taddress\tsize\n0\tload\t80\t8\n0\tstore\t80\t8\n";
    let machine = "cores = 2\nprotocol = \"own.toml\"\n";
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("machines")).expect("a folder");
    let folder = folder
        .file("a.tsv", stores)
        .file("machines/own.toml", careful())
        .file("machines/m.toml", machine)
        .file("broken.toml", careful().replace("->  M  I  Cache", "->  M  =  Cache"));
    let upgrades = |words: &[&str]| {
        let found = folder.run(&[&["multicore", "a.tsv", "--json"], words].concat()).exits(0).json();
        found["results"][0]["caches"]["upgrades"].as_u64()
    };
    assert_eq!(upgrades(&["--const", "cores=2"]), Some(0));
    // Beside the machine that names it, and from here.
    assert_eq!(upgrades(&["--machine", "machines/m.toml"]), Some(1));
    assert_eq!(upgrades(&["--const", "cores=2,protocol=machines/own.toml"]), Some(1));
    for (protocol, what) in [
        ("nothing.toml", "nothing.toml"),
        ("broken.toml", "is not coherent"),
        ("mosi", "there is no protocol `mosi`"),
    ] {
        let set = format!("protocol={protocol}");
        let run = folder.run(&["multicore", "a.tsv", "--const", &set]).exits(2);
        assert!(run.err.contains(what), "{protocol}: {}", run.err);
    }
}

/// Each key changes something in a program that has loops, calls and shared blocks; and what cannot be together is refused.
#[test]
fn keys_have_effects() {
    let base = ["multicore", "quicksort.elf", "--machine", "paper-quad-8", "--predictor", "hashed", "--json"];
    let folder = examples().file("t.tsv", TRACE);
    let cycles = |set: &str| {
        let options: Vec<&str> = if set.is_empty() { Vec::new() } else { vec!["--const", set] };
        let found = folder.run(&[&base[..], &options, &["--", "300"]].concat()).exits(0).json();
        found["results"][0]["cycles"].as_u64().expect("cycles")
    };
    for (without, with) in [
        ("", "reorder_buffer=2"),
        ("", "forward_bus=1,task_length=16"),
        ("", "l2.size=1024,l2.ways=1"),
        ("l2.size=1024", "l2.size=1024,l2.memory=0"),
        ("", "selection=postdominator"),
        ("", "wrong_path=true"),
        ("", "training=commit"),
        ("", "history=unrepaired"),
        ("", "younger=kept"),
        ("tasks_per_core=4", "tasks_per_core=4,memory_order=free"),
        ("tasks_per_core=4,memory_order=free", "tasks_per_core=4,memory_order=after-stores"),
        ("tasks_per_core=2,mode=rolling", "tasks_per_core=2,mode=rolling,placement=round-robin"),
        ("tasks_per_core=2", "tasks_per_core=2,placement=first-free"),
    ] {
        assert_ne!(cycles(without), cycles(with), "{without} {with}");
    }
    for (words, what) in [
        ("t.tsv --const wrong_path=true", "a trace has no wrong paths"),
        ("queens.elf --const wrong_path=true,mode=rolling", "in rounds only"),
        ("queens.elf --const l2.size=4096", "hit before they come to it"),
        ("queens.elf --const caches=real,l2.size=4096,l2.block=16", "less than 32"),
        ("queens.elf --const caches=real,l2.size=5000", "l2"),
        ("queens.elf --const training=late", "`training` is"),
        ("queens.elf --const mode=rolling,training=commit --only predictors", "not known without cycles"),
        ("queens.elf --const reorder_buffer=4097", "0 to 4096"),
    ] {
        let words: Vec<&str> = std::iter::once("multicore").chain(words.split(' ')).collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(what), "{words:?}: {}", run.err);
    }
}
