import { webhookMessage, type WebhookMessage } from '../shapes/webhook.ts';
import type { ShapeSchemas } from './shape-schemas.ts';

const HEADERS = {
  'webhook-id': 'Id of the delivery: the same whenever it is sent. Keep those that you have seen.',
  'webhook-timestamp': 'When it was sent, in seconds since the Unix epoch.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; one for each key, with spaces between them.',
};

/** Held against the shape by a test. */
export const webhookExample: WebhookMessage = {
  type: 'graph.changed',
  sequence: 4711,
  time: '2026-05-01T09:00:00.000Z',
  changes: [
    {
      action: 'created',
      type: 'Book',
      uid: '4kQm8RtZc2VxWn6LpYd3Hs',
      key: 'dune',
      node: {
        UID: '4kQm8RtZc2VxWn6LpYd3Hs',
        Type: 'Book',
        Timestamp: '2026-05-01T09:00:00.000Z',
        Id: 'dune',
        Title: 'Dune',
      },
    },
    {
      action: 'linked',
      edge: 'WrittenBy',
      from: { uid: '4kQm8RtZc2VxWn6LpYd3Hs', type: 'Book', key: 'dune' },
      to: { uid: '7bTn2KsXq9VzWm5LpRd4Ha', type: 'Author', key: 'Frank Herbert' },
      timestamp: '2026-05-01T09:00:00.000Z',
      fields: {},
    },
  ],
};

/** What the server sends to addresses of others: `webhooks` of OpenAPI 3.1. */
export function outgoingRequests(schemas: ShapeSchemas): Record<string, object> {
  const post = {
    operationId: 'graphChanged',
    tags: ['webhooks'],
    summary: 'Tells the address of a webhook what a commit has changed.',
    description:
      'Deliveries come in the order of the commits, at least once, and are signed as Standard Webhooks has it.',
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemas.of(webhookMessage, 'output'),
          example: webhookExample,
        },
      },
    },
    responses: {
      '2XX': { description: 'It has arrived: the next one is sent.' },
      '410': { description: 'Nothing is to be sent any more: the webhook is paused.' },
      default: { description: 'It is sent again later, for a day.' },
    },
  };
  return { graphChanged: { post } };
}
