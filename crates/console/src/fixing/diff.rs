//! What changes between two texts, as `diff -u` shows it.
//!
//! Lines at the beginning and at the end that stay are left out first. What remains is compared line by line if it is not large: a table of
//! the longest common sequences. Otherwise all of it counts as changed.

use std::fmt::Write;

/// Lines around a change.
const AROUND: usize = 3;
/// Entries of the table.
const MOST_ENTRIES: usize = 1 << 22;

/// A line of both texts, of the first, or of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// The changes from one text to another; empty if there are none.
pub fn unified(name: &str, before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let lines = compared(&old, &new);
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let mut out = String::new();
    let (mut at, mut old_line, mut new_line) = (0, 1, 1);
    while let Some(first) = lines[at..].iter().position(is_change).map(|first| at + first) {
        let start = first.saturating_sub(AROUND).max(at);
        for _ in at..start {
            (old_line, new_line) = (old_line + 1, new_line + 1);
        }
        // Changes whose surroundings touch are shown together.
        let mut end = first + 1;
        while let Some(next) = lines[end..].iter().position(is_change).filter(|&gap| gap <= 2 * AROUND) {
            end += next + 1;
        }
        let end = (end + AROUND).min(lines.len());
        if out.is_empty() {
            let _ = write!(out, "--- {name}\n+++ {name}");
        }
        let of_old = lines[start..end].iter().filter(|line| !matches!(line, Line::New(_))).count();
        let of_new = lines[start..end].iter().filter(|line| !matches!(line, Line::Old(_))).count();
        // A side without lines names the line before.
        let from = |line: usize, count: usize| line - usize::from(count == 0);
        let (old_from, new_from) = (from(old_line, of_old), from(new_line, of_new));
        let _ = write!(out, "\n@@ -{old_from},{of_old} +{new_from},{of_new} @@");
        for line in &lines[start..end] {
            let (mark, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Old(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            let _ = write!(out, "\n{mark}{}", text.trim_end_matches(['\n', '\r']));
            if !text.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file");
            }
        }
        (old_line, new_line, at) = (old_line + of_old, new_line + of_new, end);
    }
    out
}

fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<Line<'t>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    if (a.len() + 1).saturating_mul(b.len() + 1) <= MOST_ENTRIES {
        matched(a, b, &mut lines);
    } else {
        lines.extend(a.iter().map(|line| Line::Old(line)));
        lines.extend(b.iter().map(|line| Line::New(line)));
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// By the longest common sequence of lines.
fn matched<'t>(a: &[&'t str], b: &[&'t str], lines: &mut Vec<Line<'t>>) {
    let width = b.len() + 1;
    // How many lines the rests have in common.
    let mut common = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * width + j] = if a[i] == b[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(Line::Same(a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || i < a.len() && common[(i + 1) * width + j] >= common[i * width + j + 1] {
            lines.push(Line::Old(a[i]));
            i += 1;
        } else {
            lines.push(Line::New(b[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn changes_with_their_surroundings() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n";
        let after = before.replace("b\n", "B\nBB\n").replace("m\n", "");
        let shown = "--- m\n+++ m\n@@ -1,5 +1,6 @@\n a\n-b\n+B\n+BB\n c\n d\n e\n@@ -10,5 +11,4 @@\n j\n k\n l\n-m\n n";
        assert_eq!(unified("m", before, &after), shown);
        assert_eq!(unified("m", before, before), "");
        let near = before.replace("c\n", "C\n").replace("i\n", "I\n");
        assert_eq!(unified("m", before, &near).matches("@@ -").count(), 1);
    }

    #[test]
    fn ends_without_a_line() {
        let shown = "--- m\n+++ m\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n";
        assert_eq!(unified("m", "a", "a\n"), shown.trim_end());
        assert_eq!(unified("m", "", "a\n"), "--- m\n+++ m\n@@ -0,0 +1,1 @@\n+a");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 500, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default()
        })]

        /// Each text is what its lines are; the changed lines are as few as by the table alone.
        #[test]
        fn both_texts_are_there(a in "[ab\n]{0,30}", b in "[ab\n]{0,30}") {
            let old: Vec<&str> = a.split_inclusive('\n').collect();
            let new: Vec<&str> = b.split_inclusive('\n').collect();
            let lines = compared(&old, &new);
            let side = |left_out: fn(&Line<'_>) -> bool| -> String {
                let kept = lines.iter().filter(|line| !left_out(line));
                kept.map(|line| match line { Line::Same(text) | Line::Old(text) | Line::New(text) => *text }).collect()
            };
            prop_assert_eq!(side(|line| matches!(line, Line::New(_))), a.clone());
            prop_assert_eq!(side(|line| matches!(line, Line::Old(_))), b.clone());
            let mut whole = Vec::new();
            matched(&old, &new, &mut whole);
            let same = |lines: &[Line<'_>]| lines.iter().filter(|line| matches!(line, Line::Same(_))).count();
            prop_assert_eq!(same(&lines), same(&whole));
        }
    }
}
