import type {
  AssistantSettings,
  AssistantSettingsChange,
} from '@trellis/contract/shapes/assistant.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

export interface AssistantSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

const SETTING = 'ai.assistant';
const DEFAULTS: AssistantSettings = { instructions: '' };

/** What administrators tell all models of the assistant (open-shapes, section 14). */
export class AssistantSettingsService {
  readonly #parts: AssistantSettingsParts;

  constructor(parts: AssistantSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): AssistantSettings {
    return this.current();
  }

  /** Rejects with `version_conflict`. The audit has only the names of what was changed. */
  async put(
    caller: Caller,
    change: AssistantSettingsChange,
    address: string,
  ): Promise<AssistantSettings> {
    const { reader, commits, audit } = this.#parts;
    const before = this.current();
    const version = settingVersion(reader, SETTING);
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    if (given.length === 0) return before;
    const after = { ...before, ...Object.fromEntries(given) };
    const target = { kind: 'settings', id: SETTING };
    const details = { changed: given.map(([name]) => name) };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(deed('ai.settings-changed', { caller, address }, target, details)),
      ],
    });
    return this.current();
  }

  current(): AssistantSettings {
    const { reader } = this.#parts;
    reader.refresh();
    const stored = readSetting(reader, SETTING) as Partial<AssistantSettings> | undefined;
    return { ...DEFAULTS, ...stored };
  }
}
