//! Large zeroed arrays of atomics, on huge pages where the system has them.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// Marker for atomics that an all-zero bit pattern makes a valid value of.
///
/// # Safety
/// Zero bytes must be a valid value, and the type must need no drop.
pub unsafe trait Zeroed: Sized {}

// SAFETY: atomics have the representation of their integers.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU64 {}

/// A zeroed array of `len` elements; pages are taken from the system only when touched.
pub fn zeroed<T: Zeroed>(len: usize) -> Box<[T]> {
    // SAFETY: `Zeroed` promises that zero bytes are valid values.
    let array = unsafe { Box::<[T]>::new_zeroed_slice(len).assume_init() };
    advise_huge(array.as_ptr().cast(), std::mem::size_of_val(&*array));
    array
}

/// Asks for huge pages under an allocation. A hint: nothing depends on it.
pub fn advise_huge(start: *const u8, bytes: usize) {
    const HUGE: usize = 2 << 20;
    if bytes < 4 * HUGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        let first = (start as usize).next_multiple_of(HUGE);
        let end = (start as usize + bytes) / HUGE * HUGE;
        if first < end {
            // SAFETY: the range lies inside an allocation that the caller owns; MADV_HUGEPAGE changes no
            // content, and a failure is of no consequence.
            unsafe {
                libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = start;
}
