//! A scene as a page: the SVG, and the values under the pointer or the finger. Nothing is loaded from
//! elsewhere.

use crate::scene::{Note, Scene};
use crate::svg;
use volvelle_media::{json, markup};

/// Shows what is known of the rectangle under the pointer, or of the points nearest to it, of all lines that meet there.
const SCRIPT: &str = "\
const svg = document.querySelector('svg'), tip = document.getElementById('tip');
const notes = JSON.parse(document.getElementById('notes').textContent);
const reach = 22, together = 3, most = 5;
const signs = ['circle', 'rect'].map(name => document.createElementNS('http://www.w3.org/2000/svg', name));
function set(sign, values) { for (const name in values) sign.setAttribute(name, values[name]); }
function hide() { tip.hidden = true; signs.forEach(sign => sign.remove()); }
function distance(note, x, y) {
  if (note.length < 5) return Math.hypot(note[0] - x, note[1] - y);
  const [left, top, right, bottom] = note[4];
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}
function mark(note) {
  signs.forEach(sign => sign.remove());
  const sign = signs[note.length < 5 ? 0 : 1];
  if (note.length < 5) {
    set(sign, {cx: note[0], cy: note[1], r: 5, stroke: note[2]});
  } else {
    const [left, top, right, bottom] = note[4];
    set(sign, {x: left - 1, y: top - 1, width: right - left + 2, height: bottom - top + 2, stroke: '#1e1e1e'});
  }
  set(sign, {fill: 'none', 'stroke-width': 1.5});
  svg.append(sign);
}
function show(event) {
  const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  let best = null, least = reach;
  for (const note of notes) {
    const d = distance(note, x, y);
    if (d < least) { least = d; best = note; }
  }
  if (!best) { hide(); return; }
  const meets = n => n.length < 5 && Math.hypot(n[0] - best[0], n[1] - best[1]) <= together;
  const all = best.length < 5 ? notes.filter(meets) : [best];
  mark(best);
  tip.replaceChildren(...all.slice(0, most).map(note => {
    const part = document.createElement('div');
    part.style.borderLeft = '4px solid ' + note[2];
    part.textContent = note[3];
    return part;
  }));
  if (all.length > most) tip.append('and ' + (all.length - most) + ' more');
  tip.hidden = false;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4);
  const below = event.clientY + 16, above = event.clientY - tip.offsetHeight - 12;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = Math.max(below + tip.offsetHeight < innerHeight ? below : above, 4) + 'px';
}
svg.addEventListener('pointerdown', show);
svg.addEventListener('pointermove', show);
svg.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse') hide(); });
document.addEventListener('pointerdown', event => { if (!svg.contains(event.target)) hide(); });
document.addEventListener('scroll', hide, true);
";

const STYLE: &str = "\
body { margin: 1em; background: #fff; }
svg { display: block; width: 100%; max-width: 60em; height: auto; touch-action: pan-y pinch-zoom; }
#tip { position: fixed; white-space: pre-line; font: 13px 'Noto Sans', sans-serif; color: #1e1e1e; background: #fff;
  max-width: 30em; padding: 4px; border: 1px solid #999; border-radius: 3px; pointer-events: none; overflow-wrap: anywhere;
  box-shadow: 0 1px 4px #0003; }
#tip[hidden] { display: none; }
#tip div { padding: 0 6px; margin: 2px 0; }
";

/// The page.
pub fn page(scene: &Scene) -> String {
    let notes: Vec<String> = scene.notes.iter().map(note).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{}<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n\
         <script type=\"application/json\" id=\"notes\">[{}]</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        markup::escaped(&scene.title),
        svg::element(scene, false),
        notes.join(",\n")
    )
}

/// `[12.5,80.25,"#0072b2","T = 5\nq = 0.25"]`, and behind it the rectangle, if it is of one.
fn note(note: &Note) -> String {
    let (x, y) = note.at;
    let extent = note.extent.map_or(String::new(), |[l, t, r, b]| format!(",[{l:.2},{t:.2},{r:.2},{b:.2}]"));
    format!("[{x:.2},{y:.2},\"{}\",\"{}\"{extent}]", svg::hex(note.color), json::in_markup(&note.text))
}
