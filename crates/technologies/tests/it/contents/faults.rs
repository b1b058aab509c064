//! Devices that fail while contents are on them: a clean error or the right result, and memory is given back.

use super::{devices, function};
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Layout, PartialArray, Replica, SyncedArray};
use volvelle_runtime::testing::{Call, Faults, Faulty};
use volvelle_runtime::{Argument, Context, Error, Kernel};

const ADD: &str = "
    kernel add(lane: u64, first: u64) {
        buffer all: write i64;
        buffer some: write i64;
        buffer table: read i64;
        all[lane] = all[lane] + table[0u64];
        some[lane - first] = all[lane] * 2i64;
    }";

/// A small job with every kind of content.
fn job(faults: &Arc<Faults>) -> Result<Vec<i64>, Error> {
    let mut devices = devices(2);
    devices[1] = Faulty::executor(devices[1].clone(), faults.clone());
    let context = Context::of(devices)?;
    let all = Arc::new(SyncedArray::new(&context, Layout::of(Type::I64), 5)?);
    let some = Arc::new(PartialArray::new(&context, Layout::of(Type::I64), 5, 1)?);
    let table = Arc::new(Replica::new(&context, Layout::of(Type::I64))?);
    all.fill(&[1_i64, 2, 3, 4, 5])?;
    table.set(&[10_i64])?;
    let mut kernel = Kernel::new(&context, function(ADD))?;
    kernel.set("first", Argument::Start(some.clone()))?;
    kernel.set("all", all.clone())?;
    kernel.set("some", some.clone())?;
    kernel.set("table", table.clone())?;
    for _ in 0..2 {
        kernel.start(5, None)?;
        all.synchronize()?;
        some.exchange()?;
        table.set(&[10_i64, 20])?;
    }
    let mut values = all.values::<i64>()?;
    values.extend(some.values::<i64>()?);
    Ok(values)
}

#[test]
fn any_call_may_fail() {
    let faults = Faults::none();
    let expected = job(&faults).unwrap();
    assert_eq!(expected, [21, 22, 23, 24, 25, 42, 44, 46, 48, 50]);
    let calls = faults.calls();
    let mut kinds = Vec::new();
    for k in 0..calls {
        let faults = Faults::once(k);
        let error = job(&faults).expect_err("every call matters");
        assert!(error.to_string().contains(&format!("call {k} is to fail")), "{error}");
        assert_eq!(faults.live(), 0, "call {k}: regions are given back");
        kinds.extend(faults.failed());
    }
    assert_eq!(job(&Faults::once(calls)), Ok(expected));
    for call in [Call::Allocate, Call::Write, Call::Read, Call::Copy, Call::Build, Call::Launch] {
        assert!(kinds.contains(&call), "{call:?}");
    }
}
