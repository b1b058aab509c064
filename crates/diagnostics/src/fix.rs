//! Ways out that a program can take: which parts of which texts become what.
//!
//! A fix of a misspelt name knows the name, and not where it stands under the caret: a span may cover quotes, braces, or a whole call.
//! So its place is found in the text, and if the name does not stand there once, there is nothing to change.

use crate::source::{Sources, Span};
use serde::{Deserialize, Serialize};

/// A part of a text, and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced; empty where something is inserted.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// A way out: edits, in order, that do not overlap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fix {
    title: String,
    edits: Vec<Edit>,
    /// The word in the span of the only edit that is replaced, in place of all of it.
    word: Option<String>,
    is_certain: bool,
}

impl Fix {
    /// Replaces a part of a text.
    pub fn replace(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Fix {
            title: title.into(),
            edits: vec![Edit { span, text: text.into() }],
            word: None,
            is_certain: false,
        }
    }

    /// Puts something in front of what a span covers.
    pub fn before(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self::replace(title, Span { end: span.start, ..span }, text)
    }

    /// Puts something behind what a span covers.
    pub fn behind(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self::replace(title, Span { start: span.end, ..span }, text)
    }

    /// Takes a part of a text away.
    pub fn remove(title: impl Into<String>, span: Span) -> Self {
        Self::replace(title, span, "")
    }

    /// Puts something around what a span covers.
    pub fn around(
        title: impl Into<String>,
        span: Span,
        left: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        let mut fix = Self::before(title, span, left);
        let right = right.into();
        match fix.edits.first_mut().filter(|_| span.start == span.end) {
            Some(only) => only.text.push_str(&right),
            None => fix.edits.push(Edit { span: Span { start: span.end, ..span }, text: right }),
        }
        fix
    }

    /// Replaces a word by another one. `span` covers it, and perhaps more, such as its quotes.
    pub fn instead(span: Span, word: impl Into<String>, other: impl Into<String>) -> Self {
        let other = other.into();
        Fix { word: Some(word.into()), ..Self::replace(format!("write `{other}`"), span, other) }
    }

    /// Several edits, in any order; `None` if two of them overlap, or there is none.
    pub fn several(title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Option<Self> {
        let mut edits: Vec<Edit> = edits.into_iter().collect();
        edits.sort();
        let is_apart = edits.windows(2).all(|pair| !overlap(&pair[0].span, &pair[1].span));
        let fix = Fix { title: title.into(), edits, word: None, is_certain: false };
        (is_apart && !fix.edits.is_empty()).then_some(fix)
    }

    /// The same, as what was certainly meant: whoever reads the text went on as if it were written so, or nothing else comes into question.
    #[must_use]
    pub fn certain(self) -> Self {
        self.certain_if(true)
    }

    /// The same, as what was certainly meant if `is_certain`.
    #[must_use]
    pub fn certain_if(self, is_certain: bool) -> Self {
        Fix { is_certain, ..self }
    }

    /// What it does, in a few words: `write `srep``.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether it is certainly what was meant.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// What changes in these texts, in order and apart from each other; nothing where the texts are not those that the fix is about.
    pub fn edits(&self, sources: &Sources) -> Vec<Edit> {
        let found = self.edits.iter().map(|edit| {
            let source = sources.get(edit.span.file)?;
            let under = source.text.get(edit.span.start as usize..edit.span.end as usize)?;
            let Some(word) = &self.word else { return Some(edit.clone()) };
            let at = only_place(under, word)?;
            let start = edit.span.start as usize + at;
            Some(Edit { span: Span::new(edit.span.file, start, start + word.len()), text: edit.text.clone() })
        });
        found.collect::<Option<Vec<Edit>>>().unwrap_or_default()
    }
}

/// Whether two spans, the first of which begins first, have a character in common, or are the same place between two characters.
fn overlap(first: &Span, second: &Span) -> bool {
    first.file == second.file && (first.end > second.start || first == second)
}

/// Where a word stands in a text, if it does once; case counts only if that makes a difference.
fn only_place(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let once = |is_same: fn(&str, &str) -> bool| {
        let mut places = text.char_indices().map(|(at, _)| at).filter(|&at| {
            let stands = text.get(at..at + word.len()).is_some_and(|part| is_same(part, word));
            let is_open = |next: Option<char>, edge: Option<char>| {
                !(next.is_some_and(is_part) && edge.is_some_and(is_part))
            };
            stands
                && is_open(text[..at].chars().next_back(), word.chars().next())
                && is_open(text[at + word.len()..].chars().next(), word.chars().next_back())
        });
        places.next().filter(|_| places.next().is_none())
    };
    once(|part, word| part == word).or_else(|| once(str::eq_ignore_ascii_case))
}

/// Texts after fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// All edits that were made, in order.
    pub edits: Vec<Edit>,
    /// For each fix whether it was applied.
    pub is_applied: Vec<bool>,
}

impl Applied {
    /// A text that was edited; `None` if nothing changes in it.
    pub fn text(&self, sources: &Sources, file: crate::FileId) -> Option<String> {
        let text = &sources.get(file)?.text;
        let edits = self.edits.iter().filter(|edit| edit.span.file == file);
        let (mut out, mut behind, mut is_changed) = (String::with_capacity(text.len()), 0, false);
        for edit in edits {
            out.push_str(&text[behind..edit.span.start as usize]);
            out.push_str(&edit.text);
            behind = edit.span.end as usize;
            is_changed = true;
        }
        out.push_str(&text[behind..]);
        is_changed.then_some(out)
    }
}

/// Applies fixes, the first ones first: each that says nothing new, or touches what one before it changes, is left out.
pub fn applied(sources: &Sources, fixes: &[&Fix]) -> Applied {
    let mut made = std::collections::BTreeMap::new();
    let mut is_applied = Vec::with_capacity(fixes.len());
    for fix in fixes {
        let edits = fix.edits(sources);
        let is_free = |edit: &Edit| {
            let before = made.range(..=edit.span).next_back();
            let after = made.range(edit.span..).next();
            before.is_none_or(|(span, _)| !overlap(span, &edit.span))
                && after.is_none_or(|(span, _)| !overlap(&edit.span, span))
        };
        let is_new = !edits.is_empty() && edits.iter().all(is_free);
        if is_new {
            made.extend(edits.into_iter().map(|edit| (edit.span, edit.text)));
        }
        is_applied.push(is_new);
    }
    Applied { edits: made.into_iter().map(|(span, text)| Edit { span, text }).collect(), is_applied }
}
