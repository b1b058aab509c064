//! Random systems: small graphs of steps of every kind.

use volvelle_diagnostics::{FileId, Span};
use volvelle_mpi::system::*;
use volvelle_random::Random;

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A system of one to three processes. Loops, branches and computed indices go anywhere; values are mostly in their ranges.
pub fn random_system(random: &mut Random) -> System {
    let processes = 1 + random.below(3);
    let lines = 1 + random.below(3);
    let homes: Vec<Home> = match random.below(3) {
        0 => vec![Home::Place("0".to_owned())],
        1 => vec![Home::Process(ProcessId(0))],
        _ => (0..processes as u32).map(|p| Home::Process(ProcessId(p))).collect(),
    };
    let line = |random: &mut Random, number| Line {
        name: format!("line{number}"),
        home: HomeId(random.below(homes.len()) as u32),
        span: nowhere(),
    };
    let lines: Vec<Line> = (0..lines).map(|number| line(random, number)).collect();
    let variables = (0..1 + random.below(4)).map(|number| variable(random, number, lines.len())).collect();
    let channels = (0..random.below(3)).map(|number| channel(random, number)).collect();
    let mut system = System {
        processes: Vec::new(),
        variables,
        lines,
        homes,
        classes: vec!["all".to_owned()],
        channels,
        marks: vec!["start".to_owned(), "stop".to_owned()],
        works: vec![Work { name: "10".to_owned(), mean: 10.0 }, Work { name: "2.5".to_owned(), mean: 2.5 }],
    };
    for number in 0..processes {
        let process = process(random, &system, number);
        system.processes.push(process);
    }
    system
}

fn range(random: &mut Random) -> (i64, i64) {
    random.pick(&[(0, 1), (0, 1), (0, 2), (-1, 1), (1, 3), (0, 0)])
}

fn variable(random: &mut Random, number: usize, lines: usize) -> Variable {
    let (lo, hi) = range(random);
    Variable {
        name: format!("v{number}"),
        lo,
        hi,
        wraps: random.one_in(2),
        initial: lo + random.below((hi - lo + 1) as usize) as i64,
        line: LineId(random.below(lines) as u32),
        class: ClassId(0),
        span: nowhere(),
    }
}

fn channel(random: &mut Random, number: usize) -> Channel {
    let (lo, hi) = range(random);
    let capacity = 1 + random.below(2) as u32;
    Channel { name: format!("mail[{number}]"), lo, hi, capacity, span: nowhere() }
}

fn process(random: &mut Random, system: &System, number: usize) -> Process {
    let local = |random: &mut Random, number| {
        let (lo, hi) = range(random);
        Local {
            name: format!("x{number}"),
            lo,
            hi,
            initial: lo + random.below((hi - lo + 1) as usize) as i64,
        }
    };
    let locals: Vec<Local> = (0..1 + random.below(3)).map(|number| local(random, number)).collect();
    let count = 2 + random.below(7);
    let mut maker = Maker { random, system, locals: &locals, count, node: 0 };
    let mut nodes = Vec::new();
    for node in 0..count {
        maker.node = node;
        nodes.push(Node { kind: maker.kind(), span: nowhere() });
    }
    let start = NodeId(if random.one_in(4) { random.below(count) as u32 } else { 0 });
    Process { name: format!("P{number}"), locals, nodes, start, span: nowhere() }
}

struct Maker<'a> {
    random: &'a mut Random,
    system: &'a System,
    locals: &'a [Local],
    count: usize,
    node: usize,
}

