import type {
  Extraction,
  ExtractionDocument,
  ExtractionProposal,
  ExtractionRequest,
} from '@trellis/contract/shapes/extraction.ts';
import { EXTRACTIONS_KEPT } from '#base/assistant-limits.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Found } from './extraction-answer.ts';

/** The node types of `#graph/system-schema.ts`. */
const RUN_TYPE = '_Extraction';
const TEXT_TYPE = '_ExtractionDocument';
const BATCH_TYPE = '_ExtractionBatch';

/** A text of a run as it is stored. */
export interface StoredText extends Omit<ExtractionDocument, 'open' | 'approved' | 'rejected'> {
  /** SHA-256 of the text that is read; null until it is looked at. */
  readonly digest: string | null;
}

export interface StoredProposal extends Found {
  readonly state: ExtractionProposal['state'];
  readonly page: number | null;
  readonly refused: string | null;
}

/** The proposals of one batch, with what they were found by. */
export interface StoredBatch {
  readonly number: number;
  readonly batch: number;
  readonly proposals: readonly StoredProposal[];
  /** Version of the node, to detect changes by others. */
  readonly version: number;
}

/** Where a proposal is. */
export interface ProposalPlace {
  readonly extraction: string;
  readonly number: number;
  readonly batch: number;
  readonly index: number;
}

export function proposalId({ extraction, number, batch, index }: ProposalPlace): string {
  return `${extraction}-${number}-${batch}-${index}`;
}

export function placeOf(id: string): ProposalPlace | undefined {
  const [, extraction, ...numbers] = /^([^-]{1,40})-(\d{1,6})-(\d{1,6})-(\d{1,6})$/.exec(id) ?? [];
  const [number, batch, index] = numbers.map(Number);
  if (extraction === undefined || number === undefined) return undefined;
  return batch === undefined || index === undefined
    ? undefined
    : { extraction, number, batch, index };
}

/**
 * Reads extractions at the reader's commit. Each text of one is a node of its own, and so are the
 * proposals of each batch of a text: a batch is written when its answer is there, and never again
 * but for what people decide.
 */
export class ExtractionStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  get isFull(): boolean {
    return this.#reader.countOfType(RUN_TYPE) >= EXTRACTIONS_KEPT;
  }

  /** Newest first. */
  list(): Extraction[] {
    const ids = this.#reader.idsOfType(RUN_TYPE);
    return ids.map((id) => this.#reader.field(id, 'Record') as Extraction);
  }

  find(id: string): Extraction | undefined {
    return this.#record(RUN_TYPE, id) as Extraction | undefined;
  }

  request(id: string): ExtractionRequest {
    const node = this.#reader.id({ type: RUN_TYPE, key: id });
    return this.#reader.field(node ?? 0, 'Request') as ExtractionRequest;
  }

  text(extraction: string, number: number): StoredText | undefined {
    return this.#record(TEXT_TYPE, `${extraction}/${number}`) as StoredText | undefined;
  }

  /** In their order. */
  texts({ id, documents }: Pick<Extraction, 'id' | 'documents'>): StoredText[] {
    return Array.from({ length: documents }, (_, number) => this.text(id, number)).filter(
      (one) => one !== undefined,
    );
  }

  batch(extraction: string, number: number, batch: number): StoredBatch | undefined {
    const id = this.#reader.id({ type: BATCH_TYPE, key: batchKey(extraction, { number, batch }) });
    if (id === undefined) return undefined;
    const proposals = this.#reader.field(id, 'Proposals') as readonly StoredProposal[];
    return { number, batch, proposals, version: this.#reader.version(id) ?? 0 };
  }

  /** Those of a text that have proposals, in their order. */
  batches(extraction: string, { number, batchesRead }: StoredText): StoredBatch[] {
    return Array.from({ length: batchesRead }, (_, batch) =>
      this.batch(extraction, number, batch),
    ).filter((one) => one !== undefined);
  }

  /** Operations that remove what is proposed of one text. */
  batchDeletion(extraction: string, { number, batchesRead }: StoredText): WriterOperation[] {
    // Nothing is decoded: there may be thousands.
    return Array.from({ length: batchesRead }, (_, batch) => ({
      type: BATCH_TYPE,
      key: batchKey(extraction, { number, batch }),
    }))
      .filter((one) => this.#reader.id(one) !== undefined)
      .map((one) => ({ op: 'delete', ...one }) as const);
  }

  /** Operations that remove a run. */
  deletion(extraction: Extraction): WriterOperation[] {
    const { id } = extraction;
    const texts = this.texts(extraction);
    return [
      { op: 'delete', type: RUN_TYPE, key: id },
      ...texts.flatMap((text): WriterOperation[] => [
        ...this.batchDeletion(id, text),
        { op: 'delete', type: TEXT_TYPE, key: `${id}/${text.number}` },
      ]),
    ];
  }

  #record(type: string, key: string): unknown {
    const id = this.#reader.id({ type, key });
    return id === undefined ? undefined : this.#reader.field(id, 'Record');
  }
}

function batchKey(
  extraction: string,
  { number, batch }: { number: number; batch: number },
): string {
  return `${extraction}/${number}/${batch}`;
}

/** For a commit with `system`. `request` left out stays as it is. */
export function runOperation(run: Extraction, request?: ExtractionRequest): WriterOperation {
  const fields = { Record: run, ...(request === undefined ? {} : { Request: request }) };
  return { op: 'addOrUpdate', type: RUN_TYPE, key: run.id, fields: jsonOf(fields) };
}

/** For a commit with `system`. */
export function textOperation(extraction: string, text: StoredText): WriterOperation {
  const key = `${extraction}/${text.number}`;
  return { op: 'addOrUpdate', type: TEXT_TYPE, key, fields: jsonOf({ Record: text }) };
}

/** For a commit with `system`; a new one has the version 0. */
export function batchOperation(extraction: string, batch: StoredBatch): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: BATCH_TYPE,
    key: batchKey(extraction, batch),
    fields: jsonOf({ Proposals: batch.proposals }),
    ifVersion: batch.version,
  };
}

function jsonOf(fields: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
}
