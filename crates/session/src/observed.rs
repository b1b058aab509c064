//! Which observations of a program properties need.

use volvelle_kernel::{ExprId, Node, Site};
use volvelle_logic::{Formula, Property};
use volvelle_model::Program;
use volvelle_model::kernels::Selection;

/// The observations that properties need.
pub fn selection(properties: &[&Property]) -> Selection {
    let mut selection = Selection::default();
    for property in properties {
        for id in property.formulas.ids() {
            selection.rewards.extend(property.formulas.get(id).rewards().map(|id| id.0 as usize));
            match property.formulas.get(id) {
                Formula::Label(label) => selection.labels.push(label.0 as usize),
                Formula::Observation(number) => selection.numbers.push(number.0 as usize),
                _ => {}
            }
        }
    }
    for list in [&mut selection.labels, &mut selection.numbers, &mut selection.rewards] {
        list.sort_unstable();
        list.dedup();
    }
    selection
}

/// Whether a property needs an observation in which `site` occurs.
pub fn observes(program: &Program, property: &Property, site: Site) -> bool {
    let selection = selection(&[property]);
    let mut roots: Vec<ExprId> = Vec::new();
    roots.extend(selection.labels.iter().map(|&i| program.labels[i].expr));
    roots.extend(selection.numbers.iter().map(|&i| program.numbers[i].expr));
    for &i in &selection.rewards {
        let rewards = &program.rewards[i];
        let sites = rewards.states.iter().map(|r| r.site).chain(rewards.transitions.iter().map(|r| r.site));
        if sites.into_iter().any(|s| s == site) {
            return true;
        }
        roots.extend(rewards.states.iter().flat_map(|r| [r.guard, r.value]));
        roots.extend(rewards.transitions.iter().flat_map(|r| [r.guard, r.value]));
    }
    program.exprs.needed(roots).into_iter().any(|id| {
        matches!(
            program.exprs.node(id),
            Node::Checked { site: s, .. } | Node::CheckedConvert { site: s, .. } | Node::Range { site: s, .. }
                if s == site
        )
    })
}
