//! Featherweight Java: programs that are made well typed, their types, and one step of their reduction.

use super::Choices;
use std::fmt;

#[derive(Clone, Debug)]
pub enum Expr {
    This,
    Name(String),
    New(String, Vec<Expr>),
    Field(Box<Expr>, String),
    Call(Box<Expr>, String, Vec<Expr>),
    Cast(String, Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Method {
    result: String,
    name: String,
    params: Vec<(String, String)>,
    body: Expr,
}

#[derive(Clone, Debug)]
pub struct Class {
    name: String,
    above: Option<String>,
    /// Types and names.
    fields: Vec<(String, String)>,
    methods: Vec<Method>,
}

#[derive(Clone, Debug)]
pub struct Program {
    classes: Vec<Class>,
    pub main: Expr,
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::This => f.write_str("this"),
            Expr::Name(name) => f.write_str(name),
            Expr::New(class, args) => write!(f, "new {class}({})", list(args)),
            Expr::Field(on, name) => write!(f, "({on}).{name}"),
            Expr::Call(on, name, args) => write!(f, "({on}).{name}({})", list(args)),
            Expr::Cast(class, on) => write!(f, "(({class}) {on})"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_main(self, &self.main))
    }
}

/// The text of a program with another main expression.
pub fn with_main(program: &Program, main: &Expr) -> String {
    let mut text = String::new();
    for class in &program.classes {
        let above = class.above.as_ref().map_or(String::new(), |above| format!("extends {above} "));
        text += &format!("class {} {above}{{ ", class.name);
        for (ty, name) in &class.fields {
            text += &format!("{ty} {name}; ");
        }
        for method in &class.methods {
            let params: Vec<String> = method.params.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
            text += &format!(
                "{} {}({}) {{ return {}; }} ",
                method.result,
                method.name,
                params.join(", "),
                method.body
            );
        }
        text += "}\n";
    }
    text + &main.to_string()
}

impl Expr {
    pub fn size(&self) -> usize {
        1 + match self {
            Expr::This | Expr::Name(_) => 0,
            Expr::New(_, args) => args.iter().map(Expr::size).sum(),
            Expr::Field(on, _) | Expr::Cast(_, on) => on.size(),
            Expr::Call(on, _, args) => on.size() + args.iter().map(Expr::size).sum::<usize>(),
        }
    }
}

fn class_of<'p>(program: &'p Program, name: &str) -> Option<&'p Class> {
    program.classes.iter().find(|class| class.name == name)
}

/// A class and those above it.
fn above<'p>(program: &'p Program, name: &str) -> Vec<&'p Class> {
    let first = class_of(program, name);
    std::iter::successors(first, |class| class_of(program, class.above.as_deref()?)).collect()
}

fn fields(program: &Program, class: &str) -> Vec<(String, String)> {
    above(program, class).into_iter().rev().flat_map(|class| class.fields.clone()).collect()
}

fn method<'p>(program: &'p Program, class: &str, name: &str) -> Option<&'p Method> {
    above(program, class).into_iter().flat_map(|class| &class.methods).find(|method| method.name == name)
}

pub fn is_below(program: &Program, one: &str, other: &str) -> bool {
    one == other || other == "Object" || above(program, one).iter().any(|class| class.name == other)
}

