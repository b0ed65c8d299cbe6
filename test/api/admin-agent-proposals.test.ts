import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdminAgentScene, BAD_CODE, GOOD_CODE, newEndpoint } from '../support/admin-agent-scene.ts';
import { calls, says } from '../support/llm-server.ts';

let at: AdminAgentScene;
beforeAll(async () => {
  at = await AdminAgentScene.start();
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

describe('proposals', () => {
  test('are compiled and kept with before, after and a diff, and change nothing', async () => {
    const session = await at.begin();
    const { proposal, toolCalls } = await at.proposes(session, newEndpoint('words/echo'));
    const settings = { isReadOnly: true, access: 'admins', runAsAdmin: false };
    expect(proposal).toMatchObject({ summary: 'As asked.', isValid: true });
    expect(proposal.items).toMatchObject([
      {
        kind: 'endpoint',
        name: 'words/echo',
        action: 'create',
        before: null,
        after: { ...settings, code: GOOD_CODE },
        diagnostics: [],
        widensAccess: [],
      },
    ]);
    expect(proposal.items[0].diff).toContain('+++ b/words/echo.ts\n');
    expect(proposal.items[0].diff).toContain('+export const input');
    expect(toolCalls[0].input.changes).toMatchObject([{ name: 'words/echo' }]);
    expect((await at.ok('admin', 'GET', session)).proposal).toEqual(proposal);
    expect((await at.people.as('admin', 'GET', '/api/endpoints/words/echo')).status).toBe(404);
    await at.ok('admin', 'POST', `${session}/commit/reject`);
    const { proposal: dropped, messages } = await at.ok('admin', 'GET', session);
    expect([dropped, messages.at(-1).text]).toEqual([null, 'I have rejected the proposal.']);
    expect(await at.people.outcome('admin', 'POST', `${session}/commit/reject`)).toEqual([
      409,
      'no_proposal',
    ]);
  });

  test('that do not compile are told back to the model, which may propose again', async () => {
    const session = await at.begin();
    const bad = { summary: 'First.', changes: [newEndpoint('tried', { code: BAD_CODE })] };
    const good = { summary: 'Second.', changes: [newEndpoint('tried')] };
    at.script(calls(['propose', bad]), calls(['propose', good]), says('Now it compiles.'));
    let told = '';
    at.provider.script.beforeEvent = () => {
      if (at.provider.requests.length === 2) told = at.toolText;
    };
    const { json } = await at.ask(session);
    expect(told).toContain('It cannot be approved as it is.');
    expect(told).toContain('There is no \\"nothing\\" in Scope.');
    expect(Object(json).proposal).toMatchObject({ summary: 'Second.', isValid: true });
  });

  test('are compiled against the schema that they bring along', async () => {
    const session = await at.begin();
    const code = `export default async ({ q }: Scope) => q().startAt('Planet').where('Moons', '>', 1).nodes();\n`;
    const endpoint = newEndpoint('planets', { code });
    const alone = await at.proposes(session, endpoint);
    expect(alone.proposal.isValid).toBe(false);
    const nodes = [{ type: 'Planet', key: 'Name', fields: { Moons: 'Int' } }];
    const schema = { kind: 'schema', name: 'schema', action: 'change', definition: { nodes } };
    const { proposal } = await at.proposes(session, endpoint, schema);
    // The model is told what it has proposed before.
    expect(JSON.stringify(at.provider.requests[0]?.body)).toContain('startAt(');
    expect(proposal.items.flatMap((item: { diagnostics: [] }) => item.diagnostics)).toEqual([]);
    expect(proposal.items[1]).toMatchObject({ before: { nodes: [], edges: [] } });
    expect(proposal.items[1].widensAccess).toEqual([
      'Every signed-in user may read nodes of the new type Planet.',
    ]);
  });

  test.each<[string, object, string]>([
    ['nothing', { summary: 's', changes: [] }, 'at least one change'],
    ['no list', { summary: 's', changes: 'all' }, 'changes must be a list'],
    ['no summary', { changes: [newEndpoint('x')] }, 'summary must be text'],
    ['an unknown kind', { summary: 's', changes: [{ ...newEndpoint('x'), kind: 'user' }] }, 'kind'],
    ['the same twice', { summary: 's', changes: [newEndpoint('x'), newEndpoint('x')] }, 'twice'],
    [
      'a built-in name',
      { summary: 's', changes: [newEndpoint('system/x')] },
      'is reserved for the server',
    ],
    ['a wrong name', { summary: 's', changes: [newEndpoint('../x')] }, 'invalid_request'],
    [
      'an unknown setting',
      { summary: 's', changes: [newEndpoint('x', { owner: 'me' })] },
      'invalid_request',
    ],
    [
      'what there is not',
      { summary: 's', changes: [{ kind: 'tool', name: 'none', action: 'delete' }] },
      'There is no definition',
    ],
    [
      'a field of no type',
      {
        summary: 's',
        changes: [
          {
            kind: 'schema',
            name: 'schema',
            action: 'change',
            definition: { nodes: [{ type: 'A', fields: { b: 'Text' } }] },
          },
        ],
      },
      'invalid_request',
    ],
  ])('of %s are refused, and the model is told why', async (_what, input, told) => {
    const session = await at.begin();
    at.script(calls(['propose', input]), says('I cannot.'));
    const { json } = await at.ask(session);
    expect(Object(json)).toMatchObject({ answer: 'I cannot.', proposal: null });
    expect(at.toolText).toContain(told);
  });

  test('of a tool need an endpoint that is there, or proposed', async () => {
    const session = await at.begin();
    const definition = { description: 'Says it again.', endpoint: 'again' };
    const tool = { kind: 'tool', name: 'again', action: 'create', definition };
    const alone = await at.proposes(session, tool);
    expect(alone.proposal.items[0].diagnostics).toEqual([
      { message: 'There is no endpoint "again".' },
    ]);
    const { proposal } = await at.proposes(session, tool, newEndpoint('again'));
    expect(proposal).toMatchObject({ isValid: true, items: [{ after: { access: 'admins' } }, {}] });
  });
});
