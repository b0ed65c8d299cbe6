import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WriterOperation } from '#graph/operations.ts';
import { RowPacker } from '#graph/rows/row-packer.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { AccessIndex } from './access-index.ts';
import type { Caller } from './caller.ts';
import type { NodeExport } from './node-export.ts';
import { NodeService } from './node-service.ts';
import { settingOperation } from './settings.ts';
import { TYPE_ACCESS_SETTING } from '#graph/type-access.ts';
import { PUBLIC_USER_FIELDS } from './visibility.ts';

const USERS = ['user/ann', 'user/bob'];
const TEAMS = ['team/all', 'team/east'];
const THINGS = ['note/0', 'note/1', 'note/2', 'task/0', 'task/1'];
const NODES = [...USERS, ...TEAMS, ...THINGS];
const TYPES = { user: '_User', team: '_AccessGroup', note: 'Note', task: 'Task' };
const NOBODY = 'nobody';
const ADMIN = 'admin';

let graph: TestGraph;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [
      { type: 'Note', key: 'Name', fields: { Text: 'String', Price: 'Int' } },
      { type: 'Task', fields: { Text: 'String', Price: 'Int' } },
    ],
    edges: [{ type: 'Mentions' }],
  });
});
afterAll(() => graph[Symbol.asyncDispose]());

/** A workspace in words: every edge is `from to`. */
interface World {
  readonly restrictions: readonly string[];
  readonly members: readonly string[];
  readonly owned: readonly string[];
  readonly mentions: readonly string[];
  readonly hiddenTypes: readonly string[];
  /** Who may read the field Text of notes; everybody when undefined. */
  readonly readers: readonly string[] | undefined;
}

function pairs(from: readonly string[], to: readonly string[]): fc.Arbitrary<string[]> {
  return fc.subarray(from.flatMap((one) => to.map((other) => `${one} ${other}`)));
}

const worlds: fc.Arbitrary<World> = fc.record({
  restrictions: pairs(THINGS, [...USERS, ...TEAMS]).filter((all) => all.length < 12),
  members: pairs([...USERS, 'team/east'], ['team/all']).chain((outer) =>
    pairs(USERS, ['team/east']).map((inner) => [...outer, ...inner]),
  ),
  owned: pairs(USERS, THINGS),
  mentions: pairs([...THINGS, 'user/ann'], [...THINGS, 'user/bob', 'team/all']),
  hiddenTypes: fc.subarray(['Note', 'Task', '_User']),
  readers: fc.option(fc.subarray([...USERS, ...TEAMS]), { nil: undefined }),
});

function typeOf(name: string): string {
  return TYPES[name.split('/')[0] as keyof typeof TYPES];
}

function reference(name: string): { readonly type: string; readonly key: string } {
  return { type: typeOf(name), key: name.split('/')[1] ?? '' };
}

function uidOf(name: string): string {
  const id = graph.reader.id(reference(name));
  return (id === undefined ? undefined : graph.reader.uid(id)) ?? '';
}

async function build(world: World): Promise<void> {
  const link = (edge: string) => (pair: string) => {
    const [from = '', to = ''] = pair.split(' ');
    return { op: 'link', from: reference(from), edge, to: reference(to) } as const;
  };
  const fields = (name: string) =>
    name.startsWith('user')
      ? { UserName: name, IsAdmin: false, Active: true }
      : name.startsWith('team')
        ? { Name: name }
        : { Text: `text of ${name}`, Price: 1 };
  const commit = (operations: WriterOperation[]) =>
    graph.writer.commit({ system: true, operations });
  await commit(THINGS.map((name) => ({ op: 'delete', ...reference(name) })));
  await commit([
    ...NODES.map((name): WriterOperation => ({
      op: 'addOrUpdate',
      ...reference(name),
      fields: fields(name),
    })),
    ...[...USERS, ...TEAMS].map((name): WriterOperation => ({
      op: 'unlinkExcept',
      from: reference(name),
      edge: '_MemberOf',
      keep: [],
    })),
    { op: 'unlinkExcept', from: reference('user/ann'), edge: 'Mentions', keep: [] },
  ]);
  const to = (kind: string) => (pair: string) => pair.includes(` ${kind}`);
  await commit([
    ...world.restrictions.filter(to('team')).map(link('RestrictAccessToTeam')),
    ...world.restrictions.filter(to('user')).map(link('RestrictAccessToUser')),
    ...world.members.map(link('_MemberOf')),
    ...world.owned.map(link('_Owns')),
    ...world.mentions.map(link('Mentions')),
  ]);
  graph.reader.refresh();
  const uids = (kind: string) =>
    (world.readers ?? []).filter((one) => one.startsWith(kind)).map(uidOf);
  const hidden = world.hiddenTypes.map((type) => [type, { visibleTo: 'restricted' as const }]);
  const types: Record<string, object> = Object.fromEntries(hidden);
  if (world.readers !== undefined) {
    const access = { teams: uids('team'), users: uids('user') };
    types['Note'] = { ...types['Note'], fields: { Text: access } };
  }
  await commit([settingOperation(TYPE_ACCESS_SETTING, { types })]);
}

