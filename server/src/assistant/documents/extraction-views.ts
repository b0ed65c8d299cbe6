import type {
  Extraction,
  ExtractionDocument,
  ExtractionProposal,
  ExtractionWithDocuments,
  ProposalQuery,
  ProposalText,
} from '@trellis/contract/shapes/extraction.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { EXTRACTION_CONTEXT_CHARACTERS } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { didYouMean } from '#graph/names.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readText } from './document-texts.ts';
import {
  ExtractionStore,
  placeOf,
  proposalId,
  type StoredBatch,
  type StoredText,
} from './extraction-store.ts';

/** What people see of extractions, at the newest commit. */
export class ExtractionViews {
  readonly #reader: GraphReader;
  readonly #store: ExtractionStore;

  constructor(reader: GraphReader) {
    this.#reader = reader;
    this.#store = new ExtractionStore(reader);
  }

  list(_caller: Caller, { skip, take }: Page): List<Extraction> {
    this.#reader.refresh();
    const all = this.#store.list();
    return { items: all.slice(skip, skip + take), total: all.length, skip, take };
  }

  /** This and the others below throw `extraction_not_found`. */
  async get(caller: Caller, id: string): Promise<ExtractionWithDocuments> {
    const run = this.find(id);
    const texts: ExtractionDocument[] = [];
    for (const text of this.#store.texts(run)) {
      await turns.goOn(budgetKey(caller));
      texts.push(this.#shownText(id, text));
    }
    return { ...run, texts };
  }

  async proposals(
    caller: Caller,
    id: string,
    { document, state, type, minConfidence = 0, skip, take }: ProposalQuery,
  ): Promise<List<ExtractionProposal>> {
    const run = this.find(id);
    const items: ExtractionProposal[] = [];
    let total = 0;
    for (const text of this.#store.texts(run)) {
      if (document !== undefined && text.number !== document) continue;
      for (const batch of this.#store.batches(id, text)) {
        await turns.goOn(budgetKey(caller));
        for (const [index, one] of batch.proposals.entries()) {
          const isWanted =
            one.confidence >= minConfidence &&
            (state === undefined || one.state === state) &&
            (type === undefined || one.type === type);
          if (!isWanted) continue;
          if (total >= skip && items.length < take) items.push(this.shown(id, text, batch, index));
          total++;
        }
      }
    }
    return { items, total, skip, take };
  }

  /** Throws `proposal_not_found`. */
  text(_caller: Caller, id: string): ProposalText {
    const { text, batch, place } = this.findProposal(id);
    const { quote, page, offset } = must(batch.proposals[place.index], 'a proposal');
    const now = readText(this.#reader, text);
    if ('reason' in now || now.digest !== text.digest) {
      return { isCurrent: false, before: '', quote, after: '', page };
    }
    const end = offset + quote.length;
    return {
      isCurrent: true,
      before: now.text.slice(Math.max(0, offset - EXTRACTION_CONTEXT_CHARACTERS), offset),
      quote,
      after: now.text.slice(end, end + EXTRACTION_CONTEXT_CHARACTERS),
      page,
    };
  }

  findProposal(id: string) {
    this.#reader.refresh();
    const place = placeOf(id);
    if (place === undefined) throw noProposal();
    const { extraction, number, index } = place;
    const run = this.#store.find(extraction);
    const text = this.#store.text(extraction, number);
    const batch = this.#store.batch(extraction, number, place.batch);
    if (run === undefined || text === undefined || batch?.proposals[index] === undefined) {
      throw noProposal();
    }
    return { run, text, batch, place };
  }

  find(id: string): Extraction {
    this.#reader.refresh();
    const found = this.#store.find(id);
    if (found !== undefined) return found;
    const ids = this.#store.list().map((one) => one.id);
    throw new Problem('extraction_not_found', 'There is no such extraction.', {
      ...didYouMean(id, ids),
    });
  }

  #shownText(id: string, { digest: _digest, ...text }: StoredText): ExtractionDocument {
    const counts = { open: 0, approved: 0, rejected: 0 };
    for (const batch of this.#store.batches(id, { ...text, digest: null })) {
      for (const { state } of batch.proposals) counts[state]++;
    }
    return { ...text, ...counts };
  }

  shown(
    extraction: string,
    { uid, name, file, field, number }: StoredText,
    { batch, proposals }: StoredBatch,
    index: number,
  ): ExtractionProposal {
    const reader = this.#reader;
    const proposal = must(proposals[index], 'a proposal');
    const { type, key } = proposal;
    const there = key === null ? undefined : reader.id({ type, key });
    return {
      ...proposal,
      unquoted: [...proposal.unquoted],
      id: proposalId({ extraction, number, batch, index }),
      existing: (there === undefined ? undefined : reader.uid(there)) ?? null,
      document: { uid, name, file, field, number },
    };
  }
}

function noProposal(): Problem {
  return new Problem('proposal_not_found', 'There is no such proposal.');
}
