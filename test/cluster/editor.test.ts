import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { ServingPair } from './serving-pair.ts';

let pair: ServingPair;
beforeAll(async () => {
  pair = await ServingPair.start();
});
afterAll(() => pair[Symbol.asyncDispose]());

test('a replica answers editors as its primary does, with the schema that it has', async () => {
  const put = { nodes: [{ type: 'Shelf', fields: { Floor: 'Int' } }], edges: [] };
  const changed = await pair.asAdmin('PUT', '/api/schema', put);
  await pair.afterwards({ path: '/api/schema', token: pair.admin }, changed);
  const code = "export default ({ q }: Scope) => q().startAt('Shelf').where('";
  const place = { code, line: 1, column: code.length + 1 };
  const answers = await Promise.all(
    [pair.scene.people.workspace.server.url, pair.replica.address].map(async (baseUrl) => {
      using editor = new TrellisClient({ baseUrl, token: pair.admin }).build.openEditor();
      return [
        await editor.completions(place),
        await editor.hover({ ...place, column: code.indexOf('startAt') + 1 }),
        await editor.signatureHelp(place),
        await editor.diagnostics({ code, isReadOnly: true }),
      ];
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[1]).toMatchObject([
    { items: expect.arrayContaining([expect.objectContaining({ label: 'Floor' })]) },
    { contents: expect.stringContaining('Query<ShelfNode>') },
    { activeParameter: 0 },
    { diagnostics: [{ line: 1 }] },
  ]);
});
