import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportFormats } from '@trellis/contract/shapes/graph-export.ts';
import { type Answer, valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { scale, seed } from '../support/scale.ts';

const READERS = ['ann', 'bob', 'gus'] as const;
const KEYS = ['a', 'b', 'c', 'd'];
const TYPES = ['Open', 'Partly', 'Shut'] as const;
/** In a field that few may read, and in all that is restricted. */
const SECRET = 'nobody-tells';

let people: People;
let team: string;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('bob');
  await people.add('gus', { isGuest: true });
  await people.add('looker', { isReadOnlyAdmin: true });
  team = await people.addTeam('readers', { add: [people.uid('bob')] });
  const fields = { Shown: 'String', Hidden: 'String' };
  await done('PUT', '/api/schema', {
    nodes: TYPES.map((type) => ({ type, key: 'Name', fields })),
    edges: [{ type: 'To', fields: { Why: 'String' } }, { type: 'SecretEdge' }],
  });
  const toTeam = { teams: [team] };
  await done('PUT', '/api/access/types', {
    types: {
      Partly: { fields: { Hidden: toTeam, Name: toTeam } },
      Shut: { visibleTo: 'restricted' },
    },
  });
});
afterAll(() => people[Symbol.asyncDispose]());

async function done(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  expect([status, text]).toEqual([200, expect.any(String)]);
}

const exportAs = (user?: string, format = 'jsonl', name = 'admin'): Promise<Answer> =>
  people.as(
    name,
    'POST',
    `/api/graph/export?format=${format}${user === undefined ? '' : `&as=${user}`}`,
  );

interface Line {
  readonly op: string;
  readonly type?: string;
  readonly key?: string;
  readonly uid?: string;
  readonly [member: string]: unknown;
}
const linesOf = ({ text }: Answer): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const nameOf = (reference: unknown): string =>
  String(
    valueAt(reference, 'uid') ??
      `${String(valueAt(reference, 'type'))}/${String(valueAt(reference, 'key'))}`,
  );

const node = fc.record({ type: fc.constantFrom(...TYPES), key: fc.constantFrom(...KEYS) });
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: node.map((one) => ({
      op: 'addOrUpdate',
      ...one,
      fields: { Shown: one.key, Hidden: `${SECRET} ${one.key}` },
    })),
  },
  node.map((one) => ({ op: 'delete', ...one })),
  fc
    .record({ from: node, to: node, edge: fc.constantFrom('To', 'SecretEdge') })
    .map((one) => ({ op: 'link', ...one })),
  fc.record({ node, who: fc.constantFrom('ann', 'team') }).map(({ node: one, who }) => ({
    op: 'restrict',
    node: one,
    ...(who === 'team' ? { team: { uid: team } } : { user: { uid: people.uid(who) } }),
  })),
  node.map((one) => ({ op: 'unrestrict', node: one })),
);

