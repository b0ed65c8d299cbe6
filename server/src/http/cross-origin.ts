import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { CACHE, CHAT, REQUEST_ID, RUN_KEY, RUN_PROGRESS, SEQUENCE } from './header-names.ts';

/**
 * Lets the pages of the origins in `MSK_CORS` call this server (specification, section 2.9). Tokens
 * travel in a header and not in cookies, so credentials stay off; whatever headers a listed origin
 * asks to send, it may.
 */
export async function allowCrossOrigin(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      SEQUENCE,
      REQUEST_ID,
      RUN_KEY,
      RUN_PROGRESS,
      CACHE,
      CHAT,
      'accept-ranges',
      'age',
      'content-disposition',
      'content-range',
      'etag',
      'location',
      'retry-after',
      'mcp-session-id',
    ],
    maxAge: 600,
    // An OPTIONS request that is no preflight is answered like one, not with a body of the plugin's
    // own.
    strictPreflight: false,
  });
}
