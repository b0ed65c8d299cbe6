import * as webhook from '../../shapes/webhook.ts';
import { texts } from './property-texts.ts';

const WEBHOOK_SETTINGS = {
  name: 'What people call it.',
  url: 'Where deliveries are sent by POST; its origin is in the setting `fetchAllowList` of the workspace.',
  types:
    'Node types whose nodes are told of. With neither `types` nor `edges` all changes are told; with one of them, only what it names.',
  edges: 'Edge types whose edges are told of.',
  actions: 'What has to happen to a node or an edge; anything if it is null.',
  asUser:
    'UID of a user: only what this user may see when it is sent is told. Null tells everything.',
  payload: '`full` (the default) tells nodes and fields of edges as well, `ids` only which.',
} as const;
const WEBHOOK = {
  id: 'Id of the webhook.',
  enabled: 'Whether deliveries are sent.',
  state:
    '`retrying` after an attempt that failed; `paused` once the server has given up, and `enabled` lets it go on.',
  reason: 'Why it is paused, or why the last attempt failed; null if neither.',
  position: 'Sequence up to which every change is delivered.',
  attempts: 'How often the delivery that it is at was sent and failed.',
  nextAttemptAt: 'When it is sent again (ISO 8601, UTC); null if nothing waits.',
  lastDeliveredAt: 'When a delivery arrived last (ISO 8601, UTC); null if it is not known.',
  missed: [
    'Changes that were not delivered, because the log was not kept long enough; null if there are none.',
    {
      from: 'First sequence that the log lacked.',
      to: 'Last sequence that the log lacked.',
      at: 'When that was found (ISO 8601, UTC).',
    },
  ],
  createdAt: 'When it was made (ISO 8601, UTC).',
  createdBy: 'UID of the administrator who made it; null for a token that acts as nobody.',
} as const;

const WEBHOOK_NODE = {
  uid: 'UID of the node.',
  type: 'Type of the node.',
  key: 'Key of the node; null if it has none, or the user of the webhook may not read it.',
} as const;

/** Addresses that are told what changes. */
export const webhookTexts = [
  ...texts(webhook.webhookChange, {
    ...WEBHOOK_SETTINGS,
    enabled: 'Whether deliveries are sent, as they are by default. One that is not sent waits.',
  }),
  ...texts(webhook.webhookInPath, { id: 'Id of the webhook.' }),
  ...texts(webhook.webhook, {
    ...WEBHOOK,
    ...WEBHOOK_SETTINGS,
  }),
  ...texts(webhook.webhookWithSecret, {
    ...WEBHOOK,
    ...WEBHOOK_SETTINGS,
    secret: 'The key that signs deliveries: `whsec_` and base64. It is not shown again.',
  }),
  ...texts(webhook.webhookDelivery, {
    id: 'What the header `webhook-id` says; the same whenever it is sent.',
    type: 'What the body says as `type`.',
    sequence: 'Last sequence of the commit; of a test, the newest sequence.',
    part: 'Number of the part, from 1, of a commit with many changes.',
    changes: 'How many changes its body tells of.',
    status:
      '`delivered` after an answer from 200 to 299, `retrying` while it will be sent again, `failed` if it will not.',
    attempts: 'How often it was sent.',
    firstAttemptAt: 'When it was sent first (ISO 8601, UTC).',
    lastAttemptAt: 'When it was sent last (ISO 8601, UTC).',
    durationMs: 'How long the last answer took, in milliseconds.',
    response: [
      'What the receiver answered last; null if it did not.',
      { status: 'Status of the answer.', body: 'How its body begins.' },
    ],
    error: 'Why the last attempt failed; null if it did not.',
  }),
  ...texts(webhook.webhookNode, WEBHOOK_NODE),
  ...texts(webhook.webhookNodeChange, {
    ...WEBHOOK_NODE,
    action: 'What has happened to the node.',
    node: 'The node as it is after the commit, where `payload` is `full`; not of a deleted one.',
    isCut: 'That there is too much in it to be sent: read the node.',
  }),
  ...texts(webhook.webhookEdgeChange, {
    action: 'What has happened to the edge; a change of its fields is `linked`.',
    edge: 'Type of the edge.',
    from: 'Where the edge begins.',
    to: 'Where the edge ends.',
    timestamp: 'When the edge was made (ISO 8601, UTC), where `payload` is `full`.',
    fields: 'The fields of the edge by name, where `payload` is `full`.',
    isCut: 'That there is too much in its fields to be sent.',
  }),
  ...texts(webhook.webhookMessage, {
    type: '`graph.changed`, or `webhook.test` of a test.',
    sequence: 'Last sequence of the commit; of a test, the newest sequence.',
    time: 'When it was committed (ISO 8601, UTC).',
    part: 'Number of the part, from 1, where a commit has many changes; otherwise left out.',
    isLast: 'Whether this is the last part of its commit; left out where there is one part.',
    changes: 'The changes, nodes before edges; none of a test.',
  }),
  ...texts(webhook.webhookReplay, {
    fromSequence: 'First sequence to deliver again; the whole commit that has it is.',
  }),
];
