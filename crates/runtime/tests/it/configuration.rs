//! Configurations: what is read, what is refused and where, and what contexts are opened. The examples of the pages V1031 to
//! V1036 are read here; `BLESS=1` draws their messages again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, render};
use volvelle_random::Random;
use volvelle_runtime::configuration::{Configuration, Selection, Sizes};
use volvelle_runtime::network::{Single, ThreadsAsRanks};
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{
    Architecture, Context, Device, Error, Executable, Executor, Function, Node, Offer, Place, Storage,
    Technology,
};

/// A machine with one processor and two cards, and technologies that open executors which run nothing.
struct Fixed(&'static str, Vec<Device>);

impl Architecture for Fixed {
    fn name(&self) -> &str {
        self.0
    }
    fn find(&self) -> Vec<Device> {
        self.1.clone()
    }
}

fn device(architecture: &str, name: &str, place: Place) -> Device {
    Device {
        architecture: architecture.into(),
        vendor: String::new(),
        name: name.into(),
        place,
        memory_bytes: None,
        compute_units: None,
    }
}

struct Offers {
    name: &'static str,
    places: Result<Vec<Place>, &'static str>,
    /// Whether devices answer.
    answers: bool,
}

impl Technology for Offers {
    fn name(&self) -> &str {
        self.name
    }
    fn offers(&self) -> Result<Vec<Offer>, Error> {
        let places = self.places.clone().map_err(|why| Error::Unavailable(why.into()))?;
        let offer = |place: Place| Offer {
            device: device(if place == Place::Host { "CPU" } else { "GPU" }, "a device", place),
            driver: String::new(),
            has_f64: true,
        };
        Ok(places.into_iter().map(offer).collect())
    }
    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        if !self.answers {
            return Err(Error::Unavailable("it does not answer".into()));
        }
        Ok(Arc::new(Idle(self.device_name(number), self.offers()?.swap_remove(number))))
    }
}

struct Idle(String, Offer);

impl Executor for Idle {
    fn name(&self) -> &str {
        &self.0
    }
    fn offer(&self) -> &Offer {
        &self.1
    }
    fn lanes(&self) -> u64 {
        1
    }
    fn storage(&self) -> Arc<dyn Storage> {
        Ram::shared()
    }
    fn build(&self, _: &Function) -> Result<Arc<dyn Executable>, Error> {
        Err(Error::Build("it runs nothing".into()))
    }
}

fn node() -> Node {
    let card = |address: &str| Place::Pci(address.to_owned());
    let cpu = Fixed("CPU", vec![device("CPU", "EPYC", Place::Host)]);
    let cards =
        vec![device("GPU", "H200", card("0000:3b:00.0")), device("GPU", "console", card("0000:c1:00.0"))];
    let offers =
        |name, places, answers| -> Arc<dyn Technology> { Arc::new(Offers { name, places, answers }) };
    Node::find(
        &[&cpu, &Fixed("GPU", cards)],
        vec![
            offers("threads", Ok(vec![Place::Host]), true),
            offers("cuda", Err("libcuda.so.1 is not there"), true),
            offers("opencl", Ok(vec![card("0000:3b:00.0"), Place::Host]), true),
            offers("silent", Ok(vec![card("0000:3b:00.0")]), false),
        ],
    )
}

/// All that is wrong with a text on that machine, and the names of the devices of its context where nothing is.
fn open(text: &str) -> Result<Vec<String>, Vec<Diagnostic>> {
    let (configuration, found) = Configuration::read(FileId(0), text);
    if !found.is_empty() {
        return Err(found);
    }
    let context = Context::open(&node(), &configuration, Arc::new(Single))?;
    Ok(context.devices().iter().map(|device| device.name().to_owned()).collect())
}

/// `code: message @ piece of the text`, one for each.
fn wrong(text: &str) -> Vec<String> {
    let found = open(text).expect_err("something is wrong");
    let line = |diagnostic: &Diagnostic| {
        assert!(!diagnostic.helps.is_empty(), "a way out: {diagnostic:?}");
        let piece = diagnostic
            .primary
            .as_ref()
            .map(|label| &text[label.span.start as usize..label.span.end as usize]);
        format!("{}: {} @ {}", diagnostic.code, diagnostic.message, piece.unwrap_or("nowhere"))
    };
    found.iter().map(line).collect()
}

#[test]
fn a_configuration_with_everything() {
    let text = r#"
        network = "single"
        [context]
        skip = true
        CPU = "threads"
        GPU = ["cuda", 'opencl']
        [distribution.default]
        CPU = { size = 4096, block = 16 }
        GPU.size = 0x10_0000
        [distribution.small]
        "opencl:0" = { block = 64 }
        opencl = { block = 32 }
        GPU = { size = 1, block = 1 }
    "#;
    let (configuration, found) = Configuration::read(FileId(3), text);
    assert_eq!(found, []);
    assert!(configuration.skip && configuration.network.as_ref().unwrap().it == "single");
    let sizes =
        |name: &str, device, architecture| configuration.distributions[name].sizes(device, architecture);
    assert_eq!(sizes("default", "threads", "CPU"), Sizes { size: Some(4096), block: Some(16) });
    assert_eq!(sizes("default", "opencl:0", "GPU"), Sizes { size: Some(1 << 20), block: None });
    assert_eq!(sizes("default", "fpga:0", "FPGA"), Sizes::default());
    assert_eq!(sizes("small", "opencl:0", "GPU"), Sizes { size: None, block: Some(64) });
    assert_eq!(sizes("small", "opencl:1", "GPU"), Sizes { size: None, block: Some(32) });
    assert_eq!(sizes("small", "cuda:0", "GPU"), Sizes { size: Some(1), block: Some(1) });
    assert_eq!(open(text).unwrap(), ["threads:0", "opencl:0"]);
}

