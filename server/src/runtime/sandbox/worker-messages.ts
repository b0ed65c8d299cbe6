/** What a worker is started with. */
export interface WorkerSetup {
  readonly storage: string;
  /**
   * Of an encrypted graph. The thread needs it to read: so an escape from a guest's realm could
   * read it too.
   */
  readonly environmentKey: string | undefined;
  readonly progress: SharedArrayBuffer;
  /** See `state-gate.ts`; undefined when there is a state. */
  readonly gate: SharedArrayBuffer | undefined;
}

/**
 * Items of frames from the main thread to a worker, after the length of the payload.
 *
 * `load`: guest number, file name, whether it is read-only; payload: the script.
 * `unload`: guest number. Its running calls go on to their end.
 * `caller`: number of a caller; payload: JSON. `forget-callers`: all of them.
 * `call`: call, guest number, number of the caller, length of the headers; payload: headers as
 * JSON, then the body.
 * `settle`: call, request, whether it is a value, the sequence that later reads must reflect;
 * payload: JSON of the value or problem.
 * `abort`: call: the caller has gone.
 * `drop`: call: it is over for the main thread; what it still asks for is ignored.
 */
export type ToWorker =
  | readonly [number, 'load', guest: number, fileName: string, isReadOnly: boolean]
  | readonly [number, 'unload', guest: number]
  | readonly [number, 'caller', caller: number]
  | readonly [number, 'forget-callers']
  | CallItem
  | SettleItem
  | readonly [number, 'abort', call: number]
  | readonly [number, 'drop', call: number];

export type CallItem = readonly [
  number,
  'call',
  call: number,
  guest: number,
  caller: number,
  headersLength: number,
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
 * `ready`: everything is loaded and locked.
 * `ask`: call, request, operation; payload: JSON of its arguments.
 * `log`: call, level; payload: JSON `{message, data}`. `progress`: call; payload: JSON `{fraction, text}`.
 * `answer`: call, status; payload: JSON. `refusal`: call, status; payload: the message. `redirect`:
 * call, status; payload: the URL.
 * `invalid`: call; payload: JSON `[{path, message}]`, what is wrong with the body.
 * `failure`: call; payload: JSON `{message, stack, code?}`. `malformed`: call; payload: what is
 * wrong with the body.
 * `defect`: a fault of the worker's own code; payload: its stack.
 */
export type FromWorkerKind =
  | 'ready'
  | 'ask'
  | 'log'
  | 'progress'
  | 'answer'
  | 'refusal'
  | 'redirect'
  | 'invalid'
  | 'failure'
  | 'malformed'
  | 'defect';
