//! Calls about signals.

use super::calls::put;
use super::frame::{INFO_BYTES, STACK_BYTES};
use super::signals::{ACTION_BYTES, PROCESS, Sent, code, number};
use super::{Linux, Scene};
use crate::elf::Permissions;
use crate::memory::Memory;
use crate::world::Errno;

/// Bytes of a mask.
const MASK_BYTES: u64 = 8;

impl Linux {
    /// The result of a call about signals; `None`: it is none.
    pub(super) fn of_signals(
        &mut self,
        call: u64,
        a: [u64; 6],
        scene: &mut Scene<'_>,
    ) -> Result<Option<u64>, Errno> {
        match call {
            129 => {
                check_process(a[0])?;
                self.send(a[1], |signal| Sent::by_itself(signal, code::BY_KILL))
            }
            130 | 131 => {
                let others = if call == 130 { &a[..] } else { &a[1..] };
                check_thread(a[0]).and(check_thread(others[0]))?;
                self.send(others[1], |signal| Sent::by_itself(signal, code::BY_THREAD))
            }
            132 => {
                let old = self.signals.stack(scene.hart);
                if a[0] != 0 {
                    let new = get::<STACK_BYTES>(scene.memory, a[0])?;
                    self.signals.set_stack(new, scene.hart)?;
                }
                if a[1] == 0 { Ok(Some(0)) } else { put(scene, a[1], &old) }
            }
            133 => {
                self.signals.suspend(mask(scene.memory, a[0], a[1])?);
                Err(Errno::INTR)
            }
            134 => self.action(a, scene),
            135 => {
                let old = self.signals.blocked();
                if a[1] != 0 {
                    let mask = mask(scene.memory, a[1], a[3])?;
                    self.signals.block(a[0], mask)?;
                }
                if a[2] == 0 { Ok(Some(0)) } else { put(scene, a[2], &old.to_le_bytes()) }
            }
            136 => put(scene, a[0], &(self.signals.pending() & self.signals.blocked()).to_le_bytes()),
            137 => self.wait(a, scene),
            138 | 240 => {
                let others = if call == 138 { &a[..] } else { &a[1..] };
                check_thread(a[0]).and(check_thread(others[0]))?;
                let info = get::<INFO_BYTES>(scene.memory, others[2])?;
                self.send(others[1], |signal| Sent::with(signal, info))
            }
            _ => Ok(None),
        }
    }

    /// Signal 0 only asks whether somebody is there.
    fn send(&mut self, signal: u64, sent: impl FnOnce(u64) -> Sent) -> Result<Option<u64>, Errno> {
        if signal != 0 {
            self.signals.send(sent(number(signal)?))?;
        }
        Ok(Some(0))
    }

    fn action(&mut self, a: [u64; 6], scene: &mut Scene<'_>) -> Result<Option<u64>, Errno> {
        let signal = number(a[0])?;
        if a[3] != MASK_BYTES {
            return Err(Errno::INVAL);
        }
        let old = self.signals.action(signal);
        if a[1] != 0 {
            let new = get::<ACTION_BYTES>(scene.memory, a[1])?;
            self.signals.set_action(signal, new)?;
        }
        if a[2] == 0 { Ok(Some(0)) } else { put(scene, a[2], &old) }
    }

    /// `rt_sigtimedwait`: one that waits already, or none, as nobody sends one in the meantime.
    fn wait(&mut self, a: [u64; 6], scene: &mut Scene<'_>) -> Result<Option<u64>, Errno> {
        let mask = mask(scene.memory, a[0], a[3])?;
        if let Some(sent) = self.signals.take(mask) {
            if a[1] != 0 {
                put(scene, a[1], sent.info())?;
            }
            return Ok(Some(sent.signal()));
        }
        if a[2] == 0 {
            self.signals.wait();
            return Err(Errno::INTR);
        }
        self.times.sleep(None, a[2], scene.hart, scene.memory)?;
        Err(Errno::AGAIN)
    }
}

/// The process, or the group of processes, that a signal is for.
fn check_process(process: u64) -> Result<(), Errno> {
    const OWN: i32 = PROCESS as i32;
    match process as i32 {
        OWN | 0 => Ok(()),
        1 => Err(Errno::PERM),
        other if other == -OWN => Ok(()),
        _ => Err(Errno::SRCH),
    }
}

fn check_thread(thread: u64) -> Result<(), Errno> {
    match thread {
        PROCESS => Ok(()),
        _ if thread as i32 <= 0 => Err(Errno::INVAL),
        _ => Err(Errno::SRCH),
    }
}

fn mask(memory: &mut Memory, address: u64, bytes: u64) -> Result<u64, Errno> {
    if bytes != MASK_BYTES {
        return Err(Errno::INVAL);
    }
    get(memory, address).map(u64::from_le_bytes)
}

fn get<const N: usize>(memory: &mut Memory, address: u64) -> Result<[u8; N], Errno> {
    let mut bytes = [0; N];
    memory.copy_out(address, &mut bytes, Permissions::READ).then_some(bytes).ok_or(Errno::FAULT)
}
