//! Streams that are no instructions: outcomes for predictors, accesses for caches.

use super::asked::{Asked, Run};
use super::json;
use super::meter::Meter;
use super::source::Content;
use serde_json::{Value, json};
use std::iter::once;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_multicore::{CacheCounts, Caches, Machine, Predictor, ProtocolTable, accesses as read_accesses};
use volvelle_multicore::{SharedBlock, outcomes as read_outcomes};
use volvelle_present::csv;
use volvelle_present::document::{Cell, Column, Table};

/// Elements of a stream between two looks at limits.
const PIECE: usize = 1 << 16;

/// Why there is no answer.
type Ended = (Vec<Diagnostic>, Option<Stop>);

/// What a predictor makes of outcomes.
pub struct OutcomeRow {
    pub predictor: String,
    /// Predictions made at once.
    pub group: u32,
    pub bits: u64,
    pub predictions: u64,
    pub mispredictions: u64,
}

/// What caches make of accesses.
pub struct AccessRow {
    pub machine: String,
    pub cores: usize,
    pub protocol: String,
    pub counts: CacheCounts,
    pub shared: Vec<SharedBlock>,
}

impl OutcomeRow {
    pub fn json(&self, program: &str) -> Value {
        json!({
            "program": program,
            "predictor": self.predictor,
            "group": self.group,
            "bits": self.bits,
            "predictions": self.predictions,
            "mispredictions": self.mispredictions,
        })
    }
}

impl AccessRow {
    pub fn json(&self, program: &str) -> Value {
        let block = |block: &SharedBlock| {
            json!({
                "address": block.address,
                "coherence_misses": block.coherence_misses,
                "false_sharing": block.false_sharing,
            })
        };
        json!({
            "program": program,
            "machine": self.machine,
            "cores": self.cores,
            "protocol": self.protocol,
            "caches": json::caches(&self.counts),
            "shared_blocks": self.shared.iter().map(block).collect::<Vec<_>>(),
        })
    }
}

fn text(run: &Run) -> (volvelle_diagnostics::FileId, &str) {
    match &run.source.content {
        Content::Text(_, file, text) => (*file, text),
        _ => unreachable!("only texts are streams without instructions"),
    }
}

/// Goes through outcomes with all predictors.
pub fn outcomes(run: &Run, asked: &Asked, control: &Control<'_>) -> Result<Vec<OutcomeRow>, Ended> {
    let (file, text) = text(run);
    let stream = read_outcomes(file, text).map_err(|found| (found, None))?;
    let lengths = asked.cases.iter().map(|_| Some(stream.len() as u64));
    let meter = Meter::new("outcomes", lengths, control);
    let mut rows = Vec::new();
    for case in &asked.cases {
        let (kind, group) = (&case.configuration.predictor.kind, case.configuration.machine.group);
        let mut predictor = Predictor::new(kind, group);
        if !case.configuration.machine.is_history_repaired {
            predictor = predictor.unrepaired();
        }
        let mut wrong = Vec::new();
        for piece in stream.chunks(PIECE) {
            control.check().map_err(|stop| (Vec::new(), Some(stop)))?;
            wrong.clear();
            predictor.observe(piece, &mut wrong);
            meter.pass_over(piece.len() as u64);
            meter.add(piece.len());
        }
        meter.end();
        rows.push(OutcomeRow {
            predictor: case.configuration.predictor.name.clone(),
            group,
            bits: kind.bits(),
            predictions: predictor.predictions,
            mispredictions: predictor.mispredictions,
        });
    }
    Ok(rows)
}

/// Goes through accesses with the caches of all machines.
pub fn accesses(run: &Run, asked: &Asked, control: &Control<'_>) -> Result<Vec<AccessRow>, Ended> {
    let (file, text) = text(run);
    let stream = read_accesses(file, text).map_err(|found| (found, None))?;
    let needed = stream.iter().map(|access| usize::from(access.core) + 1).max().unwrap_or(1);
    // Predictors make no difference.
    let mut machines: Vec<&Machine> = asked.cases.iter().map(|case| &case.configuration.machine).collect();
    machines.dedup();
    let lengths = machines.iter().map(|_| Some(stream.len() as u64));
    let meter = Meter::new("accesses", lengths, control);
    let mut rows: Vec<AccessRow> = Vec::new();
    for machine in machines {
        let cores = machine.cores.len();
        if cores < needed {
            let message =
                format!("core {} has accesses, and the machine `{}` has {cores}", needed - 1, machine.name);
            let found = Diagnostic::error(codes::MACHINE_VALUE, message);
            return Err((vec![found.help(format!("take more cores: --const cores={needed}"))], None));
        }
        let table = ProtocolTable::new(&machine.protocol).map_err(|found| (vec![found], None))?;
        let mut caches = Caches::new(cores, &machine.l1d, table);
        for piece in stream.chunks(PIECE) {
            control.check().map_err(|stop| (Vec::new(), Some(stop)))?;
            for access in piece {
                caches.access(access.core.into(), access.operation, access.address, access.size_bytes);
            }
            meter.pass_over(piece.len() as u64);
            meter.add(piece.len());
        }
        meter.end();
        rows.push(AccessRow {
            machine: machine.name.clone(),
            cores,
            protocol: machine.protocol.name.clone(),
            counts: *caches.counts(),
            shared: caches.shared_blocks(),
        });
    }
    Ok(rows)
}

/// The table with a line for each predictor.
pub fn csv_of_outcomes(rows: &[OutcomeRow]) -> String {
    let amounts = ["group", "bits", "predictions", "mispredictions"].map(Column::numbers);
    let columns = once(Column::words("predictor")).chain(amounts).collect();
    let cells = |row: &OutcomeRow| {
        let amounts = [u64::from(row.group), row.bits, row.predictions, row.mispredictions];
        once(Cell::name(&row.predictor)).chain(amounts.map(Cell::Count)).collect()
    };
    csv::table(&Table::new(columns, 1, rows.iter().map(cells)))
}

/// The table with a line for each machine.
pub fn csv_of_accesses(rows: &[AccessRow]) -> String {
    let heads = ["machine", "cores", "protocol"].map(Column::words).into_iter();
    let columns = heads.chain(CacheCounts::default().parts().map(|(name, _)| Column::numbers(name)));
    let cells = |row: &AccessRow| {
        let keys = [Cell::name(&row.machine), Cell::Count(row.cores as u64), Cell::name(&row.protocol)];
        keys.into_iter().chain(row.counts.parts().map(|(_, count)| Cell::Count(count))).collect()
    };
    csv::table(&Table::new(columns.collect(), 3, rows.iter().map(cells)))
}
