import { isDeepStrictEqual } from 'node:util';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import { serverCaller } from '#access/caller.ts';
import { accessOf, isWithin, type Readers, readersOf } from '#access/node-access.ts';
import { turns } from '#base/turns.ts';
import { HAS_FILE } from '#graph/file-nodes.ts';
import { NOBODY_TEAM, NOBODY_UID } from '#graph/merged-access.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { isWithheld, readersOfText, readText, textOf } from './document-texts.ts';
import {
  type EdgeStatement,
  formerValues,
  isStated,
  type NodeEvidence,
  retracted,
  saidBy,
  type StatedEdge,
  type Statement,
  statementsOf,
  waiting,
} from './evidence.ts';
import { evidenceLink, isOfOther, named, restrictTo } from './evidence-draft.ts';
import {
  documentOperation,
  EvidenceStore,
  nodeOperation,
  type StoredDocument,
  type StoredEvidence,
} from './evidence-store.ts';
import { type ExtractionStore, type StoredText, textOperation } from './extraction-store.ts';
import { EVIDENCE_EDGE } from '@trellis/contract/evidence.ts';
import { type FormerValues, isMerged, NodeRecords } from './node-records.ts';
import { Quotes } from './quotes.ts';

export interface DocumentRetractionParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly store: ExtractionStore;
}

const TURNS = 'document-evidence';
const NODES_AT_ONCE = 100;

/** What became of a document. */
interface DocumentNow {
  readonly uid: string;
  readonly isGone: boolean;
  /** The digest of each text that is still there. */
  readonly texts: Readonly<Record<string, string>>;
  /** Whether one of its statements still stands in its text. */
  readonly isMade: (statement: EdgeStatement) => boolean;
  /** Who may read a text of it. */
  readonly readers: (source: string) => Readers;
  /** Whether a text is kept from some who see the document. */
  readonly isWithheld: (source: string) => boolean;
  readonly isChanged: boolean;
}

/** What is to be done with one node. */
interface NodePlan {
  readonly uid: string;
  readonly id: number;
  readonly before: StoredEvidence;
  readonly version: number;
  readonly after: NodeEvidence;
  readonly unlinked: readonly Pick<StatedEdge, 'edge' | 'to'>[];
}

/**
 * Takes back what a document does not say any more, because it, a file of it or its text was
 * deleted or changed; or because more people see it than may read the document now. It compares
 * what is kept with what there is, so that it may be called again at any time, after a crash too.
 * To be called one at a time.
 */
export class DocumentRetraction {
  readonly #parts: DocumentRetractionParts;
  readonly #evidence: EvidenceStore;

  constructor(parts: DocumentRetractionParts) {
    this.#parts = parts;
    this.#evidence = new EvidenceStore(parts.reader);
  }

