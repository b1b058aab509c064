//! Brackets that are open.

use crate::token::T;

/// An opening bracket whose closing one was not found yet.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// Its number among the tokens.
    pub token: u32,
    kind: T,
    /// Whether `/` behind the closing one begins a regular expression.
    pub before_regex: bool,
}

/// How many open brackets are asked whether one of them is closed by `)` or `]`.
const MOST_ASKED: usize = 32;

/// From the outermost to the innermost.
#[derive(Default)]
pub(crate) struct Brackets {
    open: Vec<Open>,
}

impl Brackets {
    /// A bracket opens behind two tokens.
    pub fn opened(&mut self, kind: T, token: u32, [before_last, last]: [T; 2]) {
        let before_regex = match kind {
            T::Open => {
                before_last != T::Dot && matches!(last, T::If | T::While | T::For | T::With)
                    || last == T::Await && before_last == T::For
            }
            // A block; where an operand is wanted, it is an object.
            T::OpenBrace => {
                use T::{Arrow, Close, CloseBrace, Do, Else, Finally, OpenBrace, Semicolon, Try};
                last.ends_operand()
                    || matches!(
                        last,
                        Semicolon | Close | OpenBrace | CloseBrace | Arrow | Else | Do | Try | Finally
                    )
            }
            _ => false,
        };
        self.open.push(Open { token, kind, before_regex });
    }

    /// A bracket closes: the one that it belongs to. Those within that are not closed are forgotten.
    pub fn closed(&mut self, kind: T) -> Option<Open> {
        let is_brace = |open: &Open| !matches!(open.kind, T::Open | T::OpenBracket);
        let found = if kind == T::CloseBrace {
            self.open.iter().rposition(is_brace)
        } else {
            let wanted = if kind == T::Close { T::Open } else { T::OpenBracket };
            let within = self.open.iter().rev().take(MOST_ASKED).take_while(|open| !is_brace(open));
            within
                .enumerate()
                .find(|(_, open)| open.kind == wanted)
                .map(|(back, _)| self.open.len() - 1 - back)
        };
        match found {
            Some(at) => {
                let open = self.open[at];
                self.open.truncate(at);
                Some(open)
            }
            None => {
                // No brace is open: the other brackets that are will not be closed.
                if kind == T::CloseBrace {
                    self.open.clear();
                }
                None
            }
        }
    }

    /// Whether `}` here ends what is within `${` and `}`.
    pub fn is_in_template(&self) -> bool {
        let brace = self.open.iter().rev().find(|open| !matches!(open.kind, T::Open | T::OpenBracket));
        brace.is_some_and(|open| open.kind != T::OpenBrace)
    }
}
