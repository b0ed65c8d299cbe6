import { must } from '#base/assert.ts';
import type { VectorFieldSnapshot } from '../indexing/vectors/vector-field.ts';
import type { PlannedType, PlannedVector } from '../settings/index-plan.ts';
import { openVectorIndex } from '../vector/index-reader.ts';
import type { VectorIndex } from '../vector/vector-index.ts';

/** The vectors of one field of one type, opened in this thread. */
export interface OpenedVectors {
  readonly type: PlannedType;
  readonly field: PlannedVector;
  readonly index: VectorIndex;
  readonly generation: number;
  readonly version: number;
}

/** What is open already stays open where its memory is the same. `types`: by number. */
export function openVectors(
  snapshots: readonly VectorFieldSnapshot[],
  types: ReadonlyMap<number, PlannedType>,
  previous: readonly OpenedVectors[] = [],
): readonly OpenedVectors[] {
  return snapshots.map(({ type: id, field: name, generation, handle }) => {
    const type = must(types.get(id), 'the type of a vector field');
    const field = must(
      type.vectors.find((one) => one.name === name),
      'a planned field with vectors',
    );
    const { version } = handle;
    const open = previous.find((one) => one.generation === generation && one.version === version);
    const index = open?.index ?? openVectorIndex(handle);
    return { type, field, index, generation, version };
  });
}
