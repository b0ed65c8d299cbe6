import type { Script } from 'node:vm';
import { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_RESULT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { IdMap } from './id-map.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';
import type { QueryScan } from '#graph/query/run.ts';
import type { StateReader } from '#graph/state-reader.ts';
import {
  FetchedFinds,
  MissingFind,
  answerRead,
  READ_OPERATIONS,
  isInternal,
  toldProblem,
} from './graph-requests.ts';
import { type FrameItem, FrameWriter, readFrame } from './frame.ts';
import type { LinkedScript } from './endpoint-call.ts';
import { Guest, type LazyScript } from './guest.ts';
import type { HeapKeeper } from './garbage-collector.ts';
import { type Progress, ProgressThrottle } from './progress.ts';
import { UserTexts } from './user-texts.ts';
import type { CallItem, FromWorkerKind, SettleItem, ToWorker } from './worker-messages.ts';

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
  readonly boot: Script;
  readonly zod: LazyScript;
  readonly progress: Progress;
  /** Who is at work, for whoever asks when the process has died; 0 for nobody. */
  readonly noteGuest: (guest: number) => void;
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
  readonly #reads: GuestReads;
  readonly #remarks = new ProgressThrottle((call, payload) => {
    this.#push('progress', `,${call}`, payload);
    if (!this.#isServing) this.#flush();
  });
  readonly #outbox = new FrameWriter();
  readonly #guests = new Map<number, Guest>();
  readonly #guestOfCall = new IdMap<Guest>();
  readonly #callers = new Map<number, Caller>();
  /** To be entered. */
  readonly #touched = new Set<Guest>();
  /** To be entered once more: its code may have gone on after the host stopped looking. */
  readonly #unfinished = new Set<Guest>();
  #isServing = false;
  /** That the state had reached when the newest frame came. */
  #sequence = -1;

  constructor(options: GuestHostOptions) {
    this.#options = options;
    const { reader } = options;
    this.#users = new UserTexts(reader);
    this.#reads = new GuestReads({
      onScan: (call, scan) => this.#push('scan', `,${call}`, JSON.stringify(scan)),
      reader,
      find: (call, request, wanted) => this.#push('ask', `,${call},${request},"find"`, wanted),
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
    this.#sequence = this.#options.reader.refresh();
    readFrame(frame, (item, payload) => this.#accept(item as ToWorker, payload));
    this.#pump();
  }

  #accept(item: ToWorker, payload: string): void {
    switch (item[1]) {
      case 'load': {
        const [, , number, isReadOnly] = item;
        const { boot, zod } = this.#options;
        const linked = JSON.parse(payload) as LinkedScript;
        this.#guests.set(number, new Guest({ number, boot, zod, isReadOnly, ...linked }));
        return;
      }
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
      case 'abort':
        return this.#enter(item[2], (guest) => guest.abort(item[2]));
      case 'drop':
        this.#enter(item[2], (guest) => guest.abort(item[2]));
        this.#remarks.end(item[2]);
        this.#forget(item[2]);
    }
  }

  #acceptCall(item: CallItem, payload: string): void {
    const [, , call, number, callerNumber, headersLength] = item;
    const guest = must(this.#guests.get(number), 'a guest that is loaded before it is called');
    const caller = must(this.#callers.get(callerNumber), 'a caller that is sent before its calls');
    const headers = payload.slice(0, headersLength);
    const body = payload.slice(headersLength);
    guest.calls.set(call, caller);
    this.#guestOfCall.set(call, guest);
    const sequence = this.#sequence;
    this.#enter(call, () => {
      guest.start(call, body, headers, this.#users.textOf(caller.userUid, sequence));
    });
  }

  /** A write must show in what the same call reads next. */
  #acceptAnswer(item: SettleItem, payload: string): void {
    const [, , call, request, isValue, sequence] = item;
    const { reader } = this.#options;
    if (reader.sequence < sequence && reader.refresh() < sequence) {
      setTimeout(() => {
        this.#acceptAnswer(item, payload);
        this.#pump();
      }, LATE_RETRY_MS);
      return;
    }
    this.#enter(call, (guest) => {
      if (request < 0) this.#reads.settleFind(guest, { call, request, isValue, payload });
      else guest.settle(request, isValue, payload);
    });
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
        this.#flush();
        setImmediate(() => this.#leave());
      });
  }

  #leave(): void {
    const { progress, heap, noteGuest } = this.#options;
    noteGuest(0);
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
    const { progress, noteGuest } = this.#options;
    progress.enter(guest.number);
    noteGuest(guest.number);
    let isMoving = guest.hasPlans;
    guest.enter();
    if (guest.failure !== undefined) this.#endAll(guest, guest.failure);
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
      if (guest.calls.size === 0) return;
      if (hops % HOPS_BETWEEN_CLOCKS === 0 && performance.now() > until) break;
      progress.turn();
      // One microtask: the guest goes on.
      await undefined;
    }
    if (isMoving) this.#unfinished.add(guest);
  }

  /** One item of a guest. It speaks for its own calls only. */
  #take(guest: Guest, item: FrameItem, payload: string): void {
    const [, kind, call, third, fourth] = item;
    const caller = typeof call === 'number' ? guest.calls.get(call) : undefined;
    if (typeof call !== 'number' || caller === undefined) return;
    switch (kind) {
      case 'ask':
        if (typeof third !== 'number' || typeof fourth !== 'string') return;
        // The numbers below zero are the host's own, and so is what it finds.
        if (third < 0 || fourth === 'find') return;
        if (READ_OPERATIONS.has(fourth)) {
          const read = { call, caller, request: third, operation: fourth, payload };
          this.#reads.answer(guest, read);
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
        this.#end(call, kind, `,${call},${Number(third)}`, payload);
        return;
      case 'invalid':
      case 'problem':
      case 'failure':
      case 'malformed':
        this.#end(call, kind, `,${call}`, payload);
    }
  }

  #end(call: number, kind: FromWorkerKind, rest: string, payload: string): void {
    this.#remarks.end(call);
    this.#forget(call);
    if (payload.length <= ENDPOINT_RESULT_BYTES_MAX) this.#push(kind, rest, payload);
    else this.#push('failure', `,${call}`, RESULT_TOO_LARGE);
  }

  #endAll(guest: Guest, failure: string): void {
    for (const call of guest.calls.keys()) this.#end(call, 'failure', `,${call}`, failure);
  }

  #forget(call: number): void {
    this.#guestOfCall.get(call)?.calls.delete(call);
    this.#reads.forget(call);
    this.#guestOfCall.delete(call);
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

