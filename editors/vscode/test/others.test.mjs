// Grammars of languages of which the server has no tokens: they agree with a lexer of a few lines, and every sign is known. And of all
// grammars: their words are those of the lists that they are made of, and no text keeps them busy.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { corpus, endings, files, root } from './places.mjs';
import { LOOKS, scan } from './scanner.mjs';
import { grammar, has, scopes, written } from './scopes.mjs';

/** The words that a grammar lists. */
function listed(grammar) {
  const lists = grammar.repository.words?.patterns ?? [];
  return new Set(lists.flatMap(({ match }) => /\(\?:([^()]*)\)/.exec(match)[1].split('|')));
}

const FOLDERS = ['examples', 'fuzz/seeds', 'crates', 'docs', 'editors/vscode/test'].map((name) => path.join(root, name));
const kindOf = (scopes) => ['comment', 'string', 'constant.numeric'].find((kind) => has(scopes, kind)) ?? 'other';
const KINDS = { comment: 'comment', text: 'string', number: 'constant.numeric' };

/** What is wrong with the tokens of a grammar, in view of those of the scanner. */
function differences(shownAs, text, looks, known, compiled, mayBeWrong) {
  const words = listed(known);
  const found = [];
  const lines = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  const bySign = new Map();
  for (const token of scopes(compiled, text)) {
    for (let at = token.start; at < token.end; at += 1) bySign.set(lines[token.line] + at, token.scopes);
  }
  for (const token of scan(text, looks)) {
    const shown = () => {
      const line = lines.findLastIndex((start) => start <= token.start);
      return `${shownAs}:${line + 1}: ${token.kind} \`${text.slice(token.start, token.end)}\``;
    };
    for (let at = token.start; at < token.end; at += 1) {
      if (/\s/.test(text[at])) continue;
      const scopes = bySign.get(at) ?? [];
      if (scopes.length === 0) found.push(`${shown()} has no scope`);
      else if (kindOf(scopes) !== (KINDS[token.kind] ?? 'other')) found.push(`${shown()} is ${scopes}`);
      else if (token.kind === 'word' && at === token.start && words.has(text.slice(token.start, token.end))) {
        const isWord = ['keyword', 'storage', 'constant.language', 'support', 'variable.language'].some((word) => has(scopes, word));
        // A member may have the name of a keyword.
        if (!isWord && !has(scopes, 'variable.other.property')) found.push(`${shown()} is ${scopes}`);
      }
      if (has(scopes, 'invalid') && !mayBeWrong) found.push(`${shown()} is ${scopes}`);
    }
  }
  return found;
}

const nothing = (found) => assert.ok(found.length === 0, `${found.length} differences:\n${found.slice(0, 20).join('\n')}`);

for (const [language, looks] of Object.entries(LOOKS).filter(([language]) => language !== 'n4js')) {
  test(`${language}: all that is there`, async () => {
    const known = written.get(`${language}.tmLanguage.json`);
    const compiled = await grammar(known.scopeName);
    const models = FOLDERS.flatMap((folder) => files(folder, ...endings().get(language)));
    assert.ok(models.length > 0);
    nothing(models.flatMap((file) => {
      const text = fs.readFileSync(file, 'utf8');
      // Seeds of fuzzers may be wrong, and JSON has its own rules.
      const mayBeWrong = file.includes('fuzz/') || text.trimStart().startsWith('{');
      return differences(path.relative(root, file), text, looks, known, compiled, mayBeWrong);
    }));
  });
}

const cases = files(path.join(corpus('rules').folder, 'n4js-dev'), '.jsonl');
test('n4js: published programs', { skip: cases.length === 0 && `${corpus('rules').variable} is not set` }, async () => {
  const known = written.get('n4js.tmLanguage.json');
  const compiled = await grammar(known.scopeName);
  const lines = cases.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').slice(1).filter(Boolean));
  const texts = lines.map((line) => JSON.parse(line));
  nothing(texts.flatMap(({ id, text }) => differences(id, text, LOOKS.n4js, known, compiled, true)));
});

test('long lines of signs that may begin something', async () => {
  const pieces = ['"', "'", '(', '(*', '/*', '#', '`', '\\', '<', '-', 'a', '_', '0', '0.', '1e', ' ', '|[', '\t:', 'é', '"\\', 'a:', '0x'];
  const length = 4_000;
  for (const { scopeName } of written.values()) {
    const compiled = await grammar(scopeName);
    for (const piece of pieces) {
      // The harness ends a test that takes for ever; no time is judged here.
      scopes(compiled, piece.repeat(length / piece.length) + '\nmodule');
    }
  }
});

test('grammars refer to what they have', () => {
  const includes = (patterns = []) => patterns.flatMap(({ include, patterns }) => (include ? [include] : includes(patterns)));
  for (const [name, { scopeName, patterns, repository, fileTypes }] of written) {
    const used = new Set([...includes(patterns), ...includes(Object.values(repository))]);
    for (const include of used) {
      assert.ok(include.startsWith('source.') || include.slice(1) in repository, `${name}: ${include}`);
    }
    assert.deepEqual(Object.keys(repository).filter((part) => !used.has(`#${part}`)), [], name);
    const language = name.replace('.tmLanguage.json', '');
    assert.equal(scopeName, `source.${language}`);
    for (const ending of fileTypes) assert.ok(endings().get(language).includes(`.${ending}`), `${name}: ${ending}`);
  }
});
