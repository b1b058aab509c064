//! `.pexp`: all files of a model in one, each with a comment in front of it.

use crate::finding::Finding;
use crate::text::Script;
use std::ops::Range;
use volvelle_diagnostics::codes;

/// The parts of a combined file.
#[derive(Default)]
pub(super) struct Sections {
    pub transitions: Option<Range<usize>>,
    pub states: Option<Range<usize>>,
    pub observations: Option<Range<usize>>,
    pub labels: Option<Range<usize>>,
    pub state_rewards: Vec<Range<usize>>,
    pub transition_rewards: Vec<Range<usize>>,
}

/// What a comment begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Transitions,
    States,
    Observations,
    Labels,
    /// State or transition rewards, which the next comment says.
    Rewards,
    StateRewards,
    TransitionRewards,
}

fn section(comment: &[u8]) -> Option<Section> {
    let text = comment.strip_prefix(b"#")?.trim_ascii();
    let starts = |word: &[u8]| {
        text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || matches!(rest[0], b' ' | b'(' | b'\t'))
    };
    Some(match text {
        b"State rewards" => Section::StateRewards,
        b"Transition rewards" => Section::TransitionRewards,
        _ if starts(b"Reward structure") => Section::Rewards,
        _ if starts(b"Transitions") => Section::Transitions,
        _ if starts(b"States") => Section::States,
        _ if starts(b"Observations") => Section::Observations,
        _ if starts(b"Labels") => Section::Labels,
        _ => return None,
    })
}

/// Finds the parts of a file.
pub(super) fn split(script: Script<'_>) -> Result<Sections, Finding> {
    let mut starts: Vec<(Section, Range<usize>)> = Vec::new();
    let mut cursor = script.cursor(0..script.bytes.len());
    while !cursor.is_done() {
        let line = cursor.rest_of_line();
        let text = &script.bytes[line.clone()];
        if let Some(found) = section(text) {
            match (found, starts.last_mut()) {
                // `# Reward structure "r"`, then `# State rewards`: one part.
                (Section::StateRewards | Section::TransitionRewards, Some((last @ Section::Rewards, _))) => {
                    *last = found;
                }
                _ => starts.push((found, line)),
            }
        } else if starts.is_empty() && !text.is_empty() && text[0] != b'#' {
            let finding = script.refuse(
                codes::EXPLICIT_SYNTAX,
                line,
                "expected a comment that starts a part of the file",
            );
            return Err(finding.help("the first part starts with `# Transitions (DTMC)`"));
        }
        cursor.next_line();
    }
    let mut sections = Sections::default();
    for (i, (section, line)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(script.bytes.len(), |(_, next)| next.start);
        let range = line.start..end;
        let slot = match section {
            Section::Transitions => &mut sections.transitions,
            Section::States => &mut sections.states,
            Section::Observations => &mut sections.observations,
            Section::Labels => &mut sections.labels,
            Section::StateRewards => {
                sections.state_rewards.push(range);
                continue;
            }
            Section::TransitionRewards => {
                sections.transition_rewards.push(range);
                continue;
            }
            Section::Rewards => {
                let finding =
                    script.refuse(codes::EXPLICIT_SYNTAX, line.clone(), "the kind of the rewards is missing");
                return Err(finding.help("the next line must be `# State rewards` or `# Transition rewards`"));
            }
        };
        if slot.replace(range).is_some() {
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, line.clone(), "this part occurs twice"));
        }
    }
    Ok(sections)
}
