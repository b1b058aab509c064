//! Interval analysis against evaluation: under a guard, no value lies outside its interval.

use super::generate;
use super::reference::locals;
use volvelle_kernel::Type;
use volvelle_kernel::interp::eval;
use volvelle_model::interval::{self, Env};
use volvelle_random::Random;

#[test]
fn values_lie_in_their_intervals() {
    let (mut known, mut narrowed, mut tight) = (0, 0, 0);
    for seed in 0..1500u64 {
        let program = generate::program(seed);
        let mut random = Random(seed ^ 0xabcd);
        let alternatives = program.groups.iter().flat_map(|g| &g.participants).flat_map(|p| &p.alternatives);
        for alternative in alternatives {
            let free = Env::new(&program);
            let env = free.clone().assume(&program.exprs, alternative.guard);
            let values = alternative.outcomes.iter().flat_map(|o| o.assignments()).map(|a| a.value);
            for value in values.filter(|&v| program.exprs.ty(v) == Type::I64) {
                let Some(interval) = interval::of(&program.exprs, value, &env) else { continue };
                known += 1;
                narrowed += usize::from(interval::of(&program.exprs, value, &free) != Some(interval));
                let (mut least, mut most) = (i64::MAX, i64::MIN);
                for _ in 0..30 {
                    let pick = |f: &volvelle_model::Field, r: &mut Random| {
                        let (lo, hi) = f.domain.bounds();
                        lo + r.below((hi - lo + 1) as usize) as i64
                    };
                    let state: Vec<i64> = program.fields.iter().map(|f| pick(f, &mut random)).collect();
                    let locals = locals(&program, &state);
                    let enabled = eval(&program.exprs, alternative.guard, &locals);
                    if enabled.ok().and_then(|c| c.as_bool()) != Some(true) {
                        continue;
                    }
                    if let Ok(v) = eval(&program.exprs, value, &locals) {
                        let v = v.as_i64().unwrap();
                        assert!(interval.within(i64::MIN, i64::MAX) && interval.lo <= v && v <= interval.hi);
                        (least, most) = (least.min(v), most.max(v));
                    }
                }
                tight += usize::from((least, most) == (interval.lo, interval.hi));
            }
        }
    }
    // It knows something, guards help, and the bounds are met.
    assert!(known > 3000 && narrowed > 300 && tight > 1000, "{known} {narrowed} {tight}");
}
