import { Problem } from '#base/problem.ts';
import type { Approver } from './definition-kind.ts';
import {
  changeOf,
  inWords,
  type CommitOutcome,
  type DefinitionChange,
  type ProposedChange,
} from './proposal.ts';
import type { DefinitionKinds, ProposalReview } from './proposal-review.ts';

export interface ProposalCommitParts {
  readonly kinds: DefinitionKinds;
  readonly review: ProposalReview;
  /** Told of what is a fault of ours: whoever approved is told that there was one. */
  readonly onFault: (error: unknown) => void;
}

/** Does what is approved, each definition by a commit of its own, so that none is ever there by half. */
export class ProposalCommit {
  readonly #parts: ProposalCommitParts;

  constructor(parts: ProposalCommitParts) {
    this.#parts = parts;
  }

  /** Never rejects: what fails is told, and nothing after it is done. */
  async run(
    by: Approver,
    changes: readonly ProposedChange[],
    log: (text: string) => void,
  ): Promise<CommitOutcome> {
    const steps = changes.toSorted((a, b) => placeOf(a) - placeOf(b));
    const committed: CommitOutcome['committed'][number][] = [];
    for (const [index, step] of steps.entries()) {
      try {
        const historyVersion = await this.#do(by, step);
        committed.push({ ...changeOf(step), historyVersion });
        log(`Done: ${inWords(step)}${versionText(historyVersion)}.`);
      } catch (error) {
        const failed = { ...changeOf(step), error: this.#told(error) };
        const notCommitted = steps.slice(index + 1).map(changeOf);
        log(`Failed: ${inWords(step)}: ${failed.error.message}`);
        if (notCommitted.length > 0) log(`Not begun: ${notCommitted.map(inWords).join('; ')}.`);
        return { committed, failed, notCommitted };
      }
    }
    return { committed, failed: null, notCommitted: [] };
  }

  #do(by: Approver, step: ProposedChange): Promise<number | null> {
    const { kinds, review } = this.#parts;
    // What the kind writes on is read in the same turn.
    review.refuseChanged(by.caller, step);
    return kinds[step.kind].commit(by, step);
  }

  #told(error: unknown): { readonly code: string; readonly message: string } {
    if (error instanceof Problem) return { code: error.code, message: error.message };
    this.#parts.onFault(error);
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }
}

/** What others need comes before them, and goes after them. */
function placeOf({ kind, action }: DefinitionChange): number {
  if (action === 'delete') return kind === 'endpoint' ? 4 : 0;
  switch (kind) {
    case 'schema':
      return 1;
    case 'endpoint':
      return 2;
    case 'tool':
    case 'agent':
    case 'search-settings':
      return 3;
  }
}

function versionText(version: number | null): string {
  return version === null ? '' : `, version ${version}`;
}
