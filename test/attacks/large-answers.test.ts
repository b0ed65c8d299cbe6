import { afterAll, beforeAll, expect, it } from 'vitest';
import { People } from '../support/people.ts';
import { scale } from '../support/scale.ts';

/**
 * Ten answers of 8 MB at a time, which are more than the memory of one endpoint worker: slow, but
 * never 500.
 */
const LARGE = `export default function ({ body }: Scope) {
  const letter = String((body as { letter: string }).letter);
  return Array.from({ length: 8 }, (_, i) => letter.repeat(1024 * 1024) + i);
}`;
const GREEDY = `export default function () {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i));
}`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('mallory');
  for (const [name, code] of Object.entries({ large: LARGE, greedy: GREEDY })) {
    const endpoint = { name, code, isReadOnly: true };
    const { status, text } = await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
    expect(status, text).toBe(201);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

it('large answers that are asked for at the same time are all given', async () => {
  for (let round = 0; round < scale({ sample: 2, soak: 20 }); round++) {
    const answers = await Promise.all(
      Array.from('abcdefghij', async (letter) => {
        const answer = await run('large', { letter });
        const bytes = Buffer.from(await answer.arrayBuffer());
        return [answer.status, answer.status === 200 ? bytes.length : bytes.toString()];
      }),
    );
    // With its quotes, digits, commas and brackets.
    const bytes = 8 * (1024 * 1024 + 4) + 1;
    expect(answers).toEqual(answers.map(() => [200, bytes]));
  }
});

it('one that uses too much memory by itself is at fault, also beside others', async () => {
  const answers = await Promise.all([run('greedy', {}), run('greedy', {}), run('greedy', {})]);
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect((await run('large', { letter: 'a' })).status).toBe(200);
});

/** Comes back when it is told that too much waits to be read. */
async function run(endpoint: string, body: object): Promise<Response> {
  for (;;) {
    const answer = await fetch(new URL(`/api/cce/${endpoint}`, people.workspace.server.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${people.token('mallory')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (answer.status !== 429) return answer;
    await answer.arrayBuffer();
  }
}
