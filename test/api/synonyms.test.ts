import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { People } from '../support/people.ts';

const FOR = '/api/search/synonyms/for';
const LIST = '/api/search/synonyms/list/for';
const NO_LISTS = { Synonyms: [], Alternates: [], Blocked: [] };

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('manager', { roles: ['CanManageSynonyms'] });
  await people.add('member');
  await people.add('reader', { isReadOnlyAdmin: true, roles: ['CanManageSynonyms'] });
  const team = await people.addTeam('Hidden', { add: [people.uid('member')] });
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String', Secret: 'String' } }],
    edges: [],
  });
  const texts = { Text: { text: {} }, Secret: { text: {} } };
  await people.as('admin', 'PUT', '/api/search/settings', {
    types: { Note: { language: 'en', fields: texts } },
  });
  const note = (key: string, fields: object) => ({ op: 'addOrUpdate', type: 'Note', key, fields });
  await people.as('admin', 'POST', '/api/ingest', {
    operations: [
      note('a', { Text: 'An automobile on the road' }),
      note('b', { Text: 'A motor vehicle of steel' }),
      note('c', { Text: 'Colour of the harbour, harbours' }),
      note('d', { Text: 'The harbor is hidden' }),
      note('e', { Text: 'Nothing', Secret: 'harborer' }),
      note('f', { Text: 'A heart attack is a myocardial infarction' }),
      { op: 'restrict', node: { type: 'Note', key: 'd' }, team: { uid: team } },
    ],
  });
  await people.as('admin', 'PUT', '/api/access/types', {
    types: { Note: { fields: { Secret: { teams: [team] } } } },
  });
});
afterAll(() => people[Symbol.asyncDispose]());

type Lists = Partial<Record<'Synonyms' | 'Alternates' | 'Blocked', readonly string[]>>;
const query = (token: string, more: Record<string, string> = {}) =>
  `${FOR}?${new URLSearchParams({ token, lang: 'en', ...more })}`;
const put = (token: string, lists: Lists, more?: Record<string, string>) =>
  people.as('manager', 'PUT', query(token, more), { ...NO_LISTS, ...lists });
const get = async (token: string, more?: Record<string, string>, as = 'manager') =>
  Object((await people.as(as, 'GET', query(token, more))).json);

async function list(more: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await people.workspace.http.send({
    path: `${LIST}?${new URLSearchParams({ lang: 'en', ...more })}`,
    token: people.token('manager'),
    headers,
  });
  return Object(answer.json);
}

describe('what goes with a term', () => {
  test('is stored, tidied, replaced or added to, and audited', async () => {
    const first = await put(' Ship ', {
      Synonyms: ['vessel ', 'Vessel', 'SHIP', 'boat', 'raft'],
      Blocked: ['raft'],
    });
    const stored = {
      Token: 'ship',
      Language: 'en',
      Synonyms: ['vessel', 'boat'],
      Alternates: [],
      Blocked: ['raft'],
    };
    expect([first.status, first.json]).toEqual([200, stored]);
    expect(await get('SHIP')).toMatchObject(stored);
    const more = { Synonyms: ['raft'], Blocked: ['boat'], Alternates: ['shippe'] };
    await put('ship', more, { replace: 'false' });
    expect(await get('ship')).toMatchObject({
      Synonyms: ['vessel', 'raft'],
      Alternates: ['shippe'],
      Blocked: ['boat'],
    });
    await put('ship', { Synonyms: ['liner'] }, { replace: 'true' });
    expect(await get('ship')).toMatchObject({ ...NO_LISTS, Synonyms: ['liner'] });
    expect(await get('liner')).toMatchObject(NO_LISTS);
    expect(await get('ship', { lang: 'de' })).toMatchObject(NO_LISTS);
    await put('ship', {});
    expect(await list({ query: 'ship' })).toEqual({ Results: [], TotalCount: 0 });
    const audit = await people.as('admin', 'GET', '/api/audit?action=search.synonyms-changed');
    expect(Object(audit.json).items[0]).toMatchObject({
      actor: { name: 'manager' },
      target: { kind: 'synonyms', id: 'en:ship' },
    });
  });

  test('loses nothing when several add to it at once', async () => {
    const words = Array.from({ length: 8 }, (_, i) => `word${i}`);
    await Promise.all(
      words.map((word) => put('crowd', { Synonyms: [word] }, { replace: 'false' })),
    );
    expect((await get('crowd')).Synonyms.toSorted()).toEqual(words);
    await put('crowd', {});
  });

  test.each([
    ['an unknown language', { lang: 'xx' }, NO_LISTS, 'en, '],
    ['no language', { lang: 'english' }, NO_LISTS, 'two letters'],
    ['an empty term', { token: '  ' }, NO_LISTS, 'empty'],
    ['a list that is missing', {}, { Synonyms: [], Alternates: [] }, 'Blocked'],
    ['another member', {}, { ...NO_LISTS, More: [] }, 'More'],
    ['an empty word', {}, { ...NO_LISTS, Synonyms: [' '] }, 'Synonyms.0'],
    ['too many words', {}, { ...NO_LISTS, Synonyms: Array(101).fill('a') }, 'Synonyms'],
    ['half a character', {}, { ...NO_LISTS, Synonyms: ['\ud800'] }, 'Synonyms.0'],
    ['neither true nor false', { replace: 'maybe' }, NO_LISTS, 'replace'],
  ])('%s is refused', async (_, more, body, told) => {
    const answer = await people.as('manager', 'PUT', query('car', more), body);
    expect(answer.status).toBe(400);
    expect(Object(answer.json).error.code).toBe('invalid_request');
    expect(answer.text).toContain(told);
  });

  test('is for those with the role, and changed by those who may write', async () => {
    expect((await people.as('member', 'GET', query('car'))).status).toBe(403);
    expect((await people.as('member', 'PUT', query('car'), NO_LISTS)).status).toBe(403);
    expect((await people.as('reader', 'GET', query('car'))).status).toBe(200);
    const refused = await people.as('reader', 'PUT', query('car'), NO_LISTS);
    expect([refused.status, Object(refused.json).error.details]).toEqual([
      403,
      { role: 'CanManageSynonyms' },
    ]);
  });
});

