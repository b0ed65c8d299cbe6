import { nodeUid } from '@trellis/client/uid.ts';
import { CommandFailure, WrongUsage } from './failure.ts';
import { parseFieldText, parseFieldType } from './import/field-text.ts';

/** 128 bits in base58. */
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
/** A type is letters, digits and "_": what follows the sign after it is the key. */
const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)[/:](.+)$/s;
const ASSIGNED = /^([^=]+)=(.*)$/s;
const LIST_SEPARATOR = ';';

/** What an argument that names a node is, for `--help`. */
export const NODE_ARGUMENT = 'UID of the node, or its type and key, such as Word/dog or Word:dog';

/** A node by its UID, or by its type and key. */
type NamedNode = { readonly uid: string } | { readonly type: string; readonly key: string };

/**
 * The node that a word names: a UID, `Type/key`, `Type:key`, or an object as requests have it,
 * `{"uid": ...}` or `{"type": ..., "key": ...}`.
 */
export function namedNode(word: string): NamedNode {
  if (UID.test(word)) return { uid: word };
  const [, type, key] = NAMED.exec(word) ?? [];
  if (type !== undefined && key !== undefined) return { type, key };
  const object = word.startsWith('{') ? objectOf(word) : undefined;
  if (object !== undefined) return object;
  throw new WrongUsage(
    `"${word}" names no node`,
    'Name it by its UID, or by its type and key, such as Word/dog.',
  );
}

function objectOf(json: string): NamedNode | undefined {
  try {
    const { uid, type, key, ...more } = Object(JSON.parse(json)) as Record<string, unknown>;
    if (Object.keys(more).length > 0) return undefined;
    if (typeof uid === 'string')
      return type === undefined && key === undefined ? { uid } : undefined;
    return typeof type === 'string' && typeof key === 'string' ? { type, key } : undefined;
  } catch {
    return undefined;
  }
}

/** The UID of the node that a word names. */
export function uidOfNode(word: string): string {
  const node = namedNode(word);
  return 'uid' in node ? node.uid : nodeUid(node.type, node.key);
}

interface FieldsAsked {
  /** `Field=value`; the text is read as the type of the field says. */
  readonly set?: readonly string[] | undefined;
  readonly unset?: readonly string[] | undefined;
}

/** Whether any field is asked for. */
export function asksForFields({ set = [], unset = [] }: FieldsAsked): boolean {
  return set.length > 0 || unset.length > 0;
}

/** Values by field; null takes a value away. `owner` has the fields, such as "Task". */
export function fieldsOf(
  { set = [], unset = [] }: FieldsAsked,
  types: Readonly<Record<string, string>>,
  owner: string,
): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.fromEntries(unset.map((name) => [name, null]));
  for (const text of set) {
    const [, name, value] = ASSIGNED.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new WrongUsage(`"${text}" is not Field=value`);
    }
    fields[name] = valueOf(value, name, types, owner);
  }
  return fields;
}

function valueOf(
  text: string,
  name: string,
  types: Readonly<Record<string, string>>,
  owner: string,
): unknown {
  const type = parseFieldType(types[name] ?? '');
  if (type === undefined) {
    const known = Object.keys(types).join(', ');
    throw new CommandFailure(`${owner} has no field "${name}"`, {
      code: 'unknown_field',
      hint: known === '' ? undefined : `It has ${known}.`,
    });
  }
  try {
    return parseFieldText(type, text, LIST_SEPARATOR);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`${name}: ${reason}`, { code: 'invalid_value', cause });
  }
}
