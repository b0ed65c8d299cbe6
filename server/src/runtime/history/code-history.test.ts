import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CODE_HISTORY_DIFF_CHARACTERS_MAX } from '#base/limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { ADMIN, openTestEndpoints } from '../testing/test-endpoints.ts';
import type { TestEndpoints } from '../testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

const item = (name: string) => ({ kind: 'endpoint', name }) as const;
const answering = (value: number) => `export default () => ${value};\n`;
const FIRST_PAGE = { skip: 0, take: 1_000 };

/** What somebody may do to one endpoint. */
const deed = fc.oneof(
  fc.record({ do: fc.constant('code' as const), value: fc.nat(3) }),
  fc.record({ do: fc.constant('settings' as const), value: fc.nat(3) }),
  fc.record({ do: fc.constant('draft' as const), value: fc.nat(3) }),
  fc.record({ do: fc.constant('delete' as const), value: fc.nat(0) }),
  // One of all versions so far, counted from the newest.
  fc.record({ do: fc.constant('restore' as const), value: fc.nat(5) }),
);
type Deed = { readonly do: string; readonly value: number };

interface Content {
  readonly code: string;
  readonly timeoutMs: number;
}

/** Does it, and says what the newest version must be now; undefined when nothing was done. */
async function perform(
  name: string,
  { do: what, value }: Deed,
  versions: readonly (Content | undefined)[],
): Promise<{ readonly content: Content | undefined } | undefined> {
  const { service } = endpoints;
  const now = versions.at(-1);
  if (what === 'restore') {
    const version = versions.length - value;
    // A deletion shows what was deleted: the last that was there before.
    const content = versions.slice(0, Math.max(0, version)).findLast((one) => one !== undefined);
    if (content === undefined) return undefined;
    await service.codeHistory.restore(ADMIN, item(name), { version }, '127.0.0.1');
    return { content };
  }
  if (what === 'delete') {
    if (now === undefined) return undefined;
    await service.delete(ADMIN, name);
    return { content: undefined };
  }
  const change =
    what === 'code'
      ? { code: answering(value) }
      : what === 'draft'
        ? { code: `export default () => missing${value};` }
        : { timeoutMs: 1_000 + value };
  const content = { ...(now ?? { code: answering(0), timeoutMs: 30_000 }), ...change };
  if (now === undefined) await service.create(ADMIN, { name, ...content });
  else await service.put(ADMIN, name, change);
  return { content };
}

describe('any sequence of changes, deletions and restores', () => {
  let names = 0;

  it('can be replayed to what there is now, version by version', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 12 }), async (deeds) => {
        const name = `replayed/${++names}`;
        const versions: (Content | undefined)[] = [];
        for (const one of deeds) {
          const done = await perform(name, one, versions);
          if (done !== undefined) versions.push(done.content);
        }
        if (versions.length === 0) return;
        const { codeHistory } = endpoints.service;
        const { items, total } = codeHistory.listItem(ADMIN, item(name), FIRST_PAGE);
        expect([total, items.length]).toEqual([versions.length, versions.length]);
        expect(items.map(({ version }) => version)).toEqual(
          versions.map((_, i) => versions.length - i),
        );
        for (const [i, content] of versions.entries()) {
          const { action, code, settings } = codeHistory.version(ADMIN, item(name), i + 1);
          expect(action === 'deleted').toBe(content === undefined);
          if (content !== undefined) {
            expect({ code, timeoutMs: settings.timeoutMs }).toEqual(content);
          }
        }
        const newest = versions.at(-1);
        if (newest === undefined) return;
        expect(endpoints.service.get(ADMIN, name)).toMatchObject({
          ...newest,
          version: versions.length,
        });
      }),
      { numRuns: 25 },
    );
  });
});

describe('the diff of a version', () => {
  it('is against the one before, and cut at a line in lists only', async () => {
    const name = 'long';
    const code = `${answering(1)}// ${'x'.repeat(60)}\n`.padEnd(30_000, '// a line of it\n');
    await endpoints.service.create(ADMIN, { name, code });
    const { codeHistory } = endpoints.service;
    const [change] = codeHistory.listItem(ADMIN, item(name), FIRST_PAGE).items;
    expect(change?.diff.length).toBeLessThan(CODE_HISTORY_DIFF_CHARACTERS_MAX + 100);
    expect(change?.diff).toMatch(/\n\\ The rest is left out\.\n$/);
    const whole = codeHistory.diff(ADMIN, item(name), {});
    expect(whole).toMatchObject({ from: 0, to: 1 });
    expect(whole.diff.length).toBeGreaterThan(code.length);
  });

  it('of equal versions is empty', async () => {
    await endpoints.service.create(ADMIN, { name: 'equal', code: answering(1) });
    await endpoints.service.put(ADMIN, 'equal', {});
    const { codeHistory } = endpoints.service;
    expect(codeHistory.diff(ADMIN, item('equal'), {})).toMatchObject({ from: 1, to: 2, diff: '' });
    expect(
      await problemOf(() => codeHistory.diff(ADMIN, item('equal'), { from: 3, to: 2 })),
    ).toMatchObject({ code: 'code_version_not_found' });
  });
});

it('a range of time is found among equal and unequal times', async () => {
  const { clock } = endpoints.graph;
  const { codeHistory } = endpoints.service;
  const start = (clock.time += 1_000);
  for (const [i, wait] of [0, 0, 5, 0, 5].entries()) {
    clock.time += wait;
    await endpoints.service.create(ADMIN, { name: `timed/${i}`, code: answering(i) });
  }
  const at = (ms: number) => new Date(start + ms).toISOString();
  const namesIn = (from?: string, to?: string) =>
    codeHistory.list(ADMIN, { from, to, ...FIRST_PAGE }).items.map(({ name }) => name.slice(-1));
  expect(namesIn(at(0))).toEqual(['4', '3', '2', '1', '0']);
  expect(namesIn(at(0), at(5))).toEqual(['1', '0']);
  expect(namesIn(at(5), at(10))).toEqual(['3', '2']);
  expect(namesIn(at(6))).toEqual(['4']);
  expect(namesIn(at(11))).toEqual([]);
  const page = codeHistory.list(ADMIN, { from: at(0), skip: 1, take: 2 });
  expect(page).toMatchObject({ total: 5, skip: 1, take: 2, items: [{}, {}] });
});

it('a change that lost against another leaves no trace', async () => {
  await endpoints.service.create(ADMIN, { name: 'lost', code: answering(1) });
  const change = { code: answering(2), version: 1 };
  const both = await Promise.allSettled([
    endpoints.service.put(ADMIN, 'lost', change),
    endpoints.service.put(ADMIN, 'lost', { ...change, code: answering(3) }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const { items } = endpoints.service.codeHistory.listItem(ADMIN, item('lost'), FIRST_PAGE);
  expect(items.map(({ version }) => version)).toEqual([2, 1]);
});
