//! Random tables: the check and the machine itself agree.

use crate::oracle::{by_name, confirm, least_error, protocol, shortest_error};
use std::fmt::Write;
use volvelle_coherence::{Operation, Protocol, Reason, SHIPPED, State, Verdict, check};
use volvelle_random::Random;

const TRANSFERS: [&str; 5] = ["Hit", "Mem", "Mem+lookup", "Mem+inv", "Cache"];

/// What a row of the table says, for one own and one strongest state.
#[derive(Clone)]
struct Cell {
    own: usize,
    others: Vec<usize>,
    transfer: usize,
}

/// A table with a cell for all that can happen; a few may lack.
#[derive(Clone)]
struct Table {
    states: usize,
    exclusive: Vec<bool>,
    dirty: Vec<bool>,
    /// By operation, own and strongest state.
    cells: Vec<Option<Cell>>,
    has_atomic: bool,
}

fn operations(has_atomic: bool) -> &'static [Operation] {
    if has_atomic { &Operation::ALL } else { &Operation::ALL[..2] }
}

impl Table {
    fn of(protocol: &Protocol) -> Table {
        let states = protocol.states.len();
        let all = || (0..states).map(|state| State(state as u8));
        let mut cells = Vec::new();
        for operation in Operation::ALL {
            for own in all() {
                for strongest in all() {
                    let rule = protocol.rule(operation, own, strongest);
                    cells.push(rule.map(|rule| Cell {
                        own: rule.own.index(),
                        others: rule.others.iter().map(|state| state.index()).collect(),
                        transfer: rule.transfer.index(),
                    }));
                }
            }
        }
        let (exclusive, dirty) = (protocol.exclusive.clone(), protocol.dirty.clone());
        Table { states, exclusive, dirty, cells, has_atomic: false }
    }

    /// A table that does what protocols do most of the time.
    fn plausible(random: &mut Random) -> Table {
        let states = 2 + random.below(4);
        let mut flags = |percent| (0..states).map(|s| s > 0 && random.chance(percent)).collect::<Vec<_>>();
        let mut exclusive = flags(20);
        let mut dirty = flags(20);
        exclusive[states - 1] = true;
        dirty[states - 1] = true;
        let has_atomic = random.one_in(4);
        let mut cells = Vec::new();
        for operation in Operation::ALL {
            for own in 0..states {
                for strongest in 0..states {
                    cells.push(Some(Cell::plausible(
                        random,
                        (&exclusive, &dirty),
                        operation,
                        own,
                        strongest,
                    )));
                }
            }
        }
        Table { states, exclusive, dirty, cells, has_atomic }
    }

    /// Other words in some cells.
    fn mutate(&mut self, random: &mut Random) {
        for _ in 0..1 + random.below(6) {
            let states = self.states;
            let at = random.below(self.cells.len());
            let Some(cell) = &mut self.cells[at] else { continue };
            match random.below(8) {
                0 | 1 => cell.own = random.below(states),
                2..=4 => cell.others[1 + random.below(states - 1)] = random.below(states),
                5 | 6 => cell.transfer = random.below(TRANSFERS.len()),
                _ if random.one_in(2) => self.cells[at] = None,
                _ => {
                    let state = 1 + random.below(states - 1);
                    let marks = if random.one_in(2) { &mut self.exclusive } else { &mut self.dirty };
                    marks[state] = !marks[state];
                }
            }
        }
        self.has_atomic |= random.one_in(4);
    }

    fn text(&self) -> String {
        let name = |state: usize| format!("s{state}");
        let list = |marks: &[bool]| {
            let names =
                (0..self.states).filter(|&state| marks[state]).map(|state| format!("{:?}", name(state)));
            names.collect::<Vec<_>>().join(", ")
        };
        let all = list(&vec![true; self.states]);
        let mut text = format!("name = \"random\"\nstates = [{all}]\n");
        write!(text, "exclusive = [{}]\ndirty = [{}]\n", list(&self.exclusive), list(&self.dirty)).unwrap();
        text += "rows = [\n";
        for &operation in operations(self.has_atomic) {
            for own in 0..self.states {
                for strongest in 0..self.states {
                    let at = (operation as usize * self.states + own) * self.states + strongest;
                    let Some(cell) = &self.cells[at] else { continue };
                    let pairs =
                        (1..self.states).map(|from| format!("{}:{}", name(from), name(cell.others[from])));
                    let others = pairs.collect::<Vec<_>>().join(",");
                    let words =
                        [operation.word(), &name(own), &name(strongest), "->", &name(cell.own), &others];
                    writeln!(text, "  \"{} {}\",", words.join(" "), TRANSFERS[cell.transfer]).unwrap();
                }
            }
        }
        text + "]\n"
    }
}

