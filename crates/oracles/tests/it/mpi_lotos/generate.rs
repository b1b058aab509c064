//! Small random programs, most of them with mistakes.

use std::fmt::Write;
use volvelle_random::Random;

/// What a program declares; processes use it.
const SHARED: &str = "
shared a : 0..2 = 1;
shared b : -1..1 home 1;
shared c : mod 3;
shared d;
shared s[i: 0..1] : 0..2 home i;
shared u[i: 1..2][j: -1..0] : 0..1 = i == 2 ? 1 : 0;
shared q[k: 0..1] home k { line { full : 0..1; body : 0..2 = 2; } line tail { last : 0..1; } }
channel m[to: 0..1] : 0..2 capacity 2;
channel n;
";

/// Variables without indices, with one and with two.
const PLAIN: &[&str] = &["a", "b", "c", "s[0]", "q[1].full", "q[1].body", "q[0].last"];
const LOCALS: &[&str] = &["x", "y", "z"];

pub struct Generator {
    pub random: Random,
    text: String,
}

/// A program.
pub fn program(seed: u64) -> String {
    let mut generator = Generator { random: Random(seed), text: SHARED.to_owned() };
    let processes = 2 + generator.random.below(5) / 4;
    for process in 0..processes {
        let _ = writeln!(generator.text, "process P{process} {{");
        generator.text.push_str("  local x : 0..2 = 1, y : -1..1, z : 0..3;\n");
        let loops = generator.random.chance(60);
        if loops {
            generator.text.push_str("  loop {\n");
        }
        if generator.random.chance(50) || loops {
            generator.text.push_str("  measure ROUND;\n");
        }
        for _ in 0..1 + generator.random.below(if processes == 2 { 3 } else { 2 }) {
            generator.statement(2);
        }
        generator.text.push_str(if loops { "  }\n}\n" } else { "}\n" });
    }
    generator.text
}

impl Generator {
    fn local(&mut self) -> &'static str {
        self.random.pick(LOCALS)
    }

    /// An expression over locals and constants.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            return match self.random.below(4) {
                0 => (self.random.below(4) as i64 - 1).to_string().replace('-', "0 - "),
                _ => self.local().to_owned(),
            };
        }
        let a = self.expression(depth - 1);
        if self.random.one_in(6) {
            return format!("({}({a}))", self.random.pick(&["!", "-"]));
        }
        let b = self.expression(depth - 1);
        let sign = self.random.pick(&["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]);
        format!("(({a}) {sign} ({b}))")
    }

    fn variable(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("s[{}]", self.expression(1)),
            1 => format!("u[{}][{}]", self.expression(1), self.expression(1)),
            2 => format!("q[{}].{}", self.expression(1), self.random.pick(&["full", "body", "last"])),
            _ => self.random.pick(PLAIN).to_owned(),
        }
    }

    /// An access with a result.
    fn access(&mut self) -> String {
        let variable = self.variable();
        match self.random.below(6) {
            0 => format!("tas({variable})"),
            1 => format!("swap({variable}, {})", self.expression(1)),
            2 => format!("cas({variable}, {}, {})", self.expression(1), self.expression(1)),
            3 => format!("fetch_add({variable}, {})", self.expression(1)),
            _ => variable,
        }
    }

    fn statement(&mut self, depth: usize) {
        let line = match self.random.below(if depth == 0 { 8 } else { 13 }) {
            0 => format!("{} = {};", self.local(), self.expression(2)),
            1..=3 => format!("{} = {};", self.local(), self.access()),
            4 => format!("{} = {};", self.variable(), self.expression(1)),
            5 => match self.random.below(8) {
                0 => format!("enter {};", self.variable()),
                1 => format!("leave {};", self.variable()),
                2 => format!("sent m[{}], {};", self.expression(1), self.expression(1)),
                3 => format!("received m[{}], {};", self.expression(1), self.expression(1)),
                4 => "sent n;".to_owned(),
                5 => "work 2.5;".to_owned(),
                6 => format!("assert ({});", self.expression(2)),
                _ => "measure OTHER;".to_owned(),
            },
            6 if self.random.chance(50) => format!("{} d;", self.random.pick(&["read", "write"])),
            6 => format!("read {};", self.variable()),
            7 => format!("{} = {} + {};", self.local(), self.local(), self.access()),
            8 | 9 => {
                let condition = if self.random.chance(50) { self.expression(2) } else { self.access() };
                let _ = writeln!(self.text, "  if ({condition}) {{");
                self.statement(depth - 1);
                if self.random.chance(50) {
                    self.text.push_str("  } else {\n");
                    self.statement(depth - 1);
                }
                "}".to_owned()
            }
            10 => {
                let condition = if self.random.chance(50) { self.expression(1) } else { self.access() };
                let _ = writeln!(self.text, "  while ({condition}) {{");
                self.statement(depth - 1);
                "}".to_owned()
            }
            11 => {
                self.text.push_str("  either {\n");
                self.statement(depth - 1);
                self.text.push_str("  } or {\n");
                self.statement(depth - 1);
                "}".to_owned()
            }
            _ => {
                self.statement(depth - 1);
                format!("{} = {};", self.local(), self.expression(2))
            }
        };
        let _ = writeln!(self.text, "  {line}");
    }
}
