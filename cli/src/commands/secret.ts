import type { SecretRecord } from '@trellis/contract/shapes/secret.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { Prompt, readAll } from '../prompt.ts';
import { table, type Terminal } from '../terminal.ts';

interface SetOptions {
  readonly host: readonly string[];
  readonly endpoint?: readonly string[];
}

/** `trellis secret`. */
export function addSecret(program: Command, run: Run): void {
  const secret = program
    .command('secret')
    .summary('keys that the code of endpoints sends to other servers')
    .description(
      'Lists, sets and deletes secrets. Code names one in a header of fetch(), such as ' +
        "secret('CRM_KEY', 'Bearer {}'), and the server puts the value in on the way to its hosts.",
    );
  addListOptions(secret.command('list').description('Lists the secrets, never their values.'))
    .addHelpText('after', '\nExamples:\n  $ trellis secret list\n  $ trellis secret list --json')
    .action(run(list));
  secret
    .command('set')
    .description(
      'Sets a secret, also one that there is: from the next request on the new value is sent. ' +
        'The value comes from standard input, or is asked for; it is no argument, as others on ' +
        'the machine see those.',
    )
    .argument('<name>', 'capital letters, digits and "_"')
    .requiredOption('--host <host...>', 'a host that it is sent to, such as crm.example.com')
    .option('--endpoint <name...>', 'an endpoint whose code may use it; all if left out')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis secret set CRM_KEY --host crm.example.com
  $ trellis secret set CRM_KEY --host crm.example.com --endpoint crm/sync crm/find < key.txt`,
    )
    .action(run((context, options: SetOptions, name: string) => set(context, options, name)));
  secret
    .command('delete')
    .description('Deletes a secret; requests that name it are refused.')
    .argument('<name>', 'name of the secret')
    .addHelpText('after', '\nExamples:\n  $ trellis secret delete CRM_KEY')
    .action(run((context, _options: unknown, name: string) => remove(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const secrets = await listItems(options, (page) => client.secrets.list(page, { signal }));
  const rows = secrets.map((one) => [one.name, one.hosts.join(' '), usersOf(one), standingOf(one)]);
  output.data(secrets, table(['name', 'hosts', 'endpoints', 'last used'], rows));
}

function usersOf({ endpoints }: SecretRecord): string {
  return endpoints === null ? 'all' : endpoints.join(' ');
}

function standingOf({ isReadable, lastUsedAt }: SecretRecord): string {
  return isReadable ? (lastUsedAt ?? 'never') : 'cannot be opened: set it again';
}

async function set(
  { client, output, terminal }: CommandContext,
  { host: hosts, endpoint: endpoints }: SetOptions,
  name: string,
): Promise<void> {
  const value = await valueFrom(terminal, name);
  const rules = { hosts, ...(endpoints === undefined ? {} : { endpoints }) };
  const record = await client.secrets.put(name, { value, ...rules }, { signal: terminal.signal });
  output.note(`The secret "${record.name}" is sent to ${record.hosts.join(', ')}.`);
  output.data(record, '');
}

async function valueFrom(terminal: Terminal, name: string): Promise<string> {
  if (terminal.stdin.isTTY !== true) {
    const value = (await readAll(terminal)).replace(/\r?\n$/, '');
    if (value === '') throw new WrongUsage('standard input holds no value');
    return value;
  }
  using prompt = new Prompt(terminal);
  return prompt.askHidden(`Value of ${name}: `);
}

async function remove({ client, output, terminal }: CommandContext, name: string): Promise<void> {
  await client.secrets.delete(name, { signal: terminal.signal });
  output.note(`The secret "${name}" is deleted.`);
}
