import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  TRANSACTION_RETRIES_MAX,
  TRANSACTION_TURNS_AWAITED_MAX,
} from '#base/transaction-limits.ts';
import { BEHIND } from '#graph/operations.ts';
import type { ReadKeys } from '#graph/transactions/read-set.ts';
import type { RunEffects } from './run-effects.ts';
import { EndCall, RunAgain } from './sandbox/endpoint-call.ts';
import type { CallRecording } from './tracing/call-recording.ts';
import { writeConflict } from './write-conflict.ts';
import type { KeptOut, WriteLine } from './write-line.ts';
import type { WriteTurns } from './write-turns.ts';

interface CallTurnsParts {
  readonly turns: WriteTurns;
  readonly effects: RunEffects;
  readonly recording: CallRecording;
  /** The version of its endpoint, where it may run in one worker with others that wait. */
  readonly sharedVersion: () => string | undefined;
  /** Throws when its caller has lost rights: it would read by those that it began with. */
  readonly check: () => void;
  /** It is run again: what it has done so far comes to nothing. */
  readonly onAgain: () => void;
}

/** How one call goes about it when others are in the way of its writes. */
export class CallTurns {
  /** Why its last writes were refused for good. */
  conflict: Problem | undefined;
  readonly #parts: CallTurnsParts;
  /** How often it was run again because others were in the way of its writes. */
  #retries = 0;
  /** How often it was, to let another one go first. */
  #turns = 0;
  #line: WriteLine | undefined;
  /** It has a turn by itself, when it has one. */
  #isAlone = false;

  constructor(parts: CallTurnsParts) {
    this.#parts = parts;
  }

  /** The calls that it has its turn with; undefined when it has none, or by itself. */
  get line(): WriteLine | undefined {
    return this.#line;
  }

  /** As `WriteLine.join`. */
  joinLine(again: (keptOut: KeptOut) => void): boolean {
    return this.#line?.join(this, again) === true;
  }

  leaveLine(): void {
    const line = this.#line;
    this.#line = undefined;
    line?.leave(this);
  }

  /** It goes on after `graph.commit()`, or ends. */
  committed(): void {
    this.conflict = undefined;
    this.#parts.turns.leave(this);
  }

  /** The call is over. */
  leave(): void {
    this.#parts.turns.leave(this);
    this.leaveLine();
  }

  /** Throws what has it run again where another one has the turn among what it has read. */
  makeWay(reads: ReadKeys): void {
    const { turns, effects } = this.#parts;
    // Nothing is in its way yet: what cannot be run again does not make way for others.
    if (effects.isFinal || this.#turns >= TRANSACTION_TURNS_AWAITED_MAX) return;
    const taken = turns.takenPlace(reads, this.#line ?? this);
    if (taken === undefined) return;
    this.#turns++;
    throw this.#again(taken);
  }

  /** Resolves when all that a call without writes has read is durable. */
  async awaitLine(): Promise<void> {
    const line = this.#line;
    try {
      await line?.end(this);
    } catch (error) {
      throw this.refusal(error, line);
    }
  }

  /** As `CallHost`. */
  againFromLine(keptOut: KeptOut): RunAgain | EndCall {
    const { turns, sharedVersion } = this.#parts;
    const version = sharedVersion();
    if (keptOut === 'endpoint' && version !== undefined) turns.keepAlone(version);
    this.#isAlone ||= keptOut !== 'nobody';
    return this.#again(must(this.#line, 'the line of a call that leaves it').place);
  }

  /** What is thrown when the writer has refused what the call has read or written in a line. */
  refusal(error: unknown, line: WriteLine | undefined): unknown {
    if (!(error instanceof Problem) || error.code !== 'write_conflict') return error;
    const place = String(error.details?.['place']);
    if (line === undefined) return this.#conflict(place);
    if (place === BEHIND) {
      if (this.#turns >= TRANSACTION_TURNS_AWAITED_MAX) return this.#conflict(line.place);
      this.#turns++;
      return this.#again(line.place);
    }
    if (this.#isAlone) return this.#conflict(place);
    // In a line also what it has written without a look is compared. So it is no attempt: alone it
    // may be in conflict with nothing.
    this.#isAlone = true;
    this.#parts.recording.conflicts(place);
    return this.#again(place);
  }

  /** What is thrown when others have changed a place that the call has read. */
  #conflict(place: string): unknown {
    const { effects, recording } = this.#parts;
    recording.conflicts(place);
    if (effects.isFinal || this.#retries >= TRANSACTION_RETRIES_MAX) {
      this.leaveLine();
      this.conflict = writeConflict(effects);
      return this.conflict;
    }
    this.#retries++;
    return this.#again(place);
  }

  /**
   * What is thrown to run the call once more, when it has its turn at a place. It ends with
   * `forbidden` or `invalid_token` when its caller has lost rights.
   */
  #again(place: string): RunAgain | EndCall {
    this.leaveLine();
    const { turns, check, onAgain, recording, sharedVersion } = this.#parts;
    recording.again();
    try {
      check();
    } catch (error) {
      return new EndCall(error);
    }
    onAgain();
    const version = this.#isAlone ? undefined : sharedVersion();
    const mayShare = version !== undefined && !turns.isAlone(version);
    const turn = turns.enter(place, this, mayShare);
    return new RunAgain(turn.then((line) => void (this.#line = line)));
  }
}
