import type { RunningCallers } from '#access/running-callers.ts';
import { Problem } from '#base/problem.ts';
import { keyedUid } from '#base/uid.ts';
import {
  WATCH_RUNS_MAX,
  WATCH_VALUES_KEPT_CHARACTERS_MAX,
  WATCHED_QUESTIONS_MAX,
  WATCHED_QUESTIONS_PER_CALLER_MAX,
  WATCHES_MAX,
  WATCHES_PER_CALLER_MAX,
} from '#base/watch-limits.ts';
import { budgetKey } from '#access/caller.ts';
import type { GraphReader } from '#graph/reader.ts';
import { keyText } from '#graph/transactions/read-set.ts';
import { callerKey, AccessEpoch, requestKey } from '../cached-runs.ts';
import type { EndpointAnswer } from '../call-outcome.ts';
import { ENDPOINT_TYPE } from '../endpoint-store.ts';
import type { EndpointRun } from '../invocation.ts';
import { AnswerMarks } from './answer-marks.ts';
import { CollectedReads } from './collected-reads.ts';
import {
  EndpointWatch,
  WatchedFault,
  type WatchedValue,
  type WatchOutcome,
} from './endpoint-watch.ts';
import { isEnd, isPassingFault, outcomeOf } from './run-outcome.ts';
import { UnsentBytes } from './unsent-bytes.ts';
import type { WatchFeed } from './watch-feed.ts';
import { WatchQueue } from './watch-queue.ts';
import { type AskedEndpoint, WatchedQuestion } from './watched-question.ts';

export interface EndpointWatchesOptions {
  readonly feed: WatchFeed;
  readonly reader: GraphReader;
  readonly running: Pick<RunningCallers, 'current'>;
  readonly run: (run: EndpointRun) => Promise<EndpointAnswer>;
  /** Throws why the caller may not watch the endpoint. */
  readonly check: (name: string, caller: AskedEndpoint['caller']) => void;
}

/** What is watched now, and what was done for it since the start. */
export interface WatchLoad {
  readonly watches: number;
  readonly questions: number;
  readonly runs: number;
  readonly wakes: number;
}

/**
 * Watched endpoints (open-shapes, section 11). Who asks the same question shares one run. A run
 * tells what it has read; a commit that changes some of that (`WatchFeed`) has the question asked
 * again, as often as `AnswerPace` lets it; and whoever has another answer is told the new one.
 *
 * What the code reads in other ways, such as with `fetch()`, wakes nobody.
 */
export class EndpointWatches {
  readonly unsent = new UnsentBytes();
  readonly #options: EndpointWatchesOptions;
  readonly #byKey = new Map<string, WatchedQuestion>();
  readonly #byNumber = new Map<number, WatchedQuestion>();
  readonly #questionOfWatch = new WeakMap<EndpointWatch, WatchedQuestion>();
  readonly #queue = new WatchQueue<WatchedQuestion>();
  readonly #marks = new AnswerMarks();
  readonly #epoch: AccessEpoch;
  readonly #watchesOf = new Counts();
  readonly #questionsOf = new Counts();
  /** Those that wait for the index of searches. */
  readonly #awaitingIndex = new Set<WatchedQuestion>();
  #indexSequence = 0;
  #keptCharacters = 0;
  #watches = 0;
  #lastNumber = 0;
  #going = 0;
  #runs = 0;
  #wakes = 0;
  #isClosed = false;

