import { open, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEEP_ALL, TestClock, filled, readAll } from './testing/log-engine.ts';
import { openSegmentLog } from './segment-log.ts';
import { contentOf, copyOf, temporaryFolder } from './testing/temporary-folder.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import type { RecoveryNote } from './recovery.ts';
import type { TemporaryFolder } from './testing/temporary-folder.ts';

const SEGMENT_HEADER_BYTES = 64;
const RECORD_HEADER_BYTES = 40;
const PAYLOAD_BYTES = 50;
const RECORD_BYTES = RECORD_HEADER_BYTES + PAYLOAD_BYTES;
const RECORDS_PER_SEGMENT = 10;
const RECORDS = 35;

/**
 * A log of 35 records with two operations each. Every record is a group of its own. Segments hold
 * 10 records; the newest holds 5.
 */
let original: TemporaryFolder;
let records: LogRecord[];

beforeAll(async () => {
  original = await temporaryFolder();
  await using log = await openLog(original);
  for (let i = 0; i < RECORDS; i++) await log.append(2, filled(PAYLOAD_BYTES, i));
  records = await readAll(log);
});

afterAll(() => original[Symbol.asyncDispose]());

function openLog(
  folder: TemporaryFolder,
  onRecovery?: (note: RecoveryNote) => void,
): Promise<CommitLog> {
  const segmentBytesMax = SEGMENT_HEADER_BYTES + RECORDS_PER_SEGMENT * RECORD_BYTES;
  const options = {
    folder: folder.path,
    clock: new TestClock(),
    archive: KEEP_ALL,
    segmentBytesMax,
  };
  return openSegmentLog(onRecovery === undefined ? options : { ...options, onRecovery });
}

async function segmentFiles(folder: TemporaryFolder): Promise<string[]> {
  const names = await readdir(folder.path);
  return names.filter((name) => name.endsWith('.segment')).toSorted();
}

async function unfinishedFiles(folder: TemporaryFolder): Promise<string[]> {
  return (await readdir(folder.path)).filter((name) => name.endsWith('.new'));
}

async function pathOfSegment(folder: TemporaryFolder, number: number): Promise<string> {
  return join(folder.path, (await segmentFiles(folder)).at(number)!);
}

async function alter(
  path: string,
  position: number,
  change: (byte: number) => number,
): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, position);
  byte[0] = change(byte[0]!);
  await file.write(byte, 0, 1, position);
}

/** Expects that opening is refused with this problem and leaves every file as it was. */
async function expectRefused(folder: TemporaryFolder, problem: object): Promise<void> {
  const before = await contentOf(folder);
  await expect(openLog(folder)).rejects.toMatchObject({ code: 'log_corrupt', ...problem });
  expect(await contentOf(folder)).toEqual(before);
}

/**
 * Expects that opening cuts the end off and reports it, and that the log continues from there, also
 * after one more restart.
 */
async function expectCut(folder: TemporaryFolder, kept: number, bytes: number): Promise<void> {
  const notes: RecoveryNote[] = [];
  const log = await openLog(folder, (note) => notes.push(note));
  const sequence = kept * 2 + 1;
  expect(notes).toMatchObject(bytes === 0 ? [] : [{ bytes, sequence }]);
  expect(await readAll(log)).toEqual(records.slice(0, kept));
  expect(await log.append(2, filled(PAYLOAD_BYTES, 99))).toBe(sequence + 1);
  await log[Symbol.asyncDispose]();
  await using again = await openLog(folder, (note) => notes.push(note));
  expect(notes.length).toBe(bytes === 0 ? 0 : 1);
  expect((await readAll(again)).at(-1)).toMatchObject({ first: sequence, payload: { 0: 99 } });
}

describe('an unfinished write at the end', () => {
  const lastAt = SEGMENT_HEADER_BYTES + 4 * RECORD_BYTES;

  it('is cut off, wherever it broke off', async () => {
    for (let length = 0; length < RECORD_BYTES; length++) {
      await using folder = await copyOf(original);
      await truncate(await pathOfSegment(folder, -1), lastAt + length);
      await expectCut(folder, RECORDS - 1, length);
    }
  });

  it('is cut off when its bytes never arrived, or not all', async () => {
    for (let position = 0; position < RECORD_BYTES; position += 3) {
      await using folder = await copyOf(original);
      const path = await pathOfSegment(folder, -1);
      await alter(path, lastAt + position, (byte) => byte ^ 0xff);
      await expectCut(folder, RECORDS - 1, RECORD_BYTES);
    }
  });

  it('is cut off when it is longer than any record: zeros, noise, an endless length', async () => {
    const endless = Buffer.concat([Buffer.from('TRLR'), Buffer.alloc(40, 0xff)]);
    for (const tail of [Buffer.alloc(3_000_000), Buffer.alloc(5_000, 'noise'), endless]) {
      await using folder = await copyOf(original);
      const path = await pathOfSegment(folder, -1);
      await writeFile(path, tail, { flag: 'a' });
      await expectCut(folder, RECORDS, tail.length);
    }
  });

  it('is the whole rest of a group of which only later records arrived', async () => {
    await using folder = await copyOf(original);
    const log = await openLog(folder);
    await Promise.all([1, 2, 3].map((value) => log.append(2, filled(PAYLOAD_BYTES, value))));
    await log[Symbol.asyncDispose]();
    const path = await pathOfSegment(folder, -1);
    await alter(path, lastAt + RECORD_BYTES + 45, (byte) => byte ^ 1);
    await expectCut(folder, RECORDS, 3 * RECORD_BYTES);
  });

  it('is not confused by a payload that is itself a piece of a log', async () => {
    await using folder = await copyOf(original);
    const path = await pathOfSegment(folder, -1);
    const piece = (await contentOf(folder)).get((await segmentFiles(folder)).at(0)!)!;
    const log = await openLog(folder);
    await log.append(1, piece);
    await log[Symbol.asyncDispose]();
    await alter(path, lastAt + RECORD_BYTES, () => 0);
    await expectCut(folder, RECORDS, RECORD_HEADER_BYTES + piece.length);
  });
});

