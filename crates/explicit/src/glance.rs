//! What the beginning of a file says of its model. Nothing is checked, and nothing behind the header is looked at.

use crate::format::{Compression, Format};

/// What the beginning of a file says. What it does not say is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Its format: of a compressed file the one that the name tells.
    pub format: Format,
    /// How it is compressed. Then nothing else is known.
    pub compression: Compression,
    /// The kind of model, as the file calls it: `CTMC`.
    pub kind: Option<String>,
    /// How many states there are.
    pub states: Option<u64>,
    /// How many choices there are.
    pub choices: Option<u64>,
    /// How many transitions there are.
    pub transitions: Option<u64>,
    /// The initial state.
    pub initial: Option<u64>,
}

/// The longest kind of a model that is taken for one.
const LONGEST_KIND: usize = 40;

/// Looks at the first bytes of a file, of which `is_all` tells whether there are more; `None` if neither name nor bytes tell a format.
pub fn glance(name: &str, head: &[u8], is_all: bool) -> Option<Glance> {
    let compression = Compression::of_content(head);
    let is_plain = compression == Compression::None;
    let by_content = || Format::of_content(head).filter(|_| is_plain);
    let format = Format::of_name(name).or_else(by_content)?;
    let (kind, states, choices, transitions, initial) = (None, None, None, None, None);
    let mut glance = Glance { format, compression, kind, states, choices, transitions, initial };
    if !is_plain {
        return Some(glance);
    }
    // A line that the end of the head cuts says nothing, nor do bytes that are no text.
    let end = if is_all { head.len() } else { head.iter().rposition(|&byte| byte == b'\n').unwrap_or(0) };
    let text = String::from_utf8_lossy(&head[..end]);
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    match format {
        Format::Aut => glance.read_aut(lines.next().unwrap_or("")),
        Format::Drn => glance.read_drn(lines),
        Format::PrismTransitions => glance.read_transitions(lines.next().unwrap_or("")),
        Format::PrismCombined | Format::Umb => {}
    }
    Some(glance)
}

impl Glance {
    /// `des (0, 3, 2)`: initial state, transitions, states.
    fn read_aut(&mut self, line: &str) {
        let inside = line.strip_prefix("des").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
        let Some((inside, _)) = inside.and_then(|rest| rest.split_once(')')) else { return };
        let parts: Vec<Option<u64>> = inside.split(',').map(number).collect();
        if let [initial, Some(transitions), Some(states)] = parts[..] {
            // In files of mCRL2 it may be a distribution.
            (self.initial, self.transitions, self.states) = (initial, Some(transitions), Some(states));
        }
    }

    /// `@type: MDP`; numbers stand on the line behind their key.
    fn read_drn<'t>(&mut self, mut lines: impl Iterator<Item = &'t str>) {
        while let Some(line) = lines.next() {
            match line {
                "@nr_states" => self.states = lines.next().and_then(number),
                "@nr_choices" => self.choices = lines.next().and_then(number),
                "@model" => return,
                _ => {
                    if let Some(kind) = line.strip_prefix("@type:").map(str::trim) {
                        let is_one = !kind.is_empty() && kind.len() <= LONGEST_KIND;
                        self.kind = is_one.then(|| kind.to_owned());
                    }
                }
            }
        }
    }

    /// `states transitions`, or with the choices between both; observations may follow.
    fn read_transitions(&mut self, line: &str) {
        let numbers: Option<Vec<u64>> = line.split_whitespace().map(number).collect();
        match numbers.as_deref() {
            Some(&[states, transitions]) => {
                (self.states, self.transitions) = (Some(states), Some(transitions));
            }
            Some(&[states, choices, transitions] | &[states, choices, transitions, _]) => {
                (self.states, self.choices) = (Some(states), Some(choices));
                self.transitions = Some(transitions);
            }
            _ => {}
        }
    }
}

/// A number of digits alone.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(name: &str, head: &str) -> [Option<u64>; 4] {
        let found = glance(name, head.as_bytes(), true).expect("a format");
        [found.states, found.choices, found.transitions, found.initial]
    }

    #[test]
    fn headers() {
        assert_eq!(counts("a.aut", "des (0, 3, 2)\n(0, a, 1)\n"), [Some(2), None, Some(3), Some(0)]);
        assert_eq!(counts("a.aut", "des(1,3,2)"), [Some(2), None, Some(3), Some(1)]);
        assert_eq!(counts("a.aut", "des (0 1/2 1, 3, 2)\n"), [Some(2), None, Some(3), None]);
        assert_eq!(counts("a.tra", "3 4\n0 1 0.5\n"), [Some(3), None, Some(4), None]);
        assert_eq!(counts("a.tra", "3 4 5\n"), [Some(3), Some(4), Some(5), None]);
        assert_eq!(counts("a.tra", "3 4 5 2\n"), [Some(3), Some(4), Some(5), None]);
        let drn = "// c\n@type: Markov Automaton\n@nr_states\n3\n\n@nr_choices\n4\n@model\n@nr_states\n9\n";
        assert_eq!(counts("a.drn", drn), [Some(3), Some(4), None, None]);
        let kind = glance("x", drn.as_bytes(), true).and_then(|found| found.kind);
        assert_eq!(kind.as_deref(), Some("Markov Automaton"));
    }

    /// What is cut, or is no header, says nothing.
    #[test]
    fn broken_headers() {
        for (name, head) in [
            ("a.aut", ""),
            ("a.aut", "des (0, 3"),
            ("a.aut", "des (0, 3)"),
            ("a.aut", "des (0, -3, 2)"),
            ("a.aut", "(0, a, 1)"),
            ("a.aut", "des (0, 99999999999999999999, 2)"),
            ("a.tra", "3"),
            ("a.tra", "3 x"),
            ("a.tra", "1 2 3 4 5"),
            ("a.drn", "@nr_states"),
            ("a.drn", "@type:"),
            ("a.pexp", "3 4"),
            ("a.umb", "\0\0"),
        ] {
            assert_eq!(counts(name, head), [None; 4], "{name} {head}");
        }
        let cut = glance("a.tra", b"31 42", false).expect("a format");
        assert_eq!((cut.states, cut.transitions), (None, None));
        let binary = glance("a.aut", b"des (0, 3, 2)\n\xff\xfe", false).expect("a format");
        assert_eq!(binary.states, Some(2));
    }

    #[test]
    fn compressed_files() {
        let zipped = glance("a.aut.gz", &[0x1f, 0x8b, 8, 0], true).expect("a format");
        assert_eq!(
            (zipped.format, zipped.compression, zipped.states),
            (Format::Aut, Compression::Gzip, None)
        );
        assert_eq!(glance("a", &[0x1f, 0x8b, 8, 0], true), None);
        assert_eq!(glance("a.prism", b"dtmc", true), None);
    }
}
