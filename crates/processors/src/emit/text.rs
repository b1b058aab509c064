//! The queueing model as a text in PRISM's language.
//!
//! Cores at work are counted, not told apart. What may be changed from outside are constants without a value; what was measured are
//! constants with one.

use super::measured::Measured;
use std::fmt::Write;

/// What a text says of where it comes from.
pub struct Origin<'o> {
    pub program: &'o str,
    pub machine: &'o str,
    pub predictor: &'o str,
    pub ipc: f64,
}

/// The question whose answer is the IPC.
pub const PROPERTY: &str = "R{\"instructions\"}=? [ S ]";

/// Cores that the model may be asked about.
fn most_cores(measured: &Measured) -> usize {
    (2 * measured.cores).max(8)
}

/// The constants without a value, with those that were measured.
pub fn given(measured: &Measured) -> Vec<String> {
    let mut given = vec![format!("cores={}", measured.cores)];
    if measured.waits > 0.0 {
        given.push("misses=1".to_owned());
    }
    if measured.mispredicted > 0.0 {
        given.push("mispredictions=1".to_owned());
    }
    given
}

/// The text.
pub fn text(measured: &Measured, origin: &Origin<'_>) -> String {
    let module = if measured.in_rounds { rounds(measured) } else { rolling(measured) };
    head(measured, origin) + &constants(measured) + &module
}

/// A number with six digits that count.
fn number(value: f64) -> String {
    let digits = 5 - value.abs().max(1e-300).log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 12) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn head(measured: &Measured, Origin { program, machine, predictor, ipc }: &Origin<'_>) -> String {
    let given = given(measured).join(",");
    // Names are the user's, and must not end the comment.
    let [program, machine, predictor] =
        [program, machine, predictor].map(|name| name.escape_debug().to_string());
    format!(
        "// {program} on {machine} with {predictor}, as a queueing model.\n\
         //\n\
         // The simulated IPC is {ipc:.3}. That of the model is {PROPERTY} with\n\
         // --const {given}\n\
         //\n\
         // A share is what a core takes at once.\n\
         ctmc\n\n"
    )
}

