import { afterEach, beforeEach, expect, it } from 'vitest';
import { AccessIndex } from '#access/access-index.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import {
  FILE_CHUNK_BYTES_MAX,
  FILE_UPLOAD_LIFETIME_MS,
  FILE_UPLOADS_PER_CALLER_MAX,
} from '#base/limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import { openTestGraph, problemOf, TestClock, type TestGraph } from '#graph/testing/test-graph.ts';
import { FileStore } from './file-store.ts';
import { FileUploads } from './file-uploads.ts';
import { NodeFiles } from './node-files.ts';

const SENDER = { caller: ADMINISTRATOR, address: '' };
const PIECE = Buffer.alloc(FILE_CHUNK_BYTES_MAX, 'a');

let graph: TestGraph;
let clock: TestClock;
let node: string;
let files: NodeFiles;
let uploads: FileUploads;
/** Awaited before each commit. */
let beforeCommit: () => Promise<void>;
let commits = 0;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({ nodes: [{ type: 'Book', fields: {} }] });
  await graph.write({ op: 'addOrUpdate', type: 'Book', key: 'b' });
  node = String(graph.reader.uid(graph.idOf('Book', 'b')));
  beforeCommit = () => Promise.resolve();
  commits = 0;
  clock = new TestClock();
  ({ files, uploads } = open());
});
afterEach(() => graph[Symbol.asyncDispose]());

/** As a start of the server does. */
function open() {
  const { reader } = graph;
  const port: CommitPort = {
    commit: async (request) => {
      await beforeCommit();
      commits++;
      return await graph.writer.commit(request);
    },
  };
  const store = new FileStore(reader, port);
  const reads = { reader, access: new AccessIndex(reader) };
  const audit = auditInMemory();
  const nodeFiles = new NodeFiles({ reads, commits: port, store, audit, onUploaded: () => {} });
  return {
    store,
    files: nodeFiles,
    uploads: new FileUploads({ reader, commits: port, store, files: nodeFiles, clock }),
  };
}

const begin = (name: string, pieces = 3) =>
  uploads.create(ADMINISTRATOR, node, {
    name,
    contentType: 'text/plain',
    size: pieces * PIECE.length,
  });

async function* piecesOf(count: number): AsyncIterable<Buffer> {
  for (let i = 0; i < count; i++) yield PIECE;
}

const append = (id: string, from: number, bytes: AsyncIterable<Uint8Array>) =>
  uploads.append(SENDER, id, from * PIECE.length, bytes);

function left() {
  graph.reader.refresh();
  const [uploading, pieces] = ['_FileUpload', '_FileChunk'].map((type) =>
    graph.reader.countOfType(type),
  );
  return { uploading, pieces };
}

it('one caller begins no more than so many, also at once', async () => {
  const all = Array.from({ length: FILE_UPLOADS_PER_CALLER_MAX + 5 }, (_, i) => begin(`f${i}`));
  const ended = await Promise.allSettled(all);
  const refused = ended.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused.map(({ code }) => code)).toEqual(Array(5).fill('too_many_files'));
  expect(left().uploading).toBe(FILE_UPLOADS_PER_CALLER_MAX);
});

it('an upload is kept until a day after its last byte, and goes then with its pieces', async () => {
  const { id, expiresAt } = await begin('a');
  expect(Date.parse(expiresAt)).toBe(clock.time + FILE_UPLOAD_LIFETIME_MS);
  clock.time += FILE_UPLOAD_LIFETIME_MS - 1;
  await uploads.sweep();
  const later = await append(id, 0, piecesOf(2));
  expect(Date.parse(later.expiresAt)).toBe(clock.time + FILE_UPLOAD_LIFETIME_MS);
  clock.time += FILE_UPLOAD_LIFETIME_MS - 1;
  commits = 0;
  await uploads.sweep();
  expect([left(), commits]).toEqual([{ uploading: 1, pieces: 2 }, 0]);
  clock.time += 1;
  // Also where the server was down when it became too old.
  ({ uploads } = open());
  await uploads.sweep();
  expect(left()).toEqual({ uploading: 0, pieces: 0 });
  const problem = await problemOf(() => append(id, 2, piecesOf(1)));
  expect(problem.code).toBe('upload_not_found');
});

it('others stay, and files that are whole', async () => {
  const [old, whole] = [await begin('old'), await begin('whole', 1)];
  await append(old.id, 0, piecesOf(1));
  await append(whole.id, 0, piecesOf(1));
  clock.time += FILE_UPLOAD_LIFETIME_MS;
  const { id } = await begin('new');
  await append(id, 0, piecesOf(2));
  await uploads.sweep();
  expect(left()).toEqual({ uploading: 1, pieces: 3 });
  expect(uploads.get(ADMINISTRATOR, id)).toMatchObject({ offset: 2 * PIECE.length });
  await open().store.sweep();
  expect(left()).toEqual({ uploading: 1, pieces: 3 });
  expect((await append(id, 2, piecesOf(1))).file).toMatchObject({ Name: 'new' });
});

it('one that bytes arrive for is not too old, however slowly they come', async () => {
  const { id } = await begin('slow', 2);
  const halfway = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const appended = append(
    id,
    0,
    (async function* () {
      yield PIECE;
      halfway.resolve();
      await goOn.promise;
      yield PIECE;
    })(),
  );
  await halfway.promise;
  clock.time += 2 * FILE_UPLOAD_LIFETIME_MS;
  await uploads.sweep();
  goOn.resolve();
  expect((await appended).file).toMatchObject({ Name: 'slow', Size: 2 * PIECE.length });
  await uploads.sweep();
  expect(left()).toEqual({ uploading: 0, pieces: 2 });
});

it.each(['whole', 'longer'])(
  'one that becomes %s while others are swept away loses nothing',
  async (become) => {
    const made = [await begin('1', 2), await begin('2', 2)];
    for (const { id } of made) await append(id, 0, piecesOf(1));
    clock.time += FILE_UPLOAD_LIFETIME_MS;
    // The first that goes: meanwhile the other is gone on with.
    let going: Promise<unknown> | undefined;
    beforeCommit = async () => {
      beforeCommit = () => Promise.resolve();
      await goOn();
    };
    const goOn = async () => {
      const { id } = made[1]!;
      const bytes = become === 'whole' ? PIECE : PIECE.subarray(1);
      going = append(
        id,
        1,
        (async function* () {
          yield bytes;
        })(),
      );
      await going;
    };
    await uploads.sweep();
    await going;
    const isWhole = become === 'whole';
    expect(left()).toEqual({ uploading: isWhole ? 0 : 1, pieces: 2 });
    if (!isWhole) return;
    const [file] = files.list(ADMINISTRATOR, node, { skip: 0, take: 9 }).items;
    const { read } = files.open(ADMINISTRATOR, file!.UID);
    let bytes = 0;
    for await (const piece of read(0, file!.Size)) bytes += piece.length;
    expect(bytes).toBe(2 * PIECE.length);
  },
);

it('one that is deleted in the moment in which it becomes whole is a file, and no longer an upload', async () => {
  const { id } = await begin('a', 1);
  await append(id, 0, piecesOf(0));
  let arrived = false;
  beforeCommit = async () => {
    if (arrived) return;
    arrived = true;
    await append(id, 0, piecesOf(1));
  };
  expect((await problemOf(() => uploads.delete(ADMINISTRATOR, id))).code).toBe('upload_not_found');
  expect(left()).toEqual({ uploading: 0, pieces: 1 });
  expect(files.list(ADMINISTRATOR, node, { skip: 0, take: 9 }).total).toBe(1);
});
