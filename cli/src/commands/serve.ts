import type { Command } from 'commander';
import type { Run } from '../command-context.ts';

export function addServe(program: Command, run: Run): void {
  program
    .command('serve')
    .summary('run the server')
    .description(
      'Runs the server in this process until SIGTERM or Ctrl-C. MSK_* variables configure it; ' +
        'all faults in them are reported together, with exit code 78. When it is ready, it ' +
        'prints one line of JSON with "event":"ready".',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis serve
  $ MSK_PORT=9000 MSK_GRAPH_STORAGE=/var/lib/trellis trellis serve
  $ TRELLIS_SAMPLE=none trellis serve`,
    )
    .action(
      run(async ({ terminal }) => {
        // Only here: no other command should have to load the server.
        const { serve } = await import('@trellis/server/serve.ts');
        return serve({ ...terminal.env });
      }),
    );
}
