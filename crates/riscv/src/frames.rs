//! Bytes of pages by the numbers of their frames.

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Bytes of pages, many of them in one piece: the system gives a piece its memory as it is touched.
pub struct Frames {
    pieces: Vec<Box<[[u8; PAGE]; FRAMES]>>,
    count: u32,
}

/// Frames of a piece.
const FRAMES: usize = 512;

impl Default for Frames {
    fn default() -> Self {
        let mut frames = Frames { pieces: Vec::new(), count: 0 };
        frames.add(); // what unwritten pages read as
        frames
    }
}

impl Frames {
    /// A further frame, of zeros.
    pub fn add(&mut self) -> u32 {
        if (self.count as usize).is_multiple_of(FRAMES) {
            let piece = vec![[0; PAGE]; FRAMES].into_boxed_slice();
            self.pieces.push(piece.try_into().expect("as many frames"));
        }
        self.count += 1;
        self.count - 1
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The bytes of a frame.
    #[inline(always)]
    pub fn get(&self, frame: u32) -> &[u8; PAGE] {
        &self.pieces[frame as usize / FRAMES][frame as usize % FRAMES]
    }

    /// The same, to be written.
    #[inline(always)]
    pub fn get_mut(&mut self, frame: u32) -> &mut [u8; PAGE] {
        &mut self.pieces[frame as usize / FRAMES][frame as usize % FRAMES]
    }
}
