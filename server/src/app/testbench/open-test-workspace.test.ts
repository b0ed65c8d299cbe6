import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Graph, Scope } from '@trellis/endpoint/scope.ts';
import type { TestWorkspaceOptions } from '@trellis/endpoint/testing.ts';
import { describe, expect, it } from 'vitest';
import { openTestWorkspace } from './open-test-workspace.ts';

/**
 * What the scope does by itself is in test/api/test-bench.test.ts, against a server: here is what
 * is the bench's own.
 */

const SCHEMA = {
  nodes: [{ type: 'Book', key: 'Isbn', fields: { Title: 'String' } }],
  edges: [{ type: 'Cites', inverse: 'CitedBy' }],
};
const book = (key: string) => ({ type: 'Book', key }) as const;
const open = (options: TestWorkspaceOptions = {}) =>
  openTestWorkspace({ schema: SCHEMA, ...options });

/** Without the types of a schema, which a server makes. */
interface AnyScope extends Pick<
  Scope,
  'run' | 'fetch' | 'progress' | 'signal' | 'log' | 'headers'
> {
  readonly body: unknown;
  readonly graph: { [Name in keyof Graph]: (...args: readonly unknown[]) => Promise<unknown> };
  q(): {
    startAt(type: string): { uids(): Promise<string[]>; asUser(): { uids(): Promise<string[]> } };
  };
}
const seen = ({ q }: AnyScope) => q().startAt('Book').asUser().uids();
const failure = async (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what a workspace is filled with', () => {
  it('has nodes, edges, and the time that it is told', async () => {
    await using workspace = await open({
      nodes: [{ ...book('a'), fields: { Title: 'A' } }, book('b')],
      edges: [{ from: book('a'), edge: 'Cites', to: book('b') }],
      now: () => 0,
    });
    const a = await workspace.evaluate(({ graph }: AnyScope) => graph.get('Book', 'a'));
    expect(a).toMatchObject({ Title: 'A', Timestamp: '1970-01-01T00:00:00.000Z' });
  });

  it('has users and teams, in teams, who see what they are let see', async () => {
    await using workspace = await open({
      nodes: [book('a'), book('b'), book('c')],
      users: [{ name: 'Ada' }, { name: 'ben' }, { name: 'root', isAdmin: true }],
      teams: [
        { name: 'inner', members: ['ada'] },
        { name: 'outer', teams: ['inner'] },
      ],
      restrictions: [
        { node: book('b'), team: 'outer' },
        { node: book('c'), user: 'ben' },
      ],
      edges: [{ from: { user: 'ada' }, edge: '_Owns', to: book('c') }],
    });
    const count = async (user: string, settings = {}) =>
      Object((await workspace.run(seen, { user, ...settings })).body).length;
    expect(await count('ada')).toBe(3);
    expect(await count('ben')).toBe(2);
    expect(await count('root')).toBe(3);
    expect(await count('ben', { runAsAdmin: true })).toBe(3);
  });

  it.each<[string, TestWorkspaceOptions]>([
    ['invalid_request', { schema: { nodes: [{ type: '_Own', fields: {} }] } }],
    ['invalid_request', { schema: { nodes: [{ type: 'Book', fields: { Title: 'Text' } }] } }],
    ['invalid_operation', { nodes: [{ type: '_User', key: 'eve' }] }],
    ['invalid_operation', { edges: [{ from: book('none'), edge: 'Cites', to: book('none') }] }],
    ['user_not_found', { restrictions: [{ node: book('a'), user: 'nobody' }], nodes: [book('a')] }],
    ['team_not_found', { edges: [{ from: { team: 'none' }, edge: 'Cites', to: book('a') }] }],
    ['invalid_request', { endpoints: { 'a b': () => 1 } }],
  ])('refuses what a server refuses: %s', async (code, options) => {
    expect(await failure(open(options))).toMatchObject({ code });
  });

  it('shares nothing with another workspace of the process', async () => {
    await using one = await open({ nodes: [book('a')] });
    await using other = await open();
    const asked = [one, other, one].map((workspace) =>
      workspace.run(({ q }: AnyScope) => q().startAt('Book').uids()),
    );
    const counts = (await Promise.all(asked)).map(({ body }) => Object(body).length);
    expect(counts).toEqual([1, 0, 1]);
  });
});

