import type {
  ResearchLimits,
  ResearchSettingsChange,
  Researcher,
} from '@trellis/contract/shapes/deep-research.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import {
  RESEARCH_MINUTES_DEFAULT,
  RESEARCH_QUEUED_DEFAULT,
  RESEARCH_RUNNING_DEFAULT,
  RESEARCH_RUNS_PER_USER_DEFAULT,
  RESEARCH_STEPS_DEFAULT,
  RESEARCH_TOKENS_DEFAULT,
} from '#base/assistant-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';

export const RESEARCH_DEFAULTS: ResearchLimits = {
  queued: RESEARCH_QUEUED_DEFAULT,
  running: RESEARCH_RUNNING_DEFAULT,
  runsPerUser: RESEARCH_RUNS_PER_USER_DEFAULT,
  steps: RESEARCH_STEPS_DEFAULT,
  tokens: RESEARCH_TOKENS_DEFAULT,
  minutes: RESEARCH_MINUTES_DEFAULT,
};

const BUILT_IN: readonly Researcher[] = [
  {
    name: 'Facts',
    instructions:
      'Find what the workspace says on the subject itself: what things are, their fields, numbers and dates.',
  },
  {
    name: 'Relations',
    instructions:
      'Find how things are connected: follow what is linked to the subject, and say what that shows.',
  },
  {
    name: 'Doubts',
    instructions:
      'Find what contradicts, limits or is missing: other readings, exceptions, and what the workspace does not say.',
  },
];

const SETTING = 'ai.deep-research';

/** The settings that administrators have changed. */
export interface OwnResearchSettings {
  readonly limits: Partial<ResearchLimits>;
  readonly researchers: readonly Researcher[];
}

export interface ResearchSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

/**
 * The limits and the researchers of deep research: the values that administrators have set, else
 * the defaults.
 */
export class ResearchSettings {
  readonly #parts: ResearchSettingsParts;

  constructor(parts: ResearchSettingsParts) {
    this.#parts = parts;
  }

  limits(): ResearchLimits {
    return { ...RESEARCH_DEFAULTS, ...this.#read().limits };
  }

  /** At least one. */
  researchers(): readonly Researcher[] {
    const { researchers } = this.#read();
    return researchers.length === 0 ? BUILT_IN : researchers;
  }

  own(): OwnResearchSettings {
    return this.#read();
  }

  /** A member that is left out stays as it is. Rejects with `version_conflict`. */
  async put(doer: Doer, { limits = {}, researchers }: ResearchSettingsChange): Promise<void> {
    const { reader, commits, audit } = this.#parts;
    const before = this.#read();
    const version = settingVersion(reader, SETTING);
    const given = Object.entries(limits).filter(([, value]) => value !== undefined);
    const merged = Object.entries({ ...before.limits, ...Object.fromEntries(given) });
    const after: OwnResearchSettings = {
      limits: Object.fromEntries(merged.filter(([, value]) => value !== 0)),
      researchers: researchers ?? before.researchers,
    };
    const target = { kind: 'settings', id: SETTING };
    const details = {
      limits: after.limits,
      researchers: after.researchers.map(({ name }) => name),
    };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(deed('research.settings-changed', doer, target, details)),
      ],
    });
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): ResearchSettings {
    return new ResearchSettings({ ...this.#parts, reader, commits });
  }

  #read(): OwnResearchSettings {
    const { reader } = this.#parts;
    reader.refresh();
    const stored = readSetting(reader, SETTING) as Partial<OwnResearchSettings> | undefined;
    return { limits: {}, researchers: [], ...stored };
  }
}
