import type {
  AssistantSettings,
  AssistantSettingsChange,
} from '@trellis/contract/shapes/assistant.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { CommitPort } from '#graph/operations.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { ChatTarget } from './provider-settings.ts';
import { providersNamed } from './router/admission.ts';

export interface AssistantSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Empty when no provider is configured. */
  readonly chatTargets: () => readonly ChatTarget[];
}

const SETTING = 'ai.assistant';
const DEFAULTS: AssistantSettings = { instructions: '', judge: null };

/** What administrators say of all models of the assistant (open-shapes, section 14). */
export class AssistantSettingsService {
  readonly #parts: AssistantSettingsParts;

  constructor(parts: AssistantSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): AssistantSettings {
    return this.current();
  }

  /**
   * Rejects with `invalid_request` for a judge of no provider, and with `version_conflict`. The
   * audit has only the names of what was changed.
   */
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
    const { judge } = change;
    if (judge && providersNamed(this.#parts.chatTargets(), judge.provider).length === 0) {
      throw noProvider(judge.provider);
    }
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

function noProvider(name: string): Problem {
  const path = 'judge.provider';
  const message = `is no provider of chat: "${name}"`;
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    hint: 'Name a further provider, or the protocol that the provider of chat speaks.',
    details: { fields: [{ path, message }] },
  });
}
