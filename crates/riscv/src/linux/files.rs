//! Open files by their numbers, and what may be asked of them.

use crate::elf::Permissions;
use crate::memory::Memory;
use crate::world::{Access, Errno, FileId, Output, World};

/// Files that may be open at once, as on Linux.
const MOST: usize = 1024;
/// Bytes that are copied at once.
const PIECE: usize = 1 << 16;
/// Bytes of a path at most.
const MOST_PATH: usize = 4096;

/// "The folder of the program" in calls that take a folder.
const HERE: u64 = -100_i64 as u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Input,
    Output(Output),
    File { id: FileId, offset: u64, access: Access },
}

/// An open file, and how many numbers it has: they share the place that is read next.
#[derive(Clone, Copy, Debug)]
struct Shared {
    open: Open,
    numbers: u32,
}

/// Open files.
#[derive(Clone, Debug)]
pub struct Files {
    /// What each number stands for, by its place in `shared`.
    numbers: Vec<Option<usize>>,
    shared: Vec<Shared>,
}

impl Default for Files {
    fn default() -> Self {
        let open = [Open::Input, Open::Output(Output::Out), Open::Output(Output::Error)];
        Files {
            numbers: (0..open.len()).map(Some).collect(),
            shared: open.map(|open| Shared { open, numbers: 1 }).to_vec(),
        }
    }
}

/// The text at an address, up to a zero.
pub(super) fn text(address: u64, memory: &mut Memory) -> Result<Vec<u8>, Errno> {
    let mut all = Vec::new();
    while all.len() < MOST_PATH {
        match memory.read::<1>(address.wrapping_add(all.len() as u64)) {
            None => return Err(Errno::FAULT),
            Some([0]) => return Ok(all),
            Some([byte]) => all.push(byte),
        }
    }
    Err(Errno(36))
}

/// The parts of a `struct iovec` each.
pub(super) fn parts(address: u64, count: u64, memory: &mut Memory) -> Result<Vec<(u64, u64)>, Errno> {
    if count > 1024 {
        return Err(Errno::INVAL);
    }
    let mut all = Vec::new();
    for index in 0..count {
        let at = address.wrapping_add(index * 16);
        let (Some(start), Some(bytes)) = (memory.read::<8>(at), memory.read::<8>(at.wrapping_add(8))) else {
            return Err(Errno::FAULT);
        };
        all.push((u64::from_le_bytes(start), u64::from_le_bytes(bytes)));
    }
    Ok(all)
}

impl Files {
    fn place(&self, number: u64) -> Result<usize, Errno> {
        usize::try_from(number).ok().and_then(|number| *self.numbers.get(number)?).ok_or(Errno::BADF)
    }

    fn get(&self, number: u64) -> Result<Open, Errno> {
        self.place(number).map(|place| self.shared[place].open)
    }

    fn set(&mut self, number: u64, open: Open) -> Result<(), Errno> {
        let place = self.place(number)?;
        self.shared[place].open = open;
        Ok(())
    }

    /// Gives a file the lowest number from `least` on that is free.
    fn add(&mut self, place: usize, least: u64) -> Result<u64, Errno> {
        let least = usize::try_from(least).ok().filter(|&least| least < MOST).ok_or(Errno::INVAL)?;
        let is_free = |number: &usize| self.numbers.get(*number).is_none_or(Option::is_none);
        let number = (least..MOST).find(is_free).ok_or(Errno::MFILE)?;
        self.number(place, number);
        Ok(number as u64)
    }

    fn number(&mut self, place: usize, number: usize) {
        let count = self.numbers.len().max(number + 1);
        self.numbers.resize(count, None);
        self.numbers[number] = Some(place);
        self.shared[place].numbers += 1;
    }

    /// The path at an address, which is absolute or begins in the folder of the program: there are no other folders.
    pub fn path(&self, folder: u64, address: u64, memory: &mut Memory) -> Result<Vec<u8>, Errno> {
        let path = text(address, memory)?;
        if folder != HERE && !path.starts_with(b"/") {
            self.check(folder)?;
            return Err(Errno::NOTDIR);
        }
        Ok(path)
    }

