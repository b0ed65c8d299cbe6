import S3rver from 's3rver';
import { conditionalWrites } from './s3-conditions.ts';
import { temporaryFolder } from './trellis-process.ts';

/** What a server is started with to keep its backups there. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** How much later it is by the clock of the store. */
  aheadMs: number;
  /** Looks at each request first, and may wait. What it wants lost is done, but not answered. */
  onRequest: (request: S3RequestSeen) => Promise<S3Todo> | S3Todo;
}

export type S3Todo = 'answer' | 'lose-answer' | 'not-implemented';

export interface S3RequestSeen {
  readonly method: string;
  /** Without the bucket. */
  readonly key: string;
  readonly isConditional: boolean;
}

export const S3_BUCKET = 'workspaces';
/** Known to the server from the start. */
const KEY = 'S3RVER';

/**
 * A store of objects that speaks S3, in this process. It checks no signatures of version 4, and
 * cannot cut a listing.
 */
export async function startS3Server(
  prefix: string,
  { isConditional: isModern = true }: { readonly isConditional?: boolean } = {},
): Promise<S3Server> {
  const folder = await temporaryFolder();
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: S3_BUCKET }],
  });
  if (isModern) server.middleware.unshift(conditionalWrites(server.store));
  const writtenAheadMs = new Map<string, number>();
  server.middleware.unshift(async (context, next) => {
    const { method, path, headers, req, res } = context;
    const isConditional = 'if-match' in headers || 'if-none-match' in headers;
    const key = path.replace(`/${S3_BUCKET}/`, '');
    const todo = await opened.onRequest({ method, key, isConditional });
    if (todo === 'not-implemented') {
      req.resume();
      context.status = 501;
      context.body = '<Error><Code>NotImplemented</Code></Error>';
      return;
    }
    if (method === 'PUT') writtenAheadMs.set(path, opened.aheadMs);
    await next();
    context.set('date', new Date(Date.now() + opened.aheadMs).toUTCString());
    const modifiedAt = Date.parse(String(res.getHeader('last-modified')));
    if (!Number.isNaN(modifiedAt)) {
      const toldAt = new Date(modifiedAt + (writtenAheadMs.get(path) ?? 0));
      context.set('last-modified', toldAt.toUTCString());
    }
    if (todo === 'answer') return;
    context.respond = false;
    req.socket.destroy();
  });
  const { port } = await server.run();
  const url = `http://127.0.0.1:${port}`;
  const opened: S3Server = {
    url,
    aheadMs: 0,
    onRequest: () => 'answer',
    env: {
      MSK_GRAPH_BACKUP_FOLDER: `s3://${S3_BUCKET}/${prefix}`,
      MSK_GRAPH_BACKUP_S3_ENDPOINT: url,
      MSK_GRAPH_BACKUP_S3_ACCESS_KEY: KEY,
      MSK_GRAPH_BACKUP_S3_SECRET_KEY: KEY,
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
  return opened;
}
