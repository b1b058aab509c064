//! The loop: one message after the other, in the order in which they came.

use crate::client::Client;
use crate::debuggee::{Debuggee, Reply, Setup, capabilities, is_known};
use crate::inbox::{Arrival, Inbox};
use crate::launch::Launch;
use crate::opening::{Begun, with_walk};
use crate::protocol::{Failure, Request, rendered};
use crate::reading::Refusal;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use volvelle_control::Cancel;
use volvelle_stepping::Walk;

/// What a conversation has around it.
#[derive(Clone, Copy)]
pub struct Surroundings {
    /// Raised while a request waits that is to stop what runs.
    pub cancel: &'static Cancel,
    /// Called where the client is gone, and its work does not stop in time.
    pub abandon: fn(),
}

/// Talks with a client until it disconnects, or is gone. Returns the exit code of the process.
pub fn converse(input: impl Read + Send + 'static, mut output: impl Write, surroundings: Surroundings) -> u8 {
    let inbox = Inbox::of(input, surroundings.cancel, surroundings.abandon);
    let client = Client::of(&mut output);
    let mut server =
        Server { client, inbox, setup: Setup::default(), cancel: surroundings.cancel, is_initialized: false };
    server.serve()
}

struct Server<'o> {
    client: Client<'o>,
    inbox: Arc<Inbox>,
    /// What the client has set, which stays when a model is opened again.
    setup: Setup,
    cancel: &'static Cancel,
    is_initialized: bool,
}

/// How the work on a model ends.
enum Next {
    /// The conversation is over, with this exit code.
    Over(u8),
    /// Nothing is debugged any more.
    Idle,
    /// The same, or something else, is debugged from its beginning.
    Restart(Request, Box<Launch>),
}

/// What a message asks of the loop.
enum Message {
    Request(Request),
    Passed,
    Over(u8),
}