    /// `openat`.
    pub fn open(
        &mut self,
        folder: u64,
        path: u64,
        flags: u64,
        memory: &mut Memory,
        world: &mut dyn World,
    ) -> Result<u64, Errno> {
        let path = self.path(folder, path, memory)?;
        let write = flags & 3 != 0;
        let access = Access {
            write,
            create: flags & 0o100 != 0,
            exclusive: flags & 0o200 != 0,
            truncate: write && flags & 0o1000 != 0,
        };
        let id = world.open(&path, access)?;
        let offset = if flags & 0o2000 != 0 { world.size(id) } else { 0 };
        let shared = Shared { open: Open::File { id, offset, access }, numbers: 0 };
        let free = self.shared.iter().position(|shared| shared.numbers == 0);
        let place = free.unwrap_or(self.shared.len());
        match free {
            Some(place) => self.shared[place] = shared,
            None => self.shared.push(shared),
        }
        let added = self.add(place, 0);
        if added.is_err() {
            world.close(id);
        }
        added
    }

    /// `close`.
    pub fn close(&mut self, number: u64, world: &mut dyn World) -> Result<u64, Errno> {
        let place = self.place(number)?;
        self.numbers[number as usize] = None;
        self.shared[place].numbers -= 1;
        if let Shared { open: Open::File { id, .. }, numbers: 0 } = self.shared[place] {
            world.close(id);
        }
        Ok(0)
    }

    /// `dup`, and `fcntl` with a least number.
    pub fn duplicate(&mut self, number: u64, least: u64) -> Result<u64, Errno> {
        let place = self.place(number)?;
        self.add(place, least)
    }

    /// `dup3`: what had the number before is closed.
    pub fn duplicate_as(&mut self, number: u64, new: u64, world: &mut dyn World) -> Result<u64, Errno> {
        if number == new {
            return Err(Errno::INVAL);
        }
        let place = self.place(number)?;
        if new >= MOST as u64 {
            return Err(Errno::BADF);
        }
        if self.place(new).is_ok() {
            self.close(new, world)?;
        }
        self.number(place, new as usize);
        Ok(new)
    }

    /// Whether a file is open.
    pub fn check(&self, number: u64) -> Result<(), Errno> {
        self.get(number).map(drop)
    }

    /// How a file was opened, as `fcntl` tells: for reading (0), writing (1), or both (2). The C library asks before it writes.
    pub fn flags(&self, number: u64) -> Result<u64, Errno> {
        Ok(match self.get(number)? {
            Open::Input => 0,
            Open::Output(_) => 1,
            Open::File { access, .. } => 2 * u64::from(access.write),
        })
    }

    /// `write`, or `pwrite64` at a place.
    pub fn write(
        &mut self,
        number: u64,
        (mut address, bytes): (u64, u64),
        place: Option<u64>,
        memory: &mut Memory,
        world: &mut dyn World,
    ) -> Result<u64, Errno> {
        match self.get(number)? {
            Open::Input => return Err(Errno::BADF),
            Open::File { access, .. } if !access.write => return Err(Errno::BADF),
            _ => {}
        }
        let mut buffer = vec![0; PIECE.min(bytes as usize)];
        let mut left = bytes.min(0x7fff_f000);
        let wanted = left;
        while left > 0 {
            let piece = &mut buffer[..PIECE.min(left as usize)];
            if !memory.copy_out(address, piece, Permissions::READ) {
                return if left == wanted { Err(Errno::FAULT) } else { Ok(wanted - left) };
            }
            match self.get(number)? {
                Open::Input => return Err(Errno::BADF),
                Open::Output(output) => world.write(output, piece),
                Open::File { id, offset, access } => {
                    let at = place.map_or(offset, |place| place.saturating_add(wanted - left));
                    world.write_at(id, at, piece)?;
                    if place.is_none() {
                        let offset = offset.saturating_add(piece.len() as u64);
                        self.set(number, Open::File { id, offset, access })?;
                    }
                }
            }
            address = address.wrapping_add(piece.len() as u64);
            left -= piece.len() as u64;
        }
        Ok(wanted)
    }

    /// `read`, or `pread64` at a place.
    pub fn read(
        &mut self,
        number: u64,
        (mut address, bytes): (u64, u64),
        place: Option<u64>,
        memory: &mut Memory,
        world: &mut dyn World,
    ) -> Result<u64, Errno> {
        let wanted = bytes.min(0x7fff_f000);
        let mut buffer = vec![0; PIECE.min(wanted as usize)];
        let mut done = 0;
        while done < wanted {
            let piece = &mut buffer[..PIECE.min((wanted - done) as usize)];
            let open = self.get(number)?;
            let got = match open {
                Open::Output(_) => return Err(Errno::BADF),
                Open::Input => world.read(piece),
                Open::File { id, offset, .. } => {
                    world.read_at(id, place.map_or(offset, |place| place.saturating_add(done)), piece)?
                }
            };
            let got = got.min(piece.len());
            if !memory.copy_in(address, &piece[..got]) {
                return Err(Errno::FAULT);
            }
            if let (Open::File { id, offset, access }, None) = (open, place) {
                self.set(number, Open::File { id, offset: offset.saturating_add(got as u64), access })?;
            }
            address = address.wrapping_add(got as u64);
            done += got as u64;
            if got < piece.len() || open == Open::Input {
                break;
            }
        }
        if wanted == 0 {
            self.get(number)?;
        }
        Ok(done)
    }

