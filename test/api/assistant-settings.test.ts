import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatScene, sentTo } from '../support/chat-scene.ts';
import { says } from '../support/llm-server.ts';

const PATH = '/api/chatai/settings';
const INSTRUCTIONS_MAX = 8_000;

let at: ChatScene;
beforeAll(async () => {
  at = await ChatScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

/** What the model is told before the question of a user. */
async function toldFor(as: string): Promise<string> {
  at.script(says('Yes.'));
  await at.answered(as, { message: 'Is there anything?' });
  const [first] = sentTo(at.provider);
  expect(first?.role).toBe('system');
  return String(first?.content);
}

test('an administrator adds instructions, which every model is told and the audit does not have', async () => {
  expect(await at.ok('admin', 'GET', PATH)).toEqual({ instructions: '', judge: null });
  const instructions = 'A "tome" is a book of more than 500 pages.';
  const settings = { instructions, judge: null };
  expect(await at.ok('admin', 'PUT', PATH, { instructions })).toEqual(settings);
  expect(await at.ok('admin', 'PUT', PATH, {})).toEqual(settings);
  expect(await at.ok('admin', 'GET', PATH)).toEqual(settings);
  expect(await toldFor('ann')).toContain(instructions);
  const audit = await at.people.as('admin', 'GET', '/api/audit?action=ai.settings-changed');
  expect(audit.json).toMatchObject({ items: [{ details: { changed: ['instructions'] } }] });
  expect(audit.text).not.toContain('tome');
  await at.ok('admin', 'PUT', PATH, { instructions: '' });
  expect(await toldFor('ann')).not.toContain('administrators of this workspace');
});

test('a judge is of a provider that there is', async () => {
  const judge = { provider: 'openai-compatible', model: 'judge' };
  const put = (other: object) =>
    at.people.outcome('admin', 'PUT', PATH, { judge: { ...judge, ...other } });
  expect(await put({ provider: 'anthropic' })).toEqual([400, 'invalid_request']);
  expect(await put({ model: ' ' })).toEqual([400, 'invalid_request']);
  expect(await at.ok('admin', 'PUT', PATH, { judge })).toEqual({ instructions: '', judge });
  expect(await at.ok('admin', 'PUT', PATH, { judge: null })).toMatchObject({ judge: null });
});

test('nobody else may, and they have a longest length', async () => {
  const put = async (as: string, instructions: unknown) =>
    (await at.people.as(as, 'PUT', PATH, { instructions })).status;
  expect((await at.people.as('ann', 'GET', PATH)).status).toBe(403);
  expect(await put('ann', 'x')).toBe(403);
  expect(await put('admin', 'x'.repeat(INSTRUCTIONS_MAX + 1))).toBe(400);
  expect(await put('admin', 7)).toBe(400);
  expect(await put('admin', 'x'.repeat(INSTRUCTIONS_MAX))).toBe(200);
  expect(await put('admin', '')).toBe(200);
});

test('a model knows the types, fields and counts that the asker may see, and no others', async () => {
  const bob = { uid: at.people.uid('bob') };
  await at.ok('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Secret', key: 'Name', fields: { Code: 'String' } }],
    edges: [],
  });
  await at.ingest(
    { op: 'addOrUpdate', type: 'Secret', key: 'one', fields: { Code: 'x' } },
    { op: 'restrict', node: { type: 'Secret', key: 'one' }, user: bob },
  );
  const types = { Note: { fields: { Salary: { users: [bob.uid] } } } };
  await at.ok('admin', 'PUT', '/api/access/types', { types });
  const forAnn = await toldFor('ann');
  const forBob = await toldFor('bob');
  expect(forAnn).toContain('- Note, 3 nodes: key Name, Title (String), Text (String)');
  expect(forAnn).not.toMatch(/Salary|Secret/);
  expect(forBob).toMatch(/- Note, 4 nodes: .*Salary \(Int\)/);
  expect(forBob).toContain('- Secret, 1 nodes: key Name, Code (String)');
});

test('so does an agent that has tools', async () => {
  const agent = { instructions: 'You find notes.' };
  await at.ok('admin', 'POST', '/api/chatai/agents', { ...agent, name: 'finder', tools: ['find'] });
  await at.ok('admin', 'POST', '/api/chatai/agents', { ...agent, name: 'thinker', tools: [] });
  const toldAs = async (name: string): Promise<unknown> => {
    at.script(says('Found.'));
    await at.ok('ann', 'POST', `/api/chatai/agents/${name}/run`, { message: 'Find.' });
    return sentTo(at.provider)[0]?.content;
  };
  expect(await toldAs('finder')).toMatch(/^You find notes\.[^]*- Note, 3 nodes/);
  expect(await toldAs('thinker')).toBe('You find notes.');
});
