import type {
  WorkspaceSettingsChange,
  WorkspaceSettingsDocument,
} from '@trellis/contract/shapes/workspace.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';

const SETTING = 'workspace';
const DEFAULTS: WorkspaceSettingsDocument = {
  name: 'Trellis',
  teamsEnabled: true,
  ReplicaURLs: '',
  fetchAllowList: [],
  interface: null,
};

export interface WorkspaceSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Whether there is a custom interface of this name. */
  readonly hasInterface: (name: string) => boolean;
  /** Called once a change is committed; what it does is waited for. */
  readonly onSettingsChanged: () => Promise<void>;
}

/** As of the newest commit. */
export function currentSettings(reader: GraphReader): WorkspaceSettingsDocument {
  reader.refresh();
  const stored = readSetting(reader, SETTING) as Partial<WorkspaceSettingsDocument>;
  return { ...DEFAULTS, ...stored };
}

/** What holds for the whole workspace. */
export class WorkspaceSettings {
  readonly #parts: WorkspaceSettingsParts;

  constructor(parts: WorkspaceSettingsParts) {
    this.#parts = parts;
  }

  /** As of the newest commit. */
  current(): WorkspaceSettingsDocument {
    return currentSettings(this.#parts.reader);
  }

  /** Whether somebody has ever changed them. */
  isSet(): boolean {
    this.#parts.reader.refresh();
    return readSetting(this.#parts.reader, SETTING) !== undefined;
  }

  get(_caller: Caller): WorkspaceSettingsDocument {
    return this.current();
  }

  /**
   * What is left out stays as it is. Throws `version_conflict` when somebody changed them in the
   * same moment, and `invalid_request` for an interface that there is not.
   */
  async put(
    caller: Caller,
    change: WorkspaceSettingsChange,
    address: string,
  ): Promise<WorkspaceSettingsDocument> {
    const { commits, audit, reader } = this.#parts;
    const before = this.current();
    this.#checkInterface(change.interface ?? null);
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
    await this.#parts.onSettingsChanged();
    return after;
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits, afterwards }: Staging): WorkspaceSettings {
    const { onSettingsChanged } = this.#parts;
    const onStaged = async (): Promise<void> => afterwards(onSettingsChanged);
    return new WorkspaceSettings({ ...this.#parts, reader, commits, onSettingsChanged: onStaged });
  }

  #checkInterface(name: string | null): void {
    if (name === null || this.#parts.hasInterface(name)) return;
    const message = `there is no interface "${name}"`;
    throw new Problem('invalid_request', `body, interface: ${message}`, {
      hint: 'GET /api/interfaces lists the interfaces there are.',
      details: { fields: [{ path: 'interface', message }] },
    });
  }
}
