import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * Points on a quarter of a circle, with their direction as a vector. Ada is in the team that
 * `hidden` is restricted to, and the field `Secret` is for that team too: by it `far` is next to
 * `east`.
 */
const DEGREES = { east: 0, hidden: 5, near: 20, middle: 45, far: 90 } as const;
type Point = keyof typeof DEGREES;
const MODEL = 'compass';
const UNKNOWN = '1111111111111111111112';

const at = (degrees: number): number[] => {
  const radians = (degrees * Math.PI) / 180;
  return [2 * Math.cos(radians), 2 * Math.sin(radians)];
};
const cosine = (a: Point, b: Point): number =>
  Math.cos(((DEGREES[a] - DEGREES[b]) * Math.PI) / 180);

let people: People;
const uids = new Map<string, string>();
const uid = (point: string): string => uids.get(point) ?? UNKNOWN;

beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Insiders', { add: [people.uid('ada')] });
  const fields = { At: 'Float[]', Secret: 'Float[]' };
  await ok('PUT', '/api/schema', {
    nodes: [
      { type: 'Point', key: 'Name', fields },
      { type: 'Mark', key: 'Name', fields: { At: 'Float[]' } },
      { type: 'Plain', key: 'Name', fields: {} },
    ],
    edges: [],
  });
  const point = (key: string) => ({ type: 'Point', key });
  await ok('POST', '/api/ingest', {
    operations: [
      ...Object.entries(DEGREES).map(([key, degrees]) => ({
        op: 'addOrUpdate',
        ...point(key),
        fields: {
          At: at(degrees),
          ...(key === 'east' || key === 'far' ? { Secret: [1, 1, 1] } : {}),
        },
      })),
      { op: 'addOrUpdate', type: 'Mark', key: 'mark', fields: { At: at(30) } },
      { op: 'addOrUpdate', type: 'Plain', key: 'plain' },
      { op: 'restrict', node: point('hidden'), team: { uid: team } },
    ],
  });
  const vector = { vector: { model: MODEL } };
  await ok('PUT', '/api/search/settings', {
    types: {
      Point: { fields: { At: vector, Secret: { vector: {} } } },
      Mark: { fields: { At: vector } },
    },
  });
  await ok('PUT', '/api/access/types', {
    types: { Point: { fields: { Secret: { teams: [team] } } } },
  });
  for (const type of ['Point', 'Mark', 'Plain']) {
    const { json } = await ok('POST', '/api/node/query', { type });
    for (const node of valueAt(json, 'items') as { UID: string; Id: string }[]) {
      uids.set(node.Id, node.UID);
    }
  }
  await untilIndexed(people.workspace.http, people.token('admin'));
});
afterAll(() => people[Symbol.asyncDispose]());

