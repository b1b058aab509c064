//! Terms of the lambda calculus: random ones, those of a type, and their inference as it is in books.

use super::Choices;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Bool,
    Str,
    Pair(Box<Type>, Box<Type>),
    Arrow(Box<Type>, Box<Type>),
    Free(usize),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("int"),
            Type::Bool => f.write_str("bool"),
            Type::Str => f.write_str("string"),
            Type::Pair(a, b) => write!(f, "({a}, {b})"),
            Type::Arrow(a, b) if matches!(**a, Type::Arrow(..)) => write!(f, "({a}) -> {b}"),
            Type::Arrow(a, b) => write!(f, "{a} -> {b}"),
            Type::Free(number) => {
                let letter = char::from(b'a' + (number % 26) as u8);
                if *number < 26 { write!(f, "{letter}") } else { write!(f, "{letter}{}", number / 26) }
            }
        }
    }
}

fn arrow(from: Type, to: Type) -> Type {
    Type::Arrow(Box::new(from), Box::new(to))
}

/// A type without variables.
pub fn ty(choices: &mut Choices<'_>, depth: usize) -> Type {
    match choices.below(if depth == 0 { 3 } else { 5 }) {
        0 => Type::Int,
        1 => Type::Bool,
        2 => Type::Str,
        3 => arrow(ty(choices, depth - 1), ty(choices, depth - 1)),
        _ => Type::Pair(Box::new(ty(choices, depth - 1)), Box::new(ty(choices, depth - 1))),
    }
}

/// A term of a type, where names have the types of `scope`, the newest last.
pub fn term(choices: &mut Choices<'_>, ty_of: &Type, scope: &mut Vec<Type>, depth: usize) -> String {
    let known: Vec<usize> = (0..scope.len()).filter(|&at| scope[at] == *ty_of).collect();
    if !known.is_empty() && choices.below(3) > 0 {
        return format!("x{}", known[choices.below(known.len())]);
    }
    if depth > 0 {
        let way = choices.below(6);
        let name = scope.len();
        if way == 1 || way == 2 {
            // Something else, by a function or a name.
            let other = ty(choices, 1);
            if way == 1 {
                let function = term(choices, &arrow(other.clone(), ty_of.clone()), scope, depth - 1);
                return format!("({function}) ({})", term(choices, &other, scope, depth - 1));
            }
            let value = term(choices, &other, scope, depth - 1);
            scope.push(other);
            let body = term(choices, ty_of, scope, depth - 1);
            scope.pop();
            return format!("(let x{name} = {value} in {body})");
        }
    }
    match ty_of {
        Type::Bool => "true".to_owned(),
        Type::Str => "\"s\"".to_owned(),
        Type::Int | Type::Free(_) => "1".to_owned(),
        Type::Pair(a, b) => {
            let a = term(choices, a, scope, depth.saturating_sub(1));
            format!("({a}, {})", term(choices, b, scope, depth.saturating_sub(1)))
        }
        Type::Arrow(from, to) => {
            let name = scope.len();
            scope.push((**from).clone());
            let body = term(choices, to, scope, depth.saturating_sub(1));
            scope.pop();
            format!("(\\x{name} : {from}. {body})")
        }
    }
}

/// A term.
#[derive(Clone, Debug)]
pub enum Term {
    Number,
    Truth,
    Name(usize),
    Pair(Box<Term>, Box<Term>),
    Function(usize, Box<Term>),
    Apply(Box<Term>, Box<Term>),
    Let(usize, Box<Term>, Box<Term>),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number => f.write_str("1"),
            Term::Truth => f.write_str("true"),
            Term::Name(name) => write!(f, "x{name}"),
            Term::Pair(a, b) => write!(f, "({a}, {b})"),
            Term::Function(name, body) => write!(f, "(\\x{name}. {body})"),
            Term::Apply(a, b) => write!(f, "({a} {b})"),
            Term::Let(name, value, body) => write!(f, "(let x{name} = {value} in {body})"),
        }
    }
}

/// Any term whose names are bound.
pub fn any(choices: &mut Choices<'_>, scope: &[usize], depth: usize) -> Term {
    let inner = |choices: &mut Choices<'_>, bound: Option<usize>| {
        let mut scope = scope.to_vec();
        scope.extend(bound);
        Box::new(any(choices, &scope, depth - 1))
    };
    // A name may be bound again within.
    let name = 7 - depth.min(6);
    match choices.below(if depth == 0 { 3 } else { 9 }) {
        0 => Term::Number,
        1 => Term::Truth,
        2 => match scope.len() {
            0 => Term::Number,
            count => Term::Name(scope[choices.below(count)]),
        },
        3 => Term::Pair(inner(choices, None), inner(choices, None)),
        4 | 5 => Term::Function(name, inner(choices, Some(name))),
        6 | 7 => Term::Apply(inner(choices, None), inner(choices, None)),
        _ => Term::Let(name, inner(choices, None), inner(choices, Some(name))),
    }
}

