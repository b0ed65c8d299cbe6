import { SCOPES, TOKEN_KINDS, type TokenKind } from '@trellis/contract/rights.ts';
import type { NewToken, TokenRecord } from '@trellis/contract/shapes/token.ts';
import { Argument, type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { userUid } from '../named.ts';
import { table } from '../terminal.ts';

interface CreateOptions {
  readonly scope?: string[];
  readonly path?: string;
  readonly user?: string;
  readonly expires?: string;
}

const kindOption = () =>
  new Option('--kind <kind>', 'only tokens of this kind').choices(TOKEN_KINDS);

export function addToken(program: Command, run: Run): void {
  const token = program
    .command('token')
    .summary('create, list, show and revoke tokens')
    .description('Creates, lists, shows and revokes the tokens of machines.');
  token
    .command('create')
    .description(
      'Creates a token and prints only its value, which cannot be shown again. ' +
        `Kinds: ${TOKEN_KINDS.join(', ')}.`,
    )
    .addArgument(new Argument('<kind>', 'what the token is for').choices(TOKEN_KINDS))
    .argument('<name>', 'name of the token in the list')
    .addOption(new Option('--scope <scope...>', 'for api, connector, automation').choices(SCOPES))
    .option('--path <path>', 'for endpoint: one endpoint, or a prefix such as "analytics/"')
    .option('--user <user>', 'user that the token acts as, by name or UID')
    .option('--expires <time>', 'ISO 8601, such as 2027-01-31T00:00:00Z (default: never)')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis token create api nightly-import --scope ingestion
  $ trellis token create endpoint dashboard --path analytics/ --user ann
  $ trellis token create api backup --scope admin:backup > backup-token`,
    )
    .action(run(createToken));
  addListOptions(
    token
      .command('list')
      .description('Lists the tokens, newest first, without their values.')
      .addOption(kindOption()),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis token list\n  $ trellis token list --kind api')
    .action(run(listTokens));
  token
    .command('show')
    .description('Shows one token: what it may do, until when, and when it was used last.')
    .argument('<id>', 'id of the token')
    .addHelpText('after', '\nExamples:\n  $ trellis token show 4sD1qk2Qm8xLr7bTz9NcVw')
    .action(run(showToken));
  token
    .command('revoke')
    .description('Revokes a token for good. The server refuses it from the next request on.')
    .argument('<id>', 'id of the token')
    .addHelpText('after', '\nExamples:\n  $ trellis token revoke 4sD1qk2Qm8xLr7bTz9NcVw')
    .action(run(revokeToken));
}

async function createToken(
  { client, output, terminal }: CommandContext,
  options: CreateOptions,
  kind: string,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const { scope, path, user, expires } = options;
  const actingUser = user === undefined ? undefined : await userUid(client, user, { signal });
  // The server checks which options each kind takes.
  const request = {
    kind: kind as TokenKind,
    name,
    ...(scope === undefined ? {} : { scopes: scope as NonNullable<NewToken['scopes']> }),
    ...(path === undefined ? {} : { path }),
    ...(actingUser === undefined ? {} : { actingUser }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  };
  const created = await client.tokens.create(request, { signal });
  output.note(
    `Created the ${kind} token "${name}" (${created.id}). Keep its value: it is shown this once.`,
  );
  output.data(created, created.token);
}

async function listTokens(
  { client, output, terminal }: CommandContext,
  options: ListOptions & { readonly kind?: TokenKind },
): Promise<void> {
  const { signal } = terminal;
  const tokens = await listItems(options, (page) =>
    client.tokens.list({ ...page, kind: options.kind }, { signal }),
  );
  output.data(tokens, table(HEADINGS, tokens.map(rowOf)));
}

async function showToken(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  const token = await client.tokens.get(id, { signal: terminal.signal });
  output.data(token, table(HEADINGS, [rowOf(token)]));
}

const HEADINGS = ['ID', 'KIND', 'NAME', 'SCOPES OR PATH', 'EXPIRES', 'LAST USED', 'STATE'];

function rowOf(token: TokenRecord): string[] {
  return [
    token.id,
    token.kind,
    token.name,
    token.scopes.join(' ') || (token.path ?? ''),
    token.expiresAt ?? 'never',
    token.lastUsedAt ?? 'never',
    token.revoked ? 'revoked' : 'valid',
  ];
}

async function revokeToken(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  await client.tokens.revoke(id, { signal: terminal.signal });
  output.note(`Revoked ${id}.`);
  output.data({ id, revoked: true }, '');
}
