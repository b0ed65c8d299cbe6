import { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { FetchedFinds, MissingFind } from './fetched-finds.ts';
import { answerRead } from './graph-requests.ts';
import type { Guest } from './guest.ts';
import { isInternal, toldProblem } from './told-problem.ts';

/** A read that a guest asks for. */
export interface GuestRead {
  readonly call: number;
  readonly caller: Caller;
  readonly request: number;
  readonly operation: string;
  /** JSON that the guest made. */
  readonly payload: string;
}

export interface GuestReadsOptions {
  readonly reader: StateReader;
  /** Asks where the index is; `request` is below zero, so that it is no guest's. */
  readonly find: (call: number, request: number, wanted: string) => void;
  /** A fault of the server's own. */
  readonly onDefect: (error: unknown) => void;
  /** A problem of which the guest is told less than the log. */
  readonly onInternal: (call: number, problem: ProblemMessage) => void;
}

/**
 * Answers the reads of guests, in the worker. A query that finds by words waits in the middle for
 * what is found elsewhere.
 */
export class GuestReads {
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
      guest.settle(request, true, answerRead(sources, caller, operation, payload));
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

export interface FindAnswer {
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
