import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt, type Answer } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MEGABYTE = 2 ** 20;
const FIELDS = { Title: 'String', Text: 'String', More: 'String', Tags: 'String[]', Size: 'Float' };

const FIND = `export default async function ({ body, search, badRequest }: Scope) {
  return search(body as SearchRequest).catch((error: Problem) => {
    const { code, details } = error as Problem & { details: object };
    return badRequest({ error: { code, details } });
  });
}`;

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  await ok(
    send('PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'Name', fields: FIELDS }],
      edges: [{ type: 'Refers' }],
    }),
  );
  await ok(
    send('POST', '/api/endpoints/create', {
      name: 'find',
      code: FIND,
      isReadOnly: true,
    }),
  );
  const text = { text: { boost: 1 } };
  const fields = { Title: text, Text: text, More: text, Tags: { facet: true } };
  await ok(send('PUT', '/api/search/settings', { types: { Note: { language: 'auto', fields } } }));
  await write('plain', {
    Title: 'A lantern',
    Text: 'It gives light. \u{1F3EE} \u05d0\u05d1',
    Size: 1,
  });
  await write('lone', { Title: 'Half of a pair: \ud83c stands alone', Tags: ['\ud800'] });
  await write('marked', { Title: 'zero\u200bwidth \u202eleft to right\u202c \u2066lantern\u2069' });
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const { http, token } = workspace;
  return http.send({ method, path, token, body });
}

async function ok(request: Promise<Answer>): Promise<Answer> {
  const answer = await request;
  expect(answer.status, answer.text.slice(0, 1_000)).toBeLessThan(300);
  return answer;
}

async function write(key: string, fields: object): Promise<void> {
  const operations = [{ op: 'addOrUpdate', type: 'Note', key, fields }];
  await ok(send('POST', '/api/ingest', { operations }));
  await untilIndexed(workspace.http, workspace.token);
}

const ENTRANCES = ['/api/cce/system/search', '/api/endpoints/run/find'] as const;

/**
 * By either way: what is answered, or the code and path of what is refused. Somebody else is
 * answered meanwhile.
 */
async function outcome(path: string, request: unknown): Promise<unknown> {
  const [answer, other] = await Promise.all([
    send('POST', path, request),
    send('GET', '/api/search/index'),
  ]);
  expect(other.status).toBe(200);
  const { status, json } = answer;
  if (status === 200) return { total: valueAt(json, 'total') };
  const fields = valueAt(json, 'error', 'details', 'fields');
  const [fault] = Array.isArray(fields) ? fields : [];
  return [status, valueAt(json, 'error', 'code'), valueAt(fault, 'path')];
}

const words = (count: number): string => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
const many = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one);

