//! Memoryless schedulers: the choice that a path takes in a state with several.
//!
//! In: decisions, each a state and a choice, numbered among those enabled there as in exploration. Out: a
//! table that compiled paths read from a buffer. States are packed into words. A perfect hash function (hash
//! and displace: Belazzougui, Botelho and Dietzfelbinger, *Hash, displace, and compress*, ESA 2009) leads to
//! the only possible entry of a state, so a look-up needs no loop.
//!
//! If at most one choice is enabled, the scheduler is not asked. In a state without a decision, the path
//! fails ([`Scheduler::site`]).

use crate::combinations::Combination;
use crate::error::{Mismatch, MismatchKind, Unsupported};
use volvelle_kernel::interp::Evaluator;
use volvelle_kernel::{BinaryOp, Const, ExprId, FailKind, Local, Site, Type};
use volvelle_model::{Domain, Origin, Program, SiteInfo, SiteSubject};

/// How the choices of a model are resolved.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Resolution {
    /// The choices are resolved by the probabilities in the model; models that leave choices open are
    /// rejected.
    #[default]
    Model,
    /// Chance: every choice that is enabled is equally likely.
    Uniform,
    /// A scheduler.
    Scheduler(Vec<Decision>),
}

/// The decision in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Values of the fields, within their domains.
    pub state: Vec<i64>,
    /// The choice, numbered among those enabled.
    pub choice: u32,
    /// The action of the choice; empty for the silent action.
    pub action: String,
}

/// Bits of a word: `i64` without its sign, and room for sums of intervals.
const WORD: u32 = 62;
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];
/// Number of hash functions that are tried; the first nearly always works.
const ATTEMPTS: u64 = 64;
/// Displacements that are tried for a bucket.
const DISPLACEMENTS: u64 = 1 << 12;

/// Decisions of a scheduler, ready to be looked up.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// The words that are looked up: `i64` expressions of the program.
    pub words: Vec<ExprId>,
    /// The site of failure for paths in a state without a decision.
    pub site: Site,
    /// Displacements of the buckets, then entries: the words of a state, and its choice plus one (0 if there
    /// is no entry).
    pub table: Vec<u64>,
    /// Numbers of buckets and entries are powers of two.
    pub buckets: u64,
    /// Number of entries.
    pub entries: u64,
    /// Of the hash function.
    pub seed: u64,
}

