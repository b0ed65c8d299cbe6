import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testWorkspace, type TestWorkspace } from '@trellis/endpoint/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORPUS, EDGES, NODES, RESTRICTION, SCHEMA } from '../support/endpoint-corpus.ts';
import { People } from '../support/people.ts';

/** Endpoints answer in a test workspace what they answer on a server that holds the same graph. */

const SAMPLES = join(import.meta.dirname, '../../samples/wordnet/endpoints');
let people: People;
let bench: TestWorkspace;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-corpus-'));
  people = await People.start();
  await people.add('ada');
  await people.add('ben');
  await sent('PUT', '/api/schema', SCHEMA);
  const writes = NODES.map((node) => ({ ...node, op: 'addOrUpdate' }));
  const links = EDGES.map((edge) => ({ ...edge, op: 'link' }));
  const { node } = RESTRICTION;
  const restrict = { op: 'restrict', node, user: { uid: people.uid('ben') } };
  await sent('POST', '/api/ingest', { operations: [...writes, ...links, restrict] });
  const samples = readdirSync(SAMPLES).map(
    (file) => [file, readFileSync(join(SAMPLES, file), 'utf8')] as const,
  );
  const codes = [
    ...samples.map(([file, text]) => [file.replace('.ts', ''), text] as const),
    ...CORPUS,
  ];
  const files: Record<string, URL> = {};
  for (const [name, text] of codes) {
    const isReadOnly = text.startsWith('// trellis: readOnly');
    await sent('POST', '/api/endpoints/create', { name, code: text, isReadOnly });
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, text);
    files[name] = pathToFileURL(file);
  }
  bench = await testWorkspace({
    schema: SCHEMA,
    nodes: NODES,
    edges: EDGES,
    users: [{ name: 'ada' }, { name: 'ben' }],
    restrictions: [RESTRICTION],
    endpoints: files,
  });
});
afterAll(async () => {
  await bench?.[Symbol.asyncDispose]();
  await people?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function sent(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
}

async function compare(name: string, bodies: readonly unknown[]): Promise<void> {
  for (const user of ['ada', 'ben']) {
    for (const body of bodies) {
      const headers = { 'X-Mine': 'é', Authorization: 'Bearer none' };
      const {
        status,
        headers: got,
        json,
      } = await people.workspace.http.send({
        method: 'POST',
        path: `/api/endpoints/run/${name}`,
        token: people.token(user),
        headers: { 'X-Mine': 'é' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const { traceId: _, ...rest } = Object(json) as { traceId?: unknown };
      const isError = json !== null && typeof json === 'object' && 'traceId' in json;
      const answer = await bench.run(name, { body, user, headers });
      expect(
        [answer.status, answer.headers?.['location'], answer.body],
        `${name} ${JSON.stringify(body)}`,
      ).toEqual([
        status,
        status >= 300 && status < 400 ? (got.get('location') ?? undefined) : undefined,
        isError ? rest : json,
      ]);
    }
  }
}

describe('an endpoint answers in a test workspace as on a server', () => {
  it.each(CORPUS.filter(([, , bodies]) => bodies.length > 0))('%s', (name, _, bodies) =>
    compare(name, bodies),
  );

  it.each([
    ['lookup-word', [{ word: 'dog' }, { word: 'PARIS' }, { word: 'none' }, {}]],
    [
      'shortest-path',
      [
        { from: 'dog', to: 'cat' },
        { from: 'dog', to: 'Paris' },
        { from: 'x', to: 'y' },
      ],
    ],
    ['hypernym-path', [{ word: 'dog' }, { word: 'Paris' }, undefined]],
    ['count-by-pos', [undefined]],
  ])('the sample %s', (name, bodies) => compare(name, bodies));

  it('and fails where it fails there', async () => {
    const { status, json } = await people.as('ada', 'POST', '/api/endpoints/run/fails');
    const failure = await bench.run('fails', { user: 'ada' }).catch((error: unknown) => error);
    expect([status, Object(json).error.code]).toEqual([500, 'endpoint_failed']);
    expect(failure).toMatchObject({ code: 'endpoint_failed', cause: new TypeError('on purpose') });
  });
});
