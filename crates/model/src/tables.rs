//! Tables of functions, from arguments to results, as kernels read them. Each is one buffer of `i64`.
//!
//! A *dense* table has a place for each list of arguments. It is used if arguments have few values, and at
//! most one is a term. The term is the slowest index, so that the table grows as terms are added; its length
//! comes first. A lookup is a load.
//!
//! Otherwise it is a hash table with two places for each key (R. Pagh, F. F. Rodler, *Cuckoo hashing*,
//! Journal of Algorithms 51, 2004), so that a lookup is an expression without a loop. The buffer has the mask
//! of places and the seed of the hash function, and then for each place the arguments and the result. Keys
//! are compared in full. An empty place has [`MISSING`] as first argument and as result, so this number is
//! not allowed for either.

use crate::terms::Parameter;
use volvelle_kernel::{BinaryOp, Buffer, ExprId, Exprs, Node, Site, Type};

/// Marks a missing entry; never an argument or a result.
pub const MISSING: i64 = i64::MIN;

/// The position of the length in a dense table. The places follow.
const LENGTH: usize = 0;

/// The positions of the mask, the seed, and the first place in a hash table.
const MASK: usize = 0;
const SEED: usize = 1;
const FIRST: usize = 2;

/// Places of an empty table.
const FEWEST: usize = 8;

/// An odd number with well-mixed bits: the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Limit of entries that are moved for a new one before the table is rebuilt.
const MOST_MOVES: usize = 64;

/// Limit of places of a dense table whose arguments are all numbers of a range.
const MOST_PLACES: i64 = 1 << 16;
/// Limit of places per term of a dense table with a term.
const MOST_PER_TERM: i64 = 16;

/// How a table is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A place for each list of arguments: the smallest value of each argument, and the distance between its
    /// values.
    Dense(Vec<(i64, i64)>),
    /// A hash table of keys with this many arguments.
    Hashed(usize),
}

impl Form {
    /// The form for a function with these parameters.
    pub fn of(parameters: &[Parameter]) -> Form {
        let hashed = Form::Hashed(parameters.len());
        let terms = parameters.iter().filter(|p| matches!(p, Parameter::Term)).count();
        let (mut places, mut index) = (1i64, Vec::new());
        for parameter in parameters {
            index.push(match *parameter {
                Parameter::Any => return hashed,
                Parameter::Term => (0, 0),
                Parameter::Range { lo, hi } => {
                    let size = hi.checked_sub(lo).and_then(|size| size.checked_add(1));
                    let step = places;
                    match size.and_then(|size| places.checked_mul(size)) {
                        Some(product) => places = product,
                        None => return hashed,
                    }
                    (lo, step)
                }
            });
        }
        let most = if terms == 0 { MOST_PLACES } else { MOST_PER_TERM };
        if terms > 1 || places > most {
            return hashed;
        }
        for ((_, step), parameter) in index.iter_mut().zip(parameters) {
            if *parameter == Parameter::Term {
                *step = places;
            }
        }
        Form::Dense(index)
    }
}

/// The table of one function.
#[derive(Clone, Debug)]
pub struct Table {
    form: Form,
    len: usize,
    words: Vec<i64>,
}