impl Server<'_> {
    fn serve(&mut self) -> u8 {
        loop {
            let mut next = match self.message() {
                Message::Over(code) => return code,
                Message::Passed => continue,
                Message::Request(request) => self.without_model(&request),
            };
            while let Next::Restart(request, launch) = next {
                next = self.debug(&request, &launch);
            }
            if let Next::Over(code) = next {
                return code;
            }
        }
    }

    /// The next message, as far as it can be answered whether something is debugged or not.
    fn message(&mut self) -> Message {
        if self.client.is_gone {
            return Message::Over(1);
        }
        let request = match self.inbox.next() {
            Arrival::End(None) => return Message::Over(1),
            Arrival::End(Some(why)) => {
                self.client.complain(&format!("this is no message: {why}; the debugger ends"));
                return Message::Over(1);
            }
            Arrival::NoMessage(why) => {
                self.client.complain(&format!("this is no message: {why}"));
                return Message::Passed;
            }
            Arrival::Request(request) => request,
        };
        let refuse = |message: &str| Err(Failure::new(message));
        let answer = match request.command.as_str() {
            "disconnect" => {
                self.client.respond(&request, &Ok(Value::Null));
                return Message::Over(0);
            }
            "initialize" if self.is_initialized => refuse("the client has introduced itself before"),
            "initialize" => self.introduced(&request.arguments),
            command if !is_known(command) => refuse(&format!("`{command}` is not supported")),
            _ if !self.is_initialized => refuse("the first request is `initialize`"),
            _ => return Message::Request(request),
        };
        self.client.respond(&request, &answer);
        Message::Passed
    }

    fn introduced(&mut self, arguments: &Value) -> Result<Value, Failure> {
        if arguments.get("pathFormat").is_some_and(|format| *format != "path") {
            return Err(Failure::new("files have paths here, no addresses: \"pathFormat\": \"path\""));
        }
        self.is_initialized = true;
        self.client.introduce(arguments);
        self.setup.counts_from(self.client.first_line, self.client.first_column);
        Ok(capabilities())
    }

    /// Answers a request while nothing is debugged.
    fn without_model(&mut self, request: &Request) -> Next {
        let answer = match request.command.as_str() {
            "launch" => match Launch::read(&request.arguments) {
                Ok(launch) => return Next::Restart(request.clone(), Box::new(launch)),
                Err(failure) => Err(failure),
            },
            "terminate" => Ok(Value::Null),
            "configurationDone" => {
                self.setup.is_complete = true;
                Ok(Value::Null)
            }
            _ => match self.setup.set(&request.command, &request.arguments) {
                Some(Ok(())) => Ok(self.setup.pending(&request.command, &request.arguments)),
                Some(Err(failure)) => Err(failure),
                None => Err(Failure::new("nothing is debugged yet: the request `launch` says what is")),
            },
        };
        self.client.respond(request, &answer);
        Next::Idle
    }

    /// Opens a model, and answers requests about it.
    fn debug(&mut self, request: &Request, launch: &Launch) -> Next {
        let cancel = self.cancel;
        let opened = catch_unwind(AssertUnwindSafe(|| {
            with_walk(launch, cancel, Box::new(|walk, begun| self.with(request, launch, walk, begun)))
        }));
        let refused = match opened {
            Ok(Ok(Ok(next))) => return next,
            Ok(Ok(Err(refusal)) | Err(refusal)) => refusal.failure(),
            Err(_) => defect(),
        };
        self.client.respond(request, &Err(refused));
        if request.command == "restart" {
            self.client.event("terminated", &Value::Null);
        }
        Next::Idle
    }

    /// Answers requests about a walk; a trail that does not fit refuses the launch.
    fn with(
        &mut self,
        request: &Request,
        launch: &Launch,
        walk: &mut dyn Walk,
        begun: Begun<'_>,
    ) -> Result<Next, Refusal> {
        let said = rendered(&begun.said, walk.sources());
        let mut debuggee = Debuggee::new(walk, launch, begun)?;
        debuggee.prepare(&self.setup);
        self.client.respond(request, &Ok(Value::Null));
        if !said.is_empty() {
            self.client.complain(&said);
        }
        self.client.tell(&debuggee.introduction());
        if request.command == "launch" {
            self.client.event("initialized", &Value::Null);
        }
        if self.setup.is_complete {
            self.begin(&mut debuggee, launch);
        }
        Ok(self.talk(&mut debuggee, launch))
    }

    fn begin(&mut self, debuggee: &mut Debuggee<'_>, launch: &Launch) {
        let reply = match launch.stops_on_entry() {
            true => debuggee.entered(),
            false => debuggee.run_forward(),
        };
        self.tell(&reply);
    }

    fn talk(&mut self, debuggee: &mut Debuggee<'_>, launch: &Launch) -> Next {
        loop {
            let request = match self.message() {
                Message::Over(code) => return Next::Over(code),
                Message::Passed => continue,
                Message::Request(request) => request,
            };
            match request.command.as_str() {
                "launch" => {
                    let failure = Failure::new("a model is debugged already: `restart` begins again");
                    self.client.respond(&request, &Err(failure));
                }
                "terminate" => {
                    self.client.respond(&request, &Ok(Value::Null));
                    self.client.event("terminated", &Value::Null);
                    return Next::Idle;
                }
                "restart" => match restarted(&request.arguments, launch) {
                    Ok(launch) => return Next::Restart(request, launch),
                    Err(failure) => self.client.respond(&request, &Err(failure)),
                },
                "configurationDone" if self.setup.is_complete => {
                    self.client.respond(&request, &Err(Failure::new("the configuration was done before")));
                }
                "configurationDone" => {
                    self.setup.is_complete = true;
                    self.client.respond(&request, &Ok(Value::Null));
                    self.begin(debuggee, launch);
                }
                // A run that goes on is answered before it ends.
                "continue" | "reverseContinue" | "stepOut" => self.run(debuggee, &request),
                _ => self.answer(debuggee, &request),
            }
            if debuggee.is_over() {
                self.client.event("terminated", &Value::Null);
                return Next::Idle;
            }
        }
    }

    fn run(&mut self, debuggee: &mut Debuggee<'_>, request: &Request) {
        let thread = debuggee.thread(&request.arguments);
        let answer = thread.clone().map(|_| match request.command.as_str() {
            "continue" => json!({ "allThreadsContinued": true }),
            _ => Value::Null,
        });
        self.client.respond(request, &answer);
        let Ok(thread) = thread else { return };
        let run = catch_unwind(AssertUnwindSafe(|| match request.command.as_str() {
            "continue" => debuggee.run_forward(),
            "stepOut" => debuggee.run_until_moved(thread),
            _ => debuggee.run_backward(),
        }));
        let reply = run.unwrap_or_else(|_| debuggee.failed(&defect().text));
        self.tell(&reply);
    }

    fn answer(&mut self, debuggee: &mut Debuggee<'_>, request: &Request) {
        let setup = &mut self.setup;
        let answered = catch_unwind(AssertUnwindSafe(|| debuggee.answer(request, setup)));
        match answered.unwrap_or_else(|_| Err(defect())) {
            Ok(reply) => {
                self.client.respond(request, &Ok(reply.body.clone()));
                self.tell(&reply);
            }
            Err(failure) => self.client.respond(request, &Err(failure)),
        }
    }

    /// What happened, for the console of the client and its windows.
    fn tell(&mut self, reply: &Reply) {
        if !reply.steps.is_empty() {
            self.client.tell(&reply.steps);
        }
        if !reply.troubles.is_empty() {
            self.client.complain(&reply.troubles);
        }
        if let Some(stopped) = &reply.stopped {
            self.client.event("stopped", stopped);
        }
    }
}

/// The launch of a restart: new arguments, where the client gives some.
fn restarted(arguments: &Value, launch: &Launch) -> Result<Box<Launch>, Failure> {
    match arguments.get("arguments").filter(|new| new.get("program").is_some()) {
        Some(new) => Launch::read(new).map(Box::new),
        None => Ok(Box::new(launch.clone())),
    }
}

/// A defect of the program.
fn defect() -> Failure {
    Failure::new("the request failed by a defect of this program; its standard error says where")
}
