import type { NodeObject } from '@trellis/contract/shapes/node.ts';

/** Members of a node object that are no fields of its own (open-shapes, section 2). */
const HEAD = new Set(['UID', 'Type', 'Timestamp', 'Id']);
/** The first that fits, in this order. */
const NAME_FIELDS = [
  /^(?:title|label|(?:full|display)?_?name)$/i,
  /^(?:.*name|subject|word|lemma|term)$/i,
] as const;
const LABEL_CHARACTERS_MAX = 120;

/** What people call a node: a field that reads like a name, its key, or its UID. */
export function labelOf(node: NodeObject): string {
  const label = nameIn(node) ?? node.Id ?? node.UID;
  return label.length > LABEL_CHARACTERS_MAX ? `${label.slice(0, LABEL_CHARACTERS_MAX)}…` : label;
}

/**
 * The key stands under its own name too, such as `Name`, and says less than what is not the key.
 */
function nameIn(node: NodeObject): string | undefined {
  const fields = fieldsOf(node).filter(([, value]) => isText(value) && value !== node.Id);
  for (const names of NAME_FIELDS) {
    const value = fields.find(([field]) => names.test(field))?.[1];
    if (isText(value)) return value;
  }
  return undefined;
}

/** Its own fields, in the order in which the server gives them. */
export function fieldsOf(node: NodeObject): [string, unknown][] {
  return Object.entries(node).filter(([field]) => !HEAD.has(field));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