/// The type of a term without free names, printed; nothing where it has none. What `let` binds must have a type, and
/// is put in the place of its name.
pub fn inferred(term: &Term) -> Option<String> {
    let mut next = 0;
    let mut known: Vec<(usize, Type)> = Vec::new();
    let ty = infer(term, &[], &mut known, &mut next)?;
    let ty = applied(&known, &ty);
    let mut names = Vec::new();
    Some(renamed(&ty, &mut names).to_string())
}

#[derive(Clone)]
enum Bound {
    Of(Type),
    Term(Box<Term>, Vec<(usize, Bound)>),
}

fn infer(
    term: &Term,
    scope: &[(usize, Bound)],
    known: &mut Vec<(usize, Type)>,
    next: &mut usize,
) -> Option<Type> {
    let mut fresh = || {
        *next += 1;
        Type::Free(*next)
    };
    let with = |name: usize, bound: Bound| -> Vec<(usize, Bound)> {
        scope.iter().cloned().chain([(name, bound)]).collect()
    };
    Some(match term {
        Term::Number => Type::Int,
        Term::Truth => Type::Bool,
        Term::Name(name) => match &scope.iter().rev().find(|(known, _)| known == name)?.1 {
            Bound::Of(ty) => ty.clone(),
            Bound::Term(term, scope) => infer(term, scope, known, next)?,
        },
        Term::Pair(a, b) => {
            let a = infer(a, scope, known, next)?;
            Type::Pair(Box::new(a), Box::new(infer(b, scope, known, next)?))
        }
        Term::Function(name, body) => {
            let from = fresh();
            let scope = with(*name, Bound::Of(from.clone()));
            arrow(from, infer(body, &scope, known, next)?)
        }
        Term::Apply(function, argument) => {
            let to = fresh();
            let function = infer(function, scope, known, next)?;
            let argument = infer(argument, scope, known, next)?;
            unify(&function, &arrow(argument, to.clone()), known)?;
            to
        }
        Term::Let(name, value, body) => {
            infer(value, scope, known, next)?;
            let bound = Bound::Term(value.clone(), scope.to_vec());
            infer(body, &with(*name, bound), known, next)?
        }
    })
}

/// A type with all that is known put in.
fn applied(known: &[(usize, Type)], ty: &Type) -> Type {
    match ty {
        Type::Free(number) => match known.iter().find(|(other, _)| other == number) {
            Some((_, ty)) => applied(known, ty),
            None => ty.clone(),
        },
        Type::Pair(a, b) => Type::Pair(Box::new(applied(known, a)), Box::new(applied(known, b))),
        Type::Arrow(a, b) => arrow(applied(known, a), applied(known, b)),
        plain => plain.clone(),
    }
}

fn unify(a: &Type, b: &Type, known: &mut Vec<(usize, Type)>) -> Option<()> {
    match (applied(known, a), applied(known, b)) {
        (a, b) if a == b => Some(()),
        (Type::Free(number), other) | (other, Type::Free(number)) => {
            if occurs(number, &other) {
                return None;
            }
            known.push((number, other));
            Some(())
        }
        (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Arrow(a, b), Type::Arrow(c, d)) => {
            unify(&a, &c, known)?;
            unify(&b, &d, known)
        }
        _ => None,
    }
}

fn occurs(number: usize, ty: &Type) -> bool {
    match ty {
        Type::Free(other) => *other == number,
        Type::Pair(a, b) | Type::Arrow(a, b) => occurs(number, a) || occurs(number, b),
        _ => false,
    }
}

/// Variables by their order in the text.
fn renamed(ty: &Type, names: &mut Vec<usize>) -> Type {
    match ty {
        Type::Free(number) => {
            let at = names.iter().position(|name| name == number).unwrap_or_else(|| {
                names.push(*number);
                names.len() - 1
            });
            Type::Free(at)
        }
        Type::Pair(a, b) => {
            let a = renamed(a, names);
            Type::Pair(Box::new(a), Box::new(renamed(b, names)))
        }
        Type::Arrow(a, b) => {
            let a = renamed(a, names);
            arrow(a, renamed(b, names))
        }
        plain => plain.clone(),
    }
}
