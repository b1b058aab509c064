//! Never claims for formulas from standard input, one in a line, in the syntax of SPIN with `U V W R X [] <>`:
//! `echo '[](p -> <>q)' | cargo run -p volvelle-automata --example never`.
//! The claims accept what the formulas say, not the negation. With `--hoa` in the Hanoi format, with `--sizes` only
//! states, edges, whether deterministic, strength and seconds, separated by tabs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::io::BufRead;
use std::time::Instant;

use volvelle_automata::buchi::buchi;
use volvelle_automata::{FormulaId, Formulas, UNBOUNDED};

struct Reader<'a> {
    rest: &'a str,
    formulas: Formulas,
    names: Vec<String>,
    depth: usize,
}

type Read<T> = Result<T, String>;

/// Nesting of parentheses and operators that a formula may have.
const DEPTH_LIMIT: usize = 200;

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let word = token.starts_with(|c: char| c.is_ascii_alphabetic());
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        if word && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = rest;
        true
    }

    /// Operators by how strongly they bind, the weakest first.
    fn binary(&mut self, level: usize) -> Read<FormulaId> {
        const LEVELS: [&[&str]; 4] = [&["->", "<->"], &["||"], &["&&"], &["U", "V", "R", "W"]];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let Some(&operator) = operators.iter().find(|o| self.eat(o)) else { return Ok(left) };
            let right = self.binary(level + 1)?;
            let f = &mut self.formulas;
            left = match operator {
                "->" => f.implies(left, right),
                "<->" => f.iff(left, right),
                "||" => f.or(left, right),
                "&&" => f.and(left, right),
                "U" => f.until(left, right, 0, UNBOUNDED),
                "W" => f.weak_until(left, right),
                _ => f.release(left, right, 0, UNBOUNDED),
            };
        }
    }

    fn unary(&mut self) -> Read<FormulaId> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT || self.formulas.too_deep() {
            return Err("too deep".to_owned());
        }
        let result = self.operand();
        self.depth -= 1;
        result
    }

    fn operand(&mut self) -> Read<FormulaId> {
        for operator in ["!", "[]", "<>", "X", "(", "true", "false"] {
            if !self.eat(operator) {
                continue;
            }
            return match operator {
                "true" => Ok(Formulas::TRUE),
                "false" => Ok(Formulas::FALSE),
                "(" => {
                    let inner = self.binary(0)?;
                    if self.eat(")") { Ok(inner) } else { Err(format!("expected ) before {:?}", self.rest)) }
                }
                _ => {
                    let inner = self.unary()?;
                    let f = &mut self.formulas;
                    Ok(match operator {
                        "!" => f.not(inner),
                        "X" => f.next(inner),
                        "[]" => f.always(inner),
                        _ => f.eventually(inner),
                    })
                }
            };
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(format!("expected a formula before {:?}", self.rest));
        }
        self.rest = rest;
        let number = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        Ok(self.formulas.literal(number as u32, true))
    }
}

fn answer(line: &str, mode: Option<&str>) -> Read<String> {
    let mut reader = Reader { rest: line, formulas: Formulas::new(), names: Vec::new(), depth: 0 };
    let id = reader.binary(0)?;
    if !reader.rest.trim().is_empty() {
        return Err(format!("what is {:?}?", reader.rest));
    }
    if reader.formulas.too_deep() {
        return Err("too deep".to_owned());
    }
    let before = Instant::now();
    let automaton = buchi(&mut reader.formulas, id).map_err(|error| format!("too many {}", error.what))?;
    let seconds = before.elapsed().as_secs_f64();
    let name = |p: u32| reader.names[p as usize].clone();
    Ok(match mode {
        Some("--hoa") => automaton.hoa(name),
        Some("--sizes") => {
            let edges: usize = automaton.states.iter().map(|s| s.edges.len()).sum();
            let (deterministic, strength) = (automaton.is_deterministic(), automaton.strength());
            format!("{}\t{edges}\t{deterministic}\t{strength:?}\t{seconds:.6}\n", automaton.states.len())
        }
        _ => automaton.never_claim(name),
    })
}

fn main() {
    let mode = std::env::args().nth(1);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match answer(&line, mode.as_deref()) {
            Ok(text) => print!("{text}"),
            Err(error) => println!("error: {error}"),
        }
    }
}
