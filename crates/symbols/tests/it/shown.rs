//! Indices as text, and what holds for each.

use volvelle_diagnostics::{FileId, Span};
use volvelle_symbols::{Index, Indexed, Part, Role, Text, TokenKind, named};

/// The index of some texts, numbered from 0, with everything checked that must hold whatever they say.
pub fn checked(language: &str, texts: &[&str]) -> Index {
    let index = indexed(language).index(&numbered(language, texts));
    check(language, &index, texts);
    index
}

/// A language by its name, behind which may stand the ending of its texts: `wks:wccs`.
pub fn indexed(language: &str) -> &'static dyn Indexed {
    let name = language.split(':').next().unwrap_or(language);
    named(name).expect("the language has an index")
}

/// The model first, then files of properties, or texts that are included by the names `t1`, `t2`, ….
pub fn numbered<'t>(language: &str, texts: &[&'t str]) -> Vec<Text<'t>> {
    const NAMES: &[&str] = &["t1", "t2", "t3"];
    let part = |number: usize| match number {
        0 => Part::Model,
        _ if language == "prism" => Part::Properties,
        _ => Part::Included,
    };
    let text = |(number, text): (usize, &&'t str)| {
        let name = match number.checked_sub(1) {
            Some(0) if language == "lotos" => "t1.lib",
            Some(0) if language == "mpi" => "t1.mpi",
            Some(0) if language == "rules" => "t1.grammar",
            Some(1) if language == "rules" => "t2.rules",
            Some(number) => NAMES.get(number).copied().unwrap_or("more"),
            None if language == "rules:grammar" => "model.grammar",
            None if language == "wks:wccs" => "model.wccs",
            None if language == "mpi:mpi" => "model.mpi",
            None => "model",
        };
        Text { file: FileId(number as u32), name, text, part: part(number) }
    };
    texts.iter().enumerate().map(text).collect()
}

/// Places lie in the texts, between characters; tokens and occurrences are in order and apart; each occurrence is a token with the name
/// of its symbol; tokens leave out nothing but blanks.
fn check(language: &str, index: &Index, texts: &[&str]) {
    let text_of = |span: Span| {
        let text = texts.get(span.file.0 as usize).unwrap_or_else(|| panic!("{span:?}"));
        text.get(span.start as usize..span.end as usize).unwrap_or_else(|| panic!("{span:?} in {text}"))
    };
    let mut last = Span { file: FileId(0), start: 0, end: 0 };
    let mut between = |span: Span, may_be_missing: bool| {
        let mut from = last;
        while from.file < span.file {
            let rest = &texts[from.file.0 as usize][from.end as usize..];
            assert!(may_be_missing || is_blank(rest), "{rest:?} is no token");
            from = Span { file: FileId(from.file.0 + 1), start: 0, end: 0 };
        }
        assert!(from.end <= span.start && span.start < span.end, "{last:?} {span:?}");
        let gap = text_of(Span { file: span.file, start: from.end, end: span.start });
        assert!(
            may_be_missing || is_blank(gap),
            "{language}: {gap:?} is no token in {:?}",
            texts[span.file.0 as usize]
        );
        last = span;
    };
    for token in &index.tokens {
        text_of(token.span);
        between(token.span, false);
    }
    if let Some(rest) = texts.last()
        && index.tokens.last().is_none_or(|token| token.span.file.0 as usize + 1 < texts.len())
    {
        assert!(is_blank(rest), "{language}: {rest:?} has no tokens");
    }
    let mut tokens = index.tokens.iter();
    let mut end = (FileId(0), 0);
    for occurrence in &index.occurrences {
        let span = occurrence.span;
        assert!(end <= (span.file, span.start), "{occurrence:?} overlaps the one before");
        end = (span.file, span.end);
        let token = tokens.find(|token| token.span == span).expect("an occurrence is a token");
        let symbol = index.symbol(occurrence.symbol);
        assert_eq!(token.kind, TokenKind::Name(symbol.kind), "{symbol:?}");
        // In a study names have quotes of both kinds, and parameters braces.
        let signs: &[char] = match language {
            "mpi" | "mpi:mpi" => &['"', '\'', '{', '}'],
            "kernel" => &['`'],
            _ => &['"'],
        };
        let written = text_of(span).trim_matches(signs).trim();
        let name =
            if language.starts_with("mpi") { symbol.name.trim_matches(signs).trim() } else { &symbol.name };
        assert!(written.eq_ignore_ascii_case(name), "{written} {symbol:?}");
        let found = index.at(span.file, span.start).expect("it is found where it stands");
        assert_eq!(found.span, span);
    }
    for symbol in &index.symbols {
        assert!(!symbol.detail.contains('\n'), "{symbol:?}");
        if let Some(container) = symbol.container {
            assert!((container.0 as usize) < index.symbols.len());
        }
        let (Some(span), Some(whole)) = (symbol.span, symbol.whole) else {
            assert!(symbol.span.is_none() && symbol.whole.is_none(), "{symbol:?}");
            continue;
        };
        text_of(span);
        text_of(whole);
        assert_eq!(span.file, whole.file);
        assert!(whole.start <= span.start && span.end <= whole.end, "{symbol:?}");
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(['\u{feff}', '\\'])
        .chars()
        .all(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '\u{feff}'))
}

/// A line for each symbol, in the order of their declarations: its detail, kind and container, and the words where it stands with their
/// line numbers. `=` declares, `!` writes.
pub fn names(index: &Index, texts: &[&str]) -> String {
    let mut lines: Vec<((u32, u32), String)> = Vec::new();
    for (number, symbol) in index.symbols.iter().enumerate() {
        let uses: Vec<String> = index
            .occurrences
            .iter()
            .filter(|occurrence| occurrence.symbol.0 as usize == number)
            .map(|occurrence| {
                let span = occurrence.span;
                let text = texts[span.file.0 as usize];
                let line = text[..span.start as usize].matches('\n').count() + 1;
                let mark = match occurrence.role {
                    Role::Declares => "=",
                    Role::Reads => "",
                    Role::Writes => "!",
                };
                let file = if span.file.0 > 0 { format!("{}:", span.file.0) } else { String::new() };
                format!("{file}{line}{mark}")
            })
            .collect();
        let within = symbol.container.map_or(String::new(), |c| format!(" in {}", index.symbol(c).name));
        let place = symbol.span.map_or((u32::MAX, 0), |span| (span.file.0, span.start));
        if symbol.span.is_some() || !uses.is_empty() {
            lines.push((place, format!("{:?}{within} `{}`: {}", symbol.kind, symbol.detail, uses.join(" "))));
        }
    }
    lines.sort();
    lines.iter().map(|(_, line)| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Checks [`names`] of texts against lines, which may be indented.
pub fn expect(language: &str, texts: &[&str], expected: &str) {
    let found = names(&checked(language, texts), texts);
    let lines: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, lines.join("\n"), "found:\n{found}\n");
}
