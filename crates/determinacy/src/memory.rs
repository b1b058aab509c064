//! The state of a run as cells: global fields first, then the records of instances as they are created.
//!
//! Slots are never reused, even after a process has ended, so that a cell means the same for the whole run.

use crate::value::Value;
use volvelle_model::{ComponentId, FieldId, PoolId, Program};

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The first cell of a field of the state.
    Global(u32),
    /// The first cell in the record of an instance of a pool.
    Record(PoolId, u32),
}

/// The positions of all fields.
#[derive(Clone, Debug)]
pub struct MemoryLayout {
    homes: Vec<Home>,
    /// By pool: number of cells in the record of an instance.
    strides: Vec<u32>,
    /// Initial values by position: of globals first, then of the record of each pool.
    rest: Vec<Vec<i64>>,
    /// Fields by position, in the same order.
    fields: Vec<Vec<FieldId>>,
    globals: u32,
}

impl MemoryLayout {
    /// For a program.
    pub fn new(program: &Program) -> Self {
        let pools = &program.network.pools;
        let mut layout = MemoryLayout {
            homes: vec![Home::Global(0); program.fields.len()],
            strides: vec![0; pools.len()],
            rest: vec![Vec::new(); pools.len() + 1],
            fields: vec![Vec::new(); pools.len() + 1],
            globals: 0,
        };
        layout.globals = layout.record(program, None, None, 0);
        for (p, pool) in pools.iter().enumerate() {
            let id = Some(PoolId(p as u32));
            let header = layout.record(program, Some(pool.header), id, 0);
            // Members share memory in packed states; here each has its own cells, so that a cell belongs to
            // one field.
            let mut end = header;
            for &member in pool.members.iter().filter(|&&member| member != pool.header) {
                end = layout.record(program, Some(member), id, end);
            }
            layout.strides[p] = end;
        }
        layout
    }

    fn record(
        &mut self,
        program: &Program,
        component: Option<ComponentId>,
        pool: Option<PoolId>,
        start: u32,
    ) -> u32 {
        let mut at = start;
        let part = pool.map_or(0, |pool| pool.index() + 1);
        for (f, field) in program.fields.iter().enumerate().filter(|(_, field)| field.component == component)
        {
            self.homes[f] = pool.map_or(Home::Global(at), |pool| Home::Record(pool, at));
            // Packed states begin as all zeros, which means the least value of each domain.
            let rest = field.domain.bounds().0;
            for _ in 0..field.length {
                self.rest[part].push(rest);
                self.fields[part].push(FieldId(f as u32));
            }
            at += field.length;
        }
        at
    }

    /// Where a field is.
    pub fn home(&self, field: FieldId) -> Home {
        self.homes[field.index()]
    }
}

/// The cells.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Their values.
    pub cells: Vec<Value>,
    /// The field of each.
    pub fields: Vec<FieldId>,
    /// The first cell of each slot, by pool.
    pub bases: Vec<Vec<u32>>,
    /// Cells that belong to a process alone.
    pub is_own: Vec<bool>,
}

impl Memory {
    /// Before anything was stored.
    pub fn new(layout: &MemoryLayout) -> Self {
        Memory {
            cells: layout.rest[0].iter().map(|&value| Value::constant(value)).collect(),
            fields: layout.fields[0].clone(),
            bases: vec![Vec::new(); layout.strides.len()],
            is_own: vec![false; layout.globals as usize],
        }
    }

    /// The first cell of a slot. Creates the slot if it is the next one.
    pub fn base(&mut self, layout: &MemoryLayout, pool: PoolId, slot: i64) -> Option<u32> {
        let slot = usize::try_from(slot).ok()?;
        if slot == self.bases[pool.index()].len() {
            self.bases[pool.index()].push(self.cells.len() as u32);
            let part = pool.index() + 1;
            self.cells.extend(layout.rest[part].iter().map(|&value| Value::constant(value)));
            self.fields.extend(&layout.fields[part]);
            self.is_own.resize(self.cells.len(), pool.index() == 0);
        }
        self.bases[pool.index()].get(slot).copied()
    }
}
