import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';
import { HEADER_TEXT_CHARACTERS_MAX } from '../request-limits.ts';

export const operations = withIds({
  callMcp: {
    area: 'assistant',
    method: 'POST',
    path: '/api/mcp',
    auth: 'session',
    tokens: ['mcp'],
    headers: z.object({
      'mcp-session-id': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
      'mcp-protocol-version': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
    }),
    /** One message of the Model Context Protocol; the protocol says more of it. */
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: z.unknown(),
    responses: {
      200: {
        description: 'The answer to a request, or a stream of events that ends with it.',
        body: z.unknown(),
        orEvents: true,
        headers: ['Mcp-Session-Id'],
      },
      202: { description: 'A notice was taken.' },
    },
    errors: ['too_many_requests'],
    onReplica: 'serve',
    summary:
      'Speak the Model Context Protocol: tools are endpoints, resources are nodes, as the caller.',
  },
} as const satisfies Rows);
