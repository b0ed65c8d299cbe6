import { EXTRACTION_CHOSEN_MAX } from '@trellis/contract/limits.ts';
import type {
  Extraction,
  ProposalChoice,
  ProposalsApproved,
} from '@trellis/contract/shapes/extraction.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { budgetKey } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readText } from './document-texts.ts';
import { EvidenceDraft } from './evidence-draft.ts';
import { EvidenceStore } from './evidence-store.ts';
import {
  batchOperation,
  type ExtractionStore,
  placeOf,
  proposalId,
  type StoredBatch,
  type StoredProposal,
  type StoredText,
} from './extraction-store.ts';
import { ExtractionTarget } from './extraction-target.ts';
import { Quotes } from './quotes.ts';

export interface DocumentApprovalParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly store: ExtractionStore;
}

type Refused = ProposalsApproved['refused'][number];

/** A batch, with the places of the proposals that are meant. */
interface ChosenBatch {
  readonly text: StoredText;
  readonly batch: StoredBatch;
  readonly chosen: readonly number[];
}

/** Who approves what. */
interface Approving {
  readonly doer: Doer;
  readonly run: Extraction;
  readonly target: ExtractionTarget;
  readonly refused: Map<string, Refused>;
}

/**
 * Writes what people approve, as one commit for each batch, and notes what they reject. To be
 * called one at a time, as its checks are of what there is.
 */
export class DocumentApproval {
  readonly #parts: DocumentApprovalParts;

  constructor(parts: DocumentApprovalParts) {
    this.#parts = parts;
  }

  /** Nodes of all batches come before edges, whose ends may be in another batch. */
  async approve(doer: Doer, run: Extraction, choice: ProposalChoice): Promise<ProposalsApproved> {
    const { reader } = this.#parts;
    const target = new ExtractionTarget(reader, run);
    const refused = new Map<string, Refused>();
    const approving = { doer, run, target, refused };
    let approved = 0;
    for (const kind of ['node', 'edge'] as const) {
      for await (const chosen of this.#chosen(doer, run, choice, kind)) {
        approved += await this.#approveBatch(approving, chosen);
      }
    }
    return { approved, refused: [...refused.values()] };
  }

  async reject(doer: Doer, run: Extraction, choice: ProposalChoice): Promise<number> {
    const { commits, audit, reader } = this.#parts;
    let rejected = 0;
    for await (const { text, batch, chosen } of this.#chosen(doer, run, choice)) {
      const proposals = batch.proposals.map((one, i) =>
        chosen.includes(i) ? ({ ...one, state: 'rejected', refused: null } as const) : one,
      );
      const details = { extraction: run.id, rejected: chosen.length };
      const event = deed('document.rejected', doer, { kind: 'node', id: text.uid }, details);
      await commits.commit({
        system: true,
        operations: [batchOperation(run.id, { ...batch, proposals }), audit.operation(event)],
      });
      reader.refresh();
      rejected += chosen.length;
    }
    return rejected;
  }

