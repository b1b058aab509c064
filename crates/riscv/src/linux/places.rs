//! Where in memory things go: the heap, and mappings below the stack.

use crate::elf::{ADDRESS_SPACE_END, Permissions};
use crate::memory::{Memory, PAGE_BYTES, round_up};
use crate::stack::{STACK_BYTES, STACK_END};
use crate::world::Errno;

/// The heap may grow to so many bytes, if nothing is in its way.
const MOST_HEAP_BYTES: u64 = 1 << 36;
/// Mappings go below this address, some way below the stack.
pub(super) const MAPPINGS_END: u64 = STACK_END - STACK_BYTES - (1 << 20);
/// No mapping goes below this address by itself.
const LOWEST: u64 = 0x1_0000;
const READ_WRITE: Permissions = Permissions(Permissions::READ | Permissions::WRITE);

/// Flags of `mmap`.
mod flag {
    pub const FIXED: u64 = 0x10;
    pub const FIXED_NOREPLACE: u64 = 0x10_0000;
}

/// The heap, and where mappings go.
#[derive(Clone, Debug)]
pub struct Places {
    heap: u64,
    heap_end: u64,
}

/// Permissions of `mmap` and `mprotect`: what is writable or executable is readable, as on Linux for RISC-V.
fn permissions(protection: u64) -> Permissions {
    let read = if protection & 7 == 0 { 0 } else { Permissions::READ };
    let write = if protection & 2 == 0 { 0 } else { Permissions::WRITE };
    let execute = if protection & 4 == 0 { 0 } else { Permissions::EXECUTE };
    Permissions(read | write | execute)
}

/// Whole pages of the address space.
fn check(address: u64, bytes: u64) -> Result<(), Errno> {
    let end = address.checked_add(round_up(bytes)).ok_or(Errno::NOMEM)?;
    if !address.is_multiple_of(PAGE_BYTES) || bytes == 0 {
        return Err(Errno::INVAL);
    }
    if end > ADDRESS_SPACE_END { Err(Errno::NOMEM) } else { Ok(()) }
}

impl Places {
    /// A heap behind the program.
    pub fn new(heap: u64) -> Self {
        let heap = round_up(heap);
        Places { heap, heap_end: heap }
    }

    /// `brk`: moves the end of the heap, if that is possible; gives where it is.
    pub fn set_heap_end(&mut self, end: u64, memory: &mut Memory) -> u64 {
        if end < self.heap || end - self.heap > MOST_HEAP_BYTES {
            return self.heap_end;
        }
        let (old, new) = (round_up(self.heap_end), round_up(end));
        if new > old {
            if new > MAPPINGS_END || memory.is_any_mapped(old, new - old) {
                return self.heap_end;
            }
            memory.map(old, new - old, READ_WRITE);
        } else if new < old {
            memory.unmap(new, old - new);
        }
        self.heap_end = end;
        end
    }

    /// `mmap` of memory: gives the address.
    pub fn map(
        &mut self,
        wanted: u64,
        bytes: u64,
        protection: u64,
        flags: u64,
        memory: &mut Memory,
    ) -> Result<u64, Errno> {
        if bytes == 0 {
            return Err(Errno::INVAL);
        }
        let is_fixed = flags & (flag::FIXED | flag::FIXED_NOREPLACE) != 0;
        let hint = wanted & !(PAGE_BYTES - 1);
        let address = if is_fixed {
            check(wanted, bytes)?;
            if flags & flag::FIXED_NOREPLACE != 0 && memory.is_any_mapped(wanted, bytes) {
                return Err(Errno::EXIST);
            }
            wanted
        } else if hint >= LOWEST && check(hint, bytes).is_ok() && !memory.is_any_mapped(hint, bytes) {
            hint
        } else {
            memory.gap_below(LOWEST, MAPPINGS_END, bytes).ok_or(Errno::NOMEM)?
        };
        memory.map(address, bytes, permissions(protection));
        Ok(address)
    }

    /// `munmap`.
    pub fn unmap(&self, address: u64, bytes: u64, memory: &mut Memory) -> Result<u64, Errno> {
        check(address, bytes)?;
        memory.unmap(address, bytes);
        Ok(0)
    }

    /// `mprotect`.
    pub fn protect(
        &self,
        address: u64,
        bytes: u64,
        protection: u64,
        memory: &mut Memory,
    ) -> Result<u64, Errno> {
        if bytes == 0 {
            return Ok(0);
        }
        check(address, bytes)?;
        if memory.protect(address, bytes, permissions(protection)) { Ok(0) } else { Err(Errno::NOMEM) }
    }

    /// `mremap`: grows or shrinks a mapping, in place if possible, otherwise elsewhere.
    pub fn remap(
        &mut self,
        address: u64,
        old: u64,
        new: u64,
        flags: u64,
        memory: &mut Memory,
    ) -> Result<u64, Errno> {
        const MAY_MOVE: u64 = 1;
        check(address, old)?;
        check(address, new)?;
        if flags & !MAY_MOVE != 0 {
            return Err(Errno::INVAL);
        }
        let (old, new) = (round_up(old), round_up(new));
        let Some(permissions) = memory.permissions_of(address).filter(|_| memory.is_mapped(address, old))
        else {
            return Err(Errno::FAULT);
        };
        if new <= old {
            memory.unmap(address + new, old - new);
            return Ok(address);
        }
        if !memory.is_any_mapped(address + old, new - old) {
            memory.map(address + old, new - old, permissions);
            return Ok(address);
        }
        if flags & MAY_MOVE == 0 {
            return Err(Errno::NOMEM);
        }
        let target = memory.gap_below(LOWEST, MAPPINGS_END, new).ok_or(Errno::NOMEM)?;
        memory.map(target, new, permissions);
        memory.move_pages(address, target, old);
        memory.unmap(address, old);
        Ok(target)
    }

    /// `madvise`: memory that is not needed reads as zeros again.
    pub fn advise(&self, address: u64, bytes: u64, advice: u64, memory: &mut Memory) -> Result<u64, Errno> {
        const DONT_NEED: u64 = 4;
        if bytes == 0 {
            return Ok(0);
        }
        check(address, bytes)?;
        if advice == DONT_NEED {
            memory.clear(address, bytes);
        }
        Ok(0)
    }
}
