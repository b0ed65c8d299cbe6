import type { TypeAccessByType } from '#graph/type-access.ts';

export const TEAMS = ['all', 'sales', 'east', 'ops'];

/** Who may see what, told by the rule itself. */
export class Model {
  readonly #uidOf: (principal: string) => string | undefined;

  readonly notes = new Set<string>();
  /** `note team/name` and `note user/name`. */
  readonly restrictions = new Set<string>();
  /** `member team`, where a member is `user/name` or `team/name`. */
  readonly members = new Set<string>();
  readonly owned = new Set<string>();
  types: TypeAccessByType = {};

  /** `uidOf` tells the UID of `user/name` or `team/name`. */
  constructor(uidOf: (principal: string) => string | undefined) {
    this.#uidOf = uidOf;
  }

  principals(name: string): Set<string> {
    const found = new Set([`user/${name}`]);
    for (const one of found) {
      for (const outer of TEAMS)
        if (this.members.has(`${one} ${outer}`)) found.add(`team/${outer}`);
    }
    return found;
  }

  canSee(name: string | null, key: string): boolean {
    if (!this.notes.has(key)) return false;
    if (name !== null && this.owned.has(`${name} ${key}`)) return true;
    const named = [...this.restrictions].filter((one) => one.startsWith(`${key} `));
    if (named.length === 0) return this.types['Note']?.visibleTo !== 'restricted';
    const principals = name === null ? new Set<string>() : this.principals(name);
    return named.some((one) => principals.has(one.slice(key.length + 1)));
  }

  canRead(name: string | null, field: string): boolean {
    const rule = this.types['Note']?.fields?.[field];
    if (rule === undefined) return true;
    const principals = name === null ? new Set<string>() : this.principals(name);
    const uids = [...principals].map((one) => this.#uidOf(one));
    return [...(rule.users ?? []), ...(rule.teams ?? [])].some((uid) => uids.includes(uid));
  }
}
