import { ROLES } from '@trellis/contract/rights.ts';
import type { NewUser, UserChange, UserNode } from '@trellis/contract/shapes/user.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { userUid } from '../named.ts';
import { readAll } from '../prompt.ts';
import { table } from '../terminal.ts';

interface RightsOptions {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: string[] | false;
  readonly admin?: boolean;
  readonly readOnlyAdmin?: boolean;
  readonly guest?: boolean;
}

interface CreateOptions extends RightsOptions {
  readonly passwordStdin?: boolean;
}

interface UpdateOptions extends RightsOptions {
  readonly email?: string;
  readonly active?: boolean;
}

export function addUser(program: Command, run: Run): void {
  const user = program
    .command('user')
    .summary('create, change and deactivate users')
    .description(
      'Creates, lists, changes and deactivates users. Commands take the name or the UID of a user.',
    );
  addCreate(user, run);
  addUpdate(user, run);
  addListOptions(
    user
      .command('list')
      .description('Lists the users by name.')
      .option('--query <text>', 'part of a name or address'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis user list\n  $ trellis user list --query lee')
    .action(run(listUsers));
  user
    .command('show')
    .description('Prints everything about a user.')
    .argument('<user>', 'user name or UID')
    .addHelpText('after', '\nExamples:\n  $ trellis user show ann')
    .action(run(showUser));
  user
    .command('deactivate')
    .description('Signs a user out and keeps them out.')
    .argument('<user>', 'user name or UID')
    .addHelpText('after', '\nExamples:\n  $ trellis user deactivate bob')
    .action(run(deactivateUser));
  user
    .command('reset-link')
    .description(
      'Prints a link with which the user can set a new password, once and within 30 minutes.',
    )
    .argument('<user>', 'user name or UID')
    .addHelpText('after', '\nExamples:\n  $ trellis user reset-link bob')
    .action(run(resetLink));
}

function addCreate(user: Command, run: Run): void {
  addRightsOptions(
    user
      .command('create')
      .description(
        'Creates a user. Without a password they sign in at a provider, or by a reset link.',
      )
      .argument('<name>', 'user name')
      .argument('<email>', 'mail address')
      .option('--password-stdin', 'read the password from standard input'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis user create ann ann@example.org --first-name Ann --last-name Lee
  $ trellis user create bob bob@example.org --role CanManageTeams --password-stdin < password.txt`,
    )
    .action(run(createUser));
}

function addUpdate(user: Command, run: Run): void {
  addRightsOptions(
    user
      .command('update')
      .description('Changes a user. Only what an option names is changed.')
      .argument('<user>', 'user name or UID')
      .option('--email <address>', 'mail address')
      .option('--active', 'let the user sign in again')
      .option('--no-role', 'take all roles away')
      .option('--no-admin', 'make the user no system administrator')
      .option('--no-read-only-admin', 'make the user no read-only administrator')
      .option('--no-guest', 'make the user no guest'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis user update ann --email ann@example.com
  $ trellis user update ann --role CanManageUsers CanManageTeams
  $ trellis user update bob --no-admin`,
    )
    .action(run(updateUser));
}

function addRightsOptions(command: Command): Command {
  return command
    .option('--first-name <name>', 'first name')
    .option('--last-name <name>', 'last name')
    .option('--role <role...>', `all roles of the user: ${ROLES.join(', ')}`)
    .option('--admin', 'make the user a system administrator')
    .option('--read-only-admin', 'make the user an administrator who can only read')
    .option('--guest', 'make the user a guest');
}

/** The change that the options ask for; the server checks it. */
function changeOf({ firstName, lastName, role, admin, readOnlyAdmin, guest }: RightsOptions) {
  return {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(role === undefined ? {} : { roles: (role || []) as NonNullable<NewUser['roles']> }),
    ...(admin === undefined ? {} : { isAdmin: admin }),
    ...(readOnlyAdmin === undefined ? {} : { isReadOnlyAdmin: readOnlyAdmin }),
    ...(guest === undefined ? {} : { isGuest: guest }),
  };
}

async function createUser(
  { client, output, terminal }: CommandContext,
  options: CreateOptions,
  userName: string,
  email: string,
): Promise<void> {
  const password =
    options.passwordStdin === true
      ? { password: (await readAll(terminal)).replace(/\r?\n$/, '') }
      : {};
  const user = { userName, email, ...password, ...changeOf(options) };
  const created = await client.users.create(user, { signal: terminal.signal });
  output.note(`Created the user ${userName}.`);
  output.data(created, created.UID);
}

async function listUsers(
  { client, output, terminal }: CommandContext,
  options: ListOptions & { readonly query?: string },
): Promise<void> {
  const { signal } = terminal;
  const users = await listItems(options, (page) =>
    client.users.list({ ...page, query: options.query }, { signal }),
  );
  output.data(users, userTable(users));
}

/** Administrators see what each user may do; others see names and addresses. */
export function userTable(users: readonly UserNode[]): string {
  const rows = users.map((user) => [
    user.UserName ?? '',
    user.FullName ?? '',
    user.Email ?? '',
    stateOf(user),
    user.UID,
  ]);
  return table(['USER', 'NAME', 'EMAIL', 'STATE', 'UID'], rows);
}

function stateOf(user: UserNode): string {
  if (user['Active'] === undefined) return '';
  if (user['Active'] !== true) return 'deactivated';
  if (user['IsReadOnlyAdmin'] === true) return 'read-only administrator';
  if (user['IsAdmin'] === true) return 'administrator';
  return user['IsGuest'] === true ? 'guest' : 'active';
}

async function showUser(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const user = await client.users.get(await userUid(client, name, { signal }), { signal });
  output.data(user, JSON.stringify(user, null, 2));
}

async function updateUser(
  { client, output, terminal }: CommandContext,
  options: UpdateOptions,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const change: UserChange = {
    ...changeOf(options),
    ...(options.email === undefined ? {} : { email: options.email }),
    ...(options.active === undefined ? {} : { active: options.active }),
  };
  if (Object.keys(change).length === 0) throw new WrongUsage('there is nothing to change');
  const uid = await userUid(client, name, { signal });
  const user = await client.users.update(uid, change, { signal });
  output.note(`Changed the user ${user.UserName ?? name}.`);
  output.data(user, '');
}

async function deactivateUser(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = await userUid(client, name, { signal });
  await client.users.deactivate(uid, { signal });
  output.note(`Deactivated the user ${name}.`);
  output.data({ uid, active: false }, '');
}

async function resetLink(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = await userUid(client, name, { signal });
  const { link, expiresAt } = await client.users.createPasswordResetLink(uid, { signal });
  output.note(`Works once, until ${expiresAt}.`);
  output.data({ link, expiresAt }, link);
}
