import type { Caller } from '#access/caller.ts';
import type { CallRecording } from '../tracing/call-recording.ts';
import type { CallWrites } from './call-transactions.ts';
import type { WatchedRun } from '../watches/watched-run.ts';
import type { KeptOut, WriteLine } from '../write-line.ts';
import type { ScriptText } from './script-text.ts';

/** A script of a realm, ready to be loaded: see `compile/script.ts`. */
export interface LoadableScript extends ScriptText {
  /** How the author's file is called in stack traces. */
  readonly fileName: string;
  /** What it is called with: places in the list of the modules. */
  readonly imports: readonly number[];
  /**
   * Of a long text that several may import: the same for the same text and file name alone. A
   * worker compiles it once, and before it is needed.
   */
  readonly digest?: string | undefined;
}

/** One version of an endpoint, ready to be loaded. */
export interface LoadableEndpoint extends LinkedScript {
  readonly name: string;
  /** Another one for every version, also when an endpoint is deleted and made anew. */
  readonly version: string;
  readonly isReadOnly: boolean;
}

/** A script with everything that it imports. */
export interface LinkedScript {
  readonly script: LoadableScript;
  /** Each after what it imports itself. */
  readonly modules: readonly LoadableScript[];
  /** Where the code of packages comes from; not there without packages. Workers do not have it. */
  readonly origins?: PackageOrigins;
}

/** From places in the code of packages, as it was bundled, to the files of their authors. */
export interface PackageOrigins {
  inStack(stack: string): string;
  /** Undefined where it is not known, and for what is of no package. */
  placeOf(place: CodePlace): CodePlace | undefined;
}

/** Lines and columns begin at 1. */
export interface CodePlace {
  /** As its script is called. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Whether anybody still waits for the answer. It is looked at again and again, so that it need not
 * be listened to: an `AbortSignal` is one.
 */
export interface CallSignal {
  readonly aborted: boolean;
  /** What a call that was given up rejects with. */
  readonly reason: unknown;
}

/** What the pool is to run. */
export interface EndpointCall {
  readonly endpoint: LoadableEndpoint;
  /** As whom `asUser()` reads. */
  readonly caller: Caller;
  /** JSON text; empty for none. */
  readonly body: string;
  /** JSON text of an object. */
  readonly headers: string;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: CallSignal;
  /** The call whose code made this one. */
  readonly parent: EndpointCall | undefined;
  /** By which its worker knows it, from when it has one; the pool's own. */
  number?: number;
  /** It reads and writes in the transaction of its parent, and so where that runs. */
  readonly sharesTransaction: boolean;
  readonly host: CallHost;
  /** Told what the call has read, and those that it runs; undefined when nobody wants to know. */
  readonly watched?: WatchedRun | undefined;
  /**
   * Called once its code is at work no more, which may be after its caller has gone and been told
   * so; or when it is late and nobody knows.
   */
  readonly onEnded?: (() => void) | undefined;
}

/** What the main thread does for the code of one call, and knows of it. */
export interface CallHost {
  /**
   * Performs an operation, or rejects with the `Problem` that refuses it, with `RunAgain`, or with
   * `EndCall`. The arguments are JSON text that the guest made.
   */
  ask(operation: string, args: string): Promise<HostAnswer>;
  /** Where the call is observed: what it asks is performed within. */
  within?: (<T>(work: () => T) => T) | undefined;
  /** What becomes of it is noted here. */
  readonly recording: CallRecording;
  log(level: string, record: string): void;
  /** Names the run among those that have logged; undefined when it has not. */
  readonly logRun?: number | undefined;
  /** So many lines more it would have logged. */
  unlogged(lines: number): void;
  /** Why the call has no answer, for administrators. */
  logFailure(message: string, data: Readonly<Record<string, unknown>>): void;
  /** JSON text that the guest made. */
  progress(record: string): void;
  /** JSON text of a `QueryScan`, from a worker that may be out of its mind. */
  scanned(scan: string): void;
  /** What comes of its writes. */
  readonly writes: CallWrites;
  /** What time it is, in milliseconds since 1970. */
  readonly nowMs: number;
  /** It has written, which its transaction will have. */
  noteWrite(): void;
  /**
   * Commits what the call has written, which has ended well. `transaction` is JSON of a
   * `DraftedTransaction`, from a worker that may be out of its mind; undefined when it has written
   * nothing, and only what it has read must be durable. Rejects with the `Problem` that refuses it,
   * with `RunAgain`, or with `EndCall`.
   */
  commit(transaction: string | undefined): Promise<void>;
  /** The calls that it has its turn with; undefined when it runs by itself. */
  readonly line: WriteLine | undefined;
  /**
   * Its code begins, after that of those that have joined before. `again` is called when it has to
   * be run again: see `againFromLine`. False when it is too late for that.
   */
  joinLine(again: (keptOut: KeptOut) => void): boolean;
  /** It runs by itself from now on. */
  leaveLine(): void;
  /** It cannot go on in its line. Gives what has it run again. */
  againFromLine(keptOut: KeptOut): RunAgain | EndCall;
  /** The call has its result or its fault. */
  settled(): void;
  /** A call of which something has come is never run a second time. */
  readonly hasEffects: boolean;
  /** Nobody waits any more for what was asked so far: the call is over, or it begins again. */
  forsake(): void;
}

/** Thrown in place of a refusal: others were in the way of a call, and it may be run once more. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
  /** Resolves when it is its turn. */
  readonly turn: Promise<void>;

