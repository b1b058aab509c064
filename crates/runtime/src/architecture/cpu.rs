//! The processors of this machine, from `/proc/cpuinfo`.

use super::read;
use crate::device::{Architecture, Device, Place};
use std::path::PathBuf;

/// The processors that run this program: one device, since they share their memory.
///
/// From `proc/cpuinfo` and `proc/meminfo`, whose keys differ between kinds of processors (Linux,
/// `arch/*/kernel/cpu/proc.c` and its like). Without such files, the standard library's information.
#[derive(Clone, Debug)]
pub struct Cpu {
    root: PathBuf,
}

impl Cpu {
    /// Of this machine.
    pub fn new() -> Self {
        Self::under("/")
    }

    /// From another tree of files, for tests.
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Cpu { root: root.into() }
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new()
    }
}

impl Architecture for Cpu {
    fn name(&self) -> &str {
        "CPU"
    }

    fn find(&self) -> Vec<Device> {
        let info = read(&self.root.join("proc/cpuinfo")).map(|text| parse(&text)).unwrap_or_default();
        let memory = read(&self.root.join("proc/meminfo")).and_then(|text| total_bytes(&text));
        let units = match info.units {
            0 => {
                std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
            }
            units => units,
        };
        vec![Device {
            architecture: self.name().to_owned(),
            vendor: info.vendor,
            name: if info.name.is_empty() { "processor".to_owned() } else { info.name },
            place: Place::Host,
            memory_bytes: memory,
            compute_units: Some(units),
        }]
    }
}

/// The contents of `cpuinfo`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Info {
    vendor: String,
    name: String,
    /// Processors in the sense of Linux: hardware threads.
    units: u32,
}

/// Reads lines `key : value`. The first value of a key counts, except for `processor`, which is counted.
fn parse(text: &str) -> Info {
    let entries = || {
        text.lines().filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            Some((key.trim(), value.trim()))
        })
    };
    let first = |keys: &[&str]| {
        keys.iter().find_map(|wanted| {
            entries()
                .find(|(key, value)| key == wanted && !value.is_empty())
                .map(|(_, value)| value.to_owned())
        })
    };
    // A number after `processor` marks a unit. On old ARM kernels the same key also holds the model; on s390
    // the number is in the key.
    let is_unit = |(key, value): &(&str, &str)| {
        (*key == "processor" && value.parse::<u32>().is_ok())
            || key.strip_prefix("processor ").is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let units = entries().filter(is_unit).count();
    let implementer = first(&["CPU implementer"]).and_then(|code| implementer(&code));
    let vendor = first(&["vendor_id", "cpu vendor"]).map(|id| vendor(&id)).or(implementer.map(str::to_owned));
    let model = first(&["model name", "cpu model", "cpu", "Processor", "Hardware", "uarch", "isa"]);
    let mut name = model.unwrap_or_default();
    if name.is_empty() && implementer.is_some() {
        name = format!("ARM part {}", first(&["CPU part"]).unwrap_or_else(|| "unknown".to_owned()));
    }
    let mut sockets: Vec<&str> =
        entries().filter(|(key, _)| *key == "physical id").map(|(_, id)| id).collect();
    sockets.sort_unstable();
    sockets.dedup();
    if sockets.len() > 1 {
        name = format!("{} × {name}", sockets.len());
    }
    Info { vendor: vendor.unwrap_or_default(), name, units: u32::try_from(units).unwrap_or(u32::MAX) }
}

/// Vendors by the identifiers of the instruction `cpuid` and its like.
fn vendor(id: &str) -> String {
    let name = match id {
        "GenuineIntel" => "Intel",
        "AuthenticAMD" => "AMD",
        "HygonGenuine" => "Hygon",
        "CentaurHauls" => "VIA",
        "Shanghai" => "Zhaoxin",
        "IBM/S390" => "IBM",
        other => other,
    };
    name.to_owned()
}

/// Vendors of ARM processors, by the implementer field of MIDR_EL1 (`asm/cputype.h` of Linux).
fn implementer(code: &str) -> Option<&'static str> {
    let code = u8::from_str_radix(code.trim_start_matches("0x"), 16).ok()?;
    Some(match code {
        0x41 => "ARM",
        0x42 => "Broadcom",
        0x43 => "Cavium",
        0x46 => "Fujitsu",
        0x48 => "HiSilicon",
        0x4e => "NVIDIA",
        0x50 => "Applied Micro",
        0x51 => "Qualcomm",
        0x53 => "Samsung",
        0x56 => "Marvell",
        0x61 => "Apple",
        0x6d => "Microsoft",
        0xc0 => "Ampere",
        _ => return None,
    })
}

/// `MemTotal:  131934324 kB` in bytes.
fn total_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_of_many_kinds() {
        let info = |vendor: &str, name: &str, units| Info { vendor: vendor.into(), name: name.into(), units };
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) 6780E\nphysical id\t: 0\n\n\
                   processor\t: 1\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) 6780E\nphysical id\t: 1\n";
        assert_eq!(parse(x86), info("Intel", "2 × Intel(R) Xeon(R) 6780E", 2));
        let arm = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\nprocessor\t: 1\n";
        assert_eq!(parse(arm), info("ARM", "ARM part 0xd40", 2));
        let old_arm = "Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\nHardware\t: BCM2835\n";
        assert_eq!(parse(old_arm), info("", "ARMv7 Processor rev 4 (v7l)", 1));
        let power = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nrevision\t: 2.2\n";
        assert_eq!(parse(power), info("", "POWER9, altivec supported", 1));
        let s390 = "vendor_id       : IBM/S390\n# processors    : 2\nprocessor 0: version = 00\nprocessor 1: version = 00\n";
        assert_eq!(parse(s390), info("IBM", "", 2));
        let riscv = "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n";
        assert_eq!(parse(riscv), info("", "sifive,u74-mc", 1));
    }

    #[test]
    fn texts_that_say_nothing() {
        for text in ["", ":", "processor", "processor : x", "\u{0}:\u{0}", "CPU implementer: 0xzz"] {
            assert_eq!(parse(text).units, 0, "{text:?}");
        }
        assert_eq!(total_bytes("MemTotal:  16 kB\n"), Some(16384));
        for text in ["", "MemTotal:", "MemTotal: kB", "MemTotal: 99999999999999999999 kB"] {
            assert_eq!(total_bytes(text), None, "{text:?}");
        }
    }

    #[test]
    fn without_files_there_is_one_device_all_the_same() {
        let found = Cpu::under("no such folder").find();
        assert_eq!(found.len(), 1);
        assert!(found[0].compute_units.unwrap() > 0);
        assert_eq!((&found[0].place, found[0].memory_bytes), (&Place::Host, None));
    }
}
