//! Tokens of LOTOS (ISO 8807, section 6.1): words, numbers and signs. Case has no meaning.
//!
//! Comments are `(* ... *)`; one that begins with `(*!` is a directive of the CADP dialect, and belongs to the token before it.

use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_syntax::{BlockComment, Language, Lexer, Lexicon, Quote, Rules, Spelt, Unicode, kinds, scan};

/// A token and where it stands.
pub type Token = volvelle_syntax::Token<Kind>;

kinds! {
    /// A kind of token.
    pub enum Kind {
        /// An identifier, or digits.
        Name,
        /// The name of an operation made of special characters.
        Operation,
        /// The end of the text.
        End,
    }
    flaws { Unknown, Quoted, OpenQuote, OpenComment }
    symbols {
        Interleaving "|||", Parallel "||", OpenSync "|[", CloseSync "]|", Disable "[>", Choice "[]",
        OpenBracket "[", CloseBracket "]", Open "(", Close ")", Define ":=", Semicolon ";", Colon ":",
        Comma ",", Bang "!", Question "?", Place "_", Equal "=", Implies "=>", Arrow "->", Enable ">>",
    }
    words {
        Accept "ACCEPT", ActualizedBy "ACTUALIZEDBY", Any "ANY", Behavior "BEHAVIOR", Behaviour "BEHAVIOUR",
        ChoiceOf "CHOICE", EndLib "ENDLIB", EndProc "ENDPROC", EndSpec "ENDSPEC", EndType "ENDTYPE",
        Eqns "EQNS", Exit "EXIT", For "FOR", ForAll "FORALL", FormalEqns "FORMALEQNS",
        FormalOpns "FORMALOPNS", FormalSorts "FORMALSORTS", Hide "HIDE", In "IN", Is "IS", Let "LET",
        Library "LIBRARY", NoExit "NOEXIT", Of "OF", OfSort "OFSORT", OpnNames "OPNNAMES", Opns "OPNS",
        Par "PAR", Process "PROCESS", RenamedBy "RENAMEDBY", SortNames "SORTNAMES", Sorts "SORTS",
        Specification "SPECIFICATION", Stop "STOP", Type "TYPE", Using "USING", Where "WHERE",
    }
}

/// Characters of which names of operations are made.
const SPECIAL: &[u8] = b"#%&*+-./<=>@\\^~{}$";

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        // `x_` is no name: the underscore is a place of an operation.
        joins: b"_",
        ignores_case: true,
        unicode: Unicode::Blanks,
        block_comment: Some(BlockComment::new("(*", "*)", Kind::OpenComment)),
        quotes: &[
            Quote::new(b'"', Kind::Quoted, Kind::OpenQuote),
            Quote::new(b'\'', Kind::Quoted, Kind::OpenQuote),
        ],
        others: b"_#%&*+-./<=>@\\^~{}$",
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Name, Kind::Unknown, Kind::End)
    });

    /// Words may begin with digits.
    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        let end = scan::word(bytes, at);
        (Kind::Name, end - bytes[at..end].iter().rev().take_while(|byte| **byte == b'_').count())
    }

    /// The longest run of special characters; but `->` ends it. A comment may follow without a blank only behind `(`, which is no such
    /// character.
    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        let rest = &text.as_bytes()[at..];
        if rest[0] == b'_' {
            return Some((Some(T!["_"]), at + 1));
        }
        let mut length = rest.iter().take_while(|byte| SPECIAL.contains(byte)).count();
        if let Some(arrow) = rest[..length].windows(2).position(|pair| pair == b"->").filter(|&at| at > 0) {
            length = arrow;
        }
        let kind = match &rest[..length] {
            b"=" => T!["="],
            b"=>" => T!["=>"],
            b"->" => T!["->"],
            b">>" => T![">>"],
            _ => Kind::Operation,
        };
        Some((Some(kind), at + length))
    }
}

/// The next token. `is_in_sync` is kept from one to the next: whether `|[` is open.
pub fn next(lexer: &mut Lexer<'_, Kind>, is_in_sync: &mut bool) -> Token {
    let mut token = lexer.next();
    match token.kind {
        T!["|["] => *is_in_sync = true,
        // Outside of `|[ ... ]|` it is `]` before another operator.
        T!["]|"] if !*is_in_sync => {
            (token.kind, token.end) = (T!["]"], token.start + 1);
            lexer.jump(token.end as usize);
        }
        T!["]|"] => *is_in_sync = false,
        Kind::OpenQuote => {
            token.end = token.start + 1;
            lexer.jump(token.end as usize);
        }
        _ => {}
    }
    token
}

/// The tokens of a text; the last one is [`Kind::End`].
pub(crate) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 3);
    let mut lexer = Lexer::new(text);
    let mut is_in_sync = false;
    loop {
        let token = next(&mut lexer, &mut is_in_sync);
        if token.kind.is_flaw() {
            diagnostics.push(flaw(file, text, token));
            if token.is(Kind::Quoted) {
                // A value in its place, so that nothing else is missed there.
                tokens.push(Token { kind: Kind::Name, ..token });
            }
            continue;
        }
        tokens.push(token);
        if token.is(Kind::End) {
            return tokens;
        }
    }
}

fn flaw(file: FileId, text: &str, token: Token) -> Diagnostic {
    let message = match token.kind {
        Kind::OpenComment => "the comment has no end `*)`".to_owned(),
        _ => format!("`{}` has no meaning here", token.text(text)),
    };
    let diagnostic = Diagnostic::error(codes::LOTOS_SYNTAX, message).at(token.span(file), "");
    if !token.is(Kind::Quoted) {
        return diagnostic;
    }
    diagnostic
        .note("LOTOS has no characters and strings")
        .help("declare constants for them: type T is sorts TEXT opns HELLO, BYE : -> TEXT endtype")
}

/// The text of a token, in upper case; that of the value in place of what is in quotes.
pub(crate) fn spelt(text: &str) -> String {
    if text.starts_with(['"', '\'']) { "0".to_owned() } else { text.to_ascii_uppercase() }
}

/// The words of the directives in what stands between two tokens, in upper case.
pub(crate) fn directives(mut trivia: &str) -> Vec<String> {
    let mut words = Vec::new();
    while let Some((_, comment)) = trivia.split_once("(*") {
        let (inside, behind) = comment.split_once("*)").unwrap_or((comment, ""));
        if let Some(directive) = inside.strip_prefix('!') {
            let parts =
                directive.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            words.extend(parts.map(str::to_ascii_uppercase));
        }
        trivia = behind;
    }
    words
}
