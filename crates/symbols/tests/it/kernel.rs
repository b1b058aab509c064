//! What the index says of kernels, and that it is what their parser says.

use crate::models::{Texts, examples};
use crate::names::{Case, Outcome};
use crate::shown::{checked, expect};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_kernel::text::{PieceKind, parse_with_places, pieces};
use volvelle_symbols::{Kind, TokenKind};

#[test]
fn declarations_and_their_uses() {
    expect(
        "kernel",
        &["kernel step(bound: i64, `for`: u64) {
    buffer states: read u64; buffer succ: append u64;
    site @0: overflow, tag 17;
    local i: u64; local states: i64; local at: u32;
    let $0 = bound *@0 3i64;
    machine i in len(states)..`for` at at { block 0 { goto 1; } block 1 { states = states[i] as bits i64; break; } }
    if states < $0 { emit succ, (states *@0 3i64) as u64; }
    take at, states[i]; copy succ, states[min(i, `for`); 4]; truncate succ, 0u64; fail @0;
}
kernel other(bound: i64) { bound = 1i64; i = bound; }"],
        "Kernel `kernel step(bound: i64, `for`: u64)`: 1=
        Parameter in step `bound: i64`: 1= 5
        Parameter in step ``for`: u64`: 1= 6 8
        Buffer in step `buffer states: read u64`: 2= 6 6 8 8
        Buffer in step `buffer succ: append u64`: 2= 7! 8! 8!
        Location in step `site @0: overflow, tag 17`: 3= 5 7 8
        Variable in step `local i: u64`: 4= 6! 6 8 8
        Variable in step `local states: i64`: 4= 6! 7 7
        Variable in step `local at: u32`: 4= 6 8!
        Formula in step `let $0 = bound *@0 3i64`: 5= 7
        Location in step `block 0`: 6=
        Location in step `block 1`: 6 6=
        Kernel `kernel other(bound: i64)`: 10=
        Parameter in other `bound: i64`: 10= 10! 10",
    );
}

/// Words that are names elsewhere.
#[test]
fn words_by_their_places() {
    let text = "kernel read(at: u64) { buffer tag: write u8; site @0: range, tag 1; local bits: f64;
        bits = f64.bits(1) + at as bits f64 + f64.inf; machine at in at..(at) at 0u32 { block 1 { } } tag[at] = min(1u8, 2u8); }";
    let index = checked("kernel", &[text]);
    let words = index.tokens.iter().filter(|token| token.kind == TokenKind::Keyword);
    let shown: Vec<&str> =
        words.map(|token| &text[token.span.start as usize..token.span.end as usize]).collect();
    let expected = "kernel u64 buffer write u8 site range tag local f64 f64 bits as bits f64 f64 inf machine in at block min";
    assert_eq!(shown.join(" "), expected);
}

/// Tokens are those of the lexer that the parser has, in each file and in each beginning of it.
#[test]
fn tokens_are_those_of_the_parser() {
    for model in examples("kernel", &["vk"]) {
        let text = model.texts[0].as_str();
        for end in (0..=text.len()).rev().step_by(97).filter(|&end| text.is_char_boundary(end)) {
            let cut = &text[..end];
            let index = checked("kernel", &[cut]);
            let found: Vec<(usize, usize)> = index
                .tokens
                .iter()
                .map(|token| (token.span.start as usize, token.span.end as usize))
                .collect();
            let expected: Vec<(usize, usize)> = pieces(cut)
                .iter()
                .map(|piece| match piece.kind {
                    PieceKind::Comment => {
                        (piece.start, piece.start + cut[piece.start..piece.end].trim_end().len())
                    }
                    _ => (piece.start, piece.end),
                })
                .collect();
            assert_eq!(found, expected, "{}", model.name);
        }
    }
}

fn outcome(texts: &[String]) -> Outcome {
    let text = texts[0].as_str();
    let (kernels, errors) = parse_with_places(text);
    let tokens = pieces(text);
    let diagnostics = errors.iter().map(|error| {
        let is_unknown = error.message.starts_with("there is no local `")
            || error.message.starts_with("there is no buffer `");
        let code = if is_unknown { codes::UNKNOWN_NAME } else { codes::KERNEL_SYNTAX };
        let end = tokens.iter().find(|token| token.start == error.at).map_or(error.at, |token| token.end);
        let span = Span { file: FileId(0), start: error.at as u32, end: end as u32 };
        Diagnostic::error(code, error.message.clone()).at(span, "")
    });
    let diagnostics: Vec<Diagnostic> = diagnostics.collect();
    let shape = kernels.iter().flat_map(|located| {
        let kernel = located.kernel.canonical();
        [kernel.params, kernel.locals.len(), kernel.buffers.len(), kernel.sites.len(), kernel.exprs.len()]
    });
    Outcome { is_read: diagnostics.is_empty(), shape: Some(shape.collect()), diagnostics }
}

#[test]
fn names_mean_what_the_parser_says() {
    let mut tried = [0; 2];
    let right = |model: &Texts| outcome(&model.texts).is_read;
    for model in examples("kernel", &["vk"]).into_iter().filter(right) {
        let case = Case::of("kernel", model, outcome);
        // What an error of a kernel hides is no unknown name.
        tried[0] += case.misspelt_references(&[Kind::Variable, Kind::Parameter, Kind::Buffer], |_| true);
        tried[1] += case.renamed_symbols(|_, symbol| {
            // Two of one name, as the verifier's tests have them, cannot be told apart.
            let is_alone = case
                .ids()
                .filter(|(_, other)| other.name == symbol.name && other.container == symbol.container)
                .count()
                == 1;
            is_alone && !matches!(symbol.kind, Kind::Location | Kind::Formula) && !symbol.name.contains(' ')
        });
    }
    assert!(tried.iter().all(|&count| count > 100), "{tried:?}");
}
