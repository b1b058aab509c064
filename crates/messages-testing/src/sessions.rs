//! Conversations as Markdown: prose, and fenced blocks that are done from above to below.

use std::fmt::Write;

/// A fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// What stands behind the fence.
    pub info: &'a str,
    /// What is between the fences.
    pub body: &'a str,
}

/// Does the step of each block, and gives the text with what is in the blocks after all: what a step returns, or else what was there.
///
/// # Panics
/// A block has no end.
pub fn played(text: &str, mut step: impl FnMut(Block<'_>) -> Option<String>) -> String {
    let mut after = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("```") {
        let (prose, fenced) = rest.split_at(at);
        let (info, behind) = fenced[3..].split_once('\n').expect("a line behind a fence");
        let end =
            if behind.starts_with("```") { 0 } else { behind.find("\n```").expect("an end of a block") + 1 };
        let block = Block { info: info.trim(), body: &behind[..end] };
        let body = step(block).unwrap_or_else(|| block.body.to_owned());
        let _ = write!(after, "{prose}```{}\n{body}```", block.info);
        rest = &behind[end + 3..];
    }
    after + rest
}

#[cfg(test)]
mod tests {
    use super::{Block, played};

    #[test]
    fn blocks_are_done_in_their_order() {
        let text = "# Title\n\n```a b\nx\n```\nprose\n```c\n```\nend\n";
        let mut seen = Vec::new();
        let after = played(text, |Block { info, body }| {
            seen.push((info.to_owned(), body.to_owned()));
            (info == "c").then(|| "y\n".to_owned())
        });
        assert_eq!(seen, [("a b".to_owned(), "x\n".to_owned()), ("c".to_owned(), String::new())]);
        assert_eq!(after, "# Title\n\n```a b\nx\n```\nprose\n```c\ny\n```\nend\n");
        assert_eq!(played(text, |_| None), text);
    }
}
