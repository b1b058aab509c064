//! The memory of a program: pages of 4 KiB that are there once they are written.
//!
//! Ranges of addresses are *mapped*; a page of them gets bytes with the first write, and reads as zeros before. What was accessed last is found
//! without a search, through a small table that is indexed by the page's number: it says which page is readable and writable at
//! once. Pages that hold decoded instructions are never marked writable there, so a write to code is noticed at no cost for all others.

use crate::elf::Permissions;
use crate::frames::{Frames, PAGE};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes of a page.
pub const PAGE_BYTES: u64 = PAGE as u64;
const PAGE_BITS: u32 = PAGE_BYTES.trailing_zeros();
/// Pages that are found at once.
const RECENT: usize = 4096;
/// What unwritten pages read as: the first frame, which is never written.
const ZERO_FRAME: u32 = 0;
/// Writes are told apart from code in pieces of this size: 64 of them are a page.
const PIECE_BITS: u32 = PAGE_BITS - 6;

/// How a write ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Done.
    Plain,
    /// Done, and instructions that were decoded may be others now.
    Code,
    /// Not done: see [`Memory::fault`].
    Not,
}

/// Why an access was not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is mapped at the address, or it may not be read.
    Read(u64),
    /// Nothing is mapped at the address, or it may not be written.
    Write(u64),
    /// Nothing is mapped at the address, or it may not be executed.
    Fetch(u64),
    /// The limit on memory is reached.
    Full,
}

/// What loads and stores go to: memory, or something before it.
pub trait View {
    /// Reads `N` bytes, or notes the fault.
    fn read<const N: usize>(&mut self, address: u64) -> Option<[u8; N]>;
    /// Writes `N` bytes, 8 at most, or notes the fault.
    fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Written;
}

impl View for Memory {
    #[inline(always)]
    fn read<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        Memory::read(self, address)
    }

    #[inline(always)]
    fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Written {
        Memory::write(self, address, value)
    }
}

/// A page that was accessed: its number twice, if it may be read and written at once, and where its bytes are.
#[derive(Clone, Copy)]
struct Recent {
    readable: u32,
    writable: u32,
    frame: u32,
}

/// The number of a page that is looked up elsewhere: stands for "no page" at the place of `page`.
fn no_page(page: u64) -> u32 {
    (page as u32 % RECENT as u32) ^ 1
}

fn nothing() -> [Recent; RECENT] {
    std::array::from_fn(|index| nothing_at(index as u64))
}

fn nothing_at(page: u64) -> Recent {
    Recent { readable: no_page(page), writable: no_page(page), frame: ZERO_FRAME }
}

#[derive(Clone, Copy)]
struct Page {
    frame: u32,
    /// One bit for each piece that has decoded instructions.
    code: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    end: u64,
    permissions: Permissions,
}

/// The memory of a program.
pub struct Memory {
    recent: Box<[Recent; RECENT]>,
    frames: Frames,
    pages: FxHashMap<u64, Page>,
    /// Frames that no page has.
    free: Vec<u32>,
    /// What is mapped: ranges of page numbers by their beginning.
    ranges: BTreeMap<u64, Range>,
    /// Pages with decoded instructions.
    code: Vec<u64>,
    is_code_written: bool,
    limit_bytes: u64,
    fault: Fault,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            recent: Box::new(nothing()),
            frames: Frames::default(),
            pages: FxHashMap::default(),
            free: Vec::new(),
            ranges: BTreeMap::new(),
            code: Vec::new(),
            is_code_written: false,
            limit_bytes: u64::MAX,
            fault: Fault::Full,
        }
    }
}

fn page_of(address: u64) -> u64 {
    address >> PAGE_BITS
}

/// Rounded up to whole pages.
pub fn round_up(bytes: u64) -> u64 {
    bytes.saturating_add(PAGE_BYTES - 1) & !(PAGE_BYTES - 1)
}

