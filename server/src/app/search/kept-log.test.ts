import { expect, it } from 'vitest';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { settingOperation } from '#access/settings.ts';
import { IndexedGraph } from './testing/indexed-graph.ts';

const SCHEMA = {
  nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String', Place: 'Float[]' } as const }],
  edges: [],
};
const FIELDS = { Text: { text: { boost: 1 } }, Place: { vector: {} } };

async function write(graph: IndexedGraph, key: string): Promise<void> {
  const fields = { Text: `the ${key}`, Place: [1, 2, 3] };
  await graph.commit({ operations: [{ op: 'addOrUpdate', type: 'Note', key, fields }] });
}

it('the log is kept for what an index has not read, and for what came after it was saved', async () => {
  await using graph = await IndexedGraph.open();
  await graph.commit({ operations: [], schema: SCHEMA });
  const types = { Note: { language: 'en', fields: FIELDS } };
  const operations = [settingOperation(SEARCH_SETTING, { types })];
  await graph.commit({ system: true, operations });
  await write(graph, 'harbour');
  graph.show();
  graph.start();
  await graph.indexed();
  // It is told of none of these, as a thread that is late.
  for (let i = 0; i < 20; i++) {
    await write(graph, `lantern ${i}`);
    await graph.trimForFollowers();
  }
  graph.show();
  await graph.indexed();
  expect(graph.notes.join()).not.toContain('anew');
  // And these come after what is saved.
  await graph.stop();
  for (let i = 0; i < 20; i++) await write(graph, `compass ${i}`);
  await graph.trimForFollowers();
  graph.show();
  graph.start();
  await graph.indexed();
  expect(graph.notes.join()).not.toContain('anew');
  expect(graph.rebuilds).toBe(0);
  // Without the need of the index all of that is gone.
  await graph.stop();
  await write(graph, 'compass');
  await graph.trim();
  graph.show();
  graph.start();
  await graph.indexed();
  expect(graph.notes.join()).toContain('the search index is built anew');
});
