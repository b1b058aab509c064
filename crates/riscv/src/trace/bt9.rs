//! Traces of the branch prediction championship of 2016 (BT9), decompressed.
//!
//! A text: a head; nodes, which are branches (`NODE id address physical opcode bytes class: JMP+DIR+CND …`); edges, each of which is a branch with its
//! outcome, up to the next one (`EDGE id from to T|N target physical instructions …`); and the sequence of edges. What is between branches is only
//! counted, so it is given as instructions of four bytes without registers. Node 0 is where the program begins, and no branch.

use super::input::Input;
use super::troubles::{cut, foreign, wrong_line};
use std::io::Read;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Step, Stream};

/// Characters of a line that are looked at.
const MOST_LINE: usize = 4096;
/// Instructions between two branches at most.
const MOST_BETWEEN: u64 = 1 << 24;
const MAGIC: &str = "BT9_SPA_TRACE_FORMAT";

struct Node {
    instruction: Option<u32>,
    end: u64,
}

struct Edge {
    /// The branch with its outcome.
    step: Option<Step>,
    /// Where the instructions behind it are, and how many.
    next: u64,
    between: u64,
}

/// A trace that is read.
pub struct Bt9<R> {
    input: Input<R>,
    listing: Listing,
    line: u64,
    edges: Vec<Edge>,
    nodes: Vec<Node>,
    /// Whether nodes and edges are read.
    is_begun: bool,
    is_ended: bool,
    /// Instructions that are still to come before the next edge: where, how many.
    pending: (u64, u64),
}

fn class_of(text: &str) -> Option<Class> {
    Some(match text {
        // Conditional calls and returns are branches before anything else.
        "JMP+DIR+CND" | "JMP+IND+CND" | "CALL+DIR+CND" | "CALL+IND+CND" | "RET+IND+CND" => Class::Branch,
        "JMP+DIR+UCD" => Class::Jump,
        "JMP+IND+UCD" => Class::IndirectJump,
        "CALL+DIR+UCD" => Class::Call,
        "CALL+IND+UCD" => Class::IndirectCall,
        "RET+IND+UCD" => Class::Return,
        _ => return None,
    })
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

impl Bt9<&[u8]> {
    /// Whether a text begins as such a trace does.
    pub fn is_likely(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC.as_bytes())
    }
}

impl<R: Read> Bt9<R> {
    /// Begins to read a trace.
    pub fn new(from: R) -> Self {
        Bt9 {
            input: Input::new(from),
            listing: Listing::default(),
            line: 0,
            edges: Vec::new(),
            nodes: Vec::new(),
            is_begun: false,
            is_ended: false,
            pending: (0, 0),
        }
    }

    /// The fields of the next line that is not empty; comments are none.
    fn fields(&mut self) -> Result<Option<Vec<String>>, Failure> {
        while let Some(line) = self.input.line(MOST_LINE)? {
            self.line += 1;
            let text = line.split('#').next().unwrap_or_default();
            let fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            if !fields.is_empty() {
                return Ok(Some(fields));
            }
        }
        Ok(None)
    }

    fn wrong(&self, what: &str) -> Failure {
        wrong_line(what, self.line)
    }

    /// Reads everything before the sequence.
    fn begin(&mut self, control: &Control<'_>) -> Result<(), Failure> {
        let first = self.fields()?;
        if first.as_ref().and_then(|fields| fields.first()).is_none_or(|word| word != MAGIC) {
            return Err(foreign("the file is no trace of the championship of 2016"));
        }
        loop {
            let Some(fields) = self.fields()? else { return Err(cut(0)) };
            let texts: Vec<&str> = fields.iter().map(String::as_str).collect();
            match texts[0] {
                "NODE" => {
                    let node = self.node(&texts).ok_or_else(|| self.wrong("a node is expected"))?;
                    self.nodes.push(node);
                }
                "EDGE" => {
                    let edge = self.edge(&texts).ok_or_else(|| self.wrong("an edge is expected"))?;
                    self.edges.push(edge);
                }
                "BT9_EDGE_SEQUENCE" => return Ok(()),
                // The head, and names of sections.
                _ => {}
            }
            if self.line.is_multiple_of(1024) {
                control.check()?;
                control.check_memory(self.bytes())?;
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let tables = self.nodes.capacity() * size_of::<Node>() + self.edges.capacity() * size_of::<Edge>();
        self.listing.bytes() + tables as u64
    }

    fn node(&mut self, texts: &[&str]) -> Option<Node> {
        let [_, id, address, _, _, bytes, rest @ ..] = texts else { return None };
        if id.parse() != Ok(self.nodes.len()) {
            return None;
        }
        let (pc, length) = (hexadecimal(address)?, bytes.parse::<u8>().ok()?);
        let class = rest.iter().position(|&word| word == "class:").and_then(|at| rest.get(at + 1));
        let instruction = match class {
            None if self.nodes.is_empty() => None,
            None => return None,
            Some(class) => Some(Instruction { class: class_of(class)?, length, ..Instruction::at(pc) }),
        };
        let instruction = instruction.map(|instruction| self.listing.number(instruction));
        Some(Node { instruction, end: pc.wrapping_add(length.into()) })
    }

    fn edge(&mut self, texts: &[&str]) -> Option<Edge> {
        let [_, id, from, _, outcome, target, _, between, ..] = texts else { return None };
        if id.parse() != Ok(self.edges.len()) {
            return None;
        }
        let node = self.nodes.get(from.parse::<usize>().ok()?)?;
        let is_taken = match *outcome {
            "T" => true,
            "N" => false,
            _ => return None,
        };
        let between = between.parse().ok().filter(|&count| count <= MOST_BETWEEN)?;
        let next = if is_taken { hexadecimal(target)? } else { node.end };
        Some(Edge { step: node.instruction.map(|number| Step::new(number, is_taken)), next, between })
    }
}

impl<R: Read> Stream for Bt9<R> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        batch.clear();
        control.check()?;
        control.check_memory(self.bytes())?;
        if !std::mem::replace(&mut self.is_begun, true) {
            self.begin(control)?;
        }
        while batch.steps.len() < most.max(1) {
            if self.pending.1 > 0 {
                let number = self.listing.number(Instruction::at(self.pending.0));
                batch.steps.push(Step::new(number, false));
                self.pending = (self.pending.0.wrapping_add(4), self.pending.1 - 1);
                continue;
            }
            if self.is_ended {
                break;
            }
            let Some(fields) = self.fields()? else { return Err(cut(self.input.instructions)) };
            if fields[0] == "EOF" {
                self.is_ended = true;
                break;
            }
            let edge = fields[0].parse().ok().and_then(|id: usize| self.edges.get(id));
            let edge = edge.ok_or_else(|| self.wrong("there is no such edge"))?;
            batch.steps.extend(edge.step);
            self.pending = (edge.next, edge.between);
            self.input.instructions += 1 + edge.between;
        }
        Ok(!batch.steps.is_empty())
    }
}
