//! Guards that differ among work-groups and items: times and counts against brute force over all items.

use crate::common::{model, platform, table};
use volvelle_opencl::Platform;
use volvelle_opencl::features::{NAMES, features};
use volvelle_opencl::platform::Costs;
use volvelle_opencl::processor::{Cache, KINDS};
use volvelle_opencl::tally::tally;
use volvelle_random::{Random, attack_cases};

/// An item: its ids in its group, and the ids of the group.
struct Item {
    local: [i64; 2],
    group: [i64; 2],
}

/// What an item gives, in groups of some size.
type Of<T> = Box<dyn Fn(&Item, [i64; 2]) -> T>;

/// A number that depends on ids: its text, and its value.
struct Number {
    text: String,
    value: Of<i64>,
}

fn number(random: &mut Random, depth: u32) -> Number {
    let d = random.below(2);
    if depth == 0 {
        let c = random.below(7) as i64;
        return match random.below(4) {
            0 => Number { text: c.to_string(), value: Box::new(move |_, _| c) },
            1 => Number { text: format!("get_group_id({d})"), value: Box::new(move |i, _| i.group[d]) },
            2 => Number { text: format!("get_local_id({d})"), value: Box::new(move |i, _| i.local[d]) },
            _ => Number {
                text: format!("get_global_id({d})"),
                value: Box::new(move |i, sizes| i.group[d] * sizes[d] + i.local[d]),
            },
        };
    }
    let (a, c) = (number(random, depth - 1), 1 + random.below(5) as i64);
    let (text, of) = (a.text, a.value);
    match random.below(5) {
        0 => Number { text: format!("({text} % {c})"), value: Box::new(move |i, s| of(i, s) % c) },
        1 => Number { text: format!("({text} & 3)"), value: Box::new(move |i, s| of(i, s) & 3) },
        2 => Number { text: format!("({text} / {c})"), value: Box::new(move |i, s| of(i, s) / c) },
        3 => Number { text: format!("({text} * {c})"), value: Box::new(move |i, s| of(i, s) * c) },
        _ => {
            let b = number(random, depth - 1);
            let (more, by) = (b.text, b.value);
            Number { text: format!("({text} + {more})"), value: Box::new(move |i, s| of(i, s) + by(i, s)) }
        }
    }
}

fn guard(random: &mut Random, depth: u32) -> Number {
    if depth > 0 && random.below(2) == 0 {
        let (a, b) = (guard(random, depth - 1), guard(random, depth - 1));
        let (x, y) = (a.value, b.value);
        return match random.below(3) {
            0 => Number {
                text: format!("({} && {})", a.text, b.text),
                value: Box::new(move |i, s| i64::from(x(i, s) != 0 && y(i, s) != 0)),
            },
            1 => Number {
                text: format!("({} || {})", a.text, b.text),
                value: Box::new(move |i, s| i64::from(x(i, s) != 0 || y(i, s) != 0)),
            },
            _ => Number {
                text: format!("!({})", a.text),
                value: Box::new(move |i, s| i64::from(x(i, s) == 0)),
            },
        };
    }
    let (depth, other) = (1 + random.below(2) as u32, random.below(2) as u32);
    let (a, b) = (number(random, depth), number(random, other));
    let (x, y) = (a.value, b.value);
    let (sign, holds): (&str, fn(i64, i64) -> bool) = match random.below(4) {
        0 => ("<", |x, y| x < y),
        1 => (">", |x, y| x > y),
        2 => ("==", |x, y| x == y),
        _ => ("!=", |x, y| x != y),
    };
    Number {
        text: format!("({} {sign} {})", a.text, b.text),
        value: Box::new(move |i, s| i64::from(holds(x(i, s), y(i, s)))),
    }
}

/// Statements with the number of stores that an item makes, and whether it returns.
struct Body {
    text: String,
    run: Of<(i64, bool)>,
}

/// A loop that a condition on its counter leaves, or that leaves the kernel.
fn left_early(random: &mut Random) -> Body {
    let (bound, more) = (number(random, 1), random.below(2) == 0);
    let value = bound.value;
    let step = 1 + random.below(2) as i64;
    let (sign, holds): (&str, fn(i64, i64) -> bool) = match random.below(3) {
        0 => ("==", |k, e| k == e),
        1 => (">=", |k, e| k >= e),
        _ => (">", |k, e| k > e),
    };
    let returns = random.below(2) == 0;
    let is_endless = !returns && sign != "==" && random.below(2) == 0;
    let (head, most) = match (is_endless, step) {
        (true, _) => (format!("for (int k = 0; ; k += {step})"), i64::MAX),
        (false, 1) => ("for (int k = 0; k < 7; k++)".to_owned(), 7),
        (false, _) => ("for (int k = 0; k < 7; k += 2)".to_owned(), 7),
    };
    let leave = if returns { "return" } else { "break" };
    let after = if more { "b[k] = 2; " } else { "" };
    let text = format!("  {head} {{ a[k] = 1; if (k {sign} {}) {leave}; {after}}}\n", bound.text);
    let run = move |item: &Item, sizes: [i64; 2]| {
        let (end, mut stores, mut k) = (value(item, sizes), 0, 0);
        while k < most {
            stores += 1;
            if holds(k, end) {
                return (stores, returns);
            }
            stores += i64::from(more);
            k += step;
        }
        (stores, false)
    };
    Body { text, run: Box::new(run) }
}

