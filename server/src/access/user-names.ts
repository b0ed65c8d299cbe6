import type { GraphReader } from '#graph/reader.ts';

/** The key of a user's node: names differ in more than case. */
export function userKey(userName: string): string {
  return userName.trim().toLowerCase();
}

/** The type of nodes that lead from the present name of a user who was renamed to the user. */
export const USER_NAME_TYPE = '_UserName';

/**
 * The node of the user who has this name. The key of a node stays when its user is renamed: then
 * the old name is nobody's, and a node of the new one leads to the user.
 */
export function userIdOfName(reader: GraphReader, userName: string): number | undefined {
  const key = userKey(userName);
  const id = reader.id({ type: '_User', key });
  const present = id === undefined ? undefined : reader.field(id, 'UserName');
  if (id !== undefined && (typeof present !== 'string' || userKey(present) === key)) return id;
  const renamed = reader.id({ type: USER_NAME_TYPE, key });
  const uid = renamed === undefined ? undefined : reader.field(renamed, 'User');
  return typeof uid === 'string' ? reader.id({ uid }) : undefined;
}
