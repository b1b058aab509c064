//! Operators of linear temporal logic in the spelling of other tools (SPIN, LTSmin), as tokens of the PRISM language.
//!
//! | written | read |
//! |---|---|
//! | `[]` | `G` |
//! | `<>` | `F` |
//! | `&&` | `&` |
//! | <code>&#124;&#124;</code> | <code>&#124;</code> |
//! | `->` | `=>` |
//! | `<->` | `<=>` |
//!
//! Tokens are replaced, not text: what stands in quotes stays as it is, and each token lies where it was written.

use super::{Keyword, Token, TokenKind};

/// The same tokens, with these operators in the spelling of the PRISM language. Only tokens that touch each other are one
/// operator, so that `[ ]` is none.
pub fn respelt(tokens: &[Token]) -> Vec<Token> {
    let mut respelt = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let [first, behind @ ..] = rest {
        let (token, behind) = match (operator(*first, behind.first().copied()), behind) {
            (Some(kind), [second, behind @ ..]) => (Token { kind, end: second.end, ..*first }, behind),
            _ if first.kind == TokenKind::Arrow => (Token { kind: TokenKind::Implies, ..*first }, behind),
            _ => (*first, behind),
        };
        respelt.push(token);
        rest = behind;
    }
    respelt
}

/// The operator that two tokens are.
fn operator(first: Token, second: Option<Token>) -> Option<TokenKind> {
    use TokenKind as T;
    let second = second.filter(|second| second.start == first.end)?;
    Some(match (first.kind, second.kind) {
        (T::LeftBracket, T::RightBracket) => T::Keyword(Keyword::G),
        (T::Lt, T::Gt) => T::Keyword(Keyword::F),
        (T::And, T::And) => T::And,
        (T::Or, T::Or) => T::Or,
        (T::Lt, T::Arrow) => T::Iff,
        _ => return None,
    })
}
