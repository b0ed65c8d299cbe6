import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { deed } from '#access/deed.ts';

export interface WorkspaceSettingsDocument {
  readonly name: string;
  readonly teamsEnabled: boolean;
  /** URLs with ";" between them (specification, section 2.9). */
  readonly ReplicaURLs: string;
  /** Origins that the code of endpoints may reach. */
  readonly fetchAllowList: readonly string[];
}

export type WorkspaceSettingsChange = {
  readonly [Name in keyof WorkspaceSettingsDocument]?: WorkspaceSettingsDocument[Name] | undefined;
};

const SETTING = 'workspace';
const DEFAULTS: WorkspaceSettingsDocument = {
  name: 'Trellis',
  teamsEnabled: true,
  ReplicaURLs: '',
  fetchAllowList: [],
};

export interface WorkspaceSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Called once a change is committed. */
  readonly onSettingsChanged: () => void;
}

/** What holds for the whole workspace. */
export class WorkspaceSettings {
  readonly #parts: WorkspaceSettingsParts;

  constructor(parts: WorkspaceSettingsParts) {
    this.#parts = parts;
  }

  /** As of the newest commit. */
  current(): WorkspaceSettingsDocument {
    this.#parts.reader.refresh();
    const stored = readSetting(this.#parts.reader, SETTING) as Partial<WorkspaceSettingsDocument>;
    return { ...DEFAULTS, ...stored };
  }

  get(_caller: Caller): WorkspaceSettingsDocument {
    return this.current();
  }

  /** What is left out stays as it is. Throws `version_conflict` when somebody changed them in the same moment. */
  async put(
    caller: Caller,
    change: WorkspaceSettingsChange,
    address: string,
  ): Promise<WorkspaceSettingsDocument> {
    const { commits, audit, reader } = this.#parts;
    const before = this.current();
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    const after = { ...before, ...Object.fromEntries(given) };
    const version = settingVersion(reader, SETTING);
    const target = { kind: 'settings', id: SETTING };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(
          deed(
            'workspace.settings-changed',
            { caller, address },
            target,
            Object.fromEntries(given),
          ),
        ),
      ],
    });
    this.#parts.onSettingsChanged();
    return after;
  }
}
