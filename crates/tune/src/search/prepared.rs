//! Prepares a program for a search: leaves out what does not matter for the question.
//!
//! In: a program of processes and a question. Out: a program in which variables that are not read any more
//! are reset (`volvelle_model::dead`), steps that no other can interrupt are merged
//! (`volvelle_model::merge`), and interchangeable processes never end (`volvelle_model::symmetry`). If only
//! differences of its clock matter (module `clock`), a second version of the program has checks for that.
//! Expressions keep their numbers, so the question stays valid.

use super::Question;
use super::clock::Clock;
use super::remaining::Statics;
use volvelle_explore::Exchange;
use volvelle_kernel::{BinaryOp, ExprId, Type};
use volvelle_model::symmetry::Symmetry;
use volvelle_model::{Label, Program, dead, merge};

/// The version of a program for searches that compare states without the clock.
#[derive(Debug)]
pub(super) struct Relative {
    /// The program.
    pub program: Program,
    /// How values move with the clock.
    pub clock: Clock,
    /// Conditions that must hold before the goal.
    pub statics: Option<Statics>,
}

/// A program ready to be searched.
#[derive(Debug)]
pub struct Prepared {
    /// The program.
    pub(super) program: Program,
    /// Processes that are interchangeable.
    pub(super) exchange: Option<Exchange>,
    /// The version for searches that compare states without the clock, if possible.
    pub(super) relative: Option<Relative>,
}

impl Prepared {
    /// Prepares a program for a question. With `no_reduction`, all states remain.
    pub fn new(mut program: Program, question: &Question, no_reduction: bool) -> Self {
        if no_reduction {
            merge::merge(&mut program);
            return Prepared { program, exchange: None, relative: None };
        }
        let labels = program.labels.len();
        let watched = watch(&mut program, question);
        let symmetry = Symmetry::new(&program, &watched).ok().filter(|_| !counts(&program, question));
        if symmetry.is_some() {
            Symmetry::without_ends(&mut program);
        }
        let clock = Clock::new(&program, question);
        dead::reset_dead(&mut program);
        program.labels.truncate(labels);
        merge::merge(&mut program);
        let exchange = symmetry.map(|symmetry| Exchange::new(&program, symmetry));
        let relative = clock.map(|mut clock| {
            let mut program = program.clone();
            clock.bound(&mut program);
            let statics = Statics::new(&program, question, &clock);
            Relative { program, clock, statics }
        });
        Prepared { program, exchange, relative }
    }

    /// Whether some processes are interchangeable.
    pub fn is_symmetric(&self) -> bool {
        self.exchange.is_some()
    }

    /// Whether only differences of the clock matter.
    pub fn is_relative(&self) -> bool {
        self.relative.is_some()
    }
}

/// Whether a question reads the number of instances. With symmetry, processes never end, which would change
/// that number.
fn counts(program: &Program, question: &Question) -> bool {
    let asked = question.parameters.iter().copied().chain([question.cost, question.goal]);
    let read = program.fields_read(asked);
    program.network.pools.iter().any(|pool| read.contains(&pool.count))
}

/// Adds labels for the question, so that analyses treat it like a claim. Returns their numbers. The label of
/// a number says whether it is negative, in place of its value; this suffices to mark it as read, and numbers
/// of processes must not be compared with others.
fn watch(program: &mut Program, question: &Question) -> Vec<usize> {
    let numbers: Vec<ExprId> = question.parameters.iter().copied().chain([question.cost]).collect();
    let mut asked = vec![question.goal];
    for number in numbers {
        let e = &mut program.exprs;
        let number = if e.ty(number) == Type::I64 { number } else { e.convert(Type::I64, number) };
        let zero = e.i64(0);
        asked.push(e.binary(BinaryOp::Lt, number, zero));
    }
    let first = program.labels.len();
    program.labels.extend(asked.into_iter().map(|expr| Label { name: None, expr, origin: None }));
    (first..program.labels.len()).collect()
}
