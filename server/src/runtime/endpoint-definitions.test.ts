import type { NewEndpoint } from '@trellis/contract/shapes/endpoint.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemOf } from '#graph/testing/test-graph.ts';
import {
  ENDPOINT_CODE_BYTES_MAX,
  ENDPOINT_NAME_CHARACTERS_MAX,
  ENDPOINT_TIMEOUT_MAX_MS,
} from '@trellis/contract/limits.ts';
import { ADMIN, openTestEndpoints } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

const MALFORMED_NAMES = [
  '',
  '/',
  'a/',
  '/a',
  'a//b',
  '.a',
  'a/.b',
  '-a',
  'a b',
  'ä',
  'a\n',
  '../a',
  'a?b',
  'a%2fb',
];
const RESERVED_NAMES = [
  'logs',
  'logs/live',
  'create',
  'check',
  'metrics',
  'run',
  'token',
  'system',
  'run/a',
  'token/a',
  'system/a',
  'system/a/b',
];

const GOOD = 'export default () => 1;';
const BETTER = 'export default () => 2;';
const BROKEN = 'export default () => 1 +;';
const WRITES = "export default ({ graph }: Scope) => graph.delete('Book', 'x');";

function create(endpoint: Partial<NewEndpoint> & { name: string }) {
  return endpoints.service.create(ADMIN, { code: GOOD, ...endpoint });
}

describe('create', () => {
  it('answers the whole definition, with the defaults of what is left out', async () => {
    const made = await create({ name: 'made/here', code: GOOD });
    expect(made).toEqual({
      UID: expect.stringMatching(/^\w{22}$/),
      name: 'made/here',
      code: GOOD,
      isReadOnly: false,
      mode: 'sync',
      access: 'users',
      cacheSeconds: 0,
      runAsAdmin: false,
      timeoutMs: 30_000,
      maxConcurrent: 0,
      maxQueued: 100,
      description: '',
      version: 1,
      compiles: true,
      diagnostics: [],
      mayRunOnPrimary: false,
    });
    expect(endpoints.service.get(ADMIN, 'made/here')).toEqual(made);
  });

  it('keeps every setting', async () => {
    const settings = {
      isReadOnly: true,
      mode: 'pooling',
      access: 'admins',
      cacheSeconds: 60,
      runAsAdmin: true,
      timeoutMs: 1_000,
      description: 'What it is for.',
    } as const;
    expect(await create({ name: 'settings', ...settings })).toMatchObject(settings);
  });

  it('refuses a name that is taken, also by one that is being made', async () => {
    await create({ name: 'taken' });
    expect(await problemOf(() => create({ name: 'taken' }))).toMatchObject({
      code: 'endpoint_exists',
    });
    const both = await Promise.allSettled([create({ name: 'race' }), create({ name: 'race' })]);
    const refused = both.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'endpoint_exists' } }]);
  });

  it('keeps code that does not compile as a draft', async () => {
    const draft = await create({ name: 'draft', code: BROKEN });
    expect(draft).toMatchObject({
      compiles: false,
      version: 1,
      diagnostics: [{ line: 1, column: 25 }],
    });
    expect(await endpoints.problem('draft')).toMatchObject({ code: 'endpoint_not_compiled' });
  });

  it('stores nothing when read-only code writes', async () => {
    const sequence = endpoints.graph.reader.refresh();
    expect(
      await problemOf(() => create({ name: 'ro', code: WRITES, isReadOnly: true })),
    ).toMatchObject({
      code: 'not_read_only',
      details: { diagnostics: [{ message: expect.stringContaining('marked Read Only') }] },
    });
    expect(endpoints.graph.reader.refresh()).toBe(sequence);
  });
});

describe('a name', () => {
  it.each(['a', 'A9', 'a/b/c', 'v1.2', 'a-b_c', 'created', 'runs', 'a/run', 'systems/x'])(
    'may be %s',
    async (name) => {
      expect(await create({ name })).toMatchObject({ name });
    },
  );

  it.each([...MALFORMED_NAMES, ...RESERVED_NAMES])('may not be "%s"', async (name) => {
    expect(await problemOf(() => create({ name }))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path: 'name' }] },
    });
  });

  it('has a greatest length', async () => {
    await create({ name: 'n'.repeat(ENDPOINT_NAME_CHARACTERS_MAX) });
    const tooLong = 'n'.repeat(ENDPOINT_NAME_CHARACTERS_MAX + 1);
    expect(await problemOf(() => create({ name: tooLong }))).toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('a setting', () => {
  it.each([
    ['timeoutMs', 1, 0],
    ['timeoutMs', ENDPOINT_TIMEOUT_MAX_MS, ENDPOINT_TIMEOUT_MAX_MS + 1],
    ['cacheSeconds', 0, -1],
    ['cacheSeconds', 1, 1.5],
    ['cacheSeconds', 86_400, 86_401],
    ['maxConcurrent', 0, -1],
    ['maxConcurrent', 1_000, 1_001],
    ['maxQueued', 0, -1],
    ['maxQueued', 1_000, 1_001],
  ])('%s may be %d, not %d', async (setting, good, bad) => {
    await create({ name: `${setting}-${good}`, [setting]: good });
    expect(await problemOf(() => create({ name: 'bad', [setting]: bad }))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path: setting }] },
    });
  });

  it('code has a greatest size', async () => {
    const sized = (bytes: number) => GOOD.padEnd(bytes, ' ');
    expect(await create({ name: 'large', code: sized(ENDPOINT_CODE_BYTES_MAX) })).toMatchObject({
      compiles: true,
    });
    const tooLarge = create({ name: 'larger', code: sized(ENDPOINT_CODE_BYTES_MAX + 1) });
    expect(await problemOf(() => tooLarge)).toMatchObject({ code: 'invalid_request' });
  });
});

