import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { tryParseUid } from '#base/uid.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { WriterOperation, NodeReference } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { TYPE_ACCESS_SETTING } from '#graph/type-access.ts';
import { WriterMemory } from '#graph/writer-memory.ts';
import { WriterRights } from '#graph/writer-rights.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import { AccessIndex } from './access-index.ts';
import type { Caller } from './caller.ts';
import { settingOperation } from './settings.ts';
import { Model, TEAMS } from './testing/access-model.ts';

let folder: string;
let state: State;
let graph: GraphWriter;
let reader: StateReader;

const USERS = ['ann', 'bob', 'cid'];
const NOTES = ['n0', 'n1', 'n2', 'n3', 'n4'];
const FIELDS = ['Text', 'Price'];

const user = (key: string): NodeReference => ({ type: '_User', key });
const team = (key: string): NodeReference => ({ type: '_AccessGroup', key });
const note = (key: string): NodeReference => ({ type: 'Note', key });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-access-'));
  const log = createMemoryLog({ clock: systemClock, archive: { ttlMs: 1, bytesMax: 1 } });
  state = await openState({ storage: folder, log, clock: systemClock });
  graph = new GraphWriter(state, systemClock);
  await graph.addSystemSchema();
  await commit(
    [
      ...USERS.map((key) => add('_User', key, { UserName: key, Active: true, IsAdmin: false })),
      ...TEAMS.map((key) => add('_AccessGroup', key, { Name: key })),
      add('_Endpoint', 'e', { Code: 'secret source' }),
    ],
    { nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String', Price: 'Int' } }], edges: [] },
  );
  reader = openGraphReader({ storage: folder });
});

