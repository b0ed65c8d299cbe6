import { spawn, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installBrowser } from './browser.ts';
import {
  installApache,
  installBuildah,
  installHaproxy,
  installNetworkTools,
  installNetworkx,
  installDovecot,
  installSlapd,
  installPostgres,
  installRapper,
  installShells,
} from './debian-package.ts';
import { installEmulation } from './emulation.ts';
import { commitName, leftToOtherCommits, SAMPLE_VARIABLE } from './test-sample.ts';

/**
 * What `npm test` runs once the dependencies are there: the checks that need no running code, two
 * at a time, then the tests, with the programs that some of them need. It ends at the first of the
 * two that fails and names what did. With parts of paths, `npm test -- server/src/log`, it runs the
 * tests of these paths alone, without the checks, and prepares only what they need.
 */
interface Check {
  readonly name: string;
  /** Below node_modules. */
  readonly program: string;
  readonly args: readonly string[];
}

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: string;
}

const ROOT = resolve(import.meta.dirname, '..');
const CONCURRENCY = 2;

const CHECKS: readonly Check[] = [
  { name: 'types', program: 'typescript/bin/tsc', args: ['--noEmit'] },
  {
    name: 'types of the front end',
    program: 'typescript/bin/tsc',
    args: ['-p', 'web', '--noEmit'],
  },
  { name: 'types by part', program: 'typescript/bin/tsc', args: ['-b', 'tsconfig.parts.json'] },
  { name: 'unused code', program: 'knip/bin/knip.js', args: ['--no-progress'] },
  { name: 'lint', program: 'oxlint/bin/oxlint', args: ['--deny-warnings'] },
  { name: 'format', program: 'oxfmt/bin/oxfmt', args: ['--check'] },
];

function run(check: Check): Promise<Outcome> {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules', check.program), ...check.args],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
      settle({ name: check.name, passed: code === 0, output, seconds });
    });
  });
}

function print({ name, passed, output, seconds }: Outcome): void {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (!passed) process.stdout.write(`\n${output.trim()}\n\n`);
}

/** Answers with the names of the checks that failed. */
async function runChecks(): Promise<string[]> {
  // Some of what is checked looks at what is built; the tests that start a server see to it too.
  const build = join(ROOT, 'tools/built-outputs.mjs');
  const { status } = spawnSync(process.execPath, [build], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) return ['build'];
  const waiting = CHECKS.values();
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (const check of waiting) {
      const outcome = await run(check);
      print(outcome);
      if (!outcome.passed) failed.push(outcome.name);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return failed;
}

/** What a test says it needs, by a function of test/support/requires.ts, and what brings it. */
const NEEDS: readonly (readonly [need: string, install: () => void])[] = [
  ['requireArm64', installEmulation],
  ['requireBuildah', installBuildah],
  ['requireChromium', installBrowser],
  ['requireHaproxy', installHaproxy],
  ['requireNetworkNamespaces', installNetworkTools],
  ['requireNetworkx', installNetworkx],
  ['requirePostgres', installPostgres],
  ['requireDovecot', installDovecot],
  ['requireSlapd', installSlapd],
  ['requireApache', installApache],
  ['requireRapper', installRapper],
  ['requireShells', installShells],
];

function installNeeds(filters: readonly string[]): void {
  const leftOut = filters.length === 0 ? leftToOtherCommits(ROOT, commitName(ROOT)) : [];
  const isChosen = (file: string): boolean =>
    filters.length === 0
      ? !leftOut.includes(file)
      : filters.some((filter) => file.includes(filter));
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(isChosen);
  const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  for (const [need, install] of NEEDS) {
    if (sources.some((source) => source.includes(need))) install();
  }
}

function runTests(filters: readonly string[]): boolean {
  installNeeds(filters);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...filters];
  const env = { ...process.env, [SAMPLE_VARIABLE]: String(filters.length === 0) };
  return spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

const filters = process.argv.slice(2);
const failed = filters.length === 0 ? await runChecks() : [];
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}. The tests were not run.\n`);
  process.exitCode = 1;
} else if (!runTests(filters)) {
  process.stdout.write('Failed: tests.\n');
  process.exitCode = 1;
}
