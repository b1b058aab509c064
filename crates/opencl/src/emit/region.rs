//! Processing elements: the code of the kernel as far as its time is concerned.

use super::Emitter;
use crate::expression::{Expr, Op};
use crate::kernel::Test;
use crate::model::{Piece, Region, Step};
use std::fmt::Write as _;

/// Conditions that hold for the lanes which execute a piece of work.
type Path = Vec<String>;

impl<'m> Emitter<'m> {
    pub(super) fn elements(&mut self) {
        // The body comes first: it tells which variables there are.
        let head = std::mem::take(&mut self.out);
        let model = self.model;
        self.steps(&model.steps, 2);
        let body = std::mem::replace(&mut self.out, head);
        let channels = if self.has_barrier { "; chan arrived; chan released" } else { "" };
        let mut text = format!(
            "
// A processing element executes its share of the items of a work-group: warps `slot`, `slot + NWE`, and so on.
proctype element(int me; int slot; chan start; chan finished{channels}) {{
  int group, mine, warp, work, cost;
"
        );
        let names = |prefix: &str, count: usize| {
            (0..count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join(", ")
        };
        let dimensions = model.dimensions();
        let _ = writeln!(text, "  int lane, {};", names("lid", dimensions));
        if model.depends_on_group {
            let _ = writeln!(text, "  int {};", names("grp", dimensions));
        }
        if model.counters > 0 {
            let _ = writeln!(text, "  int {};", names("k", model.counters.into()));
        }
        if self.flags > 0 {
            let _ = writeln!(text, "  bool {};", names("any", self.flags));
            let _ = writeln!(text, "  bool {};", names("other", self.flags));
            let _ = writeln!(text, "  int {};", names("saved", self.flags));
            let _ = writeln!(text, "  int {};", names("first", self.flags));
        }
        if self.has_prefetch {
            text.push_str(
                "  int began, previous;        // when this phase began, how long the one before it took
  bool loaded, previous_loaded; // whether they loaded from global memory
  bool fresh;                 // whether the phase has just begun
",
            );
        }
        text.push_str("  atomic {\n  do\n  :: start ? go, group ->\n    d_step {\n");
        if model.depends_on_group {
            text.push_str("      grp0 = group % groups0;\n");
            for dimension in 1..dimensions {
                let before: Vec<String> = (0..dimension).map(|d| format!("groups{d}")).collect();
                let _ = writeln!(
                    text,
                    "      grp{dimension} = group / ({}) % groups{dimension};",
                    before.join(" * ")
                );
            }
        }
        if self.has_prefetch {
            text.push_str(
                "      began = time; previous = 0; loaded = false; previous_loaded = false; fresh = false;\n",
            );
        }
        text.push_str("      mine = (warps - slot + NWE - 1) / NWE\n    };\n");
        self.out.push_str(&text);
        self.out.push_str(&body);
        self.out.push_str("    finished ! done\n  :: start ? stop, _ -> break\n  od\n  }\n}\n");
    }

    fn steps(&mut self, steps: &'m [Step], indent: usize) {
        for step in steps {
            match step {
                Step::Region(region) => self.region(region, indent),
                Step::Barrier => {
                    self.line(indent, "arrived ! done; released ? go;");
                    if self.has_prefetch {
                        self.lines(
                            indent,
                            "d_step {
  previous = time - began; began = time;
  previous_loaded = loaded; loaded = false; fresh = true
};",
                        );
                    }
                }
                Step::Loop { counter, test, body, .. } => {
                    let test = self.show(test);
                    self.line(indent, &format!("k{counter} = 0;"));
                    self.line(indent, "do");
                    self.line(indent, &format!(":: {test} ->"));
                    self.steps(body, indent + 1);
                    self.line(indent + 1, &format!("k{counter}++"));
                    self.line(indent, &format!(":: else -> k{counter} = 0; break"));
                    // SPIN lets nothing jump to a `d_step`.
                    self.line(indent, "od;");
                    self.line(indent, "skip;");
                }
                Step::If { test, then, other } => {
                    let test = self.show(test);
                    self.line(indent, "if");
                    self.line(indent, &format!(":: {test} ->"));
                    self.steps(then, indent + 1);
                    self.line(indent + 1, "skip");
                    self.line(indent, ":: else ->");
                    self.steps(other, indent + 1);
                    self.line(indent + 1, "skip");
                    self.line(indent, "fi;");
                    self.line(indent, "skip;");
                }
            }
        }
    }

    fn region(&mut self, region: &'m Region, indent: usize) {
        let inner = indent + 1;
        self.line(indent, "d_step {");
        let is_single = self.model.platform.warp == 1;
        if region.depends.local {
            self.line(inner, "work = 0; warp = slot;");
            self.line(inner, "do");
            self.line(inner, ":: warp < warps ->");
            self.line(inner + 1, "cost = 0;");
            if is_single {
                self.line(inner + 1, "lane = warp;");
                self.ids(inner + 1);
            }
            self.pieces(&region.work, &Path::new(), inner + 1);
            self.phase(inner + 1);
            self.line(inner + 1, "work = work + cost; warp = warp + NWE");
            self.line(inner, ":: else -> break");
            self.line(inner, "od;");
        } else {
            self.line(inner, "cost = 0;");
            self.pieces(&region.work, &Path::new(), inner);
            self.phase(inner);
            self.line(inner, "work = mine * cost;");
        }
        if self.has_prefetch {
            if region.only_loads {
                self.lines(
                    inner,
                    "// Loading has begun while the phase before was computing.
if
:: fresh && !previous_loaded -> work = (work > previous -> work - previous : 0)
:: else
fi;
loaded = true;",
                );
            }
            self.line(inner, "fresh = false;");
        }
        self.line(inner, "cost = 0; warp = 0; lane = 0");
        self.line(indent, "};");
        self.line(indent, "pass(me, work);");
    }

    fn phase(&mut self, indent: usize) {
        if self.model.platform.costs.phase > 0 {
            self.lines(indent, "if\n:: cost > 0 -> cost = cost + PHASE\n:: else\nfi;");
        }
    }

    /// Ids of the item `lane`.
    fn ids(&mut self, indent: usize) {
        let mut text = "lid0 = lane % width0;".to_owned();
        for dimension in 1..self.model.dimensions() {
            let before: Vec<String> = (0..dimension).map(|d| format!("width{d}")).collect();
            let _ = write!(text, " lid{dimension} = lane / ({}) % width{dimension};", before.join(" * "));
        }
        self.line(indent, &text);
    }

    fn pieces(&mut self, pieces: &'m [Piece], path: &Path, indent: usize) {
        for piece in pieces {
            match piece {
                Piece::Cost(cost) => {
                    if cost.time != Expr::Int(0) {
                        let time = self.show(&cost.time);
                        self.line(indent, &format!("cost = cost + {};", parenthesized(&cost.time, time)));
                    }
                }
                Piece::Loop { counter, test, trips, body, is_alike, .. } => {
                    self.loop_of_work(
                        *counter,
                        test,
                        trips.as_ref().filter(|_| *is_alike),
                        body,
                        path,
                        indent,
                    );
                }
                Piece::If { test: Test::Known(test), then, other } => {
                    self.conditional(test, then, other, path, indent);
                }
                Piece::If { test, then, other } => self.data_conditional(test, then, other, path, indent),
            }
        }
    }

    fn is_by_lane(&self, test: &Expr) -> bool {
        self.model.platform.warp > 1 && test.dependence().local
    }

    /// A loop; `trips` is given if all iterations are alike.
    fn loop_of_work(
        &mut self,
        counter: u16,
        test: &'m Expr,
        trips: Option<&'m Expr>,
        body: &'m [Piece],
        path: &Path,
        indent: usize,
    ) {
        if self.is_by_lane(test) {
            return self.loop_by_lane(counter, test, body, path, indent);
        }
        let times = body.iter().map(|piece| match piece {
            Piece::Cost(cost) => Some(&cost.time),
            _ => None,
        });
        if let (Some(trips), Some(times)) = (trips, times.collect::<Option<Vec<_>>>()) {
            let once = times.into_iter().cloned().fold(Expr::Int(0), crate::expression::add);
            if once != Expr::Int(0) {
                let total = crate::expression::mul(trips.clone(), once);
                let text = self.show(&total);
                self.line(indent, &format!("cost = cost + {};", parenthesized(&total, text)));
            }
            return;
        }
        let test = self.show(test);
        self.line(indent, &format!("k{counter} = 0;"));
        self.line(indent, "do");
        self.line(indent, &format!(":: {test} ->"));
        self.pieces(body, path, indent + 1);
        self.line(indent + 1, &format!("k{counter}++"));
        self.line(indent, &format!(":: else -> k{counter} = 0; break"));
        self.line(indent, "od;");
    }

    /// A warp stays in a loop as long as one of its lanes does.
    fn loop_by_lane(&mut self, counter: u16, test: &'m Expr, body: &'m [Piece], path: &Path, indent: usize) {
        let flag = self.flag();
        let test = self.show(test);
        self.line(indent, &format!("k{counter} = 0; any{flag} = true;"));
        self.line(indent, "do");
        self.line(indent, &format!(":: any{flag} ->"));
        let inner = indent + 1;
        self.line(inner, "// Does a lane of the warp go on?");
        self.line(inner, &format!("any{flag} = false; lane = warp * WARP;"));
        self.line(inner, "do");
        self.line(inner, &format!(":: lane < items && lane < (warp + 1) * WARP && !any{flag} ->"));
        self.ids(inner + 1);
        let mut extended = path.clone();
        extended.push(format!("({test})"));
        self.line(inner + 1, &format!("any{flag} = ({}); lane++", extended.join(" && ")));
        self.line(inner, ":: else -> break");
        self.line(inner, "od;");
        self.line(inner, "if");
        self.line(inner, &format!(":: any{flag} ->"));
        self.pieces(body, &extended, inner + 1);
        self.line(inner + 1, &format!("k{counter}++"));
        self.line(inner, ":: else");
        self.line(inner, "fi");
        self.line(indent, &format!(":: else -> k{counter} = 0; break"));
        self.line(indent, "od;");
    }

    fn flag(&mut self) -> usize {
        self.flags += 1;
        self.flags - 1
    }

    fn branch(&mut self, pieces: &'m [Piece], path: &Path, indent: usize) {
        self.pieces(pieces, path, indent);
        self.line(indent, "skip");
    }

    fn conditional(
        &mut self,
        test: &'m Expr,
        then: &'m [Piece],
        other: &'m [Piece],
        path: &Path,
        indent: usize,
    ) {
        let shown = self.show(test);
        if !self.is_by_lane(test) {
            self.line(indent, "if");
            self.line(indent, &format!(":: {shown} ->"));
            self.branch(then, path, indent + 1);
            self.line(indent, ":: else ->");
            self.branch(other, path, indent + 1);
            self.line(indent, "fi;");
            return;
        }
        let flag = self.flag();
        self.line(indent, "// Which branches do the lanes of the warp take? They are executed in turn.");
        self.line(indent, &format!("any{flag} = false; other{flag} = false; lane = warp * WARP;"));
        self.line(indent, "do");
        self.line(indent, ":: lane < items && lane < (warp + 1) * WARP ->");
        let inner = indent + 1;
        self.ids(inner);
        let guard = if path.is_empty() { String::new() } else { format!("({}) && ", path.join(" && ")) };
        self.line(inner, "if");
        self.line(inner, &format!(":: {guard}({shown}) -> any{flag} = true"));
        self.line(inner, &format!(":: {guard}!({shown}) -> other{flag} = true"));
        self.line(inner, ":: else");
        self.line(inner, "fi;");
        self.line(inner, "lane++");
        self.line(indent, ":: else -> break");
        self.line(indent, "od;");
        for (name, pieces, sign) in [("any", then, ""), ("other", other, "!")] {
            if pieces.is_empty() {
                continue;
            }
            let mut extended = path.clone();
            extended.push(format!("{sign}({shown})"));
            self.line(indent, "if");
            self.line(indent, &format!(":: {name}{flag} ->"));
            self.branch(pieces, &extended, inner);
            self.line(indent, ":: else");
            self.line(indent, "fi;");
        }
    }

    fn data_conditional(
        &mut self,
        test: &'m Test,
        then: &'m [Piece],
        other: &'m [Piece],
        path: &Path,
        indent: usize,
    ) {
        if *test == Test::Both || self.model.platform.warp > 1 {
            self.line(indent, "// Data decides, and differs among lanes: both branches.");
            self.pieces(then, path, indent);
            self.pieces(other, path, indent);
            return;
        }
        let flag = self.flag();
        self.line(indent, "// Data decides: the longer branch.");
        self.line(indent, &format!("saved{flag} = cost; cost = 0;"));
        self.pieces(then, path, indent);
        self.line(indent, &format!("first{flag} = cost; cost = 0;"));
        self.pieces(other, path, indent);
        let longer = format!("(first{flag} > cost -> first{flag} : cost)");
        self.line(indent, &format!("cost = saved{flag} + {longer}; saved{flag} = 0; first{flag} = 0;"));
    }
}

/// Operands whose operators bind less than `+` need parentheses.
fn parenthesized(expr: &Expr, text: String) -> String {
    match expr {
        Expr::Binary(op, ..) if !matches!(op, Op::Mul | Op::Div | Op::Rem | Op::Min | Op::Max | Op::Add) => {
            format!("({text})")
        }
        _ => text,
    }
}
