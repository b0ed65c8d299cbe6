import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type S3rver from 's3rver';
import type { S3Context, S3Middleware } from 's3rver';

/**
 * What stores of objects have learned since the one of the tests was made: a write with
 * `If-None-Match: *` or `If-Match` is done only when that holds, one after the other for each
 * object, and nobody reads half of one.
 */
export function conditionalWrites(store: S3rver['store']): S3Middleware {
  const turns = new Map<string, Promise<void>>();
  return async (context, next) => {
    const before = turns.get(context.path);
    const turn = Promise.withResolvers<void>();
    turns.set(context.path, turn.promise);
    await before;
    try {
      if (context.method === 'PUT' && !(await holds(store, context))) {
        context.req.resume();
        context.status = 412;
        context.body = '<Error><Code>PreconditionFailed</Code></Error>';
        return;
      }
      await next();
      if (context.method === 'GET' && isStream(context.body)) {
        context.body = await buffer(context.body);
      }
    } finally {
      turn.resolve();
    }
  };
}

async function holds(store: S3rver['store'], { path, headers }: S3Context): Promise<boolean> {
  const [, bucket = '', key = ''] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
  const isThere = await store.existsObject(bucket, key);
  if (headers['if-none-match'] === '*') return !isThere;
  const wanted = headers['if-match'];
  if (wanted === undefined) return true;
  return isThere && (await store.getMetadata(bucket, key)).etag === wanted;
}

function isStream(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'pipe' in body;
}
