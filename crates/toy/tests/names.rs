//! What an editor is told about the names of a model and its questions.

use volvelle_diagnostics::FileId;
use volvelle_symbols::{Completion, Index, Indexed, Kind, Part, Role, Text, complete};
use volvelle_toy::{Tally, lower, parse};

const COINS: &str = include_str!("../models/coins.tally");
const QUESTIONS: &str = "# By hand: 3/10.\nchance of rich\nchance of rich within 7\n";

fn texts<'t>(model: &'t str, questions: &'t str) -> [Text<'t>; 2] {
    let text = |number, name, text, part| Text { file: FileId(number), name, text, part };
    [text(0, "coins.tally", model, Part::Model), text(1, "coins.props", questions, Part::Properties)]
}

fn written<'t>(texts: &[Text<'t>; 2], span: volvelle_diagnostics::Span) -> &'t str {
    &texts[span.file.0 as usize].text[span.start as usize..span.end as usize]
}

#[test]
fn symbols_and_where_they_are_used() {
    let texts = texts(COINS, QUESTIONS);
    let index = Tally.index(&texts);
    let find = |name: &str| index.symbols.iter().position(|symbol| symbol.name == name).expect("a symbol");
    let (coins, rich) = (find("coins"), find("rich"));
    assert_eq!((index.symbols[coins].kind, index.symbols[rich].kind), (Kind::Variable, Kind::Label));
    let roles = |number: usize, role: Role| {
        let all = index.occurrences.iter().filter(|found| found.symbol.0 as usize == number);
        all.filter(|found| found.role == role).count()
    };
    assert_eq!((roles(coins, Role::Declares), roles(coins, Role::Writes)), (1, 2));
    assert_eq!(roles(rich, Role::Reads), 2);
    assert!(index.occurrences.iter().all(|found| {
        let symbol = index.symbol(found.symbol);
        written(&texts, found.span) == symbol.name
    }));
}

/// Each reference misspelt is an unknown name for lowering, and the index does not know it either.
#[test]
fn names_mean_what_lowering_says() {
    let index = Tally.index(&texts(COINS, QUESTIONS));
    let uses = |index: &Index| index.occurrences.iter().filter(|found| found.role != Role::Declares).count();
    for found in index.occurrences.iter().filter(|found| found.role != Role::Declares) {
        let mut changed = [COINS.to_owned(), QUESTIONS.to_owned()];
        let range = found.span.start as usize..found.span.end as usize;
        changed[found.span.file.0 as usize].replace_range(range, "unknown");
        let (model, _) = parse::model(FileId(0), &changed[0]);
        let (questions, _) = parse::questions(FileId(1), &changed[1]);
        let (_, mut errors) = lower::lower(&model);
        errors.extend(questions.iter().filter_map(|question| lower::property(&model, question, "").err()));
        let places: Vec<_> =
            errors.iter().filter_map(|error| Some(error.primary.as_ref()?.span.start)).collect();
        assert_eq!(places, [found.span.start], "{errors:?}");
        assert_eq!(uses(&Tally.index(&texts(&changed[0], &changed[1]))), uses(&index) - 1);
    }
}

#[test]
fn what_may_stand_at_a_place() {
    let offered = |model: &str, questions: &str| {
        let file = FileId(u32::from(questions.contains('|')));
        let offset = if file.0 == 1 { questions.find('|') } else { model.find('|') }.expect("a place") as u32;
        let (model, questions) = (model.replace('|', ""), questions.replace('|', ""));
        let texts = texts(&model, &questions);
        let index = Tally.index(&texts);
        let found = complete(&Tally, &index, &texts, file, offset, usize::MAX);
        let shown = |found: Completion| found.candidates.iter().map(|one| one.shown.to_string()).collect();
        found.map_or(Vec::new(), shown)
    };
    assert_eq!(offered(&format!("{COINS}rule more: |"), ""), ["coins"]);
    assert_eq!(offered(COINS, "chance of |"), ["poor", "rich"]);
    assert_eq!(offered(COINS, "chance of r|"), ["poor", "rich"]);
    assert!(offered("# |", "").is_empty() && offered("counter |", "").is_empty());
}

/// Whatever is left of the texts has tokens and names that lie in it, in order.
#[test]
fn no_beginning_of_a_text_makes_it_panic() {
    let text = format!("{COINS}# é\ngoal ü: coins = 99999999999\r\n");
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        let index = Tally.index(&texts(&text[..end], &text[end..]));
        let ends: Vec<_> = index.tokens.iter().map(|token| (token.span.file, token.span.end)).collect();
        assert!(ends.is_sorted());
    }
}
