import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { CACHE, CHAT, REQUEST_ID, RUN_KEY, RUN_PROGRESS, SEQUENCE } from './header-names.ts';

/**
 * The headers that let a browser do nothing with an answer but read it. They are the same on every
 * answer, so they are made once: to make them for each request (as helmet does) halves the
 * throughput of small calls.
 */
export function securityHeaders(useHsts: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    ...(useHsts ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/** The headers as lines of the head of an answer. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return lines.join('');
}

/**
 * Lets the pages of the origins in `MSK_CORS` call this server (specification, section 2.9). Tokens
 * travel in a header and not in cookies, so credentials stay off. A listed origin may send any
 * header.
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
    // Any OPTIONS request is answered like a preflight, not with a body of the plugin.
    strictPreflight: false,
  });
}
