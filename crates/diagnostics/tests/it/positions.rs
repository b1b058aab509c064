//! Positions of editors and byte offsets.

use proptest::prelude::*;
use volvelle_diagnostics::PositionEncoding::{Utf8, Utf16, Utf32};
use volvelle_diagnostics::{Lines, Located, PositionEncoding, TextPosition};

const ENCODINGS: [PositionEncoding; 3] = [Utf8, Utf16, Utf32];

fn at(line: u32, character: u32) -> TextPosition {
    TextPosition { line, character }
}

fn position(text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
    Lines::of(text).position(text, offset, encoding)
}

fn offset(text: &str, position: TextPosition, encoding: PositionEncoding) -> Located {
    Lines::of(text).offset(text, position, encoding)
}

/// A letter of one byte, one of two, one of three, one of four (a pair of surrogates), and one more.
const LETTERS: &str = "aß€𝄞b";

#[test]
fn what_a_character_is_depends_on_the_encoding() {
    let ends = [0, 1, 3, 6, 10, 11];
    for (encoding, characters) in
        [(Utf8, [0, 1, 3, 6, 10, 11]), (Utf16, [0, 1, 2, 3, 5, 6]), (Utf32, [0, 1, 2, 3, 4, 5])]
    {
        for (end, character) in ends.into_iter().zip(characters) {
            assert_eq!(position(LETTERS, end, encoding), at(0, character), "{encoding:?} {end}");
            assert_eq!(
                offset(LETTERS, at(0, character), encoding),
                Located::At(end),
                "{encoding:?} {character}"
            );
        }
    }
}

#[test]
fn the_middle_of_a_character_is_told() {
    assert_eq!(offset(LETTERS, at(0, 4), Utf16), Located::Within(6));
    assert_eq!(offset(LETTERS, at(0, 2), Utf8), Located::Within(1));
    assert_eq!(offset(LETTERS, at(0, 9), Utf8), Located::Within(6));
    for inside in [2, 4, 5, 7, 8, 9] {
        let start = LETTERS.floor_char_boundary(inside);
        assert_eq!(position(LETTERS, inside, Utf8), at(0, start as u32));
    }
}

#[test]
fn lines_end_in_three_ways() {
    let text = "a\nbc\r\nd\re\r\r\n";
    let lines = Lines::of(text);
    let all: Vec<&str> = (0..lines.count()).map(|line| lines.line(text, line)).collect();
    assert_eq!(all, ["a", "bc", "d", "e", "", ""]);
    assert_eq!(lines.line(text, 99), "");
    assert_eq!(lines.end(text, 1, Utf16), at(1, 2));
    assert_eq!(lines.end(text, 99, Utf16), at(5, 0));
    for (offset, expected) in [(0, at(0, 0)), (1, at(0, 1)), (2, at(1, 0)), (4, at(1, 2)), (6, at(2, 0))] {
        assert_eq!(lines.position(text, offset, Utf16), expected, "{offset}");
    }
    assert_eq!(lines.position(text, 5, Utf16), at(1, 2), "between the carriage return and the line feed");
    assert_eq!(lines.position(text, 8, Utf16), at(3, 0), "behind a lone carriage return");
    assert_eq!(lines.position(text, text.len(), Utf16), at(5, 0));
}

#[test]
fn beyond_the_end() {
    let text = "ab\r\ncd";
    for encoding in ENCODINGS {
        assert_eq!(
            offset(text, at(0, 7), encoding),
            Located::At(2),
            "the end of the line, before what ends it"
        );
        assert_eq!(offset(text, at(1, u32::MAX), encoding), Located::At(6));
        assert_eq!(offset(text, at(2, 0), encoding), Located::Beyond(6));
        assert_eq!(offset(text, at(u32::MAX, 3), encoding), Located::Beyond(6));
        assert_eq!(position(text, 999, encoding), at(1, 2));
        assert_eq!(position("", 3, encoding), at(0, 0));
        assert_eq!(offset("", at(0, 1), encoding), Located::At(0));
    }
}

proptest! {
    /// Every place between two characters has a position of its own that leads back to it, but the one inside a line end.
    #[test]
    fn there_and_back(text in "[a\u{301}é€𝄞😀\t\r\n]{0,24}") {
        let lines = Lines::of(&text);
        for encoding in ENCODINGS {
            let mut before = None;
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                let is_inside = text[..at].ends_with('\r') && text[at..].starts_with('\n');
                let place = lines.position(&text, at, encoding);
                let back = lines.offset(&text, place, encoding);
                prop_assert_eq!(back, Located::At(at - usize::from(is_inside)));
                prop_assert!(before.is_none_or(|before| before < place || is_inside && before == place));
                before = Some(place);
            }
        }
    }

    /// A position leads somewhere inside the text, whatever it is.
    #[test]
    fn any_position(text in "[aé𝄞\r\n]{0,12}", line in 0u32..6, character in 0u32..9) {
        for encoding in ENCODINGS {
            let found = offset(&text, at(line, character), encoding).nearest();
            prop_assert!(text.is_char_boundary(found));
        }
    }
}
