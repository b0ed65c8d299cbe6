import { copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../test/support/seeded-random.ts';
import { openVectorIndex } from './index-reader.ts';
import { VectorIndexWriter } from './index-writer.ts';
import { clusteredVectors } from './testing/clustered-vectors.ts';
import { loadVectorIndex, saveVectorIndex } from './vector-files.ts';

const DIMENSIONS = 6;
const corrupt = expect.objectContaining({ code: 'search_index_corrupt' });
const shape = { dimensions: DIMENSIONS, clusters: 4 };
const { vectors } = clusteredVectors({ count: 90, seed: 1, ...shape });
const queries = clusteredVectors({ count: 20, seed: 2, ...shape }).vectors;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-test-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function options(model = 'test', dimensions = DIMENSIONS) {
  return { dimensions, model, random: seededRandom(5), scanMax: 30 };
}

function example(count = vectors.length): VectorIndexWriter {
  const writer = new VectorIndexWriter({ ...options(), capacity: 40 });
  for (let node = 0; node < count; node++) {
    writer.put(
      node,
      [0, 1].map((chunk) => ({ chunk, vector: vectors[(node + chunk) % 90]! })),
    );
    if (node % 5 === 4) writer.delete(node);
  }
  writer.work(count);
  return writer;
}

function answers(writer: VectorIndexWriter): unknown[] {
  const index = openVectorIndex(writer.handle);
  return queries.map((query) => index.search(query, { count: 7 }));
}

describe('a snapshot', () => {
  it('opens as it was, and can be written on', () => {
    const writer = example();
    saveVectorIndex(folder, writer, 77);
    const loaded = loadVectorIndex(folder, options());
    expect(loaded?.sequence).toBe(77);
    expect(loaded?.writer.stats).toEqual(writer.stats);
    expect(answers(loaded!.writer)).toEqual(answers(writer));
    for (const one of [writer, loaded!.writer]) {
      one.put(3, [{ chunk: 9, vector: queries[0]! }]);
      one.delete(7);
      while (one.work(100));
    }
    expect(loaded?.writer.stats).toEqual(writer.stats);
    expect(openVectorIndex(loaded!.writer.handle).vectorsOf(3)).toEqual(
      openVectorIndex(writer.handle).vectorsOf(3),
    );
    const [best] = openVectorIndex(loaded!.writer.handle).search(queries[0]!, { count: 1 });
    expect(best).toMatchObject({ node: 3, chunk: 9 });
  });

  it('replaces the one before and leaves no file of it', async () => {
    saveVectorIndex(folder, example(), 1);
    const before = await readdir(folder);
    const writer = example(50);
    saveVectorIndex(folder, writer, 2);
    saveVectorIndex(folder, writer, 3);
    expect(loadVectorIndex(folder, options())?.sequence).toBe(3);
    const after = await readdir(folder);
    expect(after).toHaveLength(1 + writer.stats.shards);
    expect(after.filter((name) => before.includes(name))).toEqual(['manifest.json']);
  });

  it('is the old one when writing a new one was cut off', async () => {
    const writer = example();
    saveVectorIndex(folder, writer, 1);
    await writeFile(join(folder, 'shard-2-0'), 'half');
    await writeFile(join(folder, 'manifest.json.new'), 'half');
    expect(answers(loadVectorIndex(folder, options())!.writer)).toEqual(answers(writer));
    saveVectorIndex(folder, writer, 2);
    expect(loadVectorIndex(folder, options())?.sequence).toBe(2);
    expect(await readdir(folder)).toHaveLength(1 + writer.stats.shards);
  });

  it('is none where nothing was written, or for another model or other dimensions', () => {
    expect(loadVectorIndex(folder, options())).toBeUndefined();
    expect(loadVectorIndex(join(folder, 'none'), options())).toBeUndefined();
    saveVectorIndex(folder, example(), 1);
    expect(loadVectorIndex(folder, options('other'))).toBeUndefined();
    expect(loadVectorIndex(folder, options('test', 7))).toBeUndefined();
    expect(loadVectorIndex(folder, options())).toBeDefined();
  });

  it('is refused with any byte of it changed', async () => {
    saveVectorIndex(folder, example(2), 1);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const bytes = await readFile(path);
      for (let i = 0; i < bytes.length; i++) {
        const changed = Buffer.from(bytes);
        changed[i]! ^= 1 << (i % 8);
        await writeFile(path, changed);
        expect(() => loadVectorIndex(folder, options()), `byte ${i} of ${name}`).toThrow(corrupt);
      }
      await writeFile(path, bytes);
    }
    expect(loadVectorIndex(folder, options())).toBeDefined();
  });

  it('is refused when a file is cut off, longer, another, or missing', async () => {
    saveVectorIndex(folder, example(), 1);
    const path = join(folder, 'shard-1-0');
    const bytes = await readFile(path);
    for (const length of [0, 1, bytes.length - 1, bytes.length + 1]) {
      await writeFile(path, bytes);
      await truncate(path, length);
      expect(() => loadVectorIndex(folder, options())).toThrow(corrupt);
    }
    await copyFile(join(folder, 'shard-1-1'), path);
    expect(() => loadVectorIndex(folder, options())).toThrow(corrupt);
    await rm(path);
    expect(() => loadVectorIndex(folder, options())).toThrow(corrupt);
    await writeFile(path, bytes);
    expect(loadVectorIndex(folder, options())).toBeDefined();
    await truncate(join(folder, 'manifest.json'), 0);
    expect(() => loadVectorIndex(folder, options())).toThrow(corrupt);
  });
});
