//! Texts near those of a language: what fuzzers find first, without a build of their own.

/// Decisions of the mutations: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// Pieces of a text as long as a lexer would cut them, so that mutations stay near the language.
fn pieces(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for window in chars.windows(2) {
        let ((_, a), (at, b)) = (window[0], window[1]);
        if class(a) != class(b) || class(a) == 2 {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

const STRANGE: &[&str] =
    &["", "0", "-1", "2147483648", "1e400", "(", ")", "[", "\"", "'", "∞", "\u{0}", "min", ";;"];

/// A text with a few pieces removed, doubled, exchanged, or replaced by those of another text.
fn mutated(text: &str, other: &str, random: &mut Random) -> String {
    let mut all: Vec<&str> = pieces(text);
    let others = pieces(other);
    for _ in 0..1 + random.below(4) {
        let at = random.below(all.len());
        match random.below(6) {
            0 => all[at] = "",
            1 => all.insert(at, random.pick(STRANGE)),
            2 => all[at] = random.pick(&others),
            3 => all.insert(at, random.pick(&others)),
            4 => {
                let with = random.below(all.len());
                all.swap(at, with);
            }
            _ => all.truncate(at + 1),
        }
    }
    all.concat()
}

/// Every text, then `count` mutations of each.
pub fn each(texts: &[String], count: usize, check: impl Fn(&str)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for text in texts {
        check(text);
        for _ in 0..count {
            let other = random.below(texts.len());
            check(&mutated(text, &texts[other], &mut random));
        }
    }
}
