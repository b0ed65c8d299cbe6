import { NO_DOCUMENT } from '../postings-cursor.ts';
import type { NameBytes, NameTable, NameWalk } from './name-table.ts';
import { NamesWriter } from './names-builder.ts';

interface NameSource {
  readonly names: NameTable;
  /** Document -> its number in the merged segment, or `NO_DOCUMENT` where it is deleted. */
  readonly renumbering: Uint32Array;
}

interface OpenSource extends NameSource {
  readonly walk: NameWalk;
}

/** Merges names without those of deleted documents. */
export function mergeNames(sources: readonly NameSource[], documentCount: number): NameBytes {
  const writer = new NamesWriter(documentCount);
  let open: readonly OpenSource[] = sources
    .map((source) => ({ ...source, walk: source.names.walk() }))
    .filter(({ walk }) => walk.next());
  while (open.length > 0) {
    const name = leastOf(open);
    const ended = new Set<OpenSource>();
    for (const source of open) {
      if (source.walk.name !== name) continue;
      addEntries(source, writer);
      if (!source.walk.next()) ended.add(source);
    }
    writer.finishName(name);
    if (ended.size > 0) open = open.filter((source) => !ended.has(source));
  }
  return writer.finish();
}

function leastOf([first, ...others]: readonly OpenSource[]): string {
  let least = first!.walk.name;
  for (const { walk } of others) if (walk.name < least) least = walk.name;
  return least;
}

function addEntries({ names, walk, renumbering }: OpenSource, writer: NamesWriter): void {
  names.someEntry([walk.entry, walk.entry + walk.count], (document, field) => {
    const number = renumbering[document]!;
    if (number !== NO_DOCUMENT) writer.addEntry(number, field);
    return false;
  });
}