  constructor(options: EndpointWatchesOptions) {
    this.#options = options;
    this.#epoch = new AccessEpoch(options.reader);
    options.feed.listen({
      woken: (questions) => this.#woken(questions),
      lost: () => {
        for (const question of this.#byNumber.values()) this.#wake(question);
      },
    });
  }

  get load(): WatchLoad {
    const { size: questions } = this.#byKey;
    return { watches: this.#watches, questions, runs: this.#runs, wakes: this.#wakes };
  }

  /**
   * Begins to watch: to be disposed of. Throws `endpoint_not_found`, `endpoint_not_compiled`,
   * `forbidden`, `not_read_only`, `too_many_watches`, `watches_full`.
   */
  open(asked: AskedEndpoint, lastSequence: number | undefined): EndpointWatch {
    const { caller } = asked;
    if (this.#isClosed) throw new Problem('server_stopping', 'The server is stopping.');
    this.#options.check(asked.name, caller);
    const budget = budgetKey(caller);
    if (this.#watches >= WATCHES_MAX) throw full(`${WATCHES_MAX} watches are open`);
    if (this.#watchesOf.get(budget) >= WATCHES_PER_CALLER_MAX) {
      throw tooMany(`${WATCHES_PER_CALLER_MAX} watches of yours are open`);
    }
    const watch: EndpointWatch = new EndpointWatch({
      caller,
      lastSequence,
      isPresent: (outcome) => this.#isPresent(watch, outcome),
      onClose: () => {
        this.#watches--;
        this.#watchesOf.add(budget, -1);
        this.#leave(watch);
      },
    });
    const question = this.#questionOf(asked);
    this.#watches++;
    this.#watchesOf.add(budget, 1);
    this.#join(watch, question);
    return watch;
  }

  /** The index of searches has everything up to the sequence. */
  indexReached(sequence: number | null): void {
    if (sequence === null) return;
    this.#indexSequence = sequence;
    for (const question of this.#awaitingIndex) {
      if (question.indexAwaited > sequence) continue;
      question.indexAwaited = 0;
      this.#awaitingIndex.delete(question);
      this.#wake(question);
    }
  }

  /** Nothing is run any more. */
  close(): void {
    this.#isClosed = true;
    for (const question of this.#byNumber.values()) question.close();
  }

  /** Throws `too_many_watches`, `watches_full`. */
  #questionOf(asked: AskedEndpoint): WatchedQuestion {
    const key = requestKey(asked.name, asked.caller, asked.body);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const budget = budgetKey(asked.caller);
    if (this.#byKey.size >= WATCHED_QUESTIONS_MAX) {
      throw full(`${WATCHED_QUESTIONS_MAX} questions are watched`);
    }
    if (this.#questionsOf.get(budget) >= WATCHED_QUESTIONS_PER_CALLER_MAX) {
      throw tooMany(`You watch ${WATCHED_QUESTIONS_PER_CALLER_MAX} different questions`);
    }
    const question = new WatchedQuestion(++this.#lastNumber, key, asked);
    this.#byKey.set(key, question);
    this.#byNumber.set(question.number, question);
    this.#questionsOf.add(budget, 1);
    return question;
  }

  #join(watch: EndpointWatch, question: WatchedQuestion): void {
    question.watches.add(watch);
    this.#questionOfWatch.set(watch, question);
    const { latest } = question;
    const isNew = !question.isDirty && question.sequence >= this.#options.feed.sequence;
    if (latest !== undefined && isNew) this.#offer(watch, question, latest);
    else this.#wake(question);
  }

  #leave(watch: EndpointWatch): void {
    const question = this.#questionOfWatch.get(watch);
    question?.watches.delete(watch);
    if (question?.watches.size === 0) this.#forget(question);
  }

  #forget(question: WatchedQuestion): void {
    if (this.#byNumber.get(question.number) !== question) return;
    question.close();
    this.#keep(question, undefined);
    this.#queue.delete(question);
    this.#awaitingIndex.delete(question);
    this.#byKey.delete(question.key);
    this.#byNumber.delete(question.number);
    this.#questionsOf.add(question.budget, -1);
    this.#options.feed.unwatch(question.number);
  }

  #woken(questions: readonly number[]): void {
    for (const number of questions) {
      const question = this.#byNumber.get(number);
      if (question === undefined) continue;
      this.#wakes++;
      this.#wake(question);
    }
  }

  #wake(question: WatchedQuestion): void {
    question.isDirty = true;
    this.#schedule(question);
  }

  #schedule(question: WatchedQuestion): void {
    const { isRunning, isQueued, timer } = question;
    if (isRunning || isQueued || timer !== undefined || this.#isClosed) return;
    const wait = question.pace.wait(performance.now());
    if (wait <= 0) {
      this.#enqueue(question);
      return;
    }
    question.timer = setTimeout(() => {
      question.timer = undefined;
      this.#enqueue(question);
    }, wait);
    question.timer.unref();
  }

  #enqueue(question: WatchedQuestion): void {
    if (question.watches.size === 0) return;
    question.isQueued = true;
    this.#queue.add(question);
    this.#pump();
  }

