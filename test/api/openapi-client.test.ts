import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What people would write who have a generated client and nothing else: functions of oazapfts. */
const OAZAPFTS = `
import { HttpError } from '@oazapfts/runtime';
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
  const missing = await api.getNode({ uid: 'nobody' }).catch((error: unknown) => error);
  const code: unknown = missing instanceof HttpError ? missing.data.error.code : missing;
  return { total, node, csv, users: users.items.length, synonyms: synonyms.Synonyms, name, run, own, code };
}

// @ts-expect-error a type is asked for by its name, and not by a number
export const wrong = () => api.queryNodes({ nodeQuery: { type: 7 } });
// @ts-expect-error the endpoint takes a number
export const wrongToo = () => api.runBooksCount({ body: { least: 'one' } });
`;
/** A client over the types of openapi-typescript. */
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

export async function useApi(baseUrl: string, password: string) {
  const client = createClient<paths>({ baseUrl });
  const login = await client.POST('/api/login/create', { body: { user: 'admin', password } });
  const token: string | undefined = login.data?.token;
  client.use({ onRequest: ({ request }) => request.headers.set('authorization', \`Bearer \${token}\`) });
  await client.POST('/api/ingest', {
    body: { operations: [{ op: 'addOrUpdate', type: 'Book', key: '1', fields: { Title: 'Trellis', Pages: 7 } }] },
  });
  const { data: list } = await client.POST('/api/node/query', { body: { type: 'Book', take: 5 } });
  const node: components['schemas']['NodeObject'] | undefined = list?.items[0];
  const { data: csv } = await client.POST('/api/node/download/csv', {
    body: { type: 'Book', fields: ['Title'] },
    parseAs: 'text',
  });
  const { data: users } = await client.GET('/api/users', { params: { query: { skip: 0, take: 1 } } });
  const { data: synonyms } = await client.PUT('/api/search/synonyms/for', {
    params: { query: { token: 'dog', lang: 'en', replace: true } },
    body: { Synonyms: ['hound'], Alternates: [], Blocked: [] },
  });
  const path = { name: 'books/count' };
  const { data: endpoint } = await client.GET('/api/endpoints/{name}', { params: { path } });
  const { data: run } = await client.POST('/api/endpoints/run/{name}', { params: { path }, body: { least: 1 } });
  const { data: own } = await client.POST('/api/endpoints/run/books/count', { body: { least: 1 } });
  await client.DELETE('/api/endpoints/{name}', { params: { path } });
  const missing = await client.GET('/api/node/{uid}', { params: { path: { uid: 'nobody' } } });
  return {
    total: list?.total, node, csv, users: users?.items.length, synonyms: synonyms?.Synonyms,
    name: endpoint?.name, run, own, code: missing.error?.error.code,
  };
}

const unused = createClient<paths>();
// @ts-expect-error a type is asked for by its name, and not by a number
export const wrong = () => unused.POST('/api/node/query', { body: { type: 7 } });
// @ts-expect-error the endpoint takes a number
export const wrongToo = () => unused.POST('/api/endpoints/run/books/count', { body: { least: 'one' } });
`;

/** Functions of Hey API. */
const HEY_API = `
import { client } from './api/client.gen.ts';
import * as api from './api/index.ts';

export async function useApi(baseUrl: string, password: string) {
  client.setConfig({ baseUrl });
  const throwOnError = true;
  const login = await api.createLogin({ body: { user: 'admin', password }, throwOnError });
  client.setConfig({ auth: login.data.token });
  await api.ingest({
    body: { operations: [{ op: 'addOrUpdate', type: 'Book', key: '1', fields: { Title: 'Trellis', Pages: 7 } }] },
  });
  const { data: list } = await api.queryNodes({ body: { type: 'Book', take: 5 }, throwOnError });
  const node: api.NodeObject | undefined = list.items[0];
  const { data: csv } = await api.downloadCsv({ body: { type: 'Book', fields: ['Title'] }, throwOnError });
  const { data: users } = await api.listUsers({ query: { skip: 0, take: 1 }, throwOnError });
  const { data: synonyms } = await api.putSynonyms({
    query: { token: 'dog', lang: 'en', replace: true },
    body: { Synonyms: ['hound'], Alternates: [], Blocked: [] },
    throwOnError,
  });
  const path = { name: 'books/count' };
  const { data: endpoint } = await api.getEndpoint({ path, throwOnError });
  const { data: run } = await api.runEndpoint({ path, body: { least: 1 } });
  const { data: own } = await api.runBooksCount({ body: { least: 1 } });
  await api.deleteEndpoint({ path, throwOnError });
  const { error } = await api.getNode({ path: { uid: 'nobody' } });
  return {
    total: list.total, node, csv, users: users.items.length, synonyms: synonyms.Synonyms,
    name: endpoint.name, run, own, code: error?.error.code,
  };
}

// @ts-expect-error a type is asked for by its name, and not by a number
export const wrong = () => api.queryNodes({ body: { type: 7 } });
// @ts-expect-error the endpoint takes a number
export const wrongToo = () => api.runBooksCount({ body: { least: 'one' } });
`;

const COUNT = `
export const input = z.object({ least: z.int() });
export default async ({ body, q }: Scope<{ least: number }>) => (await q().startAt('Book').count()) >= body.least;
`;

interface Generator {
  /** Its program, among the packages. */
  readonly command: string;
  readonly options: readonly string[];
  readonly program: string;
  readonly compilerOptions: string;
}

const NODE_MODULES = '--module nodenext --erasableSyntaxOnly';

/** As their documents say to call them. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  oazapfts: {
    command: 'oazapfts/dist/cli.cjs',
    options: ['openapi.json', 'api.ts', '--optimistic', '--useUnknown', '--argumentStyle=object'],
    program: OAZAPFTS,
    compilerOptions: NODE_MODULES,
  },
  'openapi-typescript': {
    command: 'openapi-typescript/bin/cli.js',
    options: ['openapi.json', '--default-non-nullable=false', '--output', 'api.ts'],
    program: OPENAPI_FETCH,
    compilerOptions: NODE_MODULES,
  },
  '@hey-api/openapi-ts': {
    command: '@hey-api/openapi-ts/dist/run.mjs',
    options: ['--input', 'openapi.json', '--output', 'api', '--no-log-file'],
    program: HEY_API,
    compilerOptions: '--module esnext --moduleResolution bundler',
  },
};

let workspace: TestWorkspace;
let cache: string;
beforeAll(async () => {
  workspace = await startWorkspace();
  const { http, token } = workspace;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  // Among what the repository has installed: a client is a program of somebody who has installed
  // its runtime.
  cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** Makes the client of the workspace as it is. */
async function generate({ command, options, program }: Generator, folder: string): Promise<void> {
  const { http, token } = workspace;
  // The program before has deleted it, if it went well.
  await http.send({ method: 'DELETE', path: '/api/endpoints/books/count', token });
  const count = { name: 'books/count', code: COUNT, isReadOnly: true };
  const created = await http.send({ path: '/api/endpoints/create', token, body: count });
  expect(created.json).toMatchObject({ compiles: true });
  const { text } = await http.send({ path: '/api/openapi.json', token });
  await writeFile(join(folder, 'openapi.json'), text);
  await writeFile(join(folder, 'program.ts'), program);
  const typescript = join(import.meta.dirname, '../support/older-typescript.mjs');
  const generator = join(ROOT, 'node_modules', command);
  const args = ['--import', pathToFileURL(typescript).href, generator, ...options];
  await run(process.execPath, args, { cwd: folder });
}

interface Program {
  useApi(baseUrl: string, password: string): Promise<unknown>;
}

test.each(Object.entries(GENERATORS))(
  'a client that %s makes compiles strictly, and works',
  async (_, generator) => {
    const folder = await mkdtemp(join(cache, 'openapi-client-'));
    try {
      await generate(generator, folder);
      const strict = `--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --allowImportingTsExtensions --target es2024 --types node`;
      const options = [...strict.split(' '), ...generator.compilerOptions.split(' ')];
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const compiled = await run(process.execPath, [compiler, ...options, 'program.ts'], {
        cwd: folder,
      }).catch((error: { stdout: string }) => error);
      expect(compiled.stdout).toBe('');

      const url = pathToFileURL(join(folder, 'program.ts')).href;
      const program = (await import(/* @vite-ignore */ url)) as Program;
      expect(await program.useApi(workspace.server.url, 'correct horse battery')).toEqual({
        total: 1,
        node: expect.objectContaining({ Type: 'Book', Title: 'Trellis', Pages: 7 }),
        csv: expect.stringContaining('Trellis'),
        users: 1,
        synonyms: ['hound'],
        name: 'books/count',
        run: true,
        own: true,
        code: 'node_not_found',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
