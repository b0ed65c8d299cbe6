import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitResult, WriterOperation } from './operations.ts';
import { CAT, DOG, openGraphOfWords, uidOf } from './testing/graph-of-words.ts';
import { contentOf } from './testing/graph-content.ts';
import { problemOf } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

const team = (key: string) => ({ type: '_AccessGroup', key });
const user = (key: string) => ({ type: '_User', key });
const ANN = user('ann');
const NO_CHANGE = { uid: null, changed: false };
const ENDPOINT = { type: '_Endpoint', key: 'e' };

let graph: TestGraph;

beforeEach(async () => {
  graph = await openGraphOfWords();
  await graph.writer.commit({
    operations: [
      { op: 'addOrUpdate', ...ANN, fields: { UserName: 'ann' } },
      { op: 'addOrUpdate', ...user('bob'), fields: { UserName: 'bob' } },
      { op: 'addOrUpdate', ...ENDPOINT },
      ...['a', 'b', 'c'].map((key) => ({ op: 'addOrUpdate' as const, ...team(key) })),
    ],
    system: true,
  });
  graph.reader.refresh();
});

afterEach(() => graph[Symbol.asyncDispose]());

async function control(...operations: readonly unknown[]): Promise<CommitResult> {
  const result = await graph.writer.commit({
    operations: operations as WriterOperation[],
    accessControl: { trace: { op: 'addOrUpdate', type: '_AuditEvent', fields: { Action: 'x' } } },
  });
  graph.reader.refresh();
  return result;
}

/** The keys of the nodes to which edges of this type lead from a node. */
function ends(from: { type: string; key: string }, edge: string): unknown[] {
  const { reader } = graph;
  const ids = reader.neighbors(graph.idOf(from.type, from.key), 'out', edge);
  return ids.map((id) => reader.field(id, 'Id'));
}

describe('restrict and unrestrict', () => {
  it('put and remove the edges that decide about access', async () => {
    const both = { op: 'restrict', node: DOG, team: team('a'), user: ANN };
    expect(await control(both)).toMatchObject({
      nodes: 0,
      edges: 2,
      outcomes: [{ uid: null, changed: true }],
    });
    expect(ends(DOG, 'RestrictAccessToTeam')).toEqual(['a']);
    expect(ends(DOG, 'RestrictAccessToUser')).toEqual(['ann']);
    expect(await control(both)).toMatchObject({ edges: 0, outcomes: [{ changed: false }] });

    const byUid = { op: 'unrestrict', node: { uid: uidOf('Word', 'dog') }, team: team('a') };
    expect(await control(byUid)).toMatchObject({ edges: 1, outcomes: [{ changed: true }] });
    expect(await control(byUid)).toMatchObject({ edges: 0, outcomes: [{ changed: false }] });
    expect(ends(DOG, 'RestrictAccessToTeam')).toEqual([]);
    expect(ends(DOG, 'RestrictAccessToUser')).toEqual(['ann']);
  });

  it('lift every restriction of the node when nobody is named', async () => {
    await control(
      { op: 'restrict', node: DOG, team: team('a'), user: ANN },
      { op: 'restrict', node: DOG, team: team('b') },
      { op: 'restrict', node: CAT, team: team('a') },
    );
    expect(await control({ op: 'unrestrict', node: DOG })).toMatchObject({ edges: 3 });
    expect(ends(DOG, 'RestrictAccessToTeam')).toEqual([]);
    expect(ends(DOG, 'RestrictAccessToUser')).toEqual([]);
    expect(ends(CAT, 'RestrictAccessToTeam')).toEqual(['a']);
  });

  it('change nothing for a node, a team or a user that is not there to be taken away', async () => {
    const nobody = { type: 'Word', key: 'nobody' };
    expect(
      await control(
        { op: 'unrestrict', node: nobody },
        { op: 'unrestrict', node: nobody, team: team('nobody') },
        { op: 'unrestrict', node: DOG, user: user('nobody') },
        { op: 'removeFromTeam', team: team('nobody'), user: ANN },
      ),
    ).toMatchObject({ edges: 0, outcomes: Array.from({ length: 4 }, () => NO_CHANGE) });
  });
});

