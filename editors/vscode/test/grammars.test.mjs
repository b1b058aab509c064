// The grammars say of every word what the lexers of Volvelle say: each token of the language server lies in one of a grammar, or the
// other way round, and both agree on comments, texts, numbers and keywords.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { start } from './client.mjs';
import { corpus, endings, files, root } from './places.mjs';
import { grammar, has, scopes, written } from './scopes.mjs';

/** Languages of which the server has tokens: the identifier, the scope, folders of the examples, the corpus. */
const LANGUAGES = [
  ['prism', 'source.prism', ['prism', 'weighted'], 'prism'],
  ['prism-properties', 'source.prism-properties', ['prism'], 'prism'],
  ['promela', 'source.promela', ['promela', 'tuning', 'weighted'], 'promela'],
  ['lotos', 'source.lotos', ['lotos', 'pipelines'], 'lotos'],
];

/** Words that are keywords in some places only, where a grammar cannot know, or the lexer does not. */
const KEYWORD = ['keyword', 'storage', 'constant.language', 'support.function', 'variable.language'];

let server;
let types;

before(async () => {
  // A client that asks for diagnostics gets none unasked.
  server = await start({ textDocument: { diagnostic: {} } });
  types = server.answer.capabilities.semanticTokensProvider.legend.tokenTypes;
});
after(async () => assert.equal(await server.stop(), 0));

/** The tokens of the server: line, start and end, type. */
async function tokens(file, language, text) {
  await server.open(file, language, text);
  const answer = await server.about('textDocument/semanticTokens/full', file);
  await server.close(file);
  assert.ok(answer, `the server knows no tokens of ${file}`);
  const found = [];
  let [line, start] = [0, 0];
  for (let at = 0; at < answer.data.length; at += 5) {
    const [down, right, length, type] = answer.data.slice(at, at + 4);
    [line, start] = down > 0 ? [line + down, right] : [line, start + right];
    found.push({ line, start, end: start + length, type: types[type] });
  }
  return found;
}

/** What is wrong with the tokens of a grammar, in view of those of the server. */
function differences(file, text, ofServer, ofGrammar) {
  const byLine = Map.groupBy ? Map.groupBy(ofGrammar, (token) => token.line) : grouped(ofGrammar);
  const lines = text.split(/\r\n|\n|\r/);
  const found = [];
  for (const token of ofServer) {
    const word = lines[token.line].slice(token.start, token.end);
    const shown = `${path.relative(root, file)}:${token.line + 1}:${token.start + 1}: ${token.type} \`${word}\``;
    // The server says of a name in quotes what it names.
    const isText = token.type === 'string' || token.type !== 'operator' && word.startsWith('"');
    const over = (byLine.get(token.line) ?? []).filter((one) => one.start < token.end && token.start < one.end);
    // Blanks at the end of a line in the midst of a comment have no scope.
    const end = token.start + word.trimEnd().length;
    const covered = over.reduce((sum, one) => sum + Math.min(one.end, end) - Math.max(one.start, token.start), 0);
    if (covered < end - token.start) found.push(`${shown} has no scope`);
    for (const one of over) {
      const isInside = token.start <= one.start && one.end <= token.end;
      const isAround = one.start <= token.start && token.end <= one.end;
      if (!isInside && !isAround) found.push(`${shown} is crossed by \`${one.text}\``);
      if (one.scopes.length === 0 && one.text.trim() !== '') found.push(`${shown} has no scope`);
      const differs = (scope, holds) => has(one.scopes, scope) !== holds;
      // `#include <file>`, which the lexer does not know.
      const isFile = has(one.scopes, 'string.quoted.other');
      if (differs('comment', token.type === 'comment')) found.push(`${shown} as a comment: ${one.scopes}`);
      if (!isFile && token.type !== 'comment' && differs('string', isText)) found.push(`${shown} as a text: ${one.scopes}`);
      // Numbers may be names of operations in LOTOS.
      const isNumber = token.type === 'number' || /^[0-9]+$/.test(word) && token.type === 'function';
      if (differs('constant.numeric', isNumber)) found.push(`${shown} as a number: ${one.scopes}`);
      const isWord = KEYWORD.some((word) => has(one.scopes, word));
      if (token.type === 'keyword' && !isWord) found.push(`${shown} as a keyword: ${one.scopes}`);
    }
  }
  return found;
}

