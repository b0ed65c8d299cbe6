import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultReader, VaultWrite } from '../vault.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { CommitPort } from '#graph/operations.ts';

/** What the settings of providers are read, checked and written with. */
export interface ConfigParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly settings: SettingStore;
  /** `MSK_PUBLIC_ADDRESS`, without a slash at the end. */
  readonly publicAddress: string | null;
}

/** Without the members that are there only to say undefined. */
export function given<T extends object>(change: T): Given<T> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** 400, like a member that does not pass the contract. */
export function invalidSetting(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** 409 unless the server knows under which address a provider can lead back to it. */
export function requirePublicAddress(address: string | null): void {
  if (address !== null) return;
  throw new Problem(
    'sso_needs_public_address',
    'The server does not know its public address, which a provider has to lead back to.',
  );
}

export function checkTeams(
  reader: GraphReader,
  path: string,
  groupTeams: Readonly<Record<string, string>>,
): void {
  reader.refresh();
  for (const [group, team] of Object.entries(groupTeams)) {
    if (!isTeam(reader, team))
      throw invalidSetting(`${path}.${group}`, 'must be the UID of a team');
  }
}

export function isTeam(reader: GraphReader, uid: string): boolean {
  const id = reader.id({ uid });
  return id !== undefined && reader.typeOf(id) === '_AccessGroup';
}

/** A setting as it was read: `version` guards the change that is made of it. */
interface StoredSetting {
  /** Undefined when it was never set. */
  readonly value: unknown;
  readonly version: number;
}

/**
 * The settings of sign-in, as nodes of the system type `_Setting`; secrets go to the vault in the
 * same commit.
 */
export class SettingStore {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;
  readonly #audit: AuditTrail;

  constructor(reader: GraphReader, commits: CommitPort, audit: AuditTrail) {
    this.#reader = reader;
    this.#commits = commits;
    this.#audit = audit;
  }

  read(key: string): StoredSetting {
    this.#reader.refresh();
    return { value: readSetting(this.#reader, key), version: settingVersion(this.#reader, key) };
  }

  /**
   * Throws `version_conflict` when somebody else has changed it since it was read. `changed` names
   * members, never values.
   */
  async write(
    key: string,
    setting: { readonly value: object; readonly version: number },
    editor: Doer,
    changed: { readonly provider: string; readonly members: readonly string[] },
    secrets: readonly VaultWrite[] = [],
  ): Promise<void> {
    const target = { kind: 'provider', id: changed.provider, name: changed.provider };
    const details = { changed: changed.members };
    await this.#commits.commit({
      system: true,
      operations: [
        settingOperation(key, setting.value, setting.version),
        this.#audit.operation(deed('sso.config-changed', editor, target, details)),
      ],
      vault: secrets,
    });
  }
}