describe('damage', () => {
  it('of one bit anywhere before the last record of the newest segment is refused', async () => {
    const position = fc.integer({ min: 0, max: SEGMENT_HEADER_BYTES + 4 * RECORD_BYTES - 1 });
    const property = fc.asyncProperty(position, fc.nat(7), async (at, bit) => {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, -1);
      await alter(file, at, (byte) => byte ^ (1 << bit));
      const record = Math.floor((at - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
      const where =
        record < 0
          ? { file, offset: 0 }
          : {
              file,
              offset: SEGMENT_HEADER_BYTES + record * RECORD_BYTES,
              sequence: 61 + record * 2,
            };
      await expectRefused(folder, { details: where });
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('of a record of an older segment is told when the record is read', async () => {
    const position = fc.integer({
      min: SEGMENT_HEADER_BYTES,
      max: SEGMENT_HEADER_BYTES + RECORDS_PER_SEGMENT * RECORD_BYTES - 1,
    });
    const property = fc.asyncProperty(position, fc.nat(7), async (at, bit) => {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, 1);
      await alter(file, at, (byte) => byte ^ (1 << bit));
      await using log = await openLog(folder);
      const record = RECORDS_PER_SEGMENT + Math.floor((at - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
      const seen: LogRecord[] = [];
      const reading = (async () => {
        for await (const found of log.read(1)) seen.push(found);
      })();
      const sequence = record * 2 + 1;
      await expect(reading).rejects.toMatchObject({
        code: 'log_corrupt',
        details: { file, sequence },
      });
      expect(seen).toEqual(records.slice(0, record));
      expect(await readAll(log, 41)).toEqual(records.slice(20));
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('of the header of an older segment is refused', async () => {
    for (let position = 0; position < SEGMENT_HEADER_BYTES; position += 7) {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, 1);
      await alter(file, position, (byte) => byte ^ 0x10);
      await expectRefused(folder, { details: { file, offset: 0 } });
    }
  });

  it('by cutting or lengthening an older segment is refused', async () => {
    for (const change of [-RECORD_BYTES, -1, 1, RECORD_BYTES]) {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, 1);
      const whole = SEGMENT_HEADER_BYTES + RECORDS_PER_SEGMENT * RECORD_BYTES;
      await truncate(file, whole + change);
      await expectRefused(folder, { details: { file, offset: Math.min(whole, whole + change) } });
    }
  });

  it('by losing a segment between others is refused', async () => {
    for (const number of [1, 2]) {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, number);
      await rm(file);
      await expectRefused(folder, { details: { file, sequence: number * 20 + 1 } });
    }
  });

  it('by cutting the newest segment down into its header is refused', async () => {
    for (const length of [0, 1, 63]) {
      await using folder = await copyOf(original);
      const file = await pathOfSegment(folder, -1);
      await truncate(file, length);
      await expectRefused(folder, { details: { file, offset: 0 } });
    }
  });

  it('by a segment of another log is refused', async () => {
    await using folder = await copyOf(original);
    await using foreign = await temporaryFolder();
    await using log = await openLog(foreign);
    await log.append(1, filled(1));
    const piece = (await contentOf(foreign)).get((await segmentFiles(foreign))[0]!)!;
    const file = await pathOfSegment(folder, 0);
    await writeFile(file, piece);
    await expectRefused(folder, { details: { file, offset: 0 } });
  });

  it('by losing the manifest, its meaning, or all segments is refused', async () => {
    for (const text of [undefined, '', '{}', '[]', '{"format":2}']) {
      await using folder = await copyOf(original);
      const file = join(folder.path, 'log.json');
      await (text === undefined ? rm(file) : writeFile(file, text));
      await expectRefused(folder, { details: { file } });
    }
    await using folder = await copyOf(original);
    for (const name of await segmentFiles(folder)) await rm(join(folder.path, name));
    await expectRefused(folder, { details: { file: join(folder.path, 'log.json') } });
  });
});

describe('a start that a crash cut short', () => {
  it('is begun again', async () => {
    await using folder = await temporaryFolder();
    const log = await openLog(folder);
    await log[Symbol.asyncDispose]();
    await rm(join(folder.path, 'log.json'));
    await writeFile(join(folder.path, 'log.json.new'), '{"form');
    await using again = await openLog(folder);
    expect(again.epoch).not.toBe(log.epoch);
    expect(await again.append(1, filled(1))).toBe(1);
    expect(await unfinishedFiles(folder)).toEqual([]);
  });

  it('of a segment leaves the log whole, whether it is there empty or not yet', async () => {
    await using folder = await copyOf(original);
    await writeFile(join(folder.path, '0000000000000071.segment.new'), 'TRL');
    const log = await openLog(folder);
    expect(await unfinishedFiles(folder)).toEqual([]);
    for (let i = 0; i < 5; i++) await log.append(2, filled(PAYLOAD_BYTES, RECORDS + i));
    await log.append(2, filled(PAYLOAD_BYTES));
    await log[Symbol.asyncDispose]();
    const path = await pathOfSegment(folder, -1);
    await truncate(path, SEGMENT_HEADER_BYTES);
    await using again = await openLog(folder);
    expect(again.lastSequence).toBe(80);
    expect(await again.append(1, filled(1))).toBe(81);
    expect((await readAll(again)).slice(0, RECORDS)).toEqual(records);
  });
});
