//! The tuning models by Garanina, Staroletov and Gorlatch: optima, and the time of every configuration, by closed forms that were
//! checked against simulations of SPIN.

use std::collections::BTreeSet;
use std::path::Path;
use volvelle_control::Control;
use volvelle_tune::{Evidence, Tuning, Value};
use volvelle_verify::{Session, Text, TuneQuestion, TuneSettings};

/// The models with changed constants, and counters wide enough.
pub fn tuned_models(folder: &Path) {
    let read = |name: &str| {
        std::fs::read_to_string(folder.join("autotune").join(name)).expect("the model is in the folder")
    };
    // Size, least time, with which WG and TS.
    type Optimum = (u32, i64, &'static [[i64; 2]]);
    let reduced: [Optimum; 8] = [
        (3, 44, &[[4, 2], [4, 4]]),
        (4, 156, &[[8, 4]]),
        (5, 584, &[[16, 4], [16, 8]]),
        (6, 2_224, &[[32, 8]]),
        (7, 8_672, &[[64, 8], [64, 16]]),
        (8, 33_984, &[[128, 16]]),
        (9, 134_528, &[[256, 16], [256, 32]]),
        (10, 533_248, &[[512, 32]]),
    ];
    let text = read("autotune_reduced.pml").replace("byte i", "int i");
    for (n, least, best) in reduced {
        let tuning = tuned(&text.replace("byte n = 7;", &format!("byte n = {n};")));
        assert_eq!(tuning.rows.len() as u32, (n - 1) * (n - 2), "size 2^{n}");
        check(&tuning, least, best, |wg, ts| of_reduced(1 << n, wg, ts));
    }
    // As published: with 1,024 elements, counters of a byte overflow, and some configurations never end.
    let text = read("autotune_reduced.pml");
    never_ending(&tuned(&text.replace("byte n = 7;", "byte n = 10;")));
    let text = read("autotune_full.pml").replace("byte i", "int i");
    for (n, least, best) in &reduced[..3] {
        let tuning = tuned(&text.replace("byte n = 4;", &format!("byte n = {n};")));
        // Other configurations are worse here than in the reduced model.
        assert_eq!((tuning.time(), tuning.is_proven()), (Some(*least as f64), true));
        assert!(best.iter().all(|best| configurations(tuning.best()).contains(best)), "{tuning:?}");
    }
    let text = read("min.pml");
    let minimum: [(u32, i64, Optimum); 4] = [
        (4, 4, (4, 24, &[[4, 4]])),
        (6, 64, (6, 36, &[[16, 4]])),
        (7, 64, (7, 52, &[[16, 8], [32, 4]])),
        (8, 64, (8, 68, &[[32, 8]])),
    ];
    for (n, elements, (_, least, best)) in minimum {
        let size = 1 << n;
        let changed = text
            .replace("byte", "int")
            .replace("#define NP 4", &format!("#define NP {elements}"))
            .replace("#define LM 8", &format!("#define LM {}", elements.max(8)))
            .replace("#define n 4", &format!("#define n {n}"))
            .replace("#define size 16", &format!("#define size {size}"));
        check(&tuned(&changed), least, best, |wg, ts| of_minimum(size, elements, wg, ts));
    }
}

/// The time of a configuration of the reduced model: 4 elements, 2 units, global memory 4 times as slow.
fn of_reduced(size: i64, wg: i64, ts: i64) -> i64 {
    let groups = size / wg;
    let per_unit = groups / 2 + groups % 2;
    // One work-group too many, where a unit has several.
    let executed = if per_unit == 1 { 1 } else { per_unit + 1 };
    executed * (wg / 4).max(1) * (4 * size + size / ts + ts + 4 + 2)
}

/// The reduced model with 1,024 elements and counters of a byte: those that end have the time of the closed form, and the others are
/// proven not to be better.
fn never_ending(tuning: &Tuning) {
    assert!(tuning.is_proven(), "{tuning:?}");
    assert_eq!(tuning.time(), Some(537_414.0));
    assert_eq!(configurations(tuning.best()), BTreeSet::from([[4, 32]]));
    for row in &tuning.rows {
        assert_eq!(row.evidence, Evidence::Certified, "{row:?}");
        let [wg, ts] = *configurations([row].into_iter()).first().expect("it has values");
        // Counters that count to 255 or more.
        let is_endless = 1024 / ts > 255 || wg - 4 > 255;
        let time = (!is_endless).then(|| of_reduced(1024, wg, ts) as f64);
        assert_eq!(row.time(), time, "WG={wg} TS={ts}");
        assert!(!is_endless || row.lo == 537_415.0 && row.hi == f64::INFINITY, "{row:?}");
    }
}

/// The time of a configuration of the minimum.
fn of_minimum(size: i64, elements: i64, wg: i64, ts: i64) -> i64 {
    let groups = size / (wg * ts);
    groups * (wg / elements).max(1) * (4 * ts + 1) + (wg.min(elements) - 1) + 4
}

fn tuned(model: &str) -> Tuning {
    let text = Text { name: "model.pml".to_owned(), text: model.to_owned() };
    let question = TuneQuestion {
        minimize: "time".to_owned(),
        until: "FIN".to_owned(),
        parameters: vec!["WG".to_owned(), "TS".to_owned()],
    };
    let control = Control { threads: 2, ..Control::unlimited() };
    let report = volvelle_verify::tune(
        &mut Session::open::<&str>(text, Vec::new(), &[]),
        &question,
        &TuneSettings::default(),
        &control,
    );
    report.tuning.unwrap_or_else(|| panic!("{:?}", report.diagnostics))
}

fn configurations<'t>(rows: impl Iterator<Item = &'t volvelle_tune::Row>) -> BTreeSet<[i64; 2]> {
    let int = |value: &Value| match value {
        Value::Int(value) => *value,
        other => panic!("{other}"),
    };
    rows.map(|row| [int(&row.values[0]), int(&row.values[1])]).collect()
}

/// Every configuration has the time of the closed form, by a certificate, and the best ones are those that are known.
fn check(tuning: &Tuning, least: i64, best: &[[i64; 2]], time: impl Fn(i64, i64) -> i64) {
    assert!(tuning.is_proven(), "{tuning:?}");
    assert_eq!(tuning.time(), Some(least as f64));
    assert_eq!(configurations(tuning.best()), best.iter().copied().collect());
    for row in &tuning.rows {
        assert_eq!(row.evidence, Evidence::Certified, "{row:?}");
        let [wg, ts] = *configurations([row].into_iter()).first().expect("it has values");
        assert_eq!(row.time(), Some(time(wg, ts) as f64), "WG={wg} TS={ts}");
    }
}
