//! Expressions that one statement uses several times, and the innermost block that contains all these uses.
//!
//! Where a lazy operand may fail, it is evaluated in a *region* of its own, the branch that its condition guards. What cannot
//! fail is computed at the head of the innermost region that has all its uses, perhaps for nothing: it has no effect. What
//! may fail is computed where it is used first, and again where that was in another branch.

use crate::laziness::is_lazy;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::{ExprId, Exprs, Node};

/// A number of a region; 0 is the statement itself.
pub(crate) type Region = usize;

/// For the expressions of one statement.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    /// Expressions that are used more than once.
    shared: FxHashSet<ExprId>,
    /// For each region: what it begins with.
    heads: Vec<Vec<ExprId>>,
    /// Regions of lazy operands: of a choice two, of a conjunction or disjunction one (the first).
    arms: FxHashMap<ExprId, [Region; 2]>,
}

struct Use {
    times: u32,
    region: Region,
}

struct Regions {
    /// Parent and depth.
    tree: Vec<(Region, u32)>,
}

impl Regions {
    fn inside(&mut self, parent: Region) -> Region {
        self.tree.push((parent, self.tree[parent].1 + 1));
        self.tree.len() - 1
    }

    fn common(&self, mut a: Region, mut b: Region) -> Region {
        while a != b {
            let deeper = if self.tree[a].1 >= self.tree[b].1 { &mut a } else { &mut b };
            *deeper = self.tree[*deeper].0;
        }
        a
    }
}

impl Sharing {
    /// Looks at the expressions that one statement evaluates.
    pub(crate) fn of(exprs: &Exprs, fallible: &[bool], roots: &[ExprId]) -> Self {
        let nodes = needed(exprs, roots);
        let mut sharing = Sharing { heads: vec![Vec::new()], ..Sharing::default() };
        let mut regions = Regions { tree: vec![(0, 0)] };
        let mut uses: FxHashMap<ExprId, Use> = FxHashMap::default();
        for &root in roots {
            note(&mut uses, &regions, root, 0);
        }
        // Users have larger numbers than what they use.
        for &id in nodes.iter().rev() {
            let Use { times, region } = uses[&id];
            let node = exprs.node(id);
            if matches!(node, Node::Const(_) | Node::Local(..) | Node::Len(_)) {
                continue;
            }
            if times > 1 {
                sharing.shared.insert(id);
                if !fallible[id.index()] {
                    sharing.heads[region].push(id);
                }
            }
            let Some((first, lazy)) = is_lazy(&node, fallible) else {
                Exprs::each_operand(&node, |operand| note(&mut uses, &regions, operand, region));
                continue;
            };
            note(&mut uses, &regions, first, region);
            let mut arms = [0; 2];
            for (arm, operand) in arms.iter_mut().zip(lazy) {
                *arm = regions.inside(region);
                sharing.heads.push(Vec::new());
                note(&mut uses, &regions, operand, *arm);
            }
            sharing.arms.insert(id, arms);
        }
        // Operands before what uses them.
        sharing.heads.iter_mut().for_each(|head| head.reverse());
        sharing
    }

    pub(crate) fn is_shared(&self, id: ExprId) -> bool {
        self.shared.contains(&id)
    }

    /// The shared expressions at the head of a region, operands first.
    pub(crate) fn head(&self, region: Region) -> &[ExprId] {
        self.heads.get(region).map_or(&[], Vec::as_slice)
    }

    /// The regions of the lazy operands of a node.
    pub(crate) fn arms(&self, id: ExprId) -> [Region; 2] {
        self.arms.get(&id).copied().unwrap_or_default()
    }
}

fn note(uses: &mut FxHashMap<ExprId, Use>, regions: &Regions, id: ExprId, region: Region) {
    uses.entry(id)
        .and_modify(|it| {
            it.times += 1;
            it.region = regions.common(it.region, region);
        })
        .or_insert(Use { times: 1, region });
}

/// All expressions that the roots need, in increasing order.
fn needed(exprs: &Exprs, roots: &[ExprId]) -> Vec<ExprId> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            Exprs::each_operand(&exprs.node(id), |operand| stack.push(operand));
        }
    }
    let mut nodes: Vec<ExprId> = seen.into_iter().collect();
    nodes.sort_unstable();
    nodes
}
