import { readSetting, settingDeletion, settingOperation } from '#access/settings.ts';
import type { Clock } from '#base/clock.ts';
import { LLM_USAGE_DAYS_MAX } from '#base/llm-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { TokenCounts } from './llm-call.ts';

/** What one token of the workspace has used on one day in UTC, such as "2026-11-21". */
export interface LlmUsage extends TokenCounts {
  readonly day: string;
  /** The id of the token. */
  readonly token: string;
  /** UID of the user it acts as. */
  readonly user: string;
  readonly calls: number;
}

export interface UsageLedgerParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/**
 * What was used, by day and token: numbers in memory, written to the graph now and then. So it costs a call nothing, and what a crash
 * loses is at most what was not written yet.
 */
export class UsageLedger {
  readonly #parts: UsageLedgerParts;
  readonly #days = new Map<string, Map<string, LlmUsage>>();
  readonly #unwritten = new Set<string>();
  #sinceStart: TokenCounts = { inputTokens: 0, outputTokens: 0 };

  constructor(parts: UsageLedgerParts) {
    this.#parts = parts;
    for (const day of this.#lastDays()) {
      const stored = readSetting(parts.reader, settingOf(day)) as readonly LlmUsage[] | undefined;
      if (stored !== undefined) this.#days.set(day, new Map(stored.map((row) => [row.token, row])));
    }
  }

  add(token: string, user: string, { inputTokens, outputTokens }: TokenCounts): void {
    const { inputTokens: input, outputTokens: output } = this.#sinceStart;
    this.#sinceStart = { inputTokens: input + inputTokens, outputTokens: output + outputTokens };
    const day = this.#today();
    let rows = this.#days.get(day);
    if (rows === undefined) {
      rows = new Map();
      this.#days.set(day, rows);
    }
    const before = rows.get(token) ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
    rows.set(token, {
      day,
      token,
      user,
      calls: before.calls + 1,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
    });
    this.#unwritten.add(day);
  }

  /** Of its clock. */
  get nowMs(): number {
    return this.#parts.clock.now();
  }

  /** Of everybody, since the process started. */
  get sinceStart(): TokenCounts {
    return this.#sinceStart;
  }

  /** Tokens of a user since the day began, in and out together. */
  usedToday(user: string): number {
    let used = 0;
    for (const row of this.#days.get(this.#today())?.values() ?? []) {
      if (row.user === user) used += row.inputTokens + row.outputTokens;
    }
    return used;
  }

  /** Until the next day begins. */
  restOfDayMs(): number {
    return DAY_MS - (this.#parts.clock.now() % DAY_MS);
  }

  /** The newest day first; of one day the token that used most first. */
  list({ skip, take }: { readonly skip: number; readonly take: number }): {
    readonly items: readonly LlmUsage[];
    readonly total: number;
    readonly skip: number;
    readonly take: number;
  } {
    const rows = [...this.#days].toSorted(([a], [b]) => (a < b ? 1 : -1));
    const items = rows.flatMap(([, ofDay]) => [...ofDay.values()].toSorted(byUse));
    return { items: items.slice(skip, skip + take), total: items.length, skip, take };
  }

  /** Writes what has changed since the last time, and forgets what is too old; without either there is no commit. */
  async flush(): Promise<void> {
    const kept = new Set(this.#lastDays());
    const old = [...this.#days.keys()].filter((day) => !kept.has(day));
    const changed = [...this.#unwritten].filter((day) => kept.has(day));
    this.#unwritten.clear();
    if (old.length + changed.length === 0) return;
    const { commits, reader } = this.#parts;
    reader.refresh();
    const stored = old.filter((day) => readSetting(reader, settingOf(day)) !== undefined);
    try {
      await commits.commit({
        system: true,
        operations: [
          ...changed.map((day) => settingOperation(settingOf(day), this.#rows(day))),
          ...stored.map((day) => settingDeletion(settingOf(day))),
        ],
      });
    } catch (error) {
      for (const day of changed) this.#unwritten.add(day);
      throw error;
    }
    for (const day of old) this.#days.delete(day);
  }

  #rows(day: string): readonly LlmUsage[] {
    return [...(this.#days.get(day)?.values() ?? [])];
  }

  #today(): string {
    return dayOf(this.#parts.clock.now());
  }

  #lastDays(): string[] {
    const now = this.#parts.clock.now();
    return Array.from({ length: LLM_USAGE_DAYS_MAX }, (_, ago) => dayOf(now - ago * DAY_MS));
  }
}

function settingOf(day: string): string {
  return `llm.usage.${day}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function byUse(a: LlmUsage, b: LlmUsage): number {
  const used = (row: LlmUsage): number => row.inputTokens + row.outputTokens;
  return used(b) - used(a) || (a.token < b.token ? -1 : 1);
}
