import { STOPPING_COMMITS_WAIT_MS } from '#base/transaction-limits.ts';
import type { CommitPort, CommitRequest, CommitResult } from '#graph/operations.ts';

/** Commits of calls, which a server that stops waits for: their authors may have been answered. */
export class AwaitedCommits implements CommitPort {
  readonly #commits: CommitPort;
  #underWay = 0;
  #onNone: (() => void) | undefined;

  constructor(commits: CommitPort) {
    this.#commits = commits;
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    return this.#await(() => this.#commits.commit(request));
  }

  /** Undefined where there are no such commits. */
  get commitLine(): CommitPort['commitLine'] {
    const commits = this.#commits;
    if (commits.commitLine === undefined) return undefined;
    return (requests) => this.#await(async () => (await commits.commitLine?.(requests)) ?? []);
  }

  async #await<T>(commit: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await commit();
    } finally {
      if (--this.#underWay === 0) this.#onNone?.();
    }
  }

  /** Resolves when none is under way any more, or when it has waited long enough. */
  async settled(waitMs: number = STOPPING_COMMITS_WAIT_MS): Promise<void> {
    if (this.#underWay === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const timer = setTimeout(resolve, waitMs);
    await promise;
    clearTimeout(timer);
  }
}
