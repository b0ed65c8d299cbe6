import { TrellisError } from '@trellis/client/trellis-error.ts';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { table } from '../terminal.ts';
import { VERSION } from '../version.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'wrong';
  readonly message: string;
  readonly remedy: string | null;
}

interface DoctorOptions {
  /** False with `--no-local`. */
  readonly local: boolean;
  readonly config?: string;
}

export function addDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .summary('find what is wrong with a server, and say what to do')
    .description(
      'Checks what a server with the MSK_* variables of this shell needs (configuration, ' +
        'storage folder, rights, disk, clock, ports, license, master key), then asks the running ' +
        'server for its health. Changes nothing. The exit code is 1 when something is wrong.',
    )
    .option('--config <file>', 'also read the settings that "trellis serve --config" reads')
    .option('--no-local', 'check only the running server')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis doctor
  $ sudo -u trellis trellis doctor --config /etc/trellis.env
  $ trellis doctor --no-local --server https://graph.example.org --json`,
    )
    .action(run(examineAll));
}

async function examineAll(
  context: CommandContext,
  { local, config }: DoctorOptions,
): Promise<number> {
  const { output, terminal } = context;
  const findings: Finding[] = [];
  if (local) {
    // Only here: no other command should have to load the server.
    const { examine } = await import('@trellis/server/doctor.ts');
    findings.push(...(await examine(terminal.env, { file: config })));
  }
  findings.push(...(await examineServer(context)));
  const isGood = findings.every(({ status }) => status !== 'wrong');
  output.data({ isGood, findings }, describe(findings));
  return isGood ? EXIT_GOOD : EXIT_FAILED;
}

async function examineServer({ client, server, terminal }: CommandContext): Promise<Finding[]> {
  let health: HealthReport | HealthSummary;
  try {
    health = await client.status.getHealth({ signal: terminal.signal });
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error;
    const remedy = 'Start it with "trellis serve", or name another one with --server.';
    return [{ check: 'server', status: 'wrong', message: error.message, remedy }];
  }
  if (!('parts' in health)) return [reachableToAnybody(server, health)];
  const scans = await findScans(client, terminal.signal);
  return [reachable(server, health), ...health.parts.map(partFinding), ...scans];
}

/** Queries of endpoints that read many nodes because they lack an index. */
async function findScans(
  client: CommandContext['client'],
  signal: AbortSignal,
): Promise<Finding[]> {
  const items = await client.endpoints.getMetrics({ signal }).then(
    (metrics) => metrics.items,
    (error: unknown) => {
      // A token may be allowed to ask for the health, and not for these.
      if (error instanceof TrellisError) return [];
      throw error;
    },
  );
  return items.flatMap(({ name, scans }) =>
    scans.map(({ type, field, rowsRead, calls }): Finding => {
      const times = calls === 1 ? 'one query' : `${calls} queries`;
      return {
        check: `endpoint: ${name}`,
        status: 'warning',
        message: `${times} read ${rowsRead} nodes, for want of an index of ${type}.${field}`,
        remedy: `trellis schema index add ${type} ${field}`,
      };
    }),
  );
}

function reachable(server: string, { ready, role, version }: HealthReport): Finding {
  const told = `${server} is a ${role} of version ${version}`;
  const check = 'server';
  if (!ready) {
    const message = `${told}, and not ready.`;
    return { check, status: 'wrong', message, remedy: 'Wait for it, or read its log.' };
  }
  if (version === VERSION) {
    return { check, status: 'ok', message: `${told}, and ready.`, remedy: null };
  }
  return {
    check,
    status: 'warning',
    message: `${told}; this command is of version ${VERSION}.`,
    remedy: 'Use the same version for both.',
  };
}

/** What a server tells a caller who is not an administrator. */
function reachableToAnybody(server: string, { ready, role, status }: HealthSummary): Finding {
  const message = `${server} is a ${role}, and ${ready ? `ready (${status})` : 'not ready'}.`;
  const remedy = 'Sign in as an administrator to see its version and its parts: trellis login.';
  const check = 'server';
  if (!ready) return { check, status: 'wrong', message, remedy: 'Wait for it, or read its log.' };
  if (status === 'ok') return { check, status: 'ok', message, remedy: null };
  return { check, status: 'wrong', message, remedy };
}

function partFinding({ name, status, reason }: HealthReport['parts'][number]): Finding {
  const check = `server: ${name}`;
  if (reason === null) return { check, status: 'ok', message: status, remedy: null };
  const message = `${status}: ${reason.replaceAll('_', ' ')}`;
  return { check, status: 'wrong', message, remedy: HEALTH_ADVICE[reason].remedy };
}

function describe(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, status, message }) => [status, check, message]);
  const remedies = findings.flatMap(({ check, status, remedy }) =>
    remedy === null ? [] : [`${status === 'wrong' ? 'To do' : 'Consider'} (${check}): ${remedy}`],
  );
  return [table(['STATUS', 'CHECK', 'FOUND'], rows), ...remedies].join('\n');
}
