import type { GraphReader, NodeObject, Visibility } from '#graph/reader.ts';
import type { Caller } from './caller.ts';

/** The fields of a user that other signed-in users may read (specification, section 2.6). */
export const PUBLIC_USER_FIELDS = [
  'UID',
  'Type',
  'Timestamp',
  'UserName',
  'FirstName',
  'LastName',
  'FullName',
  'Email',
] as const;

/** System types that plain users may see; every other type with a leading underscore is an administrator's. */
const SYSTEM_TYPES_FOR_EVERYONE: ReadonlySet<string> = new Set(['_User', '_AccessGroup']);

/** What a caller may see of the graph (open-shapes, section 4, "Access rule"). */
export function visibilityFor(reader: GraphReader, caller: Caller): Visibility {
  return caller.isAdmin || caller.isReadOnlyAdmin
    ? SEES_EVERYTHING
    : new UserVisibility(reader, caller.userUid);
}

const SEES_EVERYTHING: Visibility = {
  canSee: () => true,
  present: (_id, node) => node,
};

class UserVisibility implements Visibility {
  readonly #reader: GraphReader;
  readonly #userUid: string | null;

  constructor(reader: GraphReader, userUid: string | null) {
    this.#reader = reader;
    this.#userUid = userUid;
  }

  canSee(id: number): boolean {
    const type = this.#reader.typeOf(id);
    return type !== undefined && (!type.startsWith('_') || SYSTEM_TYPES_FOR_EVERYONE.has(type));
  }

  present(_id: number, node: NodeObject): NodeObject {
    return node.Type === '_User' && node.UID !== this.#userUid ? publicUser(node) : node;
  }
}

function publicUser(node: NodeObject): NodeObject {
  const shown: Record<string, unknown> = {};
  for (const field of PUBLIC_USER_FIELDS) {
    if (node[field] !== undefined) shown[field] = node[field];
  }
  return { ...shown, UID: node.UID, Type: node.Type, Timestamp: node.Timestamp };
}
