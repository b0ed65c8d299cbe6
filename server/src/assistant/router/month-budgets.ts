import type {
  LlmBudgets,
  LlmBudgetsChange,
  LlmPrices,
  MonthBudget,
} from '@trellis/contract/shapes/llm-budget.ts';
import type { LlmBudget } from '@trellis/contract/shapes/llm.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { TokenCounts } from './llm-call.ts';
import type { UsageLedger } from './usage-ledger.ts';

export interface MonthBudgetsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly ledger: UsageLedger;
  /** UIDs of the teams that a user is in, through whatever nesting. */
  readonly teamsOf: (userUid: string) => readonly string[];
}

type StoredBudget = Pick<MonthBudget, 'team' | 'tokens' | 'money' | 'softPercent' | 'isHard'>;

interface StoredBudgets {
  readonly currency: string;
  readonly prices: LlmPrices;
  readonly budgets: readonly StoredBudget[];
}

type MonthsOfUser = Pick<LlmBudget, 'months' | 'workspaceMonth' | 'currency'>;

interface Amount {
  readonly tokens: number;
  readonly money: number;
}

/** A request that is under way, with the most that it may use. */
interface Reserved {
  readonly user: string;
  readonly model: string;
  readonly most: TokenCounts;
}

const SETTING = 'llm.budgets';
const DEFAULTS: StoredBudgets = { currency: 'EUR', prices: {}, budgets: [] };
const TEAM = '_AccessGroup';
/** The price of all models without one of their own. */
const OTHERS = '*';
const MILLION = 1_000_000;

/**
 * What teams, and the workspace as a whole, may use of models in a month in UTC. A request reserves
 * the most that it may use, so requests at the same time never go over a budget together.
 */
export class MonthBudgets {
  readonly #parts: MonthBudgetsParts;
  readonly #reserved = new Set<Reserved>();

  constructor(parts: MonthBudgetsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): LlmBudgets {
    const { ledger } = this.#parts;
    const stored = this.#read();
    const { currency, prices, budgets } = stored;
    return {
      currency,
      prices,
      month: ledger.month,
      resetsAt: new Date(ledger.monthEndMs).toISOString(),
      budgets: this.#now(budgets, stored),
    };
  }

