//! Running generated cases on executors.

use volvelle_kernel::generate::Case;
use volvelle_kernel::harness::{Contents, Outcome};
use volvelle_kernel::types::canonical_int;
use volvelle_kernel::{Const, Type};
use volvelle_runtime::{Error, Executable, Executor, Launch, LaunchBuffer, Region};

/// Constants as the bytes that they take in a buffer.
pub fn to_bytes(values: &[Const]) -> Vec<u8> {
    let bytes = |c: &Const| match c.ty.bytes() {
        1 => (c.bits as u8).to_ne_bytes().to_vec(),
        2 => (c.bits as u16).to_ne_bytes().to_vec(),
        4 => (c.bits as u32).to_ne_bytes().to_vec(),
        _ => c.bits.to_ne_bytes().to_vec(),
    };
    values.iter().flat_map(bytes).collect()
}

/// The other way round.
pub fn from_bytes(ty: Type, bytes: &[u8]) -> Vec<Const> {
    let value = |b: &[u8]| match b.len() {
        1 => u64::from(b[0]),
        2 => u64::from(u16::from_ne_bytes(b.try_into().unwrap())),
        4 => u64::from(u32::from_ne_bytes(b.try_into().unwrap())),
        _ => u64::from_ne_bytes(b.try_into().unwrap()),
    };
    let constant = |bits| Const { ty, bits: if ty == Type::F32 { bits } else { canonical_int(ty, bits) } };
    bytes.chunks(ty.bytes()).map(|b| constant(value(b))).collect()
}

/// The first lane of a case, unless some of its lanes have no number.
pub fn first_lane(case: &Case, lanes: usize) -> Option<u64> {
    let first = case.params[0].bits;
    first.checked_add(lanes as u64).map(|_| first)
}

/// Runs `lanes` lanes of a case, in launches of at most `piece` lanes with blocks of `block`.
pub fn run(
    case: &Case,
    executor: &dyn Executor,
    executable: &dyn Executable,
    lanes: usize,
    piece: usize,
    block: Option<u32>,
) -> Result<Outcome, Error> {
    let storage = executor.storage();
    let mut regions: Vec<(Box<dyn Region>, usize)> = Vec::new();
    for contents in &case.buffers {
        let Contents::Elements(values) = contents else { panic!("a buffer for appending") };
        let bytes = to_bytes(values);
        let region = storage.allocate(bytes.len())?;
        region.write(0, &bytes)?;
        regions.push((region, values.len()));
    }
    let buffers: Vec<LaunchBuffer<'_>> =
        regions.iter().map(|(region, elements)| LaunchBuffer::first(&**region, *elements)).collect();
    let first = case.params[0].bits;
    let mut exit = volvelle_kernel::Exit::Done;
    for start in (0..lanes).step_by(piece) {
        let range = first + start as u64..first + (start + piece).min(lanes) as u64;
        exit = executable.launch(&Launch {
            lanes: range,
            block,
            params: &case.params[1..],
            buffers: &buffers,
        })?;
        if exit != volvelle_kernel::Exit::Done {
            break;
        }
    }
    let mut found = Vec::new();
    for ((region, _), decl) in regions.iter().zip(&case.kernel.buffers) {
        let mut bytes = vec![0; region.bytes()];
        region.read(0, &mut bytes)?;
        found.push(from_bytes(decl.ty, &bytes));
    }
    Ok(Outcome { exit, buffers: found })
}
