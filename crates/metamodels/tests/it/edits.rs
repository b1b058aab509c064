//! Texts that are cut or damaged.

use volvelle_random::Random;

/// So many damaged texts of each text.
const EDITS: usize = 6;

/// Texts with something cut, left out or doubled.
pub fn edited(text: &str, seed: u64) -> Vec<String> {
    let mut random = Random(seed);
    let mut all = Vec::new();
    for _ in 0..EDITS {
        let mut at = |below: usize| {
            let mut at = random.below(below + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (one, two) = (at(text.len()), at(text.len()));
        let (from, to) = (one.min(two), one.max(two));
        let word_end = text[from..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |end| from + end);
        let behind = text[word_end..].chars().next().map_or(word_end, |c| word_end + c.len_utf8());
        all.push(text[..from].to_owned());
        all.push(format!("{}{}", &text[..from], &text[behind..]));
        all.push(format!("{}{}", &text[..from], &text[to..]));
        all.push(format!("{}{}{}", &text[..behind], &text[from..behind], &text[behind..]));
    }
    all
}