fn body(random: &mut Random) -> Body {
    let mut parts: Vec<Body> = Vec::new();
    for _ in 0..1 + random.below(3) {
        let test = guard(random, 1);
        let holds = test.value;
        parts.push(match random.below(8) {
            4 | 5 => left_early(random),
            6 => {
                let of = number(random, 1);
                let value = of.value;
                let text = format!(
                    "  switch ({} & 3) {{ case 1: a[0] = 1; break; case 0: case 2: {{ a[1] = 2; a[2] = 3; }} default: b[0] = 1; }}\n",
                    of.text
                );
                let stores = |value: i64| [3, 1, 3, 1][(value & 3) as usize];
                Body { text, run: Box::new(move |i, s| (stores(value(i, s)), false)) }
            }
            7 => {
                let of = number(random, 1);
                let value = of.value;
                let text = format!("  {{ int k = {}; do {{ a[k] = 1; k -= 2; }} while (k > 1); }}\n", of.text);
                let stores = |mut k: i64| {
                    let mut stores = 0;
                    loop {
                        (stores, k) = (stores + 1, k - 2);
                        if k <= 1 {
                            return stores;
                        }
                    }
                };
                Body { text, run: Box::new(move |i, s| (stores(value(i, s)), false)) }
            }
            0 => Body {
                text: format!("  if ({}) return;\n", test.text),
                run: Box::new(move |i, s| (0, holds(i, s) != 0)),
            },
            1 => {
                let trips = number(random, 1);
                let count = trips.value;
                Body {
                    text: format!("  for (int k = 0; k < {}; k++) a[k] = 1;\n", trips.text),
                    run: Box::new(move |i, s| (count(i, s).max(0), false)),
                }
            }
            2 => Body {
                text: format!(
                    "  for (int k = 0; k < 4; k++) if ({} && k < 3) a[k] = 1; else b[k] = a[k];\n",
                    test.text
                ),
                run: Box::new(move |i, s| (if holds(i, s) != 0 { 5 } else { 8 }, false)),
            },
            _ => Body {
                text: format!("  if ({}) a[get_global_id(0)] = 1; else {{ a[0] = b[1]; }}\n", test.text),
                run: Box::new(move |i, s| (if holds(i, s) != 0 { 1 } else { 2 }, false)),
            },
        });
    }
    let text = parts.iter().map(|part| part.text.as_str()).collect();
    let run = move |item: &Item, sizes: [i64; 2]| {
        let mut stores = 0;
        for part in &parts {
            let (more, ends) = (part.run)(item, sizes);
            stores += more;
            if ends {
                return (stores, true);
            }
        }
        (stores, false)
    };
    Body { text, run: Box::new(run) }
}

/// Accesses of each group, by brute force: those of its items.
fn accesses(body: &Body, sizes: [i64; 2], groups: [i64; 2]) -> Vec<Vec<i64>> {
    let pairs = |[w, h]: [i64; 2]| (0..h).flat_map(move |y| (0..w).map(move |x| [x, y]));
    let of_group = |group| pairs(sizes).map(|local| (body.run)(&Item { local, group }, sizes).0).collect();
    pairs(groups).map(of_group).collect()
}

/// A unit of one element: items one after the other, each with 3 for an access and 1 for the phase.
fn expected_time(groups: &[Vec<i64>], units: usize) -> u64 {
    let mut busy = vec![0_u64; units];
    for group in groups {
        let time: i64 = group.iter().map(|count| if *count > 0 { 3 * count + 1 } else { 0 }).sum();
        *busy.iter_mut().min().unwrap() += time as u64;
    }
    busy.into_iter().max().unwrap()
}

fn plain(units: u32) -> Platform {
    let costs = Costs { global: 3, phase: 1, ..Platform::default().costs };
    Platform { units, costs, ..Platform::default() }
}

