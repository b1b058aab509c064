//! The pages behind `volvelle explain`: the example of a page gives what the page shows.
//!
//! A page has a program, in a block `prism`, or a block `props` with properties, or a command in a block `console`, or
//! several of them, or a file of an explicit model; the message is drawn in a block `text`. Without a command, the properties are checked, or the
//! program is explored. `BLESS=1 cargo test -p volvelle --test it code_pages::` draws again what
//! differs.

use crate::common::markdown::{Block, blocks, replaced, words};
use crate::common::{Folder, root};
use std::path::PathBuf;

/// Pages whose message this test does not bring about, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "V0004",
        "how far a run comes depends on what the process holds before it begins; tests/it/limits.rs has one",
    ),
    ("V0005", "how far a run comes in a time differs from run to run"),
    ("V0009", "a signal; tests/it/limits.rs sends one"),
    ("V0016", "a page changes no permissions; tests/it/files/pipelines.rs does"),
    ("V0105", "a page has no room for an expression nested a thousand deep"),
    ("V0107", "bytes that are no text cannot stand in a page; tests/it/usage.rs has them"),
    ("V0319", "not given yet"),
    ("V0320", "not given: constants beyond 32 bits are refused where they are computed"),
    ("V0409", "billions of states do not fit into a test"),
    ("V0412", "not given: negative probabilities and sums are found first"),
    ("V0701", "kernels have no command yet"),
    ("V0702", "kernels have no command yet"),
    ("V1010", "which devices there are differs from machine to machine; tests/it/devices.rs names none"),
    (
        "V1011",
        "devices of tests do not fail of themselves; crates/simulate/tests/it/paths/devices.rs makes them fail",
    ),
    ("V1031", "crates/runtime/tests/it/configuration.rs reads the examples of configurations"),
    ("V1032", "as V1031"),
    ("V1033", "as V1031"),
    ("V1034", "as V1031"),
    ("V1035", "as V1031"),
    ("V1036", "as V1031"),
    ("V1823", "a page has no room for a formula nested two thousand deep"),
    ("V1911", "a page has no launcher; tests/it/clusters.rs has some"),
    ("V1912", "as V1911"),
    ("V1913", "as V1911"),
    ("V1251", "kernels need a device to be measured; tests/it/measuring.rs has it"),
    ("V1252", "as V1251"),
    ("V1253", "as V1251"),
    ("V1254", "as V1251"),
    ("V1255", "as V1251"),
    ("V1401", "crates/mcl/tests/it/pages.rs has it"),
    ("V1402", "as V1401"),
    ("V1403", "as V1401"),
    ("V1404", "as V1401"),
    ("V1405", "as V1401"),
    ("V1406", "as V1401"),
    ("V1407", "as V1401"),
    ("V1408", "as V1401"),
    ("V0905", "how many paths are drawn in a time differs from run to run; tests/it/simulation.rs has one"),
    ("V0805", "the page abridges its example"),
    ("V1103", "the file is no text; crates/explicit/tests has it"),
    ("V1104", "as V1103"),
    ("V1105", "as V1103"),
    ("V1110", "crates/explicit/tests has it"),
    ("V1111", "as V1103"),
    ("V1114", "as V1103"),
    ("V1701", "crates/mpi/tests/pages.rs has it"),
    ("V1702", "as V1701"),
    ("V1703", "as V1701"),
    ("V1704", "as V1701"),
    ("V1705", "as V1701"),
    ("V1711", "crates/coherence/tests/protocols/pages.rs has it"),
    ("V1712", "as V1711"),
    ("V1713", "as V1711"),
    ("V1714", "as V1711"),
    ("V1715", "as V1711"),
    ("V1716", "as V1711"),
    ("V1921", "crates/nbody/tests/it/files/pages.rs has it"),
    ("V2001", "crates/riscv/tests/it/machine.rs and the corpus have programs of this kind"),
    ("V2002", "as V2001"),
    ("V2003", "as V2001"),
    ("V2004", "as V2001"),
    ("V2005", "as V2001"),
    ("V2006", "as V2001"),
    ("V2007", "as V2001"),
    ("V2008", "as V2001"),
    ("V2009", "crates/riscv/tests/it/traces.rs has it"),
    ("V2010", "as V2001"),
    ("V2030", "crates/rules/tests/it/pages.rs has it"),
    ("V2031", "as V2030"),
    ("V2032", "as V2030"),
    ("V2033", "as V2030"),
    ("V2034", "as V2030"),
    ("V2035", "as V2030"),
    ("V2036", "as V2030"),
    ("V2037", "as V2030"),
    ("V2038", "crates/volvelle/tests/it/rules.rs has it"),
    ("V2050", "crates/trees/tests/it/pages.rs has it"),
    ("V2051", "as V2050"),
    ("V2052", "as V2050"),
    ("V2053", "as V2050"),
    ("V2054", "as V2050"),
    ("V2055", "as V2050"),
    ("V2056", "as V2050"),
    ("V2057", "as V2050"),
    ("V2058", "as V2050"),
    ("V2059", "as V2050"),
    ("V2060", "as V2050"),
    ("V2061", "as V2050"),
    ("V2062", "as V2050"),
    ("V2070", "as V2050"),
    ("V2101", "crates/n4js/tests/it/pages.rs has it"),
    ("V2102", "as V2101"),
];