impl Table {
    /// The empty table of a function with these parameters.
    pub fn new(parameters: &[Parameter]) -> Self {
        let form = Form::of(parameters);
        let words = match form {
            Form::Dense(_) => vec![1],
            Form::Hashed(arity) => empty(arity, FEWEST, 0),
        };
        Table { form, len: 0, words }
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

    /// The result for arguments, if known.
    pub fn get(&self, arguments: &[i64]) -> Option<i64> {
        match &self.form {
            Form::Dense(index) => {
                let found = self.words.get(place_of(index, arguments)).copied();
                found.filter(|&result| result != MISSING)
            }
            Form::Hashed(arity) => {
                let holds = |&at: &usize| self.words[at..at + arity] == *arguments;
                self.places(arguments).into_iter().find(holds).map(|at| self.words[at + arity])
            }
        }
    }

    /// Enters the result for arguments that have none yet.
    pub fn insert(&mut self, arguments: &[i64], result: i64) {
        debug_assert!(self.get(arguments).is_none());
        debug_assert!(result != MISSING && arguments.iter().all(|&argument| argument != MISSING));
        self.len += 1;
        let arity = match &self.form {
            Form::Dense(index) => {
                let place = place_of(index, arguments);
                if self.words.len() <= place {
                    // Doubled, so that the buffer is not extended one place at a time.
                    self.words.resize((place + 1).next_power_of_two(), MISSING);
                    self.words[LENGTH] = self.words.len() as i64;
                }
                self.words[place] = result;
                return;
            }
            Form::Hashed(arity) => *arity,
        };
        let mut entry = arguments.to_vec();
        entry.push(result);
        let places = self.words[MASK] as usize + 1;
        if 5 * self.len <= 2 * places && self.place(&mut entry) {
            return;
        }
        // `entry` is now an entry without a place.
        let mut entries = entry;
        for old in self.words[FIRST..].chunks_exact(arity + 1).filter(|old| old[0] != MISSING) {
            entries.extend_from_slice(old);
        }
        let mut places = if 5 * self.len > 2 * places { 2 * places } else { places };
        let mut seed = self.words[SEED];
        loop {
            seed = seed.wrapping_add(1);
            self.words = empty(arity, places, seed);
            let mut all = entries.chunks_exact(arity + 1);
            if all.all(|entry| self.place(&mut entry.to_vec())) {
                return;
            }
            // If rehashing fails repeatedly, add room.
            if seed % 4 == 0 {
                places *= 2;
            }
        }
    }

    /// Puts an entry into one of its places; an entry in its way moves to its other place. `false` if too
    /// many had to move: then `entry` is the one left without a place.
    fn place(&mut self, entry: &mut [i64]) -> bool {
        let stride = entry.len();
        let mut at = self.places(&entry[..stride - 1])[0];
        for _ in 0..MOST_MOVES {
            if self.words[at] == MISSING {
                self.words[at..at + stride].copy_from_slice(entry);
                return true;
            }
            let [first, second] = self.places(&entry[..stride - 1]);
            if at == first && self.words[second] == MISSING {
                at = second;
                continue;
            }
            self.words[at..at + stride].swap_with_slice(entry);
            let [first, second] = self.places(&entry[..stride - 1]);
            at = if at == first { second } else { first };
        }
        false
    }

    /// The positions of the two places of arguments.
    fn places(&self, arguments: &[i64]) -> [usize; 2] {
        let mask = self.words[MASK] as u64;
        let mut hash = self.words[SEED] as u64;
        for &argument in arguments {
            hash = (hash ^ argument as u64).wrapping_mul(FACTOR);
            hash ^= hash >> 32;
        }
        [hash, hash >> 32].map(|hash| FIRST + (hash & mask) as usize * (arguments.len() + 1))
    }
}

/// The place of arguments in a dense table. Arguments outside of their range have none.
fn place_of(index: &[(i64, i64)], arguments: &[i64]) -> usize {
    let sum = index.iter().zip(arguments).map(|(&(lo, step), argument)| (argument - lo) * step).sum::<i64>();
    usize::try_from(sum).map_or(usize::MAX, |place| LENGTH + 1 + place)
}

fn empty(arity: usize, places: usize, seed: i64) -> Vec<i64> {
    let mut words = vec![MISSING; FIRST + places * (arity + 1)];
    words[MASK] = places as i64 - 1;
    words[SEED] = seed;
    words
}

/// An expression for the result for arguments (`i64`) from the table in a buffer. Fails at `site` if it is
/// missing.
pub fn lookup(e: &mut Exprs, form: &Form, table: Buffer, arguments: &[ExprId], site: Site) -> ExprId {
    let value = match form {
        Form::Dense(index) => dense(e, index, table, arguments),
        Form::Hashed(_) => hashed(e, table, arguments),
    };
    e.add(Node::Range { arg: value, lo: MISSING + 1, hi: i64::MAX, site })
}

/// A load, within the length of the table.
fn dense(e: &mut Exprs, index: &[(i64, i64)], table: Buffer, arguments: &[ExprId]) -> ExprId {
    let mut place = e.i64(LENGTH as i64 + 1);
    for (&(lo, step), &argument) in index.iter().zip(arguments) {
        let (lo, step) = (e.i64(lo), e.i64(step));
        let offset = e.binary(BinaryOp::Sub, argument, lo);
        let part = e.binary(BinaryOp::Mul, offset, step);
        place = e.binary(BinaryOp::Add, place, part);
    }
    let place = e.convert(Type::U64, place);
    let zero = e.u64(0);
    let len = e.load(table, Type::I64, zero);
    let len = e.convert(Type::U64, len);
    let inside = e.binary(BinaryOp::Lt, place, len);
    let (found, missing) = (e.load(table, Type::I64, place), e.i64(MISSING));
    e.select(inside, found, missing)
}

fn hashed(e: &mut Exprs, table: Buffer, arguments: &[ExprId]) -> ExprId {
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
    value
}
