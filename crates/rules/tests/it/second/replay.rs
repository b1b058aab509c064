//! Each step of a derivation follows from its premises.

use super::Second;
use super::value::{Env, Mapping, Res, Stop, V};
use std::collections::HashMap;
use std::rc::Rc;
use volvelle_rules::ir::{JudgmentId, RoutineId};
use volvelle_rules::machine::{Derived, Verdict};
use volvelle_rules::system::Derivation;
use volvelle_rules::value::{EnvId, Value};
use volvelle_trees::NodeId;

pub struct Replay<'d> {
    derivation: &'d Derivation,
    /// The next step.
    next: usize,
    /// The step behind the last premise of the one that is checked.
    end: usize,
    /// Environments that were compared, by their places; they are held, so that no other ones get these.
    same: HashMap<(EnvId, *const Mapping), Rc<Mapping>>,
}

fn refused<T>(why: String) -> Res<T> {
    Err(Stop::Refused(why))
}

impl<'s> Second<'s> {
    /// Checks all steps of a derivation; gives what it derives.
    pub fn replay(&mut self, derivation: &'s Derivation, judgment: JudgmentId, node: NodeId) -> Res<Vec<V>> {
        let end = derivation.steps.len();
        self.replay = Some(Replay { derivation, next: 0, end, same: HashMap::new() });
        let result = self.ask(judgment, node)?;
        let left = self.replay.take().map_or(0, |replay| end - replay.next);
        if left > 0 { refused(format!("{left} steps belong to nothing")) } else { Ok(result) }
    }

    /// Applies a rule or a body; with a derivation, that is its next step.
    pub fn step(&mut self, routine: RoutineId, args: Vec<V>) -> Res<Vec<V>> {
        let Some(replay) = &mut self.replay else { return self.run(routine, args) };
        let (at, outer) = (replay.next, replay.end);
        let derivation = replay.derivation;
        let step = match derivation.steps.get(at) {
            Some(step) if at < outer && step.end as usize <= outer && step.end as usize > at => *step,
            _ => return refused(format!("step {at}: a premise is missing")),
        };
        if step.routine != routine {
            return refused(format!("step {at}: another rule is for these classes"));
        }
        let inputs = &derivation.values[step.inputs.0 as usize..step.inputs.1 as usize];
        if !self.are_same(inputs, &args) {
            return refused(format!("step {at}: it is applied to something else"));
        }
        let result = if step.cached {
            let result = self.silently(|second| second.run(routine, args));
            self.go_to(at + 1, outer);
            result
        } else {
            self.go_to(at + 1, step.end as usize);
            let result = self.run(routine, args);
            let next = self.replay.as_ref().map_or(0, |replay| replay.next);
            if !matches!(result, Err(Stop::Refused(_))) && next != step.end as usize {
                return refused(format!("step {next}: it is no premise of what is around it"));
            }
            self.go_to(next, outer);
            result
        };
        self.compare(at, &step, derivation, result)
    }

    fn go_to(&mut self, next: usize, end: usize) {
        if let Some(replay) = &mut self.replay {
            (replay.next, replay.end) = (next, end);
        }
    }

    fn compare(&mut self, at: usize, step: &Derived, of: &Derivation, result: Res<Vec<V>>) -> Res<Vec<V>> {
        let is_right = match (&result, step.verdict) {
            (Ok(results), Verdict::Holds(from, to)) => {
                self.are_same(&of.values[from as usize..to as usize], results)
            }
            (Err(Stop::Fail(_)), Verdict::Fails) => true,
            (Err(Stop::Fail(_)) | Ok(_), _) => false,
            (Err(_), _) => return result,
        };
        if is_right { result } else { refused(format!("step {at}: it gives something else")) }
    }

    fn are_same(&mut self, told: &[Value], found: &[V]) -> bool {
        told.len() == found.len() && told.iter().zip(found).all(|(&told, found)| self.is_same(told, found))
    }

    fn is_same(&mut self, told: Value, found: &V) -> bool {
        let Some(replay) = &self.replay else { return false };
        let heap = &replay.derivation.heap;
        match (told, found) {
            (Value::Null, V::Null)
            | (Value::Failure(_), V::Failure(_))
            | (Value::Map(_), V::Map(_))
            | (Value::Closure(_), V::Closure(..)) => true,
            (Value::Truth(a), V::Truth(b)) => a == *b,
            (Value::Number(_) | Value::Wide(_), V::Number(b)) => heap.as_number(told) == Some(*b),
            (Value::Text(a), V::Text(b)) => heap.texts.text(a) == &**b,
            (Value::Node(a), V::Node(b)) => a == *b,
            (Value::Data(a), V::Data(class, fields)) => {
                heap.class_of(a) == *class && self.are_same(heap.fields_of(a), fields)
            }
            (Value::List(a), V::List(items)) => self.are_same(heap.items(a), items),
            (Value::Env(a), V::Env(b)) => self.is_same_env(a, b),
            _ => false,
        }
    }

    fn is_same_env(&mut self, told: EnvId, found: &Env) -> bool {
        let is_same = self.are_same_mappings(told, found);
        // What was entered on the way is not known to be the same.
        if !is_same && let Some(replay) = &mut self.replay {
            replay.same.clear();
        }
        is_same
    }

    fn are_same_mappings(&mut self, told: EnvId, found: &Env) -> bool {
        let (mut told, mut found) = (told, found);
        while let Some(mapping) = found {
            let Some(replay) = &mut self.replay else { return false };
            if told == EnvId::EMPTY {
                return false;
            }
            if replay.same.insert((told, Rc::as_ptr(mapping)), mapping.clone()).is_some() {
                return true;
            }
            let (key, value, below) = replay.derivation.heap.binding(told);
            if !self.is_same(key, &mapping.key) || !self.is_same(value, &mapping.value) {
                return false;
            }
            (told, found) = (below, &mapping.below);
        }
        told == EnvId::EMPTY
    }
}
