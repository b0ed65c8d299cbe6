import type { RuntimeLogger } from '../runtime-logger.ts';

export interface EndpointPoolOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** Of an encrypted graph; a promise as long as there is no state. */
  readonly environmentKey: string | undefined | Promise<string | undefined>;
  /** Workers that are there to be used; others may take the place of stalled ones. */
  readonly size: number;
  readonly logger: RuntimeLogger;
}
