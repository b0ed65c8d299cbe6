import { nodeUid } from '@trellis/client/uid.ts';
import { CommandFailure, WrongUsage } from './failure.ts';
import { parseFieldText, parseFieldType } from './import/field-text.ts';

/** 128 bits in base58. */
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
const NAMED = /^([^/]+)\/(.+)$/s;
const ASSIGNED = /^([^=]+)=(.*)$/s;
const LIST_SEPARATOR = ';';

/** The UID of a node that is named by it, or as `Type/key`. */
export function uidOfNode(name: string): string {
  if (UID.test(name)) return name;
  const [, type, key] = NAMED.exec(name) ?? [];
  if (type !== undefined && key !== undefined) return nodeUid(type, key);
  throw new WrongUsage(
    `"${name}" names no node`,
    'Name it by its UID, or by its type and key, such as Word/dog.',
  );
}

/** The other end of a link: the service says of it what it does not find. */
export function endOfLink(name: string): { uid: string } | { type: string; key: string } {
  const [, type, key] = UID.test(name) ? [] : (NAMED.exec(name) ?? []);
  return type === undefined || key === undefined ? { uid: uidOfNode(name) } : { type, key };
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
