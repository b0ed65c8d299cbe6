import type { EndpointMetrics } from '@trellis/contract/shapes/stats.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { table } from '../terminal.ts';

/** `trellis endpoint metrics`. */
export function addEndpointMetrics(endpoint: Command, run: Run): void {
  endpoint
    .command('metrics')
    .description(
      'Shows how often each endpoint was called since the server started, how often it failed, and how long it took.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis endpoint metrics\n  $ trellis endpoint metrics --json',
    )
    .action(run(showMetrics));
}

/** `trellis stats`. */
export function addStats(program: Command, run: Run): void {
  const stats = program
    .command('stats')
    .summary('count nodes and edges, and what the server holds')
    .description('Shows counters of the graph and of the server.');
  stats
    .command('database')
    .description('Counts the nodes and the edges of each type.')
    .addHelpText('after', '\nExamples:\n  $ trellis stats database')
    .action(run(showDatabase));
  stats
    .command('pool')
    .description('Shows the endpoint workers, the caches and the memory of the server.')
    .addHelpText('after', '\nExamples:\n  $ trellis stats pool')
    .action(run(showPool));
}

async function showMetrics({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.endpoints.getMetrics({ signal: terminal.signal });
  const headings = ['NAME', 'CALLS', 'ERRORS', 'AVERAGE MS', 'P50', 'P95', 'P99', 'LAST CALL'];
  output.data(items, table(headings, items.map(row)));
}

function row(metrics: EndpointMetrics): string[] {
  const { name, calls, errors, averageMs, p50Ms, p95Ms, p99Ms, lastCalledAt } = metrics;
  const times = [averageMs, p50Ms, p95Ms, p99Ms].map((ms) => ms?.toFixed(2) ?? '');
  return [name, String(calls), String(errors), ...times, lastCalledAt ?? ''];
}

async function showDatabase({ client, output, terminal }: CommandContext): Promise<void> {
  const text = await client.stats.getDatabase({ signal: terminal.signal });
  output.data({ text }, text);
}

async function showPool({ client, output, terminal }: CommandContext): Promise<void> {
  const text = await client.stats.getPool({ signal: terminal.signal });
  output.data({ text }, text);
}
