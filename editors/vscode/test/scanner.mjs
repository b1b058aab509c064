// A lexer of a few lines for languages of which the server has no tokens: comments, texts, words, numbers.

/** What is special in a language: comments to the end of the line, comments with an end, quotes, and what a word is. */
export const LOOKS = {
  exp: { line: ['--'], block: ['(*', '*)'], quotes: '"', word: /[\p{L}_][\p{L}\p{N}_]*/uy },
  mcl: { line: ['--', '%'], block: ['(*', '*)'], quotes: `"'`, word: /[\p{L}_][\p{L}\p{N}_]*/uy },
  wks: { line: ['//', '#'], block: ['/*', '*/'], quotes: '"', word: /[A-Za-z_][\w.']*/y },
  wccs: { line: ['//', '#'], quotes: '', word: /[A-Za-z_]\w*/y },
  'mpi-program': { line: ['//'], block: ['/*', '*/'], quotes: '"', word: /[A-Za-z_]\w*/y },
  'type-rules': { line: ['//'], block: ['/*', '*/'], quotes: `"'`, word: /[A-Za-z_]\w*/y },
  n4js: { line: ['//'], block: ['/*', '*/'], quotes: `"'`, word: /[\p{L}_$][\p{L}\p{N}_$]*/uy, isScript: true },
  'volvelle-kernel': { line: ['//'], quotes: '', word: /`[^`\n]*`|[@$]\d+|[A-Za-z_]\w*/y },
};

/** What a regular expression of JavaScript may stand behind; the grammar has the same approximation. */
const BEFORE_PATTERN = /(?:^|[=(,:[!&|?{};]|return|case|typeof)\s*$/;
const PATTERN = /\/(?![/*])(?:[^/\\[\r\n]|\\.|\[(?:[^\]\\\r\n]|\\.)*\])+\/[A-Za-z]*/y;

/** Tokens of a text: kind, start and end. */
export function scan(text, { line, block, quotes, word, isScript }) {
  const found = [];
  let at = 0;
  const end = (index, length = 0) => (index < 0 ? text.length : index + length);
  const push = (kind, stop) => {
    found.push({ kind, start: at, end: stop });
    at = stop;
  };
  while (at < text.length) {
    word.lastIndex = at;
    const rest = text.slice(at, at + 2);
    if (/\s/.test(text[at])) {
      at += 1;
    } else if (line.some((mark) => rest.startsWith(mark))) {
      push('comment', end(text.indexOf('\n', at)));
    } else if (block && rest === block[0]) {
      push('comment', end(text.indexOf(block[1], at + 2), 2));
    } else if (quotes.includes(text[at])) {
      let stop = at + 1;
      while (stop < text.length && text[stop] !== text[at] && text[stop] !== '\n') stop += text[stop] === '\\' ? 2 : 1;
      push('text', Math.min(stop + 1, text.length));
    } else if (isScript && text[at] === '`') {
      let stop = at + 1;
      while (stop < text.length && text[stop] !== '`') stop += text[stop] === '\\' ? 2 : 1;
      push('text', Math.min(stop + 1, text.length));
    } else if (isScript && text[at] === '/' && isPattern(text, at)) {
      push('text', PATTERN.lastIndex);
    } else if (word.test(text)) {
      push('word', word.lastIndex);
    } else if (/[0-9]/.test(text[at])) {
      push('number', at + 1);
      // Digits behind the first one, and what belongs to a number, say nothing new.
      at += /^[\w.]*(?:(?<=[eE])[-+]\w+)?/.exec(text.slice(at, at + 64).split('..')[0])[0].length;
    } else {
      push('sign', at + (text.codePointAt(at) > 0xffff ? 2 : 1));
    }
  }
  return found;
}

function isPattern(text, at) {
  PATTERN.lastIndex = at;
  return BEFORE_PATTERN.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at)) && PATTERN.test(text);
}
