import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  webhook,
  webhookChange,
  webhookDelivery,
  webhookInPath,
  webhookReplay,
  webhookWithSecret,
} from '../shapes/webhook.ts';

const reads = {
  area: 'webhooks',
  auth: 'admin',
  scope: 'admin:webhooks',
  onReplica: 'redirect',
} as const;
const writes = { ...reads, auth: 'admin-write' } as const;

export const operations = withIds({
  listWebhooks: {
    ...reads,
    sdk: 'webhooks.list',
    method: 'GET',
    path: '/api/webhooks',
    query: pageQuery,
    responses: { 200: { description: 'Webhooks, by name.', body: listOf(webhook) } },
    errors: [],
    summary: 'List the addresses that are told what changes, and how far each is.',
  },

  createWebhook: {
    ...writes,
    sdk: 'webhooks.create',
    method: 'POST',
    path: '/api/webhooks',
    body: webhookChange,
    responses: {
      201: {
        description: 'The webhook with its secret, which is shown this once.',
        body: webhookWithSecret,
      },
    },
    errors: ['webhook_limit_reached', 'webhook_address_not_allowed', ...STORE_ERRORS],
    summary: 'Tell an address what changes from now on.',
  },

  getWebhook: {
    ...reads,
    sdk: 'webhooks.get',
    method: 'GET',
    path: '/api/webhooks/{id}',
    params: webhookInPath,
    responses: { 200: { description: 'The webhook.', body: webhook } },
    errors: ['webhook_not_found'],
    summary: 'Get a webhook.',
  },

  updateWebhook: {
    ...writes,
    sdk: 'webhooks.update',
    method: 'PUT',
    path: '/api/webhooks/{id}',
    params: webhookInPath,
    body: webhookChange,
    responses: { 200: { description: 'The webhook as it is now.', body: webhook } },
    errors: ['webhook_not_found', 'webhook_address_not_allowed', ...CHANGE_ERRORS],
    summary:
      'Replace the settings of a webhook; with `enabled`, one that is paused goes on where it was.',
  },

  deleteWebhook: {
    ...writes,
    sdk: 'webhooks.delete',
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    params: webhookInPath,
    responses: { 204: { description: 'It is gone; nothing is sent any more.' } },
    errors: ['webhook_not_found', ...STORE_ERRORS],
    summary: 'Delete a webhook, its secret and its list of deliveries.',
  },

  listWebhookDeliveries: {
    ...reads,
    sdk: 'webhooks.deliveries',
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    params: webhookInPath,
    query: pageQuery,
    responses: {
      200: { description: 'Deliveries, the newest first.', body: listOf(webhookDelivery) },
    },
    errors: ['webhook_not_found'],
    summary: 'List the last deliveries of a webhook, with what the receiver answered.',
  },

  replayWebhook: {
    ...writes,
    sdk: 'webhooks.replay',
    method: 'POST',
    path: '/api/webhooks/{id}/replay',
    params: webhookInPath,
    body: webhookReplay,
    responses: { 200: { description: 'The webhook, which goes on from there.', body: webhook } },
    errors: ['webhook_not_found', 'webhook_log_gone', ...CHANGE_ERRORS],
    summary: 'Deliver everything again from a sequence on, in order.',
  },

  testWebhook: {
    ...writes,
    sdk: 'webhooks.test',
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    params: webhookInPath,
    responses: { 200: { description: 'What came of it.', body: webhookDelivery } },
    errors: ['webhook_not_found', 'task_interrupted', ...STORE_ERRORS],
    summary: 'Send a delivery without changes, once, and answer what the receiver said.',
  },

  rotateWebhookSecret: {
    ...writes,
    sdk: 'webhooks.rotateSecret',
    method: 'POST',
    path: '/api/webhooks/{id}/rotate',
    params: webhookInPath,
    responses: {
      200: {
        description: 'The webhook with its new secret, which is shown this once.',
        body: webhookWithSecret,
      },
    },
    errors: ['webhook_not_found', ...CHANGE_ERRORS],
    summary: 'Make a new secret; for a day the one before signs as well.',
  },
} as const satisfies Rows);