describe('the list', () => {
  test('is of one language, by term, in pairs and in pages', async () => {
    await put('moon', { Synonyms: ['satellite', 'orb'], Alternates: ['mone'] });
    await put('Moor', { Synonyms: ['heath'] }, { ignoreCase: 'false' });
    await put('mond', { Synonyms: ['trabant'] }, { lang: 'de' });
    expect(await list({ query: 'MOO' })).toEqual({ Results: ['Moor', 'moon'], TotalCount: 2 });
    const pairs = [
      ['Moor', 'heath'],
      ['moon', 'satellite'],
      ['moon', 'orb'],
      ['moon', 'mone'],
    ];
    const all = await list({ query: 'moo', includeSynonyms: '1' });
    expect(all).toEqual({ Results: pairs, TotalCount: 4 });
    const page = { 'X-MSK-SKIP': '1', 'X-MSK-LIMIT': '2' };
    const middle = await list({ query: 'moo', includeSynonyms: '1' }, page);
    expect(middle).toEqual({ Results: pairs.slice(1, 3), TotalCount: 4 });
    expect((await list({}, { 'X-MSK-LIMIT': '0' })).error.details.fields[0].path).toBe(
      'x-msk-limit',
    );
    expect(await list({ lang: 'de' })).toEqual({ Results: ['mond'], TotalCount: 1 });
  });
});

describe('suggestions', () => {
  test('are words that the caller may see, as similar as asked', async () => {
    await expect
      .poll(async () => (await get('harbours', { tolerance: '0.7' })).Suggestions)
      .toEqual([{ term: 'harbour', similarity: 0.875 }]);
    const strict = await get('harbours', { tolerance: '0.9' });
    expect(strict.Suggestions).toEqual([]);
    const terms = async (as: string) =>
      (await get('harbour', { tolerance: '0.7' }, as)).Suggestions.map(
        ({ term }: { readonly term: string }) => term,
      );
    expect(await terms('manager')).toEqual(['harbours']);
    expect((await terms('admin')).toSorted()).toEqual(
      ['harbor', 'harborer', 'harbours'].toSorted(),
    );
    await put('harbour', { Blocked: ['harbours'] });
    expect(await terms('manager')).toEqual([]);
  });

  test.each(['0.69', '1.01', '', 'x', '-1'])('tolerance %j is refused', async (tolerance) => {
    expect((await people.as('manager', 'GET', query('car', { tolerance }))).status).toBe(400);
  });
});

describe('in searches', () => {
  const CODE = `export default async ({ body, search }: Scope) => {
    const { query, language } = body as { query: string; language?: string };
    const { hits } = await search({ query, language: language ?? 'en', fuzziness: 0 });
    return hits.map(({ node }) => node.Id);
  };`;
  const found = async (text: string) =>
    (await people.as('admin', 'POST', '/api/cce/find', { query: text })).json;
  beforeAll(async () => {
    const body = { name: 'find', code: CODE, isReadOnly: true };
    const { json, text } = await people.as('admin', 'POST', '/api/endpoints/create', body);
    expect(Object(json).compiles, text).toBe(true);
  });

  test('a term also finds its synonyms, one way, from the next search on', async () => {
    await expect.poll(() => found('automobile')).toEqual(['a']);
    await put('car', { Synonyms: ['automobile', 'motor vehicles'] });
    expect(await found('CAR')).toEqual(expect.arrayContaining(['a', 'b']));
    expect(await found('automobile')).toEqual(['a']);
    await put('car', {});
    expect(await found('car')).toEqual([]);
  });

  test('one of any language holds for all, and one with capitals as it is written', async () => {
    await put('pigment', { Alternates: ['colour'] }, { lang: '--' });
    expect(await found('pigments')).toEqual([]);
    expect(await found('pigment')).toEqual(['c']);
    await put('MI', { Synonyms: ['myocardial infarction'] }, { ignoreCase: 'false' });
    expect(await found('MI')).toEqual(['f']);
    expect(await found('mi')).toEqual([]);
    await put('coronary event', { Synonyms: ['heart attack'] });
    expect(await found('coronary event')).toEqual(['f']);
    expect(await found('coronary')).toEqual([]);
  });
});
