//! The calls by their numbers.

use super::answer::Answer;
use super::files::{parts, text};
use super::signals::PROCESS;
use super::{Linux, Scene, names};
use crate::hart::names::{A0, A7};
use crate::stack::USER;
use crate::world::Errno;

macro_rules! names {
    ($($number:literal $name:literal,)*) => {
        /// The name of a call, where it is known.
        pub fn call_name(number: u64) -> Option<&'static str> {
            match number { $($number => Some($name),)* _ => None }
        }
    };
}

names! {
    17 "getcwd", 19 "eventfd2", 20 "epoll_create1", 23 "dup", 24 "dup3", 25 "fcntl", 29 "ioctl", 34 "mkdirat", 35 "unlinkat",
    37 "linkat", 38 "renameat", 46 "ftruncate", 48 "faccessat", 49 "chdir", 52 "fchmod", 53 "fchmodat", 55 "fchown",
    56 "openat", 57 "close", 59 "pipe2", 61 "getdents64", 62 "lseek", 63 "read", 64 "write", 65 "readv", 66 "writev",
    67 "pread64", 68 "pwrite64", 71 "sendfile", 72 "pselect6", 73 "ppoll", 78 "readlinkat", 79 "newfstatat", 80 "fstat",
    82 "fsync", 88 "utimensat", 93 "exit", 94 "exit_group", 96 "set_tid_address", 98 "futex", 99 "set_robust_list",
    101 "nanosleep", 103 "setitimer", 113 "clock_gettime", 114 "clock_getres", 115 "clock_nanosleep",
    122 "sched_setaffinity", 123 "sched_getaffinity", 124 "sched_yield", 129 "kill", 130 "tkill", 131 "tgkill",
    132 "sigaltstack", 133 "rt_sigsuspend", 134 "rt_sigaction", 135 "rt_sigprocmask", 136 "rt_sigpending",
    137 "rt_sigtimedwait", 138 "rt_sigqueueinfo", 139 "rt_sigreturn", 153 "times", 160 "uname",
    163 "getrlimit", 164 "setrlimit", 165 "getrusage", 166 "umask", 167 "prctl", 169 "gettimeofday", 172 "getpid",
    173 "getppid", 174 "getuid", 175 "geteuid", 176 "getgid", 177 "getegid", 178 "gettid", 179 "sysinfo",
    198 "socket", 214 "brk", 215 "munmap", 216 "mremap", 220 "clone", 221 "execve", 222 "mmap", 223 "fadvise64",
    226 "mprotect", 233 "madvise", 240 "rt_tgsigqueueinfo", 258 "riscv_hwprobe", 259 "riscv_flush_icache", 260 "wait4", 261 "prlimit64",
    276 "renameat2", 278 "getrandom", 283 "membarrier", 291 "statx", 293 "rseq", 435 "clone3", 439 "faccessat2",
}

impl Linux {
    /// Does the call that the registers name, and puts the result into `a0`.
    pub fn call(&mut self, scene: &mut Scene<'_>) -> Answer {
        let number = scene.hart.registers[A7];
        let a: [u64; 6] = std::array::from_fn(|index| scene.hart.registers[A0 + index]);
        match number {
            93 | 94 => return Answer::Exit(a[0] as u8),
            139 => return self.signals.leave(scene.hart, scene.memory),
            220 => return Answer::Thread("clone"),
            435 => return Answer::Thread("clone3"),
            _ => {}
        }
        let result = self.result(number, a, scene);
        scene.hart.registers[A0] = match result {
            Ok(Some(value)) => value,
            Ok(None) => -i64::from(Errno::NOSYS.0) as u64,
            Err(Errno(error)) => -i64::from(error) as u64,
        };
        if result == Ok(None) {
            return Answer::Unknown(number);
        }
        self.signals.deliver(scene.hart, scene.memory)
    }

