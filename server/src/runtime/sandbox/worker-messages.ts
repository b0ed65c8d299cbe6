import type { CallWrites } from './call-transactions.ts';
import type { LoadableScript } from './endpoint-call.ts';

/**
 * Descriptors of a worker's process: from the server to its keeper and back, and to the worker; and
 * what it notes, see `worker-note.ts`.
 */
export const CONTROL_DESCRIPTOR = 3;
export const FRAMES_DESCRIPTOR = 4;
export const NOTE_DESCRIPTOR = 5;

/** What a worker is started with. What an encrypted graph is read with comes through the gate. */
export interface WorkerSetup {
  readonly storage: string;
  readonly rowMemoryBytes?: number | undefined;
  readonly progress: SharedArrayBuffer;
  /** See `state-gate.ts`. */
  readonly gate: SharedArrayBuffer;
}

/** A worker has loaded what needs no state, and waits for it; it has opened the state. */
export type WorkerStep = 'loaded' | 'opened';

/** From the server to the keeper of a worker. `state`: there is one, which the worker may open. */
export type ToKeeper =
  | { readonly setup: Pick<WorkerSetup, 'storage' | 'rowMemoryBytes'> }
  | { readonly state: { readonly environmentKey: string | undefined } }
  | 'look'
  /** A CPU profile of the worker's thread: begin it, and end it. */
  | 'begin-profile'
  | 'end-profile';

/** How far a worker is: see `progress.ts`. */
export interface WorkerReport {
  /** By the clock of its process, in milliseconds. */
  readonly at: number;
  readonly turns: number;
  readonly guest: number;
  readonly frames: number;
  readonly heapBytes: number;
}

export type FromKeeper =
  | WorkerReport
  | { readonly step: WorkerStep }
  /** JSON of the profile that has ended; the empty text once it has begun, or when it fails. */
  | { readonly profile: string }
  | { readonly ended: { readonly code?: string | undefined; readonly text: string } };

/**
 * Items of frames from the main thread to a worker, after the length of the payload.
 *
 * `script`: number of a script that guests share; payload: JSON of a `LoadableScript`, which is
 * compiled at once. `forget-script`: its number.
 * `load`: guest number, whether it is read-only; payload: JSON of a `LoadedScripts`.
 * `unload`: guest number. Its running calls go on to their end.
 * `caller`: number of a caller; payload: JSON. `forget-callers`: all of them.
 * `call`: call, guest number, number of the caller, length of the headers, what comes of its writes
 * (`CALL_WRITES`), the call that runs it in its own transaction or 0, what time it is, whether it
 * is traced, whether what it reads is told, the line that it is in or 0; payload: headers as JSON,
 * then the body. `line-end`: number of a line, of which no more calls come.
 * `settle`: call, request, whether it is a value, the sequence that the state must have reached;
 * payload: JSON of the value or problem.
 * `found`: call, request, whether it was searched as the caller, the sequence of the commit that it
 * shows; payload: JSON of a `SearchAnswer`.
 * `abort`: call: the caller has gone.
 * `drop`: call: it is over for the main thread; what it still asks for is ignored.
 */
export type ToWorker =
  | readonly [number, 'script', script: number]
  | readonly [number, 'forget-script', script: number]
  | readonly [number, 'load', guest: number, isReadOnly: boolean]
  | readonly [number, 'unload', guest: number]
  | readonly [number, 'caller', caller: number]
  | readonly [number, 'forget-callers']
  | CallItem
  | SettleItem
  | FoundItem
  | readonly [number, 'abort', call: number]
  | readonly [number, 'drop', call: number]
  | readonly [number, 'line-end', line: number];

/** The scripts of a guest. */
export interface LoadedScripts {
  readonly script: LoadableScript;
  /** Each after what it imports itself. */
  readonly modules: readonly (LoadableScript | SharedModule)[];
}

/** A module whose script was sent before, by its number. */
export interface SharedModule extends Pick<LoadableScript, 'imports'> {
  readonly shared: number;
}

export type CallItem = readonly [
  number,
  'call',
  call: number,
  guest: number,
  caller: number,
  headersLength: number,
  writes: CallWrites,
  parent: number,
  nowMs: number,
  isTraced: boolean,
  isWatched: boolean,
  line: number,
];

export type FoundItem = readonly [
  number,
  'found',
  call: number,
  request: number,
  asUser: boolean,
  sequence: number,
];

export type SettleItem = readonly [
  number,
  'settle',
  call: number,
  request: number,
  isValue: boolean,
  sequence: number,
];

/**
 * Items of frames from a worker. The main thread checks each of them: a worker may be taken over.
 *
 * `ready`: everything is loaded and locked. `ask`: call, request, operation; payload: JSON of its
 * arguments. For itself the worker asks to `find`, by a request below zero: see `FetchedFinds`.
 * `log`: call, level; payload: JSON `{message, data}`. `progress`: call; payload: JSON
 * `{fraction, text}`. `scan`: call; payload: JSON `{type, field, rowsRead}`. `unlogged`: call, how
 * many lines more it would have logged. `trace`: call; payload: JSON of a `ToldTrace`, before what
 * ends the call. `reads`: call, the sequence of the commit that it has read; payload: JSON of
 * `ReadKeys`, before what ends the call. `wrote`: call: it has written something, which its
 * transaction will have. `left`: call, whether it is because of what it does: it cannot be in its
 * line. `transaction`: call; payload: JSON of a `DraftedTransaction`, which is to
 * be committed before the answer that follows is given. `answer`: call, status; payload: JSON.
 * `refusal`: call, status; payload: the message. `redirect`: call, status; payload: the URL.
 * `problem`: call;
 * payload: JSON `{code, message, hint?, details?}`. `invalid`: call; payload: JSON `[{path,
 * message}]`, what is wrong with the body. `failure`: call; payload: JSON `{message, stack,
 * code?}`. `malformed`: call; payload: what is wrong with the body. `internal`: call; payload: JSON
 * of a problem that the code of the call is not told whole. `defect`: a fault of the worker's own
 * code; payload: its stack.
 */
export type FromWorkerKind =
  | 'ready'
  | 'ask'
  | 'log'
  | 'unlogged'
  | 'progress'
  | 'scan'
  | 'trace'
  | 'reads'
  | 'wrote'
  | 'left'
  | 'transaction'
  | 'answer'
  | 'refusal'
  | 'redirect'
  | 'problem'
  | 'invalid'
  | 'failure'
  | 'malformed'
  | 'internal'
  | 'defect';
