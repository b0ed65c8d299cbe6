import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseQuad } from '../../cli/src/import/quads.ts';
import { exportFormats } from '@trellis/contract/shapes/graph-export.ts';
import { requireNetworkx, requireRapper } from '../support/requires.ts';
import { RAPPER } from '../../tools/debian-package.ts';
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

test.each(exportFormats)('types without nodes come back, too, as %s', async (format) => {
  await using from = await startWorkspace();
  const { http, token } = from;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: VARIED_SCHEMA });
  const out = at(`types.${format}`);
  expect(await trellis(['export', '--format', format, '--out', out], from)).toMatchObject({
    code: 0,
  });
  await using target = await startWorkspace();
  expect(await trellis(['import', format, out], target)).toMatchObject({ code: 0 });
  const expected = await manifestOf(from);
  expect(expected).toHaveLength(1);
  expect(await manifestOf(target)).toEqual(expected);
});

test('what a user is given is the same in every format', async () => {
  const { http, token } = source;
  const password = 'correct horse battery';
  const user = { userName: 'ann', email: 'ann@example.com', password };
  const { status } = await http.send({ path: '/api/users', token, body: user });
  expect(status).toBe(201);
  const [hidden] = variedOperations().flatMap((one) => ('key' in one ? [one] : []));
  const { type = '', key = '' } = Object(hidden) as Record<string, string>;
  const node = { type, key };
  const change = async (op: 'restrict' | 'unrestrict') => {
    const to = op === 'restrict' ? { user: { uid: adminUid } } : {};
    const operations = [{ op, node, ...to }];
    const done = await http.send({ path: '/api/ingest', token, body: { operations } });
    expect([done.status, done.text]).toEqual([200, expect.any(String)]);
  };
  const { json } = await http.send({ path: '/api/users?take=10', token });
  const users = Object(json).items as readonly Readonly<Record<string, string>>[];
  const adminUid = users.find(({ UserName }) => UserName === 'admin')?.['UID'];
  await change('restrict');
  const manifests: string[][] = [];
  for (const format of exportFormats) {
    const out = at(`for-ann.${format}`);
    const done = await trellis(['export', '--as', 'ann', '--format', format, '--out', out]);
    expect(done).toMatchObject({ code: 0 });
    await using target = await startWorkspace();
    expect(await trellis(['import', format, out], target)).toMatchObject({ code: 0 });
    manifests.push(await manifestOf(target));
  }
  await change('unrestrict');
  const isNode = (line: string): boolean => line.includes('addOrUpdate');
  const whole = (await manifestOf(source)).filter(isNode);
  for (const one of manifests) {
    expect(one).toEqual(manifests[0]);
    expect(one.filter(isNode)).toHaveLength(whole.length - 1);
  }
});

describe('other programs', () => {
  const run = (program: string, args: readonly string[], input?: string): string => {
    const done = spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 });
    expect([done.status, done.stderr]).toEqual([0, expect.not.stringMatching(/error|warning/i)]);
    return done.stdout;
  };

  test.skipIf(requireRapper())('read the N-Quads as we do', async () => {
    const out = at('for-rapper.nq');
    expect(await trellis(['export', '--out', out])).toMatchObject({ code: 0 });
    const read = run(RAPPER, ['-q', '-i', 'nquads', '-o', 'nquads', out]);
    const [ours, theirs] = [readFileSync(out, 'utf8'), read].map((text) => text.split('\n'));
    expect(ours).toHaveLength(theirs?.length ?? 0);
    // What C ends a text with, and what it takes for no character, it does not give back.
    const isHard = (line: string): boolean => /\\u0000|\ufffe/.test(line);
    const kept = ours?.flatMap((line, i) =>
      isHard(line) ? [] : [[line, theirs?.[i] ?? ''] as const],
    );
    expect(kept?.length).toBeGreaterThan(200);
    for (const [line, other] of kept ?? []) expect(parseQuad(other)).toEqual(parseQuad(line));
  });

  test.skipIf(requireNetworkx())(
    'read the GraphML and write it again, and it is the same',
    async () => {
      const [out, copy] = [at('for-networkx.graphml'), at('by-networkx.graphml')];
      expect(await trellis(['export', '--out', out])).toMatchObject({ code: 0 });
      const code =
        'import networkx, sys; networkx.write_graphml(networkx.read_graphml(sys.argv[1]), sys.argv[2])';
      run('python3', ['-c', code, out, copy]);
      await using target = await startWorkspace();
      const { http, token } = target;
      // All that is left out by it is the schema.
      await http.send({ method: 'PUT', path: '/api/schema', token, body: VARIED_SCHEMA });
      const imported = await trellis(['import', 'graphml', copy], target);
      expect(imported).toMatchObject({ code: 0 });
      // It ends lines as systems do, and has 17 digits for what has fewer of 32 bits.
      const manifest = (lines: readonly string[]) =>
        lines.filter((line) => !/\\r|EFloat|FFloat/.test(line));
      const expected = manifest(await manifestOf(source));
      expect(expected.length).toBeGreaterThan(10);
      expect(manifest(await manifestOf(target))).toEqual(expected);
    },
  );

  test.skipIf(requireNetworkx())('write GraphML of their own, which comes in', async () => {
    const file = at('of-networkx.graphml');
    const code = `
import networkx, sys
graph = networkx.Graph(name='friends')
graph.add_node('ann', age=41, tall=True, **{'first name': 'Ann'})
graph.add_node(7, size=1.5)
graph.add_edge('ann', 7, weight=0.25)
networkx.write_graphml(graph, sys.argv[1])`;
    run('python3', ['-c', code, file]);
    await using target = await startWorkspace();
    const args = ['import', 'graphml', file, '--type', 'Person', '--edge', 'Knows'];
    expect(await trellis(args, target)).toMatchObject({ code: 0 });
    const lines = (await manifestOf(target)).map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { op: 'addOrUpdate', key: '7', fields: { size: 1.5 } },
      { op: 'addOrUpdate', key: 'ann', fields: { age: 41, tall: true, first_name: 'Ann' } },
      {
        op: 'link',
        from: { key: 'ann' },
        edge: 'Knows',
        to: { key: '7' },
        fields: { weight: 0.25 },
      },
      { op: 'schema' },
    ]);
  });

  test('of others make nodes of one type, once or again and again', async () => {
    const file = at('others.nt');
    const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
    writeFileSync(
      file,
      `<http://x/ann> ${type} <http://x/Person> .\n<http://x/ann> <http://x/name> "Ann" .\n`,
    );
    await using target = await startWorkspace();
    const load = async () =>
      JSON.parse((await trellis(['import', 'nquads', file, '--json'], target)).stdout);
    expect(await load()).toMatchObject({ nodes: 3, created: 2, edges: 1 });
    expect(await load()).toMatchObject({ nodes: 0, edges: 0 });
    const got = await trellis(['node', 'get', 'Resource:http://x/ann', '--json'], target);
    expect(JSON.parse(got.stdout)).toMatchObject({ node: { Iri: 'http://x/ann', name: 'Ann' } });
  });
});
