//! Files of a world in memory: their names change as far as the program has written them, and numbers of one file share its place.

use crate::assembler::{A0, A1, A2, DATA, S2, T0, T1, ZERO, addi, call, elf, exit_a0, lui};
use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_riscv::{Access, Arguments, Emulator, Errno, FileId, Output, Program, Word, World, major};

const A3: u32 = 13;
const A4: u32 = 14;
const HERE: i32 = -100;

/// Files by name. Those that were there before can be read only.
#[derive(Default)]
struct Memory {
    files: BTreeMap<String, (Vec<u8>, bool)>,
    open: Vec<String>,
}

impl Memory {
    fn content(&mut self, file: FileId) -> Result<&mut Vec<u8>, Errno> {
        let name = &self.open[file.0 as usize];
        self.files.get_mut(name).map(|(bytes, _)| bytes).ok_or(Errno::IO)
    }
}

impl World for Memory {
    fn write(&mut self, _: Output, _: &[u8]) {}

    fn open(&mut self, path: &[u8], access: Access) -> Result<FileId, Errno> {
        let name = String::from_utf8_lossy(path).into_owned();
        match self.files.get_mut(&name) {
            Some((_, false)) if access.write => return Err(Errno::ROFS),
            Some((bytes, _)) if access.truncate => bytes.clear(),
            Some(_) => {}
            None if access.create => drop(self.files.insert(name.clone(), (Vec::new(), true))),
            None => return Err(Errno::NOENT),
        }
        self.open.push(name);
        Ok(FileId(self.open.len() as u32 - 1))
    }

    fn size(&mut self, file: FileId) -> u64 {
        self.content(file).map_or(0, |bytes| bytes.len() as u64)
    }

