//! The tree over the words of a state: which numbers form the key of which node.
//!
//! A leaf is the set of values of a word. The key of an inner node has the numbers of its children side by
//! side in 64 bits. At first, the root has all leaves as children, with few bits each. When a number outgrows
//! its bits, the bits are redistributed, and the keys of the node are rewritten. When the bits no longer
//! suffice, the children are split between two new nodes below. So the tree is as flat as the occurring
//! values allow: for most states, one look-up per changed word and one for the root. Numbers never change
//! when the tree is rebuilt.

use super::key_set::KeySet;

/// The parent of the root.
pub(super) const NONE: u32 = u32::MAX;

/// Bits of a key.
const KEY_BITS: u32 = u64::BITS;

/// Widest number of a child.
const WIDEST: u32 = u32::BITS;

/// A child's number within the key of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub node: u32,
    pub shift: u32,
    pub width: u32,
}

impl Child {
    /// The child's number in a key.
    #[inline(always)]
    pub fn of(self, key: u64) -> u32 {
        (key >> self.shift & ((1 << self.width) - 1)) as u32
    }
}

/// A node: a leaf has no children.
#[derive(Debug)]
pub(super) struct Node {
    pub parent: u32,
    pub children: Vec<Child>,
    pub set: KeySet,
}

/// All nodes: the leaves first, in the order of the words.
#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// Inner nodes, children before parents.
    pub order: Vec<u32>,
    pub root: usize,
    lanes: usize,
}

impl Tree {
    pub fn new(words: usize, lanes: usize) -> Self {
        let root = if words == 1 { 0 } else { words };
        let leaf = |_| Node { parent: root as u32, children: Vec::new(), set: KeySet::new(lanes) };
        let mut nodes: Vec<Node> = (0..words).map(leaf).collect();
        let mut children = Vec::new();
        if words > 1 {
            children.extend((0..words as u32).map(|node| Child { node, shift: 0, width: 0 }));
            nodes.push(Node { parent: NONE, children: Vec::new(), set: KeySet::new(lanes) });
        }
        nodes[root].parent = NONE;
        let mut tree = Tree { nodes, order: Vec::new(), root, lanes };
        tree.nodes[root].children = children;
        if words > 1 {
            tree.fit(root, 1);
        }
        tree.put_in_order();
        tree
    }

    /// Whether a child of a node has a number too large for its bits, or soon may.
    pub fn is_cramped(&self, node: usize) -> bool {
        self.nodes[node].children.iter().any(|child| self.need(child.node) > child.width)
    }

    /// Makes room for numbers of children where it is scarce. Returns whether anything changed. Up to
    /// `threads` threads help.
    pub fn relax(&mut self, threads: usize) -> bool {
        let mut changed = false;
        for at in 0..self.order.len() {
            let node = self.order[at] as usize;
            if self.is_cramped(node) {
                self.fit(node, threads);
                changed = true;
            }
        }
        if changed {
            self.put_in_order();
        }
        changed
    }

    /// Bits for all numbers that a node has given out.
    fn need(&self, node: u32) -> u32 {
        let numbers = self.nodes[node as usize].set.allotted();
        u64::BITS - numbers.saturating_sub(1).leading_zeros()
    }

    /// Distributes the bits of a node's keys among its children, with some to spare for each; or splits the
    /// children between two nodes.
    fn fit(&mut self, node: usize, threads: usize) {
        let old = self.nodes[node].children.clone();
        let needs: Vec<u32> = old.iter().map(|child| self.need(child.node)).collect();
        let count = old.len() as u32;
        let spare = KEY_BITS.checked_sub(needs.iter().sum::<u32>() + count);
        let Some(spare) = spare.filter(|_| count > 2).or((count <= 2).then_some(0)) else {
            return self.split(node, &needs);
        };
        // Words that have changed are likely to change again.
        let lively = needs.iter().filter(|&&need| need > 0).count() as u32;
        let mut shift = 0;
        let mut new = old.clone();
        for (child, &need) in new.iter_mut().zip(&needs) {
            let more = match lively {
                0 => spare / count,
                _ if need > 0 => spare / lively,
                _ => 0,
            };
            child.width = if count <= 2 { WIDEST } else { (need + 1 + more).min(WIDEST) };
            child.shift = shift;
            shift += child.width;
        }
        self.nodes[node].set.replace_keys(threads, |key| {
            let parts = old.iter().zip(&new);
            parts.fold(0, |all, (old, new)| all | u64::from(old.of(key)) << new.shift)
        });
        self.nodes[node].children = new;
    }

