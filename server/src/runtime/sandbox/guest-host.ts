import type { Script } from 'node:vm';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_RESULT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { TRACE_TELL_MS } from '#base/trace-limits.ts';
import { IdMap } from './id-map.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { Snapshots } from '#graph/transactions/snapshots.ts';
import { type CallLine, CallLines } from './call-lines.ts';
import { CallTransactions, type CallStart, type HostedCall } from './call-transactions.ts';
import { READ_OPERATIONS } from './graph-requests.ts';
import { type GuestRead, GuestReads } from './guest-reads.ts';
import { type FrameItem, FrameWriter, readFrame } from './frame.ts';
import { CompiledScript } from './compiled-script.ts';
import type { LoadableScript } from './endpoint-call.ts';
import { Guest, type ImportingScript, type LazyScript } from './guest.ts';
import type { HeapKeeper } from './garbage-collector.ts';
import { type Progress, ProgressThrottle } from './progress.ts';
import { UserTexts } from './user-texts.ts';
import type { NoteWriter } from './worker-note.ts';
import type {
  CallItem,
  FoundItem,
  FromWorkerKind,
  LoadedScripts,
  SettleItem,
  SharedModule,
  ToWorker,
} from './worker-messages.ts';

/**
 * So many microtasks a guest may take from one request to the next before the event loop gets its
 * turn.
 */
const QUIET_HOPS_MAX = 8;
/** So long one guest may go on with reads before the event loop gets its turn. */
const TURN_BUDGET_MS = 5;
const HOPS_BETWEEN_CLOCKS = 64;
const LATE_RETRY_MS = 1;

export interface GuestHostOptions {
  readonly reader: StateReader;
  readonly snapshots: Snapshots;
  readonly boot: Script;
  readonly zod: LazyScript;
  readonly progress: Progress;
  /** For whoever asks when the process has died, or does not come back. */
  readonly note: NoteWriter;
  readonly heap: HeapKeeper;
  readonly send: (frame: string) => void;
}

/**
 * The host's side in a worker. A frame of the main thread says what is to be done; each guest that
 * it concerns is entered, and then its requests are fetched and its reads answered between its own
 * microtasks: fifty reads in a row cost no message and no turn of the event loop. Results, and what
 * only the main thread does (writes, other endpoints, logs), leave as one frame.
 */
