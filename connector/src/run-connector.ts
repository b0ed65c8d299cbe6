import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ConnectorClient } from './connector-client.ts';
import { ConnectorError } from './connector-error.ts';
import { ConnectorRun, type RowCounts } from './connector-run.ts';
import { ConnectorState } from './connector-state.ts';
import { PLAIN_TEXTS, SealedTexts } from './state-texts.ts';
import {
  type ChangedRow,
  type CommitCounts,
  type RejectedRow,
  RowCommitter,
} from './row-committer.ts';

export interface ConnectorOptions {
  /** With a token of kind `connector`, or another with the scope `ingestion`. */
  readonly client: ConnectorClient;
  /** Name of the connector and its source: a state of another name is refused. */
  readonly name: string;
  /** Put at the start of each run. */
  readonly schema: SchemaDocument;
  /** The file of the connector's memory; `:memory:` forgets. */
  readonly state: string;
  /** Seals ids and keys in that file; the same one in every run. */
  readonly stateSecret?: string | undefined;
  /** Version of how rows become operations: with another one every row is sent again. */
  readonly version?: number | undefined;
  /** A commit is sent once it has this many, at most 10,000. */
  readonly batchOperations?: number | undefined;
  /** Reads, compares and counts, but sends nothing and remembers nothing. */
  readonly dryRun?: boolean | undefined;
  /**
   * `skip` leaves a row out that the workspace refuses, and reports it; `stop`, the default, ends
   * the run.
   */
  readonly onInvalidRow?: 'stop' | 'skip' | undefined;
  /** How much of what is known `removeUnseen` may take back, from 0 to 1; a half when not given. */
  readonly removedShareMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told after each commit. */
  readonly onCommit?: ((report: ConnectorReport) => void) | undefined;
}

export interface ConnectorReport extends Readonly<RowCounts>, Readonly<CommitCounts> {
  readonly dryRun: boolean;
  readonly rejected: number;
  /** The first 100 of these. */
  readonly rejectedRows: readonly RejectedRow[];
  /** The first 100 rows that were added, changed or removed. */
  readonly changes: readonly ChangedRow[];
}

const BATCH_OPERATIONS = 1_000;
const REMOVED_SHARE_MAX = 0.5;
const REJECTED_ROWS_TOLD = 100;
const CHANGES_TOLD = 100;

/**
 * One run of a connector: puts the schema, lets `read` tell what the source says, and commits that.
 * Rejects with what `read` or the workspace throws, or a `ConnectorError`; what was committed
 * stays, and the next run goes on from the last checkpoint.
 */
export async function runConnector<Cursor>(
  options: ConnectorOptions,
  read: (run: ConnectorRun<Cursor>) => Promise<void>,
): Promise<ConnectorReport> {
  const { client, schema, signal, dryRun = false } = options;
  const { stateSecret } = options;
  const texts = stateSecret === undefined ? PLAIN_TEXTS : new SealedTexts(stateSecret);
  using state = ConnectorState.open(options.state, texts);
  // Nothing of a dry run is kept: the state is closed with this change open.
  if (dryRun) state.begin();
  checkName(state, options);
  if (!dryRun) await client.schema.put(schema, { signal });
  forgetWhatIsStale(state, options);
  return await runOnce(options, state, read);
}

async function runOnce<Cursor>(
  options: ConnectorOptions,
  state: ConnectorState,
  read: (run: ConnectorRun<Cursor>) => Promise<void>,
): Promise<ConnectorReport> {
  const { client, signal, dryRun = false, batchOperations = BATCH_OPERATIONS } = options;
  const number = (state.get<number>('run') ?? 0) + 1;
  state.set('run', number);
  const rejectedRows: RejectedRow[] = [];
  let rejected = 0;
  const reject = (row: RejectedRow) => {
    rejected++;
    if (rejectedRows.length < REJECTED_ROWS_TOLD) rejectedRows.push(row);
  };
  const changes: ChangedRow[] = [];
  const onChanged = (row: ChangedRow): void => {
    if (changes.length < CHANGES_TOLD) changes.push(row);
  };
  const onRejected = options.onInvalidRow === 'skip' ? reject : undefined;
  const committer = new RowCommitter({
    client,
    state,
    run: number,
    dryRun,
    signal,
    onRejected,
    onChanged,
  });
  const run = new ConnectorRun<Cursor>({
    state,
    committer,
    run: number,
    batchOperations,
    removedShareMax: options.removedShareMax ?? REMOVED_SHARE_MAX,
    signal,
    onCommit: () => options.onCommit?.(report()),
  });
  const report = (): ConnectorReport => {
    return { dryRun, ...run.counts, ...committer.counts, rejected, rejectedRows, changes };
  };
  try {
    await read(run);
    await run.commit();
    state.forgetUnusedReaders();
  } finally {
    await run.settle();
  }
  return report();
}

function checkName(state: ConnectorState, { name, state: path }: ConnectorOptions): void {
  const known = state.get<string>('name');
  if (known === undefined) return state.set('name', name);
  if (known === name) return;
  throw new ConnectorError('state_mismatch', `${path} is the state of ${known}, not of ${name}`);
}

/**
 * A row that is the same in the source is not sent again, so the state must be about this
 * workspace. It is not when the address is another, nor when the workspace is older than the last
 * commit of the connector, as after a restore.
 */
function forgetWhatIsStale(state: ConnectorState, options: ConnectorOptions): void {
  const { client, version = 1, dryRun = false } = options;
  const workspace = client.baseUrl.href;
  const isOlder = !dryRun && client.lastWriteSequence < (state.get<number>('sequence') ?? 0);
  const isSame = state.get('version') === version && state.get('workspace') === workspace;
  if (isSame && !isOlder) return;
  state.begin();
  state.set('version', version);
  state.set('workspace', workspace);
  state.set('sequence', undefined);
  state.set('cursor', undefined);
  state.forgetHashes();
  state.keep();
}
