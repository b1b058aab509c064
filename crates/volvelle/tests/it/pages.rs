//! Pages of `--html`: well-formed, complete, the same on every run, and at peace with a browser.

use crate::common::{Folder, WALK, examples, root, run_in, skipped};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HANDOVER: &str = "examples/promela/handover.pml";

/// The page behind its first line, as XML.
#[track_caller]
pub fn parsed(page: &str) -> roxmltree::Document<'_> {
    assert!(page.starts_with("<!DOCTYPE html>\n"), "{page}");
    let start = page.find("<html").expect("a page");
    roxmltree::Document::parse(&page[start..]).unwrap_or_else(|e| panic!("{e}:\n{page}"))
}

/// All text of an element.
pub fn text(node: roxmltree::Node<'_, '_>) -> String {
    node.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect()
}

pub fn section(document: &roxmltree::Document<'_>, id: &str) -> Option<String> {
    let mut all = document.descendants();
    let found = all.find(|n| n.has_tag_name("section") && n.attribute("id") == Some(id))?;
    Some(text(found))
}

/// What every page has to be: closed, self-contained, with heads of tables, and names that occur once.
#[track_caller]
pub fn is_sound(page: &str) {
    let document = parsed(page);
    let html = document.root_element();
    assert_eq!(html.attribute("lang"), Some("en"));
    let mut ids = Vec::new();
    let mut policies = 0;
    for node in html.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(!["script", "link", "iframe", "img", "object", "form", "base"].contains(&name), "{name}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{attribute:?}");
            assert!(!["src", "href", "style"].contains(&attribute.name()), "{attribute:?}");
        }
        ids.extend(node.attribute("id"));
        if node.attribute("http-equiv") == Some("Content-Security-Policy") {
            policies += 1;
            assert!(node.attribute("content").is_some_and(|c| c.starts_with("default-src 'none'")));
        }
        if name == "svg" {
            assert_eq!(node.attribute("role"), Some("img"));
            let title = node.children().find(|n| n.tag_name().name() == "title");
            assert!(title.is_some_and(|t| !text(t).is_empty()), "a picture has a title");
        }
        if name == "table" {
            let heads = node.descendants().filter(|n| n.attribute("scope") == Some("col")).count();
            let columns =
                |row: roxmltree::Node<'_, '_>| row.children().filter(|n| n.has_tag_name("td")).count();
            let rows = node.descendants().filter(|n| n.has_tag_name("tr")).map(columns).filter(|&n| n > 0);
            rows.for_each(|n| assert_eq!(n, heads, "{}", text(node)));
        }
    }
    assert_eq!(policies, 1);
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id occurs twice: {ids:?}");
    assert!(!page.contains("@import") && !page.contains("url(h"), "{page}");
}

/// The page without what may differ from run to run.
fn without_cost(page: &str) -> String {
    let mut parts = page.split("<span class=\"cost\">");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once("</span>").map_or("", |(_, rest)| rest))
}

/// Runs a command twice with a page on standard output; gives the page.
#[track_caller]
pub fn page(folder: &Path, arguments: &[&str], code: i32) -> String {
    let arguments = [arguments, &["--html", "-"]].concat();
    let [first, second] = [(); 2].map(|()| run_in(folder, &arguments).exits(code).out);
    assert_eq!(without_cost(&first), without_cost(&second));
    is_sound(&first);
    first
}

#[test]
fn answers_have_values_guarantees_and_bounds() {
    let run = ["check", "queue.prism", "queue.props"];
    let page = page(&examples(), &run, 0);
    let document = parsed(&page);
    let answers = section(&document, "answers").expect("answers");
    let json = run_in(&examples(), &[&run[..], &["--json"]].concat()).exits(0);
    // As they are written, since reading a number may round it.
    let bounds = json.out.lines().map(|line| line.trim().trim_end_matches(','));
    let bounds: Vec<&str> =
        bounds.filter_map(|line| line.strip_prefix("\"lo\": ").or(line.strip_prefix("\"hi\": "))).collect();
    assert_eq!(bounds.len(), 12);
    for bound in bounds {
        assert!(answers.contains(bound), "{bound}: {answers}");
    }
    for result in json.json()["results"].as_array().expect("results") {
        assert!(answers.contains(result["property"].as_str().expect("a text")), "{result}");
    }
    assert!(answers.contains("the true value lies between the bounds"), "{answers}");
    let model = section(&document, "model").expect("the model");
    assert!(
        model.contains("CTMC") && model.contains("endmodule") && model.contains("queue.props"),
        "{model}"
    );
    let bars = document.descendants().filter(|n| n.attribute("class") == Some("bar")).count();
    assert_eq!(bars, 6);
    let repeat = section(&document, "repeat").expect("how to repeat it");
    assert!(repeat.contains("volvelle check queue.prism queue.props --html -"), "{repeat}");
}