function grouped(tokens) {
  const lines = new Map();
  for (const token of tokens) lines.set(token.line, [...(lines.get(token.line) ?? []), token]);
  return lines;
}

/** Numbers below some other, always the same ones (xorshift, G. Marsaglia 2003). */
function dice(seed) {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** What random texts are made of, besides the words of a language. */
const PIECES = {
  prism: [...'()[]{};:,?!&|=<>+-*/^\'', '..', '->', '=>', '<=>', '<=', '>=', '!=', '0', '17', '0.5', '.5', '1e-3',
    '5.', '5..', '"a"', '"', '//', '/*', '*/',
    '#', '#const N#', 'x', 'y1', '_z', 'é', '\n', '\n', ' ', '\t'],
  promela: [...'()[]{};:,?!&|=<>+-*/%^~@.\\', '..', '->', '-->', '::', '++', '--', '&&', '||', '!!', '??', '<<', '>>',
    '<=', '==', '!=', '##', '#', '\n#define ',
    '0', '17', '0x1f', '"a%d\\n"', '"', "'a'", "'", "'\\n'", '//', '/*', '*/', '\\\n', 'x', 'y1', '_z', '_pid', 'é', '\n', '\n', ' ', '\t'],
  lotos: [...'()[];:,?!_#%&*+-./<=>@\\^~{}$|', '|||', '||', '|[', ']|', '[>', '[]', ':=', '=>', '->', '>>', '0', '17',
    '"a"', '"', "'", '(*', '(*!', '*)',
    'x', 'Y_1', 'z_', 'é', '\n', '\n', ' ', '\t'],
};
PIECES['prism-properties'] = PIECES.prism;

const all = (language, folders) => folders.flatMap((folder) => files(folder, ...endings().get(language)));

for (const [language, scope, examples, published] of LANGUAGES) {
  const check = async (models) => {
    const known = await grammar(scope);
    const found = [];
    for (const [file, text] of models) {
      found.push(...differences(file, text, await tokens(file, language, text), scopes(known, text)));
    }
    assert.ok(found.length === 0, `${found.length} differences:\n${found.slice(0, 20).join('\n')}`);
  };
  const read = (file) => [file, fs.readFileSync(file, 'utf8')];
  const own = all(language, examples.map((name) => path.join(root, 'examples', name)));

  test(`${language}: examples`, async () => {
    assert.ok(own.length > 0);
    await check(own.map(read));
  });

  test(`${language}: examples, cut off`, async () => {
    const parts = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95];
    await check(own.map(read).flatMap(([file, text]) => parts.map((part) => [file, text.slice(0, text.length * part)])));
  });

  test(`${language}: random texts`, async () => {
    const roll = dice(2463534242);
    const pieces = PIECES[language];
    const words = [...written.get(`${language.split('-')[0]}.tmLanguage.json`).repository.words.patterns].flatMap(
      ({ match }) => /\(\?:([^()]*)\)/.exec(match)[1].split('|'),
    );
    const texts = Array.from({ length: 400 }, () => {
      let text = '';
      for (let left = 5 + roll(80); left > 0; left -= 1) {
        text += roll(4) === 0 ? ` ${words[roll(words.length)]} ` : pieces[roll(pieces.length)];
        if (roll(3) === 0) text += ' ';
      }
      return text;
    });
    await check(texts.map((text, number) => [path.join(root, `random-${number}${endings().get(language)[0]}`), text]));
  });

  const { folder, variable } = corpus(published);
  const models = all(language, [folder]);
  test(`${language}: published models`, { skip: models.length === 0 && `${variable} is not set` }, () => check(models.map(read)));
}
