//! What is known of variables where they are used, from tests with `instanceof` before: in branches, behind `&&` and `||`, and behind
//! statements that leave when a test fails.

use super::fields::Space;
use super::scopes::Binding;
use crate::classes::Kind;
use rustc_hash::FxHashMap;
use volvelle_trees::{NodeId, Slot, Tree};

/// Assignments to variables, and whether there are tests at all.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Offsets of assignments, by what is assigned.
    assigned: FxHashMap<NodeId, Vec<u32>>,
    has_tests: bool,
}

/// What is known of a variable.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Of each of these groups one test holds.
    pub(crate) holds: Vec<Vec<NodeId>>,
    /// None of these holds.
    pub(crate) fails: Vec<NodeId>,
}

impl Facts {
    pub(crate) fn new(binding: &Binding, tree: &Tree) -> Self {
        let mut facts = Facts::default();
        for node in tree.nodes() {
            let class = tree.class(node);
            facts.has_tests |= class == Kind::Instanceof.id() || class == Kind::Equality.id();
            if class != Kind::Assignment.id() {
                continue;
            }
            if let Slot::Node(target) = binding.fields.field(tree, node, "target")
                && let Some(variable) = variable(binding, tree, target)
            {
                facts.assigned.entry(variable).or_default().push(tree.span(node).end);
            }
        }
        facts
    }

    /// What is known where a name is used.
    pub(crate) fn at(&self, binding: &Binding, tree: &Tree, used: NodeId) -> Known {
        let mut known = Known::default();
        if !self.has_tests {
            return known;
        }
        let Some(of) = variable(binding, tree, used) else { return known };
        let asked = Asked { binding, tree, of };
        let here = tree.span(used).start;
        let fields = &binding.fields;
        let mut at = used;
        while let Some(parent) = tree.parent(at) {
            let is = |kind: Kind| tree.class(parent) == kind.id();
            if fields.is(tree, parent, Kind::FunctionLike) {
                break;
            }
            let from = |name: &str| fields.field(tree, parent, name) == Slot::Node(at);
            let part = |name: &str| match fields.field(tree, parent, name) {
                Slot::Node(node) => Some(node),
                _ => None,
            };
            let told = if (is(Kind::If) || is(Kind::Conditional)) && (from("then") || from("otherwise")) {
                part("condition").map(|condition| (condition, from("then")))
            } else if is(Kind::While) && from("body") || is(Kind::For) && (from("body") || from("update")) {
                part("condition").map(|condition| (condition, true))
            } else if (is(Kind::And) || is(Kind::Or)) && from("right") {
                part("left").map(|left| (left, is(Kind::And)))
            } else {
                None
            };
            if let Some((condition, holds)) = told
                && !self.is_assigned(of, tree.span(condition).end, here)
            {
                asked.told(condition, holds, &mut known);
            }
            if is(Kind::Block) || is(Kind::Script) || is(Kind::CaseClause) || is(Kind::DefaultClause) {
                let Slot::List(statements) = fields.field(tree, parent, "statements") else { break };
                for statement in tree.items(statements) {
                    let Slot::Node(statement) = statement.slot else { continue };
                    if statement == at {
                        break;
                    }
                    if tree.class(statement) != Kind::If.id()
                        || self.is_assigned(of, tree.span(statement).start, here)
                    {
                        continue;
                    }
                    let branch = |name: &str| match fields.field(tree, statement, name) {
                        Slot::Node(node) => Some(node),
                        _ => None,
                    };
                    let Some(condition) = branch("condition") else { continue };
                    let leaves =
                        |branch: Option<NodeId>| branch.is_some_and(|branch| !binding.ends.is_passed(branch));
                    if leaves(branch("then")) {
                        asked.told(condition, false, &mut known);
                    } else if leaves(branch("otherwise")) {
                        asked.told(condition, true, &mut known);
                    }
                }
            }
            at = parent;
        }
        known
    }

    /// Whether a variable is assigned between two places of a text.
    fn is_assigned(&self, of: NodeId, from: u32, to: u32) -> bool {
        self.assigned.get(&of).is_some_and(|all| all.iter().any(|&at| from <= at && at <= to))
    }
}

/// What a name means, where it is a variable.
fn variable(binding: &Binding, tree: &Tree, used: NodeId) -> Option<NodeId> {
    if tree.class(used) != Kind::Identifier.id() {
        return None;
    }
    let Slot::Text(name) = binding.fields.field(tree, used, "name") else { return None };
    let found = binding.find(used, Space::Values, name)?;
    binding.fields.is(tree, found, Kind::Variable).then_some(found)
}

struct Asked<'a> {
    binding: &'a Binding,
    tree: &'a Tree,
    of: NodeId,
}

impl Asked<'_> {
    fn part(&self, node: NodeId, name: &str) -> Option<NodeId> {
        match self.binding.fields.field(self.tree, node, name) {
            Slot::Node(node) => Some(node),
            _ => None,
        }
    }

    /// What a condition says when it holds, or when it does not.
    fn told(&self, condition: NodeId, holds: bool, known: &mut Known) {
        let mut waiting = vec![(condition, holds)];
        while let Some((condition, holds)) = waiting.pop() {
            let is = |kind: Kind| self.tree.class(condition) == kind.id();
            if is(Kind::Paren) {
                waiting.extend(self.part(condition, "expression").map(|inner| (inner, holds)));
            } else if is(Kind::Not) {
                waiting.extend(self.part(condition, "operand").map(|inner| (inner, !holds)));
            } else if is(Kind::And) && holds || is(Kind::Or) && !holds {
                waiting.extend(self.part(condition, "left").map(|inner| (inner, holds)));
                waiting.extend(self.part(condition, "right").map(|inner| (inner, holds)));
            } else if is(Kind::Or) && holds {
                let mut group = Vec::new();
                if self.all_tests(condition, &mut group) {
                    known.holds.push(group);
                }
            } else if let Some(is_equal) = self.tests(condition) {
                if holds == is_equal {
                    known.holds.push(vec![condition]);
                } else {
                    known.fails.push(condition);
                }
            }
        }
    }

    /// Whether an expression tests the variable, and whether it is true where the test holds.
    fn tests(&self, test: NodeId) -> Option<bool> {
        let class = self.tree.class(test);
        let is_equality = class == Kind::Equality.id();
        if !is_equality && class != Kind::Instanceof.id() {
            return None;
        }
        let is_it = |side: &str| {
            let side = self.part(test, side);
            side.is_some_and(|side| variable(self.binding, self.tree, side) == Some(self.of))
        };
        if !(is_it("left") || is_equality && is_it("right")) {
            return None;
        }
        let operator = self.binding.fields.field(self.tree, test, "operator");
        Some(
            !(is_equality
                && matches!(operator, Slot::Text(operator) if self.binding.negations.contains(&Some(operator)))),
        )
    }

    /// Whether a disjunction consists of tests of the variable.
    fn all_tests(&self, condition: NodeId, group: &mut Vec<NodeId>) -> bool {
        let mut waiting = vec![condition];
        while let Some(condition) = waiting.pop() {
            let is = |kind: Kind| self.tree.class(condition) == kind.id();
            if is(Kind::Paren) {
                waiting.extend(self.part(condition, "expression"));
            } else if is(Kind::Or) {
                waiting.extend(self.part(condition, "right"));
                waiting.extend(self.part(condition, "left"));
            } else if self.tests(condition) == Some(true) {
                group.push(condition);
            } else {
                return false;
            }
        }
        true
    }
}
