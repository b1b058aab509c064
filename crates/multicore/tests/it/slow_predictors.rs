//! Slow and obvious predictors, and random streams on which the fast ones must agree.

use volvelle_multicore::{HashedShape, Kind, Outcome, PerceptronShape, Predictor, TageShape};
use volvelle_random::{Random, attack_cases};

/// A predictor over the whole past, the newest outcome last.
trait Slow {
    fn predict(&self, address: u64, past: &[bool]) -> bool;
    fn train(&mut self, address: u64, past: &[bool], taken: bool, predicted: bool);
}

/// The n-th newest outcome.
fn newest(past: &[bool], n: usize) -> bool {
    past.len().checked_sub(n + 1).is_some_and(|at| past[at])
}

fn number(past: &[bool], length: u32) -> u64 {
    (0..length as usize).map(|n| u64::from(newest(past, n)) << n).sum()
}

fn fold(past: &[bool], length: u32, width: u32) -> u64 {
    (0..length).map(|n| u64::from(newest(past, n as usize)) << (n % width)).fold(0, |a, b| a ^ b)
}

struct Counters {
    table: Vec<i32>,
    index: fn(u64, &[bool], u32) -> u64,
    bits: u32,
}

impl Slow for Counters {
    fn predict(&self, address: u64, past: &[bool]) -> bool {
        self.table[((self.index)(address, past, self.bits) % self.table.len() as u64) as usize] >= 2
    }

    fn train(&mut self, address: u64, past: &[bool], taken: bool, _: bool) {
        let size = self.table.len() as u64;
        let counter = &mut self.table[((self.index)(address, past, self.bits) % size) as usize];
        *counter = (*counter + if taken { 1 } else { -1 }).clamp(0, 3);
    }
}

struct Perceptron {
    shape: PerceptronShape,
    weights: Vec<Vec<i32>>,
}

impl Perceptron {
    fn index(&self, address: u64, past: &[bool]) -> usize {
        let seen = if self.shape.is_by_address { 0 } else { number(past, self.shape.history) };
        ((address ^ seen) % u64::from(self.shape.vectors)) as usize
    }

    fn sum(&self, address: u64, past: &[bool]) -> i32 {
        let weights = &self.weights[self.index(address, past)];
        let inputs = weights[1..]
            .iter()
            .enumerate()
            .map(|(n, weight)| if newest(past, n) { *weight } else { -weight });
        weights[0] + inputs.sum::<i32>()
    }
}

impl Slow for Perceptron {
    fn predict(&self, address: u64, past: &[bool]) -> bool {
        self.sum(address, past) >= 0
    }

    fn train(&mut self, address: u64, past: &[bool], taken: bool, predicted: bool) {
        if predicted == taken && self.sum(address, past).abs() > self.shape.threshold {
            return;
        }
        let index = self.index(address, past);
        let largest = (1 << (self.shape.weight_bits - 1)) - 1;
        for (n, weight) in self.weights[index].iter_mut().enumerate() {
            let agrees = n == 0 && taken || n > 0 && newest(past, n - 1) == taken;
            *weight = (*weight + if agrees { 1 } else { -1 }).clamp(-largest - 1, largest);
        }
    }
}

struct Hashed {
    shape: HashedShape,
    weights: Vec<Vec<i32>>,
}

impl Hashed {
    fn places(&self, address: u64, past: &[bool]) -> Vec<usize> {
        let bits = self.shape.table_bits;
        let place = |&length: &u32| (address ^ address >> bits ^ fold(past, length, bits)) % (1 << bits);
        self.shape.lengths.iter().map(|length| place(length) as usize).collect()
    }

    fn sum(&self, address: u64, past: &[bool]) -> i32 {
        self.places(address, past).iter().zip(&self.weights).map(|(&place, table)| table[place]).sum()
    }
}

impl Slow for Hashed {
    fn predict(&self, address: u64, past: &[bool]) -> bool {
        self.sum(address, past) >= 0
    }

    fn train(&mut self, address: u64, past: &[bool], taken: bool, predicted: bool) {
        if predicted == taken && self.sum(address, past).abs() > self.shape.threshold {
            return;
        }
        let largest = (1 << (self.shape.weight_bits - 1)) - 1;
        for (place, table) in self.places(address, past).into_iter().zip(&mut self.weights) {
            table[place] = (table[place] + if taken { 1 } else { -1 }).clamp(-largest - 1, largest);
        }
    }
}

/// A tag, a counter, and how useful it was.
type Entry = Option<(u64, i32, i32)>;

struct Tage {
    shape: TageShape,
    base: Counters,
    tables: Vec<Vec<Entry>>,
}

impl Tage {
    /// For each table where the entry is or would be, and its tag.
    fn places(&self, address: u64, past: &[bool]) -> Vec<(usize, u64)> {
        let TageShape { table_bits, tag_bits, .. } = self.shape;
        let place = |&length: &u32| {
            let index =
                (address ^ address >> table_bits ^ fold(past, length, table_bits)) % (1 << table_bits);
            let tag = address ^ fold(past, length, tag_bits) ^ fold(past, length, tag_bits - 1) << 1;
            (index as usize, tag % (1 << tag_bits))
        };
        self.shape.lengths.iter().map(place).collect()
    }