#[test]
fn experiments_have_plots_and_a_table() {
    let run = [
        "check",
        "model.prism",
        "--const",
        "N=4,k=1:3",
        "--prop",
        "P=? [ F<=k x=2 ]",
        "--prop",
        "P=? [ X x=1 ]",
    ];
    let folder = Folder::with_model(WALK);
    let page = page(folder.path(), &run, 0);
    let document = parsed(&page);
    assert!(section(&document, "answers").is_some_and(|plots| plots.contains("P=? [ F<=k x=2 ]")), "{page}");
    // What is grey in a plot has the colours of the page, so that it can be read on a dark one.
    let style = document.descendants().find(|n| n.has_tag_name("style")).map(text).unwrap_or_default();
    let plot = document.descendants().find(|n| n.attribute("class") == Some("plot")).expect("a plot");
    let mut greys = 0;
    for node in plot.descendants() {
        for name in ["fill", "stroke"] {
            let Some(color) = node.attribute(name).filter(|color| color.len() == 7) else { continue };
            if color[1..3] == color[3..5] && color[3..5] == color[5..7] {
                greys += 1;
                assert!(style.contains(&format!(".plot [{name}=\"{color}\"]")), "{name} {color}");
            }
        }
    }
    assert!(greys > 10, "{page}");
    let rows = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("sheet"))
        .flat_map(|t| t.descendants());
    assert_eq!(rows.filter(|n| n.has_tag_name("tr")).count(), 1 + 3);
    // The values are there for other programs too, with all their digits.
    let data = document.descendants().find(|n| n.attribute("class") == Some("data")).map(text);
    let data = data.expect("the values as CSV");
    assert_eq!(data.lines().count(), 1 + 3, "{data}");
    let cells = |line: &str| line.split(',').count();
    assert!(data.starts_with("k,") && data.lines().all(|line| cells(line) == 1 + 2 * 3), "{data}");
    assert!(
        page.contains("volvelle check model.prism --const N=4,k=1:3 --prop &#39;P=? [ F&lt;=k x=2 ]&#39;"),
        "{page}"
    );
}

#[test]
fn quantities_with_different_scales_have_plots_of_their_own() {
    let folder = Folder::with_model(WALK);
    let run = ["check", "model.prism", "--const", "N=40,k=1:3", "--prop", "P=? [ F<=k x=2 ]"];
    let plots = |page: &str| page.matches("<figure class=\"plot\">").count();
    assert_eq!(plots(&page(folder.path(), &[&run[..], &["--prop", "P=? [ F<=k x=0 ]"]].concat(), 0)), 1);
    let rewards = folder.file("model.prism", format!("{WALK}rewards true : x; endrewards\n"));
    assert_eq!(plots(&page(rewards.path(), &[&run[..], &["--prop", "R=? [ I=k ]"]].concat(), 0)), 2);
}

#[test]
fn two_constants_have_a_ramp_and_a_map() {
    let folder = Folder::with_model(WALK);
    let run = ["check", "model.prism", "--const", "N=4:7,k=1:5", "--prop", "P=? [ F<=k x=2 ]"];
    let page = page(folder.path(), &run, 0);
    let document = parsed(&page);
    assert_eq!(of_class(&document, "plot"), 2, "lines and a map");
    let strokes =
        document.descendants().filter(|n| n.has_tag_name("polyline")).filter_map(|n| n.attribute("stroke"));
    let strokes: std::collections::BTreeSet<&str> = strokes.collect();
    for color in ["#5c3eb4", "#cea000"] {
        assert!(strokes.contains(color), "the ends of the ramp: {strokes:?}");
    }
    let cells = document.descendants().filter(|n| n.has_tag_name("title")).map(text);
    assert!(cells.into_iter().any(|note| note.starts_with("k = 5\nN = 7\n0.")), "{page}");
    // With two values of one of them, lines say it all.
    let few = ["check", "model.prism", "--const", "N=4:5,k=1:5", "--prop", "P=? [ F<=k x=2 ]", "--html", "-"];
    let few = run_in(folder.path(), &few).exits(0).out;
    assert_eq!(of_class(&parsed(&few), "plot"), 1);
}

