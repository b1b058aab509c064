//! Tables of functions: from arguments to results, as kernels read them.
//!
//! A hash table with two places for each key (R. Pagh, F. F. Rodler, *Cuckoo hashing*, Journal of Algorithms 51, 2004), so that looking
//! up is an expression without a loop. A table is one buffer of `i64`: the mask of places, the seed of the hash function, and then for
//! each place the arguments and the result. Keys are compared in full; a place without an entry has [`MISSING`] as first argument and as
//! result, which is why arguments and results are any numbers but that.

use volvelle_kernel::{BinaryOp, Buffer, ExprId, Exprs, Node, Site, Type};

/// No argument and no result.
pub const MISSING: i64 = i64::MIN;

/// Where the mask, the seed and the first place are.
const MASK: usize = 0;
const SEED: usize = 1;
const FIRST: usize = 2;

/// Places of an empty table.
const FEWEST: usize = 8;

/// An odd number with well-mixed bits: the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Entries that are moved for a new one before the table is made anew.
const MOST_MOVES: usize = 64;

/// The table of one function.
#[derive(Clone, Debug)]
pub struct Table {
    arity: usize,
    len: usize,
    words: Vec<i64>,
}

impl Table {
    /// The empty table of a function with a number of parameters.
    pub fn new(arity: usize) -> Self {
        Table { arity, len: 0, words: empty(arity, FEWEST, 0) }
    }

    /// The buffer that kernels read.
    pub fn words(&self) -> &[i64] {
        &self.words
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.words.capacity() as u64
    }

    /// The result for arguments, where it is known.
    pub fn get(&self, arguments: &[i64]) -> Option<i64> {
        let stride = self.arity + 1;
        let holds = |&at: &usize| self.words[at..at + self.arity] == *arguments;
        self.places(arguments).into_iter().find(holds).map(|at| self.words[at + stride - 1])
    }

    /// Enters the result for arguments that have none yet.
    pub fn insert(&mut self, arguments: &[i64], result: i64) {
        debug_assert!(arguments.len() == self.arity && self.get(arguments).is_none());
        debug_assert!(result != MISSING && arguments.iter().all(|&argument| argument != MISSING));
        let mut entry = arguments.to_vec();
        entry.push(result);
        self.len += 1;
        let places = self.words[MASK] as usize + 1;
        if 5 * self.len <= 2 * places && self.place(&mut entry) {
            return;
        }
        // `entry` is now one that has no place.
        let mut entries = entry;
        for old in self.words[FIRST..].chunks_exact(self.arity + 1).filter(|old| old[0] != MISSING) {
            entries.extend_from_slice(old);
        }
        let mut places = if 5 * self.len > 2 * places { 2 * places } else { places };
        let mut seed = self.words[SEED];
        loop {
            seed = seed.wrapping_add(1);
            self.words = empty(self.arity, places, seed);
            let mut all = entries.chunks_exact(self.arity + 1);
            if all.all(|entry| self.place(&mut entry.to_vec())) {
                return;
            }
            // Where that happens again, there is more room.
            if seed % 4 == 0 {
                places *= 2;
            }
        }
    }

    /// Puts an entry into one of its places; those in its way go to their other ones. `false` if there are too many: `entry` is then another that has
    /// no place.
    fn place(&mut self, entry: &mut [i64]) -> bool {
        let stride = self.arity + 1;
        let mut at = self.places(&entry[..self.arity])[0];
        for _ in 0..MOST_MOVES {
            if self.words[at] == MISSING {
                self.words[at..at + stride].copy_from_slice(entry);
                return true;
            }
            let [first, second] = self.places(&entry[..self.arity]);
            if at == first && self.words[second] == MISSING {
                at = second;
                continue;
            }
            self.words[at..at + stride].swap_with_slice(entry);
            let [first, second] = self.places(&entry[..self.arity]);
            at = if at == first { second } else { first };
        }
        false
    }

    /// Where the two places of arguments begin.
    fn places(&self, arguments: &[i64]) -> [usize; 2] {
        let mask = self.words[MASK] as u64;
        let mut hash = self.words[SEED] as u64;
        for &argument in arguments {
            hash = (hash ^ argument as u64).wrapping_mul(FACTOR);
            hash ^= hash >> 32;
        }
        [hash, hash >> 32].map(|hash| FIRST + (hash & mask) as usize * (self.arity + 1))
    }
}