impl Scheduler {
    /// Prepares decisions for the combinations of a program. New expressions and a new site are added to the
    /// program.
    ///
    /// # Errors
    /// A decision does not fit the program.
    pub fn new(
        program: &mut Program,
        combinations: &[Combination],
        decisions: &[Decision],
    ) -> Result<Self, Unsupported> {
        let words = words(program);
        let site = program.site(SiteInfo {
            kind: FailKind::Assertion,
            subject: SiteSubject::Note,
            origin: Origin(0),
            command: None,
        });
        let mut keys: Vec<(Vec<u64>, u64, usize)> = Vec::new();
        let mut evaluator = Evaluator::new();
        for (index, decision) in decisions.iter().enumerate() {
            let locals = locals(program, &decision.state);
            let mut holds =
                |guard: ExprId| evaluator.eval(&program.exprs, guard, &locals).ok().and_then(Const::as_bool);
            let mut enabled = Vec::new();
            let mut fails = false;
            for combination in combinations {
                match combination.guards.iter().try_fold(true, |all, &guard| Some(all && holds(guard)?)) {
                    Some(true) => enabled.push(combination),
                    Some(false) => {}
                    None => fails = true,
                }
            }
            // There is nothing to decide, or the path fails there by itself.
            if fails || enabled.len() < 2 {
                continue;
            }
            let mismatch = |why| Err(Unsupported::Mismatch(Mismatch { decision: index, why }));
            let Some(combination) = enabled.get(decision.choice as usize) else {
                return mismatch(MismatchKind::NoSuchChoice(enabled.len()));
            };
            if program.actions[combination.action.index()].name != decision.action {
                // A state whose successors were not needed has a choice without a name.
                if decision.choice == 0 && decision.action.is_empty() {
                    continue;
                }
                return mismatch(MismatchKind::OtherAction(combination.action));
            }
            let key = words.iter().map(|&word| {
                let value = evaluator.eval(&program.exprs, word, &locals).ok().and_then(Const::as_i64);
                value.unwrap_or(0) as u64
            });
            keys.push((key.collect(), u64::from(decision.choice) + 1, index));
        }
        keys.sort();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Unsupported::Mismatch(Mismatch { decision: pair[1].2, why: MismatchKind::Twice }));
        }
        let (buckets, entries) = sizes(keys.len());
        let stride = words.len() + 1;
        let mut scheduler = Scheduler { words, site, table: Vec::new(), buckets, entries, seed: 0 };
        for attempt in 0..ATTEMPTS {
            scheduler.seed = attempt.wrapping_mul(FACTORS[2]);
            if let Some(places) = scheduler.displaced(&keys) {
                scheduler.table = places.displacements;
                scheduler.table.resize(buckets as usize + stride * entries as usize, 0);
                for ((key, choice, _), place) in keys.iter().zip(places.of_keys) {
                    let at = buckets as usize + stride * place as usize;
                    scheduler.table[at..at + key.len()].copy_from_slice(key);
                    scheduler.table[at + key.len()] = *choice;
                }
                return Ok(scheduler);
            }
        }
        Err(Unsupported::Compile(
            "no perfect hash function was found for the states of the scheduler".to_owned(),
        ))
    }

    /// Hash of the words of a state; its lower bits are the bucket.
    pub fn hash(&self, key: &[u64]) -> u64 {
        let hash = key.iter().fold(self.seed, |hash, word| stir(hash ^ word, FACTORS[0]));
        stir(hash, FACTORS[1])
    }

    /// The entry of a displaced hash. Two rounds, since with one, hashes that differ in few bits would
    /// collide for every displacement.
    fn place(&self, hash: u64, displacement: u64) -> u64 {
        let stirred = stir(hash ^ displacement, FACTORS[2]);
        stirred.wrapping_mul(FACTORS[0]) >> 32 & (self.entries - 1)
    }

    /// The choice in a state, by the words that it is packed into.
    pub fn choice(&self, key: &[u64]) -> Option<u64> {
        let hash = self.hash(key);
        let displacement = self.table[(hash & (self.buckets - 1)) as usize];
        let stride = key.len() + 1;
        let at = self.buckets as usize + stride * self.place(hash, displacement) as usize;
        let entry = &self.table[at..at + stride];
        (entry[..key.len()] == *key).then(|| entry[key.len()].checked_sub(1)).flatten()
    }

    /// Displacements that give every key its own entry; `None` if none were found.
    fn displaced(&self, keys: &[(Vec<u64>, u64, usize)]) -> Option<Places> {
        let hashes: Vec<u64> = keys.iter().map(|(key, ..)| self.hash(key)).collect();
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); self.buckets as usize];
        for (key, hash) in hashes.iter().enumerate() {
            buckets[(hash & (self.buckets - 1)) as usize].push(key);
        }
        let mut order: Vec<usize> = (0..buckets.len()).filter(|&b| !buckets[b].is_empty()).collect();
        order.sort_by_key(|&b| std::cmp::Reverse(buckets[b].len()));
        let mut places = Places { displacements: vec![0; buckets.len()], of_keys: vec![0; keys.len()] };
        let mut taken = vec![false; self.entries as usize];
        for bucket in order {
            let members = &buckets[bucket];
            let found = (0..DISPLACEMENTS).map(|i| i.wrapping_mul(FACTORS[1])).find(|&displacement| {
                let at = |i: usize| self.place(hashes[members[i]], displacement);
                (0..members.len()).all(|i| !taken[at(i) as usize] && (0..i).all(|j| at(i) != at(j)))
            })?;
            places.displacements[bucket] = found;
            for &key in members {
                places.of_keys[key] = self.place(hashes[key], found);
                taken[places.of_keys[key] as usize] = true;
            }
        }
        Some(places)
    }

    /// Factors of the hash function, for generated code: of each word, of the end, and of the displacement
    /// (and the first again).
    pub(crate) fn factors() -> [u64; 3] {
        FACTORS
    }
}

/// A round of hashing.
fn stir(hash: u64, factor: u64) -> u64 {
    let product = hash.wrapping_mul(factor);
    product ^ product >> 32
}

/// The entries of keys.
struct Places {
    displacements: Vec<u64>,
    of_keys: Vec<u64>,
}

/// Numbers of buckets and entries: on average at most three keys per bucket, and half of the entries used.
fn sizes(keys: usize) -> (u64, u64) {
    let keys = keys.max(1) as u64;
    ((keys / 3 + 1).next_power_of_two(), (2 * keys).next_power_of_two())
}

fn locals(program: &Program, state: &[i64]) -> Vec<Const> {
    let fields = program.fields.iter().zip(state);
    fields
        .map(|(field, &value)| match field.domain {
            Domain::Bool => Const::bool(value != 0),
            _ => Const::i64(value),
        })
        .collect()
}

/// The fields packed into words, as expressions of the program; at least one word.
fn words(program: &mut Program) -> Vec<ExprId> {
    let mut words: Vec<(ExprId, u32)> = Vec::new();
    for i in 0..program.fields.len() {
        let (lo, hi) = program.fields[i].domain.bounds();
        let width = hi.wrapping_sub(lo) as u64;
        let bits = u64::BITS - width.leading_zeros();
        let exprs = &mut program.exprs;
        let field = exprs.local(Local(i as u32), program.fields[i].domain.ty());
        let value = exprs.convert(Type::I64, field);
        let lowest = exprs.i64(lo);
        let offset = exprs.binary(BinaryOp::Sub, value, lowest);
        match words.last_mut() {
            Some((word, used)) if *used + bits <= WORD => {
                let factor = exprs.i64(1 << *used);
                let shifted = exprs.binary(BinaryOp::Mul, offset, factor);
                *word = exprs.binary(BinaryOp::Add, *word, shifted);
                *used += bits;
            }
            _ => words.push((offset, bits)),
        }
    }
    if words.is_empty() {
        words.push((program.exprs.i64(0), 0));
    }
    words.into_iter().map(|(word, _)| word).collect()
}
