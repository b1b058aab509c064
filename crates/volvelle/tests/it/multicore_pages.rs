//! Pages of `volvelle multicore --html`: the same answers as elsewhere, with pictures, lists and texts.

use crate::common::Folder;
use crate::multicore::{TRACE, examples};
use crate::pages::{measure, of_class, page, parsed, section};

const OUTCOMES: &str = "address\toutcome\n1000\t1\n1000\t0\n1008\t1\n";
const ACCESSES: &str =
    "core\toperation\taddress\tsize\n0\tstore\t80\t8\n1\tload\t80\t8\n0\tstore\t84\t4\n1\tload\t80\t4\n";

/// `12,345`
fn count(number: &serde_json::Value) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev();
    let thousands: Vec<&str> = thousands.map(|three| std::str::from_utf8(three).expect("digits")).collect();
    thousands.join(",")
}

#[test]
fn programs_have_tables_pictures_and_lists() {
    let folder = examples();
    let run = ["multicore", "quicksort.elf", "--machine", "paper-quad-8", "--const", "caches=real,perfect"];
    let run = [&run[..], &["--predictor", "gag-14,oracle", "--branches", "3"]].concat();
    let behind = ["--", "300"];
    // What is behind `--` is the program's.
    let page = page(folder.path(), &run, 0);
    let document = parsed(&page);
    let of = |id: &str| section(&document, id).unwrap_or_else(|| panic!("{id}: {page}"));
    let json = folder.run(&[&run[..], &["--json"]].concat()).exits(0).json();
    for result in json["results"].as_array().expect("results") {
        assert!(of("answers").contains(&count(&result["cycles"])), "{result}: {}", of("answers"));
        assert!(of("answers").contains(&format!("{:.3}", result["ipc"].as_f64().expect("a number"))));
        let (stack, cycles) = (&result["stack"]["busy"], &result["cycles"]);
        let busy = 100.0 * stack.as_f64().expect("a number") / cycles.as_f64().expect("a number");
        assert!(of("cycles").contains(&format!("{busy:.1} %")), "{busy}: {}", of("cycles"));
        for branch in result["branches"].as_array().expect("branches") {
            assert!(of("branches").contains(&format!("{:#x}", branch["pc"].as_u64().expect("an address"))));
        }
    }
    for bound in ["dependences", "width", "ALUs", "load/store units"] {
        assert!(of("cycles").contains(bound), "{bound}: {}", of("cycles"));
    }
    assert!(of("blocks").contains("false sharing") && of("answers").contains("exit0"), "{page}");
    assert_eq!(of_class(&document, "plot"), 2);
    assert!(of("plots").contains("Instructions per cycle") && of("plots").contains("imbalance"), "{page}");
    assert!(of("repeat").contains("volvelle multicore quicksort.elf --machine paper-quad-8"), "{page}");
    assert!(section(&document, "programs").is_none() && section(&document, "timeline").is_none(), "{page}");
    // With arguments, into a file: the screen has the same as without.
    let printed = folder.run(&[&run[..], &["--html", "p.html"], &behind].concat()).exits(0).out;
    let without = folder.run(&[&run[..], &behind].concat()).exits(0).out;
    assert_eq!(printed, without + "\n  written: p.html\n");
    assert!(folder.read("p.html").contains("--html p.html -- 300"));
}

