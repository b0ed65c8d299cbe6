import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestEndpoints, type TestEndpoints } from './testing/test-endpoints.ts';

const ALLOWED = 'http://outside.test';
let asked = 0;

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints(2, false, {
    fetchAllowList: () => [ALLOWED],
    fetch: async () => {
      asked++;
      return new Response('{}');
    },
  });
});
afterAll(() => endpoints[Symbol.asyncDispose]());

const CALLS = 30;
const COUNT = `
  const { Pages = 0 } = await graph.get('Book', body.key);
  await graph.update('Book', body.key, { Pages: Pages + 1 });`;
/** Code that follows runs while others have written what it has read: not the first time. */
const IN_LINE = `${COUNT} if (Pages === 0) return Pages;`;

let made = 0;
async function define(code: string, more: object = {}): Promise<string> {
  const name = `lines/${++made}`;
  const scope = '{ graph, q, fetch, log, body }: Scope<{ key: string; i: number }>';
  await endpoints.define(name, scope, `void q; void fetch; void log; ${code}`, more);
  return name;
}

const put = (key: string): Promise<void> =>
  endpoints.graph.write({ op: 'addOrUpdate', type: 'Book', key, fields: { Pages: 0 } });

function fieldOf(key: string, field: string): unknown {
  const { reader } = endpoints.graph;
  reader.refresh();
  return reader.field(reader.id({ type: 'Book', key }) ?? 0, field);
}

/** What comes of calls at once: the answers, and how many were sent to the writer together. */
async function callAll(
  name: string,
  key: string,
): Promise<{ values: unknown[]; lines: readonly number[] }> {
  const commitLine = vi.spyOn(endpoints.graph.writer, 'commitLine');
  try {
    const values = await Promise.all(
      Array.from({ length: CALLS }, (_, i) =>
        endpoints.value(name, { key, i }).catch((error: Error) => error.message),
      ),
    );
    return { values, lines: commitLine.mock.calls.map(([requests]) => requests.length) };
  } finally {
    commitLine.mockRestore();
  }
}

const numbers = (values: readonly unknown[]): number[] =>
  values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
const CONFLICT = 'Others have changed what the call has read';
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

it('calls that wait for the same node commit together, and each is counted', async () => {
  await put('all');
  const { values, lines } = await callAll(await define(`${COUNT} return Pages;`), 'all');
  expect(values.toSorted((a, b) => Number(a) - Number(b))).toEqual(upTo(CALLS));
  expect(fieldOf('all', 'Pages')).toBe(CALLS);
  expect(Math.max(...lines)).toBeGreaterThan(1);
});

it('a call that throws, or answers from 400 up, writes nothing and is in nobody’s way', async () => {
  await put('some');
  const name = await define(`${COUNT}
    if (body.i % 3 === 1) throw new Error('seen ' + Pages);
    if (body.i % 3 === 2) throw { status: 409 };
    return Pages;`);
  const { values, lines } = await callAll(name, 'some');
  expect(numbers(values)).toEqual(upTo(CALLS / 3));
  expect(fieldOf('some', 'Pages')).toBe(CALLS / 3);
  expect(lines.length).toBeGreaterThan(0);
});

it('those that only read see what was written before them, and is durable', async () => {
  await put('read');
  const name = await define(`
    const { Pages = 0 } = await graph.get('Book', body.key);
    const found = await q().startAt('Book', body.key).nodes();
    if (found[0]?.Pages !== Pages) throw new Error('a query sees something else');
    if (body.i % 2 === 0) await graph.update('Book', body.key, { Pages: Pages + 1 });
    return body.i % 2 === 0 ? Pages : 'saw ' + Pages;`);
  const { values } = await callAll(name, 'read');
  expect(numbers(values)).toEqual(upTo(CALLS / 2));
});

