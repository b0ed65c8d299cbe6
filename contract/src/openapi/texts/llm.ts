import * as budget from '../../shapes/llm-budget.ts';
import * as llm from '../../shapes/llm.ts';
import { texts } from './property-texts.ts';

/** The router of requests to models, what is used of them, and budgets. */
export const llmTexts = [
  ...texts(llm.chatCompletionRequest, {
    model: 'Model to ask, one that `models` lists.',
    messages: [
      'Messages of the conversation, oldest first, as the protocol has them.',
      { role: 'Who says it, such as `system`, `user` or `assistant`.' },
    ],
    stream: 'Whether the answer comes as events; by default not.',
  }),
  ...texts(llm.messageRequest, { max_tokens: 'How many tokens the answer may have at most.' }),
  ...texts(llm.messageCount, { input_tokens: 'How many tokens the request has.' }),
  ...texts(llm.responseRequest, {
    input: 'What is said: a text, or the items of the whole conversation, oldest first.',
  }),
  ...texts(llm.modelInPath, { model: 'Name of the model.' }),
  ...texts(llm.embeddingsRequest, {
    model: 'Model that makes the vectors.',
    input: 'Text to make a vector of, or a list of texts.',
  }),
  ...texts(llm.llmUsage, {
    day: 'The day, in UTC.',
    token: 'Id of the token, or of the session.',
    user: 'UID of the user whom the token or session acts as.',
    calls: 'How often a model was asked.',
    inputTokens: 'Tokens of everything that models were sent.',
    outputTokens: 'Tokens of everything that models wrote.',
    split: [
      'The same by feature and model, most first; without what was used before it was split.',
      { feature: 'What asked the model.', model: 'Name of the model.' },
    ],
  }),
  ...texts(llm.llmBudget, {
    user: 'UID of the user.',
    day: 'The day, in UTC.',
    resetsAt: 'When the next day begins (ISO 8601, UTC).',
    tokensPerDay: 'Tokens that the user may use on a day; null while there is no provider of chat.',
    tokensUsed: 'Tokens used today, in and out together.',
    tokensReserved: 'Tokens that requests that are under way may use at most.',
    tokensLeft: 'Tokens that are neither used nor reserved; null for no limit.',
    requestsAtOnceMax: 'How many requests of one token or session may be under way.',
    requestsPerMinuteMax: 'How many requests of one token or session may begin in a minute.',
    tokens: [
      'Tokens and sessions of the user that asked within this minute.',
      {
        token: 'Id of the token, or of the session.',
        requestsUnderWay: 'How many of its requests have not ended.',
        requestsBegun: 'How many of its requests began within this minute.',
      },
    ],
    split: 'What was used today by feature and model, most first.',
    months:
      'Budgets of this month that count what the user uses: those of their teams; for administrators also that of the workspace.',
    workspaceMonth:
      'How the budget of the workspace is: `ok`, `soft` or `spent`; null if there is none.',
    currency: 'Currency of the budgets.',
  }),
  ...texts(budget.llmBudgets, {
    currency: 'Currency of prices and budgets: three letters, such as EUR.',
    prices: [
      'What a million tokens of each model costs; `*` is for all others.',
      {
        inputPerMillion: 'Price of a million tokens that the model is sent.',
        outputPerMillion: 'Price of a million tokens that the model writes.',
      },
    ],
    month: 'The month in UTC, such as 2026-11.',
    resetsAt: 'When the next month begins (ISO 8601, UTC).',
    budgets: 'The budgets as they are now.',
  }),
  ...texts(budget.llmBudgetsChange, { budgets: 'All budgets from now on, each team once.' }),
  ...texts(budget.monthBudget, {
    team: 'UID of the team; null for the whole workspace.',
    name: 'Name of the team.',
    tokens: 'Tokens of a month, in and out together; null for no limit.',
    money: 'Money of a month; null for no limit.',
    softPercent: 'From which share of it on the budget is `soft`.',
    isHard: 'Whether requests that do not fit are refused; else the budget only tells.',
    tokensUsed: 'Tokens used this month by those who are in the team now.',
    moneyUsed: 'What they cost.',
    tokensReserved: 'Tokens that requests under way may use at most.',
    moneyReserved: 'What these may cost at most.',
    tokensLeft: 'Tokens that are neither used nor reserved; null for no limit.',
    moneyLeft: 'Money that is neither used nor reserved; null for no limit.',
    state: 'How it is: `ok`, `soft` from its share on, or `spent`.',
  }),
  ...texts(llm.llmUsageList, { budget: 'What is left to the caller today.' }),
  ...texts(llm.llmState, {
    status:
      'How it is: `off` if there is none, `idle` if it was not asked yet, `failing` if its last answer was an error.',
    lastAnswerAt: 'When it answered last (ISO 8601, UTC); null if never.',
    lastErrorAt: 'When it failed last (ISO 8601, UTC); null if never.',
    lastError: 'What was wrong then, for people; null if it never failed.',
    further: [
      'The same of the further providers of chat.',
      { name: 'Name of the provider in the settings.' },
    ],
  }),
];
