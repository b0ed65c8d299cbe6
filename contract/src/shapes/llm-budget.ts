import { z } from 'zod';
import { recordUpTo } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import {
  EMBEDDING_MODEL_CHARACTERS_MAX,
  LLM_BUDGET_MONEY_MAX,
  LLM_BUDGET_TOKENS_MAX,
  LLM_BUDGETS_MAX,
  LLM_PRICE_MAX,
  LLM_PRICES_MAX,
} from '../limits.ts';
import { nodeReference } from './node-reference.ts';

const price = z.number().min(0).max(LLM_PRICE_MAX);
const tokens = z.int().min(0).max(LLM_BUDGET_TOKENS_MAX);
const money = z.number().min(0).max(LLM_BUDGET_MONEY_MAX);

const currency = z
  .string()
  .max(3)
  .regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR');

/** By model; `*` is the price of all others. */
const prices = recordUpTo(
  LLM_PRICES_MAX,
  z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
  z.strictObject({ inputPerMillion: price, outputPerMillion: price }),
);
export type LlmPrices = Immutable<z.infer<typeof prices>>;

/** How it is with a budget: it has room, little of it, or none. */
export const LLM_BUDGET_STATES = ['ok', 'soft', 'spent'] as const;

/** A budget of a month, as it is now. */
export const monthBudget = z.strictObject({
  /** Null for the whole workspace. */
  team: z.string().nullable(),
  name: z.string().nullable(),
  tokens: tokens.nullable(),
  money: money.nullable(),
  softPercent: z.int().min(1).max(100),
  isHard: z.boolean(),
  tokensUsed: z.int().min(0),
  moneyUsed: z.number().min(0),
  tokensReserved: z.int().min(0),
  moneyReserved: z.number().min(0),
  tokensLeft: z.int().min(0).nullable(),
  moneyLeft: z.number().min(0).nullable(),
  state: z.enum(LLM_BUDGET_STATES),
});
export type MonthBudget = Immutable<z.infer<typeof monthBudget>>;

export const llmBudgets = z.strictObject({
  /** Of the prices and of `money`. */
  currency,
  prices,
  /** The month in UTC. */
  month: z.string(),
  resetsAt: z.iso.datetime(),
  budgets: z.array(monthBudget),
});
export type LlmBudgets = Immutable<z.infer<typeof llmBudgets>>;

const wanted = z
  .strictObject({
    team: nodeReference.nullable(),
    tokens: tokens.nullable().default(null),
    money: money.nullable().default(null),
    softPercent: monthBudget.shape.softPercent.default(80),
    isHard: monthBudget.shape.isHard.default(true),
  })
  .refine(
    (one) => one.tokens !== null || one.money !== null,
    'must have a limit of "tokens" or of "money"',
  );

/** What is left out stays as it is. */
export const llmBudgetsChange = z
  .strictObject({
    currency,
    /** All of them. */
    prices,
    /** All of them, each team once. */
    budgets: z.array(wanted).max(LLM_BUDGETS_MAX),
  })
  .partial();
export type LlmBudgetsChange = Immutable<z.output<typeof llmBudgetsChange>>;
