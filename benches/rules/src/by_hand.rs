//! The checker as one would write it: types in an array, a substitution by number, names in a list.

use std::collections::HashMap;
use volvelle_trees::{ClassId, Classes, NodeId, Slot, Symbol, Tree};

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Int,
    Bool,
    Str,
    Product(u32, u32),
    Arrow(u32, u32),
    Free(u32),
}

#[derive(Clone, Copy)]
enum Bound {
    Typed(u32),
    Delayed(NodeId, u32),
}

struct Names {
    number: ClassId,
    truth: ClassId,
    text: ClassId,
    pair: ClassId,
    variable: ClassId,
    function: ClassId,
    bind: ClassId,
    apply: ClassId,
}

struct Checker<'t> {
    tree: &'t Tree,
    classes: &'t Classes,
    names: Names,
    types: Vec<Type>,
    known: Vec<Option<u32>>,
    /// Name, what it means, the scope around it.
    scopes: Vec<(Symbol, Bound, u32)>,
}

const EMPTY: u32 = u32::MAX;

pub fn type_of(classes: &Classes, tree: &Tree, root: NodeId) -> String {
    let class = |name: &str| classes.find(name).expect("the grammar has it");
    let names = Names {
        number: class("Number"),
        truth: class("Truth"),
        text: class("Text"),
        pair: class("Pair"),
        variable: class("Variable"),
        function: class("Fun"),
        bind: class("Let"),
        apply: class("Apply"),
    };
    let mut checker =
        Checker { tree, classes, names, types: Vec::new(), known: Vec::new(), scopes: Vec::new() };
    let Some(body) = checker.child(root, "body") else { return String::new() };
    match checker.infer(body, EMPTY) {
        Ok(found) => checker.print(found, &mut HashMap::new()),
        Err(why) => why,
    }
}

impl Checker<'_> {
    fn slot(&self, node: NodeId, field: &str) -> Slot {
        let field = self.classes.find_field(field).expect("the grammar has it");
        self.tree.field(self.classes, node, field)
    }

    fn child(&self, node: NodeId, field: &str) -> Option<NodeId> {
        match self.slot(node, field) {
            Slot::Node(node) => Some(node),
            _ => None,
        }
    }

    fn name(&self, node: NodeId) -> Symbol {
        match self.slot(node, "name") {
            Slot::Text(name) => name,
            _ => unreachable!("names are there"),
        }
    }

    fn add(&mut self, of: Type) -> u32 {
        self.types.push(of);
        self.types.len() as u32 - 1
    }

    fn fresh(&mut self) -> u32 {
        self.known.push(None);
        self.add(Type::Free(self.known.len() as u32 - 1))
    }

    fn resolve(&self, mut of: u32) -> u32 {
        while let Type::Free(number) = self.types[of as usize] {
            match self.known[number as usize] {
                Some(next) => of = next,
                None => break,
            }
        }
        of
    }

    fn occurs(&self, number: u32, of: u32) -> bool {
        match self.types[self.resolve(of) as usize] {
            Type::Free(other) => other == number,
            Type::Arrow(a, b) | Type::Product(a, b) => self.occurs(number, a) || self.occurs(number, b),
            _ => false,
        }
    }

    fn unify(&mut self, one: u32, other: u32) -> Result<(), String> {
        let (one, other) = (self.resolve(one), self.resolve(other));
        match (self.types[one as usize], self.types[other as usize]) {
            (Type::Free(a), Type::Free(b)) => {
                if a != b {
                    self.known[a as usize] = Some(other);
                }
                Ok(())
            }
            (Type::Free(number), _) => self.bind(number, other),
            (_, Type::Free(number)) => self.bind(number, one),
            (Type::Arrow(a, b), Type::Arrow(c, d)) | (Type::Product(a, b), Type::Product(c, d)) => {
                self.unify(a, c)?;
                self.unify(b, d)
            }
            (a, b) if a == b => Ok(()),
            _ => Err("mismatch".to_owned()),
        }
    }

    fn bind(&mut self, number: u32, to: u32) -> Result<(), String> {
        if self.occurs(number, to) {
            return Err("occurs".to_owned());
        }
        self.known[number as usize] = Some(to);
        Ok(())
    }

    fn infer(&mut self, node: NodeId, scope: u32) -> Result<u32, String> {
        let class = self.tree.class(node);
        let names = &self.names;
        if class == names.number {
            Ok(self.add(Type::Int))
        } else if class == names.truth {
            Ok(self.add(Type::Bool))
        } else if class == names.text {
            Ok(self.add(Type::Str))
        } else if class == names.pair {
            let first = self.infer(self.child(node, "first").expect("read"), scope)?;
            let second = self.infer(self.child(node, "second").expect("read"), scope)?;
            Ok(self.add(Type::Product(first, second)))
        } else if class == names.variable {
            let name = self.name(node);
            let mut at = scope;
            while at != EMPTY {
                let (known, bound, next) = self.scopes[at as usize];
                if known == name {
                    return match bound {
                        Bound::Typed(of) => Ok(of),
                        Bound::Delayed(value, scope) => self.infer(value, scope),
                    };
                }
                at = next;
            }
            Err("unbound".to_owned())
        } else if class == names.function {
            let from = self.fresh();
            self.scopes.push((self.name(node), Bound::Typed(from), scope));
            let inner = self.scopes.len() as u32 - 1;
            let to = self.infer(self.child(node, "body").expect("read"), inner)?;
            Ok(self.add(Type::Arrow(from, to)))
        } else if class == names.bind {
            let value = self.child(node, "value").expect("read");
            self.infer(value, scope)?;
            self.scopes.push((self.name(node), Bound::Delayed(value, scope), scope));
            let inner = self.scopes.len() as u32 - 1;
            self.infer(self.child(node, "body").expect("read"), inner)
        } else if class == names.apply {
            let function = self.infer(self.child(node, "function").expect("read"), scope)?;
            let argument = self.infer(self.child(node, "argument").expect("read"), scope)?;
            let known = self.resolve(function);
            if !matches!(self.types[known as usize], Type::Free(_) | Type::Arrow(..)) {
                return Err("not-a-function".to_owned());
            }
            let result = self.fresh();
            let wanted = self.add(Type::Arrow(argument, result));
            self.unify(known, wanted)?;
            Ok(result)
        } else {
            Err("no rule".to_owned())
        }
    }

    fn print(&self, of: u32, letters: &mut HashMap<u32, String>) -> String {
        match self.types[self.resolve(of) as usize] {
            Type::Int => "int".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Str => "string".to_owned(),
            Type::Product(a, b) => format!("({}, {})", self.print(a, letters), self.print(b, letters)),
            Type::Arrow(a, b) => {
                let is_arrow = matches!(self.types[self.resolve(a) as usize], Type::Arrow(..));
                let from = self.print(a, letters);
                let from = if is_arrow { format!("({from})") } else { from };
                format!("{from} -> {}", self.print(b, letters))
            }
            Type::Free(number) => {
                let next = letters.len();
                letters
                    .entry(number)
                    .or_insert_with(|| {
                        let letter = char::from(b'a' + (next % 26) as u8);
                        if next < 26 { letter.to_string() } else { format!("{letter}{}", next / 26) }
                    })
                    .clone()
            }
        }
    }
}
