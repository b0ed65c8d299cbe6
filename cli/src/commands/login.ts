import type { Command } from 'commander';
import { WrongUsage } from '../failure.ts';
import { Prompt, readAll } from '../prompt.ts';
import type { CommandContext, Run } from '../command-context.ts';

interface LoginOptions {
  readonly user?: string;
  readonly passwordStdin?: boolean;
}

export function addLogin(program: Command, run: Run): void {
  program
    .command('login')
    .summary('sign in and keep the session')
    .description(
      'Signs in with user name and password and keeps the session in the profile file, which only you can read. ' +
        'Later commands use it, and talk to the same server.',
    )
    .option('--user <name>', 'user name; asked for when left out')
    .option('--password-stdin', 'read the password from standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis login
  $ trellis login --server https://graph.example.org --user ann
  $ trellis login --user admin --password-stdin < password.txt`,
    )
    .action(run((context, options: LoginOptions) => login(context, options)));
}

async function login(context: CommandContext, options: LoginOptions): Promise<void> {
  const { output, profile, server } = context;
  const { user, password } = await credentials(context, options);
  const { client } = context;
  client.token = undefined;
  const session = await client.login.create(
    { user, password },
    { signal: context.terminal.signal },
  );
  profile.store(server, { user, ...session });
  output.note(`Signed in to ${server} as ${user} until ${session.expiresAt}.`);
  output.data({ server, user, expiresAt: session.expiresAt, profile: profile.path }, '');
}

async function credentials(
  context: CommandContext,
  options: LoginOptions,
): Promise<{ user: string; password: string }> {
  const { terminal } = context;
  if (options.passwordStdin === true) {
    if (options.user === undefined) throw new WrongUsage('--password-stdin needs --user');
    const password = (await readAll(terminal)).replace(/\r?\n$/, '');
    return { user: options.user, password };
  }
  if (terminal.stdin.isTTY !== true) {
    const hint = 'Use --user NAME --password-stdin.';
    throw new WrongUsage('there is no terminal to ask for the password', hint);
  }
  using prompt = new Prompt(terminal);
  const user = options.user ?? (await prompt.ask('User: '));
  return { user, password: await prompt.askHidden('Password: ') };
}

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
    // The session is removed here, whatever the server answers.
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