  #pump(): void {
    while (this.#going < WATCH_RUNS_MAX) {
      const question = this.#queue.take();
      if (question === undefined) return;
      question.isQueued = false;
      this.#going++;
      question.isRunning = true;
      void this.#answer(question).finally(() => {
        this.#going--;
        question.isRunning = false;
        question.pace.answered(performance.now());
        if (question.isDirty && question.watches.size > 0) this.#schedule(question);
        this.#pump();
      });
    }
  }

  /** Asks once more, and tells whoever has another answer. */
  async #answer(question: WatchedQuestion): Promise<void> {
    question.isDirty = false;
    this.#sortOut(question);
    const [first] = question.watches;
    if (first === undefined) return;
    const { name, body, headers, authorization, traceId } = question.asked;
    const { caller } = first;
    const { feed, run, check } = this.#options;
    const began = feed.sequence;
    const indexed = this.#indexSequence;
    const accessEpoch = this.#epoch.current();
    const reads = new CollectedReads();
    reads.asked(name);
    const refusal = problemOf(() => check(name, caller));
    if (refusal !== undefined) {
      for (const watch of question.watches) watch.end(refusal);
      return;
    }
    let outcome: WatchOutcome;
    try {
      this.#runs++;
      const { signal } = question;
      const asked = { name, caller, body, headers, authorization, traceId, signal };
      const more = { runKey: null, isAwaited: true, mayOnlyRead: true, watched: reads };
      const answer = await run({ ...asked, ...more });
      const read = reads.sequence ?? began;
      const shown = reads.hasSearched ? Math.min(read, indexed) : read;
      outcome = outcomeOf(answer, shown, accessEpoch);
    } catch (error) {
      if (question.signal.aborted) return;
      outcome = new WatchedFault(error, isEnd(error));
    }
    if (this.#byNumber.get(question.number) !== question) return;
    if (outcome.kind === 'fault' && outcome.isFinal) {
      for (const watch of question.watches) watch.end(outcome.error);
      return;
    }
    this.#listen(question, reads, { began, indexed });
    this.#settle(question, outcome, reads.isKnown);
  }

  /** Callers may have other rights by now: then they ask another question. */
  #sortOut(question: WatchedQuestion): void {
    const own = callerKey(question.asked.caller);
    for (const watch of question.watches) {
      try {
        const caller = this.#options.running.current(watch.caller);
        watch.caller = caller;
        if (callerKey(caller) === own) continue;
        const other = this.#questionOf({ ...question.asked, caller });
        question.watches.delete(watch);
        this.#join(watch, other);
      } catch (error) {
        watch.end(error);
        question.watches.delete(watch);
      }
    }
    if (question.watches.size === 0) this.#forget(question);
  }

  /** From now on commits that change what was read wake the question. */
  #listen(
    question: WatchedQuestion,
    reads: CollectedReads,
    { began, indexed }: { readonly began: number; readonly indexed: number },
  ): void {
    const since = reads.sequence ?? began;
    const keys = reads.keys(this.#placesOf(question, reads));
    question.reads = keys;
    question.sequence = since;
    this.#options.feed.watch({ question: question.number, reads: keys, since });
    question.indexAwaited = reads.hasSearched && indexed < since ? since : 0;
    if (question.indexAwaited === 0) {
      this.#awaitingIndex.delete(question);
      return;
    }
    // What was found may be older than what was read, also when the index has come to it since.
    this.#awaitingIndex.add(question);
    this.indexReached(this.#indexSequence);
  }

  /** What the server itself has read for the run: the endpoints, and the user. */
  #placesOf({ asked }: WatchedQuestion, reads: CollectedReads): string[] {
    const { reader } = this.#options;
    const places: string[] = [];
    for (const name of reads.endpoints) {
      // Its coming and going, and its changes.
      places.push(`u${keyText(keyedUid(ENDPOINT_TYPE, name))}`);
      const id = reader.id({ type: ENDPOINT_TYPE, key: name });
      if (id !== undefined) places.push(nodePoint(id));
    }
    const { userUid } = asked.caller;
    const user = userUid === null ? undefined : reader.id({ uid: userUid });
    if (user !== undefined) places.push(nodePoint(user));
    return places;
  }

  #settle(question: WatchedQuestion, outcome: WatchOutcome, isKnown: boolean): void {
    if (outcome.kind === 'value') {
      question.noteSuccess();
      this.#keep(question, outcome);
      for (const watch of question.watches) this.#offer(watch, question, outcome);
      return;
    }
    const isPassing = isPassingFault(outcome.error);
    if (isPassing || !isKnown) {
      question.pace.holdUntil(performance.now() + question.noteFailure());
    } else {
      question.noteSuccess();
    }
    this.#keep(question, isPassing ? undefined : outcome);
    for (const watch of question.watches) {
      // Whoever has an answer keeps it until there is another.
      if (!isPassing || !watch.hasAny) watch.tell(outcome);
    }
    if (isPassing) this.#wake(question);
  }

  /** Tells a watch of an outcome, unless it has come back with the same. */
  #offer(watch: EndpointWatch, question: WatchedQuestion, outcome: WatchOutcome): void {
    const { lastSequence } = watch;
    if (outcome.kind !== 'value') {
      watch.tell(outcome);
      return;
    }
    if (lastSequence === undefined) {
      this.#tell(watch, question, outcome);
      return;
    }
    if (this.#marks.has(question.key, outcome.digest, lastSequence)) {
      watch.knows(outcome);
      return;
    }
    void this.#offerChecked(watch, question, { outcome, lastSequence, check: watch.beginCheck() });
  }

  async #offerChecked(
    watch: EndpointWatch,
    question: WatchedQuestion,
    asked: {
      readonly outcome: WatchedValue;
      readonly lastSequence: number;
      readonly check: object;
    },
  ): Promise<void> {
    const { outcome, lastSequence: after, check } = asked;
    const { reads } = question;
    const { sequence: upTo } = outcome;
    const lookedBack = reads && { reads, after, upTo };
    const hasChanged =
      lookedBack === undefined ||
      (await this.#options.feed.hasChanged(lookedBack).catch(() => true));
    // Another outcome has come in the meantime.
    if (!watch.isChecking(check)) return;
    if (hasChanged) {
      this.#tell(watch, question, outcome);
      return;
    }
    watch.knows(outcome);
    this.#marks.note(question.key, { digest: outcome.digest, sequence: after });
  }

  #tell(watch: EndpointWatch, question: WatchedQuestion, outcome: WatchedValue): void {
    this.#marks.note(question.key, outcome);
    watch.tell(outcome);
  }

  /** What has waited for a slow reader must not show what nobody may see any more. */
  #isPresent(watch: EndpointWatch, outcome: WatchOutcome): boolean {
    if (outcome.kind !== 'value' || outcome.accessEpoch === this.#epoch.current()) return true;
    const question = this.#questionOfWatch.get(watch);
    if (question !== undefined) this.#wake(question);
    return false;
  }

  /** For whoever joins, as long as there is room. */
  #keep(question: WatchedQuestion, outcome: WatchOutcome | undefined): void {
    this.#keptCharacters -= charactersOf(question.latest);
    const hasRoom =
      this.#keptCharacters + charactersOf(outcome) <= WATCH_VALUES_KEPT_CHARACTERS_MAX;
    question.latest = hasRoom ? outcome : undefined;
    this.#keptCharacters += charactersOf(question.latest);
  }
}

/** A number for each name; those of 0 take no room. */
class Counts {
  readonly #counts = new Map<string, number>();

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, by: number): void {
    const count = this.get(name) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

function charactersOf(outcome: WatchOutcome | undefined): number {
  return outcome?.kind === 'value' ? outcome.json.length : 0;
}

const ID_BYTES = 5;

function nodePoint(id: number): string {
  const key = Buffer.alloc(ID_BYTES);
  key.writeUIntBE(id, 0, ID_BYTES);
  return `n${keyText(key)}`;
}

function problemOf(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}

function full(what: string): Problem {
  return new Problem('watches_full', `${what} on this server already.`);
}

function tooMany(what: string): Problem {
  return new Problem('too_many_watches', `${what} already.`);
}