it('new nodes and edges of one call are there for the next', async () => {
  await put('first');
  const name = await define(`
    const { Pages = 0 } = await graph.get('Book', body.key);
    const before = Pages === 0 ? body.key : body.key + ' ' + Pages;
    const { Timestamp } = await graph.get('Book', before);
    await graph.update('Book', body.key, { Pages: Pages + 1 });
    await graph.tryAdd('Book', body.key + ' ' + (Pages + 1), { Title: Timestamp });
    await graph.link({ type: 'Book', key: body.key + ' ' + (Pages + 1) }, 'WrittenBy', { type: 'Book', key: before });
    return Pages;`);
  const { values } = await callAll(name, 'first');
  expect(values.filter((value) => typeof value === 'string')).toEqual([]);
  expect(numbers(values)).toEqual(upTo(CALLS));
  const { reader } = endpoints.graph;
  reader.refresh();
  for (let i = 1; i < CALLS; i++) {
    const [before, id] = [i, i + 1].map((n) => reader.id({ type: 'Book', key: `first ${n}` }) ?? 0);
    expect(reader.neighbors(id ?? 0, 'out', 'WrittenBy')).toEqual([before]);
    // What it has read is what was stored.
    expect(reader.field(id ?? 0, 'Title')).toBe(reader.node(before ?? 0)?.Timestamp);
  }
});

it('a call that asks for something outside leaves its line, and asks once', async () => {
  await put('asks');
  asked = 0;
  const name = await define(`${IN_LINE} await fetch('${ALLOWED}/'); return Pages;`);
  const { values } = await callAll(name, 'asks');
  const counted = numbers(values);
  expect(counted).toEqual(upTo(counted.length));
  expect(fieldOf('asks', 'Pages')).toBe(counted.length);
  // Others have asked before they came to be in a line, and so could not run again.
  const others = values.filter((value) => typeof value === 'string');
  expect(new Set(others)).toEqual(new Set(others.length === 0 ? [] : [CONFLICT]));
  expect(asked).toBe(CALLS - 1);
});

it('a query as the user is answered, outside of the line', async () => {
  await put('mine');
  const name = await define(
    `${COUNT} return (await q().startAt('Book', body.key).asUser().count()) * Pages;`,
  );
  const { values } = await callAll(name, 'mine');
  expect(numbers(values)).toEqual(upTo(CALLS));
});

it('a call that does not come back ends, and those behind it in its line do not', async () => {
  await put('endless');
  // By then none of them is at its first attempt.
  const code = `${COUNT} if (body.i === ${CALLS - 10} && Pages > 4) for (;;); return Pages;`;
  const name = await define(code, { timeoutMs: 10_000 });
  const { values } = await callAll(name, 'endless');
  const counted = numbers(values);
  expect(counted).toEqual(upTo(counted.length));
  expect(fieldOf('endless', 'Pages')).toBe(counted.length);
  expect(values).toContain(`The endpoint "${name}" ran longer than it may`);
  // It may take along those that run beside it in the same worker.
  expect(counted.length).toBeGreaterThan(CALLS / 3);
});

it('what is logged in a line is logged once, and only of what came to be', async () => {
  await put('told');
  const name = await define(`${COUNT} log.info('seen ' + Pages); return Pages;`);
  endpoints.log.length = 0;
  await callAll(name, 'told');
  const seen = endpoints.log.map(({ message }) => Number(message.replace('seen ', '')));
  expect(new Set(seen)).toEqual(new Set(upTo(CALLS)));
});

it('a line goes on with those behind a call that others are in the way of', async () => {
  await put('busy');
  await put('aside');
  const name = await define(`${COUNT}
    const { Pages: aside = 0 } = await graph.get('Book', 'aside');
    return aside < 0 ? aside : Pages;`);
  const write = vi.spyOn(endpoints.graph.writer, 'commitLine');
  const { commitLine } = Object.getPrototypeOf(endpoints.graph.writer);
  write.mockImplementationOnce(async (requests) => {
    // Between what they have read and their commit.
    await endpoints.graph.write({
      op: 'update',
      type: 'Book',
      key: 'aside',
      fields: { Pages: 5 },
    });
    return commitLine.call(endpoints.graph.writer, requests);
  });
  const values = await Promise.all(
    Array.from({ length: CALLS }, (_, i) => endpoints.value(name, { key: 'busy', i })),
  );
  write.mockRestore();
  expect(numbers(values)).toEqual(upTo(CALLS));
  expect(fieldOf('busy', 'Pages')).toBe(CALLS);
});
