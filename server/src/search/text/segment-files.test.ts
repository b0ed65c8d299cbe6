import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IndexView } from './index-view.ts';
import { mergeSegments } from './merge-segments.ts';
import { DamagedIndexError, decodeSegment, encodeSegment } from './segment-codec.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentReaders, UnreadableSegmentError } from './segment-readers.ts';
import { TextSegment } from './segment.ts';
import { documents, queries } from './testing/arbitrary-search.ts';
import { TextIndex } from './text-index.ts';
import type { TextQuery } from './text-query.ts';
import { type TextResult, searchText } from './text-search.ts';

const LIMITS = {
  waitingDocumentsMax: 20,
  waitingTokensMax: 1_000,
  segmentDocumentsMax: 1_000,
  segmentBytesMax: Infinity,
};
const ALL: TextQuery = { groups: [] };
const SAMPLE = fc.sample(documents, { seed: 11, numRuns: 70 });
const OTHERS = fc.sample(documents, { seed: 12, numRuns: 70 });
const QUERIES = [ALL, ...fc.sample(queries, { seed: 13, numRuns: 30 })];

let folder: string;
let readers: SegmentReaders;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'segment-files-'));
  readers = new SegmentReaders(folder);
});
afterEach(() => {
  readers[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function answers(view: IndexView): TextResult[] {
  return QUERIES.map((query) => {
    const { hits, total } = searchText(view, query, { limit: 20, isCounted: true });
    return { hits: hits.map((hit) => ({ ...hit, part: 0, document: 0 })), total: total! };
  });
}

function load(from: string, memoryBytesMax?: number): { index: TextIndex; sequence: number } {
  const stored = new SegmentFiles(from).load(memoryBytesMax)!;
  const index = new TextIndex(LIMITS, stored.parts, { openPages: readers.open });
  return { index, sequence: stored.manifest.sequence };
}

function idsOf({ parts }: IndexView): Set<number> {
  return new Set(parts.map(({ id }) => id));
}

describe('SegmentFiles', () => {
  it('gives back what was saved, in memory or in the file', async () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    expect(files.load()).toBeUndefined();
    for (const document of SAMPLE) index.add(document);
    await files.save(index.refresh(), 5, 'digest');
    for (const document of OTHERS) index.add(document);
    for (let node = 0; node < 10; node++) index.remove(node);
    const view = index.refresh();
    await files.save(view, 9, 'digest');
    for (const memoryBytesMax of [Infinity, 10_000, 0]) {
      const loaded = load(folder, memoryBytesMax);
      expect(loaded.sequence).toBe(9);
      const again = loaded.index.refresh();
      expect(answers(again)).toEqual(answers(view));
      const inFile = again.parts.filter(({ isInFile }) => isInFile);
      if (memoryBytesMax === 0) expect(inFile.length).toBe(again.parts.length);
      if (memoryBytesMax === Infinity) expect(inFile.length).toBe(0);
      if (memoryBytesMax === 10_000) expect(inFile.length).toBeGreaterThan(0);
      expect(again.bytes).toBe(view.bytes);
      const shared = IndexView.open(structuredClone(again.share()), undefined, readers.open);
      expect(answers(shared)).toEqual(answers(view));
    }
  });

  it('has segments of a running index read from their files, the greatest first', async () => {
    const index = new TextIndex(LIMITS, [], { openPages: readers.open });
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const before = index.refresh();
    await files.save(before, 5, 'digest');
    expect(index.keepWithin(before.memoryBytes, idsOf(before))).toBe(false);
    expect(index.keepWithin(before.memoryBytes - 1, new Set())).toBe(false);
    expect(index.keepWithin(before.memoryBytes - 1, idsOf(before))).toBe(true);
    const after = index.refresh();
    expect(after.memoryBytes).toBe(index.memoryBytes);
    expect(after.memoryBytes).toBeLessThan(before.memoryBytes);
    const freed = before.parts.map(({ segment }) => segment.bytes - segment.residentBytes);
    const greatest = freed.indexOf(Math.max(...freed));
    expect(after.parts.findIndex(({ isInFile }) => isInFile)).toBe(greatest);
    expect(after.parts.filter(({ isInFile }) => isInFile)).toHaveLength(1);
    expect(answers(after)).toEqual(answers(before));
    const reopened = IndexView.open(after.share(), before, readers.open);
    for (const [at, { segment }] of reopened.parts.entries()) {
      expect(segment === before.parts[at]!.segment).toBe(at !== greatest);
    }
    expect(answers(reopened)).toEqual(answers(before));
    index.remove(SAMPLE.at(-1)!.node);
    await files.save(index.refresh(), 6, 'digest');
    expect(answers(load(folder).index.refresh())).toEqual(answers(index.refresh()));
  });

  it('keeps what is in files only, where nothing else is kept', async () => {
    const index = new TextIndex(LIMITS, [], { openPages: readers.open });
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const view = index.refresh();
    await files.save(view, 5, 'digest');
    index.keepWithin(view.memoryBytes - 1, idsOf(view));
    const inFile = index.refresh().parts.filter((part) => part.isInFile);
    files.clear(index.refresh());
    expect(readdirSync(folder)).toEqual(inFile.map(({ id }) => `segment-${id}`));
    expect(answers(index.refresh())).toEqual(answers(view));
    await files.save(index.refresh(), 6, 'digest');
    expect(answers(load(folder).index.refresh())).toEqual(answers(view));
  });

  it('goes on after it was loaded: adds, deletes, merges, saves', async () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    await new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
    const files = new SegmentFiles(folder);
    const stored = files.load(0)!;
    const loaded = new TextIndex(LIMITS, stored.parts, { openPages: readers.open });
    for (const document of OTHERS) {
      index.add(document);
      loaded.add(document);
    }
    const view = loaded.refresh();
    loaded.applyMerge({ parts: view.share().parts }, mergeSegments(view.parts));
    await files.save(loaded.refresh(), 6, 'digest');
    const expected = answers(index.refresh());
    expect(answers(loaded.refresh())).toEqual(expected);
    expect(answers(load(folder).index.refresh())).toEqual(expected);
    expect(readdirSync(folder).length).toBe(3);
  });

  it('writes what is new, and nothing again', async () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const { parts } = index.refresh();
    await files.save(index.refresh(), 5, 'digest');
    const written = (): number[] =>
      parts.map(({ id }) => statSync(join(folder, `segment-${id}`)).ino);
    const before = written();
    for (const { node } of SAMPLE.slice(0, 5)) index.remove(node);
    for (const document of OTHERS.slice(0, 5)) index.add(document);
    await files.save(index.refresh(), 6, 'digest');
    expect(written()).toEqual(before);
    expect(answers(load(folder).index.refresh())).toEqual(answers(index.refresh()));
  });

  it('gives no segment a number that others know another one by', async () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    const files = new SegmentFiles(folder);
    await files.save(index.refresh(), 5, 'digest');
    const { parts } = files.load()!;
    const next = new TextIndex(LIMITS, parts, { firstId: 1_000 });
    for (const document of OTHERS) next.add(document);
    const added = [...idsOf(next.refresh())].filter((id) => !idsOf(index.refresh()).has(id));
    expect(Math.min(...added)).toBe(1_000);
  });

  it('has the former index until the manifest of the next one is written', async () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const before = index.refresh();
    await files.save(before, 5, 'digest');
    const interrupted = mkdtempSync(join(tmpdir(), 'segment-files-'));
    cpSync(folder, interrupted, { recursive: true });
    for (const document of OTHERS) index.add(document);
    await files.save(index.refresh(), 9, 'digest');
    for (const name of readdirSync(folder)) {
      if (name !== 'manifest.json') cpSync(join(folder, name), join(interrupted, name));
    }
    writeFileSync(join(interrupted, 'segment-99.new'), 'the beginning of');
    writeFileSync(join(interrupted, 'manifest.json.new'), '{');
    const loaded = load(interrupted);
    expect(loaded.sequence).toBe(5);
    expect(answers(loaded.index.refresh())).toEqual(answers(before));
    expect(readdirSync(interrupted)).not.toContain('segment-99.new');
    rmSync(interrupted, { recursive: true });
  });

  it('refuses any file with a byte changed, cut off or missing', async () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    await new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const content = readFileSync(path);
      const damages: (() => void)[] = [
        () => rmSync(path),
        () => truncateSync(path, content.length - 1),
        () => truncateSync(path, 3),
        ...[0, 0.3, 0.7, 0.999].map((place) => (): void => {
          const changed = Buffer.from(content);
          changed[Math.floor(place * content.length)]! ^= 4;
          writeFileSync(path, changed);
        }),
      ];
      for (const [kind, damage] of damages.entries()) {
        damage();
        for (const memoryBytesMax of [Infinity, 0]) {
          const loading = (): unknown => new SegmentFiles(folder).load(memoryBytesMax);
          if (name === 'manifest.json' && kind === 0) expect(loading()).toBeUndefined();
          else expect(loading).toThrow(DamagedIndexError);
        }
        writeFileSync(path, content);
      }
      if (name === 'manifest.json') {
        await new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
      }
    }
  });
});

