//! Fenced blocks of Markdown pages.

use std::ops::Range;

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// What stands behind the opening fence: `prism file=queue.prism`.
    pub info: String,
    /// Bytes of its text in the page, line ends included.
    pub range: Range<usize>,
}

impl Block {
    /// The first word of the info string.
    pub fn language(&self) -> &str {
        self.info.split(' ').next().unwrap_or_default()
    }

    /// The value of `key=value` in the info string.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.info.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn text<'a>(&self, page: &'a str) -> &'a str {
        &page[self.range.clone()]
    }
}

/// The fenced blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let text = line.trim_end();
        let fence: String = text.chars().take_while(|&c| c == '`').collect();
        match &open {
            None if fence.len() >= 3 => {
                open = Some((fence.clone(), text[fence.len()..].trim().to_owned(), at + line.len()));
            }
            Some((mark, info, start)) if text == mark => {
                found.push(Block { info: info.clone(), range: *start..at });
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    found
}

/// A page with some of its blocks' texts replaced.
pub fn replaced(page: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (range, text) in changes {
        out.push_str(&page[at..range.start]);
        out.push_str(text);
        at = range.end;
    }
    out.push_str(&page[at..]);
    out
}

/// Splits a command line at spaces, as a shell does; quotation marks of both kinds hold words together.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Text with what may differ made equal: times, memory, methods, bounds on errors, the last digits of numbers, and the white
/// space that depends on their width.
pub fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = line.replace("(<1 ms)", "(TIME)");
        // How a sound answer was found is the engine's business.
        let line = line.split_inclusive("(sound)").next().unwrap_or("").to_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut i = 0;
        let mut shown: Vec<String> = Vec::new();
        while i < words.len() {
            let number = words[i].trim_start_matches(['(', '<']);
            let unit = words.get(i + 1).map_or("", |u| u.trim_end_matches([')', ',']));
            if number.parse::<f64>().is_ok() && ["ms", "s", "min", "h"].contains(&unit) {
                shown.push(format!("TIME{}", &words[i + 1][unit.len()..]));
                i += 2;
            } else if ["\"seconds\":", "\"bytes\":", "\"method\":"].contains(&words[i]) {
                shown.push(words[i].to_owned());
                break;
            } else {
                shown.push(rounded(words[i]));
                i += 1;
            }
        }
        out.push_str(&shown.join(" ").replace("(TIME", "TIME").replace("TIME)", "TIME"));
        out.push('\n');
    }
    out.trim_end().to_owned() + "\n"
}

/// A word with its number, if it is one, to five digits; bounds on errors without theirs.
fn rounded(word: &str) -> String {
    if word.starts_with("+/-") {
        return "+/-".to_owned();
    }
    let number = word.trim_matches(['(', ')', ',']);
    match number.parse::<f64>() {
        Ok(x) if number.contains('.') => word.replace(number, &format!("{x:.4e}")),
        _ => word.to_owned(),
    }
}
