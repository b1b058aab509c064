//! What fixes change, against string surgery that is slow and obvious.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use volvelle_diagnostics::{Diagnostic, Edit, FileId, Fix, Sources, Span, applied, codes, nearest};

fn one_text(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::new();
    let file = sources.add("a", text);
    (sources, file)
}

/// `‹` and `›` mark what is under the caret.
#[track_caller]
fn check(marked: &str, fix: impl Fn(Span) -> Fix, expected: &str) {
    let start = marked.find('‹').expect("a mark");
    let text = marked.replacen('‹', "", 1);
    let end = text.find('›').expect("a mark");
    let text = text.replacen('›', "", 1);
    let (sources, file) = one_text(&text);
    let fix = fix(Span::new(file, start, end));
    let found = applied(&sources, &[&fix]).text(&sources, file).unwrap_or(text);
    assert_eq!(found, expected);
}

#[test]
fn kinds_of_edits() {
    check("a = ‹b› + c", |span| Fix::replace("", span, "x"), "a = x + c");
    check("a = ‹b› + c", |span| Fix::before("", span, "!"), "a = !b + c");
    check("a = ‹b› + c", |span| Fix::behind("", span, ";"), "a = b; + c");
    check("a = ‹b › + c", |span| Fix::remove("", span), "a = + c".replace("= +", "=  +").as_str());
    check("a = ‹b + c›", |span| Fix::around("", span, "(", ")"), "a = (b + c)");
    check("a = ‹›", |span| Fix::around("", span, "(", ")"), "a = ()");
}

/// A span may be wider than the name. Without the name, or with two of them, nothing is changed.
#[test]
fn words_under_a_caret() {
    let word = |span| Fix::instead(span, "srepp", "srep");
    check("F ‹srepp› > 1", word, "F srep > 1");
    check("F ‹\"srepp\"› > 1", word, "F \"srep\" > 1");
    check("‹#srepp(srepper, psrepp)›", word, "#srep(srepper, psrepp)");
    check("‹Srepp›", word, "srep");
    check("‹SREPP srepp›", word, "SREPP srep");
    check("‹srepp + srepp›", word, "srepp + srepp");
    check("‹strepp›", word, "strepp");
    check("‹›srepp", word, "srepp");
    check("‹ä+srepp›ö", word, "ä+srepö");
    check("‹a›", |span| Fix::instead(span, "", "b"), "a");
}

/// A diagnostic about another text than the one that is there.
#[test]
fn places_that_are_not_there() {
    let (sources, file) = one_text("äb");
    for (start, end) in [(0, 1), (1, 2), (2, 9), (7, 9), (3, 2)] {
        let fix = Fix::replace("", Span::new(file, start, end), "x");
        assert_eq!(fix.edits(&sources), [], "{start}..{end}");
        assert_eq!(applied(&sources, &[&fix]).is_applied, [false]);
    }
    assert_eq!(Fix::replace("", Span::new(FileId(7), 0, 0), "x").edits(&sources), []);
    assert_eq!(applied(&sources, &[]).text(&sources, FileId(7)), None);
}

#[test]
fn several_edits_are_apart() {
    let edit = |start, end| Edit { span: Span::new(FileId(0), start, end), text: format!("<{start},{end}>") };
    assert_eq!(Fix::several("", []), None);
    assert_eq!(Fix::several("", [edit(2, 4), edit(0, 3)]), None);
    assert_eq!(Fix::several("", [edit(2, 2), edit(2, 2)]), None);
    let (sources, file) = one_text("abcdef");
    let fix = Fix::several("", [edit(2, 4), edit(0, 2), edit(2, 2), edit(4, 4)]).expect("apart");
    let text = applied(&sources, &[&fix]).text(&sources, file);
    assert_eq!(text.as_deref(), Some("<0,2><2,2><2,4><4,4>ef"));
}

