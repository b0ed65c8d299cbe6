import { SNIPPET_CHARACTERS_MAX, SNIPPETS_PER_RESULT_MAX } from '#base/llm-limits.ts';
import type { Snippets } from '../citations/snippets.ts';

/**
 * A result of a tool in which each node, an object with a `UID`, has its number as "citation", so that a model can cite it. What a
 * node holds in other nodes is theirs.
 */
export function citedResult(result: unknown, snippets: Snippets): unknown {
  let left = SNIPPETS_PER_RESULT_MAX;
  const cited = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cited);
    if (typeof value !== 'object' || value === null) return value;
    const node = value as Readonly<Record<string, unknown>>;
    const { UID: uid } = node;
    // The number comes before those of the nodes within.
    const isNode = typeof uid === 'string' && left-- > 0;
    const mark = isNode ? { citation: snippets.add(uid, textOf(node)).id } : {};
    const members = Object.entries(node).map(([name, member]) => [name, cited(member)] as const);
    // It stands first, and no member of the node takes its place.
    return { ...mark, ...Object.fromEntries(members), ...mark };
  };
  return cited(result);
}

/** The facts of a node, one a line. */
function textOf(node: Readonly<Record<string, unknown>>): string {
  const facts = Object.entries(node).filter(([name, value]) => name !== 'UID' && isFact(value));
  const lines = facts.map(([name, value]) => `${name}: ${String(value)}`);
  return lines.join('\n').slice(0, SNIPPET_CHARACTERS_MAX);
}

function isFact(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isFact);
  return ['string', 'number', 'boolean'].includes(typeof value);
}
