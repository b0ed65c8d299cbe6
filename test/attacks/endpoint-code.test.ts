import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { People } from '../support/people.ts';
import { sampled, scale } from '../support/scale.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
});
afterAll(() => people[Symbol.asyncDispose]());

/** V8 ends the whole process for each: what they are to make is larger than what it can count. */
const FATAL = {
  split: "return 'a'.repeat(2 ** 28).split('').length;",
  from: "return Array.from('a'.repeat(2 ** 28)).length;",
  spread: "return [...'a'.repeat(2 ** 28)].length;",
  match: "return 'a'.repeat(2 ** 28).match(/a/g)?.length;",
  entries: "return Object.keys('a'.repeat(2 ** 28)).length;",
};

/**
 * Each fills more than there may be within one call of something built in, where no limit of V8's
 * is looked at.
 */
const FILLING = {
  fill: 'return new Array(2e8).fill(1.5).length;',
  parse: "return JSON.parse('[' + '[1],'.repeat(3e7) + '1]').length;",
  buffers: 'const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1));',
  join: "return new Array(3e7).fill('ab').join('c').split('c').length;",
};

async function create(name: string, body: string, isReadOnly = true): Promise<void> {
  const code = `export default async function (scope: Scope<unknown>): Promise<unknown> { ${body} }`;
  const made = await people.as('admin', 'POST', '/api/endpoints/create', {
    name,
    code,
    isReadOnly,
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
}

const run = (name: string) => people.as('admin', 'POST', `/api/endpoints/run/${name}`, {});

describe('one line of an endpoint', () => {
  beforeAll(async () => {
    await create('neighbour', "return 'well';");
  });

  it.each(sampled(Object.entries({ ...FATAL, ...FILLING }), 3))(
    'ends its own call and nothing else: %s',
    async (name, body) => {
      await create(name, body);
      const { server } = people.workspace;
      for (let round = 0; round < scale({ sample: 1, soak: 20 }); round++) {
        const attack = run(name);
        const beside = await Promise.all(Array.from({ length: 10 }, () => run('neighbour')));
        expect(beside.map(({ status, text }) => [status, text])).toEqual(
          Array.from({ length: 10 }, () => [200, '"well"']),
        );
        const { status, text } = await attack;
        expect([500, 504], text).toContain(status);
        expect(text).toMatch(/"code":"endpoint_(?:failed|timeout)"/);
        expect((await run('neighbour')).text).toBe('"well"');
      }
      expect(server.isRunning).toBe(true);
    },
    120_000,
  );
});

/** The processes that run code of endpoints for a server. */
function workersOf(server: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [status, command] = [
        contentOf(`/proc/${pid}/status`),
        contentOf(`/proc/${pid}/cmdline`),
      ];
      return status.includes(`\nPPid:\t${server}\n`) && command.includes('worker-keeper');
    })
    .map(Number);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

it('the processes that run it have no environment, and end with a server that is killed', async () => {
  await using own = await People.start();
  const { process: server } = own.workspace.server;
  // A new workspace starts its workers with the first call.
  const quick = { name: 'quick', code: 'export default (): string => "well";', isReadOnly: true };
  await own.as('admin', 'POST', '/api/endpoints/create', quick);
  await own.as('admin', 'POST', '/api/endpoints/run/quick', {});
  const workers = workersOf(server.pid);
  expect(workers.length).toBeGreaterThan(0);
  for (const worker of workers) {
    expect(contentOf(`/proc/${worker}/environ`)).not.toMatch(/MSK_|PASSWORD|KEY|TOKEN/);
    expect(contentOf(`/proc/${worker}/limits`)).toMatch(/Max data size +\d{9,10} /);
  }
  const code = 'export default function (): never { for (;;); }';
  const endless = { name: 'endless', code, isReadOnly: true };
  await own.as('admin', 'POST', '/api/endpoints/create', endless);
  const attack = own.as('admin', 'POST', '/api/endpoints/run/endless', {}).catch(() => 'cut');
  await own.workspace.server.kill();
  expect(await attack).toBe('cut');
  await expect
    .poll(() => workers.filter((pid) => contentOf(`/proc/${pid}/cmdline`) !== ''))
    .toEqual([]);
});
