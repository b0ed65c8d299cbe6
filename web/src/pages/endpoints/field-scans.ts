import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { EndpointMetrics } from '@trellis/contract/shapes/stats.ts';
import { indexFor } from '../content/indexes/field-index.ts';
import { isOwnType } from '../content/schema.ts';

/** What queries of an endpoint read since the server started, for want of an index of a field. */
export type FieldScans = EndpointMetrics['scans'][number];

export interface IndexedScans {
  readonly scan: FieldScans;
  /** The index that the field has got since. */
  readonly index: IndexDocument | undefined;
}

/** With the indexes that there are now; without types that can have none. */
export function withIndexes(
  schema: SchemaDocument,
  scans: readonly FieldScans[],
): readonly IndexedScans[] {
  return scans.flatMap((scan) => {
    const type = schema.nodes.find((one) => one.type === scan.type);
    if (type === undefined || isOwnType(type.type)) return [];
    return [{ scan, index: indexFor(type, scan.field) }];
  });
}