describe('SegmentReaders', () => {
  it('reads a file that was removed since it was opened, and tells of another that it cannot', async () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    await new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
    const [first, second] = index.refresh().parts;
    const pages = readers.open(first!.id);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const bytes = Buffer.from(new Uint8Array(first!.memory));
    expect(Buffer.compare(pages.page(0), bytes.subarray(0, pages.pageBytes))).toBe(0);
    expect(() => readers.open(second!.id)).toThrow(UnreadableSegmentError);
    readers.keepOnly(new Set());
    expect(() => readers.open(first!.id)).toThrow(UnreadableSegmentError);
  });
});

describe('an encoded segment', () => {
  const index = new TextIndex(LIMITS);
  for (const document of SAMPLE.slice(0, 3)) index.add(document);
  const [part] = index.refresh().parts;
  const file = encodeSegment(part!.memory);

  it('is decoded to the same bytes', () => {
    const memory = decodeSegment(file, 'a segment');
    expect(Buffer.compare(new Uint8Array(memory), new Uint8Array(part!.memory))).toBe(0);
    expect(new TextSegment(memory).documents.count).toBe(part!.segment.documents.count);
  });

  it('is refused with any one byte changed and at any other length', () => {
    for (let at = 0; at < file.length; at++) {
      const changed = file.slice();
      changed[at]! ^= 1 << (at % 8);
      expect(() => decodeSegment(changed, 'a segment')).toThrow(DamagedIndexError);
      expect(() => decodeSegment(file.subarray(0, at), 'a segment')).toThrow(DamagedIndexError);
    }
  });
});