fn empty(arity: usize, places: usize, seed: i64) -> Vec<i64> {
    let mut words = vec![MISSING; FIRST + places * (arity + 1)];
    words[MASK] = places as i64 - 1;
    words[SEED] = seed;
    words
}

/// The result for arguments (`i64`) by the table in a buffer; fails at `site` where there is none.
pub(crate) fn lookup(e: &mut Exprs, table: Buffer, arguments: &[ExprId], site: Site) -> ExprId {
    let word = |e: &mut Exprs, at: ExprId| e.load(table, Type::I64, at);
    let header = |e: &mut Exprs, at: usize| {
        let at = e.u64(at as u64);
        let value = word(e, at);
        e.convert(Type::U64, value)
    };
    let (mask, seed) = (header(e, MASK), header(e, SEED));
    let (half, factor) = (e.u64(32), e.u64(FACTOR));
    let mut hash = seed;
    for &argument in arguments {
        let bits = e.convert(Type::U64, argument);
        hash = e.binary(BinaryOp::BitXor, hash, bits);
        hash = e.binary(BinaryOp::Mul, hash, factor);
        let high = e.binary(BinaryOp::Shr, hash, half);
        hash = e.binary(BinaryOp::BitXor, hash, high);
    }
    let other = e.binary(BinaryOp::Shr, hash, half);
    let mut value = e.i64(MISSING);
    for hash in [other, hash] {
        let place = e.binary(BinaryOp::BitAnd, hash, mask);
        let stride = e.u64(arguments.len() as u64 + 1);
        let place = e.binary(BinaryOp::Mul, place, stride);
        let mut fits = e.bool(true);
        let at = |e: &mut Exprs, k: usize| {
            let offset = e.u64((FIRST + k) as u64);
            let at = e.binary(BinaryOp::Add, place, offset);
            word(e, at)
        };
        for (k, &argument) in arguments.iter().enumerate() {
            let key = at(e, k);
            let same = e.binary(BinaryOp::Eq, key, argument);
            fits = e.and(fits, same);
        }
        let found = at(e, arguments.len());
        value = e.select(fits, found, value);
    }
    e.add(Node::Range { arg: value, lo: MISSING + 1, hi: i64::MAX, site })
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_kernel::interp::{EvalError, Evaluator};
    use volvelle_kernel::{Const, Local};

    /// What the expression finds is what was entered, for keys that are dense, sparse, negative and alike in most bits.
    #[test]
    fn expressions_find_what_was_entered() {
        for arity in 1..=4 {
            let mut e = Exprs::new();
            let arguments: Vec<ExprId> = (0..arity).map(|k| e.local(Local(k), Type::I64)).collect();
            let root = lookup(&mut e, Buffer(0), &arguments, Site(7));
            let mut evaluator = Evaluator::new();
            let mut table = Table::new(arity as usize);
            let key = |i: i64| -> Vec<i64> {
                let spread = |k: u32| match (i + i64::from(k)) % 4 {
                    0 => i >> (4 * k),
                    1 => -i,
                    2 => i << 40,
                    _ => i * 1_000_003,
                };
                (0..arity).map(|k| if k == 0 { i } else { spread(k) }).collect()
            };
            let mut look = |table: &Table, key: &[i64]| {
                let local = |local: Local| key.get(local.index()).map(|&value| Const::i64(value));
                let load = |_, index: u64| table.words().get(index as usize).map(|&word| Const::i64(word));
                evaluator.eval_reading(&e, root, local, load)
            };
            for i in 0..3000 {
                let key = key(i);
                assert_eq!(look(&table, &key), Err(EvalError::Failed(Site(7))));
                assert_eq!(table.get(&key), None);
                table.insert(&key, i * i - 5);
                assert_eq!(look(&table, &key), Ok(Const::i64(i * i - 5)));
            }
            for i in 0..3000 {
                assert_eq!(look(&table, &key(i)), Ok(Const::i64(i * i - 5)), "arity {arity}, entry {i}");
                assert_eq!(table.get(&key(i)), Some(i * i - 5));
            }
            assert_eq!(table.len(), 3000);
            let places = table.words()[MASK] as usize + 1;
            assert!((7500..=16384).contains(&places), "arity {arity}: {places}");
        }
    }
}
