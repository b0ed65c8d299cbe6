import type { ConnectorClient } from '../connector-client.ts';
import { ConnectorError } from '../connector-error.ts';

/** Names that are asked for in one request. */
const NAMES_AT_ONCE = 100;

/** The teams of the workspace by their names, asked for once each. */
export class TeamNames {
  readonly #client: Pick<ConnectorClient, 'access'>;
  readonly #uids = new Map<string, string | null>();

  constructor(client: Pick<ConnectorClient, 'access'>) {
    this.#client = client;
  }

  async look(names: readonly string[]): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.#uids.has(name));
    for (let at = 0; at < unknown.length; at += NAMES_AT_ONCE) {
      const teams = unknown.slice(at, at + NAMES_AT_ONCE);
      const found = await this.#client.access.resolvePrincipals({ teams });
      for (const name of teams) this.#uids.set(name, found.teams[name] ?? null);
    }
  }

  /** Throws for a team that the workspace does not have: nobody would know who may see the row. */
  uid(name: string): string {
    const uid = this.find(name);
    if (uid !== null) return uid;
    const message = `The workspace has no team "${name}", or more than one`;
    throw new ConnectorError('source_failed', message);
  }

  /** Null for a team that the workspace does not have, or more than one. */
  find(name: string): string | null {
    return this.#uids.get(name) ?? null;
  }
}
