//! All states, packed, in the order of discovery.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// log2 of the number of states in the first segment; each further segment doubles.
const FIRST: u32 = 12;
/// Segments that 2^32 states need.
const SEGMENTS: usize = 21;

/// Packed states by number. The table is append-only and nothing moves: states whose numbers a thread has
/// learned can be read while others are appended.
pub struct StateTable {
    words: usize,
    /// Segment k has room for 2^(FIRST + k) states.
    segments: [AtomicPtr<u64>; SEGMENTS],
    len: AtomicUsize,
}

impl std::fmt::Debug for StateTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StateTable({} states of {} words)", self.len(), self.words)
    }
}

fn locate(index: usize) -> (usize, usize) {
    let shifted = index + (1 << FIRST);
    let segment = shifted.ilog2() - FIRST;
    (segment as usize, shifted - (1usize << (segment + FIRST)))
}

fn segment_layout(words: usize, segment: usize) -> Layout {
    let states = 1usize << (FIRST as usize + segment);
    Layout::array::<u64>(states * words).expect("a segment is far smaller than the address space")
}

impl StateTable {
    /// No states; `words` words a state.
    pub fn new(words: usize) -> Self {
        assert!(words > 0);
        StateTable {
            words,
            segments: [const { AtomicPtr::new(std::ptr::null_mut()) }; SEGMENTS],
            len: AtomicUsize::new(0),
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let used = self.len();
        (used * self.words * 8) as u64
    }

    /// A packed state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn get(&self, index: usize) -> &[u64] {
        assert!(index < self.len(), "no such state");
        // SAFETY: states below `len` are written and never change.
        unsafe { self.get_published(index) }
    }

    /// A packed state whose number was published to this thread.
    ///
    /// # Safety
    /// `index` must have been returned by a [`StateTable::push`] that happened before (through the length,
    /// or through an index slot read with acquire ordering).
    #[inline(always)]
    pub(super) unsafe fn get_published(&self, index: usize) -> &[u64] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(self.address(index), self.words) }
    }

    /// The address of a published state.
    ///
    /// # Safety
    /// As for [`StateTable::get_published`].
    #[inline(always)]
    pub(super) unsafe fn address(&self, index: usize) -> *const u64 {
        let (segment, offset) = locate(index);
        let base = self.segments[segment].load(Ordering::Relaxed);
        // SAFETY: a published state lies inside its segment; the pointer was stored before the state was
        // published and never changes afterwards.
        unsafe { base.add(offset * self.words) }
    }

    /// Contiguous packed states from `first` on, at most `limit`.
    pub fn run(&self, first: usize, limit: usize) -> &[u64] {
        let len = self.len();
        assert!(first < len, "no such state");
        let (segment, offset) = locate(first);
        let room = (1usize << (FIRST as usize + segment)) - offset;
        let count = room.min(len - first).min(limit);
        // SAFETY: all of them are below `len`, hence written, and in one segment.
        unsafe { std::slice::from_raw_parts(self.address(first), count * self.words) }
    }

    /// Appends a state and gives its number.
    pub fn append(&mut self, state: &[u64]) -> usize {
        assert_eq!(state.len(), self.words, "a state of another width");
        // SAFETY: no other thread has the table.
        unsafe { self.push(state) }
    }

    /// Appends a state and gives its number.
    ///
    /// # Safety
    /// One thread at a time.
    pub(super) unsafe fn push(&self, state: &[u64]) -> usize {
        debug_assert_eq!(state.len(), self.words);
        let index = self.len.load(Ordering::Relaxed);
        let (segment, offset) = locate(index);
        if offset == 0 {
            let layout = segment_layout(self.words, segment);
            // SAFETY: the layout is not empty: there is at least one word a state.
            let base = unsafe { alloc_zeroed(layout) }.cast::<u64>();
            if base.is_null() {
                handle_alloc_error(layout);
            }
            volvelle_store::advise_huge(base.cast(), layout.size());
            self.segments[segment].store(base, Ordering::Release);
        }
        let base = self.segments[segment].load(Ordering::Relaxed);
        // SAFETY: `offset` lies in the segment, whose memory is ours; no thread reads the state before its
        // number is published, which happens after this copy.
        unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), base.add(offset * self.words), self.words) };
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

impl Drop for StateTable {
    fn drop(&mut self) {
        for (segment, base) in self.segments.iter().enumerate() {
            let base = base.load(Ordering::Relaxed);
            if !base.is_null() {
                // SAFETY: allocated in `push` with this layout.
                unsafe { dealloc(base.cast(), segment_layout(self.words, segment)) };
            }
        }
    }
}