#[test]
fn studies_have_means_and_their_texts() {
    let folder = examples().file("own.toml", "name = \"of my own\"\nbase = \"paper-dual-4\"\n");
    let study = "title = \"Does it <pay>?\"\nmachines = [\"own.toml\"]\npredictors = [\"gag-14\", \"oracle\"]\n\
                 [[program]]\nfile = \"quicksort.elf\"\narguments = [\"200\"]\n\
                 [[program]]\nfile = \"queens.elf\"\narguments = [\"5\"]\n\
                 [[reading]]\nname = \"perfect\"\nset = { caches = \"perfect\" }\n\
                 [[expected]]\nmachine = \"of my own\"\npredictor = \"gag-14\"\nipc = 2.5\n";
    let folder = folder.file("study.toml", study);
    let page = page(folder.path(), &["multicore", "study.toml", "--timeline", "5"], 0);
    let document = parsed(&page);
    let of = |id: &str| section(&document, id).unwrap_or_else(|| panic!("{id}: {page}"));
    assert!(page.contains("<h1>Does it &lt;pay&gt;?</h1>"), "{page}");
    let wanted = [
        "Geometric means over all programs",
        "Gain of oracle over gag-14, by program",
        "Mean IPC with gag-14, or what stands in its place, under each reading",
        "Gain of oracle, or what stands in its place, under each reading",
        "2.5",
    ];
    wanted.iter().for_each(|what| assert!(of("answers").contains(what), "{what}: {}", of("answers")));
    let json = folder.run(&["multicore", "study.toml", "--json"]).exits(0).json();
    let gain = 100.0 * json["means"][1]["gain"].as_f64().expect("a number");
    assert!(of("answers").contains(&format!("{gain:+.2} %")), "{}", of("answers"));
    assert!(of("programs").contains("quicksort, ") && of("programs").contains("queens, "), "{page}");
    assert!(of("timeline").contains("queens, perfect, of my own, oracle"), "{}", of("timeline"));
    assert!(of("model").contains("study.toml") && of("model").contains("base = \"paper-dual-4\""), "{page}");
}

#[test]
fn timelines_are_drawn_or_told() {
    let folder = Folder::new().file("t.tsv", TRACE);
    let run = ["multicore", "t.tsv", "--predictor", "oracle", "--timeline", "9"];
    let drawn = page(folder.path(), &run, 0);
    let document = parsed(&drawn);
    // All six instructions, and the legend.
    for class in ["fetched", "issued", "retired"] {
        assert_eq!(of_class(&document, class), 7, "{class}: {drawn}");
    }
    assert_eq!(of_class(&document, "timeline"), 1);
    let told = page(folder.path(), &[&run[..], &["--const", "latency.alu=1000"]].concat(), 0);
    let document = parsed(&told);
    assert_eq!(of_class(&document, "timeline"), 0, "{told}");
    assert!(section(&document, "timeline").is_some_and(|text| text.contains("complete")), "{told}");
}

#[test]
fn parts_of_the_work_have_pages() {
    let folder = examples().file("o.tsv", OUTCOMES).file("a.tsv", ACCESSES);
    let of = |words: &str, id: &str| {
        let words: Vec<&str> = std::iter::once("multicore").chain(words.split(' ')).collect();
        section(&parsed(&page(folder.path(), &words, 0)), id).unwrap_or_default()
    };
    let executed = of("matmul.elf --only program", "answers");
    let json = folder.run(&["multicore", "matmul.elf", "--only", "program", "--json"]).exits(0).json();
    let json = &json["results"][0];
    for text in [json["pc_hash"].as_str().expect("a hash"), &count(&json["mix"]["load"]), "jump"] {
        assert!(executed.contains(text), "{text}: {executed}");
    }
    let output = of("matmul.elf --only program", "output");
    assert!(output.contains(json["output"].as_str().expect("a text").trim_end()), "{output}");
    let predicted = of("matmul.elf --only predictors --branches 2", "answers");
    assert!(predicted.contains("MPKI") && !predicted.contains("IPC"), "{predicted}");
    assert!(!of("matmul.elf --only predictors --branches 2", "branches").is_empty());
    assert_eq!(
        of("matmul.elf --only predictors", "plots") + &of("matmul.elf --only predictors", "cycles"),
        ""
    );
    assert!(of("o.tsv", "answers").contains("outcomes3"), "{}", of("o.tsv", "answers"));
    assert!(of("a.tsv --const cores=2", "answers").contains("MESI"));
    assert!(
        of("a.tsv --const cores=2", "blocks").contains("0x80"),
        "{}",
        of("a.tsv --const cores=2", "blocks")
    );
}

#[test]
fn pictures_of_multicores_are_not_cut() {
    let folder = examples().file("t.tsv", TRACE);
    let machines = "paper,paper-quad-8,paper-octa-16";
    measure(&[
        (folder.path(), &["multicore", "t.tsv", "--timeline", "9", "--machine", machines], 0),
        (folder.path(), &["multicore", "quicksort.elf", "--timeline", "120", "--machine", machines], 0),
        (folder.path(), &["multicore", "small.toml"], 0),
    ]);
}
