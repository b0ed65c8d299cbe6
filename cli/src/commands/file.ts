import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileUpload } from '@trellis/contract/shapes/file.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { NODE_ARGUMENT, uidOfNode } from '../node-words.ts';
import { clearLine, ProgressBar } from '../progress-bar.ts';
import { receivedBytes } from '../received-bytes.ts';
import { harmless, table, writeBytes } from '../terminal.ts';
import { refuseExisting, writeWhole } from '../whole-file.ts';

interface UploadOptions {
  readonly name?: string;
  readonly type?: string;
  readonly resume?: string;
}

/** `trellis file`. */
export function addFile(program: Command, run: Run): void {
  const command = program
    .command('file')
    .summary('upload, list, download and delete files of nodes')
    .description('Files of nodes. Whoever may see a node may see its files.');
  command
    .command('upload')
    .description('Uploads files to a node, piece by piece. An interrupted upload can continue.')
    .argument('<node>', NODE_ARGUMENT)
    .argument('<path...>', 'files')
    .option('--name <name>', 'name of the file on the server, for a single file')
    .option('--type <type>', 'media type, such as text/csv (default: from the ending of the name)')
    .option('--resume <id>', 'continue an interrupted upload')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis file upload 2KGvYgNiBmkvxnZvEsBn1K plan.pdf photo.png
  $ trellis file upload Contract/2026-17 scan.pdf --name contract.pdf
  $ trellis file upload 2KGvYgNiBmkvxnZvEsBn1K large.zip --resume 7VJCmZJpXbZ1pGY3uYg3Qd`,
    )
    .action(run(uploadFiles));
  addListOptions(command.command('list').description('Lists the files of a node, by name.'))
    .argument('<node>', NODE_ARGUMENT)
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis file list Contract/2026-17\n  $ trellis file list 2KGvYgNiBmkvxnZvEsBn1K --json',
    )
    .action(run(listFiles));
  command
    .command('download')
    .description('Downloads a file, by default under its own name. Overwrites nothing.')
    .argument('<file>', 'UID of the file')
    .option('--out <path>', 'where to write it; "-" prints it')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis file download 5XnC8rYqQb2mTgk6oWv1Ze\n  $ trellis file download 5XnC8rYqQb2mTgk6oWv1Ze --out - | less',
    )
    .action(run(downloadFile));
  command
    .command('delete')
    .description('Deletes a file, for everybody.')
    .argument('<file>', 'UID of the file')
    .addHelpText('after', '\nExamples:\n  $ trellis file delete 5XnC8rYqQb2mTgk6oWv1Ze')
    .action(run(deleteFile));
}

async function uploadFiles(
  context: CommandContext,
  options: UploadOptions,
  node: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length > 1 && (options.name ?? options.resume) !== undefined) {
    throw new WrongUsage('--name and --resume are for one file.');
  }
  for (const path of paths) await uploadFile(context, options, node, path);
}

async function uploadFile(
  { client, output, terminal }: CommandContext,
  { name = '', type, resume }: UploadOptions,
  node: string,
  path: string,
): Promise<void> {
  const called = name === '' ? basename(path) : name;
  const content = await blobOf(path);
  let known = resume;
  const onProgress = (upload: FileUpload): void => {
    known = upload.id;
    if (terminal.stderr.isTTY !== true) return;
    const percent = upload.size === 0 ? 100 : Math.floor((upload.offset / upload.size) * 100);
    terminal.stderr.write(`\r\u001b[K${harmless(called)} ${percent} %`);
  };
  try {
    const file = await client.files.uploadInPieces(uidOfNode(node), called, content, {
      id: resume,
      contentType: type ?? mediaTypeOf(called),
      onProgress,
      signal: terminal.signal,
    });
    clearLine(terminal.stderr);
    output.note(`Uploaded ${harmless(file.Name)}, ${file.Size} bytes.`);
    output.data(file, file.UID);
  } catch (error) {
    if (known !== undefined) output.note(`To go on with it: --resume ${known}`);
    throw error;
  }
}

async function listFiles(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
  node: string,
): Promise<void> {
  const { signal } = terminal;
  const uid = uidOfNode(node);
  const files = await listItems(options, (page) => client.files.list(uid, page, { signal }));
  const rows = files.map(({ UID, Name, Size, ContentType, Timestamp, TextState }) => [
    Name,
    String(Size),
    ContentType,
    TextState,
    Timestamp,
    UID,
  ]);
  output.data(files, table(['NAME', 'BYTES', 'TYPE', 'TEXT', 'UPLOADED', 'UID'], rows));
}

async function downloadFile(
  { client, output, terminal }: CommandContext,
  { out }: { readonly out?: string },
  uid: string,
): Promise<void> {
  const { signal } = terminal;
  const { Name, Size } = await client.files.get(uid, { signal });
  const path = out ?? basename(Name);
  if (path !== '-') refuseExisting(path);
  const bar = new ProgressBar(terminal.stderr, 'Downloading', () => performance.now(), 'bytes');
  const received = receivedBytes(await client.files.download(uid, { signal }), signal);
  const bytes = drawing(received, (done) =>
    bar.update({ share: Size > 0 ? Math.min(1, done / Size) : 1, done }),
  );
  try {
    if (path !== '-') await writeWhole(path, bytes, signal);
    else for await (const part of bytes) await writeBytes(terminal.stdout, part, signal);
  } finally {
    bar.clear();
  }
  if (path === '-') return;
  output.note(`Wrote ${Size} bytes to ${harmless(path)}.`);
  output.data({ uid, path, size: Size }, '');
}

/** Tells after each part how many bytes there are so far. */
async function* drawing(
  parts: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const part of parts) {
    count += part.length;
    onBytes(count);
    yield part;
  }
}

async function deleteFile(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  uid: string,
): Promise<void> {
  await client.files.delete(uid, { signal: terminal.signal });
  output.note('Deleted the file.');
  output.data({ uid, deleted: true }, '');
}

/** Opens a file. It is checked first, since Node's own error would not say what is wrong. */
async function blobOf(path: string): Promise<Blob> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return openAsBlob(path);
  const what = found === undefined ? 'There is no file' : 'This is no file:';
  throw new CommandFailure(`${what} "${path}"`, { code: 'file_not_found' });
}

const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['txt', 'text/plain'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
  ['zip', 'application/zip'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
]);

/** The media types of common files, by the ending of the name. */
function mediaTypeOf(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return BY_ENDING.get(ending) ?? 'application/octet-stream';
}
