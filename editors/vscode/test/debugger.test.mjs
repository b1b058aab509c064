// The debugger as VS Code's own client of debug adapters drives it: each launch is a session of an editor, from `initialize` to its end.

import debugging from '@vscode/debugadapter-testsupport';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { program } from './places.mjs';

const LOST = `byte n, done;

active [2] proctype Add() {
    byte seen;
    seen = n;
    n = seen + 1;
    done++
}

ltl added { [] (done == 2 -> n == 2) }
`;

const QUEUE = `dtmc
module queue
  waiting : [0..3] init 0;
  [in]  waiting<3 -> 0.6 : (waiting'=waiting+1) + 0.4 : true;
  [out] waiting>0 -> (waiting'=waiting-1);
endmodule
`;

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'volvelle-debugger-')));
const at = (name) => path.join(folder, name);
fs.writeFileSync(at('lost.pml'), LOST);
fs.writeFileSync(at('queue.prism'), QUEUE);
after(() => fs.rmSync(folder, { recursive: true }));

let client;
beforeEach(async () => {
  client = new debugging.DebugClient(program(), 'debug', 'volvelle', { cwd: folder });
  await client.start();
});
afterEach(() => client.stop());

/** Launches, and waits until the debugger stops. */
async function launch(fields) {
  const configured = client.waitForEvent('initialized').then(() => client.configurationDoneRequest());
  const [stopped] = await Promise.all([client.waitForEvent('stopped'), configured, client.launch({ cwd: folder, ...fields })]);
  return stopped;
}

/** Asks for something behind which the debugger stops; where the first thread is then. */
async function stepped(asked, reason) {
  const [stopped] = await Promise.all([client.waitForEvent('stopped'), asked()]);
  assert.equal(stopped.body.reason, reason, stopped.body.description);
  const { body } = await client.stackTraceRequest({ threadId: stopped.body.threadId });
  return body.stackFrames[0];
}

async function variables(frame) {
  const { body } = await client.scopesRequest({ frameId: frame.id });
  const scopes = body.scopes.filter(({ name }) => name !== 'Last step');
  const all = await Promise.all(scopes.map(({ variablesReference }) => client.variablesRequest({ variablesReference })));
  return new Map(all.flatMap(({ body }) => body.variables.map(({ name, value }) => [name, value])));
}

test('a counterexample is stepped through, forward and back', async () => {
  await launch({ program: 'lost.pml', claim: 'added' });
  const { body } = await client.threadsRequest();
  assert.deepEqual(body.threads.map(({ name }) => name), ['Add(0)', 'Add(1)']);
  let frame;
  for (let step = 1; step <= 3; step += 1) frame = await stepped(() => client.nextRequest({ threadId: 1 }), 'step');
  assert.equal((await variables(frame)).get('n'), '1  (was 0)');
  assert.equal(fs.realpathSync(frame.source.path), at('lost.pml'));
  frame = await stepped(() => client.stepBackRequest({ threadId: 1 }), 'step');
  assert.match((await variables(frame)).get('n'), /^0/);
  await stepped(() => client.continueRequest({ threadId: 1 }), 'exception');
  const { body: why } = await client.exceptionInfoRequest({ threadId: 1 });
  assert.match(why.description, /added: violated/);
});

test('a breakpoint on a line is hit', async () => {
  await launch({ program: 'lost.pml' });
  const { body } = await client.setBreakpointsRequest({ source: { path: at('lost.pml') }, breakpoints: [{ line: 6 }] });
  assert.ok(body.breakpoints[0].verified);
  const frame = await stepped(() => client.continueRequest({ threadId: 1 }), 'breakpoint');
  assert.equal(frame.line, 6);
});

test('the path of a false property of a chain is followed to its end', async () => {
  await launch({ program: 'queue.prism', claim: 'P<=0.001 [ F waiting=3 ]' });
  const frame = await stepped(() => client.continueRequest({ threadId: 1 }), 'exception');
  assert.match((await variables(frame)).get('waiting'), /^3/);
  assert.match(frame.name, /step 3/);
});

test('a claim without a counterexample refuses the launch', async () => {
  await assert.rejects(client.launch({ cwd: folder, program: 'lost.pml', claim: '[] (n <= 2)' }), /no counterexample/);
});
