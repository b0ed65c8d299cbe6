import type { LlmBudget, LlmShare, LlmState } from '@trellis/contract/shapes/llm.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

/** `trellis ai usage`, `trellis ai budget` and `trellis ai state`. */
export function addAiUsage(ai: Command, run: Run): void {
  addListOptions(
    ai
      .command('usage')
      .description(
        'Lists the use of models by day (UTC), newest first. Administrators see the use ' +
          'of everybody, all others only their own.',
      )
      .option('--split', 'a line for each feature and model'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis ai usage --take 20\n  $ trellis ai usage --split',
    )
    .action(run(listUsage));
  ai.command('budget')
    .description('Shows what is left of your budget today, and what you have used.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai budget')
    .action(run(getBudget));
  ai.command('state')
    .description('Shows whether the provider of chat answers, and why not if it does not.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai state')
    .action(run(getState));
}

async function listUsage(
  { client, output, terminal }: CommandContext,
  options: ListOptions & { readonly split?: boolean },
): Promise<void> {
  const { signal } = terminal;
  const usage = await listItems(options, (page) => client.llm.listUsage(page, { signal }));
  const named = ['DAY', 'TOKEN', 'USER'];
  const rows = usage.flatMap(({ day, token, user, split, ...all }) =>
    options.split === true
      ? split.map((share) => [day, token, user, share.feature, share.model, ...figuresOf(share)])
      : [[day, token, user, ...figuresOf(all)]],
  );
  const headings = options.split === true ? [...named, 'FEATURE', 'MODEL'] : named;
  output.data(usage, table([...headings, ...FIGURES], rows));
}

async function getBudget({ client, output, terminal }: CommandContext): Promise<void> {
  const { budget } = await client.llm.listUsage({ take: 1 }, { signal: terminal.signal });
  const { tokensPerDay, tokensUsed, tokensReserved, tokensLeft, resetsAt } = budget;
  const lines = [
    `${tokensLeft === null ? 'No limit of tokens' : `${tokensLeft} of ${tokensPerDay} tokens are left`} until ${resetsAt}; ${tokensUsed} are used, ${tokensReserved} reserved by requests under way.`,
    `Each session or token may have ${budget.requestsAtOnceMax} requests under way, and begin ${budget.requestsPerMinuteMax} a minute.`,
  ];
  const split = budget.split.map((share) => [share.feature, share.model, ...figuresOf(share)]);
  const tables = [
    { headings: ['TOKEN', 'UNDER WAY', 'THIS MINUTE'], rows: budget.tokens.map(paceOf) },
    { headings: ['FEATURE', 'MODEL', ...FIGURES], rows: split },
  ].filter(({ rows }) => rows.length > 0);
  const shown = tables.map(({ headings, rows }) => table(headings, rows));
  output.data(budget, [lines.join('\n'), ...shown].join('\n\n'));
}

const FIGURES = ['CALLS', 'TOKENS IN', 'TOKENS OUT'];

function figuresOf({
  calls,
  inputTokens,
  outputTokens,
}: Pick<LlmShare, 'calls' | 'inputTokens' | 'outputTokens'>): string[] {
  return [String(calls), String(inputTokens), String(outputTokens)];
}

function paceOf({ token, requestsUnderWay, requestsBegun }: LlmBudget['tokens'][number]): string[] {
  return [token, String(requestsUnderWay), String(requestsBegun)];
}

async function getState({ client, output, terminal }: CommandContext): Promise<void> {
  const state = await client.llm.getState({ signal: terminal.signal });
  const lines = [inWords(state), ...state.further.map((one) => `${one.name}: ${inWords(one)}`)];
  output.data(state, lines.join('\n'));
}

function inWords({ status, lastErrorAt, lastError }: Omit<LlmState, 'further'>): string {
  return lastError === null ? status : `${status}\n${lastErrorAt}: ${lastError}`;
}