#[test]
fn values_that_span_decades_get_logarithmic_axes_proposed() {
    let folder = Folder::with_model(WALK);
    let run = ["check", "model.prism", "--const", "N=3:14", "--prop", "P=? [ F<=N x=N ]"];
    let page = page(folder.path(), &run, 0);
    let proposal = "the values span more than two decades: --plot values.svg --log-axes y";
    assert!(page.contains(proposal), "{page}");
    let drawn = [&run[..], &["--html", "-", "--plot", "values.svg", "--log-axes", "y"]].concat();
    assert!(!run_in(folder.path(), &drawn).exits(0).out.contains("more than two decades"));
}

#[test]
fn estimates_have_intervals_and_seeds() {
    let folder = Folder::with_model(WALK);
    let run =
        ["simulate", "model.prism", "--const", "N=4", "--prop", "P=? [ F<=9 \"end\" ]", "--samples", "2000"];
    let page = page(folder.path(), &[&run[..], &["--seed", "7"]].concat(), 0);
    let answers = section(&parsed(&page), "answers").expect("answers");
    assert!(answers.contains("paths2,000") && answers.contains("seed7"), "{answers}");
    assert!(section(&parsed(&page), "repeat").is_some_and(|text| text.contains("--seed 7")), "{page}");
}

#[test]
fn values_stand_against_intervals_of_paths() {
    let folder = Folder::with_model(WALK);
    let run =
        ["check", "model.prism", "--const", "N=4", "--prop", "P=? [ F<=9 \"end\" ]", "--verify", "always"];
    let run = [&run[..], &["--verify-time", "300ms", "--html", "page.html"]].concat();
    let out = folder.run(&run).exits(0).out;
    assert!(out.contains("written: page.html"), "{out}");
    let page = folder.read("page.html");
    is_sound(&page);
    assert!(page.contains("Verification by simulation"), "{page}");
    assert!(page.contains("numerical value") || page.contains("not verified"), "{page}");
}

#[test]
fn runs_are_charts_and_tables() {
    let found = page(&root(), &["check", HANDOVER], 1);
    assert!(section(&parsed(&found), "answers").is_some_and(|text| text.contains("violated")), "{found}");
    assert!(section(&parsed(&found), "diagnostics").is_some_and(|text| text.contains("^^^^")), "{found}");
    let run = page(&root(), &["simulate", HANDOVER, "--seed", "3", "--steps", "12"], 0);
    for page in [found, run] {
        assert!(page.contains("class=\"chart\"") && page.contains("class=\"steps\""), "{page}");
    }
}

#[test]
fn state_spaces_have_counts() {
    let folder = Folder::with_model(WALK);
    let page = page(folder.path(), &["explore", "model.prism", "--const", "N=4", "--export", "m.tra"], 0);
    let space = section(&parsed(&page), "space").expect("a state space");
    assert!(space.contains("states5"), "{space}");
    assert!(section(&parsed(&page), "repeat").is_some_and(|text| text.contains("m.tra")), "{page}");
    is_sound(&run_in(&root(), &["explore", HANDOVER, "--html", "-"]).exits(0).out);
}

/// How many elements of a class there are.
pub fn of_class(document: &roxmltree::Document<'_>, class: &str) -> usize {
    let is_one = |node: &roxmltree::Node<'_, '_>| {
        node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    };
    document.descendants().filter(is_one).count()
}

#[test]
fn small_state_spaces_are_drawn() {
    let folder = Folder::with_model(WALK);
    let run = |model: &str, rest: &[&str]| page(folder.path(), &[&["explore", model], rest].concat(), 0);
    let drawn = run("model.prism", &["--const", "N=4", "--export", "m.umb"]);
    let document = parsed(&drawn);
    assert_eq!((of_class(&document, "state"), of_class(&document, "initial")), (5, 1), "{drawn}");
    // Two ways from each state but the last, which stays.
    assert_eq!((of_class(&document, "arrow"), of_class(&document, "dot")), (9, 0));
    let graph = section(&document, "graph").expect("a graph");
    assert!(graph.contains("x=3") && graph.contains("\"end\"") && graph.contains("0.5"), "{graph}");
    assert_eq!(of_class(&parsed(&run("m.umb", &[])), "state"), 5);
    // Too large, with the way out.
    let graph =
        section(&parsed(&run("model.prism", &["--const", "N=60"])), "graph").expect("why there is none");
    assert!(graph.contains("61 states") && graph.contains("--export graph.dot"), "{graph}");
}