fn constants(measured: &Measured) -> String {
    let Measured { cores, tasks_per_core, in_rounds, waits, miss, mispredicted, squash, .. } = *measured;
    let has_waits = waits > 0.0;
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut put = |declaration: String, what: &str| lines.push((declaration, what.to_owned()));
    let number_of = |name: &str, value: f64| format!("const double {name} = {};", number(value));
    put("const int cores;".to_owned(), &format!("measured: {cores}; at most {}", most_cores(measured)));
    if has_waits {
        put("const double misses;".to_owned(), "1: as many as measured; 0.5: half of them");
    }
    if mispredicted > 0.0 {
        put("const double mispredictions;".to_owned(), "the same");
    }
    put(number_of("size", measured.instructions), "instructions of a share");
    put(number_of("compute", measured.compute), "cycles of a share: busy, dependence, fetch, icache");
    if has_waits {
        put(number_of("waits", waits), "of a share for data: cycles of dcache and coherence, over miss");
        put(format!("const double miss = {miss};"), "cycles of a wait");
    }
    if in_rounds {
        put(number_of("deviation", measured.deviation), "of shares in the same round, over their mean");
    }
    let of = if in_rounds { "tasks" } else { "shares" };
    put(number_of("mispredicted", mispredicted), &format!("part of the {of}"));
    if squash > 0 {
        put(format!("const double squash = {squash};"), "cycles between a misprediction and new tasks");
        if in_rounds {
            put(format!("const int tasks = {tasks_per_core};"), "of a share, at most");
        }
    }
    let width = lines.iter().map(|(declaration, _)| declaration.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (declaration, what) in lines {
        _ = writeln!(out, "{declaration:width$} // {what}");
    }
    out.push('\n');
    let of_waits = if has_waits { " + misses*waits*miss" } else { "" };
    _ = writeln!(out, "const double cycles = compute{of_waits}; // of a share");
    if in_rounds {
        out.push_str("const double alone = deviation*cycles; // those in which cores are not together\n");
    }
    let factor = if mispredicted > 0.0 { "mispredictions*" } else { "" };
    _ = writeln!(out, "const double wrong = min(1, {factor}mispredicted);");
    if in_rounds && squash > 0 {
        out.push_str("const double squashed = 1 - pow(1 - wrong, cores*tasks); // part of the rounds\n");
    }
    out.push('\n');
    out
}

/// The variable that counts cores. More of them than the text provides for are refused by its range.
fn busy(measured: &Measured, what: &str) -> String {
    let most = most_cores(measured);
    format!(
        "  busy : [0..cores] init cores<={most} ? cores : -1; // {what}; more than {most} are not provided for\n"
    )
}

/// Shares are given together, when all have ended.
fn rounds(measured: &Measured) -> String {
    let has_squash = measured.squash > 0;
    let most = most_cores(measured);
    let mut out = "// The rate at which the next round begins.\n".to_owned();
    out.push_str(match has_squash {
        true => "formula begins = phase=2 ? 1/squash : phase=1 & busy=1 ? (1 - squashed)/alone : 0;\n",
        false => "formula begins = phase=1 & busy=1 ? 1/alone : 0;\n",
    });
    out.push_str("\nmodule machine\n");
    _ = writeln!(
        out,
        "  phase : [0..{}] init 0; // 0: cores work together; 1: each ends for itself{}",
        if has_squash { 2 } else { 1 },
        if has_squash { "; 2: squash" } else { "" },
    );
    out.push_str(&busy(measured, "cores whose shares have not ended"));
    out.push_str("\n  [] phase=0 -> 1/(cycles - alone) : (phase'=1);\n");
    out.push_str("  [] phase=1 & busy>1 -> busy/alone : (busy'=busy-1);\n");
    if has_squash {
        out.push_str("  [] phase=1 & busy=1 -> squashed/alone : (phase'=2)&(busy'=0);\n");
    }
    out.push_str("\n  // A core after the other gets tasks, up to the first mispredicted one.\n");
    out.push_str("  [] begins>0 ->\n");
    let dealt = (1..=most).map(|busy| {
        let more = if busy == most { String::new() } else { format!("cores>{busy} ? wrong : ") };
        let before = busy - 1;
        format!(
            "    begins*pow(1 - wrong, {before})*({more}cores={busy} ? 1 : 0) : \
             (phase'=0)&(busy'=min({busy}, cores))"
        )
    });
    out.push_str(&dealt.collect::<Vec<String>>().join(" +\n"));
    out.push_str(";\nendmodule\n\nrewards \"instructions\"\n  phase=1 : size*busy/alone;\nendrewards\n\n");
    out.push_str("rewards \"cores_at_work\"\n  true : busy;\nendrewards\n");
    out
}

/// Each core takes a share when it has ended one, unless all wait behind a misprediction.
fn rolling(measured: &Measured) -> String {
    let has_squash = measured.squash > 0;
    let mut out = "formula idle = cores - busy;\n".to_owned();
    out.push_str("// The rate at which the wait behind a misprediction ends.\n");
    out.push_str(match has_squash {
        true => "formula begins = behind=2 ? 1/squash : 0;\n",
        false => "formula begins = behind=1 ? 1/cycles : 0;\n",
    });
    out.push_str("\nmodule machine\n");
    out.push_str(&busy(measured, "cores with shares that end with no misprediction"));
    _ = writeln!(
        out,
        "  behind : [0..{}] init 0; // 1: a core has a mispredicted share, and no other takes any{}\n",
        if has_squash { 2 } else { 1 },
        if has_squash { "; 2: it has ended" } else { "" },
    );
    out.push_str("  [] busy>0 & behind=0 -> busy*wrong/cycles : (busy'=busy-1)&(behind'=1);\n");
    out.push_str("  [] busy>0 & behind>0 -> busy/cycles : (busy'=busy-1);\n");
    if has_squash {
        out.push_str("  [] behind=1 -> 1/cycles : (behind'=2);\n");
    }
    out.push_str("\n  // Idle cores take shares, up to the first mispredicted one.\n");
    out.push_str("  [] begins>0 ->\n");
    for taken in 0..most_cores(measured) {
        _ = writeln!(
            out,
            "    begins*pow(1 - wrong, {taken})*(idle>{taken} ? wrong : 0) : \
             (busy'=min(busy+{taken}, cores))&(behind'=1) +"
        );
    }
    out.push_str("    begins*pow(1 - wrong, idle) : (busy'=cores)&(behind'=0);\nendmodule\n\n");
    out.push_str("formula at_work = busy + (behind=1 ? 1 : 0);\n\n");
    out.push_str("rewards \"instructions\"\n  true : size*at_work/cycles;\nendrewards\n\n");
    out.push_str("rewards \"cores_at_work\"\n  true : at_work;\nendrewards\n");
    out
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!([number(0.1234567), number(12.5), number(7.0)], ["0.123457", "12.5", "7"]);
        assert_eq!(
            [number(0.0), number(1234567.0), number(0.000012345678)],
            ["0", "1234567", "0.0000123457"]
        );
    }
}
