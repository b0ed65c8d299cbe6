import type { LlmState } from '@trellis/contract/shapes/llm.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

/** `trellis ai usage` and `trellis ai state`. */
export function addAiUsage(ai: Command, run: Run): void {
  addListOptions(
    ai
      .command('usage')
      .description(
        'Lists what the tokens of the LLM router have used, by day in UTC, the newest day first.',
      ),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis ai usage --take 20')
    .action(run(listUsage));
  ai.command('state')
    .description('Tells whether the provider of chat answers, and what was wrong when it did not.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai state')
    .action(run(getState));
}

async function listUsage(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const usage = await listItems(options, (page) => client.listLlmUsage(page, { signal }));
  const rows = usage.map(({ day, token, user, calls, inputTokens, outputTokens }) => [
    day,
    token,
    user,
    String(calls),
    String(inputTokens),
    String(outputTokens),
  ]);
  output.data(usage, table(['DAY', 'TOKEN', 'USER', 'CALLS', 'TOKENS IN', 'TOKENS OUT'], rows));
}

async function getState({ client, output, terminal }: CommandContext): Promise<void> {
  const state = await client.getLlmState({ signal: terminal.signal });
  const lines = [inWords(state), ...state.further.map((one) => `${one.name}: ${inWords(one)}`)];
  output.data(state, lines.join('\n'));
}

function inWords({ status, lastErrorAt, lastError }: Omit<LlmState, 'further'>): string {
  return lastError === null ? status : `${status}\n${lastErrorAt}: ${lastError}`;
}
