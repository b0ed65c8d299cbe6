/**
 * What the text of a query says, before any word is analysed. Offsets are UTF-16 units in the query's text, the end
 * excluded, with quotes, brackets and signs.
 */
export type QueryNode =
  | WordNode
  | PrefixNode
  | PhraseNode
  | FieldNode
  | NotNode
  | ConjunctionNode
  | DisjunctionNode;

interface Placed {
  readonly start: number;
  readonly end: number;
}

/** Anything between spaces. Analysis may find several words in it, or none. */
export interface WordNode extends Placed {
  readonly kind: 'word';
  readonly text: string;
}

/** `config*`; the text is without the star. */
export interface PrefixNode extends Placed {
  readonly kind: 'prefix';
  readonly text: string;
}

/** `"to be or"`; the text is what stands between the quotes. */
export interface PhraseNode extends Placed {
  readonly kind: 'phrase';
  readonly text: string;
}

/** `title:word`. A field within it, as in `title:(a body:b)`, counts for its own node. */
export interface FieldNode extends Placed {
  readonly kind: 'field';
  readonly field: string;
  readonly node: QueryNode;
}

export interface NotNode extends Placed {
  readonly kind: 'not';
  readonly node: QueryNode;
}

/** Several in brackets, or none. */
export interface ConjunctionNode extends Placed {
  readonly kind: 'and';
  readonly nodes: readonly QueryNode[];
}

/** `a OR b`: two or more. */
export interface DisjunctionNode extends Placed {
  readonly kind: 'or';
  readonly nodes: readonly QueryNode[];
}

/** The words that join others when they stand between two of them. */
export function isJoiner(text: string): boolean {
  return text === 'OR' || text === 'AND';
}

/** A text that parses to the same nodes. */
export function printQuery(nodes: readonly QueryNode[]): string {
  return nodes.map(printNode).join(' ');
}

function printNode(node: QueryNode): string {
  switch (node.kind) {
    case 'word':
      return isJoiner(node.text) ? `(${node.text})` : node.text;
    case 'prefix':
      return `${node.text}*`;
    case 'phrase':
      return `"${node.text}"`;
    case 'field':
      return `${node.field}:${printOperand(node.node, node.node.kind === 'field')}`;
    case 'not':
      return `-${printOperand(node.node, false)}`;
    case 'and':
      return `(${printQuery(node.nodes)})`;
    case 'or':
      return node.nodes
        .map((part) => (part.kind === 'or' ? `(${printNode(part)})` : printNode(part)))
        .join(' OR ');
  }
}

/** What stands behind a sign or a field's colon. */
function printOperand(node: QueryNode, needsBrackets: boolean): string {
  if (node.kind === 'word') return node.text;
  if (needsBrackets || node.kind === 'or' || node.kind === 'not') return `(${printNode(node)})`;
  return printNode(node);
}
