import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { CallOptions } from '@trellis/client/transport.ts';
import type { NodeLink, NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { asksForFields, fieldsOf, namedNode, NODE_ARGUMENT, uidOfNode } from '../node-words.ts';
import { table } from '../terminal.ts';
import { addNodeDownload } from './node-download.ts';

interface ValueOptions {
  readonly set?: string[];
  readonly unset?: string[];
  readonly timestamp?: string;
  readonly alias?: string[];
}

interface CreateOptions extends ValueOptions {
  readonly key?: string;
  readonly link?: string[];
}

interface VersionOption {
  readonly ifVersion?: string;
}

interface LinkOptions extends VersionOption {
  readonly set?: string[];
  readonly incoming?: boolean;
  readonly remove?: boolean;
}

const VALUE = 'a value; items of a list stand between semicolons';

/** `trellis node`. */
export function addNode(program: Command, run: Run): void {
  const node = program
    .command('node')
    .summary('show, create, change, link, delete and download nodes')
    .description(
      'Nodes, with the rights of whoever signs in. Files of rows come in with "trellis import", and go out with "trellis node download".',
    );
  addReads(node, run);
  addWrites(node, run);
  addLinks(node, run);
  addNodeDownload(node, run);
}

function addReads(node: Command, run: Run): void {
  node
    .command('get')
    .description('Shows a node: its fields, its version, and how it is linked.')
    .argument('<node>', NODE_ARGUMENT)
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis node get Word/dog\n  $ trellis node get 2KGvYgNiBmkvxnZvEsBn1K --json',
    )
    .action(run(getNode));
}

function addWrites(node: Command, run: Run): void {
  const valueOptions = (command: Command): Command =>
    command
      .option('--set <Field=value...>', VALUE)
      .option('--timestamp <time>', 'time of the node, ISO 8601')
      .option(
        '--alias <name...>',
        'names that other systems give the node: all that it shall have',
      );
  valueOptions(
    node
      .command('create')
      .description('Creates a node and prints its UID.')
      .argument('<type>', 'type of the node'),
  )
    .option('--key <key>', 'key of the node (default: none, it gets a UID of its own)')
    .option('--link <Edge=node...>', 'links from the node to others')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis node create Task --set Title="Paint the door" --set Cost=30
  $ trellis node create Book --key 9780441013593 --set "Tags=desert; sand" --link WrittenBy="Author/Frank Herbert"`,
    )
    .action(run(createNode));
  valueOptions(
    node
      .command('update')
      .description('Changes fields of a node. What is not named stays as it is.')
      .argument('<node>', NODE_ARGUMENT),
  )
    .option('--unset <Field...>', 'fields that lose their value')
    .option('--if-version <n>', 'only if the node is at this version')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis node update Task/17 --set Cost=35 --unset Due
  $ trellis node update 2KGvYgNiBmkvxnZvEsBn1K --set Title=Door --if-version 3`,
    )
    .action(run(updateNode));
  node
    .command('delete')
    .description('Deletes a node with its links, files and history. It cannot be had again.')
    .argument('<node>', NODE_ARGUMENT)
    .option('--if-version <n>', 'only if the node is at this version')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis node delete Task/17\n  $ trellis node delete Task/17 --if-version 3',
    )
    .action(run(deleteNode));
}