describe('addToTeam and removeFromTeam', () => {
  it('take a user, or a team as a member', async () => {
    const { edges } = await control(
      { op: 'addToTeam', team: team('a'), user: ANN },
      { op: 'addToTeam', team: team('a'), member: user('bob') },
      { op: 'addToTeam', team: team('b'), member: team('a') },
    );
    // Three edges, each with its inverse.
    expect(edges).toBe(6);
    expect(ends(ANN, '_MemberOf')).toEqual(['a']);
    expect(ends(team('a'), '_HasMember')).toEqual(['ann', 'bob']);
    expect(ends(team('a'), '_MemberOf')).toEqual(['b']);
    await control(
      { op: 'removeFromTeam', team: team('a'), member: ANN },
      { op: 'removeFromTeam', team: team('b'), member: team('a') },
    );
    expect(ends(ANN, '_MemberOf')).toEqual([]);
    expect(ends(team('a'), '_HasMember')).toEqual(['bob']);
    expect(ends(team('a'), '_MemberOf')).toEqual([]);
  });

  it('never make a team a member of itself', async () => {
    const nest = (inner: string, outer: string) => ({
      op: 'addToTeam',
      team: team(outer),
      member: team(inner),
    });
    await control(nest('a', 'b'), nest('b', 'c'));
    for (const operation of [
      nest('a', 'a'),
      nest('b', 'a'),
      nest('c', 'a'),
      { op: 'link', from: team('c'), edge: '_MemberOf', to: team('a') },
    ]) {
      expect(await problemOf(() => control(operation))).toMatchObject({
        code: 'invalid_operation',
        details: { index: 0, path: operation.op === 'link' ? 'to' : 'team' },
      });
    }
    // To be a member on two ways is not a circle.
    await control(nest('a', 'c'));
  });
});

const PLAIN = { op: 'addOrUpdate', type: 'Word', key: 'new' };

describe('without access control', () => {
  it.each([
    { op: 'restrict', node: DOG, team: team('a') },
    { op: 'unrestrict', node: DOG },
    { op: 'addToTeam', team: team('a'), user: ANN },
    { op: 'removeFromTeam', team: team('a'), user: ANN },
    { op: 'link', from: DOG, edge: 'RestrictAccessToTeam', to: team('a') },
    { op: 'link', from: DOG, edge: 'RestrictAccessToUser', to: ANN },
    { op: 'unlink', from: ANN, edge: '_MemberOf', to: team('a') },
    { op: 'unlinkExcept', from: ANN, edge: '_Owns', keep: [] },
    { op: 'addOrUpdate', ...team('d'), fields: { Name: 'D' } },
    { op: 'tryAdd', ...team('a') },
    { op: 'update', uid: uidOf('_AccessGroup', 'a'), fields: { Name: 'A' } },
    { op: 'delete', ...team('a') },
  ])('$op is refused, and says which scope it needs', async (operation) => {
    const before = contentOf(graph.reader, graph.snapshot);
    const operations = [PLAIN, operation] as WriterOperation[];
    const problem = {
      code: 'forbidden',
      details: { index: 1, scope: 'ingestion:acl' },
    };
    expect(await problemOf(() => graph.writer.commit({ operations }))).toEqual(problem);
    await expect(graph.writer.commit({ operations })).rejects.toMatchObject({
      hint: expect.stringContaining('ingestion:acl'),
    });
    graph.reader.refresh();
    expect(contentOf(graph.reader, graph.snapshot)).toEqual(before);
    // Only the right was missing.
    await control(operation);
  });
});

