//! What may stand at a place: whatever names are used in models is offered where they are used, though the text is broken there.

use crate::models::{self, Texts};
use crate::shown::{checked, indexed, numbered};
use volvelle_diagnostics::FileId;
use volvelle_random::Random;
use volvelle_symbols::{Candidate, Completion, Fit, Role, complete};

/// The languages, with the endings of their models and the variable that names the folder of published ones.
const LANGUAGES: &[(&str, &[&str], &str)] = &[
    ("prism", &["prism", "sm", "nm", "pm"], "VOLVELLE_CORPUS"),
    ("promela", &["pml"], "VOLVELLE_PROMELA_CORPUS"),
    ("lotos", &["lotos"], "VOLVELLE_LOTOS_CORPUS"),
    ("mcl", &["mcl"], "VOLVELLE_MCL_CORPUS"),
    ("kernel", &["vk"], "VOLVELLE_KERNEL_CORPUS"),
    ("mpi:mpi", &["mpi"], "VOLVELLE_MPI_CORPUS"),
    ("network", &["exp"], "VOLVELLE_NETWORK_CORPUS"),
    ("wks", &["wks"], "VOLVELLE_WKS_CORPUS"),
    ("wks:wccs", &["wccs"], "VOLVELLE_WKS_CORPUS"),
];

/// The names and words that are offered at a place, the best first.
fn completed(language: &str, texts: &[String], file: usize, offset: usize) -> Vec<(String, Fit)> {
    let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
    let texts = numbered(language, &refs);
    let language = indexed(language);
    let index = language.index(&texts);
    let found = complete(language, &index, &texts, FileId(file as u32), offset as u32, usize::MAX);
    assert!(found.iter().all(|found| !found.is_incomplete));
    let candidates = found.into_iter().flat_map(|found| found.candidates);
    candidates.map(|candidate| (candidate.shown.into_owned(), candidate.fit)).collect()
}

/// Takes names out of a model, or all but their first letters; each has to be offered there. Returns how many were, and those that were not.
fn missed(language: &str, model: &Texts, most: usize, random: &mut Random) -> (usize, Vec<String>) {
    let refs: Vec<&str> = model.texts.iter().map(String::as_str).collect();
    let index = checked(language, &refs);
    // Operators are typed, not completed.
    let is_word = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let used = index.occurrences.iter().filter(|one| one.role != Role::Declares);
    let mut used: Vec<_> = used.filter(|one| is_word(&index.symbol(one.symbol).name)).collect();
    while used.len() > most {
        used.swap_remove(random.below(used.len()));
    }
    let mut missed = Vec::new();
    for one in &used {
        let name = &index.symbol(one.symbol).name;
        let file = one.span.file.0 as usize;
        let whole = &model.texts[file];
        let (mut start, mut end) = (one.span.start as usize, one.span.end as usize);
        if whole[start..].starts_with('"') {
            (start, end) = (start + 1, end - 1);
        }
        let first = whole[start..end].chars().next().map_or(0, char::len_utf8);
        let kept = if random.below(2) == 0 { 0 } else { first };
        let mut texts = model.texts.clone();
        texts[file].replace_range(start + kept..end, "");
        let found = completed(language, &texts, file, start + kept);
        let is_it = |shown: &str| match language {
            "lotos" => shown.eq_ignore_ascii_case(name),
            _ => shown == name,
        };
        if !found.iter().any(|(shown, _)| is_it(shown)) {
            let line = whole[..start].matches('\n').count() + 1;
            let text = whole.lines().nth(line - 1).unwrap_or("").trim();
            missed.push(format!("{}:{line}: `{name}` in `{text}` (kept {kept})", model.name));
        }
    }
    (used.len(), missed)
}

/// At least this share of the names is offered, and all but a few of each model.
fn offered(language: &str, models: &[Texts], most: usize) {
    let mut random = Random(7);
    let (mut all, mut not) = (0, Vec::new());
    for model in models {
        let (asked, missed) = missed(language, model, most, &mut random);
        all += asked;
        not.extend(missed);
    }
    assert!(not.len() * 200 <= all, "{} of {all}:\n{}", not.len(), not.join("\n"));
}

