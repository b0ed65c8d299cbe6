import { isDeepStrictEqual } from 'node:util';
import { type DocumentClaims, edgeClaim } from '#graph/evidence-record.ts';
import type { FieldValue } from '#graph/field-types.ts';

/** Values by field; null where the node has none. */
export type Values = Readonly<Record<string, FieldValue>>;

/** What one proposal, which a person has approved, says of a node. */
export interface Statement {
  /** UID of the document. */
  readonly document: string;
  /** The text of the document in which the quote stands: the UID of a file, or a field. */
  readonly source: string;
  readonly quote: string;
  readonly page: number | null;
  readonly confidence: number;
  readonly fields: Values;
  /** The document does not say so any more. Kept while the node is merged, for its split. */
  readonly isGone?: true;
}

/** What somebody else wrote to a field on which documents have something to say. */
interface Own {
  readonly document: null;
  readonly fields: Values;
}

export type EdgeStatement = Omit<Statement, 'fields' | 'isGone'>;

/** An edge from the node that was not there before documents said so. */
export interface StatedEdge {
  readonly edge: string;
  /** UID. */
  readonly to: string;
  readonly statements: readonly EdgeStatement[];
}

/** What documents say of one node, and what there was before them. */
export interface NodeEvidence {
  /** Whether the node was not there before. */
  readonly isCreated: boolean;
  /** The values before anything was said, of all fields of which something is said. */
  readonly base: Values;
  /** Oldest first: the last one that names a field holds. */
  readonly statements: readonly (Statement | Own)[];
  readonly edges: readonly StatedEdge[];
}

export function emptyEvidence(isCreated: boolean): NodeEvidence {
  return { isCreated, base: {}, statements: [], edges: [] };
}

/** The statements of documents. */
export function statementsOf({ statements }: NodeEvidence): Statement[] {
  return statements.filter((one) => one.document !== null);
}

/**
 * With one more statement. `current` are the values that the node has: what others have written
 * since the last statement is kept as theirs.
 */
export function withStatement(
  evidence: NodeEvidence,
  statement: Statement,
  current: (field: string) => FieldValue,
): NodeEvidence {
  const base: Record<string, FieldValue> = { ...evidence.base };
  const own: Record<string, FieldValue> = {};
  for (const field of Object.keys(statement.fields)) {
    const value = current(field) ?? null;
    if (!Object.hasOwn(base, field)) base[field] = value;
    else if (!isDeepStrictEqual(statedValue(evidence, field), value)) own[field] = value;
  }
  const owned = Object.keys(own).length === 0 ? [] : [{ document: null, fields: own } as const];
  return { ...evidence, base, statements: [...evidence.statements, ...owned, statement] };
}

/** With one more statement of an edge, which was not there before, or is stated already. */
export function withEdge(
  evidence: NodeEvidence,
  { edge, to }: Pick<StatedEdge, 'edge' | 'to'>,
  statement: EdgeStatement,
): NodeEvidence {
  const isSame = (one: StatedEdge): boolean => one.edge === edge && one.to === to;
  const before = evidence.edges.find(isSame) ?? { edge, to, statements: [] };
  const others = evidence.edges.filter((one) => !isSame(one));
  return {
    ...evidence,
    edges: [...others, { ...before, statements: [...before.statements, statement] }],
  };
}

/** What documents alone say, as the graph is told of it. */
export function claimsOf(evidence: NodeEvidence): Pick<DocumentClaims, 'OnlyFields' | 'OnlyEdges'> {
  const stated = new Set(evidence.statements.flatMap(({ fields }) => Object.keys(fields)));
  return {
    OnlyFields: [...stated].filter((field) => isOfDocument(evidence, field)),
    OnlyEdges: evidence.edges.map(({ edge, to }) => edgeClaim(edge, to)),
  };
}

/**
 * Without what others have written since, though it may be the same: their values, and the edges,
 * of which the documents then only speak.
 */