/// Blocks of explicit models, and the files that they become.
const EXPLICIT: [(&str, &str); 3] = [("tra", "chain.tra"), ("drn", "model.drn"), ("aut", "model.aut")];

/// Blocks of kernels and of platforms, and the files that they become.
const KERNELS: [(&str, &str); 2] = [("opencl", "kernel.cl"), ("toml", "devices.toml")];

/// The block of a pipeline, a study or a machine, and of a stream, and the files that they become.
const PIPELINES: [(&str, &str); 4] =
    [("toml", "experiment.toml"), ("toml", "study.toml"), ("toml", "machine.toml"), ("tsv", "stream.tsv")];

/// Files that commands of pages name, where the page does not show them.
const FILES: &[(&str, &str)] = &[
    ("dice.prism", "dtmc\nmodule m\n  d : [1..6] init 1;\n  [] true -> true;\nendmodule\n"),
    ("model.prism", "dtmc\nmodule m\n  s : [0..1] init 0;\n  [] true -> (s'=1-s);\nendmodule\n"),
    ("model.txt", "a shopping list\n"),
    (
        "kernel.cl",
        "// volvelle: global = size, local = WG\n__kernel void twice(__global float *data) {\n  data[get_global_id(0)] *= 2;\n}\n",
    ),
    (
        "model.mpi",
        "shared x : bool home 0;\nprocess P0 { loop { measure ROUND; x = 1; } }\nprocess P1 { loop { measure ROUND; x = 0; } }\n",
    ),
    ("model.wks", "state s {p, q, r};\n"),
    (
        "devices.toml",
        "[device]\ndevices = 1\nunits = 2\nelements = 4\nwarp = 1\nlocal_memory = 65536\nwork_group_max = 256\nsegment = 4\n\
         prefetch = false\n[time]\nglobal = 4\nlocal = 1\nprivate = 0\noperation = 0\nlaunch = 0\ngroup = 0\nbarrier = 0\n\
         phase = 0\nmessage_host = 0\nmessage_unit = 0\n",
    ),
    // Two counters without bounds.
    (
        "queue.prism",
        "mdp\nmodule m\n  a : int init 0;\n  b : int init 0;\n  [] true -> (a'=a+1);\n  [] true -> (b'=b+1);\nendmodule\n",
    ),
];

fn pages() -> Vec<(String, PathBuf)> {
    let folder = root().join("crates/diagnostics/codes");
    let mut pages: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .expect("the pages are there")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_stem().and_then(|s| s.to_str()).expect("a code").to_owned(), path))
        .collect();
    pages.sort();
    pages
}