#[test]
fn names_are_offered_where_they_are_used() {
    for (language, endings, _) in LANGUAGES {
        offered(language, &models::examples(language, endings), 40);
    }
}

#[test]
fn corpus() {
    for (language, endings, variable) in LANGUAGES {
        let models = models::published(variable, language, endings);
        if !models.is_empty() {
            offered(language, &models, 12);
        }
    }
}

/// The names and words that are offered at `‹›`, the best first.
fn shown(language: &str, texts: &[&str]) -> Vec<(String, Fit)> {
    let file = texts.iter().position(|text| text.contains("‹›")).expect("a place");
    let offset = texts[file].find("‹›").unwrap();
    let texts: Vec<String> = texts.iter().map(|text| text.replace("‹›", "")).collect();
    completed(language, &texts, file, offset)
}

/// Of many candidates those are offered that begin with what is typed, and of these the ones that fit best: the same that are left of all of
/// them.
#[test]
fn the_best_of_many() {
    let mut random = Random(11);
    for (language, endings, _) in LANGUAGES {
        for model in models::examples(language, endings) {
            let refs: Vec<&str> = model.texts.iter().map(String::as_str).collect();
            let texts = numbered(language, &refs);
            let language = indexed(language);
            let index = language.index(&texts);
            for _ in 0..20 {
                let token = index.tokens[random.below(index.tokens.len())].span;
                let offset = token.start + random.below((token.end - token.start) as usize + 1) as u32;
                let most = random.below(12);
                let at_most = |most| complete(language, &index, &texts, token.file, offset, most);
                let Some(Completion { replaces, candidates: all, .. }) = at_most(usize::MAX) else {
                    assert_eq!(at_most(most), None);
                    continue;
                };
                assert!(all.is_sorted_by_key(|one| (one.fit, one.shown.clone())), "{}", model.name);
                let typed = texts[token.file.0 as usize].text.get(replaces.start as usize..offset as usize);
                let typed = typed.unwrap_or("").to_ascii_lowercase();
                let begins = |one: &&Candidate| one.shown.to_ascii_lowercase().starts_with(&typed);
                let few = at_most(most).expect("there are some");
                let expected: Vec<_> = match all.len() <= most {
                    true => all.iter().collect(),
                    false => all.iter().filter(begins).take(most).collect(),
                };
                assert_eq!(few.candidates.iter().collect::<Vec<_>>(), expected, "{} {offset}", model.name);
                assert_eq!(few.is_incomplete, expected.len() < all.len());
            }
        }
    }
}