/// The type of an expression, as the rules of the paper say; casts of any kind are allowed that may hold.
pub fn type_of(program: &Program, scope: &[(String, String)], expr: &Expr) -> Option<String> {
    let fit = |args: &[Expr], wanted: Vec<&String>| -> Option<()> {
        let is_right = args.len() == wanted.len()
            && args.iter().zip(wanted).all(|(arg, wanted)| {
                type_of(program, scope, arg).is_some_and(|own| is_below(program, &own, wanted))
            });
        is_right.then_some(())
    };
    let named = |name: &str| scope.iter().find(|(_, known)| known == name).map(|(ty, _)| ty.clone());
    match expr {
        Expr::This => named("this"),
        Expr::Name(name) => named(name),
        Expr::New(class, args) => {
            let all = fields(program, class);
            fit(args, all.iter().map(|(ty, _)| ty).collect())?;
            Some(class.clone())
        }
        Expr::Field(on, name) => {
            let on = type_of(program, scope, on)?;
            fields(program, &on).into_iter().find(|(_, known)| known == name).map(|(ty, _)| ty)
        }
        Expr::Call(on, name, args) => {
            let on = type_of(program, scope, on)?;
            let method = method(program, &on, name)?;
            fit(args, method.params.iter().map(|(ty, _)| ty).collect())?;
            Some(method.result.clone())
        }
        Expr::Cast(class, on) => {
            let on = type_of(program, scope, on)?;
            (is_below(program, &on, class) || is_below(program, class, &on)).then(|| class.clone())
        }
    }
}

/// One step: the leftmost innermost one. Nothing where it is a value, or a cast that does not hold.
pub fn step(program: &Program, expr: &Expr) -> Option<Expr> {
    let first = |args: &[Expr]| -> Option<Vec<Expr>> {
        let (at, next) = args.iter().enumerate().find_map(|(at, arg)| Some((at, step(program, arg)?)))?;
        let mut args = args.to_vec();
        args[at] = next;
        Some(args)
    };
    match expr {
        Expr::This | Expr::Name(_) => None,
        Expr::New(class, args) => Some(Expr::New(class.clone(), first(args)?)),
        Expr::Field(on, name) => {
            if let Some(next) = step(program, on) {
                return Some(Expr::Field(Box::new(next), name.clone()));
            }
            let Expr::New(class, args) = &**on else { return None };
            let at = fields(program, class).iter().position(|(_, known)| known == name)?;
            args.get(at).cloned()
        }
        Expr::Call(on, name, args) => {
            if let Some(next) = step(program, on) {
                return Some(Expr::Call(Box::new(next), name.clone(), args.clone()));
            }
            if let Some(args) = first(args) {
                return Some(Expr::Call(on.clone(), name.clone(), args));
            }
            let Expr::New(class, _) = &**on else { return None };
            let method = method(program, class, name)?;
            Some(put(&method.body, on, &method.params, args))
        }
        Expr::Cast(class, on) => {
            if let Some(next) = step(program, on) {
                return Some(Expr::Cast(class.clone(), Box::new(next)));
            }
            match &**on {
                Expr::New(own, _) if is_below(program, own, class) => Some((**on).clone()),
                _ => None,
            }
        }
    }
}

/// A body with values in the places of `this` and of parameters.
fn put(body: &Expr, this: &Expr, params: &[(String, String)], args: &[Expr]) -> Expr {
    let within = |expr: &Expr| Box::new(put(expr, this, params, args));
    let all = |exprs: &[Expr]| exprs.iter().map(|expr| put(expr, this, params, args)).collect();
    match body {
        Expr::This => this.clone(),
        Expr::Name(name) => {
            let at = params.iter().position(|(_, known)| known == name);
            at.and_then(|at| args.get(at).cloned()).unwrap_or_else(|| body.clone())
        }
        Expr::New(class, inner) => Expr::New(class.clone(), all(inner)),
        Expr::Field(on, name) => Expr::Field(within(on), name.clone()),
        Expr::Call(on, name, inner) => Expr::Call(within(on), name.clone(), all(inner)),
        Expr::Cast(class, on) => Expr::Cast(class.clone(), within(on)),
    }
}

