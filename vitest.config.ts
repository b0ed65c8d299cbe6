import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './tools/summary-reporter.ts';
import { commitName, leftToOtherCommits, SAMPLE_VARIABLE } from './tools/test-sample.ts';

const leftOut =
  process.env[SAMPLE_VARIABLE] === 'true'
    ? leftToOtherCommits(import.meta.dirname, commitName(import.meta.dirname))
    : [];

/** They fill the disk, mock modules, or start what changes the folder of its process. */
const OWN_PROCESS = ['server/src/{app,files,runtime,store}/**/*.test.ts', 'sim/**/*.test.ts'];
/** Each opens all the parts, and closes them again. */
const WITH_ALL_PARTS = ['server/src/http/**/*.test.ts'];

/**
 * Tests beside the code, and those that use a running server as anybody would, in test/. A process
 * for each file takes 0.4 s of processor time and more, most of it for what all of them import. So
 * files run one after the other in as many processes as there are workers, except OWN_PROCESS.
 */
export default defineConfig({
  test: {
    reporters: [new SummaryReporter(leftOut), 'default'],
    pool: 'forks',
    maxWorkers: 2,
    // Against what hangs, and for nothing else: a busy machine with a slow disk may take many times
    // as long as an idle one. So no test has a shorter time of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['**/*.test.ts'],
          // What `trellis init` copies is tested as a folder of its own.
          exclude: [
            '**/node_modules/**',
            'test/!(rules|support)/**',
            'server/src/**',
            'sim/**',
            'cli/templates/**',
          ],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['server/src/**/*.test.ts'],
          exclude: [...OWN_PROCESS, ...WITH_ALL_PARTS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'http',
          include: WITH_ALL_PARTS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'threads',
          include: OWN_PROCESS,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{rules,support}/**', ...leftOut],
          globalSetup: 'test/support/build-program.ts',
          isolate: false,
          // Real processes, browsers and faults on a machine with other work: once more there, and
          // the summary names it.
          retry: process.env['CI'] === 'true' ? 1 : 0,
        },
      },
    ],
  },
});
