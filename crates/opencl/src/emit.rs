//! The model of execution as a Promela model.
//!
//! The processes are those of Garanina, Staroletov and Gorlatch (Sections 3 and 4): main chooses the parameters and starts the
//! host, which starts devices, which hand work-groups to units, whose processing elements meet at barriers; a clock advances the
//! time. Differences to the published models, whose defects are listed in the text that is written:
//!
//! * A process that works for `c` units records when it is done. The clock goes to the earliest such moment
//!   once no process can do anything else (`timeout`), so idle ticks take no steps.
//! * An element computes the cost of a region in one step, from the same loops and conditions as the kernel.
//! * With warps, an element is a slot that runs warps.

mod region;

use crate::expression::{Expr, Names, Printer};
use crate::model::{Model, Region, Step};
use crate::shape::shape;
use std::fmt::Write as _;

/// Words of Promela and names of the model that no parameter may have.
const TAKEN: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "fi",
    "for",
    "full",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "od",
    "of",
    "pc_value",
    "printf",
    "priority",
    "proctype",
    "provided",
    "run",
    "select",
    "short",
    "skip",
    "timeout",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "true",
    "false",
    "ltl",
    "time",
    "FIN",
    "due",
    "pass",
    "clock",
    "host",
    "device",
    "unit",
    "barrier",
    "element",
    "main",
    "items",
    "groups",
    "warps",
    "NWE",
    "ND",
    "NU",
    "NP",
    "WARP",
    "GROUP",
    "PHASE",
    "BARRIER",
    "LAUNCH",
    "T",
    "CLOCKED",
    "MESSAGE_HOST",
    "MESSAGE_UNIT",
    "go",
    "done",
    "stop",
    "work",
    "cost",
    "mine",
    "warp",
    "lane",
    "me",
    "slot",
    "group",
    "start",
    "finished",
    "arrived",
    "released",
    "began",
    "previous",
    "loaded",
    "fresh",
    "duration",
    "who",
    "k",
    "next",
    "i",
    "first",
    "last",
    "busy",
];

/// The text of the model for the given values of parameters; `names` holds the values of all other names.
pub fn promela(
    model: &Model,
    file: &str,
    names: &[i64],
    choices: &[Vec<i64>],
    configurations: &[Vec<i64>],
) -> String {
    let mut emitter = Emitter::new(model, names, choices, configurations);
    emitter.head(file);
    emitter.declarations();
    emitter.clock();
    emitter.elements();
    emitter.barrier();
    emitter.unit();
    emitter.device();
    emitter.host();
    emitter.main();
    indented(&emitter.out)
}

/// Indents the code of processes by their structure.
fn indented(text: &str) -> String {
    let mut out = String::new();
    // Levels of the blocks around, and whether they have options.
    let mut blocks: Vec<bool> = Vec::new();
    let mut in_process = false;
    for line in text.lines() {
        in_process |= line.contains("proctype ");
        let line = if in_process { line.trim_start() } else { line };
        let closes = ["}", "od", "fi"].iter().any(|end| line.strip_prefix(end).is_some_and(is_end));
        if in_process && closes {
            blocks.pop();
        }
        // The options of a block stand under its `do` or `if`.
        let is_option = line.starts_with("::") && blocks.last() == Some(&true);
        let level = blocks.len() - usize::from(is_option);
        if in_process && !line.is_empty() {
            out.extend(std::iter::repeat_n("  ", level));
        }
        out.push_str(line);
        out.push('\n');
        if in_process && (line.ends_with('{') || line == "do" || line == "if") {
            blocks.push(!line.ends_with('{'));
        }
    }
    out
}

/// Whether a word that ends a block is not part of a longer one.
fn is_end(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

struct Emitter<'m> {
    model: &'m Model,
    /// The names as they are written in the model.
    written: Names,
    names: &'m [i64],
    choices: &'m [Vec<i64>],
    /// Whether constraints leave all combinations.
    is_product: bool,
    /// Whether some combination exceeds the device.
    exceeds: bool,
    /// Slots of a unit that some configuration uses.
    slots: u64,
    /// Units of a device that some configuration uses.
    units: u64,
    has_barrier: bool,
    has_prefetch: bool,
    /// Number of flags that conditions use.
    flags: usize,
    out: String,
}

fn has_barrier(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Region(_) => false,
        Step::Barrier => true,
        Step::Loop { body, .. } => has_barrier(body),
        Step::If { then, other, .. } => has_barrier(then) || has_barrier(other),
    })
}

