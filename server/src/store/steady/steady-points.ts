import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Environment, Environments } from '../environment.ts';
import { storageProblem } from '../storage-problem.ts';
import type { SteadyEnvironment, SteadyPoint } from './steady-environment.ts';

/** When the next steady point is made. */
export interface SteadyRule {
  /** This long after the first commit that the last one does not have. */
  readonly delayMs: number;
  /**
   * Or once the commits that it does not have are this large, or the graph has grown by this since.
   * It bounds what is replayed after a power failure, and the pages that LMDB cannot reuse until
   * then.
   */
  readonly bytesMax: number;
}

export const STEADY_RULE: SteadyRule = { delayMs: 1_000, bytesMax: 64 * 1024 * 1024 };

/** Follows the commits that are carried out, and knows which of them survive a power failure. */
export interface Flushes {
  /**
   * Everything up to this sequence is on the device in both environments. The log may be trimmed up
   * to here. 0 until something was written since the start.
   */
  readonly flushedSequence: number;
  /** Why the environments cannot be flushed; undefined when they can. */
  readonly problem: Problem | undefined;
  /** Call this after commits were carried out, between transactions. */
  applied(sequence: number, bytes: number): void;
  /** Call this before the environments are closed, after the last transaction. */
  end(): Promise<void>;
}

export function followFlushes(
  environments: Environments,
  isWriting: () => boolean,
  rule: SteadyRule = STEADY_RULE,
): Flushes {
  const { graph, vault } = environments;
  return graph.steady === undefined || vault.steady === undefined
    ? new OverlappingFlushes([graph, vault])
    : new SteadyPoints(environments, isWriting, rule);
}

/**
 * Makes steady points of both environments at the same sequence. The one of the vault comes first:
 * after a power failure the graph never has more than the vault, as `applied.ts` expects it.
 */
class SteadyPoints implements Flushes {
  readonly #graph: SteadyEnvironment;
  readonly #vault: SteadyEnvironment;
  readonly #path: string;
  readonly #isWriting: () => boolean;
  readonly #rule: SteadyRule;
  #sequence = 0;
  #flushedSequence = 0;
  #bytes = 0;
  #sizeBytes: number;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #running: Promise<void> | undefined;
  #isEnded = false;
  #problem: Problem | undefined;

  constructor({ graph, vault }: Environments, isWriting: () => boolean, rule: SteadyRule) {
    this.#graph = must(graph.steady, 'the steady points of the graph');
    this.#vault = must(vault.steady, 'the steady points of the vault');
    this.#path = graph.path;
    this.#isWriting = isWriting;
    this.#rule = rule;
    this.#sizeBytes = this.#graph.sizeBytes;
  }

  get flushedSequence(): number {
    return this.#flushedSequence;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  applied(sequence: number, bytes: number): void {
    this.#sequence = sequence;
    this.#bytes += bytes;
    if (this.#isDue || this.#isFull()) this.#begin();
    else this.#schedule();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #isFull(): boolean {
    const { bytesMax } = this.#rule;
    return this.#bytes >= bytesMax || this.#graph.sizeBytes - this.#sizeBytes >= bytesMax;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isEnded) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isDue = true;
      // Otherwise the end of the transaction begins it.
      if (!this.#isWriting()) this.#begin();
    }, this.#rule.delayMs).unref();
  }

  #begin(): void {
    if (this.#running !== undefined || this.#isEnded) return;
    if (this.#isLost) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    this.#bytes = 0;
    this.#sizeBytes = this.#graph.sizeBytes;
    const sequence = this.#sequence;
    const points = { vault: this.#vault.begin(), graph: this.#graph.begin() };
    this.#running = this.#make(sequence, points);
  }

  async #make(
    sequence: number,
    points: { readonly vault: SteadyPoint; readonly graph: SteadyPoint },
  ): Promise<void> {
    try {
      try {
        await makePoint(this.#vault, points.vault);
      } catch (error) {
        this.#graph.release(points.graph);
        throw error;
      }
      await makePoint(this.#graph, points.graph);
      this.#flushedSequence = sequence;
      this.#problem = undefined;
    } catch (error) {
      this.#problem = this.#problemOf(error);
      if (this.#isLost) await this.#distrust();
    }
    this.#running = undefined;
    // What was carried out meanwhile gets the next one.
    if (this.#sequence > this.#flushedSequence) this.#schedule();
  }

  get #isLost(): boolean {
    return this.#graph.isLost || this.#vault.isLost;
  }

  /** Both go back together: the graph must not have more than the vault. */
  async #distrust(): Promise<void> {
    // If these fail too, the disk is gone, and the next opening reads what there is.
    for (const one of [this.#graph, this.#vault]) await one.distrust().catch(() => undefined);
  }

  #problemOf(error: unknown): Problem {
    const problem = storageProblem('syncing', this.#path, error);
    if (!this.#isLost) return problem;
    return new Problem(problem.code, problem.message, {
      hint: 'Check the disk, then restart the server: it goes on from what is safe on the disk.',
      cause: error,
    });
  }
}

async function makePoint(environment: SteadyEnvironment, point: SteadyPoint): Promise<void> {
  if (environment.isSame(point)) {
    environment.release(point);
    return;
  }
  try {
    await environment.sync();
  } catch (error) {
    environment.release(point);
    throw error;
  }
  await environment.complete(point);
}

/** For environments that LMDB itself flushes after each transaction. */
class OverlappingFlushes implements Flushes {
  readonly #environments: readonly Environment[];
  readonly problem = undefined;
  #flushedSequence = 0;

  constructor(environments: readonly Environment[]) {
    this.#environments = environments;
  }

  get flushedSequence(): number {
    return this.#flushedSequence;
  }

  applied(sequence: number): void {
    void this.#awaitFlush(sequence);
  }

  async end(): Promise<void> {}

  async #awaitFlush(sequence: number): Promise<void> {
    try {
      await Promise.all(this.#environments.map(({ root }) => root.flushed));
    } catch {
      // A later transaction has failed. The next one that succeeds covers this one too.
      return;
    }
    this.#flushedSequence = Math.max(this.#flushedSequence, sequence);
  }
}
