//! Tables of a language, made when it is compiled.

/// How the tokens of a language look.
pub struct Rules<K: 'static> {
    /// Symbols, of up to four bytes.
    pub symbols: &'static [(&'static str, K)],
    /// Further spellings of symbols and words, of the same form.
    pub aliases: &'static [(&'static str, K)],
    /// Reserved words, up to 127.
    pub words: &'static [(&'static str, K)],
    /// Words that are not reserved.
    pub name: K,
    /// Digits, unless [`Language::number`](crate::Language::number) says more.
    pub number: K,
    /// Characters that begin no token.
    pub unknown: K,
    /// Behind the last token.
    pub end: K,
    /// Characters within words besides letters and digits; words begin with a letter or `_`.
    pub inside: &'static [u8],
    /// Those of them that do not end a word.
    pub joins: &'static [u8],
    /// Whether words are the same in lower and in upper case; they are declared in upper case.
    pub ignores_case: bool,
    /// Whether a point before a digit begins a number.
    pub point: bool,
    /// What is beyond ASCII.
    pub unicode: Unicode,
    /// Beginnings of comments to the end of the line.
    pub line_comments: &'static [&'static str],
    /// Comments with an end.
    pub block_comment: Option<BlockComment<K>>,
    /// Texts in quotes.
    pub quotes: &'static [Quote<K>],
    /// First bytes of what [`Language::other`](crate::Language::other) finds, before all tables.
    pub others: &'static [u8],
}

/// Which characters beyond ASCII belong to a language outside of quotes and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unicode {
    /// None.
    Nothing,
    /// White space.
    Blanks,
    /// White space, and letters and digits in words.
    Words,
}

/// Comments with an end.
#[derive(Clone, Copy)]
pub struct BlockComment<K> {
    /// Their beginning.
    pub open: &'static str,
    /// Their end.
    pub close: &'static str,
    /// Whether they nest.
    pub nests: bool,
    /// The kind of the beginning of one without an end.
    pub endless: K,
}

/// Texts in quotes.
#[derive(Clone, Copy)]
pub struct Quote<K> {
    /// The quote, at both ends.
    pub mark: u8,
    /// The kind of such a text, with its quotes.
    pub kind: K,
    /// The kind of one that ends too early.
    pub open: K,
    /// Whether a character behind a backslash is part of the text.
    pub escapes: bool,
    /// Whether it may go over several lines.
    pub lines: bool,
}

impl<K: Copy> BlockComment<K> {
    /// Comments that do not nest.
    pub const fn new(open: &'static str, close: &'static str, endless: K) -> Self {
        BlockComment { open, close, nests: false, endless }
    }
}

impl<K: Copy> Quote<K> {
    /// Texts on one line, without escapes.
    pub const fn new(mark: u8, kind: K, open: K) -> Self {
        Quote { mark, kind, open, escapes: false, lines: false }
    }

    /// The same with escapes.
    pub const fn escaped(mark: u8, kind: K, open: K) -> Self {
        Quote { escapes: true, ..Self::new(mark, kind, open) }
    }
}

impl<K: Copy> Rules<K> {
    /// Words of letters, digits and `_`, numbers of digits; no comments and no quotes.
    pub const fn new(
        symbols: &'static [(&'static str, K)],
        words: &'static [(&'static str, K)],
        name: K,
        number: K,
        unknown: K,
        end: K,
    ) -> Self {
        Rules {
            symbols,
            aliases: &[],
            words,
            name,
            number,
            unknown,
            end,
            inside: b"_",
            joins: &[],
            ignores_case: false,
            point: false,
            unicode: Unicode::Nothing,
            line_comments: &[],
            block_comment: None,
            quotes: &[],
            others: &[],
        }
    }
}

/// What a byte may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Blank,
    Line,
    Word,
    Digit,
    Symbol,
    Quote,
    /// A comment, a symbol, a point before a digit, or something of the language's own.
    Several,
    /// The first byte of a character beyond ASCII.
    Beyond,
    Unknown,
}

/// A symbol as the bytes of a word of the machine, of which a mask says which count.
#[derive(Clone, Copy)]
pub(crate) struct Symbol<K> {
    pub mask: u32,
    pub bytes: u32,
    pub length: u8,
    pub kind: K,
}

const MOST_SYMBOLS: usize = 64;
const BUCKETS: usize = 256;

/// The tables of a language.
pub struct Lexicon<K: 'static> {
    pub(crate) rules: Rules<K>,
    pub(crate) classes: [Class; 256],
    /// Whether a byte may stand within a word.
    pub(crate) inside: [bool; 256],
    /// By first byte, longer ones before shorter ones.
    pub(crate) symbols: [Symbol<K>; MOST_SYMBOLS],
    /// The range of the symbols with a first byte.
    pub(crate) first: [(u8, u8); 256],
    /// Numbers of words from 1, by their hash; 0 where there is none.
    buckets: [u8; BUCKETS],
    longest: usize,
}