#[test]
fn contexts() {
    assert_eq!(Configuration::read(FileId(0), "").0.selection, Selection::Automatic);
    assert_eq!(
        open("").unwrap(),
        ["threads:0", "opencl:0"],
        "what is preferred for each device that is served"
    );
    assert_eq!(open("[context]\nCPU = 'opencl'").unwrap(), ["opencl:1"]);
    assert_eq!(
        open("[context]\ndevices = 'opencl, threads'").unwrap(),
        ["opencl:0", "opencl:1", "threads:0"]
    );
    let (configuration, _) =
        Configuration::read(FileId(0), "context = { skip = true, GPU = 'silent', CPU = 'threads' }");
    let context = Context::open(&node(), &configuration, Arc::new(Single)).unwrap();
    let passed: Vec<String> = context.passed().iter().map(|p| format!("{}: {}", p.device, p.why)).collect();
    assert_eq!(
        passed,
        ["console (pci 0000:c1:00.0): `silent` does not support it", "`silent:0`: it does not answer"]
    );
}

#[test]
fn ranks_hear_of_the_mistakes_of_others() {
    let told = ThreadsAsRanks::run(3, |network| {
        let text =
            if network.rank() == 1 { "context.devices = 'nonsense'" } else { "context.devices = 'threads'" };
        let (configuration, _) = Configuration::read(FileId(0), text);
        let found = Context::open(&node(), &configuration, network.clone()).err().expect("no rank can go on");
        // All are still there.
        network.barrier().unwrap();
        found[0].message.clone()
    });
    let hears = "rank 1 has no device to work on";
    assert_eq!(told, [hears, "there is no device `nonsense`", hears]);
}

#[test]
fn what_the_machine_lacks() {
    assert_eq!(
        wrong("[context]\nGPU = ['cuda', 'opencl']"),
        ["V1036: console (pci 0000:c1:00.0) cannot be used: cuda: libcuda.so.1 is not there @ 'cuda'"]
    );
    assert_eq!(
        wrong("[context]\nGPU = 'silent'"),
        [
            "V1036: console (pci 0000:c1:00.0) cannot be used: `silent` does not support it @ 'silent'",
            "V1036: `silent:0` cannot be used: it does not answer @ 'silent'"
        ]
    );
    assert_eq!(
        wrong("[context]\nskip = true\nGPU = 'cuda'"),
        ["V1036: there is no device to work on @ nowhere"]
    );
    let found = open("[context]\nskip = true\nGPU = 'cuda'").unwrap_err();
    assert_eq!(found[0].notes.len(), 2, "why each card is not used: {found:?}");
}

#[test]
fn names_that_are_not_known() {
    assert_eq!(
        wrong("network = 'MPI'\n[context]\nCPU = 'thread'\nGPUs = 'opencl'\n[distribution.d]\nXPU.size = 3"),
        [
            "V1035: there is no network `MPI` @ 'MPI'",
            "V1035: unknown architecture or device `XPU` @ XPU",
            "V1035: unknown technology `thread` @ 'thread'",
            "V1035: unknown architecture `GPUs` @ GPUs",
        ]
    );
    assert_eq!(
        wrong("context.devices = 'threads, opencl:7'"),
        ["V1035: there is no device `opencl:7` @ opencl:7"]
    );
    assert_eq!(
        wrong("context.devices = \"opencl\\u003a7\""),
        ["V1035: there is no device `opencl:7` @ \"opencl\\u003a7\""]
    );
    assert_eq!(wrong("context.devices = ''"), ["V1035: a device is missing @ "]);
    assert!(open("[distribution.d]\n'cuda:7'.size = 3").is_ok(), "a device of another machine");
}

