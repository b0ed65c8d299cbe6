import { EndpointCompiler } from '#runtime/compile/endpoint-compiler.ts';
import { ADMIN, openTestEndpoints } from '#runtime/testing/test-endpoints.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { wordnetSchema } from '../../../samples/wordnet/schema.ts';
import { installSystemEndpoints, readSystemEndpoints } from './primary-workspace.ts';

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

const NOTHING: SchemaDocument = { nodes: [], edges: [] };
const ONE_TYPE: SchemaDocument = {
  nodes: [{ type: 'Person', key: 'Name', fields: { Age: 'Int', Friends: 'Json' } }],
  edges: [],
};

describe.each([
  ['an empty workspace', NOTHING],
  ['one type', ONE_TYPE],
  ['WordNet', wordnetSchema],
])('system endpoints with the schema of %s', (_, schema) => {
  it('compile as read-only', async () => {
    const endpoints = await readSystemEndpoints();
    expect(endpoints.map(({ name }) => name)).toEqual([
      'system/neighbors',
      'system/nodes',
      'system/paths',
      'system/search-modes',
      'system/search',
      'system/similar',
      'system/suggest',
      'system/table',
    ]);
    for (const { code, isReadOnly } of endpoints) {
      expect(isReadOnly).toBe(true);
      expect(await compiler.check({ code, isReadOnly: true }, schema)).toEqual([]);
    }
  });
});

it.each([
  ['search', { query: 'cat' }],
  ['search-modes', {}],
  ['suggest', { query: 'ca' }],
  ['similar', { text: 'cat' }],
])('system/%s is not ready as long as there is no index', async (name, body) => {
  await using endpoints = await openTestEndpoints(1, false, {
    embedQuery: () => Promise.resolve({}),
  });
  const { graph, service } = endpoints;
  await installSystemEndpoints(service);
  await graph.writer.commit({
    system: true,
    operations: [{ op: 'addOrUpdate', type: '_User', key: 'ada', fields: {} }],
  });
  graph.reader.refresh();
  const caller = { ...ADMIN, userUid: graph.reader.uid(graph.idOf('_User', 'ada')) ?? null };
  const run = () => endpoints.run(`system/${name}`, { caller, body }).catch((error) => error.code);
  // On a busy machine the first call may end at its own time limit.
  await expect.poll(run).toBe('index_opening');
});
