// The library with which VS Code speaks to servers, as it opens, breaks, mends and renames a model with its properties.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { start, uri } from './client.mjs';
import { root } from './places.mjs';

const [model, properties] = ['die.prism', 'die.props'].map((name) => path.join(root, 'examples/prism', name));
const read = (file) => fs.readFileSync(file, 'utf8');

/** Where a text stands in another one. */
function place(text, part, within = part) {
  const before = text.slice(0, text.indexOf(part) + part.indexOf(within)).split('\n');
  return { position: { line: before.length - 1, character: before.at(-1).length } };
}

/** A text after edits, which do not overlap. */
function edited(text, edits) {
  const lines = text.split('\n');
  const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  const sorted = edits.map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }));
  sorted.sort((a, b) => b.start - a.start);
  return sorted.reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), text);
}

test('a model is broken and mended', async () => {
  const server = await start({ textDocument: { publishDiagnostics: { codeDescriptionSupport: true } } });
  const text = read(model);
  await server.open(model, 'prism', text);
  assert.deepEqual(await server.until(model, () => true), []);
  await server.change(model, text.replace('node = 0 ->', 'nod = 0 ->'));
  const [error] = await server.until(model, (all) => all.length > 0);
  assert.equal(error.code, 'V0203');
  assert.match(error.message, /did you mean `node`/);
  const page = await server.ask('workspace/textDocumentContent', { uri: error.codeDescription.href });
  assert.match(page.text, /^# V0203/);
  await server.change(model, text);
  await server.until(model, (all) => all.length === 0);
  assert.equal(await server.stop(), 0);
});

test('a name leads into a library of the server', async () => {
  const text = 'specification S [G] : noexit library Bit endlib behaviour G !NatNum (1 of Bit); stop endspec\n';
  const file = 'bits.lotos';
  for (const shows of [true, false]) {
    const server = await start(shows ? { workspace: { textDocumentContent: {} } } : {});
    await server.open(file, 'lotos', text);
    const found = await server.about('textDocument/definition', file, place(text, 'NatNum', 'NatNum'));
    if (shows) {
      const page = await server.ask('workspace/textDocumentContent', { uri: found.uri });
      const { start: from, end } = found.range;
      assert.equal(page.text.split('\n')[from.line].slice(from.character, end.character), 'NATNUM');
    } else {
      assert.equal(found, null);
    }
    assert.equal(await server.stop(), 0);
  }
});

test('names are found and renamed, in the properties, too', async () => {
  const server = await start({ workspace: { workspaceEdit: { documentChanges: true } } });
  const texts = new Map([model, properties].map((file) => [uri(file), read(file)]));
  const text = read(model);
  await server.open(model, 'prism', text);
  await server.open(properties, 'prism-properties', read(properties));

  const inProperties = place(read(properties), 'F face = 1', 'face');
  const definition = [await server.about('textDocument/definition', properties, inProperties)].flat();
  assert.deepEqual(definition.map((found) => [found.uri, found.range.start]), [[uri(model), place(text, 'face :').position]]);
  const hover = await server.about('textDocument/hover', model, place(text, 'face :'));
  assert.match(JSON.stringify(hover.contents), /face : \[0\.\.6\]/);
  const withDeclaration = { ...place(text, 'face :'), context: { includeDeclaration: true } };
  const references = await server.about('textDocument/references', model, withDeclaration);
  const words = [...texts.values()].reduce((sum, text) => sum + text.match(/^(?!\s*\/\/).*$/gm).join('\n').match(/\bface\b/g).length, 0);
  assert.equal(references.length, words);

  const edit = await server.about('textDocument/rename', model, { ...place(text, 'face :'), newName: 'side' });
  assert.equal(edit.documentChanges.length, 2);
  for (const { textDocument, edits } of edit.documentChanges) {
    const renamed = edited(texts.get(textDocument.uri), edits);
    assert.doesNotMatch(renamed.replace(/\/\/.*$/gm, ''), /\bface\b/);
  }
  await assert.rejects(server.about('textDocument/rename', model, { ...place(text, 'face :'), newName: 'node' }), /node/);
  assert.equal(await server.stop(), 0);
});

test('outline, folding, symbols of all files', async () => {
  const server = await start({ textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } });
  await server.open(model, 'prism', read(model));
  const outline = await server.about('textDocument/documentSymbol', model);
  const named = outline.find(({ name }) => name === 'Die');
  assert.deepEqual(named.children.map(({ name }) => name).slice(0, 2), ['node', 'face']);
  assert.ok((await server.about('textDocument/foldingRange', model)).length > 0);
  assert.ok((await server.ask('workspace/symbol', { query: 'face' })).length > 0);
  assert.equal(await server.stop(), 0);
});