  constructor(turn: Promise<void>) {
    super('a call is run again');
    this.turn = turn;
  }
}

/** Thrown in place of a refusal that code must not go on after: the call ends with its reason. */
export class EndCall extends Error {
  override readonly name = 'EndCall';
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('a call is ended');
    this.reason = reason;
  }
}

export interface HostAnswer {
  readonly json: string;
  /** What the call reads afterwards must reflect this. */
  readonly sequence: number;
}

export type CallResult =
  | { readonly kind: 'answer'; readonly status: number; readonly json: string }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  /** An error body with this message is to be made. */
  | { readonly kind: 'refusal'; readonly status: number; readonly message: string }
  /** What the server refused to the code, which passes it on; JSON text that the guest made. */
  | { readonly kind: 'problem'; readonly json: string }
  /** The body is not what the endpoint's `input` takes; JSON text that the guest made. */
  | { readonly kind: 'invalid'; readonly faults: string };

/**
 * Why a call has no result. `failed`: its code threw. `malformed`: its body is not JSON. `timeout`,
 * `memory`: it used too much of either. `stopped`: its worker ended, through no fault of its own.
 * `overloaded`: too many calls were waiting.
 */
export type FaultKind = 'failed' | 'malformed' | 'timeout' | 'memory' | 'stopped' | 'overloaded';

export class CallFault extends Error {
  override readonly name = 'CallFault';
  readonly kind: FaultKind;
  /** Stack of the endpoint's code: untrusted text. */
  readonly guestStack: string;

  constructor(kind: FaultKind, message: string, guestStack = '') {
    super(message);
    this.kind = kind;
    this.guestStack = guestStack;
  }
}

/** Whoever wants to be told of each call of an endpoint. */
export interface CallObserver {
  begin(call: { readonly endpoint: string; readonly isNested: boolean }): ObservedCall;
}

export interface ObservedCall {
  /** W3C `traceparent` of its span; undefined when that is not sampled. */
  readonly traceparent: string | undefined;
  /** What the code of the endpoint asks the main thread for is done within. */
  within<T>(work: () => T): T;
  /** `fault` is a word for what went wrong; undefined when it went well. */
  end(fault: string | undefined): void;
}

/** What runs calls of endpoints, whatever it is. */
export interface Pool {
  /** Whether calls can have their turn together in it: see `WriteLine`. */
  readonly hasLines?: boolean;
  /** Starts what the first call would wait for; undefined once it is there. */
  prepare(): Promise<void> | undefined;
  run(call: EndpointCall): Promise<CallResult>;
}

/** The pool, with an observer of its calls; without one it is the pool itself. */
export function observedPool(pool: Pool, observer: CallObserver | undefined): Pool {
  if (observer === undefined) return pool;
  return {
    hasLines: pool.hasLines === true,
    prepare: () => pool.prepare(),
    run: async (call) => {
      const isNested = call.parent !== undefined;
      const observed = observer.begin({ endpoint: call.endpoint.name, isNested });
      call.host.within = (work) => observed.within(work);
      call.host.recording.traceparent = observed.traceparent;
      try {
        const result = await pool.run(call);
        observed.end(result.kind === 'answer' && result.status >= 500 ? 'answer' : undefined);
        return result;
      } catch (error) {
        observed.end(error instanceof CallFault ? error.kind : 'aborted');
        throw error;
      }
    },
  };
}
