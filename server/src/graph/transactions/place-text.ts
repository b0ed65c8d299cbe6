import { readId } from '#store/bytes.ts';
import type { GraphReader } from '../reader.ts';
import { ID_BYTES } from '../keys.ts';

/** What a place of `ReadKeys` that was in conflict is, for people: such as `node Book 01h...`. */
export function placeText(place: string, reader: Pick<GraphReader, 'uid' | 'typeOf'>): string {
  const key = Buffer.from(place.slice(1), 'latin1');
  const node = (): string => {
    if (key.length < ID_BYTES) return 'a node';
    const id = readId(key, 0);
    return `node ${reader.typeOf(id) ?? ''} ${reader.uid(id) ?? '(deleted)'}`;
  };
  switch (place[0]) {
    case 'n':
      return node();
    case 'o':
    case 'i':
      return `edges of ${node()}`;
    case 'N':
    case 'T':
    case 't':
      return 'nodes of a type';
    case 'u':
    case 'U':
      return 'UIDs';
    case 'O':
    case 'I':
      return 'edges of a type';
    case 'q':
      return 'a unique value';
    case 'x':
    case 'X':
      return 'an index';
    case 's':
      return `the schema of ${place.slice(2)}`;
    case 'm':
      return 'the schema, or a count';
    case 'A':
      return 'who may see what';
    default:
      return 'the transaction began too long ago';
  }
}
