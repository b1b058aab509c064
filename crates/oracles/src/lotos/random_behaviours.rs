//! Random specifications with every operator, small data, and few gates. Some call themselves in ways that have no finite
//! control, which the lowering refuses.

use volvelle_lotos::syntax::Tree;

/// Numbers below a bound, from a generator or from the bytes of a fuzzer.
pub type Below<'a> = dyn FnMut(usize) -> usize + 'a;

/// Types that all specifications have.
const TYPES: &str = "
type BITS is
  sorts BT
  opns ZERO, ONE : -> BT
       NEG : BT -> BT
       _AND2_ : BT, BT -> BT
  eqns forall X, Y : BT
  ofsort BT
    NEG (ZERO) = ONE; NEG (ONE) = ZERO;
    X AND2 X = X; X AND2 Y = ZERO;
endtype
";

/// A specification.
pub fn specification(below: &mut Below<'_>) -> String {
    let processes = 1 + below(3);
    let depth = 2 + below(3);
    let mut generator = Generator { below, processes, fresh: 0 };
    let ends = [Ends::Never, Ends::Never, Ends::Plain, Ends::WithBit][(generator.below)(4)];
    let mut text = format!("specification RANDOM [A, B, C] : {}\n{TYPES}behaviour\n  ", ends.text());
    let gates = ["A", "B", "C"].map(str::to_owned).to_vec();
    text += &generator.behaviour(depth, &Scope { gates, variables: Vec::new(), calls: true }, ends);
    text += "\nwhere\n";
    for number in 0..processes {
        let scope = Scope {
            gates: vec!["X".to_owned(), "Y".to_owned()],
            variables: vec![("V".to_owned(), Sort::Bit)],
            calls: true,
        };
        let ends = Generator::ends_of(number);
        let body = generator.behaviour(depth, &scope, ends);
        text += &format!("process P{number} [X, Y] (V : BT) : {} :=\n  {body}\nendproc\n", ends.text());
    }
    // A process that composes itself with another one, as often as its argument says.
    let scope = Scope {
        gates: vec!["X".to_owned(), "Y".to_owned()],
        variables: vec![("K".to_owned(), Sort::Nat)],
        calls: false,
    };
    let part = generator.behaviour(1, &scope, Ends::Never);
    let operator = generator.gate_list(&scope.gates);
    let before = generator.pick(&["", "Y !K; ", "i; "]);
    let last = generator.behaviour(1, &scope, Ends::Never);
    text += &format!(
        "process R [X, Y] (K : NAT) : noexit :=\n  [K > 0] -> {before}(({part}) {operator} R [Y, X] (K - 1)) [] [K = 0] -> ({last})\nendproc\n"
    );
    text + "endspec\n"
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Never,
    Plain,
    WithBit,
}

impl Ends {
    fn text(self) -> &'static str {
        match self {
            Ends::Never => "noexit",
            Ends::Plain => "exit",
            Ends::WithBit => "exit (BT)",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Bit,
    Nat,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Bit => "BT",
            Sort::Nat => "NAT",
        }
    }
}

#[derive(Clone)]
struct Scope {
    gates: Vec<String>,
    variables: Vec<(String, Sort)>,
    calls: bool,
}

struct Generator<'b, 'a> {
    below: &'b mut Below<'a>,
    processes: usize,
    fresh: usize,
}

impl Generator<'_, '_> {
    fn ends_of(process: usize) -> Ends {
        [Ends::Never, Ends::Plain, Ends::WithBit][process % 3]
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[(self.below)(items.len())].clone()
    }

    fn name(&mut self, letter: char) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    fn value(&mut self, scope: &Scope, sort: Sort, depth: usize) -> String {
        let known: Vec<String> =
            scope.variables.iter().filter(|(_, s)| *s == sort).map(|(name, _)| name.clone()).collect();
        if !known.is_empty() && (self.below)(2) == 0 {
            return self.pick(&known);
        }
        match (sort, (self.below)(if depth == 0 { 2 } else { 4 })) {
            (Sort::Bit, 0) => "ZERO".to_owned(),
            (Sort::Bit, 1) => "ONE".to_owned(),
            (Sort::Bit, 2) => format!("NEG ({})", self.value(scope, sort, depth - 1)),
            (Sort::Bit, _) => {
                format!(
                    "({} AND2 {})",
                    self.value(scope, sort, depth - 1),
                    self.value(scope, sort, depth - 1)
                )
            }
            (Sort::Nat, 2) => format!("({} mod 2)", self.value(scope, sort, depth - 1)),
            (Sort::Nat, 3) => format!("max ({}, 1)", self.value(scope, sort, depth - 1)),
            (Sort::Nat, n) => n.to_string(),
        }
    }

    fn condition(&mut self, scope: &Scope) -> String {
        let sort = self.pick(&[Sort::Bit, Sort::Nat]);
        let (a, b) = (self.value(scope, sort, 1), self.value(scope, sort, 1));
        match (sort, (self.below)(4)) {
            (_, 0) => format!("{a} == {b}"),
            (_, 1) => format!("{a} <> {b}"),
            (_, 2) => format!("{a} = {b}"),
            (Sort::Nat, _) => format!("{a} < {b}"),
            (Sort::Bit, _) => format!("not ({a} == {b})"),
        }
    }

    fn gate_list(&mut self, gates: &[String]) -> String {
        let chosen: Vec<String> = gates.iter().filter(|_| (self.below)(2) == 0).cloned().collect();
        format!("|[{}]|", chosen.join(", "))
    }

    fn end(&mut self, scope: &Scope, ends: Ends) -> String {
        match ends {
            Ends::Never => "stop".to_owned(),
            Ends::Plain => "exit".to_owned(),
            Ends::WithBit if (self.below)(3) == 0 => "exit (any BT)".to_owned(),
            Ends::WithBit => format!("exit ({})", self.value(scope, Sort::Bit, 1)),
        }
    }

