//! A scene as a page: the SVG, and the values of the points under the pointer or the finger. Nothing is loaded from
//! elsewhere.

use crate::scene::{Note, Scene};
use crate::svg;

/// Shows what is known of the points nearest to the pointer, of all lines that meet there.
const SCRIPT: &str = "\
const svg = document.querySelector('svg'), tip = document.getElementById('tip');
const notes = JSON.parse(document.getElementById('notes').textContent);
const reach = 22, together = 3, most = 5;
const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
ring.setAttribute('r', 5);
ring.setAttribute('fill', 'none');
ring.setAttribute('stroke-width', 1.5);
function hide() { tip.hidden = true; ring.remove(); }
function show(event) {
  const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  let best = null, least = reach;
  for (const note of notes) {
    const d = Math.hypot(note[0] - x, note[1] - y);
    if (d < least) { least = d; best = note; }
  }
  if (!best) { hide(); return; }
  const all = notes.filter(n => Math.hypot(n[0] - best[0], n[1] - best[1]) <= together);
  ring.setAttribute('cx', best[0]);
  ring.setAttribute('cy', best[1]);
  ring.setAttribute('stroke', best[2]);
  svg.append(ring);
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
    let notes: Vec<String> = scene.notes.iter().map(json).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{}<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n\
         <script type=\"application/json\" id=\"notes\">[{}]</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        svg::escaped(&scene.title),
        svg::element(scene, false),
        notes.join(",\n")
    )
}

/// `[12.5,80.25,"#0072b2","T = 5\nq = 0.25"]`
fn json(note: &Note) -> String {
    let (x, y) = note.at;
    format!("[{x:.2},{y:.2},\"{}\",\"{}\"]", svg::hex(note.color), in_json(&note.text))
}

/// Text for a string of JSON inside an element of HTML: nothing in it ends the element.
fn in_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', c]),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
