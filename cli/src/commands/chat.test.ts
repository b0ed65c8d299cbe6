import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const UID = '7vbXzqGAm3WCiHpAmoqgqD';
const ANSWER = {
  chatUID: 'c1',
  messageUID: 'm1',
  answer: 'A dog [1].\nAnd more.',
  citations: [{ id: 1, uid: 'u1', text: 'Type: Word\nlemma: dog' }],
  toolCalls: [],
  usage: { inputTokens: 2, outputTokens: 3 },
  model: 'm',
  ended: 'answer',
  support: [
    { sentence: 'A dog [1].', start: 0, end: 10, verdict: 'supported', citations: [] },
    { sentence: 'And\u001b more.', start: 11, end: 20, verdict: 'unsupported', citations: [] },
  ],
  supportRate: 0.5,
  supportJudge: null,
};
const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

async function start(answer: object = ANSWER, end = event('result', answer)) {
  const service = await startService({
    'POST /api/chatai/chat': () => ({
      headers: { 'content-type': 'text/event-stream', 'msk-chat': 'c1' },
      text:
        event('tool', { state: 'begun', id: 't', tool: 'look\u001b[2Jup', input: {} }) +
        event('tool', { state: 'ended', id: 't', tool: 'lookup', input: {}, output: 1, ms: 2 }) +
        event('delta', { text: 'A dog [1].\n' }) +
        ':\n\n' +
        event('delta', { text: 'And\u001b more.' }) +
        end +
        event('done', {}),
    }),
  });
  const run = (...args: string[]) => trellis(['chat', ...args, '--server', service.url]);
  return { service, run };
}

const CHAT = {
  UID: 'c1',
  title: 'Dogs',
  createdAt: '2026-11-29T17:00:00.000Z',
  updatedAt: '2026-11-29T17:00:00.000Z',
  isBusy: false,
  busyWith: null,
  messages: [
    { role: 'user', UID: 'q1', text: 'A dog?', at: '2026-11-29T17:00:00.000Z', viewingUID: null },
    {
      role: 'assistant',
      UID: 'm1',
      text: 'A dog [1].\nAnd\u001b more.',
      at: '2026-11-29T17:00:01.000Z',
      citations: ANSWER.citations,
      toolCalls: [],
      usage: null,
      model: 'm',
      ended: 'answer',
      error: null,
      feedback: null,
      support: ANSWER.support.map((one, at) => (at === 1 ? { ...one, end: 21 } : one)),
      supportRate: 0.5,
      supportJudge: null,
    },
  ],
};

describe('chat export', () => {
  const startExport = async () => {
    const service = await startService({ 'GET /api/chatai/chats/c1': () => ({ body: CHAT }) });
    const run = (...args: string[]) =>
      trellis(['chat', 'export', ...args, '--server', service.url]);
    return { service, run };
  };

  it('prints Markdown with verdicts and sources, and nothing that a terminal obeys', async () => {
    const { run, service } = await startExport();
    const { code, stdout, stderr } = await run('c1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('# Dogs\n\n## You\n');
    expect(stdout).toContain('\nA dog [^1].[^s1]\nAnd\ufffd more. *(not supported)*[^s2]\n');
    expect(stdout).toContain(
      `[^1]: [\`u1\`](<${service.url}/#/node/u1>): Type: Word; lemma: dog\n`,
    );
  });

  it('writes a file in the format of its ending, and overwrites none', async () => {
    const { run } = await startExport();
    const out = join(scratchFolder(), 'dogs.json');
    const { code, stdout, stderr } = await run('c1', '--out', out);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Wrote [\d.]+ KiB to .*dogs\.json\.\n$/);
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(CHAT);
    const again = await run('c1', '--out', out);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is a file')]);
    const told = await run('c1', '--out', `${out}.md`, '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ path: `${out}.md`, format: 'markdown' });
    expect(await readFile(`${out}.md`, 'utf8')).toMatch(/^# Dogs\n/);
  });

  it('gives programs the conversation, and says what is wrong', async () => {
    const { run } = await startExport();
    expect(JSON.parse((await run('c1', '--json')).stdout)).toEqual(CHAT);
    expect(JSON.parse((await run('c1', '--format', 'json')).stdout)).toEqual(CHAT);
    expect((await run('c1', '--format', 'pdf')).code).toBe(2);
    expect((await run()).code).toBe(2);
    expect((await run('c2')).code).toBe(1);
  });
});

describe('chat', () => {
  it('prints the answer as it comes, then its sources', async () => {
    const { run, service } = await start();
    const { code, stdout, stderr } = await run('What is a dog?', '--chat', 'c1', '--model', 'm');
    expect([code, stdout]).toEqual([
      0,
      'A dog [1].\nAnd\ufffd more.\n\nSources:\n[1] u1 Type: Word, lemma: dog\n' +
        '\nNot supported by them:\nAnd\ufffd more.\n',
    ]);
    expect(stderr).toBe('calls look\ufffd[2Jup\nGo on with: --chat c1\n');
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
      message: 'What is a dog?',
      chatUID: 'c1',
      model: 'm',
    });
  });

  it('prints the whole answer as JSON', async () => {
    const { run, service } = await start();
    const { stdout } = await run('What is this?', '--viewing', UID, '--json');
    expect(JSON.parse(stdout)).toEqual(ANSWER);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ viewingUID: UID });
  });

  it('says that an answer is not whole, and without sources names none', async () => {
    const { run } = await start({ ...ANSWER, citations: [], support: [], ended: 'tool-calls' });
    const { code, stdout, stderr } = await run('What is a dog?');
    expect([code, stdout]).toEqual([0, 'A dog [1].\nAnd\ufffd more.\n']);
    expect(stderr).toContain('The answer was cut short: tool-calls.\n');
  });

  it('fails when the model does, on the way too', async () => {
    const { body } = refusal(503, 'llm_unavailable');
    const { run } = await start(ANSWER, event('error', body as object));
    const { code, stderr } = await run('What is a dog?');
    expect([code, stderr]).toEqual([1, expect.stringContaining('llm_unavailable')]);
    const broken = await (await start(ANSWER, '')).run('What is a dog?', '--json');
    expect([broken.code, broken.stdout]).toEqual([1, '']);
  });

  it('needs a question', async () => {
    const { run, service } = await start();
    expect((await run()).code).toBe(2);
    expect(service.requests).toEqual([]);
  });
});