    fn read_at(&mut self, file: FileId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let bytes = self.content(file)?;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        let content = self.content(file)?;
        content.resize(content.len().max(offset as usize + bytes.len()), 0);
        content[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Errno> {
        let name = String::from_utf8_lossy(path).into_owned();
        match self.files.get(&name) {
            Some((_, true)) => self.files.remove(&name).map(drop).ok_or(Errno::NOENT),
            Some(_) => Err(Errno::ROFS),
            None => Err(Errno::NOENT),
        }
    }
}

/// The status of a program, and the files of the program.
fn ends(code: &[Vec<Word>]) -> (u8, Vec<(String, Vec<u8>)>) {
    let names: Vec<Word> =
        ["o", "n", "w"].iter().enumerate().flat_map(|(index, name)| named(index, name)).collect();
    let code = [names, code.concat(), exit_a0()].concat();
    let program = Program::read(&elf(&code, 4096)).expect("a program");
    let mut world = Memory::default();
    world.files.insert("o".to_owned(), (b"old".to_vec(), false));
    let control = Control::unlimited();
    let mut emulator = Emulator::new(&program, &Arguments::new(["p"]), &mut world, &control).expect("loaded");
    let exit = emulator.run(&control).expect("runs");
    let files = world.files.into_iter().map(|(name, (bytes, _))| (name, bytes)).collect();
    (exit, files)
}

/// Names are two bytes each, at the beginning of the data.
fn named(index: usize, name: &str) -> [Word; 3] {
    let letter = name.as_bytes()[0].into();
    [lui(T0, DATA as u32), addi(T1, ZERO, letter), Word::s(major::STORE, 1, T0, T1, 2 * index as i32)]
}

/// Opens `n` for writing, writes a letter through it, and closes it.
fn written() -> Vec<Word> {
    let open = vec![addi(A0, ZERO, HERE), addi(A1, T0, 2), addi(A2, ZERO, 0o1102)];
    let content = vec![addi(T1, ZERO, b'n'.into()), Word::s(major::STORE, 0, T0, T1, 64)];
    let write = vec![addi(S2, A0, 0), addi(A1, T0, 64), addi(A2, ZERO, 1)];
    [open, call(56), content, write, call(64), vec![addi(A0, S2, 0)], call(57)].concat()
}

/// `renameat2` of names by number.
fn rename(from: i32, to: i32, flags: i32) -> Vec<Word> {
    let arguments = vec![
        addi(A0, ZERO, HERE),
        addi(A1, T0, 2 * from),
        addi(A2, ZERO, HERE),
        addi(A3, T0, 2 * to),
        addi(A4, ZERO, flags),
    ];
    [arguments, call(276)].concat()
}

#[test]
fn written_files_get_other_names() {
    let file = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
    let (old, n, w) = (file("o", b"old"), file("n", b"n"), file("w", b"n"));
    let no = |errno: Errno| (-(errno.0 as i8)) as u8;
    assert_eq!(ends(&[written()]), (0, vec![n.clone(), old.clone()]));
    assert_eq!(ends(&[written(), rename(1, 2, 0)]), (0, vec![old.clone(), w]));
    assert_eq!(ends(&[written(), rename(1, 1, 0)]), (0, vec![n.clone(), old.clone()]));
    // What was there before keeps its name and its content.
    assert_eq!(ends(&[rename(0, 2, 0)]), (no(Errno::ROFS), vec![old.clone()]));
    assert_eq!(ends(&[written(), rename(1, 0, 0)]), (no(Errno::ROFS), vec![n.clone(), old.clone()]));
    assert_eq!(ends(&[written(), rename(1, 0, 1)]), (no(Errno::EXIST), vec![n.clone(), old.clone()]));
    assert_eq!(ends(&[written(), rename(1, 2, 2)]), (no(Errno::INVAL), vec![n, old.clone()]));
    assert_eq!(ends(&[rename(1, 2, 0)]), (no(Errno::NOENT), vec![old.clone()]));
    // `unlinkat`: a file that is one.
    let unlink = |name: i32, flags: i32| {
        [vec![addi(A0, ZERO, HERE), addi(A1, T0, 2 * name), addi(A2, ZERO, flags)], call(35)].concat()
    };
    assert_eq!(ends(&[written(), unlink(1, 0)]), (0, vec![old.clone()]));
    assert_eq!(ends(&[unlink(0, 0)]), (no(Errno::ROFS), vec![old.clone()]));
    assert_eq!(ends(&[unlink(0, 0x200)]), (no(Errno::NOTDIR), vec![old]));
}

/// `dup`, `dup3` and `fcntl`: what one number reads, the others have read, and a file is closed with its last number.
#[test]
fn numbers_of_a_file_share_its_place() {
    let open = [vec![addi(A0, ZERO, HERE), addi(A1, T0, 0), addi(A2, ZERO, 0)], call(56)].concat();
    let read = |number: i32| {
        let arguments = vec![addi(A0, ZERO, number), addi(A1, T0, 64), addi(A2, ZERO, 1)];
        [arguments, call(63), vec![Word::i(major::LOAD, 4, T1, T0, 64)]].concat()
    };
    let close = |number: i32| [vec![addi(A0, ZERO, number)], call(57)].concat();
    let result = |register| vec![addi(A0, register, 0)];
    let duplicates = [
        (call(23), 4),
        ([vec![addi(A1, ZERO, 7), addi(A2, ZERO, 0)], call(24)].concat(), 7),
        ([vec![addi(A1, ZERO, 0), addi(A2, ZERO, 9)], call(25)].concat(), 9),
    ];
    for (duplicate, number) in duplicates {
        let begin = [open.clone(), duplicate].concat();
        assert_eq!(ends(std::slice::from_ref(&begin)).0, number);
        let number = number.into();
        let shared = [begin.clone(), read(3), read(number), result(T1)];
        assert_eq!(ends(&shared).0, b'l');
        let closed = [begin.clone(), read(3), close(3), read(number), result(T1)];
        assert_eq!(ends(&closed).0, b'l');
        assert_eq!(ends(&[begin.clone(), close(3), read(3)]).0, (-9_i8) as u8);
        // The lowest number is free again, for another place.
        let again = [begin, read(3), close(3), open.clone(), read(3), result(T1)];
        assert_eq!(ends(&again).0, b'o');
    }
}
