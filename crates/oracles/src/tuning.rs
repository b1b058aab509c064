//! Conditions, lists of values and files of tuners: any bytes in, no panic; places of mistakes lie in the text, spaces contain what
//! they find, and what was read from a file is written and read again unchanged.

use volvelle_tune::Value;
use volvelle_tune::formats::cache::Cache;
use volvelle_tune::formats::{t1, t4};
use volvelle_tune::space::{ConfigurationId, Mistake, Parameter, Problem, values};

/// Reads bytes as a condition, as a list of values, and as a file of each format.
pub fn tuning_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    condition(&text);
    if let Err(mistake) = values(&text) {
        lies_in(&mistake, &text);
    }
    if let Ok(cache) = Cache::read(&text) {
        let again = Cache::read(&cache.write()).expect("what was written is a cache");
        assert_eq!(again.parameters, cache.parameters);
        // Entries of one key replace each other, and a time may be beyond what a file can hold.
        assert!(again.entries.len() <= cache.entries.len());
    }
    if let Ok((parameters, measurements)) = t4::read(&text) {
        let written = t4::write(&parameters, &measurements);
        let (_, again) = t4::read(&written).expect("what was written is a file of results");
        assert_eq!(again.len(), measurements.len());
    }
    if let Ok(problem) = t1::read(&text) {
        assert!(problem.parameters.iter().all(|parameter| !parameter.values.is_empty()));
    }
}

fn lies_in(mistake: &Mistake, text: &str) {
    let place = &mistake.place;
    assert!(place.start <= place.end && place.end <= text.len(), "{place:?}");
    assert!(text.is_char_boundary(place.start) && text.is_char_boundary(place.end), "{place:?}");
    assert!(!mistake.message.is_empty());
}

fn condition(text: &str) {
    let whole = |list: &[i64]| list.iter().map(|value| Value::Int(*value)).collect();
    let parameters = vec![
        Parameter { name: "WG".to_owned(), values: whole(&[0, 1, -3, 64, i64::MAX]) },
        Parameter {
            name: "TS".to_owned(),
            values: vec![Value::Float(0.5), Value::Int(2), Value::Bool(true)],
        },
        Parameter { name: "how".to_owned(), values: vec![Value::Text("a".to_owned()), Value::Int(1)] },
    ];
    let mut problem = Problem::new(parameters);
    problem.define("size", Value::Int(1 << 20));
    if let Err(mistake) = problem.require(text) {
        lies_in(&mistake, text);
        return;
    }
    let Ok(space) = problem.build(1, 1000) else { return };
    for id in (0..space.len()).map(ConfigurationId) {
        assert_eq!(space.find(&space.indices(id)), Some(id));
    }
}