impl<K: Copy> Lexicon<K> {
    /// The tables of these rules.
    ///
    /// # Panics
    /// When it is compiled: too many symbols or words, or too long ones.
    pub const fn new(rules: Rules<K>) -> Self {
        let nothing = Symbol { mask: 0, bytes: 0, length: 0, kind: rules.unknown };
        let mut lexicon = Lexicon {
            classes: [Class::Unknown; 256],
            inside: [false; 256],
            symbols: [nothing; MOST_SYMBOLS],
            first: [(0, 0); 256],
            buckets: [0; BUCKETS],
            longest: 0,
            rules,
        };
        lexicon.sort_symbols();
        lexicon.classify();
        lexicon.hash_words();
        lexicon
    }

    pub(crate) const fn number(&self) -> K {
        self.rules.number
    }

    const fn sort_symbols(&mut self) {
        let (given, aliases) = (self.rules.symbols, self.rules.aliases);
        assert!(given.len() + aliases.len() <= MOST_SYMBOLS, "too many symbols");
        let (mut byte, mut next) = (0, 0);
        while byte < 256 {
            let from = next;
            let mut length = 4;
            while length > 0 {
                let mut at = 0;
                while at < given.len() + aliases.len() {
                    let (text, kind) = if at < given.len() { given[at] } else { aliases[at - given.len()] };
                    let spelling = text.as_bytes();
                    assert!(spelling.len() <= 4, "a symbol is too long");
                    if spelling.len() == length && spelling[0] as usize == byte {
                        self.symbols[next] = symbol(spelling, kind);
                        next += 1;
                    }
                    at += 1;
                }
                length -= 1;
            }
            self.first[byte] = (from as u8, next as u8);
            byte += 1;
        }
    }

    const fn classify(&mut self) {
        let mut byte = 0;
        while byte < 256 {
            let first = byte as u8;
            let is_word = first.is_ascii_alphabetic() || first == b'_';
            self.inside[byte] = first.is_ascii_alphanumeric() || contains(self.rules.inside, first);
            let is_symbol = self.first[byte].0 < self.first[byte].1;
            self.classes[byte] = match first {
                _ if self.begins_several(first) => Class::Several,
                b'\n' => Class::Line,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Blank,
                b'0'..=b'9' => Class::Digit,
                _ if is_symbol => Class::Symbol,
                0x80..=0xff => Class::Beyond,
                _ if is_word => Class::Word,
                _ if self.quote(first).is_some() => Class::Quote,
                _ => Class::Unknown,
            };
            byte += 1;
        }
    }

    const fn begins_several(&self, first: u8) -> bool {
        let mut found = contains(self.rules.others, first) || self.rules.point && first == b'.';
        let mut at = 0;
        while at < self.rules.line_comments.len() {
            found |= self.rules.line_comments[at].as_bytes()[0] == first;
            at += 1;
        }
        if let Some(comment) = &self.rules.block_comment {
            found |= comment.open.as_bytes()[0] == first;
        }
        found
    }

    pub(crate) const fn quote(&self, mark: u8) -> Option<&'static Quote<K>> {
        let mut at = 0;
        while at < self.rules.quotes.len() {
            if self.rules.quotes[at].mark == mark {
                return Some(&self.rules.quotes[at]);
            }
            at += 1;
        }
        None
    }

    const fn hash_words(&mut self) {
        let words = self.rules.words;
        assert!(words.len() < 128, "too many words");
        let mut at = 0;
        while at < words.len() {
            let word = words[at].0.as_bytes();
            let mut bucket = hash(word, self.rules.ignores_case);
            while self.buckets[bucket] != 0 {
                bucket = (bucket + 1) % BUCKETS;
            }
            self.buckets[bucket] = at as u8 + 1;
            if word.len() > self.longest {
                self.longest = word.len();
            }
            at += 1;
        }
    }

    /// The kind of a word that is not empty: reserved, or a name.
    #[inline]
    pub fn word(&self, text: &[u8]) -> K {
        if text.len() > self.longest {
            return self.rules.name;
        }
        let mut bucket = hash(text, self.rules.ignores_case);
        loop {
            let Some(number) = (self.buckets[bucket] as usize).checked_sub(1) else { return self.rules.name };
            let (word, kind) = self.rules.words[number];
            let is_same = match self.rules.ignores_case {
                true => word.as_bytes().eq_ignore_ascii_case(text),
                false => word.as_bytes() == text,
            };
            if is_same {
                return kind;
            }
            bucket = (bucket + 1) % BUCKETS;
        }
    }
}

const fn symbol<K>(spelling: &[u8], kind: K) -> Symbol<K> {
    let (mut mask, mut bytes, mut at) = (0, 0, 0);
    while at < spelling.len() {
        mask |= 0xff << (8 * at);
        bytes |= (spelling[at] as u32) << (8 * at);
        at += 1;
    }
    Symbol { mask, bytes, length: spelling.len() as u8, kind }
}

/// A bucket for a word that is not empty, by its length and three of its bytes.
#[inline]
const fn hash(word: &[u8], ignores_case: bool) -> usize {
    let case = if ignores_case { 0x20 } else { 0 };
    let last = word.len() - 1;
    let first = (word[0] | case) as usize;
    let middle = (word[word.len() / 2] | case) as usize;
    let last = (word[last] | case) as usize;
    (word.len() * 29 + first * 7 + middle * 13 + last * 3) % BUCKETS
}

const fn contains(bytes: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}
