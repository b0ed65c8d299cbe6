import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AdminAgentScene,
  BAD_CODE,
  GOOD_CODE,
  newEndpoint,
  refusalOf,
} from '../support/admin-agent-scene.ts';
import { eventsOf } from '../support/chat-scene.ts';

let at: AdminAgentScene;
beforeAll(async () => {
  at = await AdminAgentScene.start();
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const change = (name: string, definition: object) => ({
  ...newEndpoint(name),
  action: 'change',
  definition,
});
const deletion = (kind: string, name: string) => ({ kind, name, action: 'delete' });
const historyOf = async (name: string) =>
  (await at.ok('admin', 'GET', `/api/code/history/item/endpoint/${name}`)).items;
const PLANET = { type: 'Planet', key: 'Name', fields: { Moons: 'Int' } };

describe('an approval', () => {
  test('tells steps, then the result, then done, and makes one entry of history', async () => {
    const session = await at.begin();
    await at.proposes(session, newEndpoint('made/first'));
    const response = await at.approve(session);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    const first = { kind: 'endpoint', name: 'made/first', action: 'create' };
    const result = {
      committed: [{ ...first, historyVersion: 1 }],
      failed: null,
      notCommitted: [],
    };
    expect(text).toBe(
      [
        'event: log\ndata: {"text":"Approved: create the endpoint \\"made/first\\"."}\n\n',
        'event: log\ndata: {"text":"Done: create the endpoint \\"made/first\\", version 1."}\n\n',
        `event: result\ndata: ${JSON.stringify(result)}\n\n`,
        'event: done\ndata: {}\n\n',
      ].join(''),
    );
    const made = await at.ok('admin', 'GET', '/api/endpoints/made/first');
    expect(made).toMatchObject({ code: GOOD_CODE, access: 'admins', isReadOnly: true, version: 1 });
    expect(await historyOf('made/first')).toMatchObject([{ version: 1, action: 'created' }]);
    const { proposal, messages } = await at.ok('admin', 'GET', session);
    expect(proposal).toBeNull();
    expect(messages.at(-1).text).toBe(
      'I have approved the proposal.\nDone: create the endpoint "made/first".',
    );
    const { items } = await at.ok('admin', 'GET', '/api/audit?action=admin-agent.committed');
    expect(items[0].details).toEqual(result);
    expect(await refusalOf(await at.approve(session))).toMatchObject({
      status: 409,
      code: 'no_proposal',
    });
  });

  test('does everything in the order in which it is needed', async () => {
    await at.ok('admin', 'POST', '/api/endpoints/create', { name: 'old', code: GOOD_CODE });
    const tool = { name: 'old_tool', description: 'Old.', endpoint: 'old' };
    await at.ok('admin', 'POST', '/api/chatai/tools', tool);
    const session = await at.begin();
    const code = `export const input = z.object({});
export default async ({ q }: Scope) => q().startAt('Planet').where('Moons', '>', 1).nodes();\n`;
    const words = { description: 'Planets with moons.', endpoint: 'planets' };
    const agent = { instructions: 'Say which planets there are.', limits: { steps: 3 } };
    const settings = { Planet: { searchable: false, language: 'auto', fields: {} } };
    const { proposal } = await at.proposes(
      session,
      deletion('endpoint', 'old'),
      {
        kind: 'search-settings',
        name: 'search',
        action: 'change',
        definition: { types: settings },
      },
      { kind: 'agent', name: 'astronomer', action: 'create', definition: agent },
      { kind: 'tool', name: 'planets', action: 'create', definition: words },
      deletion('tool', 'old_tool'),
      newEndpoint('planets', { code }),
      { kind: 'schema', name: 'schema', action: 'change', definition: { nodes: [PLANET] } },
    );
    expect(proposal.items.flatMap(({ diagnostics }: { diagnostics: [] }) => diagnostics)).toEqual(
      [],
    );
    const { result } = await at.approved(session, { acceptWidenedAccess: true });
    expect(result.failed).toBeNull();
    const done = result.committed.map(({ kind, action }: { kind: string; action: string }) => [
      action,
      kind,
    ]);
    expect(done).toEqual([
      ['delete', 'tool'],
      ['change', 'schema'],
      ['create', 'endpoint'],
      ['change', 'search-settings'],
      ['create', 'agent'],
      ['create', 'tool'],
      ['delete', 'endpoint'],
    ]);
    expect(await at.ok('admin', 'GET', '/api/endpoints/planets')).toMatchObject({ compiles: true });
    const tools = await at.ok('admin', 'GET', '/api/chatai/tools');
    expect(tools.items).toMatchObject([{ name: 'planets', access: 'admins', problem: null }]);
    expect((await at.ok('admin', 'GET', '/api/search/settings')).types.Planet).toMatchObject({
      searchable: false,
    });
    expect(await historyOf('old')).toMatchObject([{ action: 'deleted' }, { action: 'created' }]);
  });

  test('goes on when its client leaves', async () => {
    const session = await at.begin();
    const names = Array.from({ length: 8 }, (_, index) => `left/${index}`);
    await at.proposes(session, ...names.map((name) => newEndpoint(name)));
    for await (const { event } of eventsOf(await at.approve(session))) {
      expect(event).toBe('log');
      break;
    }
    // It is over when the conversation is free for the next turn.
    let outcome = await at.people.outcome('admin', 'POST', `${session}/commit/reject`);
    while (outcome[1] === 'session_busy') {
      outcome = await at.people.outcome('admin', 'POST', `${session}/commit/reject`);
    }
    expect(outcome).toEqual([409, 'no_proposal']);
    const { items } = await at.ok('admin', 'GET', '/api/endpoints?take=1000');
    const made = items.map(({ name }: { name: string }) => name);
    expect(made).toEqual(expect.arrayContaining(names));
  });

  test('is refused by an ordinary status for what somebody has changed since', async () => {
    const session = await at.begin();
    await at.proposes(session, newEndpoint('raced'));
    await at.approved(session);
    const { proposal } = await at.proposes(session, change('raced', { description: 'Ours.' }));
    await at.ok('admin', 'PUT', '/api/endpoints/raced', { description: 'Theirs.' });
    expect(await refusalOf(await at.approve(session))).toMatchObject({
      status: 409,
      code: 'version_conflict',
      details: { kind: 'endpoint', name: 'raced', action: 'change' },
    });
    const again = await at.proposes(session, change('raced', { description: 'Ours.' }));
    expect(again.proposal.id).not.toBe(proposal.id);
    const stale = await at.approve(session, { proposal: proposal.id });
    expect(await refusalOf(stale)).toMatchObject({ status: 409, code: 'version_conflict' });
    const { result } = await at.approved(session, { proposal: again.proposal.id });
    expect(result.committed).toMatchObject([{ name: 'raced', historyVersion: 3 }]);
  });

  test('is refused for what does not compile, also when it did as it was proposed', async () => {
    const session = await at.begin();
    const { proposal } = await at.proposes(session, newEndpoint('never', { code: BAD_CODE }));
    expect(proposal.isValid).toBe(false);
    const refused = await refusalOf(await at.approve(session));
    expect(refused).toMatchObject({ status: 422, code: 'proposal_not_valid' });
    expect(refused.details.items).toMatchObject([{ name: 'never', diagnostics: [{ line: 1 }] }]);
    await at.proposes(session, newEndpoint('wrapped'));
    await at.approved(session);
    await at.proposes(session, deletion('endpoint', 'wrapped'));
    const tool = { name: 'wrapper', description: 'Wraps.', endpoint: 'wrapped' };
    await at.ok('admin', 'POST', '/api/chatai/tools', tool);
    const left = await refusalOf(await at.approve(session));
    expect(left).toMatchObject({ status: 422, code: 'proposal_not_valid' });
    expect(left.details.items[0].diagnostics).toEqual([
      { message: 'The tool "wrapper" would be left without its endpoint.' },
    ]);
  });

  test('that fails in the middle says what was done, and the rest stays proposed', async () => {
    const session = await at.begin();
    const code = 'export const input = z.string();\nexport default async () => 1;\n';
    const tool = (name: string) => ({
      kind: 'tool',
      name,
      action: 'create',
      definition: { description: 'Takes a text.', endpoint: 'texts' },
    });
    await at.proposes(session, newEndpoint('texts', { code }), tool('texts'), tool('more'));
    const { events, result } = await at.approved(session);
    expect(result).toEqual({
      committed: [{ kind: 'endpoint', name: 'texts', action: 'create', historyVersion: 1 }],
      failed: {
        kind: 'tool',
        name: 'texts',
        action: 'create',
        error: { code: 'invalid_request', message: expect.stringContaining('must take an object') },
      },
      notCommitted: [{ kind: 'tool', name: 'more', action: 'create' }],
    });
    const logged = events.filter(({ event }) => event === 'log').map(({ data }) => data['text']);
    expect(logged.slice(2)).toEqual([
      expect.stringMatching(/^Failed: create the tool "texts": /),
      'Not begun: create the tool "more".',
    ]);
    const { proposal } = await at.ok('admin', 'GET', session);
    expect(proposal.items).toMatchObject([{ name: 'texts' }, { name: 'more' }]);
    expect(proposal.items[0].kind).toBe('tool');
    const audit = await at.ok('admin', 'GET', '/api/audit?action=admin-agent.committed');
    expect(audit.items[0].details).toEqual(result);
  });

  test('of a body that is none is refused', async () => {
    const session = await at.begin();
    await at.proposes(session, newEndpoint('unused'));
    for (const approval of [{ acceptWidenedAccess: 'yes' }, { force: true }]) {
      const refused = await refusalOf(await at.approve(session, approval));
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });
});

describe('more access than before', () => {
  test.each<[string, object, string[]]>([
    ['a new endpoint for users', { access: 'users' }, ['Every signed-in user may call it.']],
    [
      'one that runs as an administrator',
      { runAsAdmin: true },
      ['It runs with the access of an administrator.'],
    ],
  ])('of %s has to be accepted', async (what, definition, reasons) => {
    const session = await at.begin();
    const name = what.replaceAll(' ', '-');
    const { proposal } = await at.proposes(session, newEndpoint(name, definition));
    expect(proposal.items[0].widensAccess).toEqual(reasons);
    for (const approval of [undefined, {}, { acceptWidenedAccess: false }]) {
      const refused = await refusalOf(await at.approve(session, approval));
      expect(refused).toMatchObject({
        status: 409,
        code: 'access_widened',
        details: { items: [{ kind: 'endpoint', name, action: 'create', reasons }] },
      });
    }
    const { result } = await at.approved(session, { acceptWidenedAccess: true });
    expect(result.committed).toMatchObject([{ name }]);
  });

  test('is seen in changes of what there is', async () => {
    const session = await at.begin();
    const shared = newEndpoint('shared', { access: 'users', runAsAdmin: true });
    const words = { description: 'Ours.', endpoint: 'ours' };
    await at.proposes(session, newEndpoint('ours'), shared, {
      kind: 'tool',
      name: 'ours',
      action: 'create',
      definition: words,
    });
    await at.approved(session, { acceptWidenedAccess: true });
    const { proposal } = await at.proposes(
      session,
      change('ours', { access: 'users', isReadOnly: false, runAsAdmin: true }),
      change('shared', { code: `${GOOD_CODE}// Other.\n` }),
      { kind: 'tool', name: 'ours', action: 'change', definition: { access: 'users' } },
    );
    const reasons = proposal.items.map(({ widensAccess }: { widensAccess: [] }) => widensAccess);
    expect(reasons).toEqual([
      [
        'Every signed-in user may call it.',
        'It runs with the access of an administrator.',
        'It may write from now on.',
      ],
      ['Users run other code than before with the access of an administrator.'],
      ['Models offer it to every user who may call its endpoint.'],
    ]);
    const narrower = await at.proposes(session, change('shared', { access: 'admins' }));
    expect(narrower.proposal.items[0].widensAccess).toEqual([]);
  });
});