/// Classes, each of which may extend an earlier one and has fields of earlier ones, so that there are values of all; methods with the
/// same name and types below each other; a main expression.
pub fn program(choices: &mut Choices<'_>) -> Program {
    let mut program = Program { classes: Vec::new(), main: Expr::New("Object".to_owned(), Vec::new()) };
    let count = 1 + choices.below(4);
    for number in 0..count {
        let known: Vec<String> = program.classes.iter().map(|class| class.name.clone()).collect();
        let any = |choices: &mut Choices<'_>| match choices.below(known.len() + 1) {
            0 => "Object".to_owned(),
            at => known[at - 1].clone(),
        };
        let above = Some(any(choices)).filter(|name| name != "Object");
        let fields = (0..choices.below(3)).map(|at| (any(choices), format!("f{number}{at}"))).collect();
        program.classes.push(Class { name: format!("C{number}"), above, fields, methods: Vec::new() });
    }
    for number in 0..count {
        let class = program.classes[number].name.clone();
        for at in 0..choices.below(3) {
            let name = format!("m{at}");
            // An inherited method keeps its types.
            let (result, params) = match method(&program, &class, &name) {
                Some(method) => (method.result.clone(), method.params.clone()),
                None => {
                    let result = one_class(&program, choices);
                    let params =
                        (0..choices.below(3)).map(|at| (one_class(&program, choices), format!("p{at}")));
                    (result, params.collect())
                }
            };
            let mut scope = vec![(class.clone(), "this".to_owned())];
            scope.extend(params.iter().cloned());
            let body = expr(&program, choices, &scope, &result, 2);
            program.classes[number].methods.push(Method { result, name, params, body });
        }
    }
    let wanted = one_class(&program, choices);
    program.main = expr(&program, choices, &[], &wanted, 4);
    program
}

fn one_class(program: &Program, choices: &mut Choices<'_>) -> String {
    match choices.below(program.classes.len() + 1) {
        0 => "Object".to_owned(),
        at => program.classes[at - 1].name.clone(),
    }
}

/// An expression whose type is below the wanted one.
fn expr(
    program: &Program,
    choices: &mut Choices<'_>,
    scope: &[(String, String)],
    wanted: &str,
    depth: usize,
) -> Expr {
    let mut ways: Vec<Expr> = Vec::new();
    for (ty, name) in scope {
        if is_below(program, ty, wanted) {
            ways.push(if name == "this" { Expr::This } else { Expr::Name(name.clone()) });
        }
    }
    if depth > 0 {
        let args = |choices: &mut Choices<'_>, types: &[(String, String)]| -> Vec<Expr> {
            types.iter().map(|(ty, _)| expr(program, choices, scope, ty, depth - 1)).collect()
        };
        // Members of classes that give what is wanted.
        let mut members: Vec<(String, Option<String>, Option<&Method>)> = Vec::new();
        for class in &program.classes {
            for (ty, name) in fields(program, &class.name) {
                if is_below(program, &ty, wanted) {
                    members.push((class.name.clone(), Some(name), None));
                }
            }
            for method in &class.methods {
                if is_below(program, &method.result, wanted) {
                    members.push((class.name.clone(), None, Some(method)));
                }
            }
        }
        match choices.below(4) {
            1 if !members.is_empty() => {
                let (class, field, method) = members.swap_remove(choices.below(members.len()));
                let on = Box::new(expr(program, choices, scope, &class, depth - 1));
                return match (field, method) {
                    (Some(field), _) => Expr::Field(on, field),
                    (None, Some(method)) => {
                        Expr::Call(on, method.name.clone(), args(choices, &method.params))
                    }
                    (None, None) => *on,
                };
            }
            2 => {
                let on = Box::new(expr(program, choices, scope, wanted, depth - 1));
                return Expr::Cast(wanted.to_owned(), on);
            }
            _ => {}
        }
        let below: Vec<&Class> =
            program.classes.iter().filter(|class| is_below(program, &class.name, wanted)).collect();
        if !below.is_empty() && choices.below(3) > 0 {
            let class = &below[choices.below(below.len())].name;
            return Expr::New(class.clone(), args(choices, &fields(program, class)));
        }
    }
    if !ways.is_empty() {
        return ways.swap_remove(choices.below(ways.len()));
    }
    // Fields are of earlier classes, so that this ends.
    let args = fields(program, wanted).iter().map(|(ty, _)| expr(program, choices, scope, ty, 0)).collect();
    Expr::New(wanted.to_owned(), args)
}
