import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** `run()` in the code of an endpoint has the types of the endpoint that it names. */

const BY_AUTHOR = `
export default async function ({ body, q }: Scope<{ author: string; take?: number }>) {
  return q().startAt('Book', body.author).take(body.take ?? 10).nodes();
}
`;
const COUNTED = `
export const input = z.object({ word: z.string(), times: z.int().default(1) });
export default ({ body }: Scope<typeof input>) => ({ word: body.word, times: body.times });
`;

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  await save('books/by-author', BY_AUTHOR);
  await save('words/counted', COUNTED);
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

async function save(name: string, code: string): Promise<unknown> {
  const created = await send('POST', '/api/endpoints/create', { name, code });
  const saved =
    created.status === 409 ? await send('PUT', `/api/endpoints/${name}`, { code }) : created;
  return Object(saved.json).diagnostics;
}

/** Messages of what the compiler finds in a function with this body. */
async function check(body: string, more: object = {}): Promise<string[]> {
  const code = `export default async ({ run, runOnPrimary }: Scope) => {\n${body}\n};\n`;
  const { json } = await send('POST', '/api/endpoints/check', { code, ...more });
  return Object(json).diagnostics.map(({ message }: { message: string }) => message);
}

describe('a run of an endpoint that is named by a literal', () => {
  test.each([
    [
      'a good body',
      `const [book] = await run('books/by-author', { author: 'a' }); return book?.Title?.length;`,
    ],
    [
      'its optional part',
      `return (await run('books/by-author', { author: 'a', take: 2 })).length;`,
    ],
    [
      'a body of zod, without its default',
      `return (await run('words/counted', { word: 'a' })).times.toFixed();`,
    ],
    ['the primary', `return (await runOnPrimary('words/counted', { word: 'a' })).word.trim();`],
    [
      'its own type of the answer',
      `return (await run<{ n: number }>('books/by-author', 7)).n.toFixed();`,
    ],
    ['a name that is not there yet', `return (await run('books/later', 7)) as string;`],
    [
      'a name that is made',
      `const name = ['a'].join(); return (await run<number>(name, 7)).toFixed();`,
    ],
  ])('takes %s', async (_case, body) => {
    expect(await check(body)).toEqual([]);
  });

  test.each([
    ['a body that lacks something', `return run('books/by-author', {});`, /author/],
    ['no body', `return run('books/by-author');`, /arguments/],
    ['a member of another type', `return run('books/by-author', { author: 7 });`, /number.*string/],
    [
      'a member that it does not have',
      `return run('books/by-author', { author: 'a', by: 1 });`,
      /by/,
    ],
    [
      'a wrong use of the answer',
      `return (await run('words/counted', { word: 'a' })).tims;`,
      /times/,
    ],
    [
      'another type expected of it',
      `const n: number = await run('books/by-author', { author: 'a' }); return n;`,
      /number/,
    ],
    ['the same on the primary', `return runOnPrimary('words/counted', { word: 7 });`, /string/],
  ])('refuses %s', async (_case, body, message) => {
    const found = await check(body);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});

test('what an endpoint answers by running another one is described', async () => {
  const code = `export default ({ run }: Scope) => run('words/counted', { word: 'a' });\n`;
  const { json } = await send('POST', '/api/endpoints/check', { code, types: true });
  expect(json).toMatchObject({
    output: { properties: { word: { type: 'string' }, times: { type: 'number' } } },
  });
});

test('who calls is checked again when what it calls takes something else', async () => {
  await save('books/first', `export default ({ body }: Scope<{ n: number }>) => body.n;\n`);
  expect(
    await save(
      'books/caller',
      `export default ({ run }: Scope) => run('books/first', { n: 1 });\n`,
    ),
  ).toEqual([]);
  const failing = async () => {
    const { json } = await send('GET', '/api/build/compile-status');
    return Object(json).Pending === true ? 'pending' : Object(json).FailingIds.length;
  };
  await expect.poll(failing).toBe(0);
  await save('books/first', `export default ({ body }: Scope<{ n: string }>) => body.n;\n`);
  await expect.poll(failing).toBe(1);
  await send('DELETE', '/api/endpoints/books/first');
  await expect.poll(failing).toBe(0);
});

test('an endpoint that runs itself may change what it takes', async () => {
  const recursive = (type: string, value: string) =>
    `export default async ({ body, run }: Scope<{ n: ${type} }>): Promise<unknown> => body.n === ${value} ? body.n : run('books/self', { n: ${value} });\n`;
  expect(await save('books/self', recursive('number', '1'))).toEqual([]);
  expect(await save('books/self', recursive('string', '"a"'))).toEqual([]);
  const code = recursive('boolean', 'true');
  const asked = await send('POST', '/api/endpoints/check', { code, name: 'books/self' });
  expect(asked.json).toEqual({ diagnostics: [] });
  const unnamed = await send('POST', '/api/endpoints/check', { code });
  expect(Object(unnamed.json).diagnostics).toHaveLength(1);
});