describe.each(ENTRANCES)('through %s', (path) => {
  it.each<[string, unknown, unknown]>([
    ['a query of 1 MiB', { query: 'x'.repeat(MEGABYTE) }, 'request.query'],
    ['100,000 words', { query: words(100_000) }, 'request.query'],
    ['a million facets', { facets: many(1e5, 'Tags') }, 'request.facets'],
    ['100 facets', { facets: many(100, 'Tags') }, 'request.facets'],
    ['two facets of a name', { facets: ['Tags', 'Tags'] }, 'request.facets[1]'],
    ['too many nodes to be limited to', { targetUids: many(100_001, 'x') }, 'request.targetUids'],
    ['a page before the first', { skip: -1 }, 'request.skip'],
    ['a page that is no number', { skip: 'NaN' }, 'request.skip'],
    ['half a hit', { take: 0.5 }, 'request.take'],
    ['hits without end', { take: 1e300 }, 'request.take'],
    ['a decay of nothing', { timeDecay: { halfLifeDays: 0 } }, 'request.timeDecay.halfLifeDays'],
    ['a decay of minus a day', { timeDecay: -1 }, 'request.timeDecay.halfLifeDays'],
    ['a query that is a list', { query: ['x'] }, undefined],
    ['a language that there is not', { language: 'xx' }, 'request.language'],
    ['no comparison', { filters: [{ field: 'Size', op: '~', value: 1 }] }, 'request.filters[0].op'],
    ['101 filters', { filters: many(101, { field: 'Size', value: 1 }) }, 'request.filters'],
    ['101 types', { types: many(101, 'Note') }, 'request.types'],
    [
      'a moment that there is not',
      { facets: [{ time: 'day', from: 'x' }] },
      'request.facets[0].from',
    ],
    [
      'hops without end',
      { facets: [{ related: many(99, 'Refers') }] },
      'request.facets[0].related',
    ],
    ['a long run of Chinese', { query: '\u4e2d'.repeat(4_000) }, 'request.query'],
    ['16,000 quotes', { query: '"x" '.repeat(4_000) }, 'request.query'],
    ['2,600 fields', { query: 'Title:a '.repeat(2_000) }, 'request.query'],
  ])('refuses %s', async (_, request, at) => {
    const [status, code, where] = (await outcome(path, request)) as unknown[];
    expect([status, code]).toEqual([400, 'invalid_request']);
    if (at !== undefined) expect(where).toBe(at);
  });

  it.each<[string, object, number]>([
    ['* alone', { query: '*' }, 0],
    ['stars', { query: '* ** *** *a* ?' }, 2],
    ['a regular expression', { query: '(a+)+$ ^lan.*rn[^x]{1,9999}(?=x)\\b' }, 2],
    ['one that would go back for ages', { query: `${'a'.repeat(5_000)}!(a|a)*$` }, 2],
    [
      'brackets of a depth of 5,000',
      { query: `${'('.repeat(5_000)}lantern${')'.repeat(5_000)}` },
      2,
    ],
    ['brackets that do not close', { query: '((((lantern' }, 2],
    ['brackets that never opened', { query: 'lantern))))' }, 2],
    ['quotes that do not close', { query: '"lantern' }, 2],
    ['operators alone', { query: 'OR AND NOT - -- OR' }, 0],
    ['no word but one', { query: '-lantern' }, 1],
    ['zero-width characters', { query: 'lan\u200btern lan\u200dtern' }, 2],
    ['characters that turn the direction', { query: '\u202elantern\u202c \u2066\u2069' }, 2],
    ['half a pair', { query: 'lantern \ud800' }, 2],
    ['half a pair alone', { query: '\udc00' }, 0],
    ['nothing but a NUL', { query: '\u0000' }, 0],
    ['combining marks', { query: `a${'\u0301'.repeat(5_000)}` }, 2],
    ['a field that is a prototype', { query: '__proto__:lantern constructor:x' }, 2],
    ['a word as long as a query may be', { query: 'x'.repeat(16_000) }, 0],
    ['the same as a prefix', { query: `${'x'.repeat(16_000)}*` }, 0],
    ['100,000 nodes to be limited to', { query: 'lantern', targetUids: many(100_000, 'x') }, 0],
    ['no nodes to be limited to', { query: 'lantern', targetUids: [] }, 0],
    [
      '20 facets',
      { query: 'lantern', facets: many(20, 0).map((_, i) => ({ time: 'day', name: `${i}` })) },
      2,
    ],
    ['hours of all time', { facets: [{ time: 'hour' }] }, 3],
    ['a facet named as a prototype', { facets: [{ field: 'Tags', name: '__proto__' }] }, 3],
    [
      'filters that compare with what is no number',
      { filters: [{ field: 'Size', op: '>', value: 1e308 }] },
      0,
    ],
    ['the last page', { skip: 100_000, take: 1_000 }, 3],
    ['a decay in no time', { query: 'lantern', timeDecay: 1e-300 }, 2],
    ['a decay that takes ages', { query: 'lantern', timeDecay: 1e300 }, 2],
  ])('answers %s', async (_, request, total) => {
    const found = await outcome(path, request);
    expect(found).toEqual({ total });
  });
});

describe('a text as large as a commit may be', () => {
  const line = 'the lanterns of the harbour, and a compass. ';
  const text = line.repeat(Math.floor((4 * MEGABYTE) / line.length));

  it('is found, and shown by a few passages', async () => {
    await write('large', { Title: 'Atlas', Text: text, More: text, Tags: ['large'] });
    const { json } = await ok(
      send('POST', ENTRANCES[0], { query: 'atlas compass', explain: true, facets: ['Tags'] }),
    );
    expect(valueAt(json, 'total')).toBe(1);
    const [hit] = valueAt(json, 'hits') as unknown[];
    expect(JSON.stringify(valueAt(hit, 'highlights')).length).toBeLessThan(10_000);
  });

  it('may be one word', async () => {
    await write('endless', { Title: 'Monolith', Text: 'x'.repeat(4 * MEGABYTE) });
    await write('nested', { Title: 'Strokes', Text: `a${'\u0301'.repeat(2 * MEGABYTE)}` });
    expect(await outcome(ENTRANCES[0], { query: 'monolith' })).toEqual({ total: 1 });
    expect(await outcome(ENTRANCES[0], { query: 'xx*' })).toEqual({ total: 1 });
    expect(await outcome(ENTRANCES[0], { query: 'strokes' })).toEqual({ total: 1 });
  });

  it('is refused beyond that', async () => {
    const fields = { Text: 'x '.repeat(9 * MEGABYTE) };
    const operations = [{ op: 'addOrUpdate', type: 'Note', key: 'beyond', fields }];
    const { status, json } = await send('POST', '/api/ingest', { operations });
    expect([status, valueAt(json, 'error', 'code')]).toEqual([413, 'body_too_large']);
  });

  it('does not grow beyond that by several commits', async () => {
    for (const [field, expected] of [
      ['Text', [200, undefined]],
      ['More', [422, 'invalid_operation']],
    ] as const) {
      const fields = { [field]: line.repeat(Math.floor((9 * MEGABYTE) / line.length)) };
      const operations = [{ op: 'addOrUpdate', type: 'Note', key: 'grown', fields }];
      const { status, json } = await send('POST', '/api/ingest', { operations });
      expect([status, valueAt(json, 'error', 'code')]).toEqual(expected);
    }
  });
});