fn any_region(steps: &[Step], test: &impl Fn(&Region) -> bool) -> bool {
    steps.iter().any(|step| match step {
        Step::Region(region) => test(region),
        Step::Barrier => false,
        Step::Loop { body, .. } => any_region(body, test),
        Step::If { then, other, .. } => any_region(then, test) || any_region(other, test),
    })
}

impl<'m> Emitter<'m> {
    fn new(model: &'m Model, names: &'m [i64], choices: &'m [Vec<i64>], configurations: &[Vec<i64>]) -> Self {
        let mut written = Names::default();
        for name in model.names.iter() {
            let mut unique = name.to_owned();
            let clashes = |name: &str| {
                let starts = ["k", "lid", "grp", "width", "groups", "any", "other", "saved", "first"];
                let is_number =
                    |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
                TAKEN.contains(&name)
                    || starts.iter().any(|start| name.strip_prefix(start).is_some_and(is_number))
            };
            while clashes(&unique) || (unique != name && model.names.find(&unique).is_some()) {
                unique.push('_');
            }
            written.intern(&unique);
        }
        let (mut slots, mut units, mut exceeds) = (1, 1, false);
        let platform = &model.platform;
        for values in configurations {
            let mut names = names.to_vec();
            for (parameter, value) in model.launch.parameters.iter().zip(values) {
                names[parameter.name.0 as usize] = *value;
            }
            let shape = shape(model, &names);
            exceeds |= shape.is_err();
            if let Ok(shape) = shape {
                let warps = (shape.items() as u64).div_ceil(u64::from(platform.warp));
                slots = slots.max(warps.min(platform.slots().into()));
                let groups = (shape.group_count() as u64).div_ceil(platform.devices.into());
                units = units.max(groups.min(platform.units.into()));
            }
        }
        let has_barrier = has_barrier(&model.steps);
        let has_prefetch =
            platform.prefetch && has_barrier && any_region(&model.steps, &|region| region.only_loads);
        let is_product = configurations.len() == choices.iter().map(Vec::len).product::<usize>();
        Emitter {
            model,
            written,
            names,
            choices,
            is_product,
            exceeds,
            slots,
            units,
            has_barrier,
            has_prefetch,
            flags: 0,
            out: String::new(),
        }
    }

    fn show(&self, expr: &Expr) -> String {
        Printer { expr, names: &self.written }.to_string()
    }

