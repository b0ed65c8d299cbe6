import type { HealthReport, PartHealth } from '@trellis/contract/shapes/health.ts';
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
        const health = await client.getHealth({ signal: terminal.signal });
        output.data({ server, ...health }, describe(server, health));
        return health.ready ? EXIT_GOOD : EXIT_FAILED;
      }),
    );
}

function describe(server: string, health: HealthReport): string {
  const { disk, memory } = health;
  return table(
    ['server', server],
    [
      ['status', health.status],
      ['ready', health.ready ? 'yes' : 'no'],
      ['role', health.role],
      ['version', health.version],
      ['uptime', durationText(health.uptimeSeconds)],
      ['memory', `${bytesText(memory.rssBytes)} (heap ${bytesText(memory.heapUsedBytes)})`],
      [
        'disk',
        disk === null ? '-' : `${bytesText(disk.freeBytes)} free of ${bytesText(disk.totalBytes)}`,
      ],
      ...health.parts.map((part) => [`part ${part.name}`, partText(part)]),
    ],
  );
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
