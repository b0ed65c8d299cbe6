import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import type { NodeReference, WriterOperation } from '#graph/operations.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { TYPE_ACCESS_SETTING } from '#graph/type-access.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import type { State } from '#store/commit-pipeline.ts';
import { openState } from '#store/state-writer.ts';
import { AccessIndex } from './access-index.ts';
import { type Caller, serverCaller } from './caller.ts';
import { settingOperation } from './settings.ts';

const USERS = ['ann', 'bob', 'cid', 'dan'];
const TEAMS = ['t0', 't1', 't2', 't3'];

let folder: string;
let state: State;
let graph: GraphWriter;
let reader: StateReader;

const user = (key: string): NodeReference => ({ type: '_User', key });
const team = (key: string): NodeReference => ({ type: '_AccessGroup', key });
const note = (key: string) => ({ type: 'Note', key });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-merged-access-'));
  const log = createMemoryLog({ clock: systemClock, archive: { ttlMs: 1, bytesMax: 1 } });
  state = await openState({ storage: folder, log, clock: systemClock });
  graph = new GraphWriter(state, systemClock);
  await graph.addSystemSchema();
  const type = { type: 'Note', key: 'Name', fields: { Text: 'String' } } as const;
  const schema = { nodes: [type], edges: [] };
  const operations = [
    ...USERS.map((key) => ({ op: 'addOrUpdate', type: '_User', key }) as const),
    ...TEAMS.map((key) => ({ op: 'addOrUpdate', type: '_AccessGroup', key }) as const),
  ];
  await graph.commit({ system: true, operations, schema });
  reader = openGraphReader({ storage: folder });
});

