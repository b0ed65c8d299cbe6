import type { ConnectorClient } from '../connector-client.ts';
import { ConnectorError } from '../connector-error.ts';

/** Names that are asked for in one request. */
const NAMES_AT_ONCE = 100;

export interface Names {
  readonly teams?: readonly string[];
  readonly users?: readonly string[];
}

/** Teams and users of the workspace by their names at a source, asked for once each. */
export class PrincipalNames {
  readonly #client: Pick<ConnectorClient, 'access'>;
  readonly #teams = new Map<string, string | null>();
  readonly #users = new Map<string, string | null>();

  constructor(client: Pick<ConnectorClient, 'access'>) {
    this.#client = client;
  }

  async look(names: Names): Promise<void> {
    const teams = unknownOf(names.teams, this.#teams);
    const users = unknownOf(names.users, this.#users);
    for (let at = 0; at < Math.max(teams.length, users.length); at += NAMES_AT_ONCE) {
      const some = {
        teams: teams.slice(at, at + NAMES_AT_ONCE),
        users: users.slice(at, at + NAMES_AT_ONCE),
      };
      const found = await this.#client.access.resolvePrincipals(some);
      for (const name of some.teams) this.#teams.set(name, found.teams[name] ?? null);
      for (const name of some.users) this.#users.set(name, found.users[name] ?? null);
    }
  }

  /**
   * UID of a team that was looked for. Throws for one that the workspace does not have: nobody
   * would know who may see the row.
   */
  requireTeam(name: string): string {
    const uid = this.team(name);
    if (uid !== null) return uid;
    const message = `The workspace has no team "${name}", or more than one`;
    throw new ConnectorError('source_failed', message);
  }

  /** Null for a team that the workspace does not have, or more than one. */
  team(name: string): string | null {
    return this.#teams.get(name) ?? null;
  }

  /** Null for a user that the workspace does not have. */
  user(name: string): string | null {
    return this.#users.get(name) ?? null;
  }
}

function unknownOf(names: readonly string[] = [], known: ReadonlyMap<string, unknown>): string[] {
  return [...new Set(names)].filter((name) => !known.has(name));
}
