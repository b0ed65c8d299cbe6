import { operations } from '@trellis/contract/operations/schema.ts';
import { answer, routesOf } from '../route.ts';

export const schemaRoutes = routesOf(operations, {
  getSchema: async ({ caller }, { schema }) => answer(200, await schema.get(caller)),
  deleteSchemaIndex: async ({ caller, body }, { schema }) => {
    await schema.removeIndex(caller, body);
    return answer(204);
  },
  putSchema: async ({ caller, body }, { schema }) => answer(200, await schema.put(caller, body)),
});