export class GuestHost {
  readonly #options: GuestHostOptions;
  readonly #users: UserTexts;
  readonly #transactions: CallTransactions;
  readonly #reads: GuestReads;
  readonly #remarks = new ProgressThrottle((call, payload) => {
    this.#push('progress', `,${call}`, payload);
    if (!this.#isServing) this.#flush();
  });
  readonly #outbox = new FrameWriter();
  readonly #guests = new Map<number, Guest>();
  /** Those that guests share, by their numbers. */
  readonly #scripts = new Map<number, CompiledScript>();
  readonly #guestOfCall = new IdMap<Guest>();
  readonly #callers = new Map<number, Caller>();
  readonly #lines = new CallLines();
  /** By call: the request for `graph.commit()` that is under way. */
  readonly #commits = new Map<number, number>();
  /** To be entered. */
  readonly #touched = new Set<Guest>();
  /** To be entered once more: its code may have gone on after the host stopped looking. */
  readonly #unfinished = new Set<Guest>();
  #isServing = false;
  /** While there are calls. */
  #tellsTraces = false;
  /** Calls that are traced. */
  #traced = 0;
  /** That the state had reached when the newest frame came. */
  #sequence = -1;

  constructor(options: GuestHostOptions) {
    this.#options = options;
    const { reader, snapshots } = options;
    this.#users = new UserTexts(reader);
    this.#transactions = new CallTransactions(reader, snapshots);
    this.#reads = new GuestReads({
      transactions: this.#transactions,
      onRead: (call, read) => options.note.read(call, read),
      onScan: (call, scan) => this.#push('scan', `,${call}`, JSON.stringify(scan)),
      find: (call, request, wanted) => this.#push('ask', `,${call},${request},"find"`, wanted),
      onNotInLine: (call) => this.#push('left', `,${call},true`, ''),
      onDefect: (error) => this.#reportDefect(error),
      onInternal: (call, problem) => this.#push('internal', `,${call}`, JSON.stringify(problem)),
    });
  }

  /** Says that the worker can be called. */
  announce(): void {
    this.#push('ready', '', '');
    this.#flush();
  }

  receive(frame: string): void {
    this.#options.progress.receive();
    this.#sequence = this.#refresh();
    readFrame(frame, (item, payload) => this.#accept(item as ToWorker, payload));
    this.#pump();
  }

  #accept(item: ToWorker, payload: string): void {
    switch (item[1]) {
      case 'load': {
        const [, , number, isReadOnly] = item;
        const { boot, zod } = this.#options;
        const { script, modules } = JSON.parse(payload) as LoadedScripts;
        const scripts = {
          script: this.#importing(script),
          modules: modules.map((module) => this.#importing(module)),
        };
        this.#guests.set(number, new Guest({ number, boot, zod, isReadOnly, ...scripts }));
        return;
      }
      case 'script':
        this.#scripts.set(item[2], new CompiledScript(JSON.parse(payload) as LoadableScript));
        return;
      case 'forget-script':
        this.#scripts.delete(item[2]);
        return;
      case 'unload':
        this.#guests.delete(item[2]);
        return;
      case 'caller':
        this.#callers.set(item[2], JSON.parse(payload) as Caller);
        return;
      case 'forget-callers':
        this.#callers.clear();
        return;
      case 'call':
        return this.#acceptCall(item, payload);
      case 'settle':
        return this.#acceptAnswer(item, payload);
      case 'found':
        return this.#acceptFound(item, payload);
      case 'line-end':
        return this.#lines.end(item[2]);
      case 'abort':
        return this.#enter(item[2], (guest) => guest.abort(item[2]));
      case 'drop': {
        const [, , id] = item;
        const hosted = this.#guestOfCall.get(id)?.calls.get(id);
        this.#enter(id, (guest) => guest.abort(id));
        this.#remarks.end(id);
        if (hosted !== undefined) this.#transactions.end(hosted, false);
        this.#forget(id);
      }
    }
  }

  /** What is not shared is compiled when its guest is entered: it is its guest's time. */
  #importing(script: LoadableScript | SharedModule): ImportingScript {
    const { imports } = script;
    if (!('shared' in script)) return { compiled: () => new CompiledScript(script), imports };
    const shared = must(this.#scripts.get(script.shared), 'a script that is sent before its guest');
    return { compiled: () => shared, imports };
  }

  #acceptCall(item: CallItem, payload: string): void {
    const [, , id, number, callerNumber, headersLength, writes, parent, nowMs, isTraced] = item;
    const isWatched = item[10];
    const line = item[11];
    const guest = must(this.#guests.get(number), 'a guest that is loaded before it is called');
    const caller = must(this.#callers.get(callerNumber), 'a caller that is sent before its calls');
    const headers = payload.slice(0, headersLength);
    const body = payload.slice(headersLength);
    this.#guestOfCall.set(id, guest);
    const start = { caller, writes, parent, nowMs, isTraced, isWatched };
    const begin = (own?: CallLine): void =>
      this.#enter(id, () => this.#begin(guest, id, { ...start, line: own }, [body, headers]));
    if (line === 0) begin();
    else this.#lines.enter(line, id, begin);
  }

  #begin(guest: Guest, id: number, start: CallStart, [body, headers]: [string, string]): void {
    // It was dropped before it began.
    if (this.#guestOfCall.get(id) !== guest) return;
    if (start.line?.snapshot?.hasChangedAccess === true) {
      this.#push('left', `,${id},false`, '');
      return;
    }
    const call = this.#transactions.begin(id, start);
    if (call === undefined) {
      this.#guestOfCall.delete(id);
      this.#push('failure', `,${id}`, PARENT_ENDED);
      return;
    }
    guest.calls.set(id, call);
    if (!this.#tellsTraces) this.#tellTracesSoon();
    if (start.isTraced) this.#traced++;
    guest.start(id, body, headers, this.#users.textOf(start.caller.userUid, this.#sequence));
  }

  #acceptAnswer(item: SettleItem, payload: string): void {
    const [, , call, request, isValue, sequence] = item;
    if (this.#options.reader.sequence < sequence && this.#refresh() < sequence) {
      setTimeout(() => {
        this.#acceptAnswer(item, payload);
        this.#pump();
      }, LATE_RETRY_MS);
      return;
    }
    this.#enter(call, (guest) => {
      if (request < 0) {
        this.#reads.settleFind(guest, { call, request, isValue, payload });
        return;
      }
      const hosted = guest.calls.get(call);
      if (hosted !== undefined && this.#commits.get(call) === request) {
        this.#commits.delete(call);
        this.#transactions.committed(hosted);
      }
      guest.settle(request, isValue, payload);
    });
  }

  #acceptFound([, , call, request, asUser, sequence]: FoundItem, json: string): void {
    this.#enter(call, (guest) => {
      const hosted = guest.calls.get(call);
      if (hosted !== undefined)
        this.#reads.found(guest, hosted, { request, asUser, sequence, json });
    });
  }

  /**
   * Several frames may come in one turn, and calls of the first may have read by then: they go on
   * with the commit that they have read.
   */
  #refresh(): number {
    this.#transactions.holdTurn();
    return this.#options.reader.refresh();
  }

  #enter(call: number, action: (guest: Guest) => void): void {
    const guest = this.#guestOfCall.get(call);
    if (guest === undefined) return;
    guest.plan(() => action(guest));
    this.#touched.add(guest);
  }

  /**
   * Serves one guest in each turn of the event loop: so all microtasks between two turns are those
   * of the guest that is entered, and when they never end, everybody can see whose they are.
   */
  #pump(): void {
    const [guest] = this.#touched;
    if (guest === undefined || this.#isServing) return;
    this.#touched.delete(guest);
    this.#isServing = true;
    void this.#serve(guest)
      .catch((error: unknown) => {
        this.#reportDefect(error);
        this.#endAll(guest, DEFECT);
      })
      .then(() => {
        if (this.#traced > 0) for (const { trace } of guest.calls.values()) trace.pause();
        this.#transactions.holdTurn();
        this.#flush();
        setImmediate(() => this.#leave());
      });
  }

  #leave(): void {
    const { progress, heap, note } = this.#options;
    note.guest(0);
    progress.leave();
    heap.look();
    for (const guest of this.#unfinished) this.#touched.add(guest);
    this.#unfinished.clear();
    this.#isServing = false;
    this.#pump();
  }

  /**
   * Enters a guest and stays with it until it has nothing more to ask that can be answered here.
   */
  async #serve(guest: Guest): Promise<void> {
    const { progress, note } = this.#options;
    progress.enter(guest.number);
    note.guest(guest.number);
    if (this.#traced > 0) for (const { trace } of guest.calls.values()) trace.resume();
    let isMoving = guest.hasPlans;
    this.#run(guest);
    const until = performance.now() + TURN_BUDGET_MS;
    let quietHops = 0;
    for (let hops = 1; quietHops <= QUIET_HOPS_MAX; hops++) {
      const frame = guest.drain();
      if (frame === '') {
        quietHops++;
      } else {
        quietHops = 0;
        isMoving = true;
        readFrame(frame, (item, payload) => this.#take(guest, item, payload));
      }
      if (guest.hasPlans && performance.now() < until) {
        // The next of a line.
        this.#touched.delete(guest);
        this.#run(guest);
      }
      if (guest.calls.size === 0) return;
      if (hops % HOPS_BETWEEN_CLOCKS === 0 && performance.now() > until) break;
      progress.turn();
      // One microtask: the guest goes on.
      await undefined;
    }
    if (isMoving) this.#unfinished.add(guest);
  }

  #run(guest: Guest): void {
    guest.enter();
    if (guest.failure !== undefined) this.#endAll(guest, guest.failure);
  }

  /** One item of a guest. It speaks for its own calls only. */
  #take(guest: Guest, item: FrameItem, payload: string): void {
    const [, kind, call, third, fourth] = item;
    const hosted = typeof call === 'number' ? guest.calls.get(call) : undefined;
    if (typeof call !== 'number' || hosted === undefined) return;
    switch (kind) {
      case 'ask':
        if (typeof third !== 'number' || typeof fourth !== 'string') return;
        // The numbers below zero are the host's own, and so is what it finds.
        if (third < 0 || fourth === 'find') return;
        if (READ_OPERATIONS.has(fourth)) {
          this.#reads.answer(guest, { call: hosted, request: third, operation: fourth, payload });
        } else if (fourth === 'write' || fourth === 'commit') {
          this.#write(guest, { call: hosted, request: third, operation: fourth, payload });
        } else {
          this.#push('ask', `,${call},${third},${JSON.stringify(fourth)}`, payload);
        }
        return;
      case 'log':
        this.#push('log', `,${call},${JSON.stringify(third)}`, payload);
        return;
      case 'unlogged':
        this.#push('unlogged', `,${call},${Number(third)}`, '');
        return;
      case 'progress':
        this.#remarks.take(call, payload);
        return;
      case 'answer':
      case 'refusal':
      case 'redirect':
        this.#end(hosted, kind, Number(third), payload);
        return;
      case 'invalid':
      case 'problem':
      case 'failure':
      case 'malformed':
        this.#end(hosted, kind, undefined, payload);
    }
  }

  /** What the code writes is tried here; `graph.commit()` sends it away. */
  #write(guest: Guest, { call, request, operation, payload }: GuestRead): void {
    try {
      if (operation === 'commit') {
        const transaction = this.#transactions.commit(call);
        this.#commits.set(call.id, request);
        this.#push('ask', `,${call.id},${request},"commit"`, transaction);
        return;
      }
      const at = call.trace.begin('write');
      const outcomes = this.#transactions.write(call, payload);
      const noted = call.trace.operation('write', at);
      if (noted !== undefined) this.#options.note.read(call.id, noted);
      if (!call.hasWritten) this.#push('wrote', `,${call.id}`, '');
      call.hasWritten = true;
      guest.settle(request, true, outcomes);
    } catch (error) {
      this.#reads.refuse(guest, call.id, request, error);
    }
  }

  #end(call: HostedCall, kind: FromWorkerKind, status: number | undefined, payload: string): void {
    const { id } = call;
    this.#remarks.end(id);
    const isSmall = payload.length <= ENDPOINT_RESULT_BYTES_MAX;
    const isGood = isSmall && (kind === 'redirect' || (kind === 'answer' && Number(status) < 400));
    const { points, ranges, sequence } = this.#transactions.watchedReads(call) ?? {};
    if (points !== undefined) {
      this.#push('reads', `,${id},${sequence}`, JSON.stringify({ points, ranges }));
    }
    const transaction = this.#transactions.end(call, isGood);
    const hasFailed = kind === 'failure' || kind === 'problem' || Number(status) >= 500;
    const trace = call.trace.told(hasFailed || !isSmall || transaction === null);
    if (trace !== undefined) this.#push('trace', `,${id}`, trace);
    this.#forget(id);
    if (transaction === null) {
      this.#push('failure', `,${id}`, BUILT_ON_UNDONE);
      return;
    }
    if (transaction !== undefined) this.#push('transaction', `,${id}`, transaction);
    const rest = status === undefined ? `,${id}` : `,${id},${status}`;
    if (isSmall) this.#push(kind, rest, payload);
    else this.#push('failure', `,${id}`, RESULT_TOO_LARGE);
  }

  #tellTracesSoon(): void {
    this.#tellsTraces = true;
    setTimeout(() => this.#tellTraces(), TRACE_TELL_MS).unref();
  }

  /** Of calls that go on: a worker that is killed tells nothing. */
  #tellTraces(): void {
    const now = performance.now();
    let isBusy = false;
    for (const guest of this.#guests.values()) {
      for (const { id, trace } of guest.calls.values()) {
        isBusy = true;
        const told = trace.toldSoFar(now);
        if (told !== undefined) this.#push('trace', `,${id}`, told);
      }
    }
    this.#flush();
    this.#tellsTraces = false;
    if (isBusy) this.#tellTracesSoon();
  }

  #endAll(guest: Guest, failure: string): void {
    for (const call of guest.calls.values()) this.#end(call, 'failure', undefined, failure);
  }

  #forget(call: number): void {
    const guest = this.#guestOfCall.get(call);
    if (guest?.calls.get(call)?.trace.isFull === true) this.#traced--;
    guest?.calls.delete(call);
    this.#reads.forget(call);
    this.#commits.delete(call);
    this.#guestOfCall.delete(call);
    this.#lines.leave(call);
  }

  #reportDefect(error: unknown): void {
    this.#push('defect', '', String(error instanceof Error ? error.stack : error));
  }

  #push(kind: FromWorkerKind, rest: string, payload: string): void {
    this.#outbox.push(`"${kind}"${rest}`, payload);
  }

  #flush(): void {
    if (!this.#outbox.isEmpty) this.#options.send(this.#outbox.take());
  }
}

const DEFECT = JSON.stringify({ message: 'the server failed', stack: '' });
const RESULT_TOO_LARGE = JSON.stringify({
  message: `the result is larger than ${ENDPOINT_RESULT_BYTES_MAX} bytes`,
  stack: '',
});
const PARENT_ENDED = JSON.stringify({ message: 'the call that runs it has ended', stack: '' });
const BUILT_ON_UNDONE = JSON.stringify({
  message: 'nothing is written: it has built on what an endpoint that failed had written',
  stack: '',
});
