import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ENDPOINT_INPUTS_KEPT_BYTES_MAX } from '#base/endpoint-limits.ts';
import type { EndpointService } from './endpoint-service.ts';
import { KeptInputs, type KeptInputsOptions } from './kept-inputs.ts';
import { EndpointPool } from './sandbox/endpoint-pool.ts';
import {
  ADMIN,
  collectingLogger,
  openTestEndpoints,
  type TestEndpoints,
} from './testing/test-endpoints.ts';

const SCHEMA = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };

let at: TestEndpoints;
let file: string;
beforeEach(async () => {
  at = await openTestEndpoints();
  file = join(at.graph.storage, 'endpoint-inputs.txt');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await at[Symbol.asyncDispose]();
});

function kept(options: Partial<KeptInputsOptions> = {}): KeptInputs {
  const { storage } = at.graph;
  return new KeptInputs({
    storage,
    environmentKey: undefined,
    logger: collectingLogger(at.log),
    ...options,
  });
}

const taking = (member: string): string =>
  `export const input = z.object({ ${member}: z.string() });\nexport default async () => 1;\n`;

/** What it says of its endpoints, and how many of them it has asked for that. */
async function typesOf(service: EndpointService): Promise<{ types: string; asked: number }> {
  const run = vi.spyOn(EndpointPool.prototype, 'run');
  const types = await service.codeOverview.programTypes(ADMIN);
  const asked = run.mock.calls.length;
  run.mockRestore();
  return { types, asked };
}

it('saves the next start from asking what was asked, and nothing else', async () => {
  await at.service.create(ADMIN, { name: 'first', code: taking('one') });
  await at.service.create(ADMIN, { name: 'second', code: taking('two') });
  await at.service.typesMade();
  const { types: before } = await typesOf(at.service);
  {
    await using again = at.another();
    expect(await typesOf(again)).toEqual({ types: before, asked: 0 });
    await again.put(ADMIN, 'second', { code: taking('other') });
    await again.typesMade();
  }
  await using third = at.another();
  const { types, asked } = await typesOf(third);
  expect(asked).toBe(0);
  expect(types).toContain('readonly one: string;');
  expect(types).toContain('readonly other: string;');
  expect(types).not.toContain('readonly two');
});

it('asks again what depends on a module that has changed', async () => {
  const module = (member: string) => `export const shape = z.object({ ${member}: z.string() });\n`;
  await at.service.modules.create(ADMIN, { name: 'shape', code: module('before') });
  const code =
    "import { shape } from '#lib/shape.ts';\nexport const input = shape;\nexport default async () => 1;\n";
  const { diagnostics } = await at.service.create(ADMIN, { name: 'importing', code });
  expect(diagnostics).toEqual([]);
  await at.service.typesMade();
  await at.service.modules.change(ADMIN, 'shape', { code: module('after') });
  await at.service.typesMade();
  await using again = at.another();
  const { types, asked } = await typesOf(again);
  expect([types.includes('readonly after:'), types.includes('readonly before:'), asked]).toEqual([
    true,
    false,
    0,
  ]);
});

it('does not keep what code could not say', async () => {
  const code = `throw new Error('no');\n${taking('word')}`;
  await at.service.create(ADMIN, { name: 'failing', code });
  await at.service.typesMade();
  await using again = at.another();
  expect((await typesOf(again)).asked).toBe(1);
});

it('finds what was kept, in this state and with its key alone', async () => {
  const first = kept({ environmentKey: 'a key' });
  first.keep('one', SCHEMA);
  first.keep('two', {});
  await first.settled();
  expect(await readFile(file, 'utf8')).not.toContain('word');
  const again = kept({ environmentKey: 'a key' });
  expect(await again.find('one')).toEqual(SCHEMA);
  expect(await again.find('two')).toEqual({});
  expect(await again.find('three')).toBeUndefined();
  expect(await kept({ environmentKey: 'another' }).find('one')).toBeUndefined();
  expect(await kept().find('one')).toBeUndefined();
});

it('passes over what was cut off or changed, and goes on after it', async () => {
  const first = kept();
  for (const digest of ['one', 'two', 'three']) first.keep(digest, SCHEMA);
  await first.settled();
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, -9).replace('two ', 'TWO '));
  const second = kept();
  second.keep('four', SCHEMA);
  await second.settled();
  const third = kept();
  const found = await Promise.all(['one', 'two', 'TWO', 'three', 'four'].map((d) => third.find(d)));
  expect(found).toEqual([SCHEMA, undefined, undefined, undefined, SCHEMA]);
});

it('begins again when the file is too large', async () => {
  const first = kept();
  first.keep('one', SCHEMA);
  await first.settled();
  await appendFile(file, `\n${'x'.repeat(ENDPOINT_INPUTS_KEPT_BYTES_MAX / 2)}`);
  const second = kept();
  expect(await second.find('one')).toBeUndefined();
  second.keep('two', SCHEMA);
  await second.settled();
  expect((await readFile(file)).length).toBeLessThan(1_000);
  expect(await kept().find('two')).toEqual(SCHEMA);
});

it('stops where it cannot write, and says so', async () => {
  const none = kept({ storage: join(at.graph.storage, 'not-there') });
  none.keep('one', SCHEMA);
  await none.settled();
  none.keep('two', SCHEMA);
  await none.settled();
  expect(at.log.filter(({ message }) => message.includes('not kept'))).toHaveLength(1);
});