describe('change', () => {
  const put = (name: string, change: Partial<NewEndpoint>) =>
    endpoints.service.put(ADMIN, name, change);

  it('leaves alone what it does not name', async () => {
    await create({ name: 'partly', description: 'as it was', timeoutMs: 500 });
    const changed = await put('partly', { code: BETTER, access: 'admins' });
    expect(changed).toMatchObject({
      code: BETTER,
      access: 'admins',
      description: 'as it was',
      timeoutMs: 500,
      version: 2,
    });
  });

  it('is served from the next call on', async () => {
    await create({ name: 'served' });
    expect(await endpoints.value('served')).toBe(1);
    await put('served', { code: BETTER });
    expect(await endpoints.value('served')).toBe(2);
  });

  it('lets the newest version that compiled go on while a draft does not', async () => {
    await create({ name: 'steady' });
    expect(await put('steady', { code: BROKEN })).toMatchObject({
      compiles: false,
      version: 2,
      code: BROKEN,
    });
    expect(await endpoints.value('steady')).toBe(1);
    expect(await put('steady', { description: 'still broken' })).toMatchObject({ compiles: false });
    expect(await put('steady', { code: BETTER })).toMatchObject({ compiles: true, version: 4 });
    expect(await endpoints.value('steady')).toBe(2);
  });

  it('leaves the Read Only toggle off when the code writes', async () => {
    await create({ name: 'toggle', code: WRITES });
    expect(await problemOf(() => put('toggle', { isReadOnly: true }))).toMatchObject({
      code: 'not_read_only',
    });
    expect(endpoints.service.get(ADMIN, 'toggle')).toMatchObject({ isReadOnly: false, version: 1 });
    expect(await put('toggle', { isReadOnly: true, code: GOOD })).toMatchObject({
      isReadOnly: true,
      version: 2,
    });
    expect(await problemOf(() => put('toggle', { code: WRITES }))).toMatchObject({
      code: 'not_read_only',
    });
    expect(await endpoints.value('toggle')).toBe(1);
  });

  it('loses no change of two at a time', async () => {
    await create({ name: 'two' });
    await Promise.all([
      put('two', { description: 'mine' }),
      put('two', { code: BETTER }),
      put('two', { access: 'admins' }),
    ]);
    expect(endpoints.service.get(ADMIN, 'two')).toMatchObject({
      description: 'mine',
      code: BETTER,
      access: 'admins',
      version: 4,
    });
  });

  it('refuses another name, and an endpoint that is not there', async () => {
    await create({ name: 'fixed' });
    expect(await problemOf(() => put('fixed', { name: 'other' }))).toMatchObject({
      code: 'invalid_request',
    });
    expect(await put('fixed', { name: 'fixed', description: 'x' })).toMatchObject({
      name: 'fixed',
    });
    expect(await problemOf(() => put('none', {}))).toMatchObject({ code: 'endpoint_not_found' });
  });
});

it('is gone when deleted, and one made anew under its name is another', async () => {
  const first = await create({ name: 'reborn' });
  expect(await endpoints.value('reborn')).toBe(1);
  await endpoints.service.delete(ADMIN, 'reborn');
  expect(await endpoints.problem('reborn')).toMatchObject({ code: 'endpoint_not_found' });
  expect(await problemOf(() => endpoints.service.delete(ADMIN, 'reborn'))).toMatchObject({
    code: 'endpoint_not_found',
  });
  const second = await create({ name: 'reborn', code: BETTER });
  // The deletion was version 2.
  expect([second.UID, second.version]).toEqual([first.UID, 3]);
  expect(await endpoints.value('reborn')).toBe(2);
});

it('lists by name, a page at a time', async () => {
  await create({ name: 'zz/b' });
  await create({ name: 'zz/a' });
  const { total } = endpoints.service.list(ADMIN, { skip: 0, take: 1 });
  const last = endpoints.service.list(ADMIN, { skip: total - 2, take: 50 });
  expect(last).toMatchObject({ total, skip: total - 2, take: 50 });
  expect(last.items.map(({ name }) => name)).toEqual(['zz/a', 'zz/b']);
});

it('checks code without saving it', async () => {
  const sequence = endpoints.graph.reader.refresh();
  expect(await endpoints.service.check(ADMIN, { code: WRITES })).toEqual({ diagnostics: [] });
  const { diagnostics } = await endpoints.service.check(ADMIN, { code: WRITES, isReadOnly: true });
  expect(diagnostics).toHaveLength(1);
  expect(endpoints.graph.reader.refresh()).toBe(sequence);
});
