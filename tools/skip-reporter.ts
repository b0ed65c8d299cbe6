import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Names every test that was skipped, before vitest's own summary; with CI=true a skipped test fails the run. */
export class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    if (skipped.length === 0) return;
    process.stdout.write(`\nSkipped, because this machine lacks what they need:\n`);
    for (const test of skipped) process.stdout.write(`  ${nameOf(test)}\n`);
    if (process.env['CI'] !== 'true') return;
    process.stdout.write('With CI=true nothing may be skipped.\n');
    process.exitCode = 1;
  }
}

function nameOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' && result.note ? ` (${result.note})` : '';
  return `${test.module.relativeModuleId}: ${test.fullName}${note}`;
}
