import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
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

/** Who changes a setting, and from where. */
export interface Editor {
  readonly caller: Caller;
  readonly address: string;
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
    { caller, address }: Editor,
    changed: { readonly provider: string; readonly members: readonly string[] },
    secrets: readonly VaultWrite[] = [],
  ): Promise<void> {
    const { userUid, userName } = caller;
    await this.#commits.commit({
      system: true,
      operations: [
        settingOperation(key, setting.value, setting.version),
        this.#audit.operation({
          action: 'sso.config-changed',
          actor: userUid === null ? null : { uid: userUid, name: userName ?? '' },
          target: { kind: 'provider', id: changed.provider, name: changed.provider },
          outcome: 'success',
          address,
          details: { changed: changed.members },
        }),
      ],
      vault: secrets,
    });
  }
}
