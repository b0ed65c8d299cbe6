import type { ProposalItem } from '@trellis/contract/shapes/admin-agent.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import {
  type Approver,
  changeOf,
  type CommitOutcome,
  type DefinitionChange,
  inWords,
  isValid,
  type Proposal,
  type ProposedChange,
} from './proposal.ts';
import type { SessionStore, StoredSession } from './session-store.ts';
import type { DefinitionKinds, ProposalReview } from './proposal-review.ts';

export interface ProposalApprovalParts extends ProposalCommitParts {
  readonly sessions: SessionStore;
  readonly audit: AuditTrail;
}

export interface Approval {
  readonly proposal?: string | undefined;
  readonly acceptWidenedAccess?: boolean | undefined;
}

/** Listeners to the progress of a commit. */
export interface CommitWatch {
  readonly address: string;
  /** Called when the commit can no longer be refused. */
  readonly onAccepted: () => void;
  readonly log: (text: string) => void;
}

/** Checks a proposal again, carries it out, and says in the conversation what was done. */
export class ProposalApproval {
  readonly #parts: ProposalApprovalParts;
  readonly #commit: ProposalCommit;

  constructor(parts: ProposalApprovalParts) {
    this.#parts = parts;
    this.#commit = new ProposalCommit(parts);
  }

  /** Rejects before anything is done, or resolves: see `AdminAgent.approve`. */
  async approve(
    caller: Caller,
    session: StoredSession,
    approval: Approval,
    { address, onAccepted, log }: CommitWatch,
  ): Promise<CommitOutcome> {
    const proposal = proposalOf(session);
    refuseOther(proposal, approval);
    const items = await this.#parts.review.again(caller, proposal.items);
    refuseInvalid(items);
    refuseWidened(items, approval);
    onAccepted();
    log(`Approved: ${items.map(inWords).join('; ')}.`);
    const outcome = await this.#commit.run({ caller, address }, items, log);
    try {
      await this.#keep(session, proposal, outcome, { caller, address });
    } catch (error) {
      // What is committed stays so, and the administrator is told.
      this.#parts.onFault(error);
    }
    return outcome;
  }

  async #keep(
    session: StoredSession,
    proposal: Proposal,
    outcome: CommitOutcome,
    by: Approver,
  ): Promise<void> {
    const { committed } = outcome;
    const items = proposal.items.filter(
      ({ kind, name }) => !committed.some((one) => one.kind === kind && one.name === name),
    );
    const target = { kind: 'admin-agent', id: session.id };
    const event = deed('admin-agent.committed', by, target, { ...outcome });
    await this.#parts.sessions.change(session, {
      proposal: items.length === 0 ? null : { ...proposal, items },
      messages: [{ role: 'user', text: outcomeInWords(outcome), toolCalls: [] }],
      trace: this.#parts.audit.operation(event),
    });
  }
}

/** Throws `no_proposal`. */
export function proposalOf({ proposal }: StoredSession): Proposal {
  if (proposal !== null) return proposal;
  throw new Problem('no_proposal', 'Nothing is proposed in this conversation.');
}

function refuseOther({ id }: Proposal, { proposal = id }: Approval): void {
  if (proposal === id) return;
  throw new Problem('version_conflict', 'The agent has changed its proposal meanwhile.', {
    hint: 'Read the conversation again, and approve what is proposed now.',
    details: { current: id },
  });
}

function refuseInvalid(items: readonly ProposalItem[]): void {
  if (isValid(items)) return;
  const faulty = items.filter(({ diagnostics }) => diagnostics.length > 0);
  throw new Problem('proposal_not_valid', 'The proposal has errors.', {
    details: {
      items: faulty.map((item) => ({ ...changeOf(item), diagnostics: item.diagnostics })),
    },
  });
}

function refuseWidened(items: readonly ProposalItem[], approval: Approval): void {
  const widening = items.filter(({ widensAccess }) => widensAccess.length > 0);
  if (widening.length === 0 || approval.acceptWidenedAccess === true) return;
  throw new Problem('access_widened', 'The proposal gives more access than before.', {
    details: {
      items: widening.map((item) => ({ ...changeOf(item), reasons: item.widensAccess })),
    },
  });
}

/** For the agent, which reads it in the next turn. */
function outcomeInWords({ committed, failed, notCommitted }: CommitOutcome): string {
  const lines = ['I have approved the proposal.'];
  if (committed.length > 0) lines.push(`Done: ${committed.map(inWords).join('; ')}.`);
  if (failed !== null) lines.push(`Failed: ${inWords(failed)}: ${failed.error.message}`);
  if (notCommitted.length > 0) lines.push(`Not begun: ${notCommitted.map(inWords).join('; ')}.`);
  return lines.join('\n');
}

interface ProposalCommitParts {
  readonly kinds: DefinitionKinds;
  readonly review: ProposalReview;
  /** Called with our own faults; the administrator only learns that there was one. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Carries out what is approved, with one commit for each definition, so that none is ever half
 * done.
 */
class ProposalCommit {
  readonly #parts: ProposalCommitParts;

  constructor(parts: ProposalCommitParts) {
    this.#parts = parts;
  }

  /** Never rejects: it reports a failure, and does nothing after it. */
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
    // The kind reads the definition again in the same turn of the event loop, so nothing can
    // change in between.
    review.refuseChanged(by.caller, step);
    return kinds[step.kind].commit(by, step);
  }

  #told(error: unknown): { readonly code: string; readonly message: string } {
    if (error instanceof Problem) return { code: error.code, message: error.message };
    this.#parts.onFault(error);
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }
}

/**
 * The place of a change in the order: what others need is created before them and deleted after
 * them.
 */
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
