//! Groups of one module by their commands.

use volvelle_model::{Group, GroupId, Participant, Program};

/// A command of the original program: an alternative of a group of one module, or a whole synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandOf {
    /// The group.
    pub group: GroupId,
    /// The alternative of its only participant; `None` if several modules take part.
    pub alternative: Option<usize>,
}

/// The program with one group per command of a module that moves alone, in the same order; and the origin of
/// each group. A state has the same successors in the same order.
pub fn split(program: &Program) -> (Program, Vec<CommandOf>) {
    let mut commands = Vec::new();
    let mut groups = Vec::new();
    for (number, group) in program.groups.iter().enumerate() {
        let number = GroupId(number as u32);
        let [alone] = &group.participants[..] else {
            commands.push(CommandOf { group: number, alternative: None });
            groups.push(group.clone());
            continue;
        };
        for (i, alternative) in alone.alternatives.iter().enumerate() {
            commands.push(CommandOf { group: number, alternative: Some(i) });
            let participants = vec![Participant { who: alone.who, alternatives: vec![alternative.clone()] }];
            groups.push(Group { participants, ..group.clone() });
        }
    }
    (Program { groups, ..program.clone() }, commands)
}
