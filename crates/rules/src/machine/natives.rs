//! Functions that all systems have.

use super::{Machine, Trouble, plain};
use crate::ir::Native;
use crate::value::Value;
use volvelle_diagnostics::Span;
use volvelle_trees::{ClassId, NodeId, Slot};

impl Machine<'_> {
    /// Applies a function to registers.
    pub(super) fn native(
        &mut self,
        function: Native,
        first: usize,
        count: usize,
        above: usize,
    ) -> Result<Value, Trouble> {
        use Native as N;
        let on = self.regs[first];
        let arg = if count > 1 { self.regs[first + 1] } else { Value::Null };
        if on == Value::Null && !matches!(function, N::ToText) {
            return Err(self.broke("a value of which something is asked is null"));
        }
        match (function, on) {
            (N::ToText, _) => self.text_of(on, above).map(Value::Text),
            (N::SourceText, Value::Node(node)) => {
                let text = (self.source)(self.tree.span(node));
                Ok(self.heap.text(text))
            }
            (N::SourceText, _) => self.text_of(on, above).map(Value::Text),
            (N::ClassName, _) => {
                let system = self.system;
                let name = self.class(on).map_or("null", |class| &system.universe.classes.class(class).name);
                Ok(self.heap.text(name))
            }
            (_, Value::List(_)) => self.native_of_list(function, on, arg, above),
            (_, Value::Text(_)) => self.native_of_text(function, first),
            (_, Value::Node(node)) => Ok(self.native_of_node(function, node, arg)),
            (N::MapGet, Value::Map(map)) => {
                self.effects += 1;
                let key = self.heap.same(arg);
                Ok(self.heap.entries(map).get(&key).copied().unwrap_or(Value::Null))
            }
            (N::MapHas, Value::Map(map)) => {
                self.effects += 1;
                let key = self.heap.same(arg);
                Ok(Value::Truth(self.heap.entries(map).contains_key(&key)))
            }
            (N::MapPut, Value::Map(map)) => {
                self.effects += 1;
                let key = self.heap.same(arg);
                let value = self.leaks(self.regs[first + 2]);
                let value = self.heap.same(value);
                self.heap.entries(map).insert(key, value);
                Ok(Value::Null)
            }
            (N::Message, Value::Failure(failure)) => {
                self.asked_about(failure)?;
                match self.said(failure, above)? {
                    said if said.message != Value::Null => Ok(said.message),
                    _ if self.failures[failure.index()].what == crate::failure::What::Fail => Ok(Value::Null),
                    _ => self.default_message(failure, above).map(Value::Text),
                }
            }
            (N::Data, Value::Failure(failure)) => {
                self.asked_about(failure)?;
                Ok(self.said(failure, above)?.data)
            }
            (N::Cause, Value::Failure(failure)) => {
                Ok(self.failures[failure.index()].cause.map_or(Value::Null, Value::Failure))
            }
            _ => Err(self.broke("a value has no such member")),
        }
    }

    fn native_of_list(
        &mut self,
        function: Native,
        on: Value,
        arg: Value,
        above: usize,
    ) -> Result<Value, Trouble> {
        use Native as N;
        let Value::List(list) = on else { return Ok(Value::Null) };
        let size = self.heap.items(list).len();
        Ok(match function {
            N::Size => self.heap.number(size as i64),
            N::IsEmpty => Value::Truth(size == 0),
            N::Head => self.heap.items(list).first().copied().unwrap_or(Value::Null),
            N::Last => self.heap.items(list).last().copied().unwrap_or(Value::Null),
            N::Tail => Value::List(self.heap.part(list, size.min(1), size)),
            N::Get => match self.heap.as_number(arg).and_then(|at| usize::try_from(at).ok()) {
                Some(at) if at < size => self.heap.items(list)[at],
                _ => {
                    return Err(
                        self.broke(format!("the list has {size} items; there is none of this number"))
                    );
                }
            },
            N::Contains | N::IndexOf => {
                let wanted = self.heap.same(arg);
                let items = self.heap.items(list).to_vec();
                let at = items.into_iter().position(|item| self.heap.same(item) == wanted);
                match function {
                    N::Contains => Value::Truth(at.is_some()),
                    _ => self.heap.number(at.map_or(-1, |at| at as i64)),
                }
            }
            N::Reverse => {
                let items: Vec<Value> = self.heap.items(list).iter().rev().copied().collect();
                Value::List(self.heap.list(&items))
            }
            N::Distinct => {
                let mut known = rustc_hash::FxHashSet::default();
                let items = self.heap.items(list).to_vec();
                let kept: Vec<Value> = items
                    .into_iter()
                    .map(|item| self.heap.same(item))
                    .filter(|&item| known.insert(item))
                    .collect();
                Value::List(self.heap.list(&kept))
            }
            N::Flatten => {
                let mut all = Vec::new();
                for &item in self.heap.items(list) {
                    if let Value::List(inner) = item {
                        all.extend_from_slice(self.heap.items(inner));
                    }
                }
                Value::List(self.heap.list(&all))
            }
            N::Join => {
                let Value::Text(between) = arg else {
                    return Err(self.broke("the text is null"));
                };
                let mut text = String::new();
                for at in 0..size {
                    let item = self.heap.items(list)[at];
                    let item = self.text_of(item, above)?;
                    if at > 0 {
                        text.push_str(self.heap.texts.text(between));
                    }
                    text.push_str(self.heap.texts.text(item));
                }
                self.heap.text(&text)
            }
            _ => return Err(self.broke("a list has no such member")),
        })
    }

    fn native_of_text(&mut self, function: Native, first: usize) -> Result<Value, Trouble> {
        use Native as N;
        let of = |value: Value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        };
        let Some(on) = of(self.regs[first]) else { return Ok(Value::Null) };
        let arg = of(self.regs.get(first + 1).copied().unwrap_or(Value::Null));
        let needs_text = matches!(function, N::StartsWith | N::EndsWith | N::IsBefore);
        if needs_text && arg.is_none() {
            return Err(self.broke("the text is null"));
        }
        let (from, to) = if function == N::Substring { self.numbers(first + 1, first + 2)? } else { (0, 0) };
        let text = self.heap.texts.text(on);
        let arg = arg.map_or("", |arg| self.heap.texts.text(arg));
        let made = match function {
            N::Length => {
                let length = text.chars().count();
                return Ok(self.heap.number(length as i64));
            }
            N::StartsWith => {
                return Ok(Value::Truth(text.starts_with(arg)));
            }
            N::IsBefore => {
                return Ok(Value::Truth(text < arg));
            }
            N::EndsWith => {
                return Ok(Value::Truth(text.ends_with(arg)));
            }
            N::IsDigits => {
                return Ok(Value::Truth(!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())));
            }
            N::ToNumber => {
                return match text.parse::<i64>() {
                    Ok(number) => Ok(self.heap.number(number)),
                    Err(_) => {
                        let message = format!("`{text}` is no number of 64 bits");
                        Err(self.broke(message))
                    }
                };
            }
            N::Substring => {
                let (from, to) = (from.max(0) as usize, to.max(0) as usize);
                text.chars().skip(from).take(to.saturating_sub(from)).collect()
            }
            N::Upper => text.to_uppercase(),
            N::Lower => text.to_lowercase(),
            N::Unquoted if text.chars().count() >= 2 => {
                let mut chars = text.chars();
                chars.next();
                chars.next_back();
                chars.as_str().to_owned()
            }
            N::Unquoted => text.to_owned(),
            _ => return Err(self.broke("a text has no such member")),
        };
        Ok(self.heap.text(&made))
    }

    fn native_of_node(&mut self, function: Native, node: NodeId, arg: Value) -> Value {
        use Native as N;
        let value = |node: Option<NodeId>| node.map_or(Value::Null, Value::Node);
        match function {
            N::Container => value(self.tree.parent(node)),
            N::Root => value(Some(self.root_of(node))),
            N::ContainerOf(class) => {
                let mut at = self.tree.parent(node);
                while let Some(parent) = at {
                    if self.system.universe.is_kind(self.tree.class(parent), class) {
                        break;
                    }
                    at = self.tree.parent(parent);
                }
                value(at)
            }
            N::Previous => value(self.beside(node, false)),
            N::Next => value(self.beside(node, true)),
            N::Offset => {
                let start = self.tree.span(node).start;
                self.heap.number(start.into())
            }
            N::Line => {
                // Lines are asked for in messages, which are few.
                let before = Span { start: 0, end: self.tree.span(node).start, ..self.tree.span(node) };
                let lines = (self.source)(before).matches('\n').count() + 1;
                self.heap.number(lines as i64)
            }
            N::All(class) => {
                let found = self.within(node, class);
                let items: Vec<Value> = found.into_iter().map(Value::Node).collect();
                Value::List(self.heap.list(&items))
            }
            N::Named(class) => {
                let Value::Text(name) = arg else { return Value::Null };
                self.index_names();
                let root = self.root_of(node);
                let found = self
                    .named
                    .get(&(class, name))
                    .and_then(|all| all.iter().copied().find(|&one| self.root_of(one) == root));
                value(found)
            }
            _ => Value::Null,
        }
    }

    fn root_of(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while let Some(parent) = self.tree.parent(at) {
            at = parent;
        }
        at
    }

    /// The node before or behind one in a list.
    fn beside(&self, node: NodeId, behind: bool) -> Option<NodeId> {
        let parent = self.tree.parent(node)?;
        let fields = self.system.universe.classes.class(self.tree.class(parent)).fields.len();
        for place in 0..fields {
            let Slot::List(list) = self.tree.slot(parent, place) else { continue };
            let items = self.tree.items(list);
            // Nodes of a list have rising numbers.
            let key = |item: &volvelle_trees::Placed| match item.slot {
                Slot::Node(node) => node,
                _ => NodeId(0),
            };
            if let Ok(at) = items.binary_search_by_key(&node, key) {
                let at = if behind { at.checked_add(1) } else { at.checked_sub(1) };
                return at.and_then(|at| items.get(at)).map(key);
            }
        }
        None
    }

    /// All nodes of a class in a node, itself among them, in the order of the text.
    fn within(&self, node: NodeId, class: ClassId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if self.system.universe.is_kind(self.tree.class(node), class) {
                found.push(node);
            }
            let fields = self.system.universe.classes.class(self.tree.class(node)).fields.len();
            let from = waiting.len();
            for place in 0..fields {
                match self.tree.slot(node, place) {
                    Slot::Node(inner) => waiting.push(inner),
                    Slot::List(list) => {
                        waiting.extend(self.tree.items(list).iter().filter_map(|item| {
                            match plain(item.slot) {
                                Value::Node(node) => Some(node),
                                _ => None,
                            }
                        }));
                    }
                    Slot::Nothing | Slot::Flag(_) | Slot::Text(_) => {}
                }
            }
            waiting[from..].sort_by_key(|&inner| std::cmp::Reverse(self.tree.span(inner).start));
        }
        found
    }

    /// Finds nodes by their class and name, once for a program.
    fn index_names(&mut self) {
        if std::mem::replace(&mut self.is_named, true) {
            return;
        }
        let classes = &self.system.universe.classes;
        let Some(field) = classes.find_field("name") else { return };
        for node in self.tree.nodes() {
            let own = self.tree.class(node);
            let Slot::Text(name) = self.tree.field(classes, node, field) else { continue };
            let mut above = vec![own];
            let mut at = 0;
            while let Some(&class) = above.get(at) {
                for &supertype in &classes.class(class).supertypes {
                    if !above.contains(&supertype) {
                        above.push(supertype);
                    }
                }
                at += 1;
            }
            for class in above {
                self.named.entry((class, name)).or_default().push(node);
            }
        }
        // In the order of the text.
        for all in self.named.values_mut() {
            all.sort_by_key(|&node| (self.tree.span(node).file.0, self.tree.span(node).start));
        }
    }
}
