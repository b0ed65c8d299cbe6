import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  WEBHOOK_FILTER_MAX,
  WEBHOOK_NAME_CHARACTERS_MAX,
  WEBHOOK_URL_CHARACTERS_MAX,
} from '../limits.ts';
import { nodeObject } from './node.ts';

/** What happens to a node, and to an edge. */
export const webhookAction = z.enum(['created', 'updated', 'deleted', 'linked', 'unlinked']);
export type WebhookAction = z.infer<typeof webhookAction>;

const typeNames = z.array(z.string().min(1).max(200)).min(1).max(WEBHOOK_FILTER_MAX);

/** Null, or left out, is no filter. */
const filters = {
  types: typeNames.nullable(),
  edges: typeNames.nullable(),
  actions: z.array(webhookAction).min(1).max(webhookAction.options.length).nullable(),
};

const own = {
  name: z.string().trim().min(1).max(WEBHOOK_NAME_CHARACTERS_MAX),
  url: z.url().max(WEBHOOK_URL_CHARACTERS_MAX),
};

const payload = z.enum(['full', 'ids']);
/** UID of a user. */
const asUser = z.string().min(1).max(100).nullable();

/** The body of `POST` and `PUT` (open-shapes, section 11); a `PUT` replaces all of it. */
export const webhookChange = z.strictObject({
  ...own,
  types: filters.types.optional(),
  edges: filters.edges.optional(),
  actions: filters.actions.optional(),
  asUser: asUser.optional(),
  payload: payload.optional(),
  enabled: z.boolean().optional(),
});
export type WebhookChange = Immutable<z.infer<typeof webhookChange>>;

const settings = { ...own, ...filters, asUser, payload, enabled: z.boolean() };

/** All of it, with what was left out. */
export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  readonly types: readonly string[] | null;
  readonly edges: readonly string[] | null;
  readonly actions: readonly WebhookAction[] | null;
  readonly asUser: string | null;
  readonly payload: 'full' | 'ids';
  readonly enabled: boolean;
}

const webhookId = z.string().min(1).max(100);

export const webhookInPath = z.object({ id: webhookId });

/** A webhook as it is listed: never its secret. Times are ISO 8601 UTC. */
export const webhook = z.strictObject({
  id: webhookId,
  ...settings,
  state: z.enum(['active', 'retrying', 'paused', 'disabled']),
  reason: z.string().nullable(),
  position: z.int(),
  attempts: z.int(),
  nextAttemptAt: z.iso.datetime().nullable(),
  lastDeliveredAt: z.iso.datetime().nullable(),
  missed: z.strictObject({ from: z.int(), to: z.int(), at: z.iso.datetime() }).nullable(),
  createdAt: z.iso.datetime(),
  createdBy: z.string().nullable(),
});
export type Webhook = Immutable<z.infer<typeof webhook>>;

export const webhookWithSecret = webhook.extend({ secret: z.string() });
export type WebhookWithSecret = Immutable<z.infer<typeof webhookWithSecret>>;

export const webhookDelivery = z.strictObject({
  id: z.string(),
  type: z.enum(['graph.changed', 'webhook.test']),
  sequence: z.int(),
  part: z.int(),
  changes: z.int(),
  status: z.enum(['delivered', 'retrying', 'failed']),
  attempts: z.int(),
  firstAttemptAt: z.iso.datetime(),
  lastAttemptAt: z.iso.datetime(),
  durationMs: z.int(),
  response: z.strictObject({ status: z.int(), body: z.string() }).nullable(),
  error: z.string().nullable(),
});
export type WebhookDelivery = Immutable<z.infer<typeof webhookDelivery>>;

/** A node, as deliveries name it. */
export const webhookNode = z.strictObject({
  uid: z.string(),
  type: z.string(),
  key: z.string().nullable(),
});

export const webhookNodeChange = z.strictObject({
  action: webhookAction.extract(['created', 'updated', 'deleted']),
  ...webhookNode.shape,
  node: nodeObject.optional(),
  isCut: z.literal(true).optional(),
});

export const webhookEdgeChange = z.strictObject({
  action: webhookAction.extract(['linked', 'unlinked']),
  edge: z.string(),
  from: webhookNode,
  to: webhookNode,
  timestamp: z.iso.datetime().optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
  isCut: z.literal(true).optional(),
});

/** What a delivery brings: all changes of a commit, or a part of many. */
export const webhookMessage = z.strictObject({
  type: webhookDelivery.shape.type,
  sequence: z.int(),
  time: z.iso.datetime(),
  part: z.int().optional(),
  isLast: z.boolean().optional(),
  changes: z.array(z.union([webhookNodeChange, webhookEdgeChange])),
});
export type WebhookMessage = Immutable<z.infer<typeof webhookMessage>>;

export const webhookReplay = z.strictObject({ fromSequence: z.int().min(1) });