    /// Puts two nodes between a node and its children.
    fn split(&mut self, node: usize, needs: &[u32]) {
        let old = std::mem::take(&mut self.nodes[node].children);
        // Split where both sides need most nearly equal numbers of bits.
        let total: u32 = needs.iter().map(|need| need + 1).sum();
        let (mut middle, mut left) = (1, needs[0] + 1);
        while middle + 1 < old.len() && 2 * left < total {
            let next = left + needs[middle] + 1;
            if (2 * next).abs_diff(total) > (2 * left).abs_diff(total) {
                break;
            }
            left = next;
            middle += 1;
        }
        let mut shift = 0;
        for side in [&old[..middle], &old[middle..]] {
            let below = if let [only] = side { only.node } else { self.insert(node, side) };
            self.nodes[node].children.push(Child { node: below, shift, width: WIDEST });
            shift += WIDEST;
        }
        self.rewrite(node, &old);
    }

    /// A new node between a node and some of its children.
    fn insert(&mut self, parent: usize, children: &[Child]) -> u32 {
        let new = self.nodes.len();
        for child in children {
            self.nodes[child.node as usize].parent = new as u32;
        }
        let set = KeySet::new(self.lanes);
        self.nodes.push(Node { parent: parent as u32, children: children.to_vec(), set });
        self.fit(new, 1);
        new as u32
    }

    /// Rewrites the keys of a node, given its former children.
    fn rewrite(&mut self, node: usize, old: &[Child]) {
        let mut set = std::mem::replace(&mut self.nodes[node].set, KeySet::new(1));
        let mut numbers = vec![NONE; self.nodes.len()];
        let children = self.nodes[node].children.clone();
        set.replace_keys(1, |key| {
            for child in old {
                numbers[child.node as usize] = child.of(key);
            }
            let parts = children.iter().map(|child| {
                let number = self.number_of(child.node, &numbers);
                u64::from(number) << child.shift
            });
            parts.fold(0, |all, part| all | part)
        });
        self.nodes[node].set = set;
    }

    /// The number of a node whose key follows from known numbers below. Recursion is as deep as the tree:
    /// logarithmic in the number of leaves.
    fn number_of(&mut self, node: u32, known: &[u32]) -> u32 {
        if known[node as usize] != NONE {
            return known[node as usize];
        }
        let mut key = 0;
        for at in 0..self.nodes[node as usize].children.len() {
            let child = self.nodes[node as usize].children[at];
            key |= u64::from(self.number_of(child.node, known)) << child.shift;
        }
        let set = &mut self.nodes[node as usize].set;
        let mut number = Vec::with_capacity(1);
        while set.find_or_insert(0, &[key], &mut number).is_err() {
            assert!(set.grow(1), "a node has no more keys than its parent");
        }
        number[0]
    }

    fn put_in_order(&mut self) {
        self.order.clear();
        if self.nodes[self.root].children.is_empty() {
            return;
        }
        self.order.push(self.root as u32);
        let mut at = 0;
        while let Some(&node) = self.order.get(at) {
            for child in &self.nodes[node as usize].children {
                if !self.nodes[child.node as usize].children.is_empty() {
                    self.order.push(child.node);
                }
            }
            at += 1;
        }
        self.order.reverse();
    }
}