/// The label and the fix come from one look at the names.
#[test]
fn misspelt_names() {
    let (sources, file) = one_text("x = rqueue;");
    let span = Span::new(file, 4, 10);
    let error = || Diagnostic::error(codes::UNKNOWN_NAME, "unknown");
    let shown = error().at_misspelt(span, "rqueue", ["queue", "x"]);
    assert_eq!(shown.primary.as_ref().map(|label| label.text.as_str()), Some("did you mean `queue`?"));
    assert_eq!((shown.fixes[0].title(), shown.fixes[0].is_certain()), ("write `queue`", true));
    assert_eq!(applied(&sources, &[&shown.fixes[0]]).text(&sources, file).as_deref(), Some("x = queue;"));
    let helped = error().at(span, "").misspelt_or("rqueue", ["queue"], || "declare it".to_owned());
    assert_eq!((helped.helps, helped.fixes), (vec!["did you mean `queue`?".to_owned()], shown.fixes));
    let other = error().at(span, "").misspelt_or("rqueue", ["y"], || "declare it".to_owned());
    assert_eq!((other.helps, other.fixes), (vec!["declare it".to_owned()], vec![]));
    let nothing = error().at_misspelt(span, "rqueue", ["y"]).misspelt("rqueue", ["y"]);
    assert_eq!(nothing, error().at(span, ""));
    let without_place = error().misspelt("rqueue", ["queue"]);
    assert_eq!((without_place.helps.len(), without_place.fixes.len()), (1, 0));
}

#[test]
fn what_is_certain() {
    let certain =
        |name: &str, known: &[&str]| nearest(name, known.iter().copied()).map(|near| near.is_certain);
    assert_eq!(certain("queu", &["queue", "quux"]), Some(true));
    assert_eq!(certain("queu", &["queue", "queue"]), Some(true), "the same name twice");
    assert_eq!(certain("queu", &["queue", "quet"]), Some(false), "two are as near");
    assert_eq!(certain("queu", &["quet", "queue"]), Some(false), "two are as near");
    assert_eq!(certain("QUEUE", &["queue", "queues"]), Some(true), "case alone");
    assert_eq!(certain("QUEUE", &["queue", "Queue"]), Some(false));
    assert_eq!(certain("queueab", &["queue"]), Some(false), "two letters");
    assert_eq!(certain("p1x", &["p2x"]), Some(false), "another number");
    assert_eq!(certain("ab", &["ac"]), Some(false), "half of the name");
    assert_eq!(certain("queue", &["x"]), None);
}

/// Fixes of one text: what is replaced by what.
fn fixes() -> impl Strategy<Value = Vec<Vec<(usize, usize, String)>>> {
    let edit = (0_usize..14, 0_usize..4, "[a-c]{0,2}").prop_map(|(at, long, text)| (at, at + long, text));
    proptest::collection::vec(proptest::collection::vec(edit, 1..3), 0..6)
}

fn are_apart((a, b): (usize, usize), (c, d): (usize, usize)) -> bool {
    (a, b) != (c, d) && (b <= c || d <= a)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn applied_as_by_hand(given in fixes(), text in "[a-zä]{0,14}") {
        let (sources, file) = one_text(&text);
        let made: Vec<Fix> = given
            .iter()
            .filter_map(|edits| {
                let edits = edits.iter().map(|(start, end, text)| Edit {
                    span: Span::new(file, *start, *end),
                    text: text.clone(),
                });
                Fix::several("", edits)
            })
            .collect();
        let asked: Vec<&Fix> = made.iter().collect();
        let found = applied(&sources, &asked);
        // By hand: a fix counts if it lies in the text, apart from all before; then from the back to the front.
        let mut taken: Vec<(usize, usize, String)> = Vec::new();
        let mut is_taken = Vec::new();
        for edits in given.iter().filter(|edits| {
            edits.len() == 1 || are_apart((edits[0].0, edits[0].1), (edits[1].0, edits[1].1))
        }) {
            let fits = edits.iter().all(|(start, end, _)| {
                text.is_char_boundary(*start)
                    && text.is_char_boundary(*end)
                    && taken.iter().all(|(c, d, _)| are_apart((*start, *end), (*c, *d)))
            });
            is_taken.push(fits);
            if fits {
                taken.extend(edits.iter().cloned());
            }
        }
        taken.sort();
        let mut expected = text.clone();
        for (start, end, new) in taken.iter().rev() {
            expected.replace_range(start..end, new);
        }
        prop_assert_eq!(&found.is_applied, &is_taken);
        prop_assert_eq!(found.text(&sources, file).unwrap_or(text.clone()), expected);
        prop_assert_eq!(found.text(&sources, file).is_some(), !taken.is_empty());
        prop_assert_eq!(applied(&sources, &asked), found);
    }
}
