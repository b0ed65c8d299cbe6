import { operations } from '@trellis/contract/operations/webhooks.ts';
import { answer, routesOf } from '../route.ts';

export const webhooksRoutes = routesOf(operations, {
  listWebhooks: ({ caller, query }, { webhooks }) => answer(200, webhooks.list(caller, query)),
  createWebhook: async ({ caller, body, address }, { webhooks }) =>
    answer(201, await webhooks.create(caller, body, address)),
  getWebhook: ({ caller, params }, { webhooks }) => answer(200, webhooks.get(caller, params.id)),
  updateWebhook: async ({ caller, params, body, address }, { webhooks }) =>
    answer(200, await webhooks.update(caller, params.id, body, address)),
  deleteWebhook: async ({ caller, params, address }, { webhooks }) => {
    await webhooks.delete(caller, params.id, address);
    return answer(204);
  },
  listWebhookDeliveries: ({ caller, params, query }, { webhooks }) =>
    answer(200, webhooks.deliveries(caller, params.id, query)),
  replayWebhook: async ({ caller, params, body, address }, { webhooks }) =>
    answer(200, await webhooks.replay(caller, params.id, body.fromSequence, address)),
  testWebhook: async ({ caller, params, address }, { webhooks }) =>
    answer(200, await webhooks.test(caller, params.id, address)),
  rotateWebhookSecret: async ({ caller, params, address }, { webhooks }) =>
    answer(200, await webhooks.rotateSecret(caller, params.id, address)),
});
