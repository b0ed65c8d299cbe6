import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { deed } from '#access/deed.ts';
import { Problem } from '#base/problem.ts';
import type { Approver } from './definition-kind.ts';
import {
  changeOf,
  inWords,
  isValid,
  type CommitOutcome,
  type Proposal,
  type ProposalItem,
} from './proposal.ts';
import { ProposalCommit, type ProposalCommitParts } from './proposal-commit.ts';
import type { SessionStore, StoredSession } from './session-store.ts';

export interface ProposalApprovalParts extends ProposalCommitParts {
  readonly sessions: SessionStore;
  readonly audit: AuditTrail;
}

export interface Approval {
  readonly proposal?: string | undefined;
  readonly acceptWidenedAccess?: boolean | undefined;
}

/** How a commit goes on. */
export interface CommitWatch {
  readonly address: string;
  /** From here on nothing is refused any more. */
  readonly onAccepted: () => void;
  readonly log: (text: string) => void;
}

/** Looks once more at what is proposed, does it, and says in the conversation what was done. */
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
      // What is done is done: whoever has asked is told.
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
  throw new Problem('version_conflict', 'The agent has proposed something else meanwhile.', {
    hint: 'Read the conversation again, and approve what is proposed now.',
    details: { current: id },
  });
}

function refuseInvalid(items: readonly ProposalItem[]): void {
  if (isValid(items)) return;
  const faulty = items.filter(({ diagnostics }) => diagnostics.length > 0);
  throw new Problem('proposal_not_valid', 'What is proposed would not work as it is.', {
    details: {
      items: faulty.map((item) => ({ ...changeOf(item), diagnostics: item.diagnostics })),
    },
  });
}

function refuseWidened(items: readonly ProposalItem[], approval: Approval): void {
  const widening = items.filter(({ widensAccess }) => widensAccess.length > 0);
  if (widening.length === 0 || approval.acceptWidenedAccess === true) return;
  throw new Problem('access_widened', 'What is proposed gives more access than there was.', {
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