test('the export as a user is what that user reads, whatever is restricted', async () => {
  let hidden = 0;
  const run = fc.asyncProperty(
    fc.array(operation, { minLength: 10, maxLength: 30 }),
    async (operations) => {
      for (const one of operations) {
        // Not all can be done: some of the nodes are not there.
        await people.as('admin', 'POST', '/api/ingest', { operations: [one] });
      }
      const whole = linesOf(await exportAs());
      for (const reader of READERS) {
        const answer = await exportAs(people.uid(reader));
        const lines = linesOf(answer);
        const nodes = lines.filter(({ op }) => op === 'addOrUpdate');
        const read: unknown[] = [];
        const seen = new Map<string, string>();
        for (const type of TYPES) {
          const { json } = await people.as(reader, 'POST', '/api/node/query', {
            type,
            take: 1_000,
          });
          for (const one of valueAt(json, 'items') as Record<string, string>[]) {
            const { UID, Type, Timestamp, Id, Name: _name, ...fields } = one;
            const name = Id === undefined ? { uid: UID } : { key: Id };
            read.push({ op: 'addOrUpdate', type: Type, ...name, timestamp: Timestamp, fields });
            const { json: stored } = await people.as('admin', 'GET', `/api/node/${UID}`);
            seen.set(
              `${type}/${String(valueAt(stored, 'Id'))}`,
              Id === undefined ? String(UID) : `${type}/${Id}`,
            );
          }
        }
        const sorted = (some: readonly unknown[]) =>
          some.map((one) => JSON.stringify(one)).toSorted();
        expect(sorted(nodes)).toEqual(sorted(read));
        const edgesOf = (some: readonly Line[]) =>
          some
            .filter(({ op }) => op === 'link')
            .map(({ from, edge, to }) => [nameOf(from), edge, nameOf(to)]);
        const expected = edgesOf(whole)
          .filter(([from, , to]) => seen.has(String(from)) && seen.has(String(to)))
          .map(([from, edge, to]) => [seen.get(String(from)), edge, seen.get(String(to))]);
        expect(sorted(edgesOf(lines))).toEqual(sorted(expected));
        const isTold = expected.some(([, edge]) => edge === 'SecretEdge');
        expect(answer.text.includes('SecretEdge')).toBe(isTold);
        hidden += whole.filter(({ op }) => op === 'addOrUpdate').length - nodes.length;
        for (const format of exportFormats) {
          const { text } = await exportAs(reader, format);
          const secrets = text.split(SECRET).length - 1;
          expect(secrets).toBe(
            read.filter((one) => valueAt(one, 'fields', 'Hidden') !== undefined).length,
          );
        }
      }
    },
  );
  await fc.assert(run, {
    seed: seed(),
    numRuns: scale({ sample: 6, soak: 500 }),
    endOnFailure: true,
  });
  expect(hidden).toBeGreaterThan(0);
});

describe('who may export what', () => {
  test('administrators, the read-only one included', async () => {
    expect((await exportAs(undefined, 'jsonl', 'looker')).status).toBe(200);
    // A body says nothing, and is no fault.
    expect((await people.as('admin', 'POST', '/api/graph/export', {})).status).toBe(200);
    const { status, json } = await exportAs(undefined, 'jsonl', 'ann');
    expect([status, valueAt(json, 'error', 'code')]).toEqual([403, 'forbidden']);
  });

  test('a user who is not there, or may not sign in, sees nothing', async () => {
    const missing = [404, 'user_not_found'];
    const outcome = (as: string) =>
      people.outcome('admin', 'POST', `/api/graph/export?as=${encodeURIComponent(as)}`);
    expect(await outcome('nobody/../here')).toEqual(missing);
    expect(await outcome(team)).toEqual(missing);
    const leaver = await people.add('leaver');
    await people.as('admin', 'POST', `/api/users/user/${leaver}/deactivate`);
    expect(await outcome('leaver')).toEqual(missing);
  });

  test('an unknown format is refused', async () => {
    expect(await people.outcome('admin', 'POST', '/api/graph/export?format=csv')).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('nothing of users, teams, tokens or settings is in it', async () => {
    for (const format of exportFormats) {
      const { text, status } = await exportAs(undefined, format);
      expect(status).toBe(200);
      expect(text).not.toMatch(/_User|_AccessGroup|ann@example|RestrictAccessTo|_Setting/);
    }
  });
});

test('a node without a key keeps its UID only where whoever brings it in may say who sees what', async () => {
  const operations = [{ op: 'addOrUpdate', type: 'Open', uid: 'FtPZzkEFmnhSn4xgREbTxB' }];
  await people.addToken('plain', { kind: 'api', name: 'plain', scopes: ['ingestion'] });
  await people.addToken('acl', {
    kind: 'api',
    name: 'acl',
    scopes: ['ingestion', 'ingestion:acl'],
  });
  const send = (name: string) => people.outcome(name, 'POST', '/api/ingest', { operations });
  expect(await send('plain')).toEqual([422, 'invalid_operation']);
  expect(await send('acl')).toEqual([200, undefined]);
});