impl Memory {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let tables = RECENT * size_of::<Recent>() + self.pages.capacity() * (size_of::<(u64, Page)>() + 1);
        (self.frames.count() as usize * PAGE + tables) as u64
    }

    /// Bytes that may be held from now on.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit_bytes = bytes;
    }

    /// Why the last access was not possible.
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// Reads `N` bytes, or notes the fault.
    #[inline(always)]
    pub fn read<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let page = page_of(address);
        let recent = &self.recent[page as usize % RECENT];
        let offset = address as usize % PAGE;
        if u64::from(recent.readable) == page && offset <= PAGE - N {
            let bytes = &self.frames.get(recent.frame)[offset..offset + N];
            return Some(bytes.try_into().expect("as many bytes"));
        }
        self.read_elsewhere(address)
    }

    /// Writes `N` bytes, or notes the fault.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Written {
        let page = page_of(address);
        let recent = &self.recent[page as usize % RECENT];
        let offset = address as usize % PAGE;
        if u64::from(recent.writable) == page && offset <= PAGE - N {
            self.frames.get_mut(recent.frame)[offset..offset + N].copy_from_slice(&value);
            return Written::Plain;
        }
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&value);
        self.write_elsewhere(address, bytes, N)
    }

    /// Whether `N` bytes may be written. Nothing is noted, and no page appears.
    #[inline(always)]
    pub fn may_write<const N: usize>(&self, address: u64) -> bool {
        let page = page_of(address);
        let is_recent = u64::from(self.recent[page as usize % RECENT].writable) == page
            && address as usize % PAGE <= PAGE - N;
        is_recent
            || [address, address.wrapping_add(N as u64 - 1)]
                .into_iter()
                .all(|at| self.permissions(page_of(at)).is_some_and(|found| found.permit(Permissions::WRITE)))
    }

    #[inline(never)]
    fn read_elsewhere<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let offset = address as usize % PAGE;
        if offset <= PAGE - N {
            let frame = self.readable_frame(address, Permissions::READ)?;
            let bytes = &self.frames.get(frame)[offset..offset + N];
            return Some(bytes.try_into().expect("as many bytes"));
        }
        let mut value = [0; N];
        self.copy_out(address, &mut value, Permissions::READ).then_some(value)
    }

    #[inline(never)]
    fn write_elsewhere(&mut self, address: u64, value: [u8; 8], bytes: usize) -> Written {
        // Both pages are checked before one is written.
        let last = address.wrapping_add(bytes as u64 - 1);
        if page_of(last) != page_of(address) && self.writable_frame(last).is_none() {
            return Written::Not;
        }
        let was_written = std::mem::take(&mut self.is_code_written);
        let is_done = self.copy_in(address, &value[..bytes]);
        let is_code = std::mem::replace(&mut self.is_code_written, was_written);
        match (is_done, is_code) {
            (false, _) => Written::Not,
            (true, false) => Written::Plain,
            (true, true) => Written::Code,
        }
    }

    /// Reads into `to`; `false`: a fault is noted.
    pub fn copy_out(&mut self, mut address: u64, mut to: &mut [u8], permission: u8) -> bool {
        while !to.is_empty() {
            let Some(frame) = self.readable_frame(address, permission) else { return false };
            let (offset, length) = (address as usize % PAGE, to.len());
            let (now, later) = std::mem::take(&mut to).split_at_mut((PAGE - offset).min(length));
            now.copy_from_slice(&self.frames.get(frame)[offset..offset + now.len()]);
            address = address.wrapping_add(now.len() as u64);
            to = later;
        }
        true
    }

    /// Writes `from`; `false`: a fault is noted, and what is before it was written.
    pub fn copy_in(&mut self, mut address: u64, mut from: &[u8]) -> bool {
        while !from.is_empty() {
            let Some(frame) = self.writable_frame(address) else { return false };
            let offset = address as usize % PAGE;
            let (now, later) = from.split_at((PAGE - offset).min(from.len()));
            self.frames.get_mut(frame)[offset..offset + now.len()].copy_from_slice(now);
            if let Some(page) = self.pages.get(&page_of(address)) {
                self.is_code_written |= page.code & pieces(offset, now.len()) != 0;
            }
            address = address.wrapping_add(now.len() as u64);
            from = later;
        }
        true
    }

    /// Fills what may not be written: segments of a program. `false`: memory is full.
    pub fn load(&mut self, address: u64, content: &[u8]) -> bool {
        let mut done = 0;
        while done < content.len() {
            let at = address + done as u64;
            let offset = at as usize % PAGE;
            let piece = &content[done..content.len().min(done + PAGE - offset)];
            let known = self.pages.get(&page_of(at)).map_or(ZERO_FRAME, |page| page.frame);
            let frame = match known {
                ZERO_FRAME => self.new_frame(),
                frame => Some(frame),
            };
            let Some(frame) = frame else { return false };
            self.frames.get_mut(frame)[offset..offset + piece.len()].copy_from_slice(piece);
            self.pages.insert(page_of(at), Page { frame, code: 0 });
            done += piece.len();
        }
        *self.recent = nothing();
        true
    }

    /// Reads code: `false` notes a fault of fetching.
    pub fn fetch(&mut self, address: u64, to: &mut [u8]) -> bool {
        let is_read = self.copy_out(address, to, Permissions::EXECUTE);
        if !is_read && let Fault::Read(at) = self.fault {
            self.fault = Fault::Fetch(at);
        }
        is_read
    }

    /// Notes that instructions were decoded from here.
    pub fn note_code(&mut self, mut address: u64, bytes: u64) {
        let end = address + bytes;
        while address < end {
            let number = page_of(address);
            let behind = end.min((number + 1) << PAGE_BITS);
            let page = self.pages.entry(number).or_insert(Page { frame: ZERO_FRAME, code: 0 });
            if page.code == 0 {
                self.code.push(number);
                self.recent[number as usize % RECENT] = nothing_at(number);
            }
            page.code |= pieces(address as usize % PAGE, (behind - address) as usize);
            address = behind;
        }
    }

    /// Whether decoded instructions were written or unmapped since they were forgotten last.
    pub fn is_code_written(&self) -> bool {
        self.is_code_written
    }

    /// Forgets what was decoded.
    pub fn forget_code(&mut self) {
        for number in std::mem::take(&mut self.code) {
            if let Some(page) = self.pages.get_mut(&number) {
                page.code = 0;
            }
        }
        self.is_code_written = false;
    }

    fn permissions(&self, page: u64) -> Option<Permissions> {
        let (_, range) = self.ranges.range(..=page).next_back()?;
        (page < range.end).then_some(range.permissions)
    }

    fn readable_frame(&mut self, address: u64, permission: u8) -> Option<u32> {
        let number = page_of(address);
        let Some(permissions) = self.permissions(number).filter(|found| found.permit(permission)) else {
            self.fault = Fault::Read(address);
            return None;
        };
        let page = self.pages.get(&number).copied();
        let frame = page.map_or(ZERO_FRAME, |page| page.frame);
        let is_writable = permissions.permit(Permissions::WRITE)
            && page.is_some_and(|page| page.code == 0 && page.frame != ZERO_FRAME);
        let readable = if permissions.permit(Permissions::READ) { number as u32 } else { no_page(number) };
        let writable = if is_writable { number as u32 } else { no_page(number) };
        self.recent[number as usize % RECENT] = Recent { readable, writable, frame };
        Some(frame)
    }

    fn writable_frame(&mut self, address: u64) -> Option<u32> {
        let number = page_of(address);
        // Writable is readable, as on most machines: Linux maps them so (unprivileged programs cannot tell).
        if !self.permissions(number).is_some_and(|found| found.permit(Permissions::WRITE)) {
            self.fault = Fault::Write(address);
            return None;
        }
        let page = self.pages.get(&number).copied().unwrap_or(Page { frame: ZERO_FRAME, code: 0 });
        let frame = match page.frame {
            ZERO_FRAME => self.new_frame()?,
            frame => frame,
        };
        self.pages.insert(number, Page { frame, ..page });
        let writable = if page.code == 0 { number as u32 } else { no_page(number) };
        self.recent[number as usize % RECENT] = Recent { readable: number as u32, writable, frame };
        Some(frame)
    }

    fn new_frame(&mut self) -> Option<u32> {
        if let Some(frame) = self.free.pop() {
            return Some(frame);
        }
        if self.bytes() + PAGE_BYTES > self.limit_bytes || self.frames.count() == u32::MAX {
            self.fault = Fault::Full;
            return None;
        }
        Some(self.frames.add())
    }

    /// Maps whole pages; what was there before is gone.
    pub fn map(&mut self, address: u64, bytes: u64, permissions: Permissions) {
        self.unmap(address, bytes);
        self.set_range(page_of(address), page_of(round_up(address + bytes)), Some(permissions));
    }

    /// Maps what is not mapped yet, and adds permissions to what is: segments of a program may share a page.
    pub fn map_also(&mut self, address: u64, bytes: u64, permissions: Permissions) {
        let (mut page, end) = (page_of(address), page_of(round_up(address + bytes)));
        while page < end {
            let here = self.ranges.range(..=page).next_back().map(|(_, range)| *range);
            let (until, union) = match here.filter(|range| page < range.end) {
                Some(range) => (range.end, Permissions(range.permissions.0 | permissions.0)),
                None => (self.ranges.range(page..).next().map_or(end, |(&start, _)| start), permissions),
            };
            self.set_range(page, until.min(end), Some(union));
            page = until;
        }
    }

    /// Unmaps whole pages.
    pub fn unmap(&mut self, address: u64, bytes: u64) {
        let (start, end) = (page_of(address), page_of(round_up(address + bytes)));
        self.set_range(start, end, None);
        self.forget_pages(start, end);
    }

    /// Makes whole pages read as zeros again.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        self.forget_pages(page_of(address), page_of(round_up(address + bytes)));
    }

    fn forget_pages(&mut self, start: u64, end: u64) {
        let mut gone = Vec::new();
        if end - start <= self.pages.len() as u64 {
            gone.extend((start..end).filter(|number| self.pages.contains_key(number)));
        } else {
            gone.extend(self.pages.keys().copied().filter(|number| (start..end).contains(number)));
            gone.sort_unstable(); // frames are given again in the same order on every machine
        }
        for number in gone {
            let page = self.pages.remove(&number).expect("found before");
            self.is_code_written |= page.code != 0;
            if page.frame != ZERO_FRAME {
                self.frames.get_mut(page.frame).fill(0);
                self.free.push(page.frame);
            }
        }
        *self.recent = nothing();
    }

    /// Changes the permissions of whole pages; `false` if one of them is not mapped.
    pub fn protect(&mut self, address: u64, bytes: u64, permissions: Permissions) -> bool {
        let (start, end) = (page_of(address), page_of(round_up(address + bytes)));
        if !self.is_mapped(address, bytes) {
            return false;
        }
        self.set_range(start, end, Some(permissions));
        self.is_code_written |= !self.code.is_empty();
        *self.recent = nothing();
        true
    }

    /// What may be done at an address, if it is mapped.
    pub fn permissions_of(&self, address: u64) -> Option<Permissions> {
        self.permissions(page_of(address))
    }

    /// Moves what whole pages hold to others that hold nothing.
    pub fn move_pages(&mut self, from: u64, to: u64, bytes: u64) {
        for index in 0..page_of(round_up(bytes)) {
            if let Some(page) = self.pages.remove(&(page_of(from) + index)) {
                self.is_code_written |= page.code != 0;
                self.pages.insert(page_of(to) + index, Page { code: 0, ..page });
            }
        }
        *self.recent = nothing();
    }

    /// Whether all pages of a range are mapped.
    pub fn is_mapped(&self, address: u64, bytes: u64) -> bool {
        let (mut page, end) = (page_of(address), page_of(round_up(address + bytes)));
        while page < end {
            match self.ranges.range(..=page).next_back() {
                Some((_, range)) if page < range.end => page = range.end,
                _ => return false,
            }
        }
        true
    }

    /// The end of the highest gap of so many bytes between two addresses, where nothing is mapped.
    pub fn gap_below(&self, floor: u64, ceiling: u64, bytes: u64) -> Option<u64> {
        let mut top = page_of(ceiling);
        let (wanted, floor) = (page_of(round_up(bytes)), page_of(floor));
        for (&start, range) in self.ranges.range(..top).rev() {
            if range.end < top && top - range.end >= wanted {
                break;
            }
            top = top.min(start);
        }
        let start = top.checked_sub(wanted)?;
        (start >= floor).then_some(start << PAGE_BITS)
    }

    /// Whether anything of a range is mapped.
    pub fn is_any_mapped(&self, address: u64, bytes: u64) -> bool {
        let (start, end) = (page_of(address), page_of(round_up(address + bytes)));
        let below = self.ranges.range(..end).next_back();
        below.is_some_and(|(_, range)| range.end > start)
    }

    /// Gives the pages of a range permissions, or unmaps them: ranges that reach in are split.
    fn set_range(&mut self, start: u64, end: u64, permissions: Option<Permissions>) {
        if start >= end {
            return;
        }
        for border in [start, end] {
            if let Some((_, range)) = self.ranges.range_mut(..border).next_back()
                && range.end > border
            {
                let upper = *range;
                range.end = border;
                self.ranges.insert(border, upper);
            }
        }
        let inside: Vec<u64> = self.ranges.range(start..end).map(|(&begin, _)| begin).collect();
        for begin in inside {
            self.ranges.remove(&begin);
        }
        if let Some(permissions) = permissions {
            // Neighbours of the same kind become one: a heap that grows stays one range.
            let before = self.ranges.range_mut(..start).next_back();
            match before.filter(|(_, range)| range.end == start && range.permissions == permissions) {
                Some((_, range)) => range.end = end,
                None => drop(self.ranges.insert(start, Range { end, permissions })),
            }
        }
    }
}

/// The bits of the pieces that bytes of a page belong to.
fn pieces(offset: usize, bytes: usize) -> u64 {
    let (first, last) = (offset >> PIECE_BITS, (offset + bytes.max(1) - 1) >> PIECE_BITS);
    (u64::MAX >> (63 - (last - first))) << first
}