    /// The tables that match, and what the base and they predict.
    fn matches(&self, address: u64, past: &[bool]) -> (Vec<usize>, Vec<bool>) {
        let (mut tables, mut predictions) = (Vec::new(), vec![self.base.predict(address, past)]);
        for (table, (index, tag)) in self.places(address, past).into_iter().enumerate() {
            if let Some((found, counter, _)) = self.tables[table][index]
                && found == tag
            {
                tables.push(table);
                predictions.push(counter >= 0);
            }
        }
        (tables, predictions)
    }
}

impl Slow for Tage {
    fn predict(&self, address: u64, past: &[bool]) -> bool {
        self.matches(address, past).1.pop().expect("the base predicts")
    }

    fn train(&mut self, address: u64, past: &[bool], taken: bool, predicted: bool) {
        let places = self.places(address, past);
        let (tables, predictions) = self.matches(address, past);
        let first_longer = match tables.last() {
            None => {
                self.base.train(address, past, taken, predicted);
                0
            }
            Some(&table) => {
                let [.., alternative, now] = predictions[..] else { panic!("two predictions") };
                let (_, counter, useful) = self.tables[table][places[table].0].as_mut().expect("an entry");
                if now != alternative {
                    *useful = (*useful + if now == taken { 1 } else { -1 }).clamp(0, 3);
                }
                *counter = (*counter + if taken { 1 } else { -1 }).clamp(-4, 3);
                table + 1
            }
        };
        if predicted == taken {
            return;
        }
        let useless = |entry: &Entry| entry.is_none_or(|(_, _, useful)| useful == 0);
        match (first_longer..places.len()).find(|&table| useless(&self.tables[table][places[table].0])) {
            Some(table) => {
                let (index, tag) = places[table];
                self.tables[table][index] = Some((tag, if taken { 0 } else { -1 }, 0));
            }
            None => {
                for (table, (index, _)) in self.tables.iter_mut().zip(&places).skip(first_longer) {
                    table[*index].as_mut().expect("an entry").2 -= 1;
                }
            }
        }
    }
}

fn counters(bits: u32, index: fn(u64, &[bool], u32) -> u64) -> Counters {
    Counters { table: vec![2; 1 << bits], index, bits }
}

fn any(random: &mut Random) -> (Kind, Box<dyn Slow>) {
    let bits = 1 + random.below(8) as u32;
    let lengths = |random: &mut Random| {
        let mut lengths: Vec<u32> = (0..1 + random.below(5)).map(|_| 1 + random.below(250) as u32).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    };
    match random.below(6) {
        0 => (Kind::Bimodal(bits), Box::new(counters(bits, |address, _, _| address))),
        1 => (Kind::Gag(bits), Box::new(counters(bits, |_, past, bits| number(past, bits)))),
        2 => {
            (Kind::Gshare(bits), Box::new(counters(bits, |address, past, bits| address ^ number(past, bits))))
        }
        3 => {
            let mut shape = PerceptronShape::paper(1 + random.below(64) as u32);
            shape.vectors = 1 + random.below(40) as u32;
            shape.weight_bits = 2 + random.below(7) as u32;
            shape.is_by_address = random.one_in(2);
            let weights = vec![vec![0; shape.history as usize + 1]; shape.vectors as usize];
            (Kind::Perceptron(shape), Box::new(Perceptron { shape, weights }))
        }
        4 => {
            let shape = HashedShape {
                lengths: lengths(random),
                table_bits: bits,
                weight_bits: 2 + random.below(7) as u32,
                threshold: random.below(30) as i32,
            };
            let weights = vec![vec![0; 1 << bits]; shape.lengths.len()];
            (Kind::Hashed(shape.clone()), Box::new(Hashed { shape, weights }))
        }
        _ => {
            let shape = TageShape {
                lengths: lengths(random),
                table_bits: bits,
                tag_bits: 2 + random.below(9) as u32,
                base_bits: bits,
            };
            let tables = vec![vec![None; 1 << bits]; shape.lengths.len()];
            let base = counters(bits, |address, _, _| address);
            (Kind::Tage(shape.clone()), Box::new(Tage { shape, base, tables }))
        }
    }
}

#[test]
fn attack_fast_predictors_are_slow_ones() {
    for case in attack_cases(200) {
        let mut random = Random(case);
        let (kind, mut slow) = any(&mut random);
        let group = random.pick(&[1, 1, 2, 5, 30]);
        let addresses = 1 + random.below(20);
        let period = 1 + random.below(30);
        let mut stream: Vec<Outcome> = Vec::new();
        for at in 0..700 {
            let address = 2 * random.below(addresses) as u64 + 0x1_0000;
            let taken = match random.below(3) {
                0 => random.one_in(2),
                1 => at >= period && stream[at - period].taken,
                _ => address & 2 == 0,
            };
            stream.push(Outcome { address, taken });
        }
        let mut fast = Vec::new();
        Predictor::new(&kind, group).observe(&stream, &mut fast);
        let mut expected = Vec::new();
        let mut past = Vec::new();
        let mut at = 0;
        while at < stream.len() {
            let mut members = Vec::new();
            let mut foreseen = past.clone();
            for outcome in stream[at..].iter().take(group as usize) {
                let predicted = slow.predict(outcome.address >> 1, &foreseen);
                members.push((*outcome, foreseen.clone(), predicted));
                foreseen.push(predicted);
                expected.push(predicted != outcome.taken);
                if predicted != outcome.taken {
                    break;
                }
            }
            at += members.len();
            for (outcome, seen, predicted) in members {
                slow.train(outcome.address >> 1, &seen, outcome.taken, predicted);
                past.push(outcome.taken);
            }
        }
        assert_eq!(fast, expected, "case {case}: {kind:?}");
    }
}
