import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import type { IngestTarget } from './graph-writer.ts';
import { NdjsonIngest } from './ndjson-ingest.ts';
import type { NdjsonIngestOptions } from './ndjson-ingest.ts';
import { LineSplitter } from './line-splitter.ts';
import { openTestGraph, problemOf } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [{ type: 'Item', fields: { Text: 'String' } }],
    edges: [{ type: 'Next' }],
  });
});

afterAll(() => graph[Symbol.asyncDispose]());

let prefixes = 0;

/** A new chain of nodes, each linked to the one before: `length` nodes and one edge less. */
function chain(length: number): { lines: string[]; keyOf: (i: number) => string } {
  const prefix = prefixes++;
  const keyOf = (i: number): string => `${prefix}/${i}`;
  const lines = Array.from({ length }, (_, i) => {
    const node = { op: 'addOrUpdate', type: 'Item', key: keyOf(i), fields: { Text: `é${i}` } };
    const link = {
      op: 'link',
      from: { type: 'Item', key: keyOf(i - 1) },
      edge: 'Next',
      to: { type: 'Item', key: keyOf(i) },
    };
    return i === 0 ? [node] : [node, link];
  })
    .flat()
    .map((operation) => JSON.stringify(operation));
  return { lines, keyOf };
}

/** Cuts bytes at the given places, wherever they are. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((from, i) => bytes.subarray(from, sorted[i] ?? bytes.length));
}

async function send(
  chunks: readonly Uint8Array[],
  options: NdjsonIngestOptions = {},
  port: IngestTarget = graph.writer,
): Promise<IngestSummary> {
  const stream = new NdjsonIngest(port, options);
  for (const chunk of chunks) {
    // The caller may use the chunk again when the call is over.
    const lent = Buffer.from(chunk);
    await stream.write(lent);
    lent.fill(0);
  }
  return stream.end();
}

const places = fc.array(fc.nat(10_000), { maxLength: 8 });

describe('an ingest stream', () => {
  it('does the same wherever its chunks end, however its lines do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 7 }),
        places,
        fc.constantFrom('\n', '\r\n', '\n\n \t\n'),
        fc.boolean(),
        fc.boolean(),
        async (length, commitOperationsMax, cuts, lineEnd, isMarked, isEnded) => {
          const { lines, keyOf } = chain(length);
          const text = (isMarked ? '\ufeff' : '') + lines.join(lineEnd) + (isEnded ? lineEnd : '');
          const summary = await send(cut(Buffer.from(text), cuts), { commitOperationsMax });
          expect(summary).toEqual({
            nodes: length,
            created: length,
            edges: length - 1,
            splits: 0,
            commits: Math.ceil(lines.length / commitOperationsMax),
            sequence: graph.reader.refresh(),
          });
          const ids = Array.from({ length }, (_, i) => graph.idOf('Item', keyOf(i)));
          expect(ids.map((id) => graph.reader.field(id, 'Text'))).toEqual(
            ids.map((_, i) => `é${i}`),
          );
          expect(ids.slice(0, -1).map((id) => graph.reader.neighbors(id, 'out'))).toEqual(
            ids.slice(1).map((id) => [id]),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('stops at the first bad operation and says what stays', async () => {
    const bad = [
      ['{"op":"addOrUpdate","type":"Itme","key":"x"}', 'invalid_operation'],
      ['{"op":"oops"}', 'invalid_operation'],
      ['7', 'invalid_operation'],
      ['{"op":', 'malformed_json'],
      ['{"op":"tryAdd"} {}', 'malformed_json'],
      [Buffer.from([0x22, 0xff, 0x22]), 'malformed_json'],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(22),
        fc.constantFrom(...bad),
        places,
        async (length, commitOperationsMax, place, [line, code], cuts) => {
          const { lines, keyOf } = chain(length);
          const index = place % (lines.length + 1);
          const all: (string | Buffer)[] = lines.toSpliced(index, 0, line as string);
          const bytes = Buffer.concat(
            all.flatMap((each) => [Buffer.from(each), Buffer.from('\n')]),
          );
          const problem = await problemOf(() => send(cut(bytes, cuts), { commitOperationsMax }));
          const commits = Math.floor(index / commitOperationsMax);
          const stay = lines.slice(0, commits * commitOperationsMax);
          const edges = stay.filter((each) => each.includes('"link"')).length;
          expect(problem).toMatchObject({
            code,
            details: {
              ...(code === 'malformed_json' ? { line: index + 1 } : { index }),
              committed: { nodes: stay.length - edges, edges, commits },
            },
          });
          graph.reader.refresh();
          const isThere = (i: number) =>
            graph.reader.id({ type: 'Item', key: keyOf(i) }) !== undefined;
          const there = Array.from({ length }, (_, i) => i).filter(isThere);
          expect(there).toHaveLength(stay.length - edges);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('goes on failing with the same problem', async () => {
    const stream = new NdjsonIngest(graph.writer);
    const first = await problemOf(() => stream.write(Buffer.from('{\n')));
    expect(first).toMatchObject({ code: 'malformed_json' });
    expect(await problemOf(() => stream.write(Buffer.from('\n')))).toEqual(first);
    expect(await problemOf(() => stream.end())).toEqual(first);
  });

  it('answers the newest sequence when it is empty', async () => {
    const sequence = graph.reader.refresh();
    expect(await send([])).toEqual({
      nodes: 0,
      created: 0,
      edges: 0,
      splits: 0,
      commits: 0,
      sequence,
    });
    expect(await send([Buffer.from(' \n\n')])).toEqual({
      nodes: 0,
      created: 0,
      edges: 0,
      splits: 0,
      commits: 0,
      sequence,
    });
  });

  it('drops what is not committed when it is aborted', async () => {
    const { lines, keyOf } = chain(3);
    const stream = new NdjsonIngest(graph.writer, { commitOperationsMax: 3 });
    await stream.write(Buffer.from(`${lines.slice(0, 4).join('\n')}\n`));
    stream.abort();
    expect(await problemOf(() => stream.end())).toMatchObject({ code: 'ingest_aborted' });
    await graph.writer.ready();
    await graph.writer.commit({ operations: [] });
    graph.reader.refresh();
    expect(graph.reader.id({ type: 'Item', key: keyOf(1) })).toBeDefined();
    expect(graph.reader.id({ type: 'Item', key: keyOf(2) })).toBeUndefined();
  });

  it('hands on the next commit before the last is synced, but not without bound', async () => {
    const answers: ((sequence: number) => void)[] = [];
    let waiting = Promise.withResolvers<void>();
    const port: IngestTarget = {
      ready: () => Promise.resolve(),
      async ingest(operations) {
        const { promise, resolve } = Promise.withResolvers<number>();
        answers.push(resolve);
        waiting.resolve();
        const sequence = await promise;
        return {
          nodes: operations.length,
          created: operations.length,
          edges: 0,
          splits: 0,
          sequence,
        };
      },
    };
    const { lines } = chain(10);
    const stream = new NdjsonIngest(port, { commitOperationsMax: 1 });
    const writing = stream.write(Buffer.from(`${lines.join('\n')}\n`));
    for (let sequence = 1; sequence <= lines.length; sequence++) {
      while (answers.length < Math.min(4, lines.length - sequence + 1)) {
        waiting = Promise.withResolvers();
        await waiting.promise;
      }
      expect(answers.length).toBeLessThanOrEqual(4);
      answers.shift()!(sequence);
    }
    await writing;
    expect(await stream.end()).toEqual({
      nodes: lines.length,
      created: lines.length,
      edges: 0,
      splits: 0,
      commits: lines.length,
      sequence: lines.length,
    });
  });

  it('bounds the size of one commit', async () => {
    const { lines } = chain(4);
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    const chunks = [Buffer.from(lines.join('\n'))];
    await send(chunks, { commitBytesMax: bytes + 1 });
    await send(chunks, { commitBytesMax: bytes });
    expect(await problemOf(() => send(chunks, { commitBytesMax: bytes - 1 }))).toMatchObject({
      code: 'commit_too_large',
      details: { limitBytes: bytes - 1, line: 7, committed: { commits: 0 } },
    });
    // Each commit is sent alone.
    await send(chunks, { commitBytesMax: bytes - 1, commitOperationsMax: 4 });
  });
});

describe('a line', () => {
  it('is cut out of chunks as it is out of the whole', () => {
    const line = fc.stringMatching(/^[ab \t]{0,6}$/);
    fc.assert(
      fc.property(fc.array(line), places, (all, cuts) => {
        const splitter = new LineSplitter();
        const found: [number, string][] = [];
        const take = (next: Buffer | undefined) =>
          next !== undefined && found.push([splitter.number, next.toString()]) > 0;
        for (const chunk of cut(Buffer.from(all.join('\n')), cuts)) {
          splitter.add(Buffer.from(chunk));
          while (take(splitter.next()));
        }
        take(splitter.end());
        const expected = all.map((text, i) => [i + 1, text] as const);
        expect(found).toEqual(expected.filter(([, text]) => text.trim() !== ''));
      }),
    );
  });

  it.each([NDJSON_LINE_BYTES_MAX - 1, NDJSON_LINE_BYTES_MAX, NDJSON_LINE_BYTES_MAX + 1])(
    'may be %i bytes long, or not',
    async (length) => {
      for (const chunkBytes of [length + 1, 1 << 20]) {
        const bytes = Buffer.alloc(length + 1, 'x');
        bytes[length] = 0x0a;
        const splitter = new LineSplitter();
        const longest = (): number => {
          let found = 0;
          for (let at = 0; at < bytes.length; at += chunkBytes) {
            splitter.add(bytes.subarray(at, at + chunkBytes));
            for (let next = splitter.next(); next !== undefined; next = splitter.next()) {
              found = Math.max(found, next.length);
            }
          }
          return found;
        };
        if (length <= NDJSON_LINE_BYTES_MAX) {
          expect(longest()).toBe(length);
        } else {
          expect(await problemOf(longest)).toEqual({
            code: 'line_too_large',
            details: { line: 1, limitBytes: NDJSON_LINE_BYTES_MAX },
          });
        }
      }
    },
  );
});