impl Maker<'_> {
    fn next(&mut self) -> NodeId {
        let random = if self.random.one_in(4) { self.random.below(self.count) } else { self.node + 1 };
        NodeId((random % self.count) as u32)
    }

    fn local(&mut self) -> LocalId {
        LocalId(self.random.below(self.locals.len()) as u32)
    }

    fn kind(&mut self) -> NodeKind {
        match self.random.below(20) {
            0..=6 => NodeKind::Access(self.access()),
            7 => NodeKind::Work(WorkId(self.random.below(2) as u32), self.next()),
            8..=11 => {
                let event = self.event();
                NodeKind::Event(event, self.next())
            }
            12..=14 => {
                let local = self.local();
                let value = self.value_for(self.locals[local.index()].lo, self.locals[local.index()].hi);
                NodeKind::Assign(local, value, self.next())
            }
            15..=17 => NodeKind::Branch(self.expr(3), self.next(), self.next()),
            18 if self.random.one_in(2) => NodeKind::Assert(self.expr(2), self.next()),
            18 => NodeKind::Choice((0..1 + self.random.below(3)).map(|_| self.next()).collect()),
            _ if self.random.one_in(3) => NodeKind::End,
            _ => NodeKind::Access(self.access()),
        }
    }

    /// Mostly a value of a range.
    fn value_for(&mut self, lo: i64, hi: i64) -> Expr {
        match self.random.below(8) {
            0..=3 => Expr::Constant(lo + self.random.below((hi - lo + 1) as usize) as i64),
            4..=6 => Expr::Local(self.local()),
            _ => self.expr(3),
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(12) {
                0 => Expr::Constant(self.random.pick(&[i64::MAX, i64::MIN, 1 << 40, -3_037_000_500])),
                1..=4 => Expr::Constant(self.random.below(5) as i64 - 1),
                _ => Expr::Local(self.local()),
            };
        }
        if self.random.one_in(6) {
            let op = self.random.pick(&[Unary::Negate, Unary::Not]);
            return Expr::Unary(op, Box::new(self.expr(depth - 1)));
        }
        use Binary::*;
        let op = self.random.pick(&[
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            Equal,
            NotEqual,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
            And,
            Or,
        ]);
        Expr::Binary(op, Box::new(self.expr(depth - 1)), Box::new(self.expr(depth - 1)))
    }

    /// A number below a count: a base, or a base with indices whose elements all exist.
    fn place(&mut self, count: usize) -> (u32, Vec<Index>) {
        let mut base = self.random.below(count);
        let mut indices = Vec::new();
        let mut left = count - 1 - base;
        while left > 0 && indices.len() < 2 && self.random.one_in(2) {
            let stride = 1 + self.random.below(left.min(2));
            let steps = (1 + self.random.below(2)).min(left / stride);
            left -= steps * stride;
            let lo = self.random.below(2) as i64;
            let value = self.value_for(lo, lo + steps as i64);
            indices.push(Index { value, lo, hi: lo + steps as i64, stride: stride as u32 });
            base = base.min(count - 1);
        }
        (base as u32, indices)
    }

    fn reference(&mut self) -> Reference {
        let (base, indices) = self.place(self.system.variables.len());
        Reference { base: VariableId(base), indices }
    }

    fn access(&mut self) -> Access {
        let variable = self.reference();
        let of = &self.system.variables[variable.base.index()];
        let (lo, hi) = (of.lo, of.hi);
        let operation = match self.random.below(9) {
            0..=2 => Operation::Load,
            3 | 4 => Operation::Store(self.value_for(lo, hi)),
            5 => Operation::TestAndSet,
            6 => Operation::Swap(self.value_for(lo, hi)),
            7 => Operation::CompareAndSwap(self.value_for(lo, hi), self.value_for(lo, hi)),
            _ => Operation::FetchAdd(self.value_for(-1, 1)),
        };
        let has_result = !matches!(operation, Operation::Store(_)) && !self.random.one_in(3);
        let result = has_result.then(|| self.local());
        Access { operation, variable, result, next: self.next() }
    }

    fn event(&mut self) -> Event {
        let which = self.random.below(5);
        if self.system.channels.is_empty() || which < 3 {
            return match which {
                0 | 1 => Event::Enter(self.reference()),
                2 => Event::Leave(self.reference()),
                _ => Event::Mark(MarkId(self.random.below(2) as u32)),
            };
        }
        let (base, indices) = self.place(self.system.channels.len());
        let of = &self.system.channels[base as usize];
        let (lo, hi) = (of.lo, of.hi);
        let reference = ChannelReference { base: ChannelId(base), indices };
        let content = self.value_for(lo, hi);
        if self.random.one_in(2) {
            Event::Sent(reference, content)
        } else {
            Event::Received(reference, content)
        }
    }
}
