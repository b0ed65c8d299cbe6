import { operations } from '@trellis/contract/operations/schema.ts';
import { disconnectSignal } from '../live-answers.ts';
import { answer, readInput, type Route, routesOf, sendJson } from '../route.ts';

/** A change is checked against all code, which ends when the client leaves. */
function schemaChangeRoute(operation: typeof operations.changeSchema): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const { caller, address, body } = readInput(operation, request);
      const call = { caller, address, signal: disconnectSignal(reply) };
      return sendJson(reply, services, await services.schemaChanges.change(call, body));
    },
  };
}

export const schemaRoutes = routesOf(operations, {
  getSchema: async ({ caller }, { schema }) => answer(200, await schema.get(caller)),
  deleteSchemaIndex: async ({ caller, body }, { schema }) => {
    await schema.removeIndex(caller, body);
    return answer(204);
  },
  putSchema: async ({ caller, body }, { schema }) => answer(200, await schema.put(caller, body)),
  deleteSchemaAlias: async ({ caller, body, address }, { schemaChanges }) => {
    await schemaChanges.removeAlias({ caller, address }, body);
    return answer(204);
  },
  changeSchema: schemaChangeRoute(operations.changeSchema),
  listSchemaChanges: async ({ caller, query }, { schemaChanges }) =>
    answer(200, await schemaChanges.list(caller, query)),
  undoSchemaChange: async ({ caller, params, address }, { schemaChanges }) =>
    answer(200, await schemaChanges.undo({ caller, address }, params.id)),
});
