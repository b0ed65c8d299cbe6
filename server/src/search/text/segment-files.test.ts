import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
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
import { Segment } from './segment.ts';
import { documents, queries } from './testing/arbitrary-search.ts';
import { TextIndex } from './text-index.ts';
import type { TextQuery } from './text-query.ts';
import { type TextResult, searchText } from './text-search.ts';

const LIMITS = { waitingDocumentsMax: 20, waitingTokensMax: 1_000, segmentDocumentsMax: 1_000 };
const ALL: TextQuery = { groups: [] };
const SAMPLE = fc.sample(documents, { seed: 11, numRuns: 70 });
const OTHERS = fc.sample(documents, { seed: 12, numRuns: 70 });
const QUERIES = [ALL, ...fc.sample(queries, { seed: 13, numRuns: 30 })];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'segment-files-'));
});
afterEach(() => {
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
  return { index: new TextIndex(LIMITS, stored.parts), sequence: stored.manifest.sequence };
}

describe('SegmentFiles', () => {
  it('gives back what was saved, in memory or in the file', () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    expect(files.load()).toBeUndefined();
    for (const document of SAMPLE) index.add(document);
    files.save(index.refresh(), 5, 'digest');
    for (const document of OTHERS) index.add(document);
    for (let node = 0; node < 10; node++) index.remove(node);
    const view = index.refresh();
    files.save(view, 9, 'digest');
    for (const memoryBytesMax of [Infinity, 20_000, 0]) {
      const loaded = load(folder, memoryBytesMax);
      expect(loaded.sequence).toBe(9);
      const again = loaded.index.refresh();
      expect(answers(again)).toEqual(answers(view));
      if (memoryBytesMax > 0) continue;
      expect(again.parts.every(({ isInFile }) => isInFile)).toBe(true);
      using readers = new SegmentFiles(folder);
      const shared = IndexView.open(structuredClone(again.share()), undefined, (id) =>
        readers.reader(id),
      );
      expect(answers(shared)).toEqual(answers(view));
    }
  });

  it('moves a segment of a running index to its file', () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const before = index.refresh();
    files.save(before, 5, 'digest');
    const { id } = before.parts[0]!;
    const { memory, read } = files.openInFile(id);
    expect(memory.byteLength).toBeLessThan(before.parts[0]!.memory.byteLength);
    index.moveToFile(id, memory, read);
    const after = index.refresh();
    expect(answers(after)).toEqual(answers(before));
    const reopened = IndexView.open(after.share(), before, (part) => files.reader(part));
    expect(reopened.parts.map(({ isInFile }) => isInFile)).toEqual([
      true,
      ...before.parts.slice(1).map(() => false),
    ]);
    expect(reopened.parts[0]!.segment).not.toBe(before.parts[0]!.segment);
    expect(reopened.parts[1]!.segment).toBe(before.parts[1]!.segment);
    expect(answers(reopened)).toEqual(answers(before));
    index.remove(SAMPLE.at(-1)!.node);
    files.save(index.refresh(), 6, 'digest');
    expect(answers(load(folder).index.refresh())).toEqual(answers(index.refresh()));
  });

  it('goes on after it was loaded: adds, deletes, merges, saves', () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
    const files = new SegmentFiles(folder);
    const loaded = new TextIndex(LIMITS, files.load(0)!.parts);
    for (const document of OTHERS) {
      index.add(document);
      loaded.add(document);
    }
    const view = loaded.refresh();
    loaded.applyMerge({ parts: view.share().parts }, mergeSegments(view.parts));
    files.save(loaded.refresh(), 6, 'digest');
    const expected = answers(index.refresh());
    expect(answers(loaded.refresh())).toEqual(expected);
    expect(answers(load(folder).index.refresh())).toEqual(expected);
    expect(readdirSync(folder).length).toBe(3);
  });

  it('has the former index until the manifest of the next one is written', () => {
    const index = new TextIndex(LIMITS);
    const files = new SegmentFiles(folder);
    for (const document of SAMPLE) index.add(document);
    const before = index.refresh();
    files.save(before, 5, 'digest');
    const interrupted = mkdtempSync(join(tmpdir(), 'segment-files-'));
    cpSync(folder, interrupted, { recursive: true });
    for (const document of OTHERS) index.add(document);
    files.save(index.refresh(), 9, 'digest');
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

  it('refuses any file with a byte changed, cut off or missing', () => {
    const index = new TextIndex(LIMITS);
    for (const document of SAMPLE) index.add(document);
    new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
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
      if (name === 'manifest.json') new SegmentFiles(folder).save(index.refresh(), 5, 'digest');
    }
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
    expect(new Segment(memory).documents.count).toBe(part!.segment.documents.count);
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
