import { expect, it } from 'vitest';
import { AccessIndex } from '#access/access-index.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { settingOperation } from '#access/settings.ts';
import { SIMILAR_VECTORS_MAX, VECTOR_ANSWER_NUMBERS_MAX } from '#base/search-limits.ts';
import { openTestGraph, problemOf } from '#graph/testing/test-graph.ts';
import { LiveSearcher } from '../service/live-searcher.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';
import { comparedVectors } from './find-similar.ts';
import { NodeEmbeddings } from './node-embeddings.ts';

const DIMENSIONS = 4_000;
const NODES = VECTOR_ANSWER_NUMBERS_MAX / DIMENSIONS + 1;

it('an answer has no more numbers than it may', async () => {
  await using graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({ nodes: [{ type: 'Point', fields: { At: 'Float[]' } }] });
  const fields = { At: { vector: { model: 'external' } } };
  const settings = { types: { Point: { searchable: true, language: '--', fields } } };
  await graph.writer.commit({
    system: true,
    operations: [settingOperation(SEARCH_SETTING, settings)],
  });
  const vector = (i: number) => Array.from({ length: DIMENSIONS }, (_, d) => (d === i ? 1 : 0));
  await graph.write(
    ...Array.from({ length: NODES }, (_, i) => ({
      op: 'addOrUpdate' as const,
      type: 'Point',
      key: String(i),
      fields: { At: vector(i) },
    })),
  );
  const { reader } = graph;
  const searcher = new LiveSearcher(reader).current();
  const embeddings = new NodeEmbeddings({
    reader,
    access: new AccessIndex(reader),
    searcher,
    askSimilar: () => Promise.reject(new Error('nobody asks for similar nodes here')),
  });
  const uids = reader.idsOfType('Point').flatMap((id) => reader.uid(id) ?? []);
  expect(await embeddings.of(ADMINISTRATOR, { uids: uids.slice(1) })).toHaveLength(NODES - 1);
  expect(await problemOf(() => embeddings.of(ADMINISTRATOR, { uids }))).toMatchObject({
    code: 'invalid_request',
  });
});

it('of long texts some pieces are compared, from the first to almost the last', () => {
  const vectors = (field: string, count: number) =>
    Array.from({ length: count }, (_, chunk) => ({
      field,
      model: 'm',
      chunk,
      vector: new Float32Array([1]),
    }));
  const short = vectors('Title', 3);
  const long = vectors('Text', SIMILAR_VECTORS_MAX * 2);
  expect(comparedVectors([short])).toEqual(short);
  const chunks = comparedVectors([long]).map(({ chunk }) => chunk);
  expect(chunks).toEqual(Array.from({ length: SIMILAR_VECTORS_MAX }, (_, i) => i * 2));
  const many = Array.from({ length: SIMILAR_VECTORS_MAX * 2 }, () => [...short, ...long]);
  expect(comparedVectors(many)).toHaveLength(many.length * 2);
});
