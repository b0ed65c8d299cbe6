import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, trellis, trellisAtTerminal } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const SERVER = {
  provider: 'openai-compatible',
  baseUrl: 'https://models.example/v1',
  model: 'small',
};
const CHAT = {
  provider: 'anthropic',
  baseUrl: 'https://chat.example/v1',
  model: 'large',
  models: ['large'],
  tokensPerAnswer: 4_096,
  tokensPerUserAndDay: 1_000_000,
};
const LOCAL = {
  name: 'local',
  provider: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:11434/v1',
  models: ['tiny', 'tinier'],
  tokensPerAnswer: 4_096,
};
const STORED = {
  chat: { ...CHAT, hasApiKey: false },
  furtherChat: [{ ...LOCAL, hasApiKey: false }],
  embeddings: { ...SERVER, hasApiKey: true },
};
const KEY = 'sk-a-key-that-nobody-else-sees';

async function start() {
  const service = await startService({
    'GET /api/chatai/providers': () => ({ body: STORED }),
    'PUT /api/chatai/providers': ({ body }) => {
      const { embeddings } = JSON.parse(body);
      return { body: embeddings === null ? { ...STORED, embeddings } : STORED };
    },
  });
  const home = scratchFolder();
  const file = join(home, 'providers.json');
  const set = ['ai', 'providers', 'set', file, '--server', service.url];
  return {
    service,
    set,
    env: (more = {}) => ({ HOME: home, ...more }),
    write: (value: unknown) => writeFileSync(file, JSON.stringify(value)),
    sent: () => service.requests.map(({ body }) => body && JSON.parse(body)),
  };
}

it('prints what it takes', async () => {
  const { service, set, env, write, sent } = await start();
  const got = await trellis(['ai', 'providers', 'get', '--server', service.url], { env: env() });
  expect(JSON.parse(got.stdout)).toEqual(STORED);
  write(JSON.parse(got.stdout));
  const { code, stderr } = await trellis(set, { env: env() });
  expect([code, stderr]).toEqual([
    0,
    'https://chat.example/v1 is asked for chat without a key.\n' +
      'https://models.example/v1 is asked for embeddings with a key.\n' +
      'local: http://127.0.0.1:11434/v1 is asked for tiny, tinier without a key.\n',
  ]);
  expect(sent().at(-1)).toEqual({ chat: CHAT, furtherChat: [LOCAL], embeddings: SERVER });
});

it('takes the key from the environment or the keyboard, and shows it to nobody', async () => {
  const { set, env, write, sent } = await start();
  write({ embeddings: SERVER });
  const fromEnvironment = await trellis([...set, '--json'], {
    env: env({ TRELLIS_EMBEDDINGS_KEY: KEY }),
  });
  const typed = await trellisAtTerminal([...set, '--ask-key'], { env: env(), typed: [`${KEY}\n`] });
  for (const { code, stdout, stderr } of [fromEnvironment, typed]) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(KEY);
  }
  const withKey = { embeddings: { ...SERVER, apiKey: KEY } };
  expect(sent()).toEqual([withKey, withKey]);
});

it('removes a provider', async () => {
  const { set, env, write, sent } = await start();
  write({ embeddings: null });
  const { stderr } = await trellis(set, { env: env() });
  expect(stderr).toContain('Nobody is asked for embeddings.\n');
  expect(sent()).toEqual([{ embeddings: null }]);
});

it('takes the keys of further providers by their names', async () => {
  const { set, env, write, sent } = await start();
  write({ furtherChat: [LOCAL, { ...LOCAL, name: 'other-one' }] });
  const given = { TRELLIS_CHAT_LOCAL_KEY: KEY, TRELLIS_CHAT_OTHER_ONE_KEY: `${KEY}-2` };
  const { code } = await trellis(set, { env: env(given) });
  expect(code).toBe(0);
  expect(sent()).toEqual([
    {
      furtherChat: [
        { ...LOCAL, apiKey: KEY },
        { ...LOCAL, name: 'other-one', apiKey: `${KEY}-2` },
      ],
    },
  ]);
});

it('asks for the key of each server in the file', async () => {
  const { set, env, write, sent } = await start();
  write({ chat: CHAT, embeddings: SERVER });
  const typed = [`${KEY}\n`, `${KEY}-2\n`];
  const { code } = await trellisAtTerminal([...set, '--ask-key'], { env: env(), typed });
  expect(code).toBe(0);
  expect(sent()).toEqual([
    { chat: { ...CHAT, apiKey: KEY }, embeddings: { ...SERVER, apiKey: `${KEY}-2` } },
  ]);
});

it('sends nothing when the file is wrong, the key is of nobody, or there is no keyboard', async () => {
  const { set, env, write, sent } = await start();
  write({ embeddings: { ...SERVER, baseUrl: 'ftp://models.example', apiKey: `${KEY} ` } });
  const wrong = await trellis(set, { env: env() });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('embeddings.baseUrl')]);
  expect(wrong.stderr).not.toContain(KEY);
  write({ embeddings: null });
  const ofNobody = await trellis(set, { env: env({ TRELLIS_EMBEDDINGS_KEY: KEY }) });
  expect([ofNobody.code, ofNobody.stderr]).toEqual([2, expect.stringContaining('key')]);
  const blind = await trellis([...set, '--ask-key'], { env: env() });
  expect([blind.code, blind.stderr]).toEqual([
    2,
    expect.stringContaining('TRELLIS_EMBEDDINGS_KEY'),
  ]);
  expect(sent()).toEqual([]);
});
