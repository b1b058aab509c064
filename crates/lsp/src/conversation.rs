//! The loop: one message after the other, in the order in which they came.
//!
//! A thread reads what the client sends, so that a request can be cancelled while another one is worked on. Diagnostics are told when
//! nothing else waits: while keys are pressed faster than texts are read, only the last text counts.

use crate::protocol::messages::{self, Answer, ErrorCode, Failure, Message};
use crate::reader::Disk;
use crate::runs::Launcher;
use crate::runs::errands::{Ended, Errands, Reply};
use crate::server::{Server, Told};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use volvelle_messages::{Received, frames};

/// What other threads pass on.
enum Arrival {
    Message(Message),
    /// Something that is no message, with the answer to it.
    NoMessage(Value, Failure),
    /// A run has ended.
    Ended(Ended),
    /// The client says no more.
    Gone,
}

/// Talks with a client until it says `exit`, or is gone. Returns the exit code of the process, as the protocol has it.
pub fn converse(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    disk: Rc<dyn Disk>,
    launcher: Rc<dyn Launcher>,
) -> u8 {
    let (sender, arrivals) = channel();
    let ended = sender.clone();
    // It ends with the stream, or with the process.
    thread::spawn(move || {
        receive(BufReader::new(input), &sender);
        let _ = sender.send(Arrival::Gone);
    });
    let tell = move |run| drop(ended.send(Arrival::Ended(run)));
    let mut server = Server::new(disk, Errands::new(launcher, Arc::new(tell)));
    // A client that does not read any more is gone. Runs end with the server.
    let _ = talk(&mut server, &arrivals, &mut output);
    server.exit_code()
}

fn receive(input: BufReader<impl Read>, sender: &Sender<Arrival>) {
    volvelle_messages::receive(input, |received| {
        let arrival = match received {
            Received::Message(bytes) => match messages::read(&bytes) {
                Ok(message) => Arrival::Message(message),
                Err((id, failure)) => Arrival::NoMessage(id, failure),
            },
            Received::NoMessage { why, is_broken } => {
                let code = if is_broken { ErrorCode::Parse } else { ErrorCode::InvalidRequest };
                Arrival::NoMessage(Value::Null, Failure::new(code, why))
            }
        };
        sender.send(arrival).is_ok()
    });
}

fn talk(server: &mut Server, arrivals: &Receiver<Arrival>, output: &mut impl Write) -> io::Result<()> {
    let mut waiting: VecDeque<Arrival> = VecDeque::new();
    while !server.is_over() {
        send(server, output)?;
        waiting.extend(arrivals.try_iter());
        let next = match waiting.pop_front() {
            Some(next) => next,
            None => {
                server.settle(|told| {
                    let message = match told {
                        Told::Diagnostics(published) => {
                            messages::notification("textDocument/publishDiagnostics", &published)
                        }
                        // The answer says nothing, so that the numbers of these requests need not differ.
                        Told::Refresh => messages::request("refresh", "workspace/diagnostic/refresh"),
                    };
                    frames::write(output, &message)
                })?;
                match arrivals.recv() {
                    Ok(next) => next,
                    Err(_) => return Ok(()),
                }
            }
        };
        match next {
            Arrival::Message(Message::Request { id, method, params }) => {
                waiting.extend(arrivals.try_iter());
                let reply = match is_cancelled(&id, &waiting) {
                    true => {
                        let why = "the client cancelled the request";
                        Reply::Now(Err(Failure::new(ErrorCode::RequestCancelled, why)))
                    }
                    false => server.request(&id, &method, params),
                };
                // What it ended is answered before it is.
                send(server, output)?;
                match reply {
                    Reply::Now(answer) => self::reply(output, &id, &answer)?,
                    Reply::Written(result) => frames::write(output, &messages::answered_with(&id, &result))?,
                    Reply::Later => {}
                }
            }
            // One that is answered later is worked on elsewhere.
            Arrival::Message(Message::Notification { method, params }) if method == "$/cancelRequest" => {
                server.cancel(&params["id"]);
            }
            Arrival::Message(Message::Notification { method, params }) => {
                server.notification(&method, params)
            }
            Arrival::Ended(run) => server.ended(&run),
            Arrival::Gone => return Ok(()),
            Arrival::Message(Message::Response) => {}
            Arrival::NoMessage(id, failure) => reply(output, &id, &Err(failure))?,
        }
    }
    Ok(())
}

/// Sends what waits.
fn send(server: &mut Server, output: &mut impl Write) -> io::Result<()> {
    server.outbox().iter().try_for_each(|message| frames::write(output, message))
}

fn reply(output: &mut impl Write, id: &Value, answer: &Answer) -> io::Result<()> {
    frames::write(output, &messages::answered(id, answer))
}

/// Whether a message that waits cancels a request.
fn is_cancelled(request: &Value, waiting: &VecDeque<Arrival>) -> bool {
    waiting.iter().any(|arrival| match arrival {
        Arrival::Message(Message::Notification { method, params }) => {
            method == "$/cancelRequest" && params.get("id") == Some(request)
        }
        _ => false,
    })
}
