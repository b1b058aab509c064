//! Kinds of tokens, declared with their spelling.

use crate::lexicon::Lexicon;
use crate::scan;
use std::fmt::Debug;

/// Kinds of tokens of which some have one spelling. [`kinds!`](crate::kinds) implements it.
pub trait Spelt: Copy + Eq + Debug + 'static {
    /// The text of tokens of this kind, where it is always the same.
    fn spelling(self) -> Option<&'static str>;

    /// Whether it is text that is no token.
    fn is_flaw(self) -> bool;

    /// Whether it is a reserved word.
    fn is_word(self) -> bool;
}

/// A language: its kinds of tokens, and how they are found in a text.
pub trait Language: Spelt {
    /// The tables.
    const LEXICON: &'static Lexicon<Self>;

    /// The number whose first digit, or point before a digit, is at a place: its kind and its end. By default digits.
    #[inline]
    fn number(bytes: &[u8], at: usize) -> (Self, usize) {
        (Self::LEXICON.number(), scan::digits(bytes, at))
    }

    /// What begins with one of [`Rules::others`](crate::Rules::others), with its end: a token, or trivia of no kind. `None` leaves it to
    /// the tables.
    #[inline]
    fn other(text: &str, at: usize) -> Option<(Option<Self>, usize)> {
        let _ = (text, at);
        None
    }

    /// The end of text that begins no token. By default that is one character.
    fn unknown(text: &str, at: usize) -> usize {
        scan::character(text, at)
    }
}

/// Declares the kinds of tokens of a language, and the macro `T!` that names those with one spelling: `T![";"]`, also in patterns.
///
/// The sections are, in this order: kinds of many spellings; `flaws`, kinds of text that is no token; `symbols`, in any order: the
/// longest is found; and the reserved `words`. Where words are to have a type of their own, they are `words Keyword(enum Name)`, and
/// kinds `Keyword(Name::…)`.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])* $vis:vis enum $kind:ident { $($(#[$plain_meta:meta])* $plain:ident),* $(,)? }
        flaws { $($(#[$flaw_meta:meta])* $flaw:ident),* $(,)? }
        symbols { $($symbol:ident $symbol_text:tt),* $(,)? }
        words { $($word:ident $word_text:tt),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "symbols and words are named by their spelling")]
        $vis enum $kind {
            $($(#[$plain_meta])* $plain,)* $($(#[$flaw_meta])* $flaw,)* $($symbol,)* $($word,)*
        }
        $crate::kinds!(@tables $kind [$($flaw)*] [$($symbol $symbol_text)*] [$($word_text ($kind::$word))*]);
    };
    (
        $(#[$meta:meta])* $vis:vis enum $kind:ident { $($(#[$plain_meta:meta])* $plain:ident),* $(,)? }
        flaws { $($(#[$flaw_meta:meta])* $flaw:ident),* $(,)? }
        symbols { $($symbol:ident $symbol_text:tt),* $(,)? }
        words $variant:ident($(#[$words_meta:meta])* enum $words:ident) {
            $($word:ident $word_text:tt),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "symbols and words are named by their spelling")]
        $vis enum $kind {
            $($(#[$plain_meta])* $plain,)* $($(#[$flaw_meta])* $flaw,)* $($symbol,)* $variant($words),
        }
        $(#[$words_meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "words are named by their spelling")]
        $vis enum $words { $($word,)* }

        impl $words {
            /// Its spelling.
            $vis fn text(self) -> &'static str {
                match self {
                    $($words::$word => $word_text,)*
                }
            }
        }
        $crate::kinds!(
            @tables $kind [$($flaw)*] [$($symbol $symbol_text)*] [$($word_text ($kind::$variant($words::$word)))*]
        );
    };
    (@tables $kind:ident [$($flaw:ident)*] [$($symbol:ident $symbol_text:tt)*] [$($word_text:tt ($($word:tt)*))*]) => {
        impl $kind {
            /// The symbols with their spelling.
            pub const SYMBOLS: &'static [(&'static str, Self)] = &[$(($symbol_text, $kind::$symbol)),*];
            /// The reserved words with their spelling.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word_text, $($word)*)),*];
        }

        impl $crate::Spelt for $kind {
            fn spelling(self) -> Option<&'static str> {
                match self {
                    $($kind::$symbol => Some($symbol_text),)*
                    $($($word)* => Some($word_text),)*
                    _ => None,
                }
            }

            #[inline]
            fn is_flaw(self) -> bool {
                match self {
                    $($kind::$flaw => true,)*
                    _ => false,
                }
            }

            #[inline]
            fn is_word(self) -> bool {
                match self {
                    $($($word)* => true,)*
                    _ => false,
                }
            }
        }

        #[allow(unused_macros, reason = "kinds are named by their variants as well")]
        macro_rules! T {
            $([$symbol_text] => { $kind::$symbol };)*
            $([$word_text] => { $($word)* };)*
        }
        #[allow(unused_imports, reason = "kinds are named by their variants as well")]
        pub(crate) use T;
    };
}
