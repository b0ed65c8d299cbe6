import { describe, expect, it } from 'vitest';
import { failureOf, refusal, scripted } from '../testing/scripted-server.ts';

const SESSION = { id: 's 1', title: '', createdAt: '', messages: [], uploads: [], proposal: null };
const ANSWER = {
  answer: 'Yes.',
  toolCalls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'm',
  ended: 'answer',
  proposal: null,
};
const COMMIT = { committed: [], failed: null, notCommitted: [] };
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function streaming(...events: string[]) {
  return scripted([{ headers: { 'content-type': 'text/event-stream' }, body: events.join('') }]);
}

it('begins, lists, reads and deletes conversations, asks and rejects', async () => {
  const list = { items: [], total: 0, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { status: 201, body: SESSION },
    { body: list },
    { body: SESSION },
    { body: ANSWER },
    { status: 204 },
    { status: 204 },
  ]);
  expect(await client.adminAgent.createSession()).toEqual(SESSION);
  expect(await client.adminAgent.listSessions({ take: 2 })).toEqual(list);
  expect(await client.adminAgent.getSession('s 1')).toEqual(SESSION);
  expect(await client.adminAgent.send('s 1', { message: 'Is it?' })).toEqual(ANSWER);
  await client.adminAgent.rejectCommit('s 1');
  await client.adminAgent.deleteSession('s 1');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/admin-agent/sessions', ''],
    ['GET', '/api/admin-agent/sessions?take=2', ''],
    ['GET', '/api/admin-agent/sessions/s%201', ''],
    ['POST', '/api/admin-agent/sessions/s%201/messages', '{"message":"Is it?"}'],
    ['POST', '/api/admin-agent/sessions/s%201/commit/reject', ''],
    ['DELETE', '/api/admin-agent/sessions/s%201', ''],
  ]);
});

it('uploads a file as a form, under its name', async () => {
  const entry = { UID: 'f', Size: 1, ContentType: 'text/plain' };
  const { client, seen } = await scripted([{ status: 201, body: entry }]);
  const file = new Blob(['a'], { type: 'text/plain' });
  expect(await client.adminAgent.uploadFile('s', 'a b.txt', file)).toEqual(entry);
  expect(seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(seen[0]?.body).toContain('name="file"; filename="a b.txt"');
});

it('tells an answer as it comes', async () => {
  const tool = { state: 'begun' as const, id: 't', tool: 'list_files', input: {} };
  const { client, seen } = await streaming(
    event('tool', tool),
    ':\n\n',
    event('delta', { text: 'Yes.' }),
    event('result', ANSWER),
    event('done', {}),
  );
  const events = client.adminAgent.stream('s', { message: 'Is it?' });
  expect(await Array.fromAsync(events)).toEqual([
    { kind: 'tool', tool },
    { kind: 'delta', text: 'Yes.' },
    { kind: 'result', answer: ANSWER },
  ]);
  expect(seen[0]?.headers['accept']).toBe('text/event-stream');
});

describe('an approval', () => {
  it('resolves with its result, and tells its steps', async () => {
    const { client, seen } = await streaming(
      event('log', { text: 'one' }),
      event('log', { text: 'two' }),
      event('result', COMMIT),
      event('done', {}),
    );
    const told: string[] = [];
    const approval = { proposal: 'p', acceptWidenedAccess: true };
    const onLog = (text: string) => void told.push(text);
    expect(await client.adminAgent.approveCommit('s', approval, { onLog })).toEqual(COMMIT);
    expect(told).toEqual(['one', 'two']);
    expect([seen[0]?.url, seen[0]?.body]).toEqual([
      '/api/admin-agent/sessions/s/commit/approve',
      JSON.stringify(approval),
    ]);
  });

  it('rejects with what it is refused for, also on the way, and when it breaks off', async () => {
    const refused = await scripted([{ status: 409, body: refusal('no_proposal') }]);
    expect(await failureOf(refused.client.adminAgent.approveCommit('s'))).toMatchObject({
      code: 'no_proposal',
    });
    const failed = await streaming(event('error', refusal('internal_error')), event('done', {}));
    expect(await failureOf(failed.client.adminAgent.approveCommit('s'))).toMatchObject({
      code: 'internal_error',
    });
    const broken = await streaming(event('log', { text: 'one' }));
    expect(await failureOf(broken.client.adminAgent.approveCommit('s'))).toMatchObject({
      code: 'connection_failed',
    });
  });
});