describe('with access control', () => {
  it('teams and the edges of access are written like others', async () => {
    await control(
      { op: 'addOrUpdate', ...team('x'), fields: { Name: 'X', Description: 'new' } },
      { op: 'link', from: DOG, edge: 'RestrictAccessToTeam', to: team('x') },
      { op: 'link', from: DOG, edge: 'RestrictAccessToTeam', to: team('a') },
      { op: 'link', from: ANN, edge: '_MemberOf', to: team('x') },
      { op: 'link', from: ANN, edge: '_Owns', to: DOG },
    );
    expect(ends(team('x'), '_HasMember')).toEqual(['ann']);
    expect(ends(DOG, '_OwnedBy')).toEqual(['ann']);
    await control(
      { op: 'unlinkExcept', from: DOG, edge: 'RestrictAccessToTeam', keep: [team('a')] },
      { op: 'unlink', from: ANN, edge: '_Owns', to: DOG },
      { op: 'delete', ...team('x') },
    );
    expect(ends(DOG, 'RestrictAccessToTeam')).toEqual(['a']);
    expect(ends(DOG, '_OwnedBy')).toEqual([]);
    expect(ends(ANN, '_MemberOf')).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a restriction to nobody', { op: 'restrict', node: DOG }, 'team'],
    ['a team that is a word', { op: 'restrict', node: DOG, team: CAT }, 'team'],
    ['a team that is a user', { op: 'restrict', node: DOG, team: ANN }, 'team'],
    ['a user that is a team', { op: 'restrict', node: DOG, user: team('a') }, 'user'],
    ['a team that is not there', { op: 'restrict', node: DOG, team: team('no') }, 'team'],
    ['a node without a name', { op: 'restrict', team: team('a') }, 'node'],
    ['a name alone', { op: 'restrict', node: 'dog', team: team('a') }, 'node'],
    ['a restricted user', { op: 'restrict', node: ANN, team: team('a') }, 'node'],
    ['a restricted team', { op: 'restrict', node: team('b'), team: team('a') }, 'node'],
    ['a restricted endpoint', { op: 'restrict', node: ENDPOINT, user: ANN }, 'node'],
    ['an endpoint laid open', { op: 'unrestrict', node: ENDPOINT }, 'node'],
    ['a word in a team', { op: 'addToTeam', team: team('a'), member: DOG }, 'member'],
    ['a team as user', { op: 'addToTeam', team: team('a'), user: team('b') }, 'user'],
    ['a member of a word', { op: 'addToTeam', team: DOG, user: ANN }, 'team'],
    ['no member', { op: 'addToTeam', team: team('a') }, 'user'],
    ['two members', { op: 'removeFromTeam', team: team('a'), user: ANN, member: ANN }, 'user'],
    [
      'a restriction to a word',
      { op: 'link', from: DOG, edge: 'RestrictAccessToTeam', to: CAT },
      'to',
    ],
    [
      'a restricted endpoint by a link',
      {
        op: 'link',
        from: ENDPOINT,
        edge: 'RestrictAccessToUser',
        to: ANN,
      },
      'from',
    ],
    [
      'an endpoint laid open by an unlink',
      {
        op: 'unlinkExcept',
        from: ENDPOINT,
        edge: 'RestrictAccessToUser',
        keep: [],
      },
      'from',
    ],
    ['a word that owns', { op: 'link', from: DOG, edge: '_Owns', to: CAT }, 'from'],
    ['an owner of a user', { op: 'link', from: ANN, edge: '_Owns', to: user('bob') }, 'to'],
    ['an inverse alone', { op: 'link', from: team('a'), edge: '_HasMember', to: ANN }, 'edge'],
    ['an administrator', { op: 'link', from: ANN, edge: '_AdminOf', to: team('a') }, 'edge'],
    [
      'access by the way',
      { op: 'link', from: CAT, edge: 'Means', to: DOG, inverse: 'RestrictAccessToTeam' },
      'inverse',
    ],
    [
      'another inverse of access',
      { op: 'link', from: DOG, edge: 'RestrictAccessToTeam', to: team('a'), inverse: 'Means' },
      'inverse',
    ],
    ['another built-in type', { op: 'addOrUpdate', ...ANN, fields: { IsAdmin: true } }, 'type'],
    [
      'an unknown field',
      { op: 'update', ...team('a'), fields: { IsAdmin: true } },
      'fields.IsAdmin',
    ],
  ])('%s is refused', async (_, operation, path) => {
    const before = contentOf(graph.reader, graph.snapshot);
    expect(await problemOf(() => control(PLAIN, operation))).toMatchObject({
      code: 'invalid_operation',
      details: { index: 1, path },
    });
    graph.reader.refresh();
    expect(contentOf(graph.reader, graph.snapshot)).toEqual(before);
  });
});

describe('a team', () => {
  it('is not deleted while a node is restricted to it, which would be for everyone then', async () => {
    await control(
      { op: 'restrict', node: DOG, team: team('a'), user: ANN },
      { op: 'restrict', node: CAT, team: team('a') },
    );
    const gone = { op: 'delete', ...team('a') };
    const inUse = { code: 'team_in_use', details: { index: 0, nodes: 2 } };
    expect(await problemOf(() => control(gone))).toEqual(inUse);
    const bySystem = { operations: [gone as WriterOperation], system: true };
    expect(await problemOf(() => graph.writer.commit(bySystem))).toEqual(inUse);
    const annGone: WriterOperation = { op: 'delete', ...ANN };
    expect(
      await problemOf(() => graph.writer.commit({ operations: [annGone], system: true })),
    ).toMatchObject({ code: 'team_in_use', details: { nodes: 1 } });
    // Earlier operations of the same commit count.
    await control({ op: 'unrestrict', node: DOG }, { op: 'delete', ...CAT }, gone);
    expect(graph.reader.id(team('a'))).toBeUndefined();
  });

  it('leaves nobody a member when it is deleted', async () => {
    await control(
      { op: 'addToTeam', team: team('a'), user: ANN },
      { op: 'addToTeam', team: team('b'), member: team('a') },
      { op: 'delete', ...team('a') },
    );
    expect(ends(ANN, '_MemberOf')).toEqual([]);
    expect(ends(team('b'), '_HasMember')).toEqual([]);
  });
});
