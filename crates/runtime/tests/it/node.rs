//! Finding devices in recorded trees of files, and naming them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use volvelle_runtime::architecture::{Cpu, Gpu};
use volvelle_runtime::{Architecture, Device, Error, Executor, Node, Offer, Place, Technology};

/// A folder with files of these paths and texts.
fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&root);
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

/// A server with two processors, two cards and the adapter of its console.
fn server(name: &str) -> PathBuf {
    let cpuinfo: String = (0..4)
        .map(|i| {
            format!(
                "processor\t: {i}\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654 96-Core Processor\n\
                 physical id\t: {}\n\n",
                i / 2
            )
        })
        .collect();
    tree(
        name,
        &[
            ("proc/cpuinfo", &cpuinfo),
            ("proc/meminfo", "MemTotal:       1056450816 kB\nMemFree:        1 kB\n"),
            ("proc/driver/nvidia/gpus/0000:3b:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 1\n"),
            ("sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n"),
            ("sys/bus/pci/devices/0000:3b:00.0/vendor", "0x10de\n"),
            ("sys/bus/pci/devices/0000:3b:00.0/device", "0x2335\n"),
            ("sys/bus/pci/devices/0000:1c:00.0/class", "0x120000\n"),
            ("sys/bus/pci/devices/0000:1c:00.0/vendor", "0x1002\n"),
            ("sys/bus/pci/devices/0000:1c:00.0/device", "0x74a1\n"),
            ("sys/bus/pci/devices/0000:1c:00.0/mem_info_vram_total", "206141652992\n"),
            ("sys/bus/pci/devices/0000:c1:00.0/class", "0x030000\n"),
            ("sys/bus/pci/devices/0000:c1:00.0/vendor", "0x1a03\n"),
            ("sys/bus/pci/devices/0000:c1:00.0/device", "0x2000\n"),
            // A network card, and something that is broken.
            ("sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n"),
            ("sys/bus/pci/devices/0000:02:00.0/vendor", "0x8086\n"),
            ("sys/bus/pci/devices/0000:02:00.0/device", "0x1593\n"),
            ("sys/bus/pci/devices/0000:03:00.0/class", "display\n"),
            (
                "usr/share/misc/pci.ids",
                "1002  Advanced Micro Devices\n\t74a1  Aqua Vanjaram [Instinct MI300X]\n",
            ),
        ],
    )
}

#[test]
fn processors_and_cards_of_a_server() {
    let root = server("server");
    let cpu = &Cpu::under(&root).find()[0];
    assert_eq!(cpu.vendor, "AMD");
    assert_eq!(cpu.name, "2 × AMD EPYC 9654 96-Core Processor");
    assert_eq!((cpu.compute_units, cpu.memory_bytes), (Some(4), Some(1_056_450_816 * 1024)));
    let cards = Gpu::under(&root).find();
    let lines: Vec<String> = cards
        .iter()
        .map(|d| format!("{} · {} · {} · {:?}", d.place, d.vendor, d.name, d.memory_bytes))
        .collect();
    assert_eq!(
        lines,
        [
            "pci 0000:1c:00.0 · AMD · Aqua Vanjaram [Instinct MI300X] · Some(206141652992)",
            "pci 0000:3b:00.0 · NVIDIA · NVIDIA H200 · None",
            "pci 0000:c1:00.0 · ASPEED · device 2000 · None",
        ]
    );
}

#[test]
fn this_machine_has_processors() {
    assert_eq!(Cpu::new().find().len(), 1);
    // Whatever there is, looking for it does no harm.
    for device in Gpu::new().find() {
        assert!(matches!(device.place, Place::Pci(_)), "{device:?}");
    }
}

/// A technology that offers devices at places, and opens none.
struct Listed(&'static str, Result<Vec<Place>, &'static str>);

impl Technology for Listed {
    fn name(&self) -> &str {
        self.0
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        let places = self.1.clone().map_err(|why| Error::Unavailable(why.to_owned()))?;
        let offer = |place| Offer {
            device: Device {
                architecture: "GPU".into(),
                vendor: "somebody".into(),
                name: "something".into(),
                place,
                memory_bytes: Some(1 << 30),
                compute_units: Some(7),
            },
            driver: format!("{} 1.0", self.0),
            has_f64: true,
        };
        Ok(places.into_iter().map(offer).collect())
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        Err(Error::Unavailable(format!("{}:{number} does not answer", self.0)))
    }
}

