//! A library in use: initialised once, called according to its level of thread support, finalised once.

use super::table::{Constants, Handle, Status, Table};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::ThreadId;
use volvelle_runtime::Error;

/// MPI is initialised at most once in a process, whatever the library (chapter 11, "MPI: initialization").
static WAS_OPENED: AtomicBool = AtomicBool::new(false);

/// Groups of messages that never match each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Messages of known length, and operations of all ranks.
    Direct,
    /// Messages with tags.
    Posted,
}

/// A message that has arrived, and can be received.
pub(super) struct Probed<H> {
    pub(super) from: usize,
    pub(super) tag: c_int,
    pub(super) bytes: usize,
    message: H,
}

/// How a test of a request ended.
pub(super) enum Tested {
    /// Not yet.
    Pending,
    /// It is over; a message that was received has these many bytes.
    Over { bytes: usize },
    /// It was taken back.
    Cancelled,
}

/// An initialised library.
pub(super) struct Session<H> {
    table: Table<H>,
    direct: H,
    posted: H,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// Held during calls, unless the library takes calls from several threads at once.
    one_at_a_time: Option<Mutex<()>>,
    /// The only thread that may call, if the library wants that.
    only: Option<ThreadId>,
    /// Whether the library was finalised; locked for reading during calls.
    is_closed: RwLock<bool>,
}

/// Held during a call: prevents finalising, and keeps other threads out if necessary.
struct Inside<'s> {
    _open: RwLockReadGuard<'s, bool>,
    _alone: Option<MutexGuard<'s, ()>>,
}

impl<H: Handle> Session<H> {
    /// Initialises a library.
    ///
    /// # Errors
    /// The library was initialised before, or does not work.
    pub(super) fn start(table: Table<H>) -> Result<Self, Error> {
        let failed = |name: &str, code: c_int| Error::Unavailable(format!("no MPI: {name}: error {code}"));
        let Constants { world, serialized, multiple, errors_return, .. } = table.constants;
        let mut flag = 0;
        // SAFETY: a place for a number; the call is allowed at any time.
        let code = unsafe { (table.initialized)(&raw mut flag) };
        if code != 0 {
            return Err(failed("MPI_Initialized", code));
        }
        if flag != 0 || WAS_OPENED.swap(true, Ordering::SeqCst) {
            let why = "no MPI: it was initialised before in this process, which is possible once";
            return Err(Error::Unavailable(why.to_owned()));
        }
        let mut level = 0;
        // SAFETY: this is the first call of the process; arguments of the program are optional (section 11.2.2).
        let code = unsafe { (table.init)(ptr::null_mut(), ptr::null_mut(), multiple, &raw mut level) };
        if code != 0 {
            return Err(failed("MPI_Init_thread", code));
        }
        let mut session = Session {
            table,
            direct: world,
            posted: world,
            rank: 0,
            size: 1,
            one_at_a_time: (level < multiple).then(Mutex::default),
            only: (level < serialized).then(|| std::thread::current().id()),
            is_closed: RwLock::new(false),
        };
        // SAFETY: the library is initialised, and knows these handles.
        session.call("MPI_Comm_set_errhandler", |t| unsafe { (t.set_errors)(world, errors_return) })?;
        // Its own communicators, so that other users of the library in this process do not interfere. They
        // inherit the error handler.
        session.direct = session.duplicate()?;
        session.posted = session.duplicate()?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: a communicator and a place for a number.
        session.call("MPI_Comm_rank", |t| unsafe { (t.rank)(world, &raw mut rank) })?;
        // SAFETY: as above.
        session.call("MPI_Comm_size", |t| unsafe { (t.size)(world, &raw mut size) })?;
        session.rank = usize::try_from(rank).unwrap_or_default();
        session.size = usize::try_from(size).unwrap_or(1);
        Ok(session)
    }

    fn duplicate(&self) -> Result<H, Error> {
        let mut handle = self.table.constants.world;
        // SAFETY: a communicator and a place for another; all ranks are here, since all of them start a session.
        self.call("MPI_Comm_dup", |t| unsafe { (t.duplicate)(self.table.constants.world, &raw mut handle) })?;
        Ok(handle)
    }