/// Those that fit best, with blanks between them.
fn best(language: &str, texts: &[&str]) -> String {
    let all = shown(language, texts).into_iter().filter(|(_, fit)| *fit == Fit::Best);
    all.map(|(shown, _)| shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn places_in_prism_models() {
    const BEFORE: &str = "mdp\nconst int N = 3;\nconst bool fast = true;\nformula full = x=N;\nglobal g : bool;\n\
        module a\n  x : [0..N];\n  on : bool;\n  [go] x<N -> (x'=x+1);\nendmodule\n\
        module b\n  y : [0..N];\n";
    const BEHIND: &str = "\nendmodule\nlabel \"done\" = x=N;\nrewards \"time\" true : 1; endrewards\n";
    for (line, expected) in [
        ("[‹›", "go"),
        ("[g‹›] true -> true;", "go"),
        ("[] ‹›", "fast full g on x y"),
        ("[] x=N & ‹›", "fast full g on x y"),
        ("[] x<‹›", "N full x y"),
        ("[] g=‹›", "fast full g on x y"),
        ("[] true -> (‹›", "y"),
        ("[] true -> ‹›", "N full x y"),
        ("[] true -> (y'=‹›", "N full x y"),
        ("[] true -> (g'=‹›", "fast full g on x y"),
        ("[] true -> (y'=0) & (‹›", "y"),
        ("z : [0..‹›", "N full"),
        ("z : ‹›", "[..] bool clock"),
        ("z : [0..N] ‹›", "init"),
        ("z : [0..N] init ‹›", "N full"),
        ("// ‹›", ""),
        ("/* ‹› */", ""),
        ("[] \"‹›", "deadlock done init"),
        ("[] x=1‹›", ""),
        ("[] x ‹›", ""),
    ] {
        assert_eq!(best("prism", &[&format!("{BEFORE}{line}{BEHIND}")]), expected, "{line}");
    }
    for (text, expected) in [
        ("‹›", "ctmc dtmc ma mdp pomdp pta smg"),
        ("mdp\nconst ‹›", "bool double int"),
        ("mdp\nconst int N = ‹›;\nconst int M = 1;", "M N"),
        ("mdp\nconst int ‹›", ""),
        ("mdp\nmodule ‹›", ""),
        ("mdp\nmodule a x : bool; endmodule\nmodule b = ‹›", "a b"),
        ("mdp\nmodule a x : bool; endmodule\nmodule c y : bool; endmodule\nmodule b = a [‹›", "x"),
        ("mdp\nlabel \"‹›\" = true;", ""),
        ("mdp\nmodule a [end1] true -> true; [‹›", "end1"),
    ] {
        assert_eq!(best("prism", &[text]), expected, "{text}");
    }
}

#[test]
fn places_in_files_of_properties() {
    const MODEL: &str = "dtmc\nconst int N;\nmodule a x : [0..3]; endmodule\nlabel \"done\" = x=3;\nrewards \"time\" true : 1; endrewards\n";
    for (line, expected) in [
        ("P=? [ F \"‹›", "deadlock done init"),
        ("P=? [ F \"d‹›one\" ]", "deadlock done init"),
        ("R{\"‹›\"}=? [ F true ]", "time"),
        ("filter(‹›", "argmax argmin avg count exists first forall max min print printall range state sum"),
        ("const ‹›", "bool double int"),
    ] {
        assert_eq!(best("prism", &[MODEL, line]), expected, "{line}");
    }
    let offered = shown("prism", &[MODEL, "P=? [ F<=T ‹›"]);
    for name in ["x", "N", "done", "P=?"] {
        assert!(offered.iter().any(|(shown, _)| shown == name), "{name} in {offered:?}");
    }
}

#[test]
fn places_in_promela() {
    const MODEL: &str = "mtype = { ping, pong };\ntypedef Pair { byte left; byte right };\nchan c = [1] of { mtype };\n\
        inline wait(t) { skip }\nproctype P(byte n) {\n  Pair pair;\n  byte count;\nagain: c!ping;\n  ‹1›\n  goto ‹2›\n}\n\
        proctype Q() {\n  byte other;\n  ‹3›\n}\ninit { ‹4› }\n";
    let at = |number: u8, typed: &str| {
        let mut text = MODEL.to_owned();
        for other in 1..=4 {
            text = text.replace(&format!("‹{other}›"), if other == number { typed } else { "" });
        }
        text
    };
    for (number, typed, expected) in [
        (1, "c!‹›", "P's"),
        (1, "pair.‹›", "left right"),
        (2, "‹›", "again"),
        (4, "run ‹›", "P Q c ping"),
        (3, "#‹›", "define"),
    ] {
        let text = at(number, typed);
        let offered = best("promela", &[&text]);
        match expected {
            "P's" => assert_eq!(offered, "c count n pair ping pong", "{typed}"),
            "P Q c ping" => assert_eq!(offered, "P Q wait", "{typed}"),
            "define" => assert!(offered.contains("define") && offered.contains("include"), "{offered}"),
            _ => assert_eq!(offered, expected, "{typed}"),
        }
    }
    let inside = shown("promela", &[&at(3, "‹›")]);
    let has = |name: &str| inside.iter().any(|(shown, _)| shown == name);
    assert!(has("other") && has("c") && has("wait") && has("do") && has("Pair"), "{inside:?}");
    assert!(!has("count") && !has("n") && !has("left") && !has("again"), "{inside:?}");
    let outside = shown("promela", &["byte x;\n‹›"]);
    assert!(outside.iter().any(|(shown, _)| shown == "proctype"), "{outside:?}");
}
