import { LIST_INTS, LIST_INTS_LOWEST, UPPER_USED } from './shard-layout.ts';
import type { Shard } from './shard.ts';

/**
 * What the slots of a shard use of its memory, as its header says; not the header itself, nor the sketches and the table
 * of nodes with its chains, which are made again from the rest.
 */
export function usedSections(shard: Shard): Uint8Array[] {
  const { bytes, layout, count } = shard;
  const upperLists = Atomics.load(shard.header, UPPER_USED);
  const section = (at: number, length: number): Uint8Array =>
    new Uint8Array(bytes.buffer, at, length);
  return [
    section(layout.coarseAt, count * layout.stride),
    section(layout.fineAt, count * layout.stride),
    section(layout.nodesAt, count * 8),
    section(layout.scalesAt, count * 4),
    section(layout.chunksAt, count * 4),
    section(layout.listsAt, count * LIST_INTS_LOWEST * 4),
    section(layout.upperStartsAt, count * 4),
    section(layout.upperListsAt, upperLists * LIST_INTS * 4),
    section(layout.levelsAt, count),
    section(layout.deletedAt, count),
  ];
}