    /// Enters the library.
    fn enter(&self) -> Result<Inside<'_>, Error> {
        self.expect_thread()?;
        let open = self.is_closed.read().unwrap_or_else(PoisonError::into_inner);
        if *open {
            return Err(Error::Transfer("the network is closed".to_owned()));
        }
        let alone =
            self.one_at_a_time.as_ref().map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Inside { _open: open, _alone: alone })
    }

    fn expect_thread(&self) -> Result<(), Error> {
        if self.only.is_some_and(|only| only != std::thread::current().id()) {
            let why = "this MPI library can be called only by the thread that initialised it";
            return Err(Error::Unavailable(why.to_owned()));
        }
        Ok(())
    }

    /// Makes a call.
    fn call(&self, name: &str, call: impl FnOnce(&Table<H>) -> c_int) -> Result<(), Error> {
        let _inside = self.enter()?;
        match call(&self.table) {
            0 => Ok(()),
            code => Err(Error::Transfer(format!("{name}: {}", self.text_of(code)))),
        }
    }

    /// The words of the library for an error code. Called inside.
    fn text_of(&self, code: c_int) -> String {
        // More than `MPI_MAX_ERROR_STRING` of any implementation.
        let mut room = [0_u8; 8192];
        let mut length = 0;
        // SAFETY: there is room for the longest text.
        let found = unsafe { (self.table.error_text)(code, room.as_mut_ptr().cast(), &raw mut length) };
        let text = CStr::from_bytes_until_nul(&room).unwrap_or_default().to_string_lossy();
        match text.split_whitespace().collect::<Vec<_>>().join(" ") {
            text if found == 0 && !text.is_empty() => text,
            _ => format!("error {code}"),
        }
    }

    fn channel(&self, channel: Channel) -> H {
        match channel {
            Channel::Direct => self.direct,
            Channel::Posted => self.posted,
        }
    }

    /// Starts to send bytes.
    ///
    /// # Safety
    /// The bytes stay where they are, unchanged, until a test says that the request is over. There are at most `i32::MAX`.
    pub(super) unsafe fn send(
        &self,
        channel: Channel,
        to: usize,
        tag: c_int,
        bytes: &[u8],
    ) -> Result<H, Error> {
        let mut request = self.table.constants.byte;
        let (count, byte, channel) = (bytes.len() as c_int, self.table.constants.byte, self.channel(channel));
        self.call("MPI_Isend", |t| {
            // SAFETY: promised by the caller; the communicator is alive, and there is a place for the request.
            unsafe {
                (t.send)(bytes.as_ptr().cast(), count, byte, to as c_int, tag, channel, &raw mut request)
            }
        })?;
        Ok(request)
    }

    /// Starts to receive bytes of a rank on the direct channel.
    ///
    /// # Safety
    /// The bytes stay where they are, and are not used, until a test says that the request is over. There are at most `i32::MAX`.
    pub(super) unsafe fn receive(&self, from: usize, tag: c_int, bytes: &mut [u8]) -> Result<H, Error> {
        let mut request = self.table.constants.byte;
        let (count, byte, channel) = (bytes.len() as c_int, self.table.constants.byte, self.direct);
        self.call("MPI_Irecv", |t| {
            // SAFETY: promised by the caller; the communicator is alive, and there is a place for the request.
            unsafe {
                (t.receive)(
                    bytes.as_mut_ptr().cast(),
                    count,
                    byte,
                    from as c_int,
                    tag,
                    channel,
                    &raw mut request,
                )
            }
        })?;
        Ok(request)
    }

    /// Takes the first message that has arrived, of those of a rank and with a tag (or any). It has to be received.
    pub(super) fn probe(
        &self,
        channel: Channel,
        from: Option<usize>,
        tag: Option<c_int>,
    ) -> Result<Option<Probed<H>>, Error> {
        let constants = &self.table.constants;
        let from = from.map_or(constants.any_source, |from| from as c_int);
        let tag = tag.unwrap_or(constants.any_tag);
        let (mut flag, mut message, mut status) = (0, constants.byte, Status::default());
        let channel = self.channel(channel);
        self.call("MPI_Improbe", |t| {
            // SAFETY: the communicator is alive; there are places for a flag, a message and a status.
            unsafe { (t.probe)(from, tag, channel, &raw mut flag, &raw mut message, &raw mut status) }
        })?;
        if flag == 0 {
            return Ok(None);
        }
        let Status(fields) = &status;
        let (source, tag) = (fields[constants.source_at], fields[constants.tag_at]);
        Ok(Some(Probed { from: source as usize, tag, bytes: self.count(&status)?, message }))
    }

    /// Starts to receive a message that has arrived.
    ///
    /// # Safety
    /// As [`Session::receive`]; there is room for all bytes of the message.
    pub(super) unsafe fn receive_probed(&self, probed: Probed<H>, bytes: &mut [u8]) -> Result<H, Error> {
        let (mut message, mut request) = (probed.message, self.table.constants.byte);
        let (count, byte) = (bytes.len() as c_int, self.table.constants.byte);
        self.call("MPI_Imrecv", |t| {
            // SAFETY: promised by the caller; the message was taken by a probe, and is received once.
            unsafe {
                (t.receive_probed)(bytes.as_mut_ptr().cast(), count, byte, &raw mut message, &raw mut request)
            }
        })?;
        Ok(request)
    }

    /// Starts to gather parts of all ranks, in place.
    ///
    /// # Safety
    /// Counts, places and bytes stay where they are, and are not used, until a test says that the request is over; the places lie
    /// inside. All ranks do the same.
    pub(super) unsafe fn all_gather(
        &self,
        counts: &[c_int],
        places: &[c_int],
        all: &mut [u8],
    ) -> Result<H, Error> {
        let mut request = self.table.constants.byte;
        let (byte, channel) = (self.table.constants.byte, self.direct);
        let in_place: *const c_void = ptr::without_provenance(self.table.constants.in_place);
        self.call("MPI_Iallgatherv", |t| {
            // SAFETY: promised by the caller; there is one count and one place for each rank of the communicator.
            unsafe {
                (t.all_gather)(
                    in_place,
                    0,
                    byte,
                    all.as_mut_ptr().cast(),
                    counts.as_ptr(),
                    places.as_ptr(),
                    byte,
                    channel,
                    &raw mut request,
                )
            }
        })?;
        Ok(request)
    }

    /// Starts to wait for all ranks.
    pub(super) fn barrier(&self) -> Result<H, Error> {
        let mut request = self.table.constants.byte;
        // SAFETY: the communicator is alive, and there is a place for the request.
        self.call("MPI_Ibarrier", |t| unsafe { (t.barrier)(self.direct, &raw mut request) })?;
        Ok(request)
    }

    /// Whether a request has ended, also with an error; then its handle is void.
    ///
    /// # Safety
    /// The request was started here and has not ended.
    pub(super) unsafe fn test(&self, request: &mut H, is_receive: bool) -> Result<Tested, Error> {
        let (mut flag, mut status) = (0, Status::default());
        self.call("MPI_Test", |t| {
            // SAFETY: promised by the caller; there are places for a flag and a status.
            unsafe { (t.test)(&raw mut *request, &raw mut flag, &raw mut status) }
        })?;
        if flag == 0 {
            return Ok(Tested::Pending);
        }
        if !is_receive {
            return Ok(Tested::Over { bytes: 0 });
        }
        let mut cancelled = 0;
        self.call("MPI_Test_cancelled", |t| {
            // SAFETY: the status is one that the library filled.
            unsafe { (t.was_cancelled)(&raw const status, &raw mut cancelled) }
        })?;
        match cancelled {
            0 => Ok(Tested::Over { bytes: self.count(&status)? }),
            _ => Ok(Tested::Cancelled),
        }
    }

    /// Cancels a receive for which no message was found; a test tells whether that was in time.
    ///
    /// # Safety
    /// The request is a receive that was started here and has not ended.
    pub(super) unsafe fn cancel(&self, request: &mut H) -> Result<(), Error> {
        // SAFETY: promised by the caller.
        self.call("MPI_Cancel", |t| unsafe { (t.cancel)(&raw mut *request) })
    }

    fn count(&self, status: &Status) -> Result<usize, Error> {
        let mut count = 0;
        // SAFETY: the status is one that the library filled, and there is a place for a number.
        self.call("MPI_Get_count", |t| unsafe { (t.count)(status, t.constants.byte, &raw mut count) })?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Ends all processes of the run, this one too.
    pub(super) fn abort(&self) {
        /// The exit code that launchers show; shells treat it as a common failure.
        const CODE: c_int = 1;
        if !self.is_closed() {
            // SAFETY: the library is initialised. Another thread may be inside; it ends here like everything else.
            let _ = unsafe { (self.table.abort)(self.table.constants.world, CODE) };
        }
    }

    /// Ends the use of the library. All ranks call it; no request may be left.
    pub(super) fn finalize(&self) -> Result<(), Error> {
        self.expect_thread()?;
        let mut is_closed = self.is_closed.write().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *is_closed, true) {
            return Ok(());
        }
        // SAFETY: the library is initialised, and this is its end: later calls are refused by `enter`.
        match unsafe { (self.table.finalize)() } {
            0 => Ok(()),
            code => Err(Error::Transfer(format!("MPI_Finalize: error {code}"))),
        }
    }

    /// Whether the library was finalised.
    pub(super) fn is_closed(&self) -> bool {
        *self.is_closed.read().unwrap_or_else(PoisonError::into_inner)
    }
}
