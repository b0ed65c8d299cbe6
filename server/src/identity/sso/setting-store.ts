import type { AuditTrail } from '#access/audit-event.ts';
import { deed, type Doer } from '#access/deed.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultWrite } from '../vault.ts';

/** A setting as it was read: `version` guards the change that is made of it. */
export interface StoredSetting {
  /** Undefined when it was never set. */
  readonly value: unknown;
  readonly version: number;
}

/** The settings of sign-in, as nodes of the system type `_Setting`; secrets go to the vault in the same commit. */
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

  /** Throws `version_conflict` when somebody else has changed it since it was read. `changed` names members, never values. */
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
