//! Boolean observations of many states.

use volvelle_kernel::{BufferMut, Code, Site};

/// Evaluates Boolean observations of some states, one buffer for each. Returns the site of a failure, if any.
pub fn evaluate(code: &dyn Code, states: &[u64], count: usize, flags: &mut [Vec<u8>]) -> Option<Site> {
    let range = [0, count as u64];
    let mut buffers = Vec::with_capacity(2 + flags.len());
    buffers.push(BufferMut::ReadU64(states));
    buffers.push(BufferMut::ReadU64(&range));
    for flag in flags {
        flag.resize(count, 0);
        buffers.push(BufferMut::U8(flag));
    }
    match code.run(&[], &mut buffers) {
        volvelle_kernel::Exit::Done => None,
        volvelle_kernel::Exit::Failed(site) => Some(site),
        exit => unreachable!("the observation kernel ended with {exit:?}"),
    }
}
