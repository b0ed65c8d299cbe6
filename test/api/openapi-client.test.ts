import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { HttpError } from '@oazapfts/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** What people would write who have the generated client and nothing else. */
const PROGRAM = `
import * as api from './api.ts';

export async function useApi(baseUrl: string, password: string) {
  api.defaults.baseUrl = baseUrl;
  const { token } = await api.createLogin({ body: { user: 'admin', password } });
  api.defaults.headers = { authorization: 'Bearer ' + token };
  await api.ingest({
    body: { operations: [{ op: 'addOrUpdate', type: 'Book', key: '1', fields: { Title: 'Trellis', Pages: 7 } }] },
  });
  const list = await api.queryNodes({ nodeQuery: { type: 'Book', take: 5 } });
  const total: number = list.total;
  const uid: string = list.items[0]?.UID ?? '';
  const node: api.NodeObject = await api.getNode({ uid });
  const csv: string = await api.downloadCsv({ nodeSelection: { type: 'Book', fields: ['Title'] } });
  const users = await api.listUsers({ skip: 0, take: 1 });
  const synonyms = await api.putSynonyms({
    token: 'dog', lang: 'en', replace: true, synonymLists: { Synonyms: ['hound'], Alternates: [], Blocked: [] },
  });
  const name: string = (await api.getEndpoint({ name: 'books/count' })).name;
  const run = await api.runEndpoint({ name: 'books/count', body: { least: 1 } });
  const own = await api.runBooksCount({ body: { least: 1 } });
  await api.deleteEndpoint({ name: 'books/count' });
  return { total, node, csv, users: users.items.length, synonyms: synonyms.Synonyms, name, run, own };
}

export const missing = () => api.getNode({ uid: 'nobody' });

// @ts-expect-error a type is asked for by its name, and not by a number
export const wrong = () => api.queryNodes({ nodeQuery: { type: 7 } });
// @ts-expect-error the endpoint takes a number
export const wrongToo = () => api.runBooksCount({ body: { least: 'one' } });
`;
const COUNT = `
export const input = z.object({ least: z.int() });
export default async ({ body, q }: Scope<{ least: number }>) => (await q().startAt('Book').count()) >= body.least;
`;

let workspace: TestWorkspace;
let folder: string;
beforeAll(async () => {
  workspace = await startWorkspace();
  // Among what the repository has installed: the client is a program of somebody who has installed
  // its runtime.
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'openapi-client-'));
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Program {
  useApi(baseUrl: string, password: string): Promise<unknown>;
  missing(): Promise<unknown>;
}

test('a client that a public generator makes compiles strictly, and works', async () => {
  const { http, token, server } = workspace;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  const count = { name: 'books/count', code: COUNT, isReadOnly: true };
  const created = await http.send({ path: '/api/endpoints/create', token, body: count });
  expect(created.json).toMatchObject({ compiles: true });
  const { text } = await http.send({ path: '/api/openapi.json', token });
  await writeFile(join(folder, 'openapi.json'), text);
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  const bin = (name: string): string => join(ROOT, 'node_modules', name);
  const style = ['--optimistic', '--useUnknown', '--argumentStyle=object'];
  const generator = join(dirname(require.resolve('oazapfts')), 'cli.cjs');
  await run(process.execPath, [generator, 'openapi.json', 'api.ts', ...style], { cwd: folder });
  const options =
    '--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --erasableSyntaxOnly --allowImportingTsExtensions --target es2024 --module nodenext --types node';
  const compiler = bin('typescript/bin/tsc');
  const compiled = await run(process.execPath, [compiler, ...options.split(' '), 'program.ts'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

  const url = pathToFileURL(join(folder, 'program.ts')).href;
  const program = (await import(/* @vite-ignore */ url)) as Program;
  expect(await program.useApi(server.url, 'correct horse battery')).toEqual({
    total: 1,
    node: expect.objectContaining({ Type: 'Book', Title: 'Trellis', Pages: 7 }),
    csv: expect.stringContaining('Trellis'),
    users: 1,
    synonyms: ['hound'],
    name: 'books/count',
    run: true,
    own: true,
  });
  const failure: unknown = await program.missing().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(HttpError);
  expect(failure).toMatchObject({ status: 404, data: { error: { code: 'node_not_found' } } });
});