  /** Resolves with the number of nodes that were changed. */
  async look(uid: string): Promise<number> {
    const { reader } = this.#parts;
    reader.refresh();
    const { value: document, version } = this.#evidence.document(uid);
    if (version === 0) return 0;
    const now = this.#now(uid, document);
    await this.#forgetProposals(document);
    const isSame = !now.isChanged && !now.isGone && document.waits !== true;
    if (isSame && !(await this.#tellsTooMany(now, document))) return 0;
    const isMergedNode = (node: string): boolean => this.#isMerged(node);
    // It may be split before the end, by which its records are not looked at yet.
    const wasMerged = document.nodes.some(isMergedNode);
    const touched = new Set<string>();
    // Edges go first: a node goes only when nothing else leads to it.
    for (const step of [this.#unlinking, this.#changing] as const) {
      for (let at = 0; at < document.nodes.length; at += NODES_AT_ONCE) {
        await turns.next(TURNS);
        reader.refresh();
        const some = document.nodes.slice(at, at + NODES_AT_ONCE);
        const operationsOf = (node: string): WriterOperation[] => {
          const operations = step.call(this, node, now);
          if (operations.some(({ op }) => op !== 'link')) touched.add(node);
          return operations;
        };
        // Two UIDs may be those of one node, which is read again after each.
        const merged = some.filter(isMergedNode);
        await this.#commit(some.filter((node) => !merged.includes(node)).flatMap(operationsOf));
        for (const node of merged) await this.#commit(operationsOf(node));
      }
    }
    await this.#end(now, touched.size, wasMerged);
    return touched.size;
  }

  #now(uid: string, document: StoredDocument): DocumentNow {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    const records = id === undefined ? undefined : new NodeRecords(reader, id);
    const texts: Record<string, string> = {};
    const quotes = new Map<string, Quotes | 'same'>();
    for (const [source, digest] of Object.entries(document.texts)) {
      const file = reader.id({ uid: source });
      const isFile =
        file !== undefined &&
        id !== undefined &&
        reader.neighbors(file, 'in', HAS_FILE).includes(id);
      const read = isFile
        ? readText(reader, { uid, file: { uid: source, name: '' }, field: null })
        : textOf(records?.own(uid, source));
      if ('reason' in read) continue;
      texts[source] = read.digest;
      quotes.set(source, read.digest === digest ? 'same' : new Quotes(read.text));
    }
    const field = (source: string) =>
      reader.id({ uid: source }) === undefined ? { field: source } : { field: null };
    const readers = (source: string): Readers =>
      id === undefined ? { teams: [], users: [] } : readersOfText(reader, id, field(source));
    const isKept = (source: string): boolean =>
      id !== undefined && isWithheld(reader, id, field(source));
    const isSaid = ({ document: of, source, quote, ...one }: EdgeStatement): boolean => {
      if ('isGone' in one) return false;
      if (of !== uid) return true;
      const found = quotes.get(source);
      return found === 'same' || found?.find(quote) !== undefined;
    };
    const isChanged = !isDeepStrictEqual({ ...texts }, { ...document.texts });
    const isGone = id === undefined;
    return { uid, isGone, texts, isMade: isSaid, readers, isWithheld: isKept, isChanged };
  }

  /** Whether more people see a node than may read what the document says of it. */
  async #tellsTooMany(now: DocumentNow, { nodes }: StoredDocument): Promise<boolean> {
    const { reader } = this.#parts;
    for (const uid of nodes) {
      await turns.goOn(TURNS);
      const evidence = this.#evidence.node(uid).value;
      const id = reader.id({ uid });
      if (evidence === undefined || id === undefined) continue;
      if (this.#narrowed(id, evidence, now) !== undefined) return true;
      if (this.#plan(uid, now)?.isTold === true) return true;
    }
    return false;
  }

  /** What the node is to be restricted to; undefined when it is not to be changed. */
  #narrowed(id: number, evidence: StoredEvidence, now: DocumentNow): Readers | undefined {
    const { reader } = this.#parts;
    const { granted, madeAt } = evidence;
    const readers = readersOf(reader, id);
    // What a person has shared since stays as the person wants it.
    if (madeAt === null || !isDeepStrictEqual(namedOrAll(readers), namedOrAll(granted)))
      return undefined;
    const sources = statementsOf(evidence).filter(
      (one) => one.document === now.uid && now.isMade(one),
    );
    let wanted = readers;
    for (const { source } of sources) wanted = both(wanted, now.readers(source));
    return isWithin(readers, wanted) ? undefined : wanted;
  }

  /** Undefined when there is nothing to be done. `isTold`: it tells too many people. */
  #plan(uid: string, now: DocumentNow): (NodePlan & { readonly isTold: boolean }) | undefined {
    const { reader } = this.#parts;
    const { value: before, version } = this.#evidence.node(uid);
    const id = reader.id({ uid });
    if (before === undefined || id === undefined) return undefined;
    if (!this.#isMerged(uid) && isOfOther(reader, id, before)) return undefined;
    const readers = readersOf(reader, id);
    let isTold = false;
    const isMade = (one: EdgeStatement | Statement, to?: string): boolean => {
      if (one.document !== now.uid || !now.isMade(one)) return now.isMade(one);
      // Who sees a node that documents have made is changed instead, or by a person.
      const isNarrow = before.madeAt !== null || isWithin(readers, now.readers(one.source));
      const isMention =
        'fields' in one && Object.keys(one.fields).length === 0 && !now.isWithheld(one.source);
      if (isNarrow || isMention) return true;
      const end = to === undefined ? undefined : reader.id({ uid: to });
      if (end !== undefined && isWithin(readersOf(reader, end), now.readers(one.source)))
        return true;
      isTold = true;
      return false;
    };
    const { evidence: after, unlinked } = retracted(before, isMade);
    return { uid, id, before, version, after, unlinked, isTold };
  }

  /** The first step for one node. */
  #unlinking(uid: string, now: DocumentNow): WriterOperation[] {
    const plan = this.#plan(uid, now);
    if (plan === undefined || plan.unlinked.length === 0) return [];
    const { before, after, version, unlinked } = plan;
    const { reader } = this.#parts;
    const left = { ...before, edges: after.edges };
    return [
      ...unlinked.flatMap(({ edge, to }): WriterOperation[] =>
        reader.id({ uid: to }) === undefined ||
        reader.schema().edges.every(({ type }) => type !== edge)
          ? []
          : [{ op: 'unlink', from: { uid }, edge, to: { uid: to } }],
      ),
      nodeOperation(uid, left, version),
    ];
  }

  /** The second step for one node. */
  #changing(uid: string, now: DocumentNow): WriterOperation[] {
    const { reader } = this.#parts;
    const plan = this.#plan(uid, now);
    if (plan === undefined) {
      const { version } = this.#evidence.node(uid);
      return version === 0 ? [] : [nodeOperation(uid, undefined, version)];
    }
    const { id, before, after, version } = plan;
    const gone = before.statements.filter((one) => !after.statements.includes(one));
    const records = new NodeRecords(reader, id);
    const plans = new Map<string, NodePlan | undefined>(
      records.uids.map((record) => [record, record === uid ? plan : this.#plan(record, now)]),
    );
    // After the first step nothing of an edge is left that could change.
    if (gone.length === 0 && speaksOf(after, now.uid)) {
      return [...this.#quoted(plan, plans, now, false), ...this.#narrowing(uid, now)];
    }
    const former: FormerValues = (record, field, value) => {
      const of = plans.get(record);
      if (of === undefined) return [value];
      const isMade = (one: Statement): boolean => of.after.statements.includes(one);
      return formerValues(of.before, isMade, { field, value });
    };
    const fields = this.#known(id, new Set(gone.flatMap((one) => Object.keys(one.fields))));
    const taken = records.takeBack(fields, former);
    const isOwn = reader.uid(id) === uid;
    if (before.madeAt !== null && !isStated(after) && isOwn) {
      if (!this.#isOfOthers(plan, taken.fields)) {
        return [
          { op: 'delete', uid, ifVersion: reader.version(id) ?? 0 },
          nodeOperation(uid, undefined, version),
        ];
      }
    }
    const left = isMerged(reader, id) ? waiting(before, after) : after;
    const kept = isStated(left) ? { ...before, ...left } : undefined;
    const isSame = isDeepStrictEqual(kept, { ...before });
    return [
      ...taken.operations,
      ...this.#quoted(plan, plans, now, !isSame || !speaksOf(before, now.uid)),
      ...(isSame ? [] : [nodeOperation(uid, kept, version)]),
    ];
  }

  #isMerged(uid: string): boolean {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    return id !== undefined && isMerged(reader, id);
  }

  /** Those that the type still has. */
  #known(id: number, fields: ReadonlySet<string>): string[] {
    const { reader } = this.#parts;
    const type = reader.schema().nodes.find((one) => one.type === reader.typeOf(id));
    return [...fields].filter((field) => type?.fields[field] !== undefined);
  }

  #narrowing(uid: string, now: DocumentNow): WriterOperation[] {
    const { reader } = this.#parts;
    const { value: evidence, version } = this.#evidence.node(uid);
    const id = reader.id({ uid });
    if (evidence === undefined || id === undefined) return [];
    const wanted = this.#narrowed(id, evidence, now);
    if (wanted === undefined || wanted === null) return [];
    const granted = named(wanted);
    return [
      ...(granted.teams.includes(NOBODY_UID) ? [NOBODY_TEAM] : []),
      { op: 'unrestrict', node: { uid } },
      ...restrictTo(uid, granted),
      nodeOperation(uid, { ...evidence, granted }, version),
    ];
  }

