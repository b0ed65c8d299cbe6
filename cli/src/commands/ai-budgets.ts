import { llmBudgetsChange, type MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { harmless, table } from '../terminal.ts';

/** `trellis ai budgets`. */
export function addAiBudgets(ai: Command, run: Run): void {
  const budgets = ai
    .command('budgets')
    .summary('read and change what teams may use in a month')
    .description(
      'Reads and changes what teams may use of models in a month, and what models cost.',
    );
  budgets
    .command('get')
    .description('Shows the budgets of this month, and what is left of them.')
    .addHelpText('after', '\nExamples:\n  $ trellis ai budgets get')
    .action(run(getBudgets));
  budgets
    .command('set')
    .description('Changes currency, prices or budgets. What is left out stays as it is.')
    .argument('<file>', 'JSON with "currency", "prices" and "budgets"; "-" reads standard input')
    .addHelpText('after', '\nExamples:\n  $ trellis ai budgets set budgets.json')
    .action(run(setBudgets));
}

async function getBudgets({ client, output, terminal }: CommandContext): Promise<void> {
  const all = await client.llm.getBudgets({ signal: terminal.signal });
  output.data(all, budgetTable(all.budgets, all.currency));
}

async function setBudgets(context: CommandContext, _options: object, file: string): Promise<void> {
  const { client, output, terminal } = context;
  const checked = llmBudgetsChange.safeParse(await readJson(terminal, file));
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new CommandFailure(`${file} is not budgets:\n  ${faults.join('\n  ')}`);
  }
  const all = await client.llm.putBudgets(checked.data, { signal: terminal.signal });
  output.data(all, budgetTable(all.budgets, all.currency));
}

function budgetTable(budgets: readonly MonthBudget[], currency: string): string {
  const headings = ['TEAM', 'STATE', 'TOKENS LEFT', 'OF', `${currency} LEFT`, 'OF'];
  return table(headings, budgets.map(rowOf));
}

function rowOf({ team, name, state, ...one }: MonthBudget): string[] {
  const amounts = [one.tokensLeft, one.tokens, one.moneyLeft, one.money];
  const shown = amounts.map((amount) => (amount === null ? '-' : String(amount)));
  return [harmless(name ?? team ?? 'everybody'), state, ...shown];
}