#[test]
fn choices_and_processes_are_drawn() {
    let courier = page(&examples(), &["explore", "courier.prism"], 0);
    let document = parsed(&courier);
    assert!(of_class(&document, "dot") > 0 && of_class(&document, "choice") > 0, "{courier}");
    assert!(section(&document, "graph").is_some_and(|text| text.contains("a dot is a choice")));
    let folder = Folder::new()
        .file("turns.pml", "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0; break od }");
    let turns = page(folder.path(), &["explore", "turns.pml"], 0);
    let graph = section(&parsed(&turns), "graph").expect("a graph");
    assert!(graph.contains("x=2") && graph.contains("P(0): x++"), "{graph}");
}

#[test]
fn schedulers_say_which_command_to_take() {
    let folder = Folder::new();
    let model = std::fs::read_to_string(examples().join("courier.prism")).expect("an example");
    let folder = folder.file("courier.prism", model);
    let run =
        ["check", "courier.prism", "--prop", "Pmax=? [ F \"delivered\" ]", "--export-scheduler", "best.txt"];
    let found = page(folder.path(), &run, 0);
    let answers = section(&parsed(&found), "answers").expect("answers");
    assert!(answers.contains("scheduler (max)") && answers.contains("courier.prism:"), "{answers}");
    assert!(answers.contains(" -> "), "{answers}");
}

#[test]
fn explicit_models_and_searches_of_modules() {
    let folder = Folder::with_model(WALK);
    folder.run(&["explore", "model.prism", "--const", "N=4", "--export", "m.umb,m.drn"]).exits(0);
    for model in ["m.umb", "m.drn"] {
        let page = page(folder.path(), &["check", model, "--prop", "P=? [ F \"end\" ]"], 0);
        assert!(section(&parsed(&page), "answers").is_some_and(|text| text.contains("exact")), "{page}");
    }
    let found = page(folder.path(), &["check", "model.prism", "--const", "N=4", "--ltl", "G !\"end\""], 1);
    assert!(found.contains("class=\"violated\">violated"), "{found}");
}

#[test]
fn hostile_names_are_only_text() {
    let text = format!("// </pre><img src=x onerror=y>\n{WALK}");
    let folder = Folder::new().file("<b onclick='x'>&.prism", text);
    let property = "P=? [ F x=2 & \"<script>alert(1)</script>\" ]";
    let run =
        ["check", "<b onclick='x'>&.prism", "--const", "N=4", "--prop", "P=? [ F x=2 ]", "--prop", property];
    let page = page(folder.path(), &run, 2);
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b onclick"), "{page}");
}

#[test]
fn pages_and_other_results_do_not_share_standard_output() {
    let folder = Folder::with_model(WALK);
    let run = ["check", "model.prism", "--const", "N=4", "--prop", "P=? [ F x=2 ]", "--html"];
    let refused = |rest: &[&str], why: &str| {
        let err = folder.run(&[&run[..], rest].concat()).exits(2).err;
        assert!(err.contains(why), "{err}");
    };
    refused(&["-", "--json"], "--json and --html - both write to standard output");
    refused(&["-", "--csv", "-"], "--csv - and --html - both write to standard output");
    refused(&["model.prism"], "would be overwritten");
    refused(&["no/such/page.html"], "no such folder");
    let err = folder
        .run(&["simulate", "model.prism", "--const", "N=4", "--print-code", "kernel.vk", "--html", "p.html"])
        .exits(2)
        .err;
    assert!(err.contains("--print-code prints code"), "{err}");
    folder.run(&[&run[..], &["p.html", "--json"]].concat()).exits(0).json();
    is_sound(&folder.read("p.html"));
}

/// A browser that can load a page and tell what became of it.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Loads a page in a browser; gives the document behind loading, and what the browser has to say about it.
fn loaded(browser: &Path, folder: &Folder, name: &str) -> (String, String) {
    let address = format!("file://{}", folder.path().join(name).display());
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--disable-background-networking", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(address)
        .stdin(Stdio::null())
        .output()
        .expect("the browser starts");
    let [dom, log] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    (dom, console.join("\n"))
}

