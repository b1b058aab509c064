//! The levels of a crate: the children of one module, each with all that is below it, and that module's own code.

use super::components::components;
use super::modules::Modules;
use std::collections::{BTreeMap, BTreeSet};

/// Modules that use each other.
#[derive(Debug)]
pub struct Circle {
    /// Files of the modules, sorted.
    pub files: Vec<String>,
    /// `user -> definer: names`, a line each.
    pub ties: Vec<String>,
    /// The file whose own code is in the circle, with modules below it.
    pub of_front: Option<String>,
}

/// Uses between the children of a module, and between these and its own code.
#[derive(Debug)]
pub struct Level {
    /// The module, by file.
    front: usize,
    /// By user and definer, where the module itself stands for its own code: a line for each tie of two files.
    uses: BTreeMap<(usize, usize), Vec<String>>,
}

/// The levels of a crate that have uses.
pub fn levels(modules: &Modules) -> Vec<Level> {
    let ancestries: Vec<Vec<usize>> = (0..modules.files.len()).map(|file| modules.ancestry(file)).collect();
    let mut levels: BTreeMap<usize, Level> = BTreeMap::new();
    for ((user, definer), names) in modules.uses() {
        let [of_user, of_definer] = [user, definer].map(|file| &ancestries[file]);
        let shared = of_user.iter().zip(of_definer).take_while(|(a, b)| a == b).count();
        let front = of_user[shared - 1];
        let [from, to] = [of_user, of_definer].map(|files| files.get(shared).copied().unwrap_or(front));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tie = format!("  {} -> {}: {}", modules.files[user], modules.files[definer], names.join(", "));
        let level = levels.entry(front).or_insert_with(|| Level { front, uses: BTreeMap::new() });
        level.uses.entry((from, to)).or_default().push(tie);
    }
    levels.into_values().collect()
}

impl Level {
    /// The circles among children, and that of the module's own code.
    pub fn circles(&self, modules: &Modules) -> Vec<Circle> {
        let all: BTreeSet<(usize, usize)> = self.uses.keys().copied().collect();
        let siblings = all.iter().copied().filter(|(a, b)| ![*a, *b].contains(&self.front)).collect();
        let of_siblings = components(modules.files.len(), &siblings).into_iter();
        let of_front = components(modules.files.len(), &all).into_iter().filter(|c| c.contains(&self.front));
        of_siblings.chain(of_front).map(|component| self.circle(modules, &component)).collect()
    }

    fn circle(&self, modules: &Modules, component: &[usize]) -> Circle {
        let is_inside = |(a, b): &(usize, usize)| component.contains(a) && component.contains(b);
        let ties = self.uses.iter().filter(|(edge, _)| is_inside(edge)).flat_map(|(_, ties)| ties.clone());
        let mut files: Vec<String> = component.iter().map(|file| modules.files[*file].clone()).collect();
        files.sort();
        let of_front = component.contains(&self.front).then(|| modules.files[self.front].clone());
        Circle { files, ties: ties.collect(), of_front }
    }
}
