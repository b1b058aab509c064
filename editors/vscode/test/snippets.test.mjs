// Snippets, with what they propose, are texts without mistakes of syntax where they belong.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { start } from './client.mjs';
import { endings, extension, files, root } from './places.mjs';

/** What stands around a snippet: of its name, or of all others of its language. */
const AROUND = {
  prism: {
    command: ['dtmc\nmodule m x : [0..1];', 'endmodule'],
    copy: ['dtmc\nmodule other x : [0..1]; endmodule', ''],
    others: ['dtmc\nmodule m z : [0..1]; endmodule', ''],
  },
  'prism-properties': { model: ['', ''], others: ['// model: die.prism', ''] },
  promela: {
    do: ['init { bool guard;', '}'],
    if: ['init { bool guard;', '}'],
    atomic: ['init {', '}'],
    ltl: ['bool p, q; init { skip }', ''],
    chan: ['', 'init { skip }'],
    inline: ['', 'init { skip }'],
    proctype: ['', ''],
  },
  lotos: {
    specification: ['', ''],
    process: ['specification S [a] : noexit behaviour a; stop where', 'endspec'],
    type: ['specification S [a] : noexit', 'behaviour a; stop endspec'],
    hide: ['specification S [a] : noexit behaviour', 'endspec'],
  },
  exp: { others: ['', ''] },
  wks: { wks: ['', ''], state: ['wks s; initial name;', ''] },
};

/** Mistakes that are none of syntax: names that the proposals make up, and files. */
const OF_NAMES = ['V0203', 'V0204', 'V0212', 'V1612', 'V1802'];

let server;
before(async () => { server = await start({ textDocument: { diagnostic: {} } }); });
after(async () => assert.equal(await server.stop(), 0));

/** The text of a snippet with its proposals. Those within others come first. */
function expanded(body) {
  let [before, text] = ['', body.join('\n')];
  while (text !== before) {
    before = text;
    text = text.replace(/\$\{\d+:([^${}]*)\}/g, '$1').replace(/\$\{\d+\|([^,|]*)[^|]*\|\}/g, '$1').replace(/\$(?:\d+|\{\d+\})/g, '');
  }
  return text;
}

for (const file of files(path.join(extension, 'snippets'), '.json')) {
  const language = path.basename(file, '.json');
  test(`snippets: ${language}`, async () => {
    const snippets = Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')));
    assert.ok(snippets.length > 0);
    for (const [name, { prefix, body, description }] of snippets) {
      assert.ok(prefix && description, name);
      const [above, below] = AROUND[language][name] ?? AROUND[language].others;
      const text = [above, expanded(body), below].join('\n');
      assert.doesNotMatch(text, /\$/, name);
      const model = path.join(root, 'examples/prism', `snippet${endings().get(language)[0]}`);
      await server.open(model, language, text);
      const { items } = await server.about('textDocument/diagnostic', model);
      await server.close(model);
      // A file that names its model has no code: that file is not there.
      const isExpected = ({ code }) => (code === undefined ? name === 'model' : OF_NAMES.includes(code));
      const mistakes = items.filter((item) => !isExpected(item)).map(({ code, message }) => `${code} ${message}`);
      assert.deepEqual(mistakes, [], `${name}:\n${text}`);
    }
  });
}