describe('a run', () => {
  it('logs and says how far it is', async () => {
    await using workspace = await open();
    await workspace.run(async function counting({ log, progress, q }: AnyScope) {
      log.warn('so', { a: 1 });
      progress(0.25, 'passed over: the newest is told');
      progress(0.5, 'half');
      await q().startAt('Book').uids();
      progress('nearly');
    });
    const line = { level: 'warn', endpoint: 'counting', message: 'so', data: { a: 1 } };
    expect(workspace.logs).toEqual([line]);
    expect(workspace.progress).toEqual([
      { fraction: 0.5, text: 'half' },
      { fraction: null, text: 'nearly' },
    ]);
  });

  it('reaches the servers that the test stands for', async () => {
    const asked: unknown[] = [];
    await using workspace = await open({
      fetch: {
        'https://api.example.com': (url, { method, body }) => {
          asked.push([url, method, body]);
          return Response.json({ a: 1 }, { status: 201 });
        },
      },
    });
    const { body } = await workspace.run(async ({ fetch }: AnyScope) => {
      const answer = await fetch('https://api.example.com/x', { method: 'POST', body: 'b' });
      return [answer.status, await answer.json()];
    });
    expect(body).toEqual([201, { a: 1 }]);
    expect(asked).toEqual([['https://api.example.com/x', 'POST', 'b']]);
  });

  it('takes the settings of a file from its header, and those of the call before them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-bench-'));
    try {
      const file = join(folder, 'writes.ts');
      writeFileSync(
        file,
        '// trellis: readOnly\n// trellis: cacheSeconds 9\nexport default ({ graph }: any) => typeof graph.update;',
      );
      await using workspace = await open({ endpoints: { 'a/writes': pathToFileURL(file) } });
      expect((await workspace.run(pathToFileURL(file))).body).toBe('undefined');
      expect((await workspace.run('a/writes')).body).toBe('undefined');
      expect((await workspace.run('a/writes', { isReadOnly: false })).body).toBe('function');
      expect((await workspace.run('a/writes')).body).toBe('undefined');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps those out who may not call, as a server does', async () => {
    await using workspace = await open({
      users: [{ name: 'ada' }, { name: 'root', isAdmin: true }],
    });
    const call = (user: string) => workspace.run(() => 1, { user, access: 'admins' });
    expect(await call('root')).toEqual({ status: 200, body: 1 });
    const hidden = { status: 404, body: { error: { code: 'endpoint_not_found' } } };
    expect(await call('ada')).toMatchObject(hidden);
    expect(await failure(call('eve'))).toMatchObject({ code: 'user_not_found' });
  });

  it('cannot write through another endpoint what it may not write itself', async () => {
    await using workspace = await open({
      endpoints: { writes: ({ graph }: AnyScope) => graph.addOrUpdate('Book', 'a') },
    });
    const error = await failure(
      workspace.run(({ run }: AnyScope) => run('writes'), { isReadOnly: true }),
    );
    expect(error).toMatchObject({
      code: 'endpoint_failed',
      cause: { cause: { code: 'forbidden' } },
    });
  });
});

describe('search by meaning', () => {
  const texts = {
    sea: 'the sea',
    ship: 'a ship at sea',
    bread: 'some bread',
    loaf: 'a loaf of bread',
  };
  const MEANING: TestWorkspaceOptions = {
    nodes: Object.entries(texts).map(([key, Title]) => ({ ...book(key), fields: { Title } })),
    users: [{ name: 'ada' }],
    restrictions: [{ node: book('ship'), team: 'sailors' }],
    teams: [{ name: 'sailors' }],
    search: { types: { Book: { fields: { Title: { vector: {} } } } } },
  };
  /** Counts these words in a text. */
  const embed = (text: string) =>
    ['sea', 'ship', 'bread', 'loaf'].map((word) => text.split(word).length - 0.9);
  interface Meaning extends AnyScope {
    searchAsUser(request: unknown): Promise<{ hits: { node: { Id: string } }[] }>;
  }
  const near = ({ q, body }: Meaning) => idsOf(Object(q()).startAtSimilarText(body, 2));
  const idsOf = async (query: { nodes(): Promise<{ Id: string }[]> }) =>
    (await query.nodes()).map(({ Id }) => Id);

  it('has the vectors that a function of the test makes', async () => {
    const models = new Set<string>();
    await using workspace = await open({
      ...MEANING,
      embed: async (text, model) => {
        models.add(model);
        return embed(text);
      },
    });
    const run = async (code: (scope: Meaning) => unknown, body?: unknown) =>
      (await workspace.run(code, { user: 'ada', body })).body;
    expect(await run(near, 'sea, and a ship')).toEqual(['ship', 'sea']);
    const asUser = ({ q }: Meaning) =>
      idsOf(Object(q()).startAtSimilarText('sea ship', 2).asUser());
    expect(((await run(asUser)) as string[])[0]).toBe('sea');
    const similar = ({ q }: Meaning) => idsOf(Object(q()).startAt('Book', 'loaf').similar(1));
    expect(await run(similar)).toEqual(['bread']);
    const search = async ({ searchAsUser }: Meaning) => {
      const { hits } = await searchAsUser({ query: 'bread', mode: 'vector', take: 1 });
      return hits.map(({ node }) => node.Id);
    };
    expect(await run(search)).toEqual(['bread']);
    await workspace.evaluate(({ graph }: AnyScope) =>
      graph.update('Book', 'bread', { Title: 'ships, the sea' }),
    );
    expect(((await run(near, 'sea and ship')) as string[]).toSorted()).toEqual(['bread', 'ship']);
    expect([...models]).toEqual(['test']);
  });

  it('is refused without such a function', async () => {
    const search = { types: { Book: { fields: { Title: { vector: { model: 'm' } } } } } };
    await using workspace = await open({ ...MEANING, search });
    const error = await failure(workspace.run(near, { body: 'sea' }));
    expect(error).toMatchObject({ cause: { code: 'embeddings_not_configured' } });
    expect(await failure(open(MEANING))).toMatchObject({ code: 'invalid_request' });
  });
});

