use serde_json::Value as Json;
use std::collections::BTreeMap;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_n4js::{Syntax, system};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Answer, Reply};
use volvelle_trees::Slot;

#[derive(Default, Clone, Copy)]
struct Count {
    met: usize,
    all: usize,
}

fn main() {
    let verbose: Vec<String> = std::env::args().skip(1).collect();
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/rules/n4js-dev");
    let mut base = Sources::new();
    let mut found = Vec::new();
    let loaded = system::load(&mut base, Syntax::Current, &mut found).expect("rules");
    let judgment = loaded.judgment("typed").unwrap();
    let declarable = loaded.language.classes().find("Declarable").unwrap();
    let expression = loaded.language.classes().find("Expression").unwrap();
    let mut table: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut codes: BTreeMap<String, Count> = BTreeMap::new();
    let mut false_rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let start = std::time::Instant::now();
    for path in files {
        let chapter = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for line in std::fs::read_to_string(&path).unwrap().lines().skip(1) {
            let case: Json = serde_json::from_str(line).unwrap();
            let id = case["id"].as_str().unwrap();
            if verbose.iter().any(|v| v.starts_with("ch") || v.starts_with("types"))
                && !verbose.iter().any(|v| id.starts_with(v.as_str()))
            {
                continue;
            }
            let text = case["text"].as_str().unwrap();
            let mut sources = base.clone();
            let file = sources.add(id, text);
            let program = loaded.read(&sources, file);
            let limits = || Limits { bytes: 1 << 30, stop: &|| false };
            let report = loaded.check(&sources, &program, limits(), true);
            // Offsets in characters.
            let mut chars = vec![0usize; text.len() + 1];
            let mut n = 0;
            for (at, c) in text.char_indices() {
                for b in at..at + c.len_utf8() {
                    chars[b] = n;
                }
                n += 1;
            }
            chars[text.len()] = n;
            let units = |at: u32| chars[at as usize];
            let errors: Vec<(usize, usize, String)> = report
                .findings
                .iter()
                .filter(|f| f.diagnostic.severity == Severity::Error)
                .filter_map(|f| {
                    let span = f.diagnostic.primary.as_ref()?.span;
                    if span.file != file {
                        println!("{id}: BROKE {} {:?}", f.diagnostic.message, sources.line_column(span));
                        return None;
                    }
                    Some((
                        units(span.start),
                        units(span.end),
                        format!("{} [{}]", f.diagnostic.message, f.rule.clone().unwrap_or("form".into())),
                    ))
                })
                .collect();
            for expect in case["expect"].as_array().unwrap() {
                let kind = expect["kind"].as_str().unwrap();
                let (met, why) = match kind {
                    "errors" | "noerrors" => {
                        let (from, to) = (
                            expect["from"].as_u64().unwrap() as usize,
                            expect["to"].as_u64().unwrap() as usize,
                        );
                        let own: Vec<_> = errors.iter().filter(|e| from <= e.0 && e.0 < to).collect();
                        let at: Vec<(usize, usize, String)> = expect["at"]
                            .as_array()
                            .map(|a| {
                                a.iter()
                                    .map(|x| {
                                        (
                                            x[0].as_u64().unwrap() as usize,
                                            x[1].as_u64().unwrap() as usize,
                                            x[2].as_str().unwrap().to_owned(),
                                        )
                                    })
                                    .collect()
                            })
                            .unwrap_or_default();
                        let touch = |a: usize, b: usize, c: usize, d: usize| a.max(c) <= b.min(d);
                        let met = at.iter().all(|x| own.iter().any(|e| touch(x.0, x.1, e.0, e.1)))
                            && own.iter().all(|e| at.iter().any(|x| touch(x.0, x.1, e.0, e.1)));
                        for x in &at {
                            let hit = own.iter().any(|e| touch(x.0, x.1, e.0, e.1));
                            let c = codes.entry(x.2.rsplit('.').next().unwrap().to_owned()).or_default();
                            c.all += 1;
                            c.met += usize::from(hit);
                        }
                        for e in &own {
                            if !at.iter().any(|x| touch(x.0, x.1, e.0, e.1)) {
                                *false_rules
                                    .entry(e.2.rsplit('[').next().unwrap().to_owned())
                                    .or_default() += 1;
                            }
                        }
                        let cut = |a: usize, b: usize| text.chars().skip(a).take(b - a).collect::<String>();
                        (
                            met,
                            format!(
                                "want {:?} have {:?}\n      {}",
                                at.iter().map(|x| format!("{}@{}", x.2, cut(x.0, x.1))).collect::<Vec<_>>(),
                                own.iter().map(|e| format!("{}@{}", e.2, cut(e.0, e.1))).collect::<Vec<_>>(),
                                cut(from, to).trim().replace('\n', "\n      ")
                            ),
                        )
                    }
                    "type" => {
                        let at = expect["at"].as_u64().unwrap() as usize;
                        let end = at + expect["len"].as_u64().unwrap() as usize;
                        let classes = loaded.language.classes();
                        let mut entries = Vec::new();
                        for node in program.tree.nodes().skip(program.first.index()) {
                            let class = program.tree.class(node);
                            let mut span = program.tree.span(node);
                            if classes.is_kind(class, declarable) {
                                let field = classes.find_field("name").unwrap();
                                if program.tree.field(classes, node, field) == Slot::Nothing {
                                    if !classes.is_kind(class, expression) {
                                        continue;
                                    }
                                } else {
                                    span = program.tree.slot_span(node, classes.place(class, field).unwrap());
                                }
                            } else if !classes.is_kind(class, expression) {
                                continue;
                            }
                            let (a, b) = (units(span.start), units(span.end));
                            if a <= at && at < b {
                                entries.push((a, b, node));
                            }
                        }
                        let pick = entries
                            .iter()
                            .filter(|e| e.1 <= end)
                            .max_by_key(|e| e.1 - e.0)
                            .or_else(|| entries.iter().min_by_key(|e| e.1 - e.0));
                        let got = match pick {
                            Some(&(.., node)) => {
                                match loaded.ask(&sources, &program, judgment, node, limits(), true).0 {
                                    Reply::Holds(answers) => match &answers[0] {
                                        Answer::Text(t) => t.clone(),
                                        o => format!("{o:?}"),
                                    },
                                    Reply::Fails(f) => format!("FAILS {}", f.diagnostic.message),
                                    Reply::Stopped(w) => format!("STOPPED {w}"),
                                }
                            }
                            None => "no entry".into(),
                        };
                        let strip = |t: &str| t.split_whitespace().collect::<String>();
                        let want = expect["type"].as_str().unwrap();
                        (
                            strip(&got) == strip(want),
                            format!(
                                "want {want} have {got} at {:?}",
                                text.chars().skip(at).take(end - at).collect::<String>()
                            ),
                        )
                    }
                    _ => continue,
                };
                let count = table.entry((chapter.clone(), kind.to_owned())).or_default();
                count.all += 1;
                count.met += usize::from(met);
                if !met && verbose.iter().any(|v| v == "-v" || *v == format!("-{kind}")) {
                    println!("{id} {kind}: {why}");
                }
            }
        }
    }
    let mut sums: BTreeMap<String, Count> = BTreeMap::new();
    for ((chapter, kind), count) in &table {
        println!(
            "{chapter} {kind:<9} {:>4}/{:<4} {:.1} %",
            count.met,
            count.all,
            100. * count.met as f64 / count.all as f64
        );
        let sum = sums.entry(kind.clone()).or_default();
        sum.met += count.met;
        sum.all += count.all;
    }
    for (kind, count) in sums {
        println!(
            "all  {kind:<9} {:>4}/{:<4} {:.1} %",
            count.met,
            count.all,
            100. * count.met as f64 / count.all as f64
        );
    }
    if verbose.iter().any(|v| v == "-c") {
        let mut codes: Vec<_> = codes.into_iter().filter(|c| c.1.met < c.1.all).collect();
        codes.sort_by_key(|c| c.1.met as i64 - c.1.all as i64);
        for (code, c) in codes.iter().take(60) {
            println!("{:>4}/{:<4} {code}", c.met, c.all);
        }
    }
    let mut f: Vec<_> = false_rules.into_iter().collect();
    f.sort_by_key(|f| std::cmp::Reverse(f.1));
    for (r, n) in f.iter().take(20) {
        println!("false {n} {r}");
    }
    println!("{:?}", start.elapsed());
}