  /** Open proposals that fit, batch by batch, as they are when their turn comes. */
  async *#chosen(
    { caller }: Doer,
    run: Extraction,
    { proposals, document, minConfidence = 0 }: ProposalChoice,
    kind?: StoredProposal['kind'],
  ): AsyncGenerator<ChosenBatch> {
    const { store, reader } = this.#parts;
    const ids = proposals && new Set(proposals);
    const places = proposals?.map(placeOf).filter((one) => one?.extraction === run.id);
    const numbers = places && new Set(places.map((place) => place?.number));
    for (let number = 0; number < run.documents; number++) {
      if (document !== undefined && document !== number) continue;
      if (numbers?.has(number) === false) continue;
      reader.refresh();
      const text = store.text(run.id, number);
      for (let at = 0; at < (text?.batchesRead ?? 0); at++) {
        await turns.goOn(budgetKey(caller));
        reader.refresh();
        const batch = store.batch(run.id, number, at);
        if (batch === undefined || text === undefined) continue;
        const chosen = batch.proposals.flatMap((one, index) => {
          const id = proposalId({ extraction: run.id, number, batch: at, index });
          const isMeant =
            one.state === 'open' &&
            one.confidence >= minConfidence &&
            (kind === undefined || one.kind === kind) &&
            ids?.has(id) !== false;
          return isMeant ? [index] : [];
        });
        if (chosen.length > 0) yield { text, batch, chosen };
      }
    }
  }

  /** How many are written. */
  async #approveBatch(approving: Approving, { text, batch, chosen }: ChosenBatch): Promise<number> {
    try {
      return await this.#commit(approving, text, batch, chosen);
    } catch (error) {
      if (!isOfProposal(error)) throw error;
      if (chosen.length === 1) return this.#refuse(approving, { text, batch, chosen }, error);
    }
    // One of them cannot be written: the others are, one by one.
    let approved = 0;
    for (const index of chosen) {
      const { reader, store } = this.#parts;
      reader.refresh();
      const now = store.batch(approving.run.id, batch.number, batch.batch);
      if (now?.proposals[index]?.state !== 'open') continue;
      approved += await this.#approveBatch(approving, { text, batch: now, chosen: [index] });
    }
    return approved;
  }

  async #commit(
    { doer, run, target, refused }: Approving,
    text: StoredText,
    batch: StoredBatch,
    chosen: readonly number[],
  ): Promise<number> {
    const { reader, commits, audit, clock } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const current = readText(reader, text);
    const quotes =
      'text' in current && current.digest !== text.digest ? new Quotes(current.text) : null;
    const draft = new EvidenceDraft(reader, new EvidenceStore(reader), at);
    const proposals = [...batch.proposals];
    let approved = 0;
    for (const index of chosen) {
      const proposal = batch.proposals[index];
      if (proposal === undefined) continue;
      const place = { extraction: run.id, number: batch.number, batch: batch.batch, index };
      try {
        if ('reason' in current) throw new Problem('node_not_found', current.reason);
        if (quotes !== null && quotes.find(proposal.quote) === undefined) {
          throw new Problem('version_conflict', 'The text was changed: it lacks the quote now.');
        }
        if (proposal.kind === 'node') checkFields(target, proposal);
        draft.add(proposal, text, current.digest);
        proposals[index] = { ...proposal, state: 'approved', refused: null };
        refused.delete(proposalId(place));
        approved++;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { code, message } = error;
        proposals[index] = { ...proposal, refused: message };
        tellRefused(refused, { id: proposalId(place), code, message });
      }
    }
    const details = { extraction: run.id, approved, refused: chosen.length - approved };
    const event = deed('document.approved', doer, { kind: 'node', id: text.uid }, details);
    const { userUid } = doer.caller;
    await commits.commit({
      system: true,
      operations: [
        ...(approved === 0 ? [] : draft.operations()),
        batchOperation(run.id, { ...batch, proposals }),
        ...(approved === 0 ? [] : [audit.operation(event)]),
      ],
      ...(userUid === null ? {} : { user: userUid }),
    });
    reader.refresh();
    return approved;
  }

  async #refuse(
    { run, refused }: Approving,
    { batch, chosen }: ChosenBatch,
    { code, message }: Problem,
  ): Promise<number> {
    const { commits, reader } = this.#parts;
    const proposals = batch.proposals.map((one, i) =>
      chosen.includes(i) ? { ...one, refused: message } : one,
    );
    for (const index of chosen) {
      const place = { extraction: run.id, number: batch.number, batch: batch.batch, index };
      tellRefused(refused, { id: proposalId(place), code, message });
    }
    await commits.commit({
      system: true,
      operations: [batchOperation(run.id, { ...batch, proposals })],
    });
    reader.refresh();
    return 0;
  }
}

/** Of very many the first are told: each proposal says itself why it was left out. */
function tellRefused(refused: Map<string, Refused>, one: Refused): void {
  if (refused.size < EXTRACTION_CHOSEN_MAX || refused.has(one.id)) refused.set(one.id, one);
}

/** Throws `invalid_operation` for what the schema does not take any more. */
function checkFields(target: ExtractionTarget, { type, fields }: StoredProposal): void {
  const { fault } = target.checked(type, fields);
  if (fault === undefined) return;
  throw new Problem('invalid_operation', `${fault}: ${type} takes no such value.`);
}

/** What the writer has against something that is written, and not against writing. */
function isOfProposal(error: unknown): error is Problem {
  return error instanceof Problem && OF_PROPOSAL.has(error.code);
}

const OF_PROPOSAL: ReadonlySet<string> = new Set([
  'invalid_operation',
  'not_unique',
  'version_conflict',
  'node_not_found',
]);
