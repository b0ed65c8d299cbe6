import type { OAuthClientRecord } from '@trellis/contract/shapes/oauth.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

interface CreateOptions {
  readonly redirect: readonly string[];
}

/** `trellis oauth-client`. */
export function addOAuthClient(program: Command, run: Run): void {
  const oauthClient = program
    .command('oauth-client')
    .summary('MCP clients that act as users, and those that may ask to')
    .description(
      'Lists the MCP clients that users have let in or administrators have registered, registers ' +
        'one, and withdraws one.',
    );
  addListOptions(oauthClient.command('list').description('Lists the clients, newest first.'))
    .addHelpText('after', '\nExamples:\n  $ trellis oauth-client list')
    .action(run(list));
  addListOptions(
    oauthClient
      .command('grants')
      .description('Lists as which users a client acts.')
      .argument('<id>', 'id of the client in the list'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis oauth-client grants 5f0c6a1be2d94c7780a1b2c3')
    .action(run(listGrants));
  oauthClient
    .command('create')
    .description(
      'Registers a client, also where clients may not do so themselves. Prints its client_id, for ' +
        'whoever sets the client up.',
    )
    .argument('<name>', 'name of the client, which users read')
    .requiredOption('--redirect <uri...>', 'an address that may get answers')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis oauth-client create Desk --redirect https://desk.example.com/back',
    )
    .action(run((context, options: CreateOptions, name: string) => create(context, options, name)));
  oauthClient
    .command('withdraw')
    .description(
      'Ends all access of a client. Its tokens are refused from the next request on, and so is the ' +
        'client. The program may register as another client, unless registration is off.',
    )
    .argument('<id>', 'id of the client in the list')
    .addHelpText('after', '\nExamples:\n  $ trellis oauth-client withdraw 5f0c6a1be2d94c7780a1b2c3')
    .action(run(withdraw));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const clients = await listItems(options, (page) => client.oauth.clients(page, { signal }));
  output.data(clients, table(['ID', 'NAME', 'LEADS TO', 'USERS', 'LAST USED'], clients.map(rowOf)));
}

function rowOf({ id, name, redirectUris, grants, lastUsedAt }: OAuthClientRecord): string[] {
  return [id, name, redirectUris.join(' '), String(grants), lastUsedAt ?? 'never'];
}

async function listGrants(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
  id: string,
): Promise<void> {
  const { signal } = terminal;
  const all = await listItems(options, (page) => client.oauth.clientGrants(id, page, { signal }));
  const rows = all.map((one) => [
    one.id,
    one.actingUser ?? '',
    one.createdAt,
    one.lastUsedAt ?? 'never',
  ]);
  output.data(all, table(['ID', 'USER', 'SINCE', 'LAST USED'], rows));
}

async function create(
  { client, output, terminal }: CommandContext,
  { redirect }: CreateOptions,
  name: string,
): Promise<void> {
  const body = { client_name: name, redirect_uris: [...redirect] };
  const created = await client.oauth.createClient(body, { signal: terminal.signal });
  output.note(`Registered "${created.client_name}". Give this id to whoever sets it up.`);
  output.data(created, created.client_id);
}

async function withdraw(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  await client.oauth.withdrawClient(id, { signal: terminal.signal });
  output.note(`Withdrew ${id}.`);
  output.data({ id, withdrawn: true }, '');
}