describe('a run that fails', () => {
  it('rejects with what the code threw, whatever that is', async () => {
    await using workspace = await open();
    const thrown = new RangeError('on purpose');
    const run = (value: unknown) =>
      failure(
        workspace.run(() => {
          throw value;
        }),
      );
    expect(await run(thrown)).toMatchObject({
      code: 'endpoint_failed',
      message: 'The endpoint failed: on purpose',
      cause: thrown,
    });
    expect(await run('a text')).toMatchObject({ message: 'The endpoint failed: a text' });
    expect(await failure(workspace.run(() => 1n))).toMatchObject({
      message: expect.stringContaining('BigInt'),
    });
  });

  it('says why through the endpoints that called one another', async () => {
    const thrown = new Error('deep down');
    await using workspace = await open({
      endpoints: {
        inner: () => {
          throw thrown;
        },
        outer: ({ run }: AnyScope) => run('inner'),
      },
    });
    const error = await failure(workspace.run('outer'));
    expect(error).toMatchObject({ cause: { code: 'endpoint_failed', cause: thrown } });
    const { cause } = error as Error;
    expect(String(Object(cause).stack)).toMatch(
      /^Problem: The endpoint "inner" failed\n +at .*outer/s,
    );
  });

  it('ends when its time is over', async () => {
    await using workspace = await open();
    const never = () => new Promise(() => undefined);
    const error = await failure(workspace.run(never, { timeoutMs: 1 }));
    expect(error).toMatchObject({ code: 'endpoint_timeout' });
    expect(await workspace.run(() => 1)).toEqual({ status: 200, body: 1 });
  });

  it('ends when the caller leaves, of which its code is told', async () => {
    await using workspace = await open();
    const caller = new AbortController();
    const told = Promise.withResolvers<boolean>();
    const reason = new Error('gone');
    const run = workspace.run(
      ({ signal }: AnyScope) => {
        signal.addEventListener('abort', () => told.resolve(signal.aborted));
        caller.abort(reason);
        return new Promise(() => undefined);
      },
      { signal: caller.signal },
    );
    expect(await failure(run)).toBe(reason);
    expect(await told.promise).toBe(true);
    const again = failure(workspace.run(() => 1, { signal: caller.signal }));
    expect(await again).toBe(reason);
  });
});

it('finds modules by the imports of the package, and holds their types against bodies', async () => {
  using folder = temporaryPackage({
    'package.json': '{"type": "module", "imports": {"#lib/*": "./lib/*"}}',
    'lib/prices.ts':
      'export interface Order { readonly pages: number }\nexport const price = ({ pages }: Order) => pages * 10;\n',
    'endpoints/quote.ts':
      "import { type Order, price } from '#lib/prices.ts';\n" +
      'export default async ({ body }: Scope<Order>) => price(body);\n',
  });
  await using workspace = await open();
  const quote = new URL('endpoints/quote.ts', folder.url);
  expect(await workspace.run(quote, { body: { pages: 3 } })).toEqual({ status: 200, body: 30 });
  expect(await workspace.run(quote, { body: { pages: 'x' } })).toMatchObject({ status: 400 });
});

function temporaryPackage(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), 'trellis-package-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return {
    url: pathToFileURL(`${path}/`),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}