afterAll(async () => {
  reader[Symbol.dispose]();
  await state[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function commit(request: Parameters<GraphWriter['commit']>[0]): Promise<void> {
  await graph.commit({ system: true, ...request });
  reader.refresh();
}

function callerOf(key: string | null): Caller {
  const userUid = key === null ? null : reader.uidOf(user(key));
  return { ...serverCaller('test'), isAdmin: false, userUid };
}

/** Who sees a node, by a kept index and by a new one, which must agree. */
function viewers(kept: AccessIndex, key: string): Set<string | null> {
  const fresh = new AccessIndex(reader);
  const id = reader.id(note(key));
  const sees = (index: AccessIndex) => (one: string | null) => {
    const visibility = index.visibilityFor(callerOf(one));
    return id !== undefined && visibility.canSee(id);
  };
  const everybody = [...USERS, null];
  const found = everybody.filter(sees(fresh));
  expect(everybody.filter(sees(kept))).toEqual(found);
  for (const one of everybody) {
    const hidden = (index: AccessIndex) => index.visibilityFor(callerOf(one)).hiddenOfType('Note');
    expect(hidden(kept)).toBe(hidden(fresh));
  }
  return new Set(found);
}

const grants = fc.record({
  teams: fc.subarray(TEAMS),
  users: fc.subarray(USERS),
  owners: fc.subarray(USERS),
});

type Grants = typeof grants extends fc.Arbitrary<infer T> ? T : never;

function grantOperations(key: string, { teams, users, owners }: Grants): WriterOperation[] {
  const link = (from: NodeReference, edge: string, to: NodeReference) =>
    ({ op: 'link', from, edge, to }) as const;
  return [
    ...teams.map((one) => link(note(key), 'RestrictAccessToTeam', team(one))),
    ...users.map((one) => link(note(key), 'RestrictAccessToUser', user(one))),
    ...owners.map((one) => link(user(one), '_Owns', note(key))),
  ];
}

test('nobody sees a merged node who did not see both, and a split gives back who saw each', async () => {
  const members = fc.array(fc.tuple(fc.constantFrom(...USERS), fc.constantFrom(...TEAMS)));
  const nested = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 3 });
  const index = new AccessIndex(reader);
  let merges = 0;
  await fc.assert(
    fc.asyncProperty(
      grants,
      grants,
      members,
      nested,
      fc.boolean(),
      async (a, b, inTeams, nestings, isRestricted) => {
        const visibleTo = isRestricted ? 'restricted' : 'everyone';
        await commit({
          operations: [
            ...['a', 'b'].flatMap((key): WriterOperation[] => [
              { op: 'delete', type: 'Note', key },
              { op: 'addOrUpdate', type: 'Note', key, fields: { Text: key } },
            ]),
            ...[...USERS.map(user), ...TEAMS.map(team)].map((from): WriterOperation => ({
              op: 'unlinkExcept',
              from,
              edge: '_MemberOf',
              keep: [],
            })),
            ...inTeams.map(([one, other]): WriterOperation => ({
              op: 'link',
              from: user(one),
              edge: '_MemberOf',
              to: team(other),
            })),
            ...nestings.flatMap(([one, other]): WriterOperation[] =>
              one === other
                ? []
                : [
                    {
                      op: 'link',
                      from: team(`t${Math.max(one, other)}`),
                      edge: '_MemberOf',
                      to: team(`t${Math.min(one, other)}`),
                    },
                  ],
            ),
            ...grantOperations('a', a),
            ...grantOperations('b', b),
            settingOperation(TYPE_ACCESS_SETTING, { types: { Note: { visibleTo } } }),
          ],
        });
        const [sawA, sawB] = [viewers(index, 'a'), viewers(index, 'b')];
        const id = `m${merges++}`;
        const work = { id, into: reader.uidOf(note('a')), node: reader.uidOf(note('b')) };
        await commit({ operations: [], merges: [work] });
        const both = sawA.intersection(sawB);
        for (const one of viewers(index, 'a')) {
          expect(both, `${one} saw both`).toContain(one);
        }
        expect(viewers(index, 'b')).toEqual(viewers(index, 'a'));
        await commit({ operations: [], split: { id } });
        expect([viewers(index, 'a'), viewers(index, 'b')]).toEqual([sawA, sawB]);
        expect(reader.countOfType('_AccessGroup')).toBe(TEAMS.length);
      },
    ),
    { numRuns: 60 },
  );
});

/** What a connector sends: it may say who sees what, and is not the server itself. */
async function send(operations: readonly WriterOperation[]): Promise<void> {
  const trace = { op: 'addOrUpdate', type: '_User', key: 'trace' } as const;
  await commit({ system: false, accessControl: { trace }, namesRecords: { trace }, operations });
}

test('who writes the access of one half never widens a merged node, and splits give each its own', async () => {
  /** Each has a twin, which is never merged, and is written as it is. */
  const halves = ['a', 'b', 'c'];
  const write = fc.record({
    half: fc.constantFrom(...halves),
    edge: fc.boolean(),
    replaces: fc.boolean(),
    teams: fc.subarray(TEAMS, { maxLength: 2 }),
    users: fc.subarray(USERS, { maxLength: 2 }),
  });
  const operationsFor = (
    key: string,
    { edge, replaces, teams, users }: Pick<Write, 'edge' | 'replaces' | 'teams' | 'users'>,
  ): WriterOperation[] => [
    ...(replaces
      ? edge
        ? ['RestrictAccessToTeam', 'RestrictAccessToUser'].map(
            (name) => ({ op: 'unlinkExcept', from: note(key), edge: name, keep: [] }) as const,
          )
        : [{ op: 'unrestrict', node: note(key) } as const]
      : []),
    ...(edge
      ? grantOperations(key, { teams, users, owners: users.slice(0, 1) })
      : [
          ...teams.map((one) => ({ op: 'restrict', node: note(key), team: team(one) }) as const),
          ...users.map((one) => ({ op: 'restrict', node: note(key), user: user(one) }) as const),
        ]),
  ];
  type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
  const members = fc.array(fc.tuple(fc.constantFrom(...USERS), fc.constantFrom(...TEAMS)));
  const index = new AccessIndex(reader);
  let rounds = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(grants, { minLength: 3, maxLength: 3 }),
      members,
      fc.array(write, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      fc.boolean(),
      async (first, inTeams, writes, isRestricted, joinsTheOther) => {
        const visibleTo = isRestricted ? 'restricted' : 'everyone';
        const round = rounds++;
        const name = (half: string) => `${half}${round}`;
        const twin = (half: string) => `twin of ${name(half)}`;
        await commit({
          operations: [
            ...halves.flatMap((half, i) =>
              [name(half), twin(half)].flatMap((one): WriterOperation[] => [
                { op: 'addOrUpdate', type: 'Note', key: one },
                ...grantOperations(one, first[i]!),
              ]),
            ),
            ...USERS.map(
              (one) =>
                ({ op: 'unlinkExcept', from: user(one), edge: '_MemberOf', keep: [] }) as const,
            ),
            ...inTeams.map(
              ([one, other]) =>
                ({ op: 'link', from: user(one), edge: '_MemberOf', to: team(other) }) as const,
            ),
            settingOperation(TYPE_ACCESS_SETTING, { types: { Note: { visibleTo } } }),
          ],
        });
        const uid = (half: string) => reader.uidOf(note(name(half)));
        const [a, b, c] = halves.map(uid);
        const merges = joinsTheOther
          ? [
              { id: `p${round}`, into: b!, node: c! },
              { id: `q${round}`, into: a!, node: b! },
            ]
          : [
              { id: `p${round}`, into: a!, node: b! },
              { id: `q${round}`, into: a!, node: c! },
            ];
        for (const one of merges) await commit({ operations: [], merges: [one] });
        for (const one of writes) {
          await send(operationsFor(name(one.half), one));
          await send(operationsFor(twin(one.half), one));
          const all = halves.map((half) => viewers(index, twin(half)));
          const seen = viewers(index, name('a'));
          for (const each of all) expect([...seen.difference(each)]).toEqual([]);
          expect(viewers(index, name('b'))).toEqual(seen);
        }
        for (const { id } of merges.toReversed()) await commit({ operations: [], split: { id } });
        for (const half of halves) {
          expect([half, viewers(index, name(half))]).toEqual([half, viewers(index, twin(half))]);
        }
        expect(reader.countOfType('_AccessGroup')).toBe(TEAMS.length);
      },
    ),
    { numRuns: 25 },
  );
});

