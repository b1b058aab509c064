//! Functions that all systems have.

use super::Second;
use super::value::{Res, V, broke, list, text};
use std::cell::RefCell;
use volvelle_rules::ir::Native;
use volvelle_trees::{NodeId, Slot};

impl Second<'_> {
    pub fn of_list(&mut self, function: Native, items: &[V], args: &[V]) -> Res<V> {
        let arg = args.get(1).unwrap_or(&V::Null);
        Ok(match function {
            Native::Size => V::Number(items.len() as i64),
            Native::IsEmpty => V::Truth(items.is_empty()),
            Native::Head => items.first().cloned().unwrap_or(V::Null),
            Native::Last => items.last().cloned().unwrap_or(V::Null),
            Native::Tail => list(items.iter().skip(1).cloned().collect()),
            Native::Get => match arg {
                V::Number(at) if *at >= 0 && (*at as usize) < items.len() => items[*at as usize].clone(),
                _ => return broke("the list has no item of this number"),
            },
            Native::Contains => V::Truth(items.contains(arg)),
            Native::IndexOf => {
                V::Number(items.iter().position(|item| item == arg).map_or(-1, |at| at as i64))
            }
            Native::Reverse => list(items.iter().rev().cloned().collect()),
            Native::Distinct => {
                let mut kept: Vec<V> = Vec::new();
                for item in items {
                    if !kept.contains(item) {
                        kept.push(item.clone());
                    }
                }
                list(kept)
            }
            Native::Flatten => {
                let inner = items.iter().flat_map(|item| match item {
                    V::List(inner) => inner.to_vec(),
                    _ => Vec::new(),
                });
                list(inner.collect())
            }
            Native::Join => {
                let V::Text(between) = arg else { return broke("the text is null") };
                let mut texts = Vec::new();
                for item in items {
                    texts.push(self.text_of(item)?);
                }
                text(texts.join(between))
            }
            _ => return broke("a list has no such member"),
        })
    }

    pub fn of_node(&self, function: Native, node: NodeId, arg: Option<&V>) -> V {
        let tree = &self.program.tree;
        let parents = |node: NodeId| std::iter::successors(tree.parent(node), |&at| tree.parent(at));
        let value = |node: Option<NodeId>| node.map_or(V::Null, V::Node);
        let root = |node: NodeId| parents(node).last().unwrap_or(node);
        let is = |node: NodeId, class| self.system.universe.is_kind(tree.class(node), class);
        let beside = |by: isize| {
            let parent = tree.parent(node)?;
            let fields = self.system.universe.classes.class(tree.class(parent)).fields.len();
            let lists = (0..fields).filter_map(|place| match tree.slot(parent, place) {
                Slot::List(list) => Some(tree.items(list)),
                _ => None,
            });
            for items in lists {
                if let Some(at) = items.iter().position(|item| item.slot == Slot::Node(node)) {
                    return items.get(at.checked_add_signed(by)?).and_then(|item| match item.slot {
                        Slot::Node(node) => Some(node),
                        _ => None,
                    });
                }
            }
            None
        };
        match function {
            Native::Container => value(tree.parent(node)),
            Native::Root => V::Node(root(node)),
            Native::ContainerOf(class) => value(parents(node).find(|&above| is(above, class))),
            Native::Previous => value(beside(-1)),
            Native::Next => value(beside(1)),
            Native::Offset => V::Number(tree.span(node).start.into()),
            Native::All(class) => {
                let within = |&one: &NodeId| one == node || parents(one).any(|above| above == node);
                let mut all: Vec<NodeId> =
                    tree.nodes().filter(within).filter(|&one| is(one, class)).collect();
                all.sort_by_key(|&one| (tree.span(one).start, parents(one).count()));
                list(all.into_iter().map(V::Node).collect())
            }
            Native::Named(class) => {
                let classes = &self.system.universe.classes;
                let Some(field) = classes.find_field("name") else { return V::Null };
                let mut all: Vec<NodeId> = tree
                    .nodes()
                    .filter(|&one| is(one, class) && root(one) == root(node))
                    .filter(|&one| match tree.field(classes, one, field) {
                        Slot::Text(name) => Some(&self.written(name)) == arg,
                        _ => false,
                    })
                    .collect();
                all.sort_by_key(|&one| tree.span(one).start);
                value(all.first().copied())
            }
            _ => V::Null,
        }
    }
}

pub fn of_text(function: Native, on: &str, args: &[V]) -> Res<V> {
    let arg = match args.get(1) {
        Some(V::Text(arg)) => Some(&**arg),
        _ => None,
    };
    Ok(match function {
        Native::Length => V::Number(on.chars().count() as i64),
        Native::StartsWith | Native::EndsWith => {
            let Some(arg) = arg else { return broke("the text is null") };
            V::Truth(if function == Native::StartsWith { on.starts_with(arg) } else { on.ends_with(arg) })
        }
        Native::IsDigits => V::Truth(!on.is_empty() && on.chars().all(|c| c.is_ascii_digit())),
        Native::ToNumber => match on.parse() {
            Ok(number) => V::Number(number),
            Err(_) => return broke("no number of 64 bits"),
        },
        Native::Substring => match (&args[1], &args[2]) {
            (V::Number(from), V::Number(to)) => {
                let (from, to) = ((*from).max(0) as usize, (*to).max(0) as usize);
                let inner: String = on.chars().take(to).skip(from).collect();
                text(inner)
            }
            _ => return broke("a number is null"),
        },
        Native::Upper => text(on.to_uppercase()),
        Native::Lower => text(on.to_lowercase()),
        Native::Unquoted => {
            let count = on.chars().count();
            let inner: String = on.chars().take(count.saturating_sub(1)).skip(1).collect();
            if count >= 2 { text(inner) } else { text(on) }
        }
        _ => return broke("a text has no such member"),
    })
}

pub fn of_map(function: Native, map: &RefCell<Vec<(V, V)>>, args: &[V]) -> Res<V> {
    let place = map.borrow().iter().position(|(key, _)| *key == args[1]);
    Ok(match function {
        Native::MapGet => place.map_or(V::Null, |at| map.borrow()[at].1.clone()),
        Native::MapHas => V::Truth(place.is_some()),
        Native::MapPut => {
            match place {
                Some(at) => map.borrow_mut()[at].1 = args[2].clone(),
                None => map.borrow_mut().push((args[1].clone(), args[2].clone())),
            }
            V::Null
        }
        _ => return broke("a value has no such member"),
    })
}
