import type { LlmShare, LlmUsage } from '@trellis/contract/shapes/llm.ts';
import { readSetting, settingDeletion, settingOperation } from '#access/settings.ts';
import type { Clock } from '#base/clock.ts';
import { LLM_USAGE_DAYS_MAX, LLM_USAGE_TOKENS_PER_USER_MAX } from '#base/assistant-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { TokenCounts } from './llm-call.ts';

/** Who used tokens, and for which feature and model. */
interface Used extends Pick<LlmUsage, 'token' | 'user'>, Pick<LlmShare, 'feature' | 'model'> {}

/** Records from before the split by feature and model have no `split`. */
type StoredUsage = Omit<LlmUsage, 'split'> & Partial<Pick<LlmUsage, 'split'>>;

export interface UsageLedgerParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
}

/** What one user has used of one model in a month. */
export interface MonthUse {
  readonly user: string;
  readonly model: string;
  readonly counts: TokenCounts;
}

const MONTH_CHARACTERS = 'YYYY-MM'.length;

type Counts = TokenCounts & Pick<LlmShare, 'calls'>;

const NOTHING: Counts = { calls: 0, inputTokens: 0, outputTokens: 0 };
const DAY_MS = 86_400_000;
/**
 * The row for all further tokens of a user, so that a user with many sessions does not make many
 * rows.
 */
const OTHERS = 'others';

/**
 * The usage by day and token. It is counted in memory and written to the graph from time to time:
 * so counting costs a call nothing, and a crash loses only what was not written yet.
 */
export class UsageLedger {
  readonly #parts: UsageLedgerParts;
  readonly #days = new Map<string, Map<string, LlmUsage>>();
  readonly #unwritten = new Set<string>();
  #sinceStart = NOTHING;
  /** Summed up when it is asked for, and kept up to date from then on. */
  #month: { readonly month: string; readonly byUser: Map<string, MonthUse> } | undefined;

  constructor(parts: UsageLedgerParts) {
    this.#parts = parts;
    for (const day of this.#lastDays()) {
      const stored = readSetting(parts.reader, settingOf(day)) as
        | readonly StoredUsage[]
        | undefined;
      if (stored === undefined) continue;
      this.#days.set(day, new Map(stored.map((row) => [keyOf(row), { split: [], ...row }])));
    }
  }

