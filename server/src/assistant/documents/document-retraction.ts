import { isDeepStrictEqual } from 'node:util';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import { serverCaller } from '#access/caller.ts';
import { accessOf, isWithin, type Readers, readersOf } from '#access/node-access.ts';
import { turns } from '#base/turns.ts';
import { HAS_FILE } from '#graph/file-nodes.ts';
import { MERGED_INTO } from '#graph/merge-record.ts';
import { NOBODY_TEAM, NOBODY_UID } from '#graph/merged-access.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { isWithheld, readersOfText, readText } from './document-texts.ts';
import {
  type EdgeStatement,
  isStated,
  type NodeEvidence,
  retracted,
  type StatedEdge,
  type Statement,
  statementsOf,
  waiting,
  waits,
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
import { MergedNode, type TakenBack } from './merged-node.ts';
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
  readonly fields: NodeEvidence['base'];
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
    if (!now.isChanged && !now.isGone && !(await this.#tellsTooMany(now, document))) return 0;
    const touched = new Set<string>();
    // Edges go first: a node goes only when nothing else leads to it.
    for (const step of [this.#unlinking, this.#changing] as const) {
      for (let at = 0; at < document.nodes.length; at += NODES_AT_ONCE) {
        await turns.next(TURNS);
        reader.refresh();
        const some = document.nodes.slice(at, at + NODES_AT_ONCE);
        const operationsOf = (node: string): WriterOperation[] => {
          const operations = step.call(this, node, now);
          if (operations.length > 0) touched.add(node);
          return operations;
        };
        // Two UIDs may be those of one node, which is read again after each.
        const merged = some.filter((node) => this.#isMerged(node));
        await this.#commit(some.filter((node) => !merged.includes(node)).flatMap(operationsOf));
        for (const node of merged) await this.#commit(operationsOf(node));
      }
    }
    await this.#end(now, touched.size);
    return touched.size;
  }

  #now(uid: string, document: StoredDocument): DocumentNow {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    const texts: Record<string, string> = {};
    const quotes = new Map<string, Quotes | 'same'>();
    for (const [source, digest] of Object.entries(document.texts)) {
      const file = reader.id({ uid: source });
      const isFile =
        file !== undefined &&
        id !== undefined &&
        reader.neighbors(file, 'in', HAS_FILE).includes(id);
      const isField = !isFile && id !== undefined && reader.field(id, source) !== undefined;
      if (!isFile && !isField) continue;
      const read = readText(reader, {
        uid,
        file: isFile ? { uid: source, name: '' } : null,
        field: isFile ? null : source,
      });
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
      if (waits(evidence)) return true;
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
    const {
      evidence: after,
      fields,
      unlinked,
    } = retracted(before, isMade, (field) => reader.field(id, field));
    return { uid, id, before, version, after, fields, unlinked, isTold };
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
    const { id, before, after, version, fields } = plan;
    const merged = MergedNode.of(reader, id);
    if (merged !== undefined) return this.#changingMerged(plan, merged, now);
    const isSame = isDeepStrictEqual(after, { ...before });
    // After the first step nothing of an edge is left that could change.
    if (isSame && speaksOf(after, now.uid)) return this.#narrowing(uid, now);
    const isOwn = reader.uid(id) === uid;
    if (before.madeAt !== null && !isStated(after) && isOwn && !this.#isOfOthers(plan)) {
      return [
        { op: 'delete', uid, ifVersion: reader.version(id) ?? 0 },
        nodeOperation(uid, undefined, version),
      ];
    }
    const written: WriterOperation[] =
      Object.keys(fields).length === 0
        ? []
        : [
            {
              op: 'update',
              uid,
              fields: this.#known(id, fields),
              ifVersion: reader.version(id) ?? 0,
            },
          ];
    const kept = isStated(after) ? { ...before, ...after } : undefined;
    return [...written, ...this.#quoted(plan, now), nodeOperation(uid, kept, version)];
  }

  /** The same where the node is one of several that were merged. */
  #changingMerged(plan: NodePlan, merged: MergedNode, now: DocumentNow): WriterOperation[] {
    const { uid, id, before, after, version } = plan;
    const gone = before.statements.filter((one) => !after.statements.includes(one));
    if (gone.length === 0 && speaksOf(after, now.uid)) return this.#narrowing(uid, now);
    const taken: TakenBack = (record, field, value) => {
      const evidence = this.#evidence.node(record).value;
      if (evidence === undefined) return value;
      const { fields } = retracted(evidence, now.isMade, () => value);
      return Object.hasOwn(fields, field) ? fields[field] : value;
    };
    const fields = Object.fromEntries(gone.flatMap((one) => Object.entries(one.fields)));
    const written = merged.takeBack(Object.keys(this.#known(id, fields)), taken);
    const left = waiting(before, after);
    const isKept = statementsOf(left).length > 0 || left.edges.length > 0;
    const kept = isKept ? { ...before, ...left } : undefined;
    const isNew = !isDeepStrictEqual(kept, { ...before });
    if (!isNew && written.length === 0) return [];
    return [...written, ...this.#quoted(plan, now), nodeOperation(uid, kept, version)];
  }

  #isMerged(uid: string): boolean {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    return id !== undefined && reader.neighbors(id, 'in', MERGED_INTO).length > 0;
  }

  /** Fields that the type still has. */
  #known(id: number, fields: NodeEvidence['base']): NodeEvidence['base'] {
    const { reader } = this.#parts;
    const type = reader.schema().nodes.find((one) => one.type === reader.typeOf(id));
    return Object.fromEntries(
      Object.entries(fields).filter(([field]) => type?.fields[field] !== undefined),
    );
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
  #isOfOthers({ id, before, fields }: NodePlan): boolean {
    const { reader } = this.#parts;
    const type = reader.schema().nodes.find((one) => one.type === reader.typeOf(id));
    // What is left of it when nothing is stated any more.
    const isLeft = (field: string): boolean => {
      const value = Object.hasOwn(fields, field) ? fields[field] : reader.field(id, field);
      return field !== type?.key && (value ?? null) !== null;
    };
    if (Object.keys(type?.fields ?? {}).some(isLeft)) return true;
    if (reader.neighbors(id, 'in', MERGED_INTO).length > 0) return true;
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

  /** The edge to the document has the surest quote that is left, or goes. */
  #quoted({ uid, after }: NodePlan, now: DocumentNow): WriterOperation[] {
    const isKnown = this.#parts.reader.schema().edges.some(({ type }) => type === EVIDENCE_EDGE);
    if (now.isGone || !isKnown) return [];
    const left = statementsOf(after)
      .filter(({ document }) => document === now.uid)
      .toSorted((a, b) => b.confidence - a.confidence);
    const [best] = left;
    if (best !== undefined) return [evidenceLink(uid, now.uid, best)];
    const isLinked = after.edges.some(({ statements }) =>
      statements.some(({ document }) => document === now.uid),
    );
    const to = { uid: now.uid };
    return isLinked ? [] : [{ op: 'unlink', from: { uid }, edge: EVIDENCE_EDGE, to }];
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

  async #end(now: DocumentNow, changed: number): Promise<void> {
    const { audit, reader } = this.#parts;
    reader.refresh();
    const { value, version } = this.#evidence.document(now.uid);
    const speaks = (uid: string): boolean => {
      const evidence = this.#evidence.node(uid).value;
      return evidence !== undefined && speaksOf(evidence, now.uid);
    };
    const nodes = value.nodes.filter(speaks);
    const isWaiting = nodes.some((uid) => {
      const evidence = this.#evidence.node(uid).value;
      return evidence !== undefined && waits(evidence);
    });
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
function speaksOf({ statements, edges }: NodeEvidence, uid: string): boolean {
  const all = [...statements, ...edges.flatMap((one) => one.statements)];
  return all.some(({ document }) => document === uid);
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
