import S3rver from 's3rver';
import { temporaryFolder } from './trellis-process.ts';

/** What a server is started with to keep its backups there. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

export const S3_BUCKET = 'workspaces';
/** Known to the server from the start. */
const KEY = 'S3RVER';

/** A store of objects that speaks S3, in this process. It checks no signatures of version 4, and cannot cut a listing. */
export async function startS3Server(prefix: string): Promise<S3Server> {
  const folder = await temporaryFolder();
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: S3_BUCKET }],
  });
  const { port } = await server.run();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
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
}
