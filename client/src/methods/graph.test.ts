import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('reads a node and what has been changed in it', async () => {
  const node = { UID: 'n 1', Type: 'Note', Timestamp: '' };
  const first = { version: 1, sequence: null, timestamp: null, actor: null, changes: [] };
  const list = { items: [first], total: 1, skip: 2, take: 1 };
  const { client, seen } = await scripted([{ body: node }, { body: list }, { body: list }]);
  expect(await client.nodes.get('n 1')).toEqual(node);
  expect(await client.nodes.listHistory('n 1', { skip: 2, take: 1 })).toEqual(list);
  expect(await client.nodes.listHistory('n')).toEqual(list);
  expect(seen.map(({ method, url }) => [method, url])).toEqual([
    ['GET', '/api/node/n%201'],
    ['GET', '/api/node/n%201/history?skip=2&take=1'],
    ['GET', '/api/node/n/history'],
  ]);
});
