import { z } from 'zod';
import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf } from '../shapes/list.ts';
import {
  setAsideEvent,
  setAsideInPath,
  setAsideQuery,
  trigger,
  triggerName,
  triggerRetry,
} from '../shapes/trigger.ts';

const reads = {
  area: 'triggers',
  auth: 'admin',
  scope: 'admin:tasks',
  onReplica: 'redirect',
} as const;
const writes = { ...reads, auth: 'admin-write' } as const;

export const operations = withIds({
  listTriggers: {
    ...reads,
    sdk: 'triggers.list',
    method: 'GET',
    path: '/api/admin/triggers',
    responses: {
      200: { description: 'By endpoint.', body: z.strictObject({ items: z.array(trigger) }) },
    },
    errors: [],
    summary: 'List the endpoints that changes of nodes run, and how far each is.',
  },

  pauseTrigger: {
    ...writes,
    sdk: 'triggers.pause',
    method: 'POST',
    path: '/api/admin/triggers/pause',
    body: triggerName,
    responses: { 200: { description: 'The trigger, which is paused.', body: trigger } },
    errors: ['trigger_not_found', ...CHANGE_ERRORS],
    summary: 'Keep changes from running an endpoint; they wait.',
  },

  resumeTrigger: {
    ...writes,
    sdk: 'triggers.resume',
    method: 'POST',
    path: '/api/admin/triggers/resume',
    body: triggerName,
    responses: { 200: { description: 'The trigger, which goes on.', body: trigger } },
    errors: ['trigger_not_found', ...CHANGE_ERRORS],
    summary: 'Let changes run an endpoint again, from where it was paused.',
  },

  listSetAside: {
    ...reads,
    sdk: 'triggers.listSetAside',
    method: 'GET',
    path: '/api/admin/triggers/set-aside',
    query: setAsideQuery,
    responses: { 200: { description: 'Events, the newest first.', body: listOf(setAsideEvent) } },
    errors: [],
    summary:
      'List the changes for which an endpoint failed, and that the server does not try again.',
  },

  retrySetAside: {
    ...writes,
    sdk: 'triggers.retrySetAside',
    method: 'POST',
    path: '/api/admin/triggers/set-aside/{id}/retry',
    params: setAsideInPath,
    responses: { 200: { description: 'What came of it.', body: triggerRetry } },
    errors: ['trigger_event_not_found', 'trigger_not_found', 'task_interrupted', ...STORE_ERRORS],
    summary: 'Run an endpoint once more for a change that is set aside.',
  },

  deleteSetAside: {
    ...writes,
    sdk: 'triggers.deleteSetAside',
    method: 'DELETE',
    path: '/api/admin/triggers/set-aside/{id}',
    params: setAsideInPath,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['trigger_event_not_found', ...STORE_ERRORS],
    summary: 'Forget a change that is set aside.',
  },
} as const satisfies Rows);