#[test]
fn attack_guards_that_differ_among_groups() {
    let cache = Cache { bytes: 32 << 10, ways: 8, line: 64 };
    for case in attack_cases(300) {
        let mut random = Random(4711 + case);
        let body = body(&mut random);
        let sizes = [1 + random.below(4) as i64, 1 + random.below(3) as i64];
        let groups = [1 + random.below(12) as i64, 1 + random.below(8) as i64];
        let text = format!(
            "// volvelle: parameter X = {}; parameter Y = {}
// volvelle: global = {}, {}; local = X, Y
__kernel void f(__global int *a, __global int *b) {{
{}}}
",
            sizes[0],
            sizes[1],
            sizes[0] * groups[0],
            sizes[1] * groups[1],
            body.text
        );
        let counts = accesses(&body, sizes, groups);
        let units = 1 + random.below(3);
        let row = &table(&model(&text, &plain(units as u32)), 1)[0];
        assert_eq!(row.time, Ok(expected_time(&counts, units)), "case {case}, {units} units:\n{text}");
        // On one unit, all accesses of all groups.
        let all = counts.iter().flatten().sum::<i64>() as f64;
        let model = model(&text, &plain(1));
        let mut names = vec![0; model.names.len()];
        for (name, value) in [("size", 1), ("X", sizes[0]), ("Y", sizes[1])] {
            names[model.names.find(name).unwrap().0 as usize] = value;
        }
        let found = features(&model, &names).unwrap();
        let of = |name: &str| found[NAMES.iter().position(|known| *known == name).unwrap()];
        assert_eq!(of("global_coalesced") + of("global_strided"), all, "case {case}:\n{text}");
        assert_eq!(of("group"), counts.len() as f64);
        let (work, _) = tally(&model, &names, &[cache]).unwrap();
        let is_access = |kind: &str| ["copy_", "single_"].iter().any(|start| kind.starts_with(start));
        let touched: f64 = KINDS.iter().zip(work).filter(|(kind, _)| is_access(kind)).map(|(_, n)| n).sum();
        assert_eq!(touched, all, "case {case}:\n{text}");
    }
}

/// Borders, remainders and the end of the data over large grids are counted by their classes.
#[test]
fn groups_of_large_grids_are_counted_by_their_classes() {
    let kernel = |guard: &str| {
        format!(
            "// volvelle: parameter X = 2; parameter Y = 1
// volvelle: global = 2048, 512; local = X, Y
__kernel void f(__global int *a) {{
  int x = get_global_id(0), y = get_global_id(1);
  if ({guard}) a[y * 2048 + x] = 1;
}}
"
        )
    };
    let all = 2048 * 512_u64;
    for (guard, active) in [
        ("y > 0", all - 2048),
        ("x > 0 && x < 2047 && y > 0 && y < 511", 2046 * 510),
        ("x % 2 == 0", all / 2),
        ("y % 4 == 1 && x >= 3", (2048 - 3) * 128),
        ("get_group_id(0) % 3 == 0 && (y & 1)", 2 * 342 * 256),
        ("y * 2048 + x < 654321", 654_321),
        ("x + y < 500", 500 * 501 / 2),
    ] {
        let model = model(&kernel(guard), &plain(1));
        let mut names = vec![0; model.names.len()];
        for (name, value) in [("size", 1), ("X", 2), ("Y", 1)] {
            names[model.names.find(name).unwrap().0 as usize] = value;
        }
        assert_eq!(volvelle_opencl::compose::time(&model, &names), Ok(4 * active), "{guard}");
        let found = features(&model, &names).unwrap();
        assert_eq!(found[5] + found[6], active as f64, "{guard}");
    }
}

/// The border row of the calibrated prediction: 4 of 2048 groups do nothing, as few as the groups that are not there.
#[test]
fn a_guard_on_the_first_row_is_not_that_of_all_rows() {
    let kernel = |guard: &str| {
        format!(
            "// volvelle: parameter X = 16, 64, 256; parameter Y = 1, 2
// volvelle: global = 1024, 512
// volvelle: local = X, Y
__kernel void blur(__global float *to, __global const float *from) {{
  int x = get_global_id(0), y = get_global_id(1);
  {guard} to[y*1024+x] = from[y*1024+x] * 0.5f;
}}
"
        )
    };
    let pocl = platform("pocl");
    let times = |guard: &str| -> Vec<f64> {
        table(&model(&kernel(guard), &pocl), 1).iter().map(|row| row.nanoseconds.unwrap()).collect()
    };
    let (guarded, all, below) = (times("if (y > 0)"), times(""), times("if (y < 511)"));
    for ((guarded, all), below) in guarded.iter().zip(&all).zip(&below) {
        assert!((guarded / all - 1.0).abs() < 0.12, "{guarded} of {all}");
        assert!((guarded / below - 1.0).abs() < 0.05, "{guarded} {below}");
    }
}
