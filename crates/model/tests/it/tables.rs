//! Tables of functions, read by expressions.

use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{Buffer, Const, ExprId, Exprs, Local, Site, Type};
use volvelle_model::Parameter;
use volvelle_model::tables::{Form, Table, lookup};

/// Expressions find what was entered, for keys that are dense, sparse, negative, or alike in most bits.
#[test]
fn expressions_find_what_was_entered() {
    for arity in 1..=4 {
        let mut e = Exprs::new();
        let arguments: Vec<ExprId> = (0..arity).map(|k| e.local(Local(k), Type::I64)).collect();
        let form = Form::Hashed(arity as usize);
        let root = lookup(&mut e, &form, Buffer(0), &arguments, Site(7));
        let mut evaluator = Evaluator::new();
        let mut table = Table::new(&vec![Parameter::Any; arity as usize]);
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
        // The mask of places comes first.
        let places = table.words()[0] as usize + 1;
        assert!((7500..=16384).contains(&places), "arity {arity}: {places}");
    }
}
/// The same for dense tables: ranges, and a term at any position.
#[test]
fn dense_tables_hold_what_was_entered() {
    let range = |lo, hi| Parameter::Range { lo, hi };
    for parameters in [
        vec![Parameter::Term],
        vec![range(0, 2), Parameter::Term, range(-3, 1)],
        vec![range(-200, 54), range(5, 260)],
    ] {
        let form = Form::of(&parameters);
        assert!(matches!(form, Form::Dense(_)), "{parameters:?}");
        let mut e = Exprs::new();
        let arguments: Vec<ExprId> =
            (0..parameters.len()).map(|k| e.local(Local(k as u32), Type::I64)).collect();
        let root = lookup(&mut e, &form, Buffer(0), &arguments, Site(7));
        let (mut evaluator, mut table) = (Evaluator::new(), Table::new(&parameters));
        let mut keys: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in &parameters {
            let (lo, hi) = match *parameter {
                Parameter::Range { lo, hi } => (lo, hi),
                _ => (0, 40),
            };
            let longer =
                |key: &Vec<i64>| (lo..=hi).map(|x| key.iter().copied().chain([x]).collect()).collect();
            keys = keys.iter().flat_map(|key| -> Vec<Vec<i64>> { longer(key) }).collect();
        }
        let mut look = |table: &Table, key: &[i64]| {
            let local = |local: Local| key.get(local.index()).map(|&value| Const::i64(value));
            let word = |_, at: u64| table.words().get(at as usize).map(|&word| Const::i64(word));
            evaluator.eval_reading(&e, root, local, word)
        };
        // In an order that is neither that of the table nor its reverse.
        let order = (0..keys.len()).map(|k| &keys[(k * 1009 + 7) % keys.len()]);
        for (k, key) in order.enumerate() {
            if k % 3 == 0 {
                assert_eq!((look(&table, key), table.get(key)), (Err(EvalError::Failed(Site(7))), None));
                table.insert(key, k as i64 - 9);
            }
            let known = table.get(key);
            assert_eq!(look(&table, key).ok(), known.map(Const::i64), "{key:?}");
        }
        assert_eq!(table.len(), keys.len().div_ceil(3));
    }
    for parameters in [
        vec![Parameter::Any],
        vec![Parameter::Term, Parameter::Term],
        vec![range(0, 16), Parameter::Term],
        vec![range(0, i64::MAX), range(0, i64::MAX)],
        vec![range(0, 1 << 16)],
    ] {
        assert_eq!(Form::of(&parameters), Form::Hashed(parameters.len()));
    }
}
