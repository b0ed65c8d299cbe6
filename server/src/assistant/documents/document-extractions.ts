import { EXTRACTION_TOKENS_MAX } from '@trellis/contract/limits.ts';
import type {
  Extraction,
  ExtractionProposal,
  ExtractionRequest,
  ExtractionResumption,
  ExtractionStarted,
  ProposalChange,
  ProposalChoice,
  ProposalsApproved,
} from '@trellis/contract/shapes/extraction.ts';
import { type AuditAction, type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { type Caller, serverCaller } from '#access/caller.ts';
import type { NodeReads } from '#access/node-view.ts';
import type { SchemaService } from '#access/schema-service.ts';
import { afterRace } from '#base/after-race.ts';
import { must } from '#base/assert.ts';
import { EXTRACTION_TOKENS_DEFAULT } from '#base/assistant-limits.ts';
import type { Alarm, Clock } from '#base/clock.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import { allowedModel, payerOf } from '../model/asked-model.ts';
import type { ModelRunner } from '../model/model-run.ts';
import { DocumentApproval } from './document-approval.ts';
import { DocumentRetraction } from './document-retraction.ts';
import { chosenSources, readText, type TextSource } from './document-texts.ts';
import type { WatchedDocuments } from './document-follower.ts';
import { documentOperation, EvidenceStore } from './evidence-store.ts';
import { unquotedOf } from './extraction-answer.ts';
import { ExtractionRun } from './extraction-run.ts';
import {
  batchOperation,
  ExtractionStore,
  runOperation,
  type StoredProposal,
  type StoredText,
  textOperation,
} from './extraction-store.ts';
import { EVIDENCE_SCHEMA, ExtractionTarget } from './extraction-target.ts';
import { ExtractionViews } from './extraction-views.ts';

export interface DocumentExtractionsParts {
  readonly reads: NodeReads;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly jobs: JobRegistry;
  readonly models: ModelRunner;
  readonly schema: Pick<SchemaService, 'put'>;
  /** The first is the default. Throws `llm_not_configured`. */
  readonly allowedModels: () => readonly string[];
  /** The user as their record says now; undefined for one who may not sign in any more. */
  readonly callerFor: (userUid: string) => Caller | undefined;
  /** Told when other documents may change from now on. */
  readonly onDocuments: () => void;
  /** Called with errors that are the server's own fault. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Files and texts that become nodes and edges of the workspace's own schema: a job asks a model
 * what they state, people approve, and what was approved goes with the document that stated it.
 */
export class DocumentExtractions implements AsyncDisposable {
  readonly #parts: DocumentExtractionsParts;
  readonly #store: ExtractionStore;
  readonly #evidence: EvidenceStore;
  readonly #views: ExtractionViews;
  readonly #approval: DocumentApproval;
  readonly #retraction: DocumentRetraction;
  /** Approvals and retractions look at what there is, and then write. */
  readonly #writes = new OneAtATime();
  readonly #closing = new AbortController();
  readonly #counts = { proposed: 0, dropped: 0, approved: 0, rejected: 0, retracted: 0 };
  #running: { readonly job: string; readonly over: Promise<void> } | undefined;

  constructor(parts: DocumentExtractionsParts) {
    this.#parts = parts;
    const { reader } = parts.reads;
    this.#store = new ExtractionStore(reader);
    this.#evidence = new EvidenceStore(reader);
    this.#views = new ExtractionViews(reader);
    const own = { ...parts, reader, store: this.#store };
    this.#approval = new DocumentApproval(own);
    this.#retraction = new DocumentRetraction(own);
  }

  /** Goes on with what a stop of the server, or of the primary before, has cut off. */
  async recover(): Promise<void> {
    this.#refresh();
    const [run, ...others] = this.#store.list().filter(({ state }) => state === 'running');
    // There is one at a time; more are there only after a crash between two commits.
    for (const other of others) await this.#end(other, 'cancelled', null);
    if (run !== undefined) await this.#goOn(run, null);
  }

  /** Proposals by what became of them, and nodes that were changed back, since the start. */
  counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** What there is, for those who look at it. */
  get views(): ExtractionViews {
    return this.#views;
  }

  /**
   * Rejects with `extraction_running`, `extraction_limit_reached`, `llm_not_configured`,
   * `model_not_found`, `node_not_found`, `invalid_request`, and the problems of the writer.
   */
  async start(doer: Doer, request: ExtractionRequest): Promise<ExtractionStarted> {
    const { caller } = doer;
    const { reads, allowedModels, clock } = this.#parts;
    const startedBy = payerOf(caller);
    const model = allowedModel(request.model, allowedModels());
    this.#refuseSecond();
    this.#refresh();
    if (this.#store.isFull) throw new Problem('extraction_limit_reached', 'There are too many.');
    const target = new ExtractionTarget(reads.reader, request);
    const sources = await chosenSources(reads, caller, request.documents);
    if (sources.length === 0) throw noTexts();
    const id = formatUid(randomUid());
    const run: Extraction = {
      id,
      job: '',
      state: 'running',
      error: null,
      types: target.types,
      edges: target.edges,
      model,
      startedBy,
      startedAt: new Date(clock.now()).toISOString(),
      endedAt: null,
      documents: sources.length,
      read: 0,
      failed: 0,
      proposals: 0,
      dropped: 0,
      maxTokens: request.maxTokens ?? EXTRACTION_TOKENS_DEFAULT,
      tokensUsed: 0,
    };
    return this.#begin(run, doer, 'document.extraction-started', async (begun) => {
      await this.#declareEvidence();
      // What is told of documents is written in turn with approvals, which change the same.
      await this.#writes.run(() => this.#commit([...this.#beginning(begun, request, sources)]));
      this.#parts.onDocuments();
    });
  }

  /** Rejects as `start`, and with `extraction_not_resumable`. */
  async resume(
    doer: Doer,
    id: string,
    { maxTokens = EXTRACTION_TOKENS_DEFAULT }: ExtractionResumption,
  ): Promise<ExtractionStarted> {
    const run = this.#views.find(id);
    this.#refuseSecond();
    const startedBy = payerOf(doer.caller);
    allowedModel(run.model, this.#parts.allowedModels());
    // Throws when the schema has lost what it looks for.
    void new ExtractionTarget(this.#parts.reads.reader, run);
    const texts = this.#store.texts(run).filter(({ state }) => state !== 'read');
    if (texts.length === 0) {
      throw new Problem('extraction_not_resumable', 'All of its documents are read.');
    }
    const again: Extraction = {
      ...run,
      state: 'running',
      error: null,
      endedAt: null,
      failed: 0,
      startedBy,
      maxTokens: Math.min(EXTRACTION_TOKENS_MAX, run.tokensUsed + maxTokens),
    };
    return this.#begin(again, doer, 'document.extraction-started', async (begun) => {
      const waiting = texts.map((text) => textOperation(id, waitingAgain(text)));
      await this.#writes.run(() => {
        // It may have been deleted since.
        this.#views.find(id);
        return this.#commit([...waiting, runOperation(begun)]);
      });
    });
  }

  /** Throws `extraction_running`. */
  async delete(doer: Doer, id: string): Promise<void> {
    await this.#writes.run(() => {
      const run = this.#views.find(id);
      if (run.state === 'running') throw busy(run.job);
      const event = this.#event('document.extraction-deleted', doer, run);
      return this.#commit([...this.#store.deletion(run), event]);
    });
  }

  /** Rejects with `schema_conflict`, and the problems of the writer. */
  approve(doer: Doer, id: string, choice: ProposalChoice): Promise<ProposalsApproved> {
    return this.#writes.run(async () => {
      const run = this.#views.find(id);
      await this.#declareEvidence();
      const done = await this.#approval.approve(doer, run, choice);
      this.#counts.approved += done.approved;
      return done;
    });
  }

  reject(doer: Doer, id: string, choice: ProposalChoice): Promise<{ readonly rejected: number }> {
    return this.#writes.run(async () => {
      const rejected = await this.#approval.reject(doer, this.#views.find(id), choice);
      this.#counts.rejected += rejected;
      return { rejected };
    });
  }

  /** Throws `proposal_not_found`, `proposal_not_open`, `invalid_request`. */
  change(doer: Doer, id: string, change: ProposalChange): Promise<ExtractionProposal> {
    return this.#writes.run(async () => {
      const { run, text, batch, place } = this.#views.findProposal(id);
      const before = must(batch.proposals[place.index], 'a proposal');
      if (before.state !== 'open') {
        throw new Problem('proposal_not_open', `It is ${before.state} already.`);
      }
      const changed = this.#changed(run, before, change);
      const proposals = batch.proposals.with(place.index, changed);
      await this.#commit([
        batchOperation(run.id, { ...batch, proposals }),
        this.#event('document.proposal-changed', doer, run),
      ]);
      const now = must(this.#store.batch(run.id, text.number, batch.batch), 'a batch');
      return this.#views.shown(run.id, text, now, place.index);
    });
  }

  /** What is to be followed. */
  watched(): WatchedDocuments {
    this.#refresh();
    const documents = new Map<string, string>();
    const types = new Set<string>();
    const waiting: string[] = [];
    for (const uid of this.#evidence.documents()) {
      documents.set(uid, uid);
      const { type, texts, extractions, waits } = this.#evidence.document(uid).value;
      if (waits === true) waiting.push(uid);
      types.add(type);
      for (const source of Object.keys(texts)) documents.set(source, uid);
      for (const [id, numbers] of Object.entries(extractions)) {
        for (const number of numbers) {
          const file = this.#store.text(id, number)?.file;
          if (file) documents.set(file.uid, uid);
        }
      }
    }
    return { documents, types: [...types], waiting };
  }

  /** Takes back what the document does not say any more; see `DocumentRetraction`. */
  async look(document: string): Promise<void> {
    // Of what others change meanwhile, as who splits its nodes, it looks at what there is then.
    const changed = await this.#writes.run(() => afterRace(() => this.#retraction.look(document)));
    this.#counts.retracted += changed;
  }

  /** Stops what runs, and writes nothing about it: the next start goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Problem('server_stopping', 'The server stops.'));
    await this.#running?.over;
    await this.#writes.ended();
  }

  async #begin(
    run: Extraction,
    doer: Doer,
    action: AuditAction,
    write: (run: Extraction) => Promise<void>,
  ): Promise<ExtractionStarted> {
    this.#refuseSecond();
    this.#closing.signal.throwIfAborted();
    const { jobs } = this.#parts;
    const job = jobs.start({ kind: 'document-extraction', step: 'Begins', isCancellable: true });
    const over = Promise.withResolvers<void>();
    this.#running = { job: job.id, over: over.promise };
    const begun = { ...run, job: job.id };
    try {
      await write(begun);
      await this.#commit([this.#event(action, doer, begun)]);
    } catch (error) {
      this.#running = undefined;
      job.end('failed', error);
      over.resolve();
      throw error;
    }
    void this.#do(begun, job).finally(() => {
      this.#running = undefined;
      over.resolve();
    });
    const { log: _log, ...shown } = jobs.get(doer.caller, job.id);
    return { ...shown, extraction: run.id };
  }

  async #goOn(run: Extraction, address: string | null): Promise<void> {
    const caller = serverCaller('documents');
    try {
      await this.#begin(run, { caller, address }, 'document.extraction-resumed', (begun) =>
        this.#commit([runOperation(begun)]),
      );
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  /** Never rejects. */
  async #do(begun: Extraction, job: RunningJob): Promise<void> {
    const { reads, callerFor } = this.#parts;
    const signal = AbortSignal.any([job.signal, this.#closing.signal]);
    let state: Extraction['state'];
    let failure: Problem | null = null;
    let working: ExtractionRun | undefined;
    try {
      working = new ExtractionRun(
        begun,
        { ...this.#parts, store: this.#store },
        {
          request: this.#store.request(begun.id),
          target: new ExtractionTarget(reads.reader, begun),
          caller: () => {
            const caller = callerFor(begun.startedBy);
            if (caller?.isAdmin === true) return caller;
            throw new Problem('forbidden', 'Who has started it is no administrator any more.');
          },
          signal,
          onProgress: (run, { number, batches, batchesRead }) => {
            const done = number + (batches === 0 ? 1 : batchesRead / batches);
            const step = `${number + 1} of ${run.documents} texts, ${run.proposals} proposals`;
            job.report({ progress: done / run.documents, step });
          },
          log: (line) => job.log(line),
        },
      );
      state = await working.work();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      state = job.signal.aborted ? 'cancelled' : 'failed';
      failure = state === 'failed' ? this.#problemOf(error) : null;
    }
    const run = working?.run ?? begun;
    try {
      await this.#end(run, state, failure);
      this.#counts.proposed += run.proposals - begun.proposals;
      this.#counts.dropped += run.dropped - begun.dropped;
      await this.#lookAtDeleted(run);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      job.end('failed', this.#problemOf(error));
      return;
    }
    if (state === 'cancelled') job.end('cancelled');
    else if (failure !== null) job.end('failed', failure);
    else {
      if (state === 'out-of-tokens')
        job.log('The tokens are used up: it can be resumed with more.');
      job.end('succeeded');
    }
  }

  async #end(run: Extraction, state: Extraction['state'], failure: Problem | null): Promise<void> {
    const endedAt = new Date(this.#parts.clock.now()).toISOString();
    const error = failure && { code: failure.code, message: failure.message };
    await this.#commit([runOperation({ ...run, state, error, endedAt })]);
  }

  /** Those of which something was kept before they were deleted. */
  async #lookAtDeleted(run: Extraction): Promise<void> {
    const gone = this.#store
      .texts(run)
      .filter((text) => 'reason' in readText(this.#parts.reads.reader, text));
    for (const uid of new Set(gone.map((text) => text.uid))) await this.look(uid);
  }

  #beginning(
    run: Extraction,
    request: ExtractionRequest,
    sources: readonly TextSource[],
  ): WriterOperation[] {
    const texts = sources.map((source, number): StoredText => ({
      ...source,
      number,
      state: 'waiting',
      reason: null,
      digest: null,
      batches: 0,
      batchesRead: 0,
      proposals: 0,
      dropped: { quote: 0, schema: 0 },
    }));
    const documents = Map.groupBy(texts, ({ uid }) => uid);
    return [
      runOperation(run, request),
      ...texts.map((text) => textOperation(run.id, text)),
      ...[...documents].map(([uid, some]) => {
        const { value, version } = this.#evidence.document(uid);
        const kept = Object.entries(value.extractions).filter(([key]) => this.#store.find(key));
        const extractions = {
          ...Object.fromEntries(kept),
          [run.id]: some.map(({ number }) => number),
        };
        const id = this.#parts.reads.reader.id({ uid });
        const type = (id === undefined ? undefined : this.#parts.reads.reader.typeOf(id)) ?? '';
        return documentOperation(uid, { ...value, type, extractions }, version);
      }),
    ];
  }

  /** Declares the edges to documents, once. Rejects with `schema_conflict`. */
  async #declareEvidence(): Promise<void> {
    const { reads, schema } = this.#parts;
    const [declared] = EVIDENCE_SCHEMA.edges;
    const known = reads.reader.schema().edges.find(({ type }) => type === declared?.type);
    const names = Object.keys(declared?.fields ?? {});
    if (names.every((name) => known?.fields?.[name] !== undefined)) return;
    await schema.put(serverCaller('documents'), EVIDENCE_SCHEMA);
    this.#refresh();
  }

  #changed(run: Extraction, before: StoredProposal, change: ProposalChange): StoredProposal {
    const { key = before.key ?? undefined, fields = before.fields } = change;
    if (before.kind === 'edge') throw invalid('key', 'an edge has no key and no values');
    const target = new ExtractionTarget(this.#parts.reads.reader, run);
    const { type, confidence, quote } = before;
    const { fault } = target.checked(type, fields);
    if (fault !== undefined) throw invalid(`fields.${fault}`, `${type} takes no such value`);
    const node = target.node({ type, key, fields, confidence, quote });
    if (node === undefined) throw invalid('key', 'is no key');
    const unquoted = unquotedOf(node, quote);
    return { ...before, key: node.key, fields: node.fields, unquoted, refused: null };
  }

  #refuseSecond(): void {
    if (this.#running !== undefined) throw busy(this.#running.job);
  }

  #event(action: AuditAction, doer: Doer, run: Extraction): WriterOperation {
    const { id, model, documents, job } = run;
    const target = { kind: 'extraction', id };
    return this.#parts.audit.operation(deed(action, doer, target, { model, documents, job }));
  }

  #refresh(): void {
    this.#parts.reads.reader.refresh();
  }

  #commit(operations: readonly WriterOperation[]): Promise<void> {
    const { reads, commits } = this.#parts;
    return commitAndRead(operations, { reader: reads.reader, commits });
  }

  #problemOf(error: unknown): Problem {
    if (error instanceof Problem) return error;
    this.#parts.onFault(error);
    return new Problem('internal_error', 'Something went wrong on our side.', { cause: error });
  }
}

/** A text that could not be read is looked at anew, and one that was half read is read on. */
function waitingAgain(text: StoredText): StoredText {
  return { ...text, state: 'waiting', reason: null };
}

function busy(job: string): Problem {
  return new Problem('extraction_running', 'Documents are being read.', { details: { job } });
}

function noTexts(): Problem {
  return invalid('documents', 'have no files and no texts that could be read');
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