/** The rule of access, told by what the world says. */
class Model {
  readonly #world: World;
  readonly #who: string;

  constructor(world: World, who: string) {
    this.#world = world;
    this.#who = who;
  }

  get isAdmin(): boolean {
    return this.#who === ADMIN;
  }

  #principals(): Set<string> {
    const found = new Set([this.#who]);
    for (const one of found) {
      for (const pair of this.#world.members) {
        const [member, team = ''] = pair.split(' ');
        if (member === one) found.add(team);
      }
    }
    return found;
  }

  sees(name: string): boolean {
    const { restrictions, owned, hiddenTypes } = this.#world;
    if (this.isAdmin || name === this.#who || owned.includes(`${this.#who} ${name}`)) return true;
    const named = restrictions.filter((pair) => pair.startsWith(`${name} `));
    if (named.length === 0) return !hiddenTypes.includes(typeOf(name));
    const principals = this.#principals();
    return named.some((pair) => principals.has(pair.split(' ')[1] ?? ''));
  }

  reads(name: string, field: string): boolean {
    if (this.isAdmin || name === this.#who) return true;
    if (name.startsWith('user')) return PUBLIC_USER_FIELDS.some((one) => one === field);
    if (!name.startsWith('note') || field !== 'Text' || this.#world.readers === undefined)
      return true;
    const principals = this.#principals();
    return this.#world.readers.some((one) => principals.has(one));
  }

  edgeCount(name: string): number {
    const { restrictions, members, owned, mentions } = this.#world;
    // What has an inverse is there twice.
    const edges = [...members, ...members, ...owned, ...owned, ...mentions];
    if (this.isAdmin) edges.push(...restrictions);
    let count = 0;
    for (const pair of edges) {
      const [from = '', to = ''] = pair.split(' ');
      if (from === name && this.sees(to)) count++;
      if (to === name && this.sees(from)) count++;
    }
    return count;
  }
}

function callerFor(who: string): Caller {
  const isUser = USERS.includes(who);
  return {
    kind: who === NOBODY ? 'api' : 'session',
    userUid: isUser ? uidOf(who) : null,
    userName: isUser ? who : null,
    isAdmin: who === ADMIN,
    isReadOnlyAdmin: false,
    isGuest: false,
    roles: [],
    scopes: [],
    endpointPath: null,
    tokenId: 'test',
  };
}

async function rowsOf(exported: NodeExport): Promise<Map<string, readonly [number, unknown]>> {
  const rows = new Map<string, readonly [number, unknown]>();
  const pieces: Buffer[] = [];
  for await (const piece of exported.rows({ form: 'jsonl', linkPrefix: '#' })) {
    pieces.push(Buffer.from(piece));
  }
  for (const line of Buffer.concat(pieces).toString().split('\n')) {
    if (line === '') continue;
    const { UID, EdgeCount, Text, IsAdmin } = JSON.parse(line);
    rows.set(UID, [EdgeCount, Text ?? IsAdmin]);
  }
  return rows;
}

async function expectLikeModel(service: NodeService, world: World, who: string): Promise<void> {
  const model = new Model(world, who);
  const caller = callerFor(who);
  const uids = new Map(NODES.map((name) => [name, uidOf(name)]));
  const all = [...uids.values(), '1111111111111111111111', 'no UID', '__proto__'];
  const seen = NODES.filter((name) => model.sees(name));
  const seenUids = seen.map((name) => uids.get(name));

  const shown = (name: string, field: string) => {
    const id = graph.idOf(typeOf(name), reference(name).key);
    return model.reads(name, field) ? graph.reader.field(id, field) : undefined;
  };
  for (const name of NODES) {
    const uid = uids.get(name) ?? '';
    if (!model.sees(name)) {
      expect(() => service.get(caller, uid), `${who} gets ${name}`).toThrow('no such node');
      continue;
    }
    const node = service.get(caller, uid);
    expect([node.UID, node['Text'], node['Price'], node['IsAdmin']], `${who} gets ${name}`).toEqual(
      [uid, shown(name, 'Text'), shown(name, 'Price'), shown(name, 'IsAdmin')],
    );
  }
  const many = await service.many(caller, [...all, all[0] ?? '']);
  expect(many.map((node) => node?.UID ?? null)).toEqual([
    ...NODES.map((name) => (model.sees(name) ? uids.get(name) : null)),
    null,
    null,
    null,
    many[0]?.UID ?? null,
  ]);
  for (const field of ['Text', 'IsAdmin', 'UserName', 'Name', 'Id', 'Unknown']) {
    const values = await service.manyFields(caller, { uids: all, field });
    const texts = await service.manyFields(caller, { uids: all, template: `<{${field}}>` });
    for (const name of NODES) {
      const uid = uids.get(name) ?? '';
      const key = field === 'Name' && name.startsWith('note') ? 'Id' : field;
      const value = shown(name, key);
      const isBlocked = !model.reads(name, field);
      const expected = isBlocked
        ? ['BLOCKED', 'BLOCKED']
        : [value ?? null, `<${String(value ?? '')}>`];
      expect([values[uid], texts[uid]], `${who} reads ${field} of ${name}`).toEqual(
        model.sees(name) ? expected : [null, null],
      );
    }
  }

  const list = await service.query(caller, { uids: all, skip: 0, take: 50 });
  expect([list.items.map(({ UID }) => UID), list.total]).toEqual([seenUids, seen.length]);
  for (const type of Object.values(TYPES)) {
    const ofType = seen.filter((name) => typeOf(name) === type).map((name) => uids.get(name));
    const page = await service.query(caller, { type, skip: 1, take: 2 });
    const whole = await service.query(caller, { type, skip: 0, take: 1000 });
    const both = await service.query(caller, { type, uids: all, skip: 0, take: 1000 });
    expect(both.items.map(({ UID }) => UID)).toEqual(ofType);
    expect(whole.items.map(({ UID }) => UID).toSorted()).toEqual(ofType.toSorted());
    expect(page.items).toEqual(whole.items.slice(1, 3));
    expect([page.total, whole.total, both.total]).toEqual(Array(3).fill(ofType.length));
    const rows = await rowsOf(await service.export(caller, { type }));
    expect([...rows.keys()]).toEqual(whole.items.map(({ UID }) => UID));
  }

  const row = (name: string) =>
    [
      uids.get(name),
      [model.edgeCount(name), shown(name, 'Text') ?? shown(name, 'IsAdmin')],
    ] as const;
  const exported = await rowsOf(await service.export(caller, { uids: all }));
  expect([...exported], `${who} exports`).toEqual(seen.map(row));
  const byType = await service.exportByType(caller, { uids: all });
  expect(byType.map(({ type }) => type).toSorted()).toEqual(
    [...new Set(seen.map(typeOf))].toSorted(),
  );
  for (const one of byType) {
    const own = seen.filter((name) => typeOf(name) === one.type);
    expect([...(await rowsOf(one))], `${who} exports ${one.type}`).toEqual(own.map(row));
  }
}

test('no read shows a node, a field, an edge or a count that the caller may not see', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.boolean(), async (world, isPacked) => {
      await build(world);
      if (isPacked) await new RowPacker(graph.state.local, () => nextTurn()).pack();
      graph.reader.refresh();
      const service = new NodeService({
        reader: graph.reader,
        access: new AccessIndex(graph.reader),
      });
      for (const who of [...USERS, NOBODY, ADMIN]) await expectLikeModel(service, world, who);
    }),
    { numRuns: 40 },
  );
});