afterAll(async () => {
  reader[Symbol.dispose]();
  await state[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function add(type: string, key: string, fields: Record<string, string | number | boolean>) {
  return { op: 'addOrUpdate', type, key, fields } as const;
}

function removal(key: string): WriterOperation {
  return { op: 'delete', type: 'Note', key };
}

async function commit(
  operations: WriterOperation[],
  schema?: Parameters<GraphWriter['commit']>[0]['schema'],
): Promise<void> {
  await graph.commit({ system: true, operations, ...(schema === undefined ? {} : { schema }) });
}

function idOf(reference: NodeReference): number {
  const id = reader.id(reference);
  if (id === undefined) throw new Error(`no node ${JSON.stringify(reference)}`);
  return id;
}

function callerFor(name: string | null): Caller {
  return {
    kind: name === null ? 'api' : 'session',
    userUid: name === null ? null : (reader.uid(idOf(user(name))) ?? ''),
    userName: name,
    isAdmin: false,
    isReadOnlyAdmin: false,
    isGuest: false,
    roles: [],
    scopes: [],
    endpointPath: null,
    tokenId: 'test',
  };
}

function uidOfPrincipal(principal: string): string | undefined {
  const [kind, key = ''] = principal.split('/');
  return reader.uid(idOf(kind === 'user' ? user(key) : team(key)));
}

type Step = (model: Model) => WriterOperation[];

function edgeStep(
  isPut: boolean,
  from: NodeReference,
  edge: string,
  to: NodeReference,
): WriterOperation {
  return { op: isPut ? 'link' : 'unlink', from, edge, to };
}

function remember(set: Set<string>, text: string, isIn: boolean): void {
  if (isIn) set.add(text);
  else set.delete(text);
}

const on = fc.boolean();
const aUser = fc.constantFrom(...USERS);
const aTeam = fc.constantFrom(...TEAMS);
const aNote = fc.constantFrom(...NOTES);

/**
 * A nesting always goes from a later team to an earlier one: what would be a cycle is refused by
 * the writer.
 */
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(on, aNote, aTeam).map(([put, n, t]) => (model: Model) => {
    if (!model.notes.has(n)) return [];
    remember(model.restrictions, `${n} team/${t}`, put);
    return [edgeStep(put, note(n), 'RestrictAccessToTeam', team(t))];
  }),
  fc.tuple(on, aNote, aUser).map(([put, n, u]) => (model: Model) => {
    if (!model.notes.has(n)) return [];
    remember(model.restrictions, `${n} user/${u}`, put);
    return [edgeStep(put, note(n), 'RestrictAccessToUser', user(u))];
  }),
  fc.tuple(on, aUser, aTeam).map(([put, u, t]) => (model: Model) => {
    remember(model.members, `user/${u} ${t}`, put);
    return [edgeStep(put, user(u), '_MemberOf', team(t))];
  }),
  fc.tuple(on, fc.nat(3), fc.nat(3)).map(([put, a, b]) => (model: Model) => {
    const [outer, inner] = [TEAMS[Math.min(a, b)] ?? '', TEAMS[Math.max(a, b)] ?? ''];
    if (a === b) return [];
    remember(model.members, `team/${inner} ${outer}`, put);
    return [edgeStep(put, team(inner), '_MemberOf', team(outer))];
  }),
  fc.tuple(on, aUser, aNote).map(([put, u, n]) => (model: Model) => {
    if (!model.notes.has(n)) return [];
    remember(model.owned, `${u} ${n}`, put);
    return [edgeStep(put, user(u), '_Owns', note(n))];
  }),
  fc.tuple(on, aNote).map(([put, n]) => (model: Model) => {
    remember(model.notes, n, put);
    if (put) return [add('Note', n, { Text: n, Price: 1 })];
    for (const set of [model.restrictions, model.owned]) {
      for (const one of set) if (one.split(' ').includes(n)) set.delete(one);
    }
    return [removal(n)];
  }),
  fc
    .record({
      hidden: on,
      field: fc.constantFrom(...FIELDS),
      teams: fc.subarray(TEAMS),
      users: fc.subarray(USERS),
    })
    .map(({ hidden, field, teams, users }) => (model: Model) => {
      const uid = (one: NodeReference) => reader.uid(idOf(one)) ?? '';
      model.types = {
        Note: {
          visibleTo: hidden ? 'restricted' : 'everyone',
          writableBy: { teams: teams.map((t) => uid(team(t))) },
          fields: {
            [field]: {
              teams: teams.map((t) => uid(team(t))),
              users: users.map((u) => uid(user(u))),
            },
          },
        },
      };
      return [settingOperation(TYPE_ACCESS_SETTING, { types: model.types })];
    }),
);

/** What readers show, and what the writer goes by as it builds a commit. */
function expectLikeModel(index: AccessIndex, model: Model): void {
  const memory = new WriterMemory(state.view);
  memory.revalidate();
  for (const name of [...USERS, null]) {
    const visibility = index.visibilityFor(callerFor(name));
    const rights = new WriterRights(memory, tryParseUid(callerFor(name).userUid ?? ''));
    const writers = model.types['Note']?.writableBy?.teams ?? [];
    const mayWrite =
      name !== null &&
      [...model.principals(name)].some((one) => writers.includes(uidOfPrincipal(one) ?? ''));
    expect(index.mayWrite(callerFor(name), 'Note'), `${name} writes`).toBe(mayWrite);
    expect(rights.mayWrite('Note'), `the writer lets ${name} write`).toBe(mayWrite);
    const hidden = NOTES.filter((key) => model.notes.has(key) && !model.canSee(name, key));
    expect(visibility.hiddenOfType('Note'), `hidden from ${name}`).toBe(hidden.length);
    for (const key of NOTES) {
      const id = reader.id(note(key));
      expect(id !== undefined && visibility.canSee(id), `${name} sees ${key}`).toBe(
        model.canSee(name, key),
      );
      if (id === undefined) continue;
      const isSeen = model.canSee(name, key);
      expect(rights.sees(id), `the writer lets ${name} see ${key}`).toBe(isSeen);
      const node = reader.node(id);
      const shown = node && visibility.present(id, node);
      for (const field of FIELDS) {
        const readable = model.canRead(name, field);
        expect(visibility.canReadField(id, field), `${name} reads ${field}`).toBe(readable);
        expect(shown?.[field] !== undefined).toBe(readable);
        expect(rights.mayReadField('Note', field)).toBe(readable);
        if (!readable) expect(visibility.withholdsFields('Note')).toBe(true);
      }
    }
  }
}

test('what an index shows is the rule, however its changes came about', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(steps, { maxLength: 4 }), { maxLength: 12 }),
      async (commits) => {
        await commit([
          ...NOTES.map((key) => removal(key)),
          ...[...USERS.map(user), ...TEAMS.map(team)].map((from): WriterOperation => ({
            op: 'unlinkExcept',
            from,
            edge: '_MemberOf',
            keep: [],
          })),
          settingOperation(TYPE_ACCESS_SETTING, {}),
        ]);
        reader.refresh();
        const model = new Model(uidOfPrincipal);
        const index = new AccessIndex(reader);
        expectLikeModel(index, model);
        for (const group of commits) {
          await commit(group.flatMap((step) => step(model)));
          reader.refresh();
          expectLikeModel(index, model);
        }
        expectLikeModel(new AccessIndex(reader), model);
      },
    ),
    { numRuns: 60 },
  );
});