  /** Rejects with `invalid_request` for a team that there is not, and `version_conflict`. */
  async put(caller: Caller, change: LlmBudgetsChange, address: string): Promise<LlmBudgets> {
    const { reader, commits, audit } = this.#parts;
    const before = this.#read();
    const version = settingVersion(reader, SETTING);
    const budgets = change.budgets?.map(({ team, ...limits }, at) => ({
      team: team === null ? null : this.#teamOf(team, at),
      ...limits,
    }));
    if (new Set(budgets?.map(({ team }) => team)).size !== (budgets?.length ?? 0)) {
      throw invalid('budgets', 'must have each team once');
    }
    const after: StoredBudgets = {
      currency: change.currency ?? before.currency,
      prices: change.prices ?? before.prices,
      budgets: budgets ?? before.budgets,
    };
    const target = { kind: 'settings', id: SETTING };
    const details = { changed: Object.keys(change) };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(deed('llm.budgets-changed', { caller, address }, target, details)),
      ],
    });
    return this.get(caller);
  }

  /**
   * The budgets that count what this user uses. That of the workspace would tell what all others
   * use, so it has its state alone, unless the user may see that anyway.
   */
  of(user: string, isEverybody: boolean): MonthsOfUser {
    const stored = this.#read();
    const all = this.#now(this.#over(user, stored), stored);
    return {
      months: all.filter(({ team }) => isEverybody || team !== null),
      workspaceMonth: all.find(({ team }) => team === null)?.state ?? null,
      currency: stored.currency,
    };
  }

  /** How much of each is used: the larger share of its tokens and its money. */
  shares(): readonly { readonly name: string; readonly used: number }[] {
    const stored = this.#read();
    return this.#now(stored.budgets, stored).map((now) => ({
      name: now.team === null ? '' : (now.name ?? now.team),
      used: usedShare(now),
    }));
  }

  /**
   * Reserves the most that a request may use, until the result is disposed. Throws
   * `llm_quota_exceeded` when a hard budget has no room for it, and `too_many_requests` when it has
   * none beside the requests that are under way.
   */
  reserve(user: string, model: string, most: TokenCounts): Disposable {
    const stored = this.#read();
    const hard = this.#over(user, stored).filter(({ isHard }) => isHard);
    for (const budget of this.#now(hard, stored)) {
      this.#checkFits(budget, stored, { user, model, most });
    }
    const reserved = { user, model, most };
    this.#reserved.add(reserved);
    return { [Symbol.dispose]: () => void this.#reserved.delete(reserved) };
  }

  #checkFits(budget: MonthBudget, stored: StoredBudgets, { model, most }: Reserved): void {
    const priced = amountOf(model, most, stored.prices);
    const wanted = priced ?? plain(most);
    const { name, tokensUsed, tokensReserved, moneyUsed, moneyReserved } = budget;
    const whose = budget.team === null ? 'the workspace' : `the team "${name ?? budget.team}"`;
    if (budget.money !== null && priced === undefined) {
      throw this.#exceeded(
        `The model "${model}" has no price, and the budget of ${whose} is money.`,
      );
    }
    const rows = [
      ['tokens', budget.tokens, tokensUsed, tokensReserved, wanted.tokens],
      [stored.currency, budget.money, moneyUsed, moneyReserved, wanted.money],
    ] as const;
    for (const [unit, limit, used, reserved, more] of rows) {
      if (limit === null || used + reserved + more <= limit) continue;
      // How much everybody uses is not for every user.
      const said =
        budget.team === null
          ? `This month the workspace has used most of its ${unit}`
          : `This month ${whose} has used ${shown(used)} of ${shown(limit)} ${unit}`;
      if (used + more > limit) {
        throw this.#exceeded(`${said}: there is no room for a request of up to ${shown(more)}.`);
      }
      const others = budget.team === null ? 'the rest' : shown(reserved);
      throw new Problem(
        'too_many_requests',
        `${said}, and running requests may use ${others}: ${shown(more)} more are too many.`,
        { hint: 'Wait until the other requests have ended, or set a lower max_tokens.' },
      );
    }
  }

  #exceeded(message: string): Problem {
    const { ledger } = this.#parts;
    return new Problem('llm_quota_exceeded', message, {
      hint: 'Set a lower max_tokens, or ask an administrator for a larger budget.',
      details: { retryAfterSeconds: Math.ceil((ledger.monthEndMs - ledger.nowMs) / 1_000) },
    });
  }

  #over(user: string, { budgets }: StoredBudgets): readonly StoredBudget[] {
    if (budgets.length === 0) return [];
    const teams = new Set(this.#parts.teamsOf(user));
    return budgets.filter(({ team }) => team === null || teams.has(team));
  }

  /** What was used is read once for all of them. */
  #now(budgets: readonly StoredBudget[], { prices }: StoredBudgets): MonthBudget[] {
    if (budgets.length === 0) return [];
    const used = this.#parts.ledger.monthUse().map(({ user, model, counts }) => ({
      user,
      amount: amountOf(model, counts, prices) ?? plain(counts),
    }));
    const reserved = [...this.#reserved].map(({ user, model, most }) => ({
      user,
      amount: amountOf(model, most, prices) ?? plain(most),
    }));
    const isMember = this.#membership();
    return budgets.map((budget) => {
      const sumOf = (all: typeof used): Amount =>
        sum(all.filter(({ user }) => isMember(user, budget.team)).map(({ amount }) => amount));
      return this.#budgetNow(budget, sumOf(used), sumOf(reserved));
    });
  }

  #budgetNow(budget: StoredBudget, isUsed: Amount, isReserved: Amount): MonthBudget {
    const now = {
      ...budget,
      name: this.#nameOf(budget.team),
      tokensUsed: isUsed.tokens,
      moneyUsed: isUsed.money,
      tokensReserved: isReserved.tokens,
      moneyReserved: isReserved.money,
      tokensLeft: leftOf(budget.tokens, isUsed.tokens + isReserved.tokens),
      moneyLeft: leftOf(budget.money, isUsed.money + isReserved.money),
    };
    return { ...now, state: stateOf(now) };
  }

  /** Who is in a team now: what members have used counts for it wherever they were before. */
  #membership(): (user: string, team: string | null) => boolean {
    const known = new Map<string, readonly string[]>();
    return (user, team) => {
      if (team === null) return true;
      const teams = known.get(user) ?? this.#parts.teamsOf(user);
      known.set(user, teams);
      return teams.includes(team);
    };
  }

  #nameOf(team: string | null): string | null {
    const { reader } = this.#parts;
    const id = team === null ? undefined : reader.id({ uid: team });
    const name = id === undefined ? undefined : reader.field(id, 'Name');
    return typeof name === 'string' ? name : null;
  }

  #teamOf(reference: NodeReference, at: number): string {
    const { reader } = this.#parts;
    const named = typeof reference === 'string' ? { uid: reference } : reference;
    const id = reader.id(named);
    const uid = id === undefined || reader.typeOf(id) !== TEAM ? undefined : reader.uid(id);
    if (uid === undefined) throw invalid(`budgets.${at}.team`, 'must be a team');
    return uid;
  }

  #read(): StoredBudgets {
    const { reader } = this.#parts;
    reader.refresh();
    const stored = readSetting(reader, SETTING) as Partial<StoredBudgets> | undefined;
    return { ...DEFAULTS, ...stored };
  }
}

/** Undefined for a model without a price. */
function amountOf(model: string, counts: TokenCounts, prices: LlmPrices): Amount | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : prices[OTHERS];
  if (price === undefined) return undefined;
  const { inputTokens, outputTokens } = counts;
  const money = inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion;
  return { tokens: inputTokens + outputTokens, money: money / MILLION };
}

function plain({ inputTokens, outputTokens }: TokenCounts): Amount {
  return { tokens: inputTokens + outputTokens, money: 0 };
}

function sum(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (all, { tokens, money }) => ({ tokens: all.tokens + tokens, money: all.money + money }),
    { tokens: 0, money: 0 },
  );
}

function leftOf(limit: number | null, taken: number): number | null {
  return limit === null ? null : Math.max(0, limit - taken);
}

type UsedBudget = Pick<MonthBudget, 'tokens' | 'money' | 'tokensUsed' | 'moneyUsed'>;

function stateOf(budget: UsedBudget & Pick<MonthBudget, 'softPercent'>): MonthBudget['state'] {
  const used = usedShare(budget);
  if (used >= 1) return 'spent';
  return used * 100 >= budget.softPercent ? 'soft' : 'ok';
}

/** The larger share of its tokens and its money. */
function usedShare({ tokens, tokensUsed, money, moneyUsed }: UsedBudget): number {
  return Math.max(
    tokens === null ? 0 : shareOf(tokensUsed, tokens),
    money === null ? 0 : shareOf(moneyUsed, money),
  );
}

function shareOf(used: number, limit: number): number {
  return limit === 0 ? 1 : used / limit;
}

/** At most four digits after the point. */
function shown(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
