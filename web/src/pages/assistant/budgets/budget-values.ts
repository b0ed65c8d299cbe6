import type { LlmBudgets, LlmBudgetsChange } from '@trellis/contract/shapes/llm-budget.ts';

/** Budgets as a form has them: what is empty does not limit. */
export interface BudgetsValues {
  currency: string;
  prices: PriceValues[];
  budgets: BudgetValues[];
}

export interface PriceValues {
  model: string;
  inputPerMillion: string;
  outputPerMillion: string;
}

export interface BudgetValues {
  /** One UID, or none for the whole workspace. */
  team: readonly string[];
  tokens: string;
  money: string;
  softPercent: string;
  isHard: boolean;
}

export function newPrice(): PriceValues {
  return { model: '', inputPerMillion: '', outputPerMillion: '' };
}

export function newBudget(): BudgetValues {
  return { team: [], tokens: '', money: '', softPercent: '80', isHard: true };
}

export function valuesOf({ currency, prices, budgets }: LlmBudgets): BudgetsValues {
  return {
    currency,
    prices: Object.entries(prices).map(([model, price]) => ({
      model,
      inputPerMillion: String(price.inputPerMillion),
      outputPerMillion: String(price.outputPerMillion),
    })),
    budgets: budgets.map(({ team, tokens, money, softPercent, isHard }) => ({
      team: team === null ? [] : [team],
      tokens: tokens === null ? '' : String(tokens),
      money: money === null ? '' : String(money),
      softPercent: String(softPercent),
      isHard,
    })),
  };
}

export function changeOf({ currency, prices, budgets }: BudgetsValues): LlmBudgetsChange {
  return {
    currency,
    prices: Object.fromEntries(
      prices.map(({ model, inputPerMillion, outputPerMillion }) => [
        model.trim(),
        { inputPerMillion: Number(inputPerMillion), outputPerMillion: Number(outputPerMillion) },
      ]),
    ),
    budgets: budgets.map(({ team, tokens, money, softPercent, isHard }) => ({
      team: team[0] ?? null,
      tokens: tokens.trim() === '' ? null : Number(tokens),
      money: money.trim() === '' ? null : Number(money),
      softPercent: Number(softPercent),
      isHard,
    })),
  };
}
