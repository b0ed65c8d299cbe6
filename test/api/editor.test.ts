import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorChannel } from '@trellis/client/editor-channel.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { ENDPOINT_CODE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { webSocketRequests } from '@trellis/contract/web-socket.ts';
import { People } from '../support/people.ts';
import { scale, seed } from '../support/scale.ts';
import { LIBRARY_SCHEMA, startWorkspace } from '../support/workspace.ts';

const TOOK_TOO_LONG = 'Checking the types of this code took too long: simplify them.';

let people: People;
let client: TrellisClient;
let editor: EditorChannel;

beforeAll(async () => {
  people = await People.start();
  client = clientOf('admin');
  await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
  editor = client.build.openEditor();
});
afterAll(async () => {
  editor.close();
  await people[Symbol.asyncDispose]();
});

function clientOf(name: string): TrellisClient {
  return new TrellisClient({ baseUrl: people.workspace.server.url, token: people.tokenOf(name) });
}

/** The place of `|`, which is cut out, in the body of an endpoint. */
function place(marked: string) {
  const text = `export default async ({ body, graph, q }: Scope<{ isbn: string }>) => {\n${marked}\n};\n`;
  const offset = text.indexOf('|');
  const before = text.slice(0, offset).split('\n');
  const code = text.slice(0, offset) + text.slice(offset + 1);
  return { code, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

async function labels(marked: string, by = editor): Promise<string[]> {
  const { items } = await by.completions(place(marked));
  return items.map(({ label }) => label);
}

async function failureOf(request: Promise<unknown>): Promise<TrellisError> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TrellisError)) throw new Error(`no refusal: ${String(error)}`);
  return error;
}

describe('an editor', () => {
  test('completes node types, edges, fields and methods, in the middle of broken code', async () => {
    expect(await labels("const x = = 1;\nq().startAt('|")).toEqual(
      expect.arrayContaining(['Author', 'Book', '_User']),
    );
    expect(await labels("q().startAt('Book').out('Author', '|')")).toEqual(
      expect.arrayContaining(['WrittenBy', 'Wrote']),
    );
    const fields = ['Id', 'Isbn', 'Pages', 'Published', 'Tags', 'Timestamp', 'Title', 'UID'];
    expect(await labels("q().startAt('Book').where('|")).toEqual(fields);
    expect(await labels("const b = await graph.get('Book', body.|")).toEqual(['isbn']);
    expect(await labels('graph.|')).toEqual(expect.arrayContaining(['get', 'addOrUpdate']));
    const { result } = webSocketRequests.EDITOR_COMPLETION;
    const answer = await editor.completions(place('|'));
    expect(result.parse(answer)).toEqual(answer);
  });

  test('is told what a name means', async () => {
    const answer = await editor.hover(place("const b = await graph.get('Book', 'x'); b.Pa|ges"));
    expect(answer).toEqual({
      contents: 'Pages: number | undefined',
      documentation: 'Int: 32 bits.',
      range: { start: { line: 2, column: 43 }, end: { line: 2, column: 48 } },
    });
    expect(webSocketRequests.EDITOR_HOVER.result.parse(answer)).toEqual(answer);
    expect(await editor.hover(place("'|'"))).toBeNull();
  });

  test('is told how a call is written', async () => {
    const answer = await editor.signatureHelp(place("await q().startAt('Book', |\nconst y = 1;"));
    expect(answer).toMatchObject({
      signatures: [
        {
          label: 'startAt(type: "Book", keys?: string | readonly string[]): Query<BookNode>',
          documentation: expect.stringContaining('All nodes of a type'),
        },
      ],
      activeSignature: 0,
      activeParameter: 1,
    });
    expect(webSocketRequests.EDITOR_SIGNATURE.result.parse(answer)).toEqual(answer);
    expect(await editor.signatureHelp(place('|'))).toBeNull();
  });

  test('knows a change of the schema with its next request', async () => {
    expect(await labels("graph.get('|')")).not.toContain('Shelf');
    await client.schema.put({ nodes: [{ type: 'Shelf', fields: { Floor: 'Int' } }], edges: [] });
    expect(await labels("graph.get('|')")).toContain('Shelf');
    expect(await labels("q().startAt('Shelf').where('|')")).toContain('Floor');
    const code = "export default ({ q }: Scope) => q().startAt('Shelf').sortBy('Floor').count();";
    expect(await editor.diagnostics({ code })).toEqual({ diagnostics: [] });
  });

  test('is told the same as who checks the code, whatever the code is', async () => {
    const files = globSync('{samples/*/endpoints,server/system-endpoints}/*.ts');
    const corpus = files.map((file) => readFileSync(join(process.cwd(), file), 'utf8'));
    expect(corpus.length).toBeGreaterThan(3);
    const drafts = fc.record({
      code: fc
        .tuple(fc.constantFrom(...corpus), fc.nat(), fc.nat(40), fc.string({ maxLength: 12 }))
        .map(([code, at, length, inserted]) => {
          const start = at % code.length;
          return code.slice(0, start) + inserted + code.slice(start + length);
        }),
      isReadOnly: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(drafts, async (draft) => {
        const [told, checked] = await Promise.all([
          editor.diagnostics(draft),
          client.endpoints.check(draft),
        ]);
        expect(told).toEqual(checked);
      }),
      { seed: seed(), numRuns: scale({ sample: 50, soak: 2_000 }) },
    );
    for (const code of corpus) {
      const told = await editor.diagnostics({ code, isReadOnly: true });
      expect(told).toEqual(await client.endpoints.check({ code, isReadOnly: true }));
    }
  });
});

describe('nobody else', () => {
  test('is answered: no user, no other token, no stranger', async () => {
    await people.add('ada');
    await people.addToken('robot', { kind: 'api', name: 'robot', scopes: ['read'] });
    const codes = await Promise.all(
      ['ada', 'robot', 'nobody'].map(async (name) => {
        using other = clientOf(name).build.openEditor();
        return (await failureOf(other.completions(place('|')))).code;
      }),
    );
    // Without any token, the first message is not one.
    expect(codes).toEqual(['forbidden', 'forbidden', 'invalid_request']);
    using unknown = new TrellisClient({
      baseUrl: people.workspace.server.url,
      token: 'nonsense',
    }).build.openEditor();
    expect(await failureOf(unknown.hover(place('|')))).toMatchObject({ code: 'invalid_token' });
  });
});

describe('what is asked too much', () => {
  test('1,000 requests at once: the last is answered, and the server lives', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => labels('graph.|')),
    );
    expect(outcomes.at(-1)).toMatchObject({
      status: 'fulfilled',
      value: expect.arrayContaining(['get']),
    });
    const refusals = outcomes.filter(({ status }) => status === 'rejected');
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ reason: { code: 'request_superseded' } });
    }
    expect(refusals.length).toBeGreaterThan(900);
    const checks = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => editor.diagnostics({ code: 'export default 1' })),
    );
    const codes = checks.map((check) => (check.status === 'rejected' ? check.reason.code : 'ok'));
    expect(new Set(codes)).toEqual(new Set(['ok', 'too_many_requests']));
    expect(await client.status.getReady()).toBe(true);
  });

  test('code that is too long, and places that are not there', async () => {
    const code = `//${'x'.repeat(ENDPOINT_CODE_BYTES_MAX - 2)}`;
    expect(await editor.hover({ code, line: 1, column: code.length + 1 })).toBeNull();
    const tooLong = editor.hover({ code: `${code}x`, line: 1, column: 1 });
    expect(await failureOf(tooLong)).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path: 'code' }] },
    });
    for (const [line, column] of [
      [2, 1],
      [1, 3],
      [Number.MAX_SAFE_INTEGER, 1],
      [1, 0],
      [1.5, 1],
    ] as const) {
      const outside = editor.signatureHelp({ code: 'a', line, column });
      expect(await failureOf(outside)).toMatchObject({ code: 'invalid_request' });
    }
    expect(await labels('graph.|')).toContain('get');
  });

  test('types that take the compiler too long: others are served meanwhile, and all after it', async () => {
    const bomb = `export default () => ${'['.repeat(20_000)}`;
    const [{ diagnostics }, offered, { items }] = await Promise.all([
      editor.diagnostics({ code: bomb }),
      labels('graph.|'),
      client.endpoints.list(),
    ]);
    expect(diagnostics).toEqual([expect.objectContaining({ message: TOOK_TOO_LONG })]);
    expect(offered).toContain('get');
    expect(items.length).toBeGreaterThan(0);
  });
});

