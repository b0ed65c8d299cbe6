import type { Caller } from '#access/caller.ts';
import { type FactsParts } from '../citations/reader-facts.ts';
import type { FieldText, Sight } from './question-trace.ts';

/** Members of a node that say nothing of it. */
const NAMELESS = ['Type', 'Timestamp'];

/** What a user may see now. Use it within one turn of the event loop. */
export function sightOf({ reader, access }: FactsParts, caller: Caller): Sight {
  reader.refresh();
  const visibility = access.visibilityFor(caller);
  return {
    canSee: (uid) => {
      const id = reader.id({ uid });
      return id !== undefined && visibility.canSee(id);
    },
    values: (uid) => {
      const id = reader.id({ uid });
      const node = id === undefined ? undefined : reader.node(id);
      if (id === undefined || node === undefined) return [];
      const isSeen = visibility.canSee(id);
      return Object.entries(node)
        .filter(([field]) => !NAMELESS.includes(field))
        .flatMap(([field, value]) => textsOf(field, value))
        .map((one) => ({ ...one, isReadable: isSeen && visibility.canReadField(id, one.field) }));
    },
  };
}

function textsOf(field: string, value: unknown): Pick<FieldText, 'field' | 'text'>[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => textsOf(field, one));
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  return [{ field, text: String(value) }];
}
