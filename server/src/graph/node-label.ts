import type { GraphReader } from './reader.ts';

const NAME_CHARACTERS_MAX = 200;

/** A node as a list shows it; undefined when it is gone. */
export function nameOfNode(
  reader: GraphReader,
  id: number,
): { readonly uid: string; readonly name: string } | undefined {
  const [uid, type] = [reader.uid(id), reader.typeOf(id)];
  if (uid === undefined || type === undefined) return undefined;
  const { label, key } = reader.schema().nodes.find((one) => one.type === type) ?? {};
  const named = [label, key, 'Id'].map((field) =>
    field === undefined ? undefined : reader.field(id, field),
  );
  const name = named.find((value) => typeof value === 'string' && value !== '') ?? uid;
  return { uid, name: String(name).slice(0, NAME_CHARACTERS_MAX) };
}
