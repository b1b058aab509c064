//! Names of files: they are removed and changed as far as the world lets files be removed and made.

use super::{Files, Scene};
use crate::world::{Access, Errno, World};

/// Bytes that are copied at once.
const PIECE: usize = 1 << 16;

/// `unlinkat`.
pub(super) fn remove(files: &Files, a: [u64; 6], scene: &mut Scene<'_>) -> Result<u64, Errno> {
    const FOLDER: u64 = 0x200;
    let path = files.path(a[0], a[1], scene.memory)?;
    if a[2] & FOLDER == 0 {
        return scene.world.remove(&path).map(|()| 0);
    }
    match scene.world.open(&path, Access::default()) {
        Ok(id) => {
            scene.world.close(id);
            Err(Errno::NOTDIR)
        }
        Err(Errno::ISDIR) => Err(Errno::ROFS),
        Err(error) => Err(error),
    }
}

/// `renameat2`, and `renameat` with no flags.
pub(super) fn rename(files: &Files, a: [u64; 6], flags: u64, scene: &mut Scene<'_>) -> Result<u64, Errno> {
    const KEEP: u64 = 1;
    let from = files.path(a[0], a[1], scene.memory)?;
    let to = files.path(a[2], a[3], scene.memory)?;
    if flags & !KEEP != 0 {
        return Err(Errno::INVAL);
    }
    let world = &mut *scene.world;
    if flags & KEEP != 0 && exists(&to, world) {
        return Err(Errno::EXIST);
    }
    let content = read(&from, world)?;
    if from == to {
        return Ok(0);
    }
    // What was not written by the program cannot be removed: then nothing has happened.
    world.remove(&from)?;
    let made = make(&to, &content, world);
    if made.is_err() {
        make(&from, &content, world)?;
    }
    made.map(|()| 0)
}

fn exists(path: &[u8], world: &mut dyn World) -> bool {
    match world.open(path, Access::default()) {
        Ok(id) => {
            world.close(id);
            true
        }
        Err(error) => error == Errno::ISDIR,
    }
}

fn read(path: &[u8], world: &mut dyn World) -> Result<Vec<u8>, Errno> {
    let id = world.open(path, Access::default())?;
    let (mut all, mut piece) = (Vec::new(), vec![0; PIECE]);
    let ended = loop {
        match world.read_at(id, all.len() as u64, &mut piece) {
            Ok(0) => break Ok(()),
            Ok(count) => all.extend_from_slice(&piece[..count.min(PIECE)]),
            Err(error) => break Err(error),
        }
    };
    world.close(id);
    ended.map(|()| all)
}

fn make(path: &[u8], content: &[u8], world: &mut dyn World) -> Result<(), Errno> {
    let access = Access { write: true, create: true, exclusive: false, truncate: true };
    let id = world.open(path, access)?;
    let written = world.write_at(id, 0, content);
    world.close(id);
    written
}
