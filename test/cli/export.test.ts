import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportFormats } from '@trellis/contract/shapes/graph-export.ts';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { VARIED_SCHEMA, variedOperations } from '../support/varied-graph.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let source: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  source = await startWorkspace();
  const { http, token } = source;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: VARIED_SCHEMA });
  const body = { operations: variedOperations() };
  const { status, text } = await http.send({ path: '/api/ingest', token, body });
  expect([status, text]).toEqual([200, expect.any(String)]);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const at = (name: string) => join(folder.path, name);
const trellis = (args: readonly string[], { server, token }: TestWorkspace = source) =>
  runTrellis(args, { home: folder.path, server: server.url, token });

/** Everything that a workspace holds, whatever the order in which it came. */
async function manifestOf(workspace: TestWorkspace): Promise<string[]> {
  const { http, token } = workspace;
  const { status, text } = await http.send({ method: 'POST', path: '/api/graph/export', token });
  expect(status).toBe(200);
  return text.trimEnd().split('\n').toSorted();
}

describe.each(exportFormats)('as %s', (format) => {
  test('a graph comes back as it was', async () => {
    const out = at(`graph.${format}`);
    const done = await trellis(['export', '--format', format, '--out', out, '--json']);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote ') });
    const bytes = readFileSync(out).length;
    expect(JSON.parse(done.stdout)).toEqual({ path: out, format, bytes });

    await using target = await startWorkspace();
    const imported = await trellis(['import', format, out], target);
    expect(imported).toMatchObject({ code: 0 });
    const expected = await manifestOf(source);
    expect(expected.length).toBeGreaterThan(25);
    expect(await manifestOf(target)).toEqual(expected);

    const again = await trellis(['import', format, out, '--json'], target);
    expect(JSON.parse(again.stdout)).toMatchObject({ nodes: 0, edges: 0 });
  });

  test('standard output takes it, and its reader may have enough', async () => {
    const whole = await trellis(['export', '--format', format]);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    const out = at(`printed.${format}`);
    writeFileSync(out, whole.stdout);
    const read = await trellis(['import', format, out, '--dry-run', '--json']);
    expect(JSON.parse(read.stdout)).toMatchObject({ problems: 0 });
  });
});
