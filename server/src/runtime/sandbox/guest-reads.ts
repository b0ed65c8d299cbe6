import { Problem, type ProblemMessage } from '#base/problem.ts';
import type { QueryRun, QueryScan } from '#graph/query/run.ts';
import type { CallTransactions, FoundAnswer, HostedCall } from './call-transactions.ts';
import { NotInLine } from './call-lines.ts';
import { FetchedFinds, isInternal, MissingFind, toldProblem } from './graph-requests.ts';
import type { Guest } from './guest.ts';
import type { NotedRead } from './read-trace.ts';

/** A read that a guest asks for. */
export interface GuestRead {
  readonly call: HostedCall;
  readonly request: number;
  readonly operation: string;
  /** JSON that the guest made. */
  readonly payload: string;
}

interface GuestReadsOptions {
  readonly transactions: CallTransactions;
  /** Before the guest has the answer, after which it may not come back. */
  readonly onRead: (call: number, read: NotedRead) => void;
  /** Asks where the index is; `request` is below zero, so that it is no guest's. */
  readonly find: (call: number, request: number, wanted: string) => void;
  /** It cannot be answered in the line of the call. */
  readonly onNotInLine: (call: number) => void;
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
export class GuestReads {
  readonly #options: GuestReadsOptions;
  /** By call, then by the request. */
  readonly #waiting = new Map<number, Map<number, WaitingQuery>>();
  #lastRequest = 0;

  constructor(options: GuestReadsOptions) {
    this.#options = options;
  }

  answer(guest: Guest, read: GuestRead, finds: FetchedFinds = new FetchedFinds()): void {
    const { call, request, operation, payload } = read;
    const { trace } = call;
    const at = trace.begin(operation);
    try {
      const answer =
        operation === 'query'
          ? this.#query(read, finds, at)
          : this.#options.transactions.read(call, operation, payload, finds, {});
      if (operation !== 'query') this.#note(call.id, trace.operation(operation, at));
      guest.settle(request, true, answer);
    } catch (error) {
      if (error instanceof MissingFind) {
        this.#wait({ read, finds, wanted: error.wanted });
        return;
      }
      if (error instanceof NotInLine) return this.#options.onNotInLine(call.id);
      const isQuery = operation === 'query';
      const noted = isQuery
        ? trace.query(at, payload, undefined, codeOf(error))
        : trace.operation(operation, at);
      this.#note(call.id, noted);
      this.refuse(guest, call.id, request, error);
    }
  }

  #query({ call, operation, payload }: GuestRead, finds: FetchedFinds, at: number): string {
    let ran: QueryRun | undefined;
    const answer = this.#options.transactions.read(call, operation, payload, finds, {
      onScan: (scan) => this.#options.onScan(call.id, scan),
      onRun: (run) => (ran = run),
    });
    this.#note(call.id, call.trace.query(at, payload, ran));
    return answer;
  }

  #note(call: number, noted: NotedRead | undefined): void {
    if (noted !== undefined) this.#options.onRead(call, noted);
  }

  /** Tells the guest why it gets no answer. */
  refuse(guest: Guest, call: number, request: number, error: unknown): void {
    const { onDefect, onInternal } = this.#options;
    if (!(error instanceof Problem)) {
      onDefect(error);
      guest.settle(request, false, READ_FAILED);
      return;
    }
    const problem = error.toMessage();
    if (isInternal(problem)) onInternal(call, problem);
    guest.settle(request, false, JSON.stringify(toldProblem(problem)));
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

  /** What a search has found, as the call may see it. */
  found(guest: Guest, call: HostedCall, answer: FoundAnswer & { readonly request: number }): void {
    const { request } = answer;
    try {
      guest.settle(request, true, this.#options.transactions.found(call, answer));
    } catch (error) {
      this.refuse(guest, call.id, request, error);
    }
  }

  /** Nobody waits for the reads of this call any more. */
  forget(call: number): void {
    this.#waiting.delete(call);
  }

  #wait(query: WaitingQuery): void {
    const call = query.read.call.id;
    const request = --this.#lastRequest;
    const ofCall = this.#waiting.get(call) ?? new Map<number, WaitingQuery>();
    this.#waiting.set(call, ofCall.set(request, query));
    this.#options.find(call, request, query.wanted);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Problem ? error.code : 'internal_error';
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
