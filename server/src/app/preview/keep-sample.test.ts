import { expect, it, onTestFinished } from 'vitest';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { keepSample } from './keep-sample.ts';

const SCHEMA = {
  nodes: [
    { type: 'Book', key: 'Isbn', fields: {} },
    { type: 'Author', key: 'Name', fields: {} },
  ],
  edges: [{ type: 'WrittenBy', fields: {} }],
};

async function openLibrary() {
  const graph = await openTestGraph();
  onTestFinished(() => graph[Symbol.asyncDispose]());
  await graph.addSchema(SCHEMA);
  const books = Array.from({ length: 2_500 }, (_, at) => `${at}`);
  for (const key of books) {
    const node = { type: 'Book', key };
    await graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', ...node, fields: {} },
        // One author has them all, but for the newest.
        ...(Number(key) < 100
          ? ([
              { op: 'addOrUpdate', type: 'Author', key: `of ${key}`, fields: {} },
              { op: 'link', from: node, edge: 'WrittenBy', to: { type: 'Author', key: 'of 0' } },
              {
                op: 'link',
                from: node,
                edge: 'WrittenBy',
                to: { type: 'Author', key: `of ${key}` },
              },
            ] as const)
          : []),
      ],
    });
  }
  graph.reader.refresh();
  return graph;
}

it('keeps so many nodes of each type, and those that hang together', async () => {
  const { reader, writer } = await openLibrary();
  const steps: number[] = [];
  const work = { signal: new AbortController().signal, report: (done: number) => steps.push(done) };
  const sample = await keepSample({ reader, commits: writer, ...work }, 130);
  reader.refresh();
  expect(sample).toEqual({ kept: 230, deleted: 2_370 });
  expect([reader.countOfType('Book'), reader.countOfType('Author')]).toEqual([130, 100]);
  expect([steps.at(-1), reader.countOfEdgeType('WrittenBy')]).toEqual([2_370, 199]);
});

it('keeps all where there are no more, and ends early when it is told to', async () => {
  const { reader, writer } = await openLibrary();
  const signal = AbortSignal.abort(new Error('interrupted'));
  const work = { reader, commits: writer, report: () => {} };
  await expect(keepSample({ ...work, signal }, 1)).rejects.toThrow('interrupted');
  const all = await keepSample({ ...work, signal: new AbortController().signal }, 5_000);
  expect(all).toEqual({ kept: 2_600, deleted: 0 });
});
