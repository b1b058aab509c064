//! Expressions.

use super::value::{Res, Stop, V, bind, broke, fail, find, list, mappings, text, told};
use super::{Second, What, env_of};
use std::rc::Rc;
use volvelle_rules::ir::{Arithmetic, Comparison, Expr, Kind, Native, Through};
use volvelle_rules::value::{EnvId, Value};
use volvelle_trees::{Slot, Symbol};

impl Second<'_> {
    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    pub fn eval(&mut self, expr: &Expr, locals: &mut Vec<V>) -> Res<V> {
        let system = self.system;
        Ok(match &expr.kind {
            Kind::Const(value) => self.constant(*value),
            Kind::Local(local) => locals[local.index()].clone(),
            Kind::Global(global) => match &self.globals[global.index()] {
                Some(value) => value.clone(),
                None => {
                    let Some(routine) = system.globals[*global].value else { return Ok(V::Null) };
                    let value = self.silently(|second| second.run(routine, Vec::new()))?.swap_remove(0);
                    self.globals[global.index()] = Some(value.clone());
                    value
                }
            },
            Kind::SetGlobal(global, value) => {
                let value = self.eval(value, locals)?;
                self.globals[global.index()] = Some(value);
                V::Null
            }
            Kind::Bind(parts) => {
                let [env, key, value] = &**parts;
                let env = self.eval(env, locals)?;
                let (key, value) = (self.eval(key, locals)?, self.eval(value, locals)?);
                V::Env(bind(&env_of(env)?, key, value))
            }
            Kind::Over(parts) => {
                let (below, above) = self.pair(parts, locals)?;
                let (below, above) = (env_of(below)?, env_of(above)?);
                if below.is_none() {
                    return Ok(V::Env(above));
                }
                let over = mappings(&above).into_iter().rev();
                V::Env(over.fold(below, |env, (key, value)| bind(&env, key, value)))
            }
            Kind::Lookup { env, key, class } => {
                let env = self.eval(env, locals)?;
                let key = self.eval(key, locals)?;
                let Some(value) = find(&env_of(env)?, &key) else {
                    let key = self.text_of(&key)?;
                    return told(format!("no mapping in the environment for: {key}"));
                };
                if let Some(class) = *class
                    && !self.is(&value, class)
                {
                    let name = &system.universe.classes.class(class).name;
                    let value = self.text_of(&value)?;
                    return told(format!("mapped value {value} cannot be assigned to {name}"));
                }
                value
            }
            Kind::List(items) => list(self.all(items, locals)?),
            Kind::Field { on, field, safe } => {
                let on = self.eval(on, locals)?;
                let classes = &system.universe.classes;
                let tree = &self.program.tree;
                match on {
                    V::Null if *safe => V::Null,
                    V::Node(node) => match classes.place(tree.class(node), *field) {
                        Some(place) => self.slot(tree.slot(node, place)),
                        None => return broke("there is no such field"),
                    },
                    V::Data(class, fields) => match classes.place(class, *field) {
                        Some(place) => fields[place].clone(),
                        None => return broke("there is no such field"),
                    },
                    _ => return broke("the value of which a field is asked is null"),
                }
            }
            Kind::Half { on, second } => match self.eval(on, locals)? {
                V::Data(_, fields) => fields[usize::from(*second)].clone(),
                _ => return broke("the pair is null"),
            },
            Kind::Native { function, args } => {
                let args = self.all(args, locals)?;
                self.native(*function, &args)?
            }
            Kind::Call { function, args, boolean } => {
                let args = self.all(args, locals)?;
                let result = self.call(*function, args);
                if *boolean { held(result)? } else { result? }
            }
            Kind::Ask { judgment, env, inputs, outputs, boolean } => {
                let env = self.eval(env, locals)?;
                let inputs = self.all(inputs, locals)?;
                let results = self.judge(*judgment, env, inputs);
                if *boolean {
                    return held(results);
                }
                for (output, value) in outputs.iter().zip(results?) {
                    locals[output.index()] = value;
                }
                V::Null
            }
            Kind::Host { .. } => return broke("functions of languages have no second opinion"),
            Kind::Make { class, args } => V::Data(*class, Rc::new(self.all(args, locals)?)),
            Kind::NewMap => V::Map(Rc::default()),
            Kind::Seq(all) => {
                let mut value = V::Null;
                for one in all {
                    value = self.eval(one, locals)?;
                }
                value
            }
            Kind::Premise(condition) => {
                if let Kind::Call { function, args, boolean: true } = &condition.kind {
                    let args = self.all(args, locals)?;
                    self.call(*function, args)?;
                } else if self.eval(condition, locals)? != V::Truth(true) {
                    return told(self.sources.text(expr.span).to_owned());
                }
                V::Null
            }
            Kind::If { condition, then, otherwise } => {
                if self.eval(condition, locals)? == V::Truth(true) {
                    self.eval(then, locals)?
                } else if let Some(otherwise) = otherwise {
                    self.eval(otherwise, locals)?
                } else {
                    V::Null
                }
            }
            Kind::While { condition, body } => {
                while self.eval(condition, locals)? == V::Truth(true) {
                    self.eval(body, locals)?;
                    self.spend()?;
                }
                V::Null
            }
            Kind::Through { how, list, item, body } => {
                self.through(*how, list, item.index(), body, locals)?
            }
            Kind::Fold { list, start, total, item, body } => {
                locals[total.index()] = self.eval(start, locals)?;
                let V::List(items) = self.eval(list, locals)? else { return broke("the list is null") };
                for one in items.iter() {
                    locals[item.index()] = one.clone();
                    locals[total.index()] = self.eval(body, locals)?;
                }
                locals[total.index()].clone()
            }
            Kind::SetLocal(local, value) => {
                locals[local.index()] = self.eval(value, locals)?;
                V::Null
            }
            Kind::Is(value, class) => {
                let value = self.eval(value, locals)?;
                V::Truth(self.is(&value, *class))
            }
            Kind::Cast(value, class) => {
                let value = self.eval(value, locals)?;
                self.assignable(&value, *class)?;
                value
            }
            Kind::And(parts) => match self.eval(&parts[0], locals)? {
                V::Truth(true) => self.eval(&parts[1], locals)?,
                other => other,
            },
            Kind::Or(parts) => match self.eval(&parts[0], locals)? {
                V::Truth(true) => V::Truth(true),
                _ => self.eval(&parts[1], locals)?,
            },
            Kind::Not(value) => V::Truth(self.eval(value, locals)? != V::Truth(true)),
            Kind::Equal(parts) => {
                let (a, b) = self.pair(parts, locals)?;
                V::Truth(a == b)
            }
            Kind::Compare(comparison, parts) => {
                let (a, b) = self.numbers(parts, locals)?;
                V::Truth(match comparison {
                    Comparison::Less => a < b,
                    Comparison::AtMost => a <= b,
                })
            }
            Kind::Arithmetic(operation, parts) => {
                let (a, b) = self.numbers(parts, locals)?;
                let value = match operation {
                    Arithmetic::Add => a.checked_add(b),
                    Arithmetic::Subtract => a.checked_sub(b),
                    Arithmetic::Multiply => a.checked_mul(b),
                    Arithmetic::Divide => a.checked_div(b),
                    Arithmetic::Modulo => a.checked_rem(b),
                };
                match value {
                    Some(value) => V::Number(value),
                    None if b == 0 => return told("division by zero".to_owned()),
                    None => return told("a number of more than 64 bits".to_owned()),
                }
            }
            Kind::Concat(parts) => {
                let (a, b) = self.pair(parts, locals)?;
                let (a, b) = (self.text_of(&a)?, self.text_of(&b)?);
                text(a + &b)
            }
            Kind::Append(parts) => {
                let (V::List(items), item) = self.pair(parts, locals)? else {
                    return broke("the list is null");
                };
                list(items.iter().cloned().chain([item]).collect())
            }
            Kind::Join(parts) => match self.pair(parts, locals)? {
                (V::List(a), V::List(b)) => list(a.iter().chain(b.iter()).cloned().collect()),
                _ => return broke("a list is null"),
            },
            Kind::Elvis(parts) => match self.eval(&parts[0], locals)? {
                V::Null => self.eval(&parts[1], locals)?,
                value => value,
            },
            Kind::Closure { routine, captured } => {
                let captured = captured.iter().map(|local| locals[local.index()].clone()).collect();
                V::Closure(*routine, Rc::new(captured))
            }
            Kind::Invoke { on, args } => {
                let on = self.eval(on, locals)?;
                let args = self.all(args, locals)?;
                let V::Closure(routine, captured) = on else { return broke("the function is null") };
                self.spend()?;
                let all = captured.iter().cloned().chain(args).collect();
                self.run(routine, all)?.into_iter().next().unwrap_or(V::Null)
            }
            Kind::Either { alternatives, previous } => {
                let Some((last, before)) = alternatives.split_last() else { return Ok(V::Null) };
                for alternative in before {
                    match self.eval(alternative, locals) {
                        Ok(_) => return Ok(V::Null),
                        Err(Stop::Fail(failure)) => locals[previous.index()] = V::Failure(failure),
                        Err(other) => return Err(other),
                    }
                }
                self.eval(last, locals)?;
                V::Null
            }
            Kind::Fail(blame) => {
                let parts = [&blame.message, &blame.source, &blame.feature, &blame.data];
                if parts.iter().all(|part| part.is_none()) {
                    return Err(fail(What::Fail, Vec::new(), None));
                }
                let mut said = [V::Null, V::Null, V::Null, V::Null];
                for (at, part) in parts.into_iter().enumerate() {
                    if let Some(part) = part {
                        said[at] = self.eval(part, locals)?;
                    }
                }
                let stop = fail(What::Said, Vec::new(), None);
                if let Stop::Fail(failure) = &stop {
                    *failure.said.borrow_mut() = Some(said);
                }
                return Err(stop);
            }
        })
    }

    fn through(
        &mut self,
        how: Through,
        over: &Expr,
        item: usize,
        body: &Expr,
        locals: &mut Vec<V>,
    ) -> Res<V> {
        let V::List(items) = self.eval(over, locals)? else { return broke("the list is null") };
        let mut made = Vec::new();
        let mut last = V::Truth(how == Through::Forall);
        for one in items.iter() {
            locals[item] = one.clone();
            let value = self.eval(body, locals)?;
            let holds = value == V::Truth(true);
            match how {
                Through::Each => {}
                Through::Map => made.push(value),
                // The variable may have been changed since.
                Through::Filter if holds => made.push(locals[item].clone()),
                Through::Filter => {}
                Through::Exists if holds => return Ok(value),
                Through::Forall if !holds => return Ok(value),
                Through::Exists | Through::Forall => last = value,
                Through::First if holds => return Ok(locals[item].clone()),
                Through::First => {}
            }
        }
        Ok(match how {
            Through::Map | Through::Filter => list(made),
            Through::Exists | Through::Forall => last,
            Through::Each | Through::First => V::Null,
        })
    }

    fn spend(&mut self) -> Res<()> {
        self.applications += 1;
        if self.applications > super::MOST { Err(Stop::Spent) } else { Ok(()) }
    }

    fn all(&mut self, exprs: &[Expr], locals: &mut Vec<V>) -> Res<Vec<V>> {
        exprs.iter().map(|expr| self.eval(expr, locals)).collect()
    }

    fn pair(&mut self, parts: &[Expr; 2], locals: &mut Vec<V>) -> Res<(V, V)> {
        Ok((self.eval(&parts[0], locals)?, self.eval(&parts[1], locals)?))
    }

    fn numbers(&mut self, parts: &[Expr; 2], locals: &mut Vec<V>) -> Res<(i64, i64)> {
        match self.pair(parts, locals)? {
            (V::Number(a), V::Number(b)) => Ok((a, b)),
            _ => broke("a number is null"),
        }
    }

    fn constant(&self, value: Value) -> V {
        match value {
            Value::Truth(truth) => V::Truth(truth),
            Value::Number(number) => V::Number(number.into()),
            Value::Text(symbol) => text(self.system.texts.text(symbol)),
            Value::Env(EnvId::EMPTY) => V::Env(None),
            Value::Null => V::Null,
            other => panic!("{other:?} is no constant"),
        }
    }

    pub fn slot(&self, slot: Slot) -> V {
        match slot {
            Slot::Nothing => V::Null,
            Slot::Flag(flag) => V::Truth(flag),
            Slot::Text(symbol) => self.written(symbol),
            Slot::Node(node) => V::Node(node),
            Slot::List(id) => {
                list(self.program.tree.items(id).iter().map(|item| self.slot(item.slot)).collect())
            }
        }
    }

    pub fn written(&self, symbol: Symbol) -> V {
        text(self.program.texts.text(symbol))
    }

    /// Functions that all systems have.
    fn native(&mut self, function: Native, args: &[V]) -> Res<V> {
        let on = &args[0];
        match (function, on) {
            (Native::ToText, _) => Ok(text(self.text_of(on)?)),
            (_, V::Null) => broke("a value of which something is asked is null"),
            (Native::SourceText, V::Node(node)) => Ok(text(self.sources.text(self.program.tree.span(*node)))),
            (Native::SourceText, _) => Ok(text(self.text_of(on)?)),
            (Native::ClassName, _) => {
                let class = self.class(on).map(|class| &self.system.universe.classes.class(class).name);
                Ok(text(class.map_or("null", String::as_str)))
            }
            (Native::Message, V::Failure(failure)) => self.message_of(&failure.clone()),
            (Native::Data, V::Failure(failure)) => Ok(self.said(&failure.clone())?[3].clone()),
            (Native::Cause, V::Failure(failure)) => Ok(failure.cause.clone().map_or(V::Null, V::Failure)),
            (_, V::List(items)) => self.of_list(function, &items.clone(), args),
            (_, V::Text(on)) => super::natives::of_text(function, on, args),
            (_, V::Node(node)) => Ok(self.of_node(function, *node, args.get(1))),
            (_, V::Map(map)) => super::natives::of_map(function, map, args),
            _ => broke("a value has no such member"),
        }
    }
}

/// Whether something held, as a truth value.
fn held<T>(result: Res<T>) -> Res<V> {
    match result {
        Ok(_) => Ok(V::Truth(true)),
        Err(Stop::Fail(_)) => Ok(V::Truth(false)),
        Err(other) => Err(other),
    }
}
