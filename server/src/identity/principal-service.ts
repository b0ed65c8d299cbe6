import type { PrincipalNames } from '@trellis/contract/shapes/access.ts';
import type { Caller } from '#access/caller.ts';
import type { GraphReader } from '#graph/reader.ts';
import { userIdOfName } from '#access/user-names.ts';
import { userIdsOfAddress } from './user-addresses.ts';

/** UIDs by the name that was given; null where it is nobody's, or more than one's. */
type UidsByName = Readonly<Record<string, string | null>>;

/**
 * Finds the user or team that a name means, for those who write down who may see what. A wrong UID
 * would show a node to somebody else: when in doubt, nobody.
 */
export class PrincipalService {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  resolve(
    _caller: Caller,
    { users = [], teams = [] }: PrincipalNames,
  ): {
    users: UidsByName;
    teams: UidsByName;
  } {
    this.#reader.refresh();
    return { users: this.#users(users), teams: this.#teams(teams) };
  }

  /**
   * By name as at sign-in, or by address as at identity providers: one that anybody wrote into
   * their own profile proves nothing.
   */
  #users(given: readonly string[]): UidsByName {
    const reader = this.#reader;
    return this.#uidsOf(given, (name) => {
      const named = userIdOfName(reader, name);
      const isUser = named !== undefined && reader.typeOf(named) === '_User';
      const owners = name.includes('@') ? userIdsOfAddress(reader, name) : [];
      const confirmed = owners.filter((id) => reader.field(id, 'Confirmed') === true);
      return [...(isUser ? [named] : []), ...confirmed];
    });
  }

  /** In any case, as a name is taken in any case. */
  #teams(given: readonly string[]): UidsByName {
    if (given.length === 0) return {};
    const byName = this.#teamsByName();
    return this.#uidsOf(given, (name) => byName.get(folded(name)) ?? []);
  }

  #teamsByName(): Map<string, number[]> {
    const ids = new Map<string, number[]>();
    for (const id of this.#reader.idsOfType('_AccessGroup')) {
      const value = this.#reader.field(id, 'Name');
      if (typeof value !== 'string' || value.trim() === '') continue;
      const same = ids.get(folded(value));
      if (same === undefined) ids.set(folded(value), [id]);
      else same.push(id);
    }
    return ids;
  }

  #uidsOf(given: readonly string[], idsOf: (name: string) => readonly number[]): UidsByName {
    return Object.fromEntries(
      given.map((name) => {
        const [id, ...others] = new Set(idsOf(name));
        const isOne = id !== undefined && others.length === 0;
        return [name, isOne ? (this.#reader.uid(id) ?? null) : null];
      }),
    );
  }
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
