import type { Command } from 'commander';
import type { Run } from '../command-context.ts';

export function addLogout(program: Command, run: Run): void {
  program
    .command('logout')
    .summary('forget the session')
    .description('Removes the session of the server from the profile file.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis logout
  $ trellis logout --server https://graph.example.org`,
    )
    .action(
      run(({ output, profile, server }) => {
        const isForgotten = profile.forget(server);
        output.note(
          isForgotten ? `Signed out of ${server}.` : `You were not signed in to ${server}.`,
        );
        output.data({ server, isForgotten }, '');
      }),
    );
}