async function ok(method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await people.as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

type Item = { node: { Id: string; Secret?: unknown }; score: number };
const itemsOf = ({ status, json, text }: Answer): Item[] => {
  expect(status, text).toBe(200);
  return valueAt(json, 'items') as Item[];
};
const idsOf = (answer: Answer): string[] => itemsOf(answer).map(({ node }) => node.Id);
const codeOf = ({ json }: Answer): unknown => valueAt(valueAt(json, 'error'), 'code');

describe.each(['GET', 'POST'])('%s /api/embeddings/similar/{uid}', (method) => {
  const similar = (user: string, point: string, query = '') =>
    people.as(user, method, `/api/embeddings/similar/${uid(point)}${query}`);

  it('gives the nearest nodes with their cosines', async () => {
    const items = itemsOf(await similar('bob', 'east', '?types=Point'));
    expect(items.map(({ node }) => node.Id)).toEqual(['near', 'middle', 'far']);
    items.forEach(({ node: { Id }, score }) => {
      expect(score).toBeCloseTo(cosine('east', Id as Point), 3);
    });
    expect(idsOf(await similar('bob', 'east'))).toEqual(['near', 'mark', 'middle', 'far']);
    expect(idsOf(await similar('bob', 'east', '?count=1'))).toEqual(['near']);
    expect(idsOf(await similar('bob', 'east', '?types=Mark,Point&count=2'))).toEqual([
      'near',
      'mark',
    ]);
  });

  it('looks at what the caller may see and read, and shows no more', async () => {
    const insider = itemsOf(await similar('ada', 'east', '?types=Point'));
    expect(insider.map(({ node }) => node.Id)).toEqual(['far', 'hidden', 'near', 'middle']);
    expect(insider[0]?.node.Secret).toEqual([1, 1, 1]);
    const outsider = itemsOf(await similar('bob', 'east', '?types=Point'));
    expect(outsider.map(({ node }) => node.Secret)).toEqual([undefined, undefined, undefined]);
  });

  it('finds nothing for a node without vectors', async () => {
    expect(idsOf(await similar('bob', 'plain'))).toEqual([]);
  });

  it('knows neither what there is not nor what is hidden', async () => {
    const answers = [await similar('bob', 'hidden'), await similar('bob', 'nowhere')];
    const bodies = answers.map(({ json }) => ({ ...Object(valueAt(json, 'error')), traceId: '' }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers.map(codeOf)).toEqual(['node_not_found', 'node_not_found']);
    expect(bodies[0]).toEqual(bodies[1]);
  });

  it.each(['?count=0', '?count=1001', '?count=x', '?types=', '?types=Pointt'])(
    'refuses %s',
    async (query) => {
      const answer = await similar('bob', 'east', query);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    },
  );
});

describe('POST /api/embeddings/uids', () => {
  type Row = { UID: string; field: string; model: string; chunk: number; vector: number[] };
  const read = async (user: string, body: object): Promise<Row[]> => {
    const { status, json, text } = await people.as(user, 'POST', '/api/embeddings/uids', body);
    expect(status, text).toBe(200);
    return json as Row[];
  };

  it('gives the vectors in the order of the UIDs', async () => {
    const UIDs = ['far', 'plain', 'mark', 'nowhere', 'east', 'hidden', 'far'].map(uid);
    const rows = await read('bob', { UIDs });
    expect(rows.map((row) => row.UID)).toEqual(['far', 'mark', 'east'].map(uid));
    for (const { vector, ...row } of rows) {
      expect(row).toEqual({ UID: row.UID, field: 'At', model: MODEL, chunk: 0 });
      expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
    }
    expect(rows[0]?.vector[1]).toBeCloseTo(1, 3);
  });

  it('gives those of fields that may be read, or of one', async () => {
    const fields = async (user: string, more: object = {}) => {
      const rows = await read(user, { UIDs: [uid('east'), uid('hidden')], ...more });
      return rows.map(({ field, model }) => `${field} ${model}`);
    };
    expect((await fields('ada')).toSorted()).toEqual([
      'At compass',
      'At compass',
      'Secret external',
    ]);
    expect(await fields('bob')).toEqual(['At compass']);
    expect(await fields('ada', { field: 'Secret' })).toEqual(['Secret external']);
    expect(await fields('bob', { field: 'Secret' })).toEqual([]);
  });

  it('takes a thousand UIDs, and no more', async () => {
    const many = (count: number) => ({ UIDs: Array.from({ length: count }, () => UNKNOWN) });
    expect(await read('bob', many(1_000))).toEqual([]);
    const answer = await people.as('bob', 'POST', '/api/embeddings/uids', many(1_001));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  });
});

describe('system/similar', () => {
  const similar = (user: string, body: object) =>
    people.as(user, 'POST', '/api/cce/system/similar', body);

  it('finds what is similar to a node, as the caller', async () => {
    const asked = { uid: uid('east'), types: ['Point'], take: 2 };
    expect(idsOf(await similar('bob', asked))).toEqual(['near', 'middle']);
    expect(idsOf(await similar('ada', asked))).toEqual(['far', 'hidden']);
    expect(idsOf(await similar('bob', { ...asked, similarityMin: 0.9 }))).toEqual(['near']);
    expect((await similar('bob', { uid: uid('hidden') })).status).toBe(404);
  });

  it('says what is wrong with a request', async () => {
    const east = uid('east');
    for (const body of [{}, { uid: east, text: 'x' }, { uid: east, types: ['Pointt'] }]) {
      const answer = await similar('bob', body);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    }
    // All vectors came with their nodes: there is no model that could make one of a text.
    const answer = await similar('bob', { text: 'to the east' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  });
});