#[test]
fn a_browser_shows_them_without_complaint_and_without_network() {
    let Some(browser) = browser() else { return skipped("no browser") };
    let folder = Folder::with_model(WALK);
    let queue = page(&examples(), &["check", "queue.prism", "queue.props"], 0);
    let ranges = ["check", "model.prism", "--const", "N=4,k=1:3", "--prop", "P=? [ F<=k x=2 ]"];
    let ranges = page(folder.path(), &ranges, 0);
    let found = page(&root(), &["check", HANDOVER], 1);
    let cores = page(&root(), &["multicore", "examples/multicore/matmul.elf", "--timeline", "20"], 0);
    let folder = folder.file("queue.html", &queue).file("ranges.html", &ranges).file("found.html", &found);
    let folder = folder.file("cores.html", &cores);
    for (name, sections) in [
        ("queue.html", &["answers", "model", "repeat"][..]),
        ("ranges.html", &["answers", "model", "repeat"]),
        ("found.html", &["answers", "diagnostics", "model", "repeat"]),
        ("cores.html", &["answers", "plots", "cycles", "timeline", "repeat"]),
    ] {
        let (dom, console) = loaded(&browser, &folder, name);
        assert_eq!(console, "", "{name}");
        for id in sections {
            assert!(dom.contains(&format!("<section id=\"{id}\">")), "{name}: {id}:\n{dom}");
        }
        assert!(dom.trim_end().ends_with("</body></html>"), "{name}:\n{dom}");
    }
    // What a page loads from elsewhere would be refused, and complained about.
    let folder = folder
        .file("bad.html", queue.replace("</main>", "<img src=\"http://127.0.0.1:9/\" alt=\"\"/></main>"));
    let (_, console) = loaded(&browser, &folder, "bad.html");
    assert!(console.contains("Content Security Policy"), "{console}");
}

/// Measures a page in a frame of a browser: tells the frame's page of the texts that stick out of their pictures, and whether the page is
/// wider than its window.
const MEASURE: &str = "<script>
const outside = [];
for (const text of document.querySelectorAll('svg text')) {
  const [box, picture] = [text, text.ownerSVGElement].map(e => e.getBoundingClientRect());
  const inside = box.left > picture.left - 1 && box.right < picture.right + 1
    && box.top > picture.top - 1 && box.bottom < picture.bottom + 1;
  if (box.width > 0 && !inside) outside.push(text.textContent);
}
const root = document.documentElement, wide = root.scrollWidth > root.clientWidth;
parent.document.body.dataset['at' + innerWidth] = wide ? 'too wide' : outside.join(', ') || 'fits';
</script>";

/// The widths of a telephone and of a screen, in pixels of CSS.
const WINDOWS: [u32; 2] = [360, 1200];

/// The pages of these runs, in a browser.
pub fn measure(runs: &[(&Path, &[&str], i32)]) {
    let Some(browser) = browser() else { return skipped("no browser") };
    let policy = |page: &str| {
        let [start, rest] = page.split("<meta http-equiv").collect::<Vec<_>>().try_into().unwrap();
        start.to_owned() + rest.split_once('>').unwrap().1
    };
    for &(folder, run, exit) in runs {
        let page = run_in(folder, &[run, &["--html", "-"]].concat()).exits(exit).out;
        let measured = policy(&page).replace("</body>", &format!("{MEASURE}</body>"));
        let inside = measured.replace('&', "&amp;").replace('"', "&quot;");
        let frame = |width| format!("<iframe width=\"{width}\" height=\"700\" srcdoc=\"{inside}\"></iframe>");
        let frames = WINDOWS.map(frame).concat();
        let frames = format!("<!DOCTYPE html><html><body>{frames}</body></html>");
        let (dom, console) = loaded(&browser, &Folder::new().file("page.html", frames), "page.html");
        assert_eq!(console, "", "{run:?}");
        for width in WINDOWS {
            let fits = format!("data-at{width}=\"fits\"");
            assert!(dom.contains(&fits), "{run:?}, {width}: {}", &dom[dom.find("<body").unwrap()..][..400]);
        }
    }
}

