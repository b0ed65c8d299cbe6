import { turns } from '#base/turns.ts';

/** A list, or an object, of more members than this is written in turns. */
const MEMBERS_AT_ONCE = 32;

/**
 * The JSON of an answer, as `JSON.stringify` makes it. Long lists, the value itself or a member of
 * it, are written in turns of `caller` (see `Turns`).
 */
export function jsonInTurns(value: unknown, caller: string): string | Promise<string> {
  const isLong = isLongList(value) || (isRecord(value) && hasLongMember(value));
  return isLong ? longJson(value, caller) : JSON.stringify(value);
}

async function longJson(value: unknown, caller: string): Promise<string> {
  if (Array.isArray(value)) return listJson(value, caller);
  let text = '';
  for (const [name, member] of Object.entries(value as object)) {
    if (turns.isSpent) await turns.next(caller);
    const json = isLongList(member) ? await listJson(member, caller) : JSON.stringify(member);
    if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
  }
  return `{${text}}`;
}

async function listJson(list: readonly unknown[], caller: string): Promise<string> {
  let text = '';
  for (const one of list) {
    if (turns.isSpent) await turns.next(caller);
    text += `${text === '' ? '' : ','}${JSON.stringify(one) ?? 'null'}`;
  }
  return `[${text}]`;
}

function hasLongMember(record: object): boolean {
  let members = 0;
  for (const name in record) {
    if (++members > MEMBERS_AT_ONCE) return true;
    if (isLongList((record as Record<string, unknown>)[name])) return true;
  }
  return false;
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > MEMBERS_AT_ONCE;
}

/** Whether a value is an object that JSON writes member by member. */
function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
