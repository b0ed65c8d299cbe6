import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

interface PushOptions {
  readonly name: string;
  readonly choose?: boolean;
}

/** `trellis interface`. */
export function addInterface(program: Command, run: Run): void {
  const command = program
    .command('interface')
    .summary('upload and choose custom interfaces')
    .description(
      'Uploads your own front ends, and sets which one the workspace serves. The built-in one ' +
        'is always at /trellis/ as well.',
    );
  command
    .command('push')
    .description(
      'Uploads an interface, or a new version of it, which is served at once if it is chosen.',
    )
    .argument('<path>', 'a folder with an index.html, or a zip of one')
    .requiredOption('--name <name>', 'name of the interface')
    .option('--choose', 'serve it from now on; needs an administrator')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis interface push dist --name catalogue
  $ trellis interface push catalogue.zip --name catalogue --choose
  $ TRELLIS_TOKEN="$INTERFACE_TOKEN" trellis interface push dist --name catalogue`,
    )
    .action(run(pushInterface));
  addListOptions(command.command('list').description('Lists the interfaces, by name.'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis interface list\n  $ trellis interface list --json',
    )
    .action(run(listInterfaces));
  command
    .command('choose')
    .description('Sets what the workspace serves: an interface, or the built-in front end.')
    .argument('[name]', 'name of the interface')
    .option('--built-in', 'serve the built-in front end')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis interface choose catalogue\n  $ trellis interface choose --built-in',
    )
    .action(run(chooseInterface));
  command
    .command('delete')
    .description('Deletes an interface that is not the chosen one.')
    .argument('<name>', 'name of the interface')
    .addHelpText('after', '\nExamples:\n  $ trellis interface delete catalogue')
    .action(run(deleteInterface));
}

async function pushInterface(
  { client, output, terminal }: CommandContext,
  { name, choose }: PushOptions,
  path: string,
): Promise<void> {
  const { signal } = terminal;
  const pushed = await client.interfaces.put(name, await readInterface(path), { signal });
  if (choose === true) await client.workspace.putSettings({ interface: name }, { signal });
  const chosen = choose === true || pushed.chosen;
  output.note(
    `Uploaded ${pushed.files} files, ${pushed.bytes} bytes, as "${name}"; ` +
      (chosen
        ? 'the workspace serves it.'
        : `"trellis interface choose ${name}" has the workspace serve it.`),
  );
  output.data({ ...pushed, chosen }, '');
}

async function listInterfaces(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const interfaces = await listItems(options, (page) => client.interfaces.list(page, { signal }));
  const rows = interfaces.map(({ name, files, bytes, uploadedAt, uploadedBy, chosen }) => [
    name,
    String(files),
    String(bytes),
    uploadedAt,
    uploadedBy?.name ?? 'a token',
    chosen ? 'chosen' : '',
  ]);
  const headings = ['NAME', 'FILES', 'BYTES', 'UPLOADED', 'BY', 'STATE'];
  output.data(interfaces, table(headings, rows));
}

async function chooseInterface(
  { client, output, terminal }: CommandContext,
  { builtIn }: { readonly builtIn?: boolean },
  name: string | undefined,
): Promise<void> {
  if ((name === undefined) === (builtIn !== true)) {
    throw new WrongUsage('Give either the name of an interface or --built-in.');
  }
  const { signal } = terminal;
  const settings = await client.workspace.putSettings({ interface: name ?? null }, { signal });
  const what = name === undefined ? 'the built-in front end' : `the interface "${name}"`;
  output.note(`The workspace serves ${what}.`);
  output.data({ interface: settings.interface }, '');
}

async function deleteInterface(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  await client.interfaces.delete(name, { signal: terminal.signal });
  output.note(`Deleted the interface "${name}".`);
  output.data({ name, deleted: true }, '');
}

/** A fixed time, so that equal files always give an equal zip. */
const NO_TIME = new Date('2000-01-01T00:00:00Z');

/**
 * The zip itself, or a new zip of the folder. Links are left out, and so are files and folders
 * whose names begin with a dot.
 */
async function readInterface(path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!statSync(path).isDirectory()) return Uint8Array.from(readFileSync(path));
  const names = filesOf(path);
  if (!names.includes('index.html')) {
    throw new CommandFailure(`${path} has no index.html`, {
      hint: 'Name the folder that the build of the interface writes, such as dist.',
    });
  }
  const zip = new ZipFile();
  for (const name of names) zip.addBuffer(readFileSync(join(path, name)), name, { mtime: NO_TIME });
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}

/** The paths, with slashes, in an order that does not depend on the file system. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .toSorted();
}
