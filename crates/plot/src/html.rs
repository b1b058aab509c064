//! A scene as a page: the SVG, and the values under the pointer. Nothing is loaded from elsewhere.

use crate::scene::Scene;
use crate::svg;

/// The nearest dot shows its values, which it has as its title.
const SCRIPT: &str = "\
const svg = document.querySelector('svg'), tip = document.getElementById('tip');
const dots = [...svg.querySelectorAll('circle')].map(c => {
  const note = c.querySelector('title').textContent;
  c.querySelector('title').remove();
  return { x: +c.getAttribute('cx'), y: +c.getAttribute('cy'), note, c };
});
svg.addEventListener('mousemove', event => {
  const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  let best = null, least = 900;
  for (const dot of dots) {
    const d = (dot.x - x) ** 2 + (dot.y - y) ** 2;
    dot.c.setAttribute('r', 2.6);
    if (d < least) { least = d; best = dot; }
  }
  tip.hidden = !best;
  if (!best) return;
  best.c.setAttribute('r', 5);
  tip.textContent = best.note;
  tip.style.left = (event.pageX + 14) + 'px';
  tip.style.top = (event.pageY + 14) + 'px';
});
svg.addEventListener('mouseleave', () => { tip.hidden = true; });
";

/// The page.
pub fn page(scene: &Scene) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>\n\
         body {{ margin: 1em; background: #fff; }}\nsvg {{ max-width: 100%; height: auto; }}\n\
         #tip {{ position: absolute; white-space: pre; font: 12px sans-serif; background: #fff; padding: 4px 8px; \
         border: 1px solid #999; border-radius: 3px; pointer-events: none; }}\n</style>\n</head>\n<body>\n{}\
         <div id=\"tip\" hidden=\"hidden\"></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        svg::escaped(&scene.title),
        svg::element(scene)
    )
}
