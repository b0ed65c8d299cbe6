import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { scale } from '../support/scale.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const MASTER_KEY = 'a master key of more than thirty-two bytes';
const TIMES = scale({ sample: 4, soak: 12 });
/**
 * Texts have this period, so that where two of them lie over each other is known up to so many
 * places.
 */
const PERIOD_BYTES = 16;
const SCHEMA = {
  nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
  edges: [],
};

/** What is planted at one time: nobody else may find any of it. */
interface Planted {
  readonly text: string;
  readonly apiKey: string;
}

/** A file as it was at one time. */
interface Copy {
  readonly name: string;
  readonly bytes: Buffer;
}

const word = (): string => randomBytes(PERIOD_BYTES / 2).toString('hex');

async function copiesOf(storage: string, time: number): Promise<Copy[]> {
  const copies: Copy[] = [];
  for (const name of (await readdir(storage, { recursive: true })).toSorted()) {
    const path = join(storage, name);
    if (!(await stat(path)).isFile()) continue;
    copies.push({ name: `${relative(storage, path)} at ${time}`, bytes: await readFile(path) });
  }
  return copies;
}

const turned = (bytes: Buffer, by: number): Buffer =>
  Buffer.concat([bytes.subarray(by), bytes.subarray(0, by)]);

/**
 * A period of each word, and of each that lies over another or over itself, wherever the two begin.
 */
function tellingPeriods(planted: readonly Planted[]): Set<string> {
  const words = planted.flatMap(({ text, apiKey }) => [Buffer.from(text), Buffer.from(apiKey)]);
  const shifts = Array.from({ length: PERIOD_BYTES }, (_, shift) => shift);
  const over = words.flatMap((one, i) =>
    words
      .slice(i)
      .flatMap((other) =>
        shifts.map((shift) => one.map((byte, at) => byte ^ turned(other, shift)[at]!)),
      ),
  );
  const all = [...words, ...over].filter((period) => period.some((byte) => byte !== 0));
  const texts = all.flatMap((period) =>
    shifts.map((shift) => turned(Buffer.from(period), shift).toString('hex')),
  );
  return new Set(texts);
}

/** Whether a run of bytes has one of the periods. */
function tells(bytes: Buffer, periods: ReadonlySet<string>): boolean {
  let run = 0;
  for (let at = PERIOD_BYTES; at < bytes.length; at++) {
    run = bytes[at] === bytes[at - PERIOD_BYTES] ? run + 1 : 0;
    if (run < 2 * PERIOD_BYTES || run % PERIOD_BYTES !== 0) continue;
    if (periods.has(bytes.toString('hex', at + 1 - PERIOD_BYTES, at + 1))) return true;
  }
  return false;
}

/** Page over page, as far as both go. */
function laidOver(one: Buffer, other: Buffer): Buffer {
  const result = Buffer.alloc(Math.min(one.length, other.length));
  for (let i = 0; i < result.length; i++) result[i] = one[i]! ^ other[i]!;
  return result;
}

async function plant(storage: string, planted: Planted): Promise<void> {
  const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const change = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await http.send({ method, path, token, body });
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  await change('PUT', '/api/schema', SCHEMA);
  const operations = Array.from({ length: 40 }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key: `note ${i}`,
    // Some in a leaf among others, some on pages of their own.
    fields: { Text: planted.text.repeat(i % 2 === 0 ? 20 : 1_000) },
  }));
  await change('POST', '/api/ingest', { operations });
  const provider = { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' };
  await change('PUT', '/api/chatai/providers', {
    chat: { ...provider, apiKey: planted.apiKey.repeat(20) },
  });
  expect(await server.stop()).toBe(0);
}

test('of an encrypted folder no file, and no two files or copies together, give any text away', async () => {
  await using folder = await temporaryFolder();
  const planted: Planted[] = [];
  const copies: Copy[] = [];
  for (let time = 0; time < TIMES; time++) {
    const one = { text: word(), apiKey: word() };
    planted.push(one);
    await plant(folder.path, one);
    copies.push(...(await copiesOf(folder.path, time)));
  }
  const periods = tellingPeriods(planted);
  expect(tells(Buffer.from(planted[0]!.text.repeat(4)), periods)).toBe(true);
  const found = copies.filter(({ bytes }) => tells(bytes, periods)).map(({ name }) => name);
  const pages = copies.filter(({ name }) => /^(graph|vault)\/data\.mdb /.test(name));
  expect(pages).toHaveLength(2 * TIMES);
  for (const [i, one] of pages.entries()) {
    for (const other of pages.slice(i + 1)) {
      if (tells(laidOver(one.bytes, other.bytes), periods))
        found.push(`${one.name} and ${other.name}`);
    }
  }
  expect(found).toEqual([]);
});
