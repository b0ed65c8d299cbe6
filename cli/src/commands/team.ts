import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { teamUid, userUid } from '../named.ts';
import { table } from '../terminal.ts';
import { userTable } from './user.ts';

interface MemberOptions {
  readonly add?: string[];
  readonly addTeam?: string[];
  readonly remove?: string[];
  readonly removeTeam?: string[];
  readonly admins?: string[] | false;
}

export function addTeam(program: Command, run: Run): void {
  const team = program
    .command('team')
    .summary('create teams and change who is in them')
    .description(
      'Creates, lists and deletes teams, and changes who is in them. Commands take the name or the UID of a team.',
    );
  team
    .command('create')
    .description('Creates a team.')
    .argument('<name>', 'name of the team')
    .option('--description <text>', 'description of the team')
    .addHelpText('after', '\nExamples:\n  $ trellis team create Sales --description "All of sales"')
    .action(run(createTeam));
  addListOptions(
    team
      .command('list')
      .description('Lists the teams by name.')
      .option('--query <text>', 'part of a name'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis team list')
    .action(run(listTeams));
  addListOptions(
    team
      .command('show')
      .description('Lists the users of a team.')
      .argument('<team>', 'name or UID')
      .option('--nested', 'also list the members of teams in this team'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis team show Sales --nested')
    .action(run(showTeam));
  team
    .command('members')
    .description('Changes who is in a team, and who administers it.')
    .argument('<team>', 'name or UID')
    .option('--add <user...>', 'users to add')
    .option('--add-team <team...>', 'teams to add; their members become members too')
    .option('--remove <user...>', 'users to remove')
    .option('--remove-team <team...>', 'teams to remove')
    .option('--admins <user...>', 'all administrators of the team')
    .option('--no-admins', 'remove all administrators of the team')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis team members Sales --add ann bob --remove cid
  $ trellis team members Sales --add-team "Sales East" --admins ann`,
    )
    .action(run(changeMembers));
  team
    .command('delete')
    .description('Deletes a team that no node is restricted to.')
    .argument('<team>', 'name or UID')
    .addHelpText('after', '\nExamples:\n  $ trellis team delete "Sales East"')
    .action(run(deleteTeam));
}

async function createTeam(
  { client, output, terminal }: CommandContext,
  { description }: { readonly description?: string },
  name: string,
): Promise<void> {
  const body = { name, ...(description === undefined ? {} : { description }) };
  const team = await client.teams.create(body, { signal: terminal.signal });
  output.note(`Created the team ${name}.`);
  output.data(team, team.UID);
}

async function listTeams(
  { client, output, terminal }: CommandContext,
  options: ListOptions & { readonly query?: string },
): Promise<void> {
  const { signal } = terminal;
  const teams = await listItems(options, (page) =>
    client.teams.list({ ...page, query: options.query }, { signal }),
  );
  const rows = teams.map((team) => [team.Name ?? '', team.Description ?? '', team.UID]);
  output.data(teams, table(['TEAM', 'DESCRIPTION', 'UID'], rows));
}

async function showTeam(
  { client, output, terminal }: CommandContext,
  options: ListOptions & { readonly nested?: boolean },
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = await teamUid(client, name, { signal });
  const users = await listItems(options, (page) =>
    client.teams.listUsers(uid, { ...page, nested: options.nested }, { signal }),
  );
  output.data(users, userTable(users));
}

async function changeMembers(
  { client, output, terminal }: CommandContext,
  options: MemberOptions,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const users = (names: readonly string[] = []) =>
    Promise.all(names.map((one) => userUid(client, one, { signal })));
  const teams = (names: readonly string[] = []) =>
    Promise.all(names.map((one) => teamUid(client, one, { signal })));
  const uid = await teamUid(client, name, { signal });
  const change = {
    add: [...(await users(options.add)), ...(await teams(options.addTeam))],
    remove: [...(await users(options.remove)), ...(await teams(options.removeTeam))],
    ...(options.admins === undefined ? {} : { admins: await users(options.admins || []) }),
  };
  const members = await client.teams.setUsers(uid, change, { signal });
  const counts = [
    `${members.users.length} users`,
    `${members.teams.length} teams`,
    `${members.admins.length} administrators`,
  ];
  output.note(`${name} has ${counts.join(', ')}.`);
  output.data(members, '');
}

async function deleteTeam(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = await teamUid(client, name, { signal });
  await client.teams.delete(uid, { signal });
  output.note(`Deleted the team ${name}.`);
  output.data({ uid, deleted: true }, '');
}
