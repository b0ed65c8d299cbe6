import { Problem } from '#base/problem.ts';
import { WRITE_LINE_MS_MAX } from '#base/transaction-limits.ts';
import { BEHIND, type CommitPort, type CommitRequest } from '#graph/operations.ts';

/** Who stays out of lines when a call has left one: it, or for a while all of its endpoint. */
export type KeptOut = 'nobody' | 'call' | 'endpoint';

interface Member {
  readonly call: object;
  /** Its code is to begin again: what it has read does not come to be, or it takes too long. */
  readonly again: (keptOut: KeptOut) => void;
  /** Undefined as long as its code is at work. */
  ended: Ended | undefined;
}

interface Ended extends PromiseWithResolvers<{ readonly sequence: number }> {
  /** Undefined when it has written nothing. */
  readonly request: CommitRequest | undefined;
}

export interface WriteLineOptions {
  /** Where all of them would be in each other's way. */
  readonly place: string;
  /** Another one for each line. */
  readonly number: number;
  /** Who is let in. */
  readonly calls: Iterable<object>;
  readonly commitLine: NonNullable<CommitPort['commitLine']>;
  readonly onOver: (line: WriteLine) => void;
}

/**
 * Calls that have a turn together. Their code runs one after the other in the same worker, each on
 * what those before it have written, which nobody else can see. When all have ended, the
 * transactions are committed directly one after the other, and become durable together: a disk that
 * takes milliseconds for each commit would else be what a counter waits for.
 *
 * What one of them has read may never come to be. So nothing leaves a call before what it has read
 * is durable: neither its answer, also when that is an error, nor a line of its log. A call that
 * asks for something outside of its worker leaves the line, and runs again alone.
 *
 * When a call leaves, or is refused, those behind it run again: they have seen what it has written.
 * Those before it are committed.
 */
export class WriteLine {
  readonly place: string;
  readonly number: number;
  readonly #commitLine: WriteLineOptions['commitLine'];
  readonly #onOver: WriteLineOptions['onOver'];
  readonly #timer: NodeJS.Timeout;
  /** Those that were let in, and have not begun yet. */
  readonly #awaited: Set<object>;
  /** In the order in which their code runs. */
  #members: Member[] = [];
  /** What is told when it is over. */
  readonly #listeners: (() => void)[] = [];
  #isCommitting = false;

  constructor({ place, number, calls, commitLine, onOver }: WriteLineOptions) {
    this.place = place;
    this.number = number;
    this.#awaited = new Set(calls);
    this.#commitLine = commitLine;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.stop(), WRITE_LINE_MS_MAX).unref();
  }

  /** Call it in the order in which their code begins. False when the call is too late. */
  join(call: object, again: Member['again']): boolean {
    if (!this.#awaited.delete(call)) return false;
    this.#members.push({ call, again, ended: undefined });
    return true;
  }

  whenOver(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * The code of a call has ended. Resolves when all that it has read and written is durable;
   * rejects with the problem that refuses it.
   */
  end(call: object, request?: CommitRequest): Promise<{ readonly sequence: number }> {
    const member = this.#members.find((one) => one.call === call);
    if (member === undefined || this.#isCommitting) return Promise.reject(behind());
    member.ended = { ...Promise.withResolvers<{ readonly sequence: number }>(), request };
    this.#commitWhenEnded();
    return member.ended.promise;
  }

  /** The call is over, or runs again by itself. Nothing happens when it is not in the line. */
  leave(call: object): void {
    if (this.#isCommitting) return;
    this.#awaited.delete(call);
    const at = this.#members.findIndex((one) => one.call === call);
    if (at >= 0) this.#cut(at, call);
    this.#commitWhenEnded();
  }

  /** Ends the line before the first call that has not ended: it takes too long. */
  stop(): void {
    if (this.#isCommitting) return;
    const at = this.#members.findIndex(({ ended }) => ended === undefined);
    const late = this.#members[at];
    this.#awaited.clear();
    if (late !== undefined) this.#cut(at, late.call);
    // The first has taken longer by itself than a line may.
    late?.again(at === 0 ? 'endpoint' : 'call');
    this.#commitWhenEnded();
  }

  /** Those from here on run again; `leaving` sees to that itself. */
  #cut(at: number, leaving: object | undefined): void {
    this.#awaited.clear();
    for (const { call, ended, again } of this.#members.splice(at)) {
      if (ended !== undefined) ended.reject(behind());
      else if (call !== leaving) again('nobody');
    }
  }

  #commitWhenEnded(): void {
    if (this.#isCommitting || this.#awaited.size > 0) return;
    const ended: Ended[] = [];
    for (const member of this.#members) {
      if (member.ended === undefined) return;
      ended.push(member.ended);
    }
    this.#isCommitting = true;
    clearTimeout(this.#timer);
    void this.#commit(ended).finally(() => {
      this.#onOver(this);
      for (const listener of this.#listeners) listener();
    });
  }

  async #commit(ended: readonly Ended[]): Promise<void> {
    const requests = ended.flatMap(({ request }) => request ?? []);
    let sequence = 0;
    try {
      const outcomes = requests.length === 0 ? [] : await this.#commitLine(requests);
      let next = 0;
      let problem: Problem | undefined;
      for (const { request, resolve, reject } of ended) {
        const outcome = request === undefined ? undefined : outcomes[next++];
        if (outcome !== undefined && 'problem' in outcome) {
          problem = Problem.fromMessage(outcome.problem);
          reject(problem);
        } else if (problem !== undefined) {
          reject(behind());
        } else {
          sequence = outcome?.sequence ?? sequence;
          resolve({ sequence });
        }
      }
    } catch (error) {
      for (const { reject } of ended) reject(error);
    }
  }
}

function behind(): Problem {
  return new Problem('write_conflict', 'A call before this one was refused', {
    details: { place: BEHIND },
  });
}