    fn call(&mut self, scope: &Scope, ends: Ends) -> Option<String> {
        if ends == Ends::Never && scope.gates.len() > 1 && (self.below)(4) == 0 {
            let first = (self.below)(scope.gates.len());
            let second = (first + 1) % scope.gates.len();
            return Some(format!(
                "R [{}, {}] ({})",
                scope.gates[first],
                scope.gates[second],
                1 + (self.below)(2)
            ));
        }
        let fitting: Vec<usize> = (0..self.processes).filter(|&p| Self::ends_of(p) == ends).collect();
        if fitting.is_empty() || !scope.calls || scope.gates.len() < 2 {
            return None;
        }
        let process = self.pick(&fitting);
        let first = (self.below)(scope.gates.len());
        // Sometimes the same gate for both.
        let second = match (self.below)(6) {
            0 => first,
            _ => (first + 1 + (self.below)(scope.gates.len() - 1)) % scope.gates.len(),
        };
        let value = self.value(scope, Sort::Bit, 1);
        Some(format!("P{process} [{}, {}] ({value})", scope.gates[first], scope.gates[second]))
    }

    fn prefix(&mut self, depth: usize, scope: &Scope, ends: Ends) -> String {
        if (self.below)(5) == 0 {
            return format!("i; {}", self.behaviour(depth, scope, ends));
        }
        let gate = self.pick(&scope.gates);
        let (mut inner, mut text) = (scope.clone(), gate);
        let offers = (self.below)(3);
        for _ in 0..offers {
            let sort = self.pick(&[Sort::Bit, Sort::Bit, Sort::Nat]);
            if (self.below)(2) == 0 {
                let name = self.name('x');
                text += &format!(" ?{name} : {}", sort.name());
                inner.variables.push((name, sort));
            } else {
                text += &format!(" !{}", self.value(scope, sort, 1));
            }
        }
        if offers > 0 && (self.below)(3) == 0 {
            text += &format!(" [{}]", self.condition(&inner));
        }
        inner.calls = true;
        format!("{text}; {}", self.behaviour(depth, &inner, ends))
    }

    /// Calls before any action are left to places where they are fine most of the time.
    fn behaviour(&mut self, depth: usize, scope: &Scope, ends: Ends) -> String {
        if depth == 0 || (self.below)(8) == 0 {
            return match self.call(scope, ends) {
                Some(call) if (self.below)(3) != 0 => call,
                _ => self.end(scope, ends),
            };
        }
        let depth = depth - 1;
        let mut below = scope.clone();
        match (self.below)(14) {
            0..=3 => self.prefix(depth, scope, ends),
            4 | 5 => {
                below.calls = false;
                let (a, b) = (self.prefix(depth, scope, ends), self.behaviour(depth, &below, ends));
                format!("({a} [] {b})")
            }
            6 => {
                let operator = match (self.below)(3) {
                    0 => "|||".to_owned(),
                    1 => "||".to_owned(),
                    _ => self.gate_list(&scope.gates),
                };
                below.calls = (self.below)(4) == 0;
                let (a, b) = (self.behaviour(depth, &below, ends), self.behaviour(depth, &below, ends));
                format!("({a} {operator} {b})")
            }
            7 => {
                let first = self.pick(&[Ends::Plain, Ends::WithBit]);
                below.calls = (self.below)(4) == 0;
                let left = self.behaviour(depth, &below, first);
                if first == Ends::Plain {
                    return format!("({left} >> {})", self.behaviour(depth, scope, ends));
                }
                let (mut inner, name) = (scope.clone(), self.name('a'));
                inner.variables.push((name.clone(), Sort::Bit));
                format!("({left} >> accept {name} : BT in {})", self.behaviour(depth, &inner, ends))
            }
            8 => {
                below.calls = (self.below)(4) == 0;
                let (a, b) = (self.behaviour(depth, &below, ends), self.behaviour(depth, &below, ends));
                format!("({a} [> {b})")
            }
            9 => {
                let gate = self.name('h');
                below.gates.push(gate.clone());
                format!("(hide {gate} in {})", self.behaviour(depth, &below, ends))
            }
            10 => format!("([{}] -> {})", self.condition(scope), self.behaviour(depth, scope, ends)),
            11 => {
                let (name, sort) = (self.name('l'), self.pick(&[Sort::Bit, Sort::Nat]));
                let value = self.value(scope, sort, 1);
                below.variables.push((name.clone(), sort));
                format!("(let {name} : {} = {value} in {})", sort.name(), self.behaviour(depth, &below, ends))
            }
            12 => {
                let name = self.name('c');
                below.variables.push((name.clone(), Sort::Bit));
                format!("(choice {name} : BT [] {})", self.behaviour(depth, &below, ends))
            }
            _ => {
                let (name, operator) = (self.name('g'), self.pick(&["choice", "par"]));
                let (a, b) = (self.pick(&scope.gates), self.pick(&scope.gates));
                let all = if a == b { a } else { format!("{a}, {b}") };
                if operator == "par" {
                    below.calls = false;
                    // The gates among which it chooses are not used inside, where they would be the same gate twice.
                    below.gates = vec![name.clone()];
                    return format!("(par {name} in [{all}] ||| {})", self.behaviour(depth, &below, ends));
                }
                below.gates.push(name.clone());
                format!("(choice {name} in [{all}] [] {})", self.behaviour(depth, &below, ends))
            }
        }
    }
}

/// Whether a tree has something to run.
pub fn is_whole(tree: &Tree) -> bool {
    !tree.processes.is_empty()
}