/// What the program draws for the example of a page: the diagnostic with the page's code.
fn drawn(code: &str, page: &str) -> Result<String, String> {
    let blocks = blocks(page);
    let find = |language: &str| blocks.iter().find(|b| b.language() == language).map(|b| b.text(page));
    let mut folder = FILES.iter().fold(Folder::new(), |folder, (name, text)| folder.file(name, text));
    if let Some(text) = find("prism") {
        folder = folder.file("model.prism", text);
    }
    if let Some(text) = find("promela") {
        folder = folder.file("model.pml", text);
    }
    if let Some(text) = find("lotos") {
        folder = folder.file("model.lotos", text);
    }
    for (language, file) in EXPLICIT.into_iter().chain(KERNELS).chain(PIPELINES) {
        if let Some(text) = find(language) {
            folder = folder.file(file, text);
        }
    }
    if let Some(text) = find("mpi") {
        folder = folder.file("model.mpi", text);
    }
    if let Some(text) = find("wks") {
        folder = folder.file("model.wks", text);
    }
    if let Some(text) = find("wctl") {
        folder = folder.file("formula.wctl", text);
    }
    if let Some(text) = find("json") {
        folder = folder.file("model.json", text);
    }
    if let Some(text) = find("wccs") {
        folder = folder.file("model.wccs", text);
    }
    if let Some(text) = find("exp") {
        folder = folder.file("model.exp", text);
    }
    if let Some(text) = find("hoa") {
        folder = folder.file("model.hoa", text);
    }
    if let Some(text) = find("props") {
        folder = folder.file("model.props", text);
    }
    let console = find("console").unwrap_or_default();
    let mut commands: Vec<&str> =
        console.lines().filter_map(|line| line.strip_prefix("$ volvelle ")).collect();
    // The message is that of the last command; the others make the files that it reads.
    let command = commands.pop();
    for command in commands {
        let words = words(command);
        folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let command = command.map_or_else(
        || {
            if let Some((_, file)) = EXPLICIT.iter().find(|(language, _)| find(language).is_some()) {
                return format!("info {file}");
            }
            if KERNELS.iter().any(|(language, _)| find(language).is_some()) {
                "tune kernel.cl --platform devices.toml --size 64 --parameters WG"
            } else if find("lotos").is_some() {
                "explore model.lotos"
            } else if find("promela").is_some() {
                "check model.pml"
            } else if find("props").is_some() {
                "check model.prism model.props"
            } else {
                "explore model.prism"
            }
            .to_owned()
        },
        str::to_owned,
    );
    let words = words(&command);
    let run = folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let start = [format!("error[{code}]"), format!("warning[{code}]"), format!("note[{code}]")];
    let block = run.err.split("\n\n").find(|b| start.iter().any(|s| b.starts_with(s.as_str())));
    let block = block.ok_or_else(|| format!("$ volvelle {command}\n{}{}", run.out, run.err))?;
    // The way to the page itself is left out, and the line that leads to it.
    let mut lines: Vec<&str> = block.lines().map(str::trim_end).collect();
    if lines.last().is_some_and(|l| l.trim_start().starts_with("= explain: ")) {
        lines.pop();
        if lines.last().is_some_and(|l| l.trim() == "|") {
            lines.pop();
        }
    }
    Ok(lines.iter().map(|l| format!("{l}\n")).collect())
}

/// Whether two drawings differ in nothing but how far a limit let a run come.
fn same(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let lines = text.lines().map(|line| match line.contains(" so far") {
            true => line.replace(|c: char| c.is_ascii_digit() || c == ',', ""),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>()
    };
    plain(one) == plain(other)
}

fn drawing(page: &str) -> Option<Block> {
    blocks(page).into_iter().find(|b| b.language() == "text")
}

#[test]
fn examples_give_what_they_show() {
    let all: Vec<_> = pages().into_iter().collect();
    let (first, second) = all.split_at(all.len() / 2);
    let wrong = std::thread::scope(|scope| {
        let second = scope.spawn(|| wrong_among(second));
        wrong_among(first) + &second.join().expect("the thread ends")
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is wrong with the examples of some pages.
fn wrong_among(pages: &[(String, PathBuf)]) -> String {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = String::new();
    for (code, path) in pages {
        if ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == code.as_str()) {
            continue;
        }
        let page = std::fs::read_to_string(path).expect("a page");
        let Some(block) = drawing(&page) else {
            wrong += &format!("{code}: nothing is drawn\n");
            continue;
        };
        match drawn(code, &page) {
            Ok(found) if same(&found, block.text(&page)) => {}
            Ok(found) => {
                wrong += &format!("{code}\n{}+++ found\n{found}\n", block.text(&page));
                if bless {
                    let page = replaced(&page, &[(block.range, found)]);
                    std::fs::write(path, page).expect("the page can be written");
                }
            }
            Err(found) => {
                wrong += &format!(
                    "{code}: the example does not give it\n{}+++ found\n{found}\n",
                    block.text(&page)
                )
            }
        }
    }
    wrong
}