impl Cell {
    fn plausible(
        random: &mut Random,
        (exclusive, dirty): (&[bool], &[bool]),
        operation: Operation,
        own: usize,
        strongest: usize,
    ) -> Cell {
        let states = exclusive.len();
        let same: Vec<usize> = (0..states).collect();
        let one = |random: &mut Random, fits: &dyn Fn(usize) -> bool| {
            let fitting: Vec<usize> = (1..states).filter(|&state| fits(state)).collect();
            if fitting.is_empty() || random.one_in(30) { random.below(states) } else { random.pick(&fitting) }
        };
        let alone = strongest == 0;
        if operation == Operation::Load {
            if own > 0 && random.chance(90) {
                return Cell { own, others: same, transfer: 0 };
            }
            let new = one(random, &|state| alone || !exclusive[state]);
            let keeps = random.one_in(2);
            let others = same.iter().map(|&from| match from {
                0 => 0,
                _ if exclusive[new] => 0,
                _ if keeps && !exclusive[from] => from,
                _ => one(random, &|to| to <= from && !exclusive[to] && !(dirty[new] && dirty[to])),
            });
            let others = others.collect();
            let transfer = if dirty[strongest] || !alone && random.one_in(2) { 4 } else { 1 };
            return Cell { own: new, others, transfer };
        }
        let new = one(random, &|state| dirty[state]);
        let keeps = random.one_in(30);
        let others = if keeps { same } else { vec![0; states] };
        let transfer = match () {
            () if dirty[strongest] => 4,
            () if own > 0 && alone && (exclusive[own] || dirty[own]) && random.one_in(2) => 0,
            () if !alone && random.one_in(3) => 4,
            () => 3,
        };
        Cell { own: new, others, transfer }
    }
}

/// How many tables were proved, refused and left open.
#[derive(Default, Debug)]
struct Counts {
    proved: usize,
    failed: usize,
    open: usize,
    /// Runs by length.
    lengths: Vec<usize>,
    /// Errors that more than two caches are needed for.
    crowds: usize,
}

fn compare(table: &Table, counts: &mut Counts) {
    let text = table.text();
    let protocol = protocol(&text);
    let least = least_error(&protocol, 5);
    match check(&protocol).verdict {
        Verdict::Proved { .. } => {
            assert_eq!(least, None, "proved, but\n{text}");
            counts.proved += 1;
            // A proof is for any number.
            if counts.proved.is_multiple_of(20) {
                assert_eq!(shortest_error(&protocol, 7), None, "proved, but\n{text}");
            }
        }
        Verdict::Failed(run) => {
            confirm(&protocol, &run);
            assert_eq!(least, Some((run.caches, run.steps.len())), "{text}");
            counts.failed += 1;
            counts.crowds += usize::from(run.caches > 2);
            counts.lengths.resize(counts.lengths.len().max(run.steps.len() + 1), 0);
            counts.lengths[run.steps.len()] += 1;
        }
        Verdict::Bounded { caches, reason } => {
            assert!(caches == 5 && matches!(reason, Reason::Abstraction(..)), "{text}");
            assert_eq!(least, None, "{text}");
            counts.open += 1;
        }
    }
}

/// Tables of all sorts are among the random ones: coherent ones, and errors that take some steps or more than two caches.
fn is_varied(counts: &Counts) {
    let Counts { proved, failed, open, lengths, crowds } = counts;
    let long: usize = lengths.iter().skip(3).sum();
    assert!(*proved > 500 && *failed > 500 && long > 100 && *crowds > 20, "{counts:?}");
    assert!(*open < 30, "the abstraction is too coarse: {counts:?}");
}

#[test]
fn protocols_with_changes() {
    let mut random = Random(7);
    let mut counts = Counts::default();
    let tables: Vec<Table> = SHIPPED.iter().map(|(name, _)| Table::of(&by_name(name))).collect();
    for _ in 0..3000 {
        let mut table = random.pick(&tables.iter().collect::<Vec<_>>()).clone();
        table.mutate(&mut random);
        compare(&table, &mut counts);
    }
    is_varied(&counts);
}

#[test]
fn tables_from_nothing() {
    let mut random = Random(8);
    let mut counts = Counts::default();
    for _ in 0..3000 {
        let table = Table::plausible(&mut random);
        compare(&table, &mut counts);
    }
    is_varied(&counts);
}
