import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';

export function addLogout(program: Command, run: Run): void {
  program
    .command('logout')
    .summary('end the session and forget it')
    .description('Ends the session at the server and removes it from the profile file.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis logout
  $ trellis logout --server https://graph.example.org`,
    )
    .action(run(logout));
}

async function logout({
  client,
  output,
  profile,
  server,
  terminal,
}: CommandContext): Promise<void> {
  const session = profile.session(server);
  let isEnded = false;
  if (session !== undefined) {
    client.token = session.token;
    // Whatever the server says, the session is forgotten here.
    isEnded = await client.login.end({ signal: terminal.signal }).then(
      () => true,
      () => false,
    );
  }
  const isForgotten = profile.forget(server);
  if (!isForgotten) output.note(`You were not signed in to ${server}.`);
  else if (isEnded) output.note(`Signed out of ${server}.`);
  else output.note(`Forgot the session; ${server} could not be told, where it ends by itself.`);
  output.data({ server, isForgotten, isEnded }, '');
}
