import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Names what vitest's own summary passes over: tests that were left out or skipped, or passed only
 * at their second try.
 */
export class SummaryReporter implements Reporter {
  readonly #leftOut: readonly string[];

  /** `leftOut`: the files that this commit leaves to others. */
  constructor(leftOut: readonly string[]) {
    this.#leftOut = leftOut;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    tellLeftOut(this.#leftOut);
    tellSkipped(tests.filter((test) => test.result().state === 'skipped'));
    tellFlaky(tests.filter((test) => test.diagnostic()?.flaky === true));
  }
}

function tellLeftOut(files: readonly string[]): void {
  if (files.length === 0) return;
  process.stdout.write('\nLeft to other commits; `npm run soak` runs them all:\n');
  for (const file of files) process.stdout.write(`  ${file}\n`);
}

/** With CI=true a skipped test fails the run. */
function tellSkipped(skipped: readonly TestCase[]): void {
  if (skipped.length === 0) return;
  process.stdout.write(`\nSkipped, because this machine lacks what they need:\n`);
  for (const test of skipped) process.stdout.write(`  ${nameOf(test)}\n`);
  if (process.env['CI'] !== 'true') return;
  process.stdout.write('With CI=true nothing may be skipped.\n');
  process.exitCode = 1;
}

function tellFlaky(flaky: readonly TestCase[]): void {
  if (flaky.length === 0) return;
  process.stdout.write(
    '\nPassed at the second try only, which is a bug of the code or the test:\n',
  );
  for (const test of flaky) {
    const [first] = test.result().errors ?? [];
    process.stdout.write(`  ${nameOf(test)}\n    ${first?.message ?? 'no error was kept'}\n`);
  }
}

function nameOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' && result.note ? ` (${result.note})` : '';
  return `${test.module.relativeModuleId}: ${test.fullName}${note}`;
}