#[test]
fn texts_that_make_no_sense() {
    assert_eq!(
        wrong(
            "a = 1\n[context]\nskip = 1\nCPU = []\ndevices = 'threads'\nGPU = ['opencl', 5]\n[distribution]\nx = 3"
        ),
        [
            "V1032: unknown key `a` @ a",
            "V1033: `skip` is true or false, not an integer @ 1",
            "V1034: no technology is named @ []",
            "V1033: the technology of an architecture is a string, not an integer @ 5",
            "V1034: the context names both devices and technologies of architectures @ devices",
            "V1033: a distribution is a table, not an integer @ 3",
        ]
    );
    assert_eq!(
        wrong("network = 3.0\ncontext = 'threads'\ndistribution = []"),
        [
            "V1033: the network is a string, not a float @ 3.0",
            "V1033: the context is a table, not a string @ 'threads'",
            "V1033: the distribution is a table of distributions, not an array @ []",
        ]
    );
    let sizes = |inside: &str| wrong(&format!("[distribution.d]\nCPU = {{ {inside} }}"));
    assert_eq!(sizes("size = 0"), ["V1034: `size` is zero @ 0"]);
    assert_eq!(sizes("block = 0b0"), ["V1034: `block` is zero @ 0b0"]);
    assert_eq!(sizes("size = -4"), ["V1034: `size` is not a number of lanes @ -4"]);
    assert_eq!(sizes("block = 4294967296"), ["V1034: `block` is not a number of lanes @ 4294967296"]);
    assert_eq!(
        sizes("size = 18446744073709551616"),
        ["V1034: `size` is not a number of lanes @ 18446744073709551616"]
    );
    assert_eq!(sizes("size = 99999999999999999999999999999999999999999").len(), 1);
    assert_eq!(sizes("size = true"), ["V1033: `size` is a whole number, not a boolean @ true"]);
    assert_eq!(sizes("blok = 3"), ["V1032: unknown key `blok` @ blok"]);
    assert_eq!(sizes("size = 8, block = 9"), ["V1034: a block is larger than a launch @ 9"]);
    assert_eq!(
        wrong("[distribution.d]\nCPU = 4"),
        ["V1033: the distribution on `CPU` is a table of sizes, not an integer @ 4"]
    );
}

#[test]
fn texts_that_are_no_toml() {
    for text in ["[context", "CPU = threads", "a = 1\na = 2", "= 3", "x = \"", "[a]\n[a]", "\u{0}", "é = é"]
    {
        let (_, found) = Configuration::read(FileId(0), text);
        assert!(found.iter().any(|d| d.code.to_string() == "V1031"), "{text:?}: {found:?}");
    }
}

/// Whatever the text, reading it gives places within it.
#[test]
fn any_text_is_read() {
    let whole = "network = \"single\"\n[context]\nskip = true # é\nCPU = \"threads\"\nGPU = [\"cuda\", 'opencl']\n\
                 [distribution.default]\nCPU = { size = 0x40, block = 16 }\n\"opencl:1\".block = 6_4\n";
    let mut random = Random(1);
    let pieces: Vec<char> = "[]{}\"'=.,#\n0-é\u{1f600}\\ua_".chars().collect();
    for _ in 0..3000 {
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len().max(1)).min(text.len() - 1);
            match random.below(3) {
                0 if text.len() > 1 => drop(text.remove(at)),
                1 => text.insert(at, random.pick(&pieces)),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        let (configuration, found) = Configuration::read(FileId(0), &text);
        let opened = Context::open(&node(), &configuration, Arc::new(Single));
        for diagnostic in found.iter().chain(opened.as_ref().err().into_iter().flatten()) {
            for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
                let range = label.span.start as usize..label.span.end as usize;
                assert!(text.get(range).is_some(), "{text:?}: {diagnostic:?}");
            }
        }
    }
    for deep in [
        "[".repeat(100_000),
        format!("a = {}", "[".repeat(100_000)),
        format!("a{} = 1", ".a".repeat(100_000)),
    ] {
        let read = std::thread::Builder::new().stack_size(2 << 20);
        let found = read.spawn(move || Configuration::read(FileId(0), &deep).1).unwrap().join().unwrap();
        assert!(!found.is_empty());
    }
}

#[test]
fn the_guide_shows_a_configuration_that_is_right() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runtime.md");
    let text = std::fs::read_to_string(guide).unwrap();
    let (_, rest) = text.split_once("```toml\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    assert_eq!(open(example).unwrap(), ["threads:0", "opencl:0"]);
}

fn page(code: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../diagnostics/codes/{code}.md"))
}

#[test]
fn examples_of_pages_give_what_they_show() {
    for code in ["V1031", "V1032", "V1033", "V1034", "V1035", "V1036"] {
        let text = std::fs::read_to_string(page(code)).unwrap();
        let fence = |tag: &str| {
            let start = text.find(&format!("```{tag}\n")).expect("a fence") + tag.len() + 4;
            start..start + text[start..].find("```").expect("its end")
        };
        let (example, shown) = (&text[fence("toml")], &text[fence("text")]);
        let found = open(example).expect_err("the example is wrong");
        let diagnostic = found.iter().find(|d| d.code.to_string() == code).expect("the code of the page");
        let mut sources = Sources::new();
        sources.add("devices.toml", example);
        let drawn = render(diagnostic, &sources, RenderOptions::default());
        let mut lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
        lines.retain(|line| !line.trim_start().starts_with("= explain:"));
        let drawn = lines.join("\n") + "\n";
        if drawn != shown && std::env::var_os("BLESS").is_some() {
            let blessed = text.replacen(shown, &drawn, 1);
            std::fs::write(page(code), blessed).unwrap();
        } else {
            assert_eq!(drawn, shown, "{code}");
        }
    }
}
