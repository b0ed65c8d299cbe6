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
const STORED = { embeddings: { ...SERVER, hasApiKey: true } };
const KEY = 'sk-a-key-that-nobody-else-sees';

async function start() {
  const service = await startService({
    'GET /api/chatai/providers': () => ({ body: STORED }),
    'PUT /api/chatai/providers': ({ body }) => {
      const { embeddings } = JSON.parse(body);
      return { body: embeddings === null ? { embeddings } : STORED };
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
    'https://models.example/v1 is asked for embeddings with a key.\n',
  ]);
  expect(sent().at(-1)).toEqual({ embeddings: SERVER });
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
  expect([stderr, sent()]).toEqual(['Nobody is asked for embeddings.\n', [{ embeddings: null }]]);
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