export function withOthers(
  evidence: NodeEvidence,
  { OnlyFields, OnlyEdges }: Pick<DocumentClaims, 'OnlyFields' | 'OnlyEdges'>,
  current: (field: string) => FieldValue,
): NodeEvidence {
  const taken = claimsOf(evidence).OnlyFields.filter((field) => !OnlyFields.includes(field));
  const fields = Object.fromEntries(taken.map((field) => [field, current(field) ?? null]));
  const isOnly = ({ edge, to }: StatedEdge): boolean => OnlyEdges.includes(edgeClaim(edge, to));
  const spoken = evidence.edges.filter((one) => !isOnly(one)).flatMap((one) => one.statements);
  return {
    ...evidence,
    statements: [
      ...evidence.statements,
      ...spoken.map((one) => ({ ...one, fields: {} })),
      ...(taken.length === 0 ? [] : [{ document: null, fields } as const]),
    ],
    edges: evidence.edges.filter(isOnly),
  };
}

/** Whether a document has the last word on a field. */
function isOfDocument({ statements }: NodeEvidence, field: string): boolean {
  const last = statements.findLast(({ fields }) => Object.hasOwn(fields, field));
  return last !== undefined && last.document !== null;
}

/** The value that holds by the evidence: null for none. */
export function statedValue({ base, statements }: NodeEvidence, field: string): FieldValue {
  const last = statements.findLast(({ fields }) => Object.hasOwn(fields, field));
  return (last ?? { fields: base }).fields[field] ?? null;
}

export interface Retraction {
  readonly evidence: NodeEvidence;
  /** Edges that nobody says any more. */
  readonly unlinked: readonly Pick<StatedEdge, 'edge' | 'to'>[];
}

/** Without the statements that are not made any more. */
export function retracted(
  before: NodeEvidence,
  isMade: (statement: EdgeStatement | Statement, to?: string) => boolean,
): Retraction {
  const statements = before.statements.filter((one) => one.document === null || isMade(one));
  const edges = before.edges.map((one) => ({
    ...one,
    statements: one.statements.filter((statement) => isMade(statement, one.to)),
  }));
  return {
    evidence: { ...before, statements, edges: edges.filter((one) => one.statements.length > 0) },
    unlinked: edges
      .filter((one) => one.statements.length === 0)
      .map(({ edge, to }) => ({ edge, to })),
  };
}

/**
 * A value that a node has, or had before it was merged, and what it was before each statement that
 * is not made any more. The last one is what stands. What nobody has stated stands as it is.
 */
export function formerValues(
  { base, statements }: NodeEvidence,
  isMade: (statement: Statement) => boolean,
  { field, value }: { readonly field: string; readonly value: FieldValue },
): FieldValue[] {
  const said = statements.filter(({ fields }) => Object.hasOwn(fields, field));
  const before = (at: number): FieldValue => (said[at - 1]?.fields ?? base)[field] ?? null;
  const values: FieldValue[] = [value ?? null];
  let at = said.findLastIndex(({ fields }) => isDeepStrictEqual(fields[field] ?? null, values[0]));
  for (let one = said[at]; one !== undefined; one = said[--at]) {
    if (one.document === null || isMade(one)) break;
    values.push(before(at));
  }
  return values;
}

/**
 * What is kept of a merged node when statements are not made any more: its record still has, and
 * gets back by a split, what they said of it.
 */
export function waiting(before: NodeEvidence, after: NodeEvidence): NodeEvidence {
  const statements = before.statements.map((one) =>
    one.document === null || after.statements.includes(one)
      ? one
      : { ...one, isGone: true as const },
  );
  return { ...after, statements };
}

/** Whether documents say anything of the node. */
export function isStated(evidence: NodeEvidence): boolean {
  return statementsOf(evidence).length > 0 || evidence.edges.length > 0;
}

/** What a document says of the node, with the edges from it. */
export function saidBy({ statements, edges }: NodeEvidence, document: string): EdgeStatement[] {
  const all = [...statements, ...edges.flatMap((one) => one.statements)];
  return all.filter((one) => one.document !== null).filter((one) => one.document === document);
}