describe('the channel', () => {
  test('forgets a request that was aborted', async () => {
    const reason = new Error('typed on');
    const aborting = new AbortController();
    const request = editor.hover(place('gr|aph'), { signal: aborting.signal });
    aborting.abort(reason);
    await expect(request).rejects.toBe(reason);
    await expect(editor.hover(place('|'), { signal: aborting.signal })).rejects.toBe(reason);
    expect(await editor.hover(place('gr|aph'))).toMatchObject({ contents: 'graph: Graph' });
  });

  test('opens again after a close, with the token of that moment', async () => {
    const own = clientOf('admin');
    using channel = own.build.openEditor();
    expect(await labels('body.|', channel)).toEqual(['isbn']);
    const unanswered = failureOf(channel.hover(place('gr|aph')));
    channel.close();
    expect(await unanswered).toMatchObject({ code: 'connection_failed' });
    expect(await labels('body.|', channel)).toEqual(['isbn']);
    channel.close();
    own.token = 'nonsense';
    expect(await failureOf(channel.hover(place('|')))).toMatchObject({ code: 'invalid_token' });
    own.token = people.token('admin');
    expect(await labels('body.|', channel)).toEqual(['isbn']);
  });

  test('says that the server stops, and that nobody is there', async () => {
    await using stopping = await startWorkspace();
    const { url } = stopping.server;
    using channel = new TrellisClient({ baseUrl: url, token: stopping.token }).build.openEditor();
    expect(await labels('|', channel)).toContain('graph');
    expect(await stopping.server.stop()).toBe(0);
    expect(await failureOf(channel.hover(place('|')))).toMatchObject({ code: 'connection_failed' });
  });
});