    fn line(&mut self, indent: usize, text: &str) {
        for _ in 0..indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn lines(&mut self, indent: usize, text: &str) {
        for line in text.lines() {
            self.line(if line.is_empty() { 0 } else { indent }, line);
        }
    }

    fn parameters(&self) -> Vec<String> {
        let names = self.model.launch.parameters.iter();
        names.map(|parameter| self.written.text(parameter.name).to_owned()).collect()
    }

    fn head(&mut self, file: &str) {
        let clean = |text: &str| text.replace("*/", "* /").replace(char::is_control, " ");
        let (kernel, platform) = (clean(&self.model.name), clean(&self.model.platform.name));
        let names = self.parameters().join(",");
        let text = format!(
            "\
/* Execution of the kernel `{kernel}` ({file}) on the platform `{platform}`.
 *
 * The tuning parameters are chosen at the start; FIN holds when the kernel is done, after `time` units. A configuration that
 * finishes within T units is a counterexample to OverTime:
 *
 *   spin -DT=100 -a model.pml && gcc -O2 -o pan pan.c && ./pan -a -m1000000
 *   volvelle tune model.pml --minimize time --goal FIN --parameters {names}
 *
 * The processes are those of Garanina, Staroletov and Gorlatch, Auto-Tuning High-Performance Programs Using Model Checking in
 * Promela, without the defects of the published models: no work-group is executed twice or too often, counters are wide enough,
 * and phases take the time that the platform says (`PHASE` more if it does). The clock goes straight to the next moment at which
 * something happens.
 */
",
            file = clean(file)
        );
        self.out.push_str(&text);
    }

    fn declarations(&mut self) {
        let (platform, costs) = (&self.model.platform, &self.model.platform.costs);
        let clocked = 1 + u64::from(platform.devices) * (1 + self.units * (2 + self.slots));
        let mut text = String::from("\n// The platform: counts of its parts, and times of what they do.\n");
        let rows: [(&str, u64, &str); 11] = [
            ("ND", platform.devices.into(), "devices"),
            ("NU", self.units, "units of a device, as far as there are groups for them"),
            (
                "NP",
                self.slots,
                "elements of a unit that work at the same time, as far as there are items for them",
            ),
            ("WARP", platform.warp.into(), "items that step together in an element"),
            ("LAUNCH", costs.launch.into(), "launching the kernel"),
            ("GROUP", costs.group.into(), "starting a work-group"),
            ("BARRIER", costs.barrier.into(), "a barrier, once all elements have arrived"),
            ("PHASE", costs.phase.into(), "work between barriers, in addition"),
            ("MESSAGE_HOST", costs.message_host.into(), "a message between host and device"),
            ("MESSAGE_UNIT", costs.message_unit.into(), "a message between device and unit"),
            ("CLOCKED", clocked, "processes that wait for the clock"),
        ];
        for (name, value, comment) in rows {
            let _ = writeln!(text, "{:<28}// {comment}", format!("#define {name} {value}"));
        }
        text.push_str("\n// The input and the tuning parameters.\n");
        let parameters: Vec<_> = self.model.launch.parameters.iter().map(|p| p.name).collect();
        if let Some(size) = self.model.names.find("size").filter(|size| !parameters.contains(size)) {
            let _ = writeln!(text, "int {} = {};", self.written.text(size), self.names[size.0 as usize]);
        }
        for name in self.parameters() {
            let _ = writeln!(text, "int {name};");
        }
        text.push_str("\n// Sizes that follow from them.\n");
        for dimension in 0..self.model.dimensions() {
            let _ = writeln!(
                text,
                "int width{dimension};                 // items of a work-group in dimension {dimension}"
            );
            let _ = writeln!(
                text,
                "int groups{dimension};                // work-groups in dimension {dimension}"
            );
        }
        text.push_str(
            "int items;                  // items of a work-group
int groups;                 // work-groups
int warps;                  // warps of a work-group
int NWE;                    // elements of a unit that have work

int time;
bool FIN;
int due[CLOCKED];           // when who waits goes on
mtype = { go, done, stop };

#ifdef T
ltl OverTime { [] (FIN -> (time > T)) }
#endif

// Process `who` is busy for a while.
inline pass(who, duration) {
  if
  :: (duration) > 0 -> due[who] = time + (duration); time >= due[who]
  :: else
  fi
}
",
        );
        self.out.push_str(&text);
    }

    fn clock(&mut self) {
        self.out.push_str(
            "
// When nobody can do anything else, the time goes to the earliest moment at which somebody is done.
proctype clock() {
  int k, next;
  do
  :: FIN -> break
  :: timeout ->
    d_step {
      next = 0; k = 0;
      do
      :: k < CLOCKED ->
        if
        :: due[k] > time && (next == 0 || due[k] < next) -> next = due[k]
        :: else
        fi;
        k++
      :: else -> break
      od;
      assert(next > time);
      time = next; next = 0; k = 0
    }
  od
}
",
        );
    }

    fn barrier(&mut self) {
        if !self.has_barrier {
            return;
        }
        self.out.push_str(
            "
// Waits until all elements of the unit that have work have arrived, and lets them go on.
proctype barrier(int me; chan arrived; chan released) {
  int i;
  atomic {
  do
  :: arrived ? done ->
    i = 1;
    do
    :: i < NWE -> arrived ? done; i++
    :: else -> break
    od;
    pass(me, BARRIER);
    i = 0;
    do
    :: i < NWE -> released ! go; i++
    :: else -> i = 0; break
    od
  :: arrived ? stop -> break
  od
  }
}
",
        );
    }

    fn unit(&mut self) {
        let (channels, run, arguments, stop) = match self.has_barrier {
            true => (
                "  chan arrived = [0] of { mtype };\n  chan released = [0] of { mtype };\n",
                "    run barrier(me + 1, arrived, released);\n",
                ", arrived, released",
                "    arrived ! stop;\n",
            ),
            false => ("", "", "", ""),
        };
        let text = format!(
            "
// A unit executes one work-group after another; its elements share the items of a group.
proctype unit(int me; chan assign; chan ready) {{
  int i, group;
  chan start = [0] of {{ mtype, int }};
  chan finished = [0] of {{ mtype }};
{channels}
  atomic {{
{run}    do
    :: i < NWE -> run element(me + 2 + i, i, start, finished{arguments}); i++
    :: else -> i = 0; break
    od;
  do
  :: assign ? go, group ->
    pass(me, MESSAGE_UNIT + GROUP);
    do
    :: i < NWE -> start ! go, group; i++
    :: else -> i = 0; break
    od;
    do
    :: i < NWE -> finished ? done; i++
    :: else -> i = 0; break
    od;
    pass(me, MESSAGE_UNIT);
    ready ! done
  :: assign ? stop, _ ->
{stop}    do
    :: i < NWE -> start ! stop, 0; i++
    :: else -> break
    od;
    break
  od
  }}
}}
"
        );
        self.out.push_str(&text);
    }

    fn device(&mut self) {
        self.out.push_str(
            "
// A device gives the next work-group to a unit that is idle.
proctype device(int me; chan begin; chan end) {
  int i, next, last, busy;
  chan assign = [0] of { mtype, int };
  chan ready = [0] of { mtype };

  atomic {
    do
    :: i < NU -> run unit(me + 1 + i * (2 + NP), assign, ready); i++
    :: else -> i = 0; break
    od;
  do
  :: begin ? go, next, last ->
    do
    :: next < last && busy < NU -> assign ! go, next; next++; busy++
    :: ready ? done -> busy--
    :: next == last && busy == 0 -> break
    od;
    pass(me, MESSAGE_HOST);
    end ! done
  :: begin ? stop, _, _ ->
    do
    :: i < NU -> assign ! stop, 0; i++
    :: else -> break
    od;
    break
  od
  }
}
",
        );
    }

    fn host(&mut self) {
        self.out.push_str(
            "
// The host shares the work-groups out among the devices, and waits for them.
proctype host() {
  int i, first, last;
  chan begin = [0] of { mtype, int, int };
  chan end = [0] of { mtype };

  atomic {
    do
    :: i < ND -> run device(1 + i * (1 + NU * (2 + NP)), begin, end); i++
    :: else -> i = 0; break
    od;
  pass(0, LAUNCH);
  do
  :: i < ND ->
    pass(0, MESSAGE_HOST);
    last = first + groups / ND + (i < groups % ND -> 1 : 0);
    begin ! go, first, last;
    first = last;
    i++
  :: else -> i = 0; break
  od;
  do
  :: i < ND -> end ? done; i++
  :: else -> i = 0; break
  od;
  FIN = true;
  do
  :: i < ND -> begin ! stop, 0, 0; i++
  :: else -> break
  od
  }
}
",
        );
    }

    fn main(&mut self) {
        let mut text = String::from("\nactive proctype main() {\n  // The tuning parameters.\n");
        for (name, values) in self.parameters().iter().zip(self.choices) {
            text.push_str("  if\n");
            for value in values {
                let _ = writeln!(text, "  :: {name} = {value}");
            }
            text.push_str("  fi;\n");
        }
        let conditions = self.conditions();
        if !conditions.is_empty() {
            let _ = writeln!(text, "  // What does not satisfy the constraints is no configuration.\n  if");
            let _ = writeln!(text, "  :: {} -> skip", conditions.join(" &&\n     "));
            let _ = writeln!(text, "  :: else -> goto invalid\n  fi;");
        }
        text.push_str("  d_step {\n");
        let (mut items, mut groups) = (Vec::new(), Vec::new());
        for dimension in 0..self.model.dimensions() {
            let width = self.show(&self.model.local_size(dimension));
            let _ = writeln!(text, "    width{dimension} = {width};");
            let count = self.show(&self.model.groups(dimension));
            let _ = writeln!(text, "    groups{dimension} = {count};");
            items.push(format!("width{dimension}"));
            groups.push(format!("groups{dimension}"));
        }
        let _ = writeln!(text, "    items = {};", items.join(" * "));
        let _ = writeln!(text, "    groups = {};", groups.join(" * "));
        text.push_str(
            "    warps = (items + WARP - 1) / WARP;
    NWE = (warps < NP -> warps : NP)
  };
  atomic {
    run clock();
    run host()
  };
",
        );
        text.push_str(if conditions.is_empty() { "}\n" } else { "invalid:\n  skip\n}\n" });
        self.out.push_str(&text);
    }

    /// Conditions that combinations of values must satisfy.
    fn conditions(&self) -> Vec<String> {
        use crate::expression::{Op, mul};
        let mut found = Vec::new();
        let mut add = |test: Expr| {
            if !matches!(test, Expr::Int(1)) {
                found.push(format!("({})", self.show(&test)));
            }
        };
        if !self.is_product {
            for constraint in &self.model.launch.constraints {
                add(constraint.test.clone());
            }
        }
        if !self.exceeds {
            return found;
        }
        let platform = &self.model.platform;
        let bound = |value: u64| i64::try_from(value).ok().filter(|value| *value < i64::from(i32::MAX));
        let items = (0..self.model.dimensions()).map(|d| self.model.local_size(d)).fold(Expr::Int(1), mul);
        if let Some(most) = bound(platform.work_group_max.into()) {
            add(Expr::binary(Op::Le, items, Expr::Int(most)));
        }
        if let Some(most) = bound(platform.local_memory_bytes) {
            add(Expr::binary(Op::Le, self.model.local_bytes.clone(), Expr::Int(most)));
        }
        found
    }
}
