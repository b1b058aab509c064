//! A zeroed array of 64-bit atomics that grows without being copied, where the system can do that.
//!
//! Large arrays are mappings of their own: on Linux, growing moves pages from one range of addresses to another, so
//! the old and the new array are never both in memory. Ranges are aligned so that huge pages stay huge. Elsewhere,
//! and for small arrays, growing copies.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Arrays of this many bytes and more are mappings.
#[cfg(target_os = "linux")]
const MAPPED: usize = 4 << 20;

/// The array. All elements are initialised: zero until something is stored.
pub struct Growing {
    base: NonNull<AtomicU64>,
    len: usize,
    #[cfg(target_os = "linux")]
    mapped: bool,
}

// SAFETY: the array is memory of its own; elements are atomics.
unsafe impl Send for Growing {}
// SAFETY: as above; shared access goes through atomics only.
unsafe impl Sync for Growing {}

impl Deref for Growing {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `len` initialised elements lie at `base`, which is ours until it is dropped.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.len) }
    }
}

fn layout(len: usize) -> Layout {
    Layout::array::<AtomicU64>(len).expect("the array fits the address space")
}

fn allocate(len: usize) -> NonNull<AtomicU64> {
    let layout = layout(len);
    // SAFETY: the layout is not empty: `Growing` has an element at least.
    NonNull::new(unsafe { alloc_zeroed(layout) }.cast()).unwrap_or_else(|| handle_alloc_error(layout))
}

impl Growing {
    /// A zeroed array of `len` elements, one at least.
    pub fn new(len: usize) -> Self {
        let len = len.max(1);
        Growing {
            base: allocate(len),
            len,
            #[cfg(target_os = "linux")]
            mapped: false,
        }
    }

    /// Makes the array longer; elements keep their values, new ones are zero. Never makes it shorter.
    pub fn grow(&mut self, len: usize) {
        if len <= self.len {
            return;
        }
        #[cfg(target_os = "linux")]
        if len * size_of::<AtomicU64>() >= MAPPED {
            self.grow_mapped(len);
            return;
        }
        let base = allocate(len);
        // SAFETY: both arrays have `self.len` elements at least, and are different allocations.
        unsafe { std::ptr::copy_nonoverlapping(self.base.as_ptr(), base.as_ptr(), self.len) };
        self.free();
        self.base = base;
        self.len = len;
    }

    #[cfg(target_os = "linux")]
    fn grow_mapped(&mut self, len: usize) {
        let base = map::aligned(len).unwrap_or_else(|| handle_alloc_error(layout(len)));
        if self.mapped {
            // SAFETY: the old range is a mapping of ours of this size, the new one too; no other code has borrowed
            // either.
            let moved = unsafe { map::shift(self.base, self.len, base, len) };
            if !moved {
                handle_alloc_error(layout(len));
            }
        } else {
            // SAFETY: both arrays have `self.len` elements at least, and are different ranges.
            unsafe { std::ptr::copy_nonoverlapping(self.base.as_ptr(), base.as_ptr(), self.len) };
            self.free();
        }
        self.base = base;
        self.len = len;
        self.mapped = true;
        crate::advise_huge(base.as_ptr().cast(), len * size_of::<AtomicU64>());
    }

    /// Gives the memory back; the array must not be used afterwards.
    fn free(&mut self) {
        #[cfg(target_os = "linux")]
        if self.mapped {
            // SAFETY: a mapping of ours of this size.
            unsafe { map::unmap(self.base, self.len) };
            return;
        }
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.base.as_ptr().cast(), layout(self.len)) };
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        self.free();
    }
}

/// Mappings of whole huge pages.
#[cfg(target_os = "linux")]
mod map {
    use std::ptr::NonNull;
    use std::sync::atomic::AtomicU64;

    const HUGE: usize = 2 << 20;

    fn bytes(len: usize) -> usize {
        (len * size_of::<AtomicU64>()).next_multiple_of(HUGE)
    }

    /// A zeroed mapping for `len` elements that begins at a huge page.
    pub(super) fn aligned(len: usize) -> Option<NonNull<AtomicU64>> {
        let size = bytes(len);
        let whole = size + HUGE;
        // SAFETY: a new anonymous mapping at an address that the system chooses.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                whole,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let skipped = (start as usize).next_multiple_of(HUGE) - start as usize;
        let start = start.cast::<u8>();
        // SAFETY: both ends lie in the mapping just made; what remains is the aligned middle.
        unsafe {
            if skipped > 0 {
                libc::munmap(start.cast(), skipped);
            }
            if skipped < HUGE {
                libc::munmap(start.add(skipped + size).cast(), HUGE - skipped);
            }
            NonNull::new(start.add(skipped).cast())
        }
    }

    /// Moves the pages of an old mapping under the start of a new, larger one, whose own pages there go. The rest
    /// of the new one is zero.
    ///
    /// # Safety
    /// Both are mappings from [`aligned`] for these numbers of elements, not borrowed elsewhere.
    pub(super) unsafe fn shift(
        old: NonNull<AtomicU64>,
        old_len: usize,
        new: NonNull<AtomicU64>,
        new_len: usize,
    ) -> bool {
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let new = new.as_ptr().cast::<libc::c_void>();
        // SAFETY: as the caller promises. Pages behind the old ones are new and zero.
        unsafe { libc::mremap(old.as_ptr().cast(), bytes(old_len), bytes(new_len), flags, new) == new }
    }

    /// # Safety
    /// A mapping from [`aligned`] for this number of elements, which is not used any more.
    pub(super) unsafe fn unmap(base: NonNull<AtomicU64>, len: usize) {
        // SAFETY: as the caller promises.
        unsafe { libc::munmap(base.as_ptr().cast(), bytes(len)) };
    }
}

#[cfg(test)]
mod tests {
    use super::Growing;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn keeps_what_was_stored_and_adds_zeros() {
        let mut array = Growing::new(3);
        let mut stored = 0;
        for len in [3, 10, 1000, 400_000, 700_000, 700_000, 3_000_000] {
            array.grow(len);
            assert_eq!(array.len(), len);
            assert!(array[stored..].iter().all(|element| element.load(Relaxed) == 0));
            for (at, element) in array.iter().enumerate() {
                assert_eq!(element.load(Relaxed), if at < stored { at as u64 + 7 } else { 0 });
                element.store(at as u64 + 7, Relaxed);
            }
            stored = len;
        }
        array.grow(5);
        assert_eq!(array.len(), 3_000_000, "it does not shrink");
    }

    #[test]
    fn an_empty_array_is_given_an_element() {
        assert_eq!(Growing::new(0).len(), 1);
    }
}
