//! The file that a part of a run is saved in.

use crate::given::GivenOptions;
use crate::options::PartOfRunArgs;
use crate::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use crate::{door, files, packed};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use volvelle_campaign::{Body, Identity, Part, Round, Section, Shard};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_reports::screen;
use volvelle_reports::screen::format;
use volvelle_session::campaign::{PathWork, PointWork, Saver};
use volvelle_session::limits::{count, counted};
use volvelle_session::{Session, json};

/// Time until a part that grows is saved first; then twice as long until the next time, and so on.
const FIRST_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time between two saves.
const LONGEST_INTERVAL: Duration = Duration::from_secs(30);

/// The file of a part, and what the part is.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    identity: Identity,
    shard: Shard,
    /// The round, where it is not the first.
    round: Option<Round>,
    /// Whether all of the run is computed here: a checkpoint.
    is_whole: bool,
}

impl Target {
    /// Notes the files that are read from now on, if the run has a part to be saved.
    pub fn begin(args: &PartOfRunArgs) {
        if args.shard.is_some() || args.checkpoint.is_some() {
            packed::note();
        }
    }

    /// What is to be saved, and where; `None` if nothing is. All files of the run have been read.
    ///
    /// # Errors
    /// The shard is none, or the round is of another run.
    pub fn of(
        args: &PartOfRunArgs,
        round: Option<&Path>,
        given: &GivenOptions,
    ) -> Result<Option<Target>, Diagnostic> {
        let files = packed::noted();
        let (path, shard, is_whole) = match (&args.out, &args.shard, &args.checkpoint) {
            (Some(path), Some(shard), _) => {
                let bad = |why: String| {
                    Diagnostic::error(codes::BAD_USAGE, format!("`{shard}` is no shard")).help(why)
                };
                (path, shard.parse().map_err(bad)?, false)
            }
            (_, _, Some(path)) => (path, Shard::ALL, true),
            _ => return Ok(None),
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let identity = Identity { version, arguments: given.of_run(), files };
        let round = round.map(|path| read_round(path, &identity)).transpose()?;
        Ok(Some(Target { path: path.clone(), identity, shard, round, is_whole }))
    }

    /// Tells the session which paths to run: those that the file does not have yet.
    ///
    /// # Errors
    /// There is another file at the place.
    pub fn begin_paths(&self, session: &mut Session) -> Result<(), Diagnostic> {
        let known = match self.known()? {
            Some(Part { body: Body::Paths(sections), .. }) => sections,
            _ => Vec::new(),
        };
        let work = match self.is_whole {
            true => PathWork::Continued(known),
            false => PathWork::Share(self.shard, self.round.clone(), known),
        };
        session.run.set_path_work(work, Some(self.saver()));
        Ok(())
    }

    /// Tells the session which points to compute: those that the file does not have yet.
    ///
    /// # Errors
    /// There is another file at the place.
    pub fn begin_points(&self, session: &mut Session) -> Result<(), Diagnostic> {
        let known = match self.known()? {
            Some(Part { body: Body::Points(points, _), .. }) => points,
            _ => Vec::new(),
        };
        session.run.set_point_work(PointWork { share: Some(self.shard), known }, Some(self.saver()));
        Ok(())
    }

    fn saver(&self) -> Box<dyn Saver> {
        let interval = FIRST_INTERVAL;
        Box::new(PartSaver { target: self.clone(), next: Instant::now() + interval, interval })
    }

    /// The part as it was saved before.
    fn known(&self) -> Result<Option<Part>, Diagnostic> {
        if !self.path.exists() {
            return door::probe(&self.path).map(|()| None).map_err(|e| files::not_written(&self.path, &e));
        }
        let part = part_of(&self.path, &files::read_kept(&self.path)?)?;
        let same = part.identity == self.identity && part.shard == self.shard && part.round == self.number();
        if same {
            return Ok(Some(part));
        }
        let message = format!("`{}` is a part of another run", self.path.display());
        let of = match part.identity == self.identity {
            true => format!("it has shard {} of round {} of this run", part.shard, part.round),
            false => format!("it was made by: volvelle {}", part.identity.arguments.join(" ")),
        };
        Err(Diagnostic::error(codes::PART_FOREIGN, message)
            .note(of)
            .help("remove the file, or give the part another name"))
    }

    fn number(&self) -> u64 {
        self.round.as_ref().map_or(1, |round| round.round)
    }

    fn part(&self, body: Body) -> Part {
        Part { identity: self.identity.clone(), shard: self.shard, round: self.number(), body }
    }

    fn save(&self, part: &Part) -> Result<(), Diagnostic> {
        let bytes = volvelle_campaign::write(part);
        door::keep(&self.path, |out| out.write_all(&bytes)).map_err(|e| files::not_written(&self.path, &e))
    }

    /// Saves what a share has and shows it in a line; `diagnostics` are those of the run. Returns the exit code.
    pub fn finish_share(
        &self,
        body: Body,
        as_json: bool,
        mut diagnostics: Vec<Diagnostic>,
        sources: &Sources,
        output: &Output,
    ) -> u8 {
        let part = self.part(body);
        if matches!(&part.body, Body::Paths(sections) if sections.is_empty()) {
            return crate::refusal::refuse_in(&diagnostics, sources, as_json, output);
        }
        let is_complete = part.is_complete();
        if !is_complete {
            diagnostics = diagnostics.into_iter().map(to_be_continued).collect();
        }
        let code = match self.save(&part) {
            Ok(()) if is_complete => 0,
            Ok(()) => EXIT_LIMIT,
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                EXIT_USAGE
            }
        };
        let name = self.path.display().to_string();
        if as_json {
            output.print(&json::Document::of_part(&name, &part, &diagnostics, sources).to_text());
        } else if code != EXIT_USAGE {
            output.print(&self.line(&name, &part, output));
        }
        output.print_diagnostics(&diagnostics, sources);
        code
    }