#[test]
fn pictures_of_answers_are_not_cut() {
    let queue = examples();
    measure(&[
        // Bounds with many digits.
        (&queue, &["check", "queue.prism", "--prop", "P=? [ F<=1 customers=7 ]"], 0),
        (&queue, &["check", "queue.prism", "queue.props", "--verify"], 0),
        (&queue, &["check", "queue.prism", "--const", "n=2:9", "--prop", "P=? [ F<=1 customers=n ]"], 0),
        // A ramp and a map.
        (
            &queue,
            &["check", "queue.prism", "--const", "n=2:9,k=1:4", "--prop", "P=? [ F<=k customers=n ]"],
            0,
        ),
    ]);
}

#[test]
fn pictures_of_paths_are_not_cut() {
    let queue = examples();
    measure(&[
        (&queue, &["explore", "queue.prism"], 0),
        (&queue, &["check", "queue.prism", "--prop", "P=? [ F customers=7 ]", "--witness", "2"], 0),
        (&root(), &["check", HANDOVER], 1),
    ]);
}

/// States whose distances are known by hand.
const STRUCTURES: &str = "state s {p}: -51/10-> end;\nstate t {p}: -5-> end;\nstate end {q};\n";

/// Answers of all kinds have pages, which say what the terminal says.
#[test]
fn answers_of_every_kind_have_pages() {
    let folder = Folder::with_model(WALK)
        .file("s.wks", STRUCTURES)
        .file("a.aut", "des (0, 2, 2)\n(0, \"<script>; rate 2\", 1)\n(1, \"B; rate 3\", 0)\n")
        .file("b.aut", "des (0, 2, 2)\n(0, \"<script>; rate 2\", 1)\n(1, \"C; rate 3\", 0)\n")
        .file("p.toml", "[step.one]\nmodel = \"a.aut\"\n")
        .file("w.pml", "byte n;\nactive proctype P() { n++ }\n");
    let commands: &[(&[&str], i32, &[&str])] = &[
        (&["check", "s.wks", "--wctl", "EF[<=?] q"], 0, &["EF[<=?] q", "51/10", "a path of weight 51/10"]),
        (&["compare", "s.wks:s", "s.wks:t", "-r", "wbb"], 1, &["not related", "formula true of s.wks:s"]),
        (&["reduce", "s.wks", "-r", "wbb"], 0, &["weighted branching bisimulation", "3 states"]),
        (&["distance", "s.wks"], 0, &["9 pairs", "1/51"]),
        (&["distance", "s.wks:s", "s.wks:t"], 0, &["1/51", "answered by"]),
        (&["compare", "a.aut", "b.aut"], 1, &["not equivalent", "\"<script>; rate 2\" . \"B; rate 3\""]),
        (&["reduce", "a.aut"], 0, &["2 states", "2 transitions"]),
        (
            &["check", "a.aut", "--mcl", "<true*> <\"B; rate 3\"> true"],
            0,
            &["decided by a trace", "<script>"],
        ),
        (&["steady", "a.aut"], 0, &["throughputs in the long run", "<script>", "1.2"]),
        (&["transient", "a.aut", "--times", "1,2"], 0, &["throughputs", "<script>"]),
        (&["run", "p.toml"], 0, &["one", "2"]),
        (&["devices"], 0, &["threads"]),
        (&["info", "model.prism"], 0, &["walk", "end"]),
        (&["lint", "w.pml"], 0, &["1 of 1 statement is executed by some run"]),
        (
            &["check", "model.prism", "--const", "N=4", "--steady-state"],
            0,
            &["in the long run", "probability"],
        ),
        (
            &[
                "check",
                "model.prism",
                "--const",
                "N=4",
                "--find",
                "k=1:9",
                "--such-that",
                "P>0.1 [ F<=k x=2 ]",
            ],
            0,
            &["k = 2", "it fails for k = 1"],
        ),
    ];
    for (command, code, parts) in commands {
        let page = page(folder.path(), command, *code);
        let answers = section(&parsed(&page), "answers").unwrap_or_else(|| panic!("{command:?}\n{page}"));
        for part in *parts {
            assert!(answers.contains(part), "{command:?}: `{part}`\n{answers}");
        }
        let words = [*command, &["--html", "page.html"]].concat();
        let run = folder.run(&words).exits(*code);
        assert!(run.out.contains("written: page.html"), "{command:?}\n{}", run.out);
        assert!(parsed(&folder.read("page.html")).descendants().any(|n| n.attribute("id") == Some("repeat")));
        let json = [*command, &["--html", "-", "--json"]].concat();
        folder.run(&json).exits(2);
    }
}