/** A read that a guest asks for. */
interface GuestRead {
  readonly call: number;
  readonly caller: Caller;
  readonly request: number;
  readonly operation: string;
  /** JSON that the guest made. */
  readonly payload: string;
}

interface GuestReadsOptions {
  readonly reader: StateReader;
  /** Asks where the index is; `request` is below zero, so that it is no guest's. */
  readonly find: (call: number, request: number, wanted: string) => void;
  /** A fault of the server's own. */
  readonly onDefect: (error: unknown) => void;
  /** A problem of which the guest is told less than the log. */
  readonly onInternal: (call: number, problem: ProblemMessage) => void;
  /** A query that read much, and that an index would serve. */
  readonly onScan: (call: number, scan: QueryScan) => void;
}

/**
 * Answers the reads of guests, in the worker. A query that finds by words waits in the middle for
 * what is found elsewhere.
 */
class GuestReads {
  readonly #options: GuestReadsOptions;
  readonly #access: AccessIndex;
  /** By call, then by the request. */
  readonly #waiting = new Map<number, Map<number, WaitingQuery>>();
  #lastRequest = 0;

  constructor(options: GuestReadsOptions) {
    this.#options = options;
    this.#access = new AccessIndex(options.reader);
  }

  answer(guest: Guest, read: GuestRead, finds: FetchedFinds = new FetchedFinds()): void {
    const { call, caller, request, operation, payload } = read;
    const { reader, onDefect, onInternal } = this.#options;
    try {
      const sources = { reader, access: this.#access, searcher: finds };
      const onScan = (scan: QueryScan): void => this.#options.onScan(call, scan);
      guest.settle(request, true, answerRead(sources, caller, operation, payload, onScan));
    } catch (error) {
      if (error instanceof MissingFind) {
        this.#wait({ read, finds, wanted: error.wanted });
        return;
      }
      if (!(error instanceof Problem)) {
        onDefect(error);
        guest.settle(request, false, READ_FAILED);
        return;
      }
      const problem = error.toMessage();
      if (isInternal(problem)) onInternal(call, problem);
      guest.settle(request, false, JSON.stringify(toldProblem(problem)));
    }
  }

  /** What was found for a query, which begins again; or why nothing can be. */
  settleFind(guest: Guest, answer: FindAnswer): void {
    const { call, request, isValue, payload } = answer;
    const query = this.#waiting.get(call)?.get(request);
    if (query === undefined) return;
    this.#waiting.get(call)?.delete(request);
    if (isValue) {
      query.finds.add(query.wanted, payload);
      this.answer(guest, query.read, query.finds);
    } else {
      guest.settle(query.read.request, false, payload);
    }
  }

  /** Nobody waits for the reads of this call any more. */
  forget(call: number): void {
    this.#waiting.delete(call);
  }

  #wait(query: WaitingQuery): void {
    const { call } = query.read;
    const request = --this.#lastRequest;
    const ofCall = this.#waiting.get(call) ?? new Map<number, WaitingQuery>();
    this.#waiting.set(call, ofCall.set(request, query));
    this.#options.find(call, request, query.wanted);
  }
}

interface FindAnswer {
  readonly call: number;
  readonly request: number;
  readonly isValue: boolean;
  readonly payload: string;
}

interface WaitingQuery {
  readonly read: GuestRead;
  readonly finds: FetchedFinds;
  readonly wanted: string;
}

const READ_FAILED = JSON.stringify({
  code: 'internal_error',
  message: 'the read failed inside the server',
});