  add({ token, user, feature, model }: Used, counts: TokenCounts): void {
    const call = { calls: 1, ...counts };
    this.#sinceStart = sum(this.#sinceStart, call);
    const day = this.today;
    let rows = this.#days.get(day);
    if (rows === undefined) {
      rows = new Map();
      this.#days.set(day, rows);
    }
    const whose = { token: isToldApart(rows, token, user) ? token : OTHERS, user };
    const { split, ...before } = rows.get(keyOf(whose)) ?? { ...NOTHING, split: [] };
    const shares = [...split, { feature, model, ...call }];
    rows.set(keyOf(whose), { day, ...whose, ...sum(before, call), split: together(shares) });
    this.#unwritten.add(day);
    if (this.#month?.month === this.month) addTo(this.#month.byUser, user, model, counts);
  }

  /** The current time of the clock, in milliseconds. */
  get nowMs(): number {
    return this.#parts.clock.now();
  }

  /** The tokens of all users since the process started. */
  get sinceStart(): TokenCounts {
    const { inputTokens, outputTokens } = this.#sinceStart;
    return { inputTokens, outputTokens };
  }

  /** The tokens, input and output together, that a user has used today. */
  usedToday(user: string): number {
    return this.#rows(this.today, user).reduce((used, row) => used + tokensOf(row), 0);
  }

  /** The usage of a user today by feature and model; the largest comes first. */
  splitToday(user: string): readonly LlmShare[] {
    return together(this.#rows(this.today, user).flatMap(({ split }) => split));
  }

  /** The current month in UTC, such as "2026-11". */
  get month(): string {
    return this.today.slice(0, MONTH_CHARACTERS);
  }

  /** When the next month begins. */
  get monthEndMs(): number {
    const now = new Date(this.#parts.clock.now());
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  }

  /** The usage of this month by user and model. */
  monthUse(): readonly MonthUse[] {
    const { month } = this;
    if (this.#month?.month !== month) {
      const byUser = new Map<string, MonthUse>();
      this.#month = { month, byUser };
      for (const [day, rows] of this.#days) {
        if (!day.startsWith(month)) continue;
        for (const row of rows.values()) {
          // Rows from before the split have no models.
          const shares = row.split.length === 0 ? [{ ...row, model: '' }] : row.split;
          for (const share of shares) addTo(byUser, row.user, share.model, share);
        }
      }
    }
    return [...this.#month.byUser.values()];
  }

  /** Milliseconds until the next day begins. */
  restOfDayMs(): number {
    return DAY_MS - (this.#parts.clock.now() % DAY_MS);
  }

  /**
   * The usage by day and token: the newest day first, and within a day the token with the largest
   * usage first. `user` limits it to one user.
   */
  list({ skip, take }: { readonly skip: number; readonly take: number }, user?: string) {
    const days = [...this.#days.keys()].toSorted().toReversed();
    const items = days.flatMap((day) => this.#rows(day, user).toSorted(byUse));
    return { items: items.slice(skip, skip + take), total: items.length, skip, take };
  }

  /**
   * Writes what has changed since the last time, and deletes days that are too old. Commits nothing
   * when there is nothing to do.
   */
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

  #rows(day: string, user?: string): readonly LlmUsage[] {
    const rows = [...(this.#days.get(day)?.values() ?? [])];
    return user === undefined ? rows : rows.filter((row) => row.user === user);
  }

  /** The current day in UTC, such as "2026-11-21". */
  get today(): string {
    return dayOf(this.#parts.clock.now());
  }

  #lastDays(): string[] {
    const now = this.#parts.clock.now();
    return Array.from({ length: LLM_USAGE_DAYS_MAX }, (_, ago) => dayOf(now - ago * DAY_MS));
  }
}

function keyOf({ token, user }: Pick<LlmUsage, 'token' | 'user'>): string {
  return `${token} ${user}`;
}

/** Whether a token has a row of its own, or may get one. */
function isToldApart(rows: ReadonlyMap<string, LlmUsage>, token: string, user: string): boolean {
  if (rows.has(keyOf({ token, user }))) return true;
  const own = [...rows.values()].filter((row) => row.user === user && row.token !== OTHERS);
  return own.length < LLM_USAGE_TOKENS_PER_USER_MAX;
}

function settingOf(day: string): string {
  return `llm.usage.${day}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function byUse(a: LlmUsage, b: LlmUsage): number {
  return tokensOf(b) - tokensOf(a) || (a.token < b.token ? -1 : 1);
}

/** The shares with those of the same feature and model added up. */
function together(shares: readonly LlmShare[]): readonly LlmShare[] {
  const byName = new Map<string, LlmShare>();
  for (const share of shares) {
    const name = JSON.stringify([share.feature, share.model]);
    byName.set(name, { ...share, ...sum(byName.get(name) ?? NOTHING, share) });
  }
  return [...byName.values()].toSorted((a, b) => tokensOf(b) - tokensOf(a));
}

function sum(a: Counts, b: Counts): Counts {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function tokensOf({ inputTokens, outputTokens }: TokenCounts): number {
  return inputTokens + outputTokens;
}

function addTo(
  byUser: Map<string, MonthUse>,
  user: string,
  model: string,
  { inputTokens, outputTokens }: TokenCounts,
): void {
  const key = JSON.stringify([user, model]);
  const before = byUser.get(key)?.counts ?? { inputTokens: 0, outputTokens: 0 };
  const counts = {
    inputTokens: before.inputTokens + inputTokens,
    outputTokens: before.outputTokens + outputTokens,
  };
  byUser.set(key, { user, model, counts });
}