describe('users', () => {
  test('show others the eight fields, and themselves everything', () => {
    reader.refresh();
    const index = new AccessIndex(reader);
    const id = idOf(user('bob'));
    const node = reader.node(id);
    if (node === undefined) throw new Error('bob is gone');
    const asAnn = index.visibilityFor(callerFor('ann'));
    expect(Object.keys(asAnn.present(id, node)).toSorted()).toEqual(
      ['Timestamp', 'Type', 'UID', 'UserName'].toSorted(),
    );
    expect(asAnn.canReadField(id, 'IsAdmin')).toBe(false);
    expect(index.visibilityFor(callerFor(null)).present(id, node)).not.toHaveProperty('Active');
    const asBob = index.visibilityFor(callerFor('bob'));
    expect(asBob.present(id, node)).toEqual(node);
    expect(asBob.canReadField(id, 'IsAdmin')).toBe(true);
  });

  test('reach their own node, whatever the type says', async () => {
    await commit([
      settingOperation(TYPE_ACCESS_SETTING, {
        types: { _User: { visibleTo: 'restricted', fields: { Email: {} } } },
      }),
    ]);
    reader.refresh();
    const index = new AccessIndex(reader);
    const asBob = index.visibilityFor(callerFor('bob'));
    expect([asBob.canSee(idOf(user('bob'))), asBob.canSee(idOf(user('ann')))]).toEqual([
      true,
      false,
    ]);
    expect(asBob.canReadField(idOf(user('bob')), 'Email')).toBe(true);
    expect(asBob.canReadField(idOf(user('ann')), 'Email')).toBe(false);
  });

  test.each([{ isAdmin: true }, { isReadOnlyAdmin: true }])(
    'as administrators (%o) see everything',
    (role) => {
      const visibility = new AccessIndex(reader).visibilityFor({ ...callerFor('ann'), ...role });
      const id = idOf({ type: '_Endpoint', key: 'e' });
      expect(visibility.canSee(id)).toBe(true);
      expect(visibility.canSeeEdge('RestrictAccessToTeam')).toBe(true);
      expect(visibility.canReadField(id, 'Code')).toBe(true);
    },
  );

  test('see no definitions of the server, and no edges that restrict', () => {
    const visibility = new AccessIndex(reader).visibilityFor(callerFor('ann'));
    expect(visibility.canSee(idOf({ type: '_Endpoint', key: 'e' }))).toBe(false);
    expect(visibility.canSeeEdge('RestrictAccessToTeam')).toBe(false);
    expect(visibility.canSeeEdge('WrittenBy')).toBe(true);
  });
});

test('teamsOf names the teams above a user, through whatever nesting', async () => {
  await commit([
    add('_User', 'dee', { UserName: 'dee', Active: true, IsAdmin: false }),
    ...['lower', 'middle', 'upper'].map((key) => add('_AccessGroup', key, { Name: key })),
    edgeStep(true, user('dee'), '_MemberOf', team('lower')),
    edgeStep(true, team('lower'), '_MemberOf', team('middle')),
    edgeStep(true, team('middle'), '_MemberOf', team('upper')),
  ]);
  reader.refresh();
  const uids = ['lower', 'middle', 'upper'].map((key) => reader.uid(idOf(team(key))));
  const teams = new AccessIndex(reader).teamsOf(callerFor('dee').userUid ?? '');
  expect(teams.toSorted()).toEqual(uids.toSorted());
});