    /// `lseek`.
    pub fn seek(&mut self, number: u64, offset: i64, from: u64, world: &mut dyn World) -> Result<u64, Errno> {
        let Open::File { id, offset: current, access } = self.get(number)? else { return Err(Errno::SPIPE) };
        let base = match from {
            0 => 0,
            1 => current,
            2 => world.size(id),
            _ => return Err(Errno::INVAL),
        };
        let target = i128::from(base) + i128::from(offset);
        let target =
            u64::try_from(target).ok().filter(|&target| i64::try_from(target).is_ok()).ok_or(Errno::INVAL)?;
        self.set(number, Open::File { id, offset: target, access })?;
        Ok(target)
    }

    /// `ftruncate`.
    pub fn set_size(&mut self, number: u64, bytes: u64, world: &mut dyn World) -> Result<u64, Errno> {
        match self.get(number)? {
            Open::File { id, access, .. } if access.write => world.set_size(id, bytes).map(|()| 0),
            _ => Err(Errno::INVAL),
        }
    }

    /// What `fstat` tells: whether it is a terminal or the like, and its size.
    pub fn state(&self, number: u64, world: &mut dyn World) -> Result<State, Errno> {
        Ok(match self.get(number)? {
            Open::File { id, .. } => {
                State { is_file: true, bytes: world.size(id), number: u64::from(id.0) + 1 }
            }
            _ => State { is_file: false, bytes: 0, number: 0 },
        })
    }

    /// What `newfstatat` and `statx` tell of a path, or of an open file if the path is empty.
    pub fn state_of(
        &mut self,
        folder: u64,
        path: u64,
        flags: u64,
        memory: &mut Memory,
        world: &mut dyn World,
    ) -> Result<State, Errno> {
        const EMPTY_PATH: u64 = 0x1000;
        let name = if path == 0 && flags & EMPTY_PATH != 0 { Vec::new() } else { text(path, memory)? };
        if name.is_empty() && flags & EMPTY_PATH != 0 {
            return self.state(folder, world);
        }
        let id = world.open(&name, Access::default())?;
        let state = State { is_file: true, bytes: world.size(id), number: u64::from(id.0) + 1 };
        world.close(id);
        Ok(state)
    }
}

/// What may be known of a file.
#[derive(Clone, Copy, Debug)]
pub struct State {
    is_file: bool,
    bytes: u64,
    number: u64,
}

const REGULAR_MODE: u32 = 0o100_644;
const DEVICE_MODE: u32 = 0o20_620;

impl State {
    fn mode(self) -> u32 {
        if self.is_file { REGULAR_MODE } else { DEVICE_MODE }
    }

    /// As `struct stat` (`asm-generic/stat.h`).
    pub fn to_stat(self) -> [u8; 128] {
        let mut bytes = [0; 128];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &1_u64.to_le_bytes());
        put(8, &self.number.to_le_bytes());
        put(16, &self.mode().to_le_bytes());
        put(20, &1_u32.to_le_bytes());
        put(24, &(crate::stack::USER as u32).to_le_bytes());
        put(28, &(crate::stack::USER as u32).to_le_bytes());
        put(48, &self.bytes.to_le_bytes());
        put(56, &4096_u32.to_le_bytes());
        put(64, &self.bytes.div_ceil(512).to_le_bytes());
        bytes
    }

    /// As `struct statx`.
    pub fn to_statx(self) -> [u8; 256] {
        let mut bytes = [0; 256];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &0x7ff_u32.to_le_bytes());
        put(4, &4096_u32.to_le_bytes());
        put(16, &1_u32.to_le_bytes());
        put(20, &(crate::stack::USER as u32).to_le_bytes());
        put(24, &(crate::stack::USER as u32).to_le_bytes());
        put(28, &(self.mode() as u16).to_le_bytes());
        put(32, &self.number.to_le_bytes());
        put(40, &self.bytes.to_le_bytes());
        put(48, &self.bytes.div_ceil(512).to_le_bytes());
        bytes
    }
}
