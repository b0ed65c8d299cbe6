import { isDeepStrictEqual } from 'node:util';
import { isWithin, type Readers, readersOf } from '#access/node-access.ts';
import { DOCUMENT_NODES_MAX, NODE_STATEMENTS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { FieldValue } from '#graph/field-types.ts';
import { NOBODY_TEAM, NOBODY_UID } from '#graph/merged-access.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { isWithheld, readersOfText, sourceKey, type TextSource } from './document-texts.ts';
import { emptyEvidence, type Statement, withEdge, withStatement } from './evidence.ts';
import {
  documentOperation,
  type EvidenceStore,
  nodeOperation,
  type StoredDocument,
  type StoredEvidence,
  type Versioned,
} from './evidence-store.ts';
import type { StoredProposal } from './extraction-store.ts';
import { isMerged } from './node-records.ts';
import { EVIDENCE_EDGE } from '@trellis/contract/evidence.ts';

/** A node as it will be after the commit. */
interface DraftNode {
  readonly uid: string;
  readonly type: string;
  readonly key: string;
  /** Undefined for a new one. */
  readonly id: number | undefined;
  readonly fields: Record<string, FieldValue>;
  readonly readers: Readers;
  evidence: StoredEvidence;
  readonly evidenceVersion: number;
  /** The surest statement by document. */
  readonly quoted: Map<string, Quoted>;
}

type Quoted = Pick<Statement, 'quote' | 'page' | 'confidence'>;

interface DraftDocument extends Versioned<StoredDocument> {
  value: StoredDocument;
}

/**
 * One commit of approved proposals: each is checked on top of those that were added before, and
 * either added as a whole or refused. What is written is never seen by more people than the text
 * that says it.
 */
export class EvidenceDraft {
  readonly #reader: GraphReader;
  readonly #store: EvidenceStore;
  /** The timestamp of new nodes. */
  readonly #at: string;
  readonly #nodes = new Map<string, DraftNode>();
  readonly #documents = new Map<string, DraftDocument>();
  readonly #links: WriterOperation[] = [];
  #isRestrictedToNobody = false;

  constructor(reader: GraphReader, store: EvidenceStore, at: string) {
    this.#reader = reader;
    this.#store = store;
    this.#at = at;
  }

  /** Throws `node_not_found`, `access_widened`, `invalid_operation`. */
  add(proposal: StoredProposal, source: TextSource, digest: string): void {
    const { kind, type, key, from, to, fields, quote, page, confidence } = proposal;
    const id = this.#reader.id({ uid: source.uid });
    if (id === undefined) throw new Problem('node_not_found', 'The document was deleted.');
    const readers = readersOfText(this.#reader, id, source);
    const says = { document: source.uid, source: sourceKey(source), quote, page, confidence };
    const statement: Statement = { ...says, fields };
    const told = { readers, isWithheld: isWithheld(this.#reader, id, source) };
    if (kind === 'node' && key !== null) this.#addNode({ type, key }, statement, told);
    else if (from !== null && to !== null) this.#addEdge({ type, from, to }, statement, told);
    const document = this.#document(source.uid);
    document.value = {
      ...document.value,
      texts: { ...document.value.texts, [says.source]: digest },
    };
  }

  operations(): WriterOperation[] {
    const nodes = [...this.#nodes.values()].flatMap((node) => this.#nodeOperations(node));
    return [
      ...(this.#isRestrictedToNobody ? [NOBODY_TEAM] : []),
      ...nodes,
      ...this.#links,
      ...[...this.#documents].map(([uid, { value, version }]) =>
        documentOperation(uid, value, version),
      ),
    ];
  }

  #addNode(name: Named, statement: Statement, { readers, isWithheld: isSecret }: Told): void {
    const node = this.#existing(name) ?? this.#made(name, readers);
    const current = (field: string): FieldValue => this.#valueOf(node, field);
    const isChange = Object.entries(statement.fields).some(
      ([field, value]) => !isDeepStrictEqual(current(field), value),
    );
    // The quote of a mention is for those who see the document, whose text it is not to tell.
    const isTold = isChange || isSecret;
    if (isTold && !isWithin(node.readers, readers)) throw widened(`${name.type} "${name.key}"`);
    this.#refuseTooMuch(node);
    const document = this.#joined(node, statement);
    // Where more people see the node, nothing is kept but that the document speaks of it.
    const fields = isWithin(node.readers, readers) ? statement.fields : {};
    const evidence = withStatement(node.evidence, { ...statement, fields }, current);
    node.evidence = { ...node.evidence, ...evidence };
    Object.assign(node.fields, fields);
    this.#nodes.set(node.uid, node);
    document();
  }

  #addEdge(
    { type: edge, from, to }: { readonly type: string; readonly from: Named; readonly to: Named },
    statement: Statement,
    { readers, isWithheld: isSecret }: Told,
  ): void {
    const [begin, end] = [from, to].map((name) => {
      const node = this.#existing(name);
      if (node !== undefined) return node;
      const what = `${name.type} "${name.key}"`;
      throw new Problem('node_not_found', `There is no ${what}: approve that first.`);
    }) as [DraftNode, DraftNode];
    const stated = begin.evidence.edges.some((one) => one.edge === edge && one.to === end.uid);
    const isThere =
      begin.id !== undefined &&
      end.id !== undefined &&
      this.#reader.edgeBetween(begin.id, edge, end.id) !== undefined;
    const isTold = (!isThere && !stated) || isSecret;
    if (isTold && ![begin, end].some((one) => isWithin(one.readers, readers))) {
      throw widened(`an edge ${edge}`);
    }
    this.#refuseTooMuch(begin);
    const document = this.#joined(begin, statement);
    this.#nodes.set(begin.uid, begin);
    document();
    if (isThere && !stated) {
      // An edge that somebody else has made is theirs: the document only speaks of it.
      const spoken = withStatement(begin.evidence, { ...statement, fields: {} }, () => null);
      begin.evidence = { ...begin.evidence, ...spoken };
      return;
    }
    const evidence = withEdge(begin.evidence, { edge, to: end.uid }, statement);
    begin.evidence = { ...begin.evidence, ...evidence };
    this.#links.push({ op: 'link', from: { uid: begin.uid }, edge, to: { uid: end.uid } });
  }

  /** Undefined when there is none, also not in this commit. */
  #existing({ type, key }: Named): DraftNode | undefined {
    const id = this.#reader.id({ type, key });
    const uid = id === undefined ? this.#reader.uidOf({ type, key }) : this.#reader.uid(id);
    const drafted = uid === undefined ? undefined : this.#nodes.get(uid);
    if (drafted !== undefined || id === undefined || uid === undefined) return drafted;
    const { value, version } = this.#store.node(uid);
    const none = { ...emptyEvidence(false), madeAt: null, granted: null };
    return {
      uid,
      type,
      key,
      id,
      fields: {},
      readers: readersOf(this.#reader, id),
      // What is kept of a node that was deleted says nothing of the one that came after it.
      evidence: value === undefined || isOfOther(this.#reader, id, value) ? none : value,
      evidenceVersion: version,
      quoted: new Map(),
    };
  }

  #made({ type, key }: Named, readers: Readers): DraftNode {
    const uid = this.#reader.uidOf({ type, key });
    const granted = readers === null ? null : named(readers);
    return {
      uid,
      type,
      key,
      id: undefined,
      fields: {},
      readers: granted,
      evidence: { ...emptyEvidence(true), madeAt: this.#at, granted },
      evidenceVersion: this.#store.node(uid).version,
      quoted: new Map(),
    };
  }

  #valueOf(node: DraftNode, field: string): FieldValue {
    if (Object.hasOwn(node.fields, field)) return node.fields[field];
    return node.id === undefined ? null : (this.#reader.field(node.id, field) ?? null);
  }

  #refuseTooMuch({ evidence }: DraftNode): void {
    const edges = evidence.edges.reduce((sum, one) => sum + one.statements.length, 0);
    if (evidence.statements.length + edges < NODE_STATEMENTS_MAX) return;
    throw tooMuch(`Documents say ${NODE_STATEMENTS_MAX} things of this node already.`);
  }

  /** Checks that the document may say something of the node; what is called then notes it. */
  #joined(node: DraftNode, { document: uid, quote, page, confidence }: Statement): () => void {
    const document = this.#document(uid);
    const isNew = !document.value.nodes.includes(node.uid);
    if (isNew && document.value.nodes.length >= DOCUMENT_NODES_MAX) {
      throw tooMuch(`A document says something of ${DOCUMENT_NODES_MAX} nodes at most.`);
    }
    return () => {
      const before = node.quoted.get(uid);
      if (before === undefined || before.confidence < confidence) {
        node.quoted.set(uid, { quote, page, confidence });
      }
      const { nodes } = document.value;
      if (isNew) document.value = { ...document.value, nodes: [...nodes, node.uid] };
      const waits = node.id !== undefined && isMerged(this.#reader, node.id);
      if (waits) document.value = { ...document.value, waits };
    };
  }

  #document(uid: string): DraftDocument {
    let document = this.#documents.get(uid);
    if (document === undefined) {
      document = { ...this.#store.document(uid) };
      this.#documents.set(uid, document);
    }
    return document;
  }

  #nodeOperations(node: DraftNode): WriterOperation[] {
    const { uid, type, key, id, fields, evidence, evidenceVersion } = node;
    const written: WriterOperation[] =
      id === undefined
        ? [
            { op: 'addOrUpdate', type, key, fields, timestamp: this.#at, ifVersion: 0 },
            ...this.#restrictions(uid, node.readers),
          ]
        : Object.keys(fields).length === 0
          ? []
          : [{ op: 'update', uid, fields, ifVersion: this.#reader.version(id) ?? 0 }];
    const quoted = [...node.quoted].flatMap(([document, said]) =>
      this.#quoteOperations(node, document, said),
    );
    return [...written, ...quoted, nodeOperation(uid, evidence, evidenceVersion)];
  }

  #quoteOperations(node: DraftNode, document: string, said: Quoted): WriterOperation[] {
    const to = this.#reader.id({ uid: document });
    if (to === undefined || to === node.id) return [];
    const before =
      node.id === undefined ? undefined : this.#reader.edgeBetween(node.id, EVIDENCE_EDGE, to);
    if (before !== undefined && Number(before['Confidence']) >= said.confidence) return [];
    return [evidenceLink(node.uid, document, said)];
  }

  #restrictions(node: string, readers: Readers): WriterOperation[] {
    if (readers?.teams.includes(NOBODY_UID) === true) this.#isRestrictedToNobody = true;
    return restrictTo(node, readers);
  }
}

/** Who may read the text, and whether some who see its node may not. */
interface Told {
  readonly readers: Readers;
  readonly isWithheld: boolean;
}

interface Named {
  readonly type: string;
  readonly key: string;
}

/** Readers that edges can name: nobody is a team of its own. */
export function named(readers: NonNullable<Readers>): NonNullable<Readers> {
  const isNobody = readers.teams.length + readers.users.length === 0;
  return isNobody ? { teams: [NOBODY_UID], users: [] } : readers;
}

/** What restricts a node, which has no restriction, to these readers. */
export function restrictTo(node: string, readers: Readers): WriterOperation[] {
  const { teams = [], users = [] } = readers ?? {};
  return [
    ...teams.map((uid) => ({ op: 'restrict', node: { uid: node }, team: { uid } }) as const),
    ...users.map((uid) => ({ op: 'restrict', node: { uid: node }, user: { uid } }) as const),
  ];
}

/** The edge from a node to a document that speaks of it. */
export function evidenceLink(
  node: string,
  document: string,
  { quote, page, confidence }: Quoted,
): WriterOperation {
  const fields = { Quote: quote, Confidence: confidence, Page: page };
  return {
    op: 'link',
    from: { uid: node },
    edge: EVIDENCE_EDGE,
    to: { uid: document },
    fields: page === null ? { Quote: quote, Confidence: confidence } : fields,
  };
}

/** Whether a node is not the one of which something is kept: that was deleted, and made again. */
export function isOfOther(
  reader: GraphReader,
  id: number,
  { madeAt }: Pick<StoredEvidence, 'madeAt'>,
): boolean {
  const type = reader.schema().nodes.find((one) => one.type === reader.typeOf(id));
  // Such nodes take their timestamp from a field, which documents may state.
  if (madeAt === null || type?.timestamp !== undefined) return false;
  return reader.field(id, 'Timestamp') !== madeAt;
}

function widened(what: string): Problem {
  return new Problem(
    'access_widened',
    `More people see ${what} than the document that says so: it would tell them.`,
  );
}

function tooMuch(message: string): Problem {
  return new Problem('invalid_operation', message);
}
