import { expect, test } from 'vitest';
import { startWorkspace } from '../support/workspace.ts';

/**
 * Node takes note of each rejected promise by a function of its own, which there is no room for on
 * a used-up stack.
 */
const ATTACKS = {
  'rejections on a used-up stack':
    'const deep = () => { try { deep(); } catch {} try { void Promise.reject(1); } catch {} }; for (;;) deep();',
  'rejections on a used-up stack that are looked at':
    'const deep = () => { try { deep(); } catch {} try { Promise.reject(new Error()).catch(() => {}); } catch {} }; for (;;) deep();',
  'promises that reject with one another':
    'const again = async (): Promise<void> => { throw again(); }; for (;;) { try { await again(); } catch {} }',
};
/** Each round may have to start a new worker, while other tests run. */
const TIMEOUT_MS = 600_000;
/** A worker that outlives its end does not do so every time. */
const ROUNDS = 15;

test(
  'code that fails while its failing is noted ends with its call, and does not outlive the server',
  async () => {
    await using workspace = await startWorkspace();
    const { http, token, server } = workspace;
    const create = async (name: string, code: string, timeoutMs: number) => {
      const body = { name, code: `export default async () => { ${code} };`, timeoutMs };
      const answer = await http.send({ path: '/api/endpoints/create', token, body });
      expect(answer.json, answer.text).toMatchObject({ compiles: true });
    };
    const run = async (name: string) => {
      try {
        return await http.send({ path: `/api/endpoints/run/${name}`, token, body: 1 });
      } catch (error) {
        // What a process says last is all that is known of its end.
        throw new Error(`no answer; the server said last: ${server.stderr.slice(-4_000)}`, {
          cause: error,
        });
      }
    };
    await create('neighbour', 'return 42;', 30_000);
    for (const [i, code] of Object.values(ATTACKS).entries()) {
      await create(`attack${i}`, code, 100);
      for (let round = 0; round < ROUNDS; round++) {
        const [attack, neighbour] = await Promise.all([run(`attack${i}`), run('neighbour')]);
        expect([attack.status, neighbour.text]).toEqual([504, '42']);
      }
    }
    expect(server.isRunning).toBe(true);
    expect(await server.stop()).toBe(0);
  },
  TIMEOUT_MS,
);
