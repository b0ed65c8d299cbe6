import { userKey } from '#access/user-names.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/**
 * Leads from an address, in lower case, to the users who have it. Several may: anybody can write
 * any address into their own profile. Whatever commit changes the address of a user changes it.
 */
const ADDRESS_TYPE = '_UserAddress';

/** No address: its node says that every user is found by theirs. */
const COMPLETE = '*';
const COMMIT_USERS = 1_000;

/** The nodes of everybody with this address, in whatever case. */
export function userIdsOfAddress(reader: GraphReader, address: string): number[] {
  const key = userKey(address);
  return uidsOf(reader, key)
    .map((uid) => reader.id({ uid }))
    .filter((id) => id !== undefined)
    .filter((id) => keyOf(reader.field(id, 'Email')) === key);
}

/**
 * The operations by which the user is found by another address; to be committed with it, and as one
 * of the changes of users that come one after the other. Null for none.
 */
export function addressChange(
  reader: GraphReader,
  uid: string,
  { before, after }: { readonly before: string | null; readonly after: string | null },
): WriterOperation[] {
  const [old, key] = [keyOf(before), keyOf(after)];
  if (old === key) return [];
  return [
    ...(old === undefined ? [] : withUsers(old, without(uidsOf(reader, old), [uid]))),
    ...(key === undefined ? [] : withUsers(key, [...without(uidsOf(reader, key), [uid]), uid])),
  ];
}

/**
 * Finds every user by their address in a workspace of an older version, which did not keep that. It
 * may be cut short, and repeated.
 */
export async function indexAddresses(reader: GraphReader, commits: CommitPort): Promise<void> {
  reader.refresh();
  if (reader.id({ type: ADDRESS_TYPE, key: COMPLETE }) !== undefined) return;
  const ids = reader.idsOfType('_User');
  for (let from = 0; from < ids.length; from += COMMIT_USERS) {
    const uidsByKey = new Map<string, string[]>();
    for (const id of ids.slice(from, from + COMMIT_USERS)) {
      const [key, uid] = [keyOf(reader.field(id, 'Email')), reader.uid(id)];
      if (key === undefined || uid === undefined) continue;
      const uids = uidsByKey.get(key);
      if (uids === undefined) uidsByKey.set(key, [uid]);
      else uids.push(uid);
    }
    const operations = [...uidsByKey].flatMap(([key, uids]) =>
      withUsers(key, [...without(uidsOf(reader, key), uids), ...uids]),
    );
    if (operations.length > 0) await commits.commit({ system: true, operations });
    reader.refresh();
  }
  const complete = { op: 'addOrUpdate', type: ADDRESS_TYPE, key: COMPLETE, fields: {} } as const;
  await commits.commit({ system: true, operations: [complete] });
}

function withUsers(key: string, uids: readonly string[]): WriterOperation[] {
  const node = { type: ADDRESS_TYPE, key };
  return uids.length === 0
    ? [{ op: 'delete', ...node }]
    : [{ op: 'addOrUpdate', ...node, fields: { Users: [...uids] } }];
}

function without(uids: readonly string[], left: readonly string[]): string[] {
  return uids.filter((uid) => !left.includes(uid));
}

function uidsOf(reader: GraphReader, key: string): string[] {
  const id = reader.id({ type: ADDRESS_TYPE, key });
  const uids = id === undefined ? undefined : reader.field(id, 'Users');
  return Array.isArray(uids) ? uids.filter((uid) => typeof uid === 'string') : [];
}

function keyOf(address: unknown): string | undefined {
  const key = typeof address === 'string' ? userKey(address) : '';
  return key === '' ? undefined : key;
}