    /// The result; `None`: the call is not known.
    fn result(&mut self, number: u64, a: [u64; 6], scene: &mut Scene<'_>) -> Result<Option<u64>, Errno> {
        let Scene { hart, memory, world } = scene;
        let value = match number {
            17 => {
                return put(scene, a[0], b"/\0").and(if a[1] < 2 { Err(Errno::RANGE) } else { Ok(Some(2)) });
            }
            23 => self.files.duplicate(a[0], 0)?,
            25 => {
                self.files.check(a[0])?;
                match a[1] {
                    0 | 1030 => self.files.duplicate(a[0], a[2])?,
                    3 => self.files.flags(a[0])?,
                    _ => 0,
                }
            }
            29 => self.files.check(a[0]).and(Err(Errno::NOTTY))?,
            24 => self.files.duplicate_as(a[0], a[1], *world)?,
            35 => names::remove(&self.files, a, scene)?,
            38 => names::rename(&self.files, a, 0, scene)?,
            276 => names::rename(&self.files, a, a[4], scene)?,
            46 => self.files.set_size(a[0], a[1], *world)?,
            48 | 439 => self.files.state_of(a[0], a[1], 0, memory, *world).map(|_| 0)?,
            56 => self.files.open(a[0], a[1], a[2], memory, *world)?,
            57 => self.files.close(a[0], *world)?,
            62 => self.files.seek(a[0], a[1] as i64, a[2], *world)?,
            63 => self.files.read(a[0], (a[1], a[2]), None, memory, *world)?,
            64 => self.files.write(a[0], (a[1], a[2]), None, memory, *world)?,
            65 | 66 => self.vector(number == 66, a, scene)?,
            67 => self.files.read(a[0], (a[1], a[2]), Some(a[3]), memory, *world)?,
            68 => self.files.write(a[0], (a[1], a[2]), Some(a[3]), memory, *world)?,
            78 => text(a[1], memory).and(Err(Errno::NOENT))?,
            79 => {
                let state = self.files.state_of(a[0], a[1], a[3], memory, *world)?;
                return put(scene, a[2], &state.to_stat());
            }
            80 => {
                let state = self.files.state(a[0], *world)?;
                return put(scene, a[1], &state.to_stat());
            }
            82 | 83 => self.files.check(a[0]).map(|()| 0)?,
            96 | 172 | 178 => PROCESS,
            98 => futex(a, scene)?,
            167 => return Err(Errno::INVAL),
            // Owners, permissions and times of files, lists of locks, hints, limits that are set: nothing of it has an effect.
            52..=55 | 88 | 99 | 122 | 124 | 164 | 223 | 259 => 0,
            293 => return Err(Errno::NOSYS), // as Linux before 4.18: the C library does without
            101 => self.times.sleep(None, a[0], hart, memory)?,
            103 | 283 => return Err(Errno::NOSYS),
            113 => {
                let (seconds, nanoseconds) = self.times.now(a[0], hart);
                return put(scene, a[1], &pair(seconds, nanoseconds));
            }
            114 if a[1] == 0 => 0,
            114 => return put(scene, a[1], &pair(0, 1)),
            115 => self.times.sleep((a[1] & 1 != 0).then_some(a[0]), a[2], hart, memory)?,
            123 => {
                put(scene, a[2], &1_u64.to_le_bytes())?;
                8
            }
            129..=138 | 240 => return self.of_signals(number, a, scene),
            153 => {
                let (seconds, nanoseconds) = self.times.now(1, hart);
                let ticks = seconds * 100 + nanoseconds / 10_000_000;
                if a[0] != 0 {
                    put(scene, a[0], &[pair(ticks, 0), pair(0, 0)].concat())?;
                }
                ticks
            }
            160 => return put(scene, a[0], &system_name()),
            163 => return put(scene, a[1], &limit(a[0])),
            261 if a[3] == 0 => 0,
            261 => return put(scene, a[3], &limit(a[1])),
            165 => {
                let usage = usage(self.times.now(1, hart));
                return put(scene, a[1], &usage);
            }
            166 => 0o022,
            169 => {
                let (seconds, nanoseconds) = self.times.now(0, hart);
                return put(scene, a[0], &pair(seconds, nanoseconds / 1000));
            }
            173 => 1,
            174..=177 => USER,
            179 => {
                let uptime_s = self.times.now(1, hart).0;
                return put(scene, a[0], &system_information(uptime_s));
            }
            214 => self.places.set_heap_end(a[0], memory),
            215 => self.places.unmap(a[0], a[1], memory)?,
            216 => self.places.remap(a[0], a[1], a[2], a[3], memory)?,
            222 => self.map(a, scene)?,
            226 => self.places.protect(a[0], a[1], a[2], memory)?,
            233 => self.places.advise(a[0], a[1], a[2], memory)?,
            258 => return Err(Errno::NOSYS), // as Linux before 6.4
            278 => self.random_bytes(a[0], a[1], scene)?,
            291 => {
                let state = self.files.state_of(a[0], a[1], a[2], memory, *world)?;
                return put(scene, a[4], &state.to_statx());
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// `readv` and `writev`.
    fn vector(&mut self, is_write: bool, a: [u64; 6], scene: &mut Scene<'_>) -> Result<u64, Errno> {
        self.files.check(a[0])?;
        let mut done = 0;
        for part in parts(a[1], a[2], scene.memory)? {
            if part.1 == 0 {
                continue;
            }
            let got = match is_write {
                true => self.files.write(a[0], part, None, scene.memory, scene.world)?,
                false => self.files.read(a[0], part, None, scene.memory, scene.world)?,
            };
            done += got;
            if got < part.1 {
                break;
            }
        }
        Ok(done)
    }

    /// `mmap`: of memory, or of a copy of a part of a file.
    fn map(&mut self, a: [u64; 6], scene: &mut Scene<'_>) -> Result<u64, Errno> {
        const ANONYMOUS: u64 = 0x20;
        const SHARED: u64 = 1;
        if a[3] & ANONYMOUS != 0 {
            return self.places.map(a[0], a[1], a[2], a[3], scene.memory);
        }
        self.files.check(a[4])?;
        if a[3] & 3 == SHARED && a[2] & 2 != 0 {
            return Err(Errno::ACCES); // what is written would have to appear in the file
        }
        // Written as memory, then protected as wanted.
        let address = self.places.map(a[0], a[1], 3, a[3], scene.memory)?;
        let filled = self.files.read(a[4], (address, a[1]), Some(a[5]), scene.memory, scene.world);
        if let Err(error) = filled {
            self.places.unmap(address, a[1], scene.memory)?;
            return Err(error);
        }
        self.places.protect(address, a[1], a[2], scene.memory)?;
        Ok(address)
    }

    fn random_bytes(&mut self, address: u64, bytes: u64, scene: &mut Scene<'_>) -> Result<u64, Errno> {
        let bytes = bytes.min(1 << 20);
        let mut all = Vec::with_capacity(bytes as usize + 8);
        while (all.len() as u64) < bytes {
            all.extend(self.next_random().to_le_bytes());
        }
        all.truncate(bytes as usize);
        put(scene, address, &all)?;
        Ok(bytes)
    }
}

/// Writes a result to memory.
pub(super) fn put(scene: &mut Scene<'_>, address: u64, bytes: &[u8]) -> Result<Option<u64>, Errno> {
    if scene.memory.copy_in(address, bytes) { Ok(Some(0)) } else { Err(Errno::FAULT) }
}

fn pair(first: u64, second: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    bytes
}

/// Waking nobody is done; waiting would never end, as there is no other thread.
fn futex(a: [u64; 6], scene: &mut Scene<'_>) -> Result<u64, Errno> {
    match a[1] & 0x7f {
        0 | 9 => {
            let value = scene.memory.read::<4>(a[0]).map(u32::from_le_bytes).ok_or(Errno::FAULT)?;
            Err(if value == a[2] as u32 { Errno(110) } else { Errno::AGAIN })
        }
        1 | 10 => Ok(0),
        _ => Err(Errno::NOSYS),
    }
}

/// A `struct rusage`: the time of the program, and nothing else.
fn usage((seconds, nanoseconds): (u64, u64)) -> [u8; 144] {
    let mut usage = [0; 144];
    usage[..16].copy_from_slice(&pair(seconds, nanoseconds / 1000));
    usage
}

/// `struct utsname`: six texts of 65 bytes.
fn system_name() -> Vec<u8> {
    let texts = ["Linux", "volvelle", "6.1.0", "#1", "riscv64", "(none)"];
    texts.iter().flat_map(|text| text.bytes().chain(std::iter::repeat(0)).take(65)).collect()
}

/// `struct rlimit64`: the stack is limited, and the number of files; nothing else.
fn limit(resource: u64) -> [u8; 16] {
    match resource {
        3 => pair(crate::stack::STACK_BYTES, u64::MAX),
        7 => pair(1024, 1024),
        _ => pair(u64::MAX, u64::MAX),
    }
}

/// `struct sysinfo`: 4 GiB of memory, most of it free.
fn system_information(uptime_s: u64) -> [u8; 112] {
    let mut bytes = [0; 112];
    let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    put(0, uptime_s);
    put(32, 4 << 30);
    put(40, 3 << 30);
    put(80, 1);
    put(104, 1);
    bytes
}
