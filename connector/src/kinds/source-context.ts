import type { NodeFiles } from '../node-files.ts';
import type { ConnectorOptions, ConnectorReport } from '../run-connector.ts';
import type { DiskPlace } from './disk-files.ts';

/** Where the rows of a kind go: ready for `runConnector`, but for name and schema. */
export type KindTarget = Omit<ConnectorOptions, 'schema' | 'name'>;

/** What a kind of connector is given beside its settings. */
export interface SourceContext {
  /** `fetch`, or one that reaches only what an administrator has allowed. */
  readonly fetch: SourceFetch;
  /** Password or token at the source. */
  readonly secret: string | undefined;
  readonly files: NodeFiles;
  /** What may be read of the disk: nothing where it is not given. */
  readonly disk?: DiskPlace | undefined;
  /** Tells people what they should know of the run. */
  readonly log: (text: string) => void;
  readonly signal: AbortSignal | undefined;
  /** Reads everything, wherever the last run has come to. */
  readonly isFull: boolean;
  readonly nowMs: () => number;
}

export type SourceFetch = (
  address: string,
  options: Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>,
) => Promise<Response>;

/** A kind of source, with its settings as the contract has them. */
export interface ConnectorKind<Source> {
  /** Reaches the source, and says what it has found; rejects as `run` does. */
  test(source: Source, context: SourceContext): Promise<string>;
  run(source: Source, target: KindTarget, context: SourceContext): Promise<ConnectorReport>;
}
