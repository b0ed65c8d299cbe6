import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { runQuery } from '#graph/query/run.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import { openState, type State } from '#store/state-writer.ts';
import type { Caller } from './caller.ts';
import { visibilityFor } from './visibility.ts';

let folder: string;
let state: State;
let reader: StateReader;

const uidOf = (key: string): string => {
  const id = reader.id({ type: '_User', key });
  const uid = id === undefined ? undefined : reader.uid(id);
  if (uid === undefined) throw new Error(`no user ${key}`);
  return uid;
};

const callerFor = (userUid: string | null, more: Partial<Caller> = {}): Caller => ({
  kind: 'session',
  userUid,
  userName: null,
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  tokenId: 'test',
  ...more,
});

const nodesAs = (caller: Caller, type: string): unknown =>
  runQuery(
    reader,
    { steps: [{ op: 'startAt', type }, { op: 'asUser' }], end: { end: 'nodes' } },
    { visibility: visibilityFor(reader, caller) },
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-access-'));
  const log = createMemoryLog({ clock: systemClock, archive: { ttlMs: 1, bytesMax: 1 } });
  state = await openState({ storage: folder, log, clock: systemClock });
  const graph = new GraphWriter(state, systemClock);
  await graph.addSystemSchema();
  const user = (UserName: string) =>
    ({
      op: 'addOrUpdate',
      type: '_User',
      key: UserName,
      fields: {
        UserName,
        FullName: `The ${UserName}`,
        Email: `${UserName}@example.com`,
        IsAdmin: false,
        Active: true,
        Preferences: { theme: 'dark' },
      },
    }) as const;
  await graph.commit({
    system: true,
    schema: { nodes: [{ type: 'Note', fields: { Text: 'String' } }], edges: [] },
    operations: [
      user('ann'),
      user('bob'),
      { op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Text: 'hello' } },
      { op: 'addOrUpdate', type: '_Endpoint', key: 'e', fields: { Code: 'secret source' } },
    ],
  });
  reader = openGraphReader({ storage: folder });
});

afterAll(async () => {
  reader[Symbol.dispose]();
  await state[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('a signed-in user', () => {
  test('sees of other users the eight fields, and all of their own node', () => {
    const seen = nodesAs(callerFor(uidOf('ann')), '_User');
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(
      expect.objectContaining({ UserName: 'ann', Active: true, Preferences: { theme: 'dark' } }),
    );
    expect(seen).toContainEqual({
      UID: uidOf('bob'),
      Type: '_User',
      Timestamp: expect.any(String),
      UserName: 'bob',
      FullName: 'The bob',
      Email: 'bob@example.com',
    });
  });

  test('sees what is not restricted, and no definitions of the server', () => {
    expect(nodesAs(callerFor(uidOf('ann')), 'Note')).toMatchObject([{ Text: 'hello' }]);
    expect(nodesAs(callerFor(uidOf('ann')), '_Endpoint')).toEqual([]);
  });
});

test.each([{ isAdmin: true }, { isReadOnlyAdmin: true }])(
  'an administrator (%o) sees everything',
  (role) => {
    const caller = callerFor(uidOf('ann'), role);
    expect(nodesAs(caller, '_Endpoint')).toHaveLength(1);
    expect(nodesAs(caller, '_User')).toContainEqual(
      expect.objectContaining({ UserName: 'bob', Active: true }),
    );
  },
);
