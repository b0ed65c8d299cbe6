import { operations } from '@trellis/contract/operations/triggers.ts';
import { answer, routesOf } from '../route.ts';

export const triggersRoutes = routesOf(operations, {
  listTriggers: async ({ caller }, { triggers }) => answer(200, triggers.list(caller)),
  pauseTrigger: async ({ caller, body, address }, { triggers }) =>
    answer(200, await triggers.pause(caller, body.endpoint, address)),
  resumeTrigger: async ({ caller, body, address }, { triggers }) =>
    answer(200, await triggers.resume(caller, body.endpoint, address)),
  listSetAside: async ({ caller, query }, { triggers }) =>
    answer(200, triggers.setAside(caller, query)),
  retrySetAside: async ({ caller, params, address }, { triggers }) =>
    answer(200, await triggers.retry(caller, params.id, address)),
  deleteSetAside: async ({ caller, params, address }, { triggers }) => {
    await triggers.forget(caller, params.id, address);
    return answer(204);
  },
});
