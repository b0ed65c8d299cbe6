import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

type NodeType = SchemaDocument['nodes'][number];

/** A field that an index can be over. */
export interface IndexableField {
  readonly name: string;
  readonly type: string;
  /** It can be in an index with others. */
  readonly canBeCombined: boolean;
}

const TIMESTAMP = 'Timestamp';
const WITHOUT_ORDER: ReadonlySet<string> = new Set(['GeoPoint', 'Json', 'Bytes']);

/** The key, the fields of the type, and its timestamp. */
export function indexableFields({ key = 'Id', fields }: NodeType): readonly IndexableField[] {
  const types = new Map([[key, 'String'], ...Object.entries(fields), [TIMESTAMP, 'Time']]);
  return Array.from(types, ([name, type]) => ({
    name,
    type,
    canBeCombined: !isList(type) && !WITHOUT_ORDER.has(type),
  }));
}

/** The names of the fields, in order. */
export function fieldNamesOf({ field, fields }: IndexDocument): readonly string[] {
  return fields ?? (field === undefined ? [] : [field]);
}

/** How the API names an index over these fields. */
export function namedBy(names: readonly string[]): Pick<IndexDocument, 'field' | 'fields'> {
  const [first] = names;
  return names.length === 1 && first !== undefined ? { field: first } : { fields: [...names] };
}

export function indexOver(type: NodeType, names: readonly string[]): IndexDocument | undefined {
  return type.indexes?.find((index) => fieldNamesOf(index).join('\n') === names.join('\n'));
}

/** An index that spares queries reading all nodes for this field: best the one over it alone. */
export function indexFor(type: NodeType, field: string): IndexDocument | undefined {
  const beginsWithIt = (index: IndexDocument) => fieldNamesOf(index)[0] === field;
  return indexOver(type, [field]) ?? type.indexes?.find(beginsWithIt);
}

/** The server keeps nodes by their time: two may have the same one. */
export function canBeUnique(fields: readonly IndexableField[]): boolean {
  return fields.length !== 1 || fields[0]?.name !== TIMESTAMP;
}

/** What an index over these fields is good for, in a sentence. */
export function purposeOf(fields: readonly IndexableField[]): string {
  const last = fields.at(-1);
  if (last === undefined) return 'An index finds nodes without reading every node of the type.';
  if (fields.length > 1) {
    const before = fields.slice(0, -1).map(({ name }) => name);
    return `Finds nodes by one value of ${before.join(' and ')}, and among these by a value or a range of ${last.name}, or in its order.`;
  }
  const { name, type } = last;
  if (name === TIMESTAMP) {
    return 'Nodes are in the order of their timestamps without an index: this one takes no room and makes no query faster.';
  }
  if (isList(type)) return `Finds nodes whose ${name} has a certain item.`;
  if (type === 'GeoPoint') return `Finds nodes whose ${name} is near a point.`;
  if (!last.canBeCombined) return `Finds nodes by the whole value of ${name}.`;
  return `Finds nodes by a value or a range of ${name}, and sorts, groups and counts by it.`;
}

function isList(type: string): boolean {
  return type.endsWith('[]');
}
