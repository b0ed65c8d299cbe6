import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { FILE_CHUNK_BYTES_MAX } from '#base/limits.ts';
import type { CommitRequest } from '#graph/operations.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import { FileStore } from './file-store.ts';

const FOLDER = { type: '_AdminAgentSession', key: 's' };

let graph: TestGraph;
let owner: string;
let requests: CommitRequest[];
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  const made = await graph.writer.commit({
    system: true,
    operations: [
      { op: 'addOrUpdate', ...FOLDER },
      { op: 'addOrUpdate', type: '_User', fields: { UserName: 'ann' } },
    ],
  });
  owner = String(made.outcomes[1]?.uid);
  graph.reader.refresh();
  requests = [];
});
afterEach(() => graph[Symbol.asyncDispose]());

function open(): FileStore {
  return new FileStore(graph.reader, {
    commit: (request) => {
      requests.push(request);
      return graph.writer.commit(request);
    },
  });
}

const count = (type: string): number => {
  graph.reader.refresh();
  return graph.reader.countOfType(type);
};

function begin(files: FileStore, name: string) {
  const event = {
    action: 'file.uploaded',
    actor: null,
    outcome: 'success',
    address: null,
  } as const;
  const trace = () => auditInMemory().operation(event);
  const contentType = 'text/plain';
  const fields = { Path: `/x/${name}` };
  return files.begin({ of: FOLDER, name, fields, contentType, owner, trace });
}

it('a file is what was written, however it was cut, in pieces within the limit', async () => {
  const files = open();
  const sizes = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 1_000 }),
      fc.constantFrom(FILE_CHUNK_BYTES_MAX - 1, FILE_CHUNK_BYTES_MAX, FILE_CHUNK_BYTES_MAX + 1),
      fc.integer({ min: 0, max: 3 * FILE_CHUNK_BYTES_MAX }),
    ),
    { maxLength: 5 },
  );
  let number = 0;
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const name = `file ${number++}`;
      const writer = begin(files, name);
      const parts = lengths.map((length, index) => Buffer.alloc(length, `part ${index} `));
      for (const part of parts) await writer.write(part);
      const whole = Buffer.concat(parts);
      const sha256 = createHash('sha256').update(whole).digest('hex');
      expect(await writer.end()).toMatchObject({ name, size: whole.length, sha256 });
      expect(files.content(FOLDER, name).equals(whole)).toBe(true);
    }),
    { numRuns: 15 },
  );
  for (const { operations } of requests) {
    for (const operation of operations) {
      const bytes = 'fields' in operation ? operation.fields?.['Bytes'] : undefined;
      if (typeof bytes !== 'string') continue;
      expect(Buffer.byteLength(bytes, 'base64')).toBeLessThanOrEqual(FILE_CHUNK_BYTES_MAX);
    }
  }
  await graph.writer.commit({ system: true, operations: files.deletions(FOLDER) });
  expect([count('_FileEntry'), count('_FileChunk')]).toEqual([0, 0]);
});

it('a file that is given up, or comes too late, leaves nothing', async () => {
  const files = open();
  const content = Buffer.alloc(2 * FILE_CHUNK_BYTES_MAX, 'a');
  const first = begin(files, 'a');
  const second = begin(files, 'a');
  const third = begin(files, 'b');
  for (const writer of [first, second, third]) await writer.write(content);
  await third.abort();
  await first.end();
  const problem = await problemOf(() => second.end());
  expect([problem.code, problem.details]).toEqual([
    'file_exists',
    { entry: expect.objectContaining({ name: 'a', Size: content.length }) },
  ]);
  await second.abort();
  expect(() => begin(files, 'a')).toThrow('There is a file "a" already.');
  expect([count('_FileEntry'), count('_FileChunk')]).toEqual([1, 2]);
});

it('pieces of files that were never whole are swept away, and no others', async () => {
  const kept = begin(open(), 'kept');
  await kept.write(Buffer.alloc(FILE_CHUNK_BYTES_MAX + 1, 'a'));
  await kept.end();
  await begin(open(), 'lost').write(Buffer.alloc(3 * FILE_CHUNK_BYTES_MAX, 'a'));
  expect(count('_FileChunk')).toBe(5);
  const files = open();
  await files.sweep();
  expect(count('_FileChunk')).toBe(2);
  expect(files.content(FOLDER, 'kept').length).toBe(FILE_CHUNK_BYTES_MAX + 1);
  requests = [];
  await files.sweep();
  expect(requests).toEqual([]);
});
