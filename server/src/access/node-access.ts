import type { NodeAccess } from '@trellis/contract/shapes/access.ts';
import { NOBODY_UID } from '#graph/merged-access.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readTypeAccess } from './type-rules.ts';

/** To whom a node is restricted, and whose it is; UIDs in their order. */
export function accessOf(reader: GraphReader, id: number): NodeAccess {
  const uids = (direction: 'out' | 'in', edge: string): string[] =>
    reader
      .neighbors(id, direction, edge)
      .map((one) => reader.uid(one))
      .filter((uid) => uid !== undefined)
      .toSorted();
  return {
    teams: uids('out', 'RestrictAccessToTeam'),
    users: uids('out', 'RestrictAccessToUser'),
    owners: uids('in', '_Owns'),
  };
}

/** Teams and users who see something beside administrators; null: everybody. */
export type Readers = {
  readonly teams: readonly string[];
  readonly users: readonly string[];
} | null;

/** Who sees a node. Its owners are among the users. */
export function readersOf(reader: GraphReader, id: number): Readers {
  const { teams, users, owners } = accessOf(reader, id);
  if (teams.length + users.length === 0 && !isRestrictedType(reader, id)) return null;
  return { teams, users: [...new Set([...users, ...owners])].toSorted() };
}

/** Whether whoever is named in `some` is named in `others`. Nested teams are not looked into. */
export function isWithin(some: Readers, others: Readers): boolean {
  if (others === null) return true;
  if (some === null) return false;
  return (
    some.teams.every((uid) => uid === NOBODY_UID || others.teams.includes(uid)) &&
    some.users.every((uid) => others.users.includes(uid))
  );
}

/** Whether nodes of its type without a restriction are for their owners only. */
function isRestrictedType(reader: GraphReader, id: number): boolean {
  const type = reader.typeOf(id);
  return Object.entries(readTypeAccess(reader)).some(
    ([name, { visibleTo }]) => visibleTo === 'restricted' && reader.typeNamed(name) === type,
  );
}