function addLinks(node: Command, run: Run): void {
  node
    .command('link')
    .description('Links a node to another, or with --remove takes the link away.')
    .argument('<node>', NODE_ARGUMENT)
    .argument('<edge>', 'type of the edge')
    .argument('<other>', 'the other node, named in the same way')
    .option('--incoming', 'the edge leads from the other node to this one')
    .option('--set <Field=value...>', `${VALUE}, of the edge`)
    .option('--remove', 'take the link away')
    .option('--if-version <n>', 'only if the node that is named first is at this version')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis node link Book/9780441013593 WrittenBy "Author/Frank Herbert" --set Role=author
  $ trellis node link Book/9780441013593 WrittenBy "Author/Frank Herbert" --remove`,
    )
    .action(run(linkNode));
}

async function getNode(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const record = await client.nodes.getRecord(uidOfNode(name), { signal: terminal.signal });
  output.data(record, recordText(record));
}

function recordText({ node, version, edges, files }: NodeRecordDocument): string {
  const fields = Object.entries(node).map(([field, value]) => [field, valueText(value)]);
  const facts = [
    ...(version === null ? [] : [['Version', String(version)]]),
    ...(files === 0 ? [] : [['Files', String(files)]]),
  ];
  const links = edges.map(({ edge, direction, count }) => [edge, direction, String(count)]);
  const shown = table(['FIELD', 'VALUE'], [...fields, ...facts]);
  return links.length === 0 ? shown : `${shown}\n\n${table(['EDGE', 'DIRECTION', 'COUNT'], links)}`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function createNode(
  { client, output, terminal }: CommandContext,
  options: CreateOptions,
  type: string,
): Promise<void> {
  const { signal } = terminal;
  const { key, link } = options;
  const created = await client.nodes.create(
    {
      type,
      ...(key !== undefined && { key }),
      ...(await valuesAsked(client, options, type, { signal })),
      ...(link !== undefined && { links: link.map(linkOf) }),
    },
    { signal },
  );
  const { UID } = created.node;
  output.note(`Created the ${type} ${UID}.`);
  output.data(created, UID);
}

/** `Edge=node`. */
function linkOf(text: string): NodeLink {
  const at = text.indexOf('=');
  if (at < 1) throw new WrongUsage(`"${text}" is not Edge=node`);
  return { edge: text.slice(0, at), to: namedNode(text.slice(at + 1)) };
}

async function updateNode(
  { client, output, terminal }: CommandContext,
  options: ValueOptions & VersionOption,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = uidOfNode(name);
  // Its type says how the values are to be read.
  const type = asksForFields(options) ? (await client.nodes.get(uid, { signal })).Type : '';
  const change = {
    ...(await valuesAsked(client, options, type, { signal })),
    ...versionAsked(options),
  };
  if (Object.keys(change).every((member) => member === 'ifVersion')) {
    throw new WrongUsage('There is nothing to change', 'Name a field with --set or --unset.');
  }
  const changed = await client.nodes.update(uid, change, { signal });
  output.note(`The node is at version ${changed.version}.`);
  output.data(changed, '');
}

async function valuesAsked(
  client: TrellisClient,
  options: ValueOptions,
  type: string,
  call: CallOptions,
) {
  const { timestamp, alias } = options;
  const fields = asksForFields(options)
    ? fieldsOf(options, await fieldTypes(client, type, call), type)
    : undefined;
  return {
    ...(fields !== undefined && { fields }),
    ...(timestamp !== undefined && { timestamp }),
    ...(alias !== undefined && { aliases: alias }),
  };
}

async function fieldTypes(
  client: TrellisClient,
  name: string,
  call: CallOptions,
): Promise<Readonly<Record<string, string>>> {
  const { types } = await client.nodes.listTypes(call);
  const type = types.find((one) => one.type === name);
  if (type === undefined) {
    throw new CommandFailure(`there is no type "${name}" that you may write or see nodes of`, {
      code: 'unknown_type',
      hint: 'trellis schema get shows the types.',
    });
  }
  return { ...(type.key !== undefined && { [type.key]: 'String' }), ...type.fields };
}

async function deleteNode(
  { client, output, terminal }: CommandContext,
  options: VersionOption,
  name: string,
): Promise<void> {
  const uid = uidOfNode(name);
  await client.nodes.delete(uid, versionAsked(options), { signal: terminal.signal });
  output.note(`Deleted the node ${uid}.`);
  output.data({ uid, deleted: true }, '');
}

function versionAsked({ ifVersion }: VersionOption): { ifVersion?: number } {
  if (ifVersion === undefined) return {};
  if (/^[1-9]\d{0,9}$/.test(ifVersion)) return { ifVersion: Number(ifVersion) };
  throw new WrongUsage(`--if-version ${ifVersion} is not a version`);
}

async function linkNode(
  { client, output, terminal }: CommandContext,
  { set, incoming = false, remove = false, ...options }: LinkOptions,
  name: string,
  edge: string,
  other: string,
): Promise<void> {
  const { signal } = terminal;
  if (remove && set !== undefined) throw new WrongUsage('--set and --remove exclude each other');
  const end = namedNode(other);
  const link = incoming ? { edge, from: end } : { edge, to: end };
  const fields =
    set === undefined
      ? undefined
      : fieldsOf({ set }, await edgeTypes(client, edge, { signal }), edge);
  const change = remove
    ? { remove: [link] }
    : { add: [{ ...link, ...(fields !== undefined && { fields }) }] };
  const changed = await client.nodes.changeLinks(
    uidOfNode(name),
    { ...change, ...versionAsked(options) },
    { signal },
  );
  output.note(linkedText(remove ? changed.removed : changed.added, remove));
  output.data(changed, '');
}

function linkedText(count: number, isRemoved: boolean): string {
  if (count === 0) return isRemoved ? 'There was no such link.' : 'The link was there already.';
  return isRemoved ? 'Removed the link.' : 'Added the link.';
}

async function edgeTypes(
  client: TrellisClient,
  name: string,
  call: CallOptions,
): Promise<Readonly<Record<string, string>>> {
  const { edges } = await client.nodes.listTypes(call);
  return edges.find(({ type }) => type === name)?.fields ?? {};
}