test('when a source deletes one half, nobody sees more of what was written than before', async () => {
  const halves = ['a', 'b', 'c'];
  const author = fc.constantFrom('a', 'b', 'c', 'a person');
  const members = fc.array(fc.tuple(fc.constantFrom(...USERS), fc.constantFrom(...TEAMS)));
  const index = new AccessIndex(reader);
  let rounds = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(grants, { minLength: 3, maxLength: 3 }),
      members,
      fc.array(author, { maxLength: 2 }),
      fc.constantFrom(...halves),
      fc.boolean(),
      async (first, inTeams, authors, goes, joinsTheOther) => {
        const round = rounds++;
        const name = (half: string) => `${half} of ${round}`;
        const twin = (half: string) => `twin of ${name(half)}`;
        await commit({
          operations: [
            settingOperation(TYPE_ACCESS_SETTING, {}),
            ...halves.flatMap((half, i) =>
              [name(half), twin(half)].flatMap((one): WriterOperation[] => [
                { op: 'addOrUpdate', type: 'Note', key: one, fields: { Text: half } },
                ...grantOperations(one, first[i]!),
              ]),
            ),
            ...USERS.map(
              (one) =>
                ({ op: 'unlinkExcept', from: user(one), edge: '_MemberOf', keep: [] }) as const,
            ),
            ...inTeams.map(
              ([one, other]) =>
                ({ op: 'link', from: user(one), edge: '_MemberOf', to: team(other) }) as const,
            ),
          ],
        });
        const [a, b, c] = halves.map((half) => reader.uidOf(note(name(half))));
        const merges = joinsTheOther
          ? [
              { id: `s${round}`, into: b!, node: c! },
              { id: `t${round}`, into: a!, node: b! },
            ]
          : [
              { id: `s${round}`, into: a!, node: b! },
              { id: `t${round}`, into: a!, node: c! },
            ];
        for (const one of merges) await commit({ operations: [], merges: [one] });
        for (const [i, one] of authors.entries()) {
          const named = note(name(one === 'a person' ? 'a' : one));
          const operation = { op: 'update', ...named, fields: { Text: `since ${i}` } } as const;
          if (one === 'a person') await commit({ system: false, operations: [operation] });
          else await send([operation]);
        }
        const saw = viewers(index, name('a'));
        const isSecret = authors.some((one) => one === goes || one === 'a person');
        await send([{ op: 'delete', ...note(name(goes)) }]);
        expect(reader.id(note(name(goes)))).toBeUndefined();
        const others = halves.filter((half) => half !== goes);
        const seen = viewers(index, name(others[0]!));
        expect(viewers(index, name(others[1]!))).toEqual(seen);
        for (const half of others) {
          expect([...seen.difference(viewers(index, twin(half)))]).toEqual([]);
        }
        const text = reader.field(reader.id(note(name(others[0]!))) ?? 0, 'Text');
        // What was written by another half's name is that half's to show.
        if (String(text).startsWith('since') && isSecret) {
          expect([...seen.difference(saw)]).toEqual([]);
        }
        for (const { id } of merges.toReversed()) {
          const left = reader.id({ type: '_NodeMerge', key: id });
          if (left !== undefined) await commit({ operations: [], split: { id } });
        }
        for (const half of isSecret && goes !== 'a' ? [] : others) {
          expect([half, viewers(index, name(half))]).toEqual([half, viewers(index, twin(half))]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('access that was changed since holds for both after a split', async () => {
  const index = new AccessIndex(reader);
  await commit({
    operations: [
      settingOperation(TYPE_ACCESS_SETTING, {}),
      ...['c', 'd'].map((key) => ({ op: 'addOrUpdate', type: 'Note', key }) as const),
    ],
  });
  const work = { id: 'n', into: reader.uidOf(note('c')), node: reader.uidOf(note('d')) };
  await commit({ operations: [], merges: [work] });
  await commit({ operations: [{ op: 'restrict', node: note('c'), user: user('ann') }] });
  await commit({ operations: [], split: { id: 'n' } });
  expect([viewers(index, 'c'), viewers(index, 'd')]).toEqual([new Set(['ann']), new Set(['ann'])]);
});

test('a team that is gone opens no node when a split gives it its access back', async () => {
  const index = new AccessIndex(reader);
  await commit({
    operations: [
      ...['e', 'f'].map((key) => ({ op: 'addOrUpdate', type: 'Note', key }) as const),
      { op: 'addOrUpdate', type: '_AccessGroup', key: 'gone' },
      { op: 'restrict', node: note('e'), team: team('gone') },
      { op: 'restrict', node: note('f'), user: user('bob') },
    ],
  });
  const work = { id: 'o', into: reader.uidOf(note('e')), node: reader.uidOf(note('f')) };
  await commit({ operations: [], merges: [work] });
  expect(viewers(index, 'e')).toEqual(new Set());
  await commit({ operations: [{ op: 'delete', type: '_AccessGroup', key: 'gone' }] });
  await commit({ operations: [], split: { id: 'o' } });
  expect([viewers(index, 'e'), viewers(index, 'f')]).toEqual([new Set(), new Set(['bob'])]);
});

test('what was decided for the one node holds for both halves when a source writes one', async () => {
  const index = new AccessIndex(reader);
  await commit({
    operations: [
      settingOperation(TYPE_ACCESS_SETTING, {}),
      ...['k', 'l'].map((key) => ({ op: 'addOrUpdate', type: 'Note', key }) as const),
      { op: 'restrict', node: note('k'), user: user('ann') },
      { op: 'restrict', node: note('l'), user: user('bob') },
    ],
  });
  const work = { id: 'k', into: reader.uidOf(note('k')), node: reader.uidOf(note('l')) };
  await commit({ operations: [], merges: [work] });
  expect(viewers(index, 'k')).toEqual(new Set());
  const share = ['ann', 'cid'].map(
    (one) => ({ op: 'restrict', node: note('k'), user: user(one) }) as const,
  );
  await commit({ operations: share });
  expect(viewers(index, 'k')).toEqual(new Set(['ann', 'cid']));
  const source = [
    { op: 'unrestrict', node: note('l') },
    { op: 'restrict', node: note('l'), user: user('cid') },
    { op: 'restrict', node: note('l'), user: user('dan') },
  ] as const;
  await send(source);
  expect(viewers(index, 'l')).toEqual(new Set(['cid']));
  await commit({ operations: [], split: { id: 'k' } });
  expect([viewers(index, 'k'), viewers(index, 'l')]).toEqual([
    new Set(['ann', 'cid']),
    new Set(['cid', 'dan']),
  ]);
});
