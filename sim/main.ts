import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { parseArgs } from 'node:util';

/**
 * `npm run sim -- --seed N` repeats one schedule, `--schedules N` runs so many from the seed on,
 * `--trace` tells each step. `--members` is for the log in PostgreSQL and the members that share
 * it; otherwise it is a primary with its replicas.
 */
const STANDINS: Readonly<Record<string, string>> = {
  '@grpc/grpc-js': './simulated-grpc.ts',
  '@grpc/proto-loader': './proto-loader.ts',
};

registerHooks({
  resolve: (specifier, context, next) => {
    const standIn = STANDINS[specifier];
    if (standIn === undefined) return next(specifier, context);
    const { href } = new URL(standIn, import.meta.url);
    // A stand-in may use what it stands for.
    if (context.parentURL === href) return next(specifier, context);
    return { url: href, shortCircuit: true };
  },
});

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    schedules: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    members: { type: 'boolean', default: false },
  },
});
// Most errors are part of a schedule: where they come from is told with the trace only.
if (!values.trace) Error.stackTraceLimit = 0;
let seed = numberOf('seed', values.seed);
const kind = values.members ? '--members ' : '';
const howToRepeat = (): string => `failed: npm run sim -- ${kind}--seed ${seed} --trace\n`;
// An error that no part of the code awaits ends the process.
process.on('uncaughtExceptionMonitor', () => process.stdout.write(howToRepeat()));
const run = values.members
  ? (await import('./database/takeovers.ts')).runTakeovers
  : (await import('./simulation.ts')).runSchedule;
const count = numberOf('schedules', values.schedules);
const end = seed + count;
const begun = performance.now();
let events = 0;
let failed = 0;
const traces = createHash('sha256');
for (; seed < end; seed++) {
  const result = await run(
    seed,
    values.trace ? { onTrace: (line) => process.stdout.write(`${line}\n`) } : {},
  );
  events += result.events;
  traces.update(result.traceHash);
  if (result.violations.length === 0) continue;
  failed++;
  process.stdout.write(howToRepeat());
  for (const { checker, elapsedMs, message } of result.violations) {
    process.stdout.write(`${elapsedMs} ms, ${checker}: ${message}\n`);
  }
}
const seconds = (performance.now() - begun) / 1_000;
process.stdout.write(
  `${count} schedules, ${failed} failed; ${events} events, ${(count / seconds).toFixed(0)} schedules a second; trace ${traces.digest('hex').slice(0, 16)}\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

function numberOf(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number, not ${text}`);
}
