import type { HealthReport, HealthSummary, PartHealth } from '@trellis/contract/shapes/health.ts';
import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import type { Run } from '../command-context.ts';
import { bytesText, table } from '../terminal.ts';

export function addStatus(program: Command, run: Run): void {
  program
    .command('status')
    .summary('health of the server')
    .description('Shows the health of the server. The exit code is 1 while it is not ready.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis status
  $ trellis status --server https://graph.example.org --json`,
    )
    .action(
      run(async ({ client, output, server, terminal }) => {
        const health = await client.status.getHealth({ signal: terminal.signal });
        output.data({ server, ...health }, describe(server, health));
        return health.ready ? EXIT_GOOD : EXIT_FAILED;
      }),
    );
}

function describe(server: string, health: HealthReport | HealthSummary): string {
  return table(
    ['server', server],
    [
      ['status', health.status],
      ['ready', health.ready ? 'yes' : 'no'],
      ['role', health.role],
      ['uptime', durationText(health.uptimeSeconds)],
      ...('parts' in health ? details(health) : summary(health)),
    ],
  );
}

function details({ version, disk, memory, parts }: HealthReport): string[][] {
  return [
    ['version', version],
    ['memory', `${bytesText(memory.rssBytes)} (heap ${bytesText(memory.heapUsedBytes)})`],
    [
      'disk',
      disk === null ? '-' : `${bytesText(disk.freeBytes)} free of ${bytesText(disk.totalBytes)}`,
    ],
    ...parts.map((part) => [`part ${part.name}`, partText(part)]),
  ];
}

/** What a server tells callers who are not administrators. */
function summary({ memory, disk }: HealthSummary): string[][] {
  return [
    ['memory', memory.status],
    ['disk', disk.status],
    ['more', 'for administrators: trellis login'],
  ];
}

function partText({ status, reason }: PartHealth): string {
  return reason === null ? status : `${status} (${reason.replaceAll('_', ' ')})`;
}

function durationText(seconds: number): string {
  const whole = Math.floor(seconds);
  const days = Math.floor(whole / 86_400);
  const clock = [Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const text = clock.map((part) => String(part).padStart(2, '0')).join(':');
  return days === 0 ? text : `${days} d ${text}`;
}