  /** Whether anybody but documents has written to a node, linked it, or given it files. */
  #isOfOthers({ id, before }: NodePlan, fields: NodeEvidence['base']): boolean {
    const { reader } = this.#parts;
    const type = reader.schema().nodes.find((one) => one.type === reader.typeOf(id));
    // What is left of it when nothing is stated any more.
    const isLeft = (field: string): boolean => {
      const value = Object.hasOwn(fields, field) ? fields[field] : reader.field(id, field);
      return field !== type?.key && (value ?? null) !== null;
    };
    if (Object.keys(type?.fields ?? {}).some(isLeft)) return true;
    if (isMerged(reader, id)) return true;
    const { teams, users, owners } = accessOf(reader, id);
    const { granted } = before;
    const isGranted =
      isDeepStrictEqual(teams, granted?.teams ?? []) &&
      isDeepStrictEqual(users, granted?.users ?? []);
    if (!isGranted || owners.length > 0) return true;
    const evidenceEdges = new Set(this.#serversEdges());
    const isOther = ({ type: edge }: { readonly type: string }): boolean =>
      !evidenceEdges.has(edge);
    return [...reader.edges(id, 'out'), ...reader.edges(id, 'in')].some(isOther);
  }

  #serversEdges(): string[] {
    const own = this.#parts.reader.schema().edges.find(({ type }) => type === EVIDENCE_EDGE);
    return [
      EVIDENCE_EDGE,
      own?.inverse ?? EVIDENCE_EDGE,
      'RestrictAccessToTeam',
      'RestrictAccessToUser',
    ];
  }

  /**
   * The edge to the document has the surest quote that is left of all records of the node. A record
   * of which the document says nothing any more (`isNew`: since this commit) has none.
   */
  #quoted(
    { uid, id, after }: NodePlan,
    plans: ReadonlyMap<string, NodePlan | undefined>,
    now: DocumentNow,
    isNew: boolean,
  ): WriterOperation[] {
    const { reader } = this.#parts;
    const document = reader.id({ uid: now.uid });
    const isKnown = reader.schema().edges.some(({ type }) => type === EVIDENCE_EDGE);
    if (document === undefined || document === id || !isKnown) return [];
    const to = { uid: now.uid };
    const goes = isNew && saidBy(after, now.uid).length === 0;
    const unlinked = { op: 'unlink', from: { uid }, edge: EVIDENCE_EDGE, to } as const;
    const left = [...plans.values()]
      .flatMap((one) => (one === undefined ? [] : saidBy(one.after, now.uid)))
      .toSorted((a, b) => b.confidence - a.confidence);
    const surest = left.filter(({ confidence }) => confidence === left[0]?.confidence);
    const shown = reader.edgeBetween(id, EVIDENCE_EDGE, document);
    const isShown = surest.some(
      ({ quote, page, confidence }) =>
        shown?.['Quote'] === quote &&
        (shown['Page'] ?? null) === page &&
        shown['Confidence'] === confidence,
    );
    const linked = surest[0] === undefined ? [] : [evidenceLink(uid, now.uid, surest[0])];
    return [...(goes ? [unlinked] : []), ...(goes || !isShown ? linked : [])];
  }

  /** Proposals have pieces of the text, which go with it. */
  async #forgetProposals({ extractions }: StoredDocument): Promise<void> {
    const { store, reader } = this.#parts;
    for (const [extraction, numbers] of Object.entries(extractions)) {
      const run = store.find(extraction);
      // One that runs is looked at when it ends.
      if (run === undefined || run.state === 'running') continue;
      for (const number of numbers) {
        await turns.goOn(TURNS);
        reader.refresh();
        const text = store.text(extraction, number);
        if (text === undefined || text.batchesRead === 0 || isThere(reader, text)) continue;
        const reason = 'It was deleted.';
        const failed = { ...text, batchesRead: 0, proposals: 0, state: 'failed', reason } as const;
        await this.#commit([
          ...store.batchDeletion(extraction, text),
          textOperation(extraction, failed),
        ]);
      }
    }
  }

  async #end(now: DocumentNow, changed: number, wasMerged: boolean): Promise<void> {
    const { audit, reader } = this.#parts;
    reader.refresh();
    const { value, version } = this.#evidence.document(now.uid);
    const speaks = (uid: string): boolean => {
      const evidence = this.#evidence.node(uid).value;
      return evidence !== undefined && speaksOf(evidence, now.uid);
    };
    const nodes = value.nodes.filter(speaks);
    const isWaiting = nodes.length > 0 && (wasMerged || nodes.some((uid) => this.#isMerged(uid)));
    const { waits: _, ...rest } = value;
    const left = { ...rest, texts: now.texts, nodes, ...(isWaiting ? { waits: true } : {}) };
    const kept = now.isGone && left.nodes.length === 0 ? undefined : left;
    const doer = { caller: serverCaller('documents'), address: null };
    const event = deed(
      'document.retracted',
      doer,
      { kind: 'node', id: now.uid },
      { nodes: changed },
    );
    if (changed === 0 && isDeepStrictEqual(kept, value)) return;
    await this.#commit([
      documentOperation(now.uid, kept, version),
      ...(changed === 0 ? [] : [audit.operation(event)]),
    ]);
  }

  async #commit(operations: readonly WriterOperation[]): Promise<void> {
    const { commits, reader } = this.#parts;
    if (operations.length === 0) return;
    await commits.commit({ system: true, ofRecords: true, operations });
    reader.refresh();
  }
}

/** Whether a document says anything of the node. */
function speaksOf(evidence: NodeEvidence, document: string): boolean {
  return saidBy(evidence, document).length > 0;
}

/** Whether a text is there, whatever it says by now. */
function isThere(reader: GraphReader, { uid, file, field }: StoredText): boolean {
  const id = reader.id({ uid });
  if (id === undefined) return false;
  return file === null
    ? field !== null && reader.field(id, field) !== undefined
    : reader.id({ uid: file.uid }) !== undefined;
}

function namedOrAll(readers: Readers): Readers {
  return readers === null ? null : named(readers);
}

/** Who is among both. */
function both(a: Readers, b: Readers): Readers {
  if (a === null) return b;
  if (b === null) return a;
  return {
    teams: a.teams.filter((uid) => b.teams.includes(uid)),
    users: a.users.filter((uid) => b.users.includes(uid)),
  };
}