fn node(name: &str) -> Node {
    let root = server(name);
    let pci = |address: &str| Place::Pci(address.to_owned());
    let technologies: Vec<Arc<dyn Technology>> = vec![
        Arc::new(Listed("threads", Ok(vec![Place::Host]))),
        Arc::new(Listed("cuda", Ok(vec![pci("0000:3b:00.0")]))),
        Arc::new(Listed(
            "opencl",
            Ok(vec![pci("0000:3b:00.0"), pci("0000:1c:00.0"), Place::Other("fpga".into())]),
        )),
        Arc::new(Listed("metal", Err("there is no library\n  for it"))),
        Arc::new(Listed("nothing", Ok(vec![]))),
        Arc::new(Listed("interpreter", Ok(vec![Place::Host]))),
    ];
    Node::find(&[&Cpu::under(&root), &Gpu::under(&root)], technologies)
}

#[test]
fn offers_are_matched_by_place() {
    let node = node("matched");
    let lines: Vec<String> = node
        .devices()
        .iter()
        .map(|found| {
            let names: Vec<&str> = found.served.iter().map(|served| &*served.name).collect();
            format!("{}: {} {:?}", found.device.place, names.join(" "), found.device.compute_units)
        })
        .collect();
    assert_eq!(
        lines,
        [
            "host: threads:0 interpreter:0 Some(4)",
            "pci 0000:1c:00.0: opencl:1 Some(7)",
            "pci 0000:3b:00.0: cuda:0 opencl:0 Some(7)",
            "pci 0000:c1:00.0:  None",
            "fpga: opencl:2 Some(7)",
        ]
    );
    let absent: Vec<String> = node.absent().iter().map(|a| format!("{}: {}", a.technology, a.why)).collect();
    assert_eq!(
        absent,
        ["metal: there is no library for it", "nothing: it supports no device of this machine"]
    );
}

fn names(node: &Node, list: &str) -> Result<Vec<String>, String> {
    let selected = node.select(list).map_err(|e| format!("{:?} {e}", e.span))?;
    Ok(selected.iter().map(|served| served.name.clone()).collect())
}

#[test]
fn lists_of_devices() {
    let node = node("lists");
    assert_eq!(names(&node, "opencl:1,threads:0").unwrap(), ["opencl:1", "threads:0"]);
    assert_eq!(names(&node, " threads , cuda:0").unwrap(), ["threads:0", "cuda:0"]);
    assert_eq!(names(&node, "opencl").unwrap(), ["opencl:0", "opencl:1", "opencl:2"]);
    assert_eq!(names(&node, "auto").unwrap(), ["threads:0", "opencl:1", "cuda:0", "opencl:2"]);
}

#[test]
fn lists_that_are_wrong_say_where_and_what_there_is() {
    let node = node("wrong");
    let there = "available devices: threads:0, cuda:0, opencl:0, opencl:1, opencl:2, interpreter:0, auto";
    let wrong = |list: &str| names(&node, list).unwrap_err();
    assert_eq!(wrong("threads, cuda:1"), format!("9..15 there is no device `cuda:1`; {there}"));
    assert_eq!(
        wrong("metal:0"),
        format!("0..7 `metal:0` is not available: there is no library for it; {there}")
    );
    assert_eq!(wrong("cuda:0,"), format!("7..7 a device is missing; {there}"));
    assert_eq!(wrong(""), format!("0..0 a device is missing; {there}"));
    assert_eq!(wrong("cuda,threads,cuda:0"), format!("13..19 `cuda:0` is named twice; {there}"));
    assert_eq!(wrong("auto,cuda"), format!("5..9 `cuda:0` is named twice; {there}"));
    assert_eq!(wrong("opencl:-1"), format!("0..9 there is no device `opencl:-1`; {there}"));
    assert_eq!(wrong("opencl:99999999999999999999999").split(' ').next(), Some("0..30"));
    for list in ["é,", ",é", "\u{2003}é\u{2003}", ":::", "auto:0"] {
        let error = node.select(list).unwrap_err();
        assert!(list.get(error.span).is_some(), "{list:?}: the span is a piece of the text");
    }
    let empty = Node::find(&[], Vec::new());
    assert_eq!(
        names(&empty, "auto").unwrap_err(),
        "0..4 there is no device `auto`; there is no device at all"
    );
}

#[test]
fn opening_passes_errors_on() {
    let node = node("opening");
    let served = node.select("cuda:0").unwrap()[0];
    assert_eq!(node.open(served).err().unwrap().to_string(), "cuda:0 does not answer");
}