    /// What the part has, in a line.
    fn line(&self, name: &str, part: &Part, output: &Output) -> String {
        let mut parts = vec![output.style.bold(name), format!("shard {}", self.shard)];
        if self.number() > 1 {
            parts.push(format!("round {}", self.number()));
        }
        match &part.body {
            Body::Points(points, _) => parts.push(counted(points.len() as u64, "group") + " of points"),
            Body::Paths(sections) => parts.extend(of_sections(sections)),
        }
        if !part.is_complete() {
            parts.push("incomplete".to_owned());
        }
        screen::flow::items("", &parts, "  ", 2, output.style)
    }

    /// Saves what a run computed that computes everything; `code` is the exit code of the run.
    pub fn finish_whole(&self, body: Body, code: u8, output: &Output) -> u8 {
        if matches!(&body, Body::Paths(sections) if sections.is_empty()) {
            return code;
        }
        match self.save(&self.part(body)) {
            Ok(()) => code,
            Err(diagnostic) => {
                output.print_diagnostics(&[diagnostic], &Sources::new());
                EXIT_USAGE
            }
        }
    }

    /// Whether the session computes a share only, and not the answer.
    pub fn is_share(&self) -> bool {
        !self.is_whole
    }
}

/// Says of the limit that ended a share how to go on.
fn to_be_continued(diagnostic: Diagnostic) -> Diagnostic {
    if ![codes::TIME_LIMIT, codes::CANCELLED].contains(&diagnostic.code) {
        return diagnostic;
    }
    let Diagnostic { code, message, .. } = diagnostic;
    Diagnostic::error(code, message).help("run the same command again: it continues where it was stopped")
}

/// The paths of a part, in a few words.
fn of_sections(sections: &[Section]) -> Vec<String> {
    let paths = |section: &Section| section.record.paths().end - section.record.paths().start;
    let all: u64 = sections.iter().map(paths).sum();
    let steps: u64 = sections.iter().flat_map(|section| section.record.steps()).sum();
    let time: Duration = sections.iter().map(|section| section.time).sum();
    let which = match sections {
        [one] if all > 0 => {
            let range = one.record.paths();
            format!("{} ({} to {})", counted(all, "path"), range.start, range.end - 1)
        }
        [_] => counted(all, "path"),
        several => format!("{} of {}", counted(all, "path"), counted(several.len() as u64, "estimation")),
    };
    vec![which, format!("{} steps", count(steps)), format!("({})", format::time(time))]
}

/// Saves a part that grows.
struct PartSaver {
    target: Target,
    next: Instant,
    interval: Duration,
}

impl Saver for PartSaver {
    fn is_due(&mut self) -> bool {
        Instant::now() >= self.next
    }

    fn save(&mut self, body: Body) {
        // The end of the run tells of a failure; what can be saved until then is better than nothing.
        let _ = self.target.save(&self.target.part(body));
        self.interval = (2 * self.interval).min(LONGEST_INTERVAL);
        self.next = Instant::now() + self.interval;
    }
}

/// Reads a part.
pub fn read_part(path: &Path) -> Result<Part, Diagnostic> {
    part_of(path, &files::read_bytes(path)?)
}

fn part_of(path: &Path, bytes: &[u8]) -> Result<Part, Diagnostic> {
    volvelle_campaign::read(bytes).map_err(|_| {
        Diagnostic::error(codes::PART_UNREADABLE, format!("`{}` is no part of a run", path.display()))
            .note("`--shard` and `--checkpoint` write parts; a file that was cut short or changed is none")
            .help("copy the file again, or make the part again")
    })
}

/// Reads what a round has to run.
fn read_round(path: &Path, identity: &Identity) -> Result<Round, Diagnostic> {
    let text = files::read(path)?;
    let name = path.display();
    let help = "give the file that `volvelle merge --next` wrote for this command";
    let round = Round::read(&text.text).map_err(|why| {
        let message = format!("`{name}` does not describe a round");
        Diagnostic::error(codes::ROUND_MISFIT, message).note(why).help(help)
    })?;
    if round.is_of(identity) {
        return Ok(round);
    }
    let message = format!("`{name}` describes a round of another run");
    let of = format!("that of version {}: volvelle {}", round.volvelle, round.arguments.join(" "));
    Err(Diagnostic::error(codes::ROUND_MISFIT, message).note(of).help(help))
}
