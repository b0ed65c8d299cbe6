import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { GeoPoint } from '../field-types.ts';

/** A value of a field as text, from which its type gives the value back. */
export function fieldText(type: FieldType, value: unknown): string {
  if (type === 'GeoPoint') {
    // A field of this type holds nothing else.
    const { lat, lon } = value as GeoPoint;
    return `${lat},${lon}`;
  }
  return type.endsWith('[]') || type === 'Json' ? JSON.stringify(value) : String(value);
}

/** The types of fields that a form was told of, by the type of the node or edge. */
export class ToldTypes {
  readonly #nodes = new Map<string, SchemaDocument['nodes'][number]>();
  readonly #edges = new Map<string, SchemaDocument['edges'][number]>();

  add({ nodes, edges }: SchemaDocument): void {
    for (const type of nodes) this.#nodes.set(type.type, type);
    for (const type of edges) this.#edges.set(type.type, type);
  }

  /** Json of a field that is not known: its text gives any value back. */
  ofNode(type: string, field: string): FieldType {
    return this.#nodes.get(type)?.fields[field] ?? 'Json';
  }

  ofEdge(type: string, field: string): FieldType {
    return this.#edges.get(type)?.fields?.[field] ?? 'Json';
  }
}
