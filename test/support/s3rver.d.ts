declare module 's3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** The part of Koa's context that tests use. */
  export interface S3Context {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    status: number;
    body: unknown;
    /** False leaves the answer to whoever has set it. */
    respond?: boolean;
    set(header: string, value: string): void;
  }

  export type S3Middleware = (context: S3Context, next: () => Promise<void>) => Promise<void>;

  /** The part that tests use. */
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    /** In the order in which they are called. */
    readonly middleware: S3Middleware[];
    readonly store: {
      existsObject(bucket: string, key: string): Promise<boolean>;
      getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    };
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
