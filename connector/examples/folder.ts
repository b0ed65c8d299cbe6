import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ConnectorRun } from '../src/connector-run.ts';
import { nodeFilesOf } from '../src/node-files.ts';
import { runConnector } from '../src/run-connector.ts';
import { main, type Target } from './command-line.ts';

/**
 * Every file of a folder, with its content: the server takes the text out of it, so that search
 * finds it.
 */
const SCHEMA: SchemaDocument = {
  nodes: [
    { type: 'Folder', key: 'Path', fields: { Name: 'String' }, label: 'Name' },
    {
      type: 'Document',
      key: 'Path',
      fields: { Name: 'String', Bytes: 'Int', Modified: 'Time', Sha256: 'String' },
      label: 'Name',
    },
  ],
  edges: [
    { type: 'Contains', inverse: 'ContainedIn' },
    { type: 'ContainedIn', inverse: 'Contains' },
  ],
};

/** Files whose nodes are committed together before their content is sent. */
const FILES_AT_ONCE = 200;

interface SourceFile {
  readonly file: string;
  /** Below the folder, with slashes. */
  readonly path: string;
}

async function bringFolder(target: Target, folder: string, bytesMax: number) {
  const options = { ...target, name: `folder ${folder}`, schema: SCHEMA };
  return runConnector(options, async (run) => {
    await run.row(nodeRow('.'), [node('Folder', '.', { Name: basename(folder) })]);
    let files: SourceFile[] = [];
    for await (const entry of await opendir(folder, { recursive: true })) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(folder, file).split(sep).join('/');
      if (entry.isDirectory()) await run.row(nodeRow(path), below('Folder', path, {}));
      // What is neither, such as a link, could lead anywhere.
      if (!entry.isFile()) continue;
      const { size, mtime } = await stat(file);
      const fields = { Bytes: size, Modified: mtime.toISOString() };
      await run.row(nodeRow(path), below('Document', path, fields));
      if (size <= bytesMax) files.push({ file, path });
      if (files.length < FILES_AT_ONCE) continue;
      await bringContents(run, target, files);
      files = [];
    }
    await bringContents(run, target, files);
    await run.removeUnseen();
  });
}

/**
 * The content of a file is a row of its own, which comes when the content is there: so an upload
 * that a crash cut off is done again.
 */
async function bringContents(
  run: ConnectorRun<never>,
  { client, dryRun, signal }: Target,
  some: readonly SourceFile[],
): Promise<void> {
  await run.commit();
  const files = nodeFilesOf(client);
  for (const { file, path } of some) {
    const sha256 = await digest(file);
    const update: GraphOperation = {
      op: 'update',
      type: 'Document',
      key: path,
      fields: { Sha256: sha256 },
    };
    const id = contentRow(path);
    if (!run.isUnchanged(id, [update]) && dryRun !== true) {
      const content = await openAsBlob(file);
      await files.replace(nodeUid('Document', path), basename(file), content, signal);
    }
    await run.row(id, [update]);
  }
}

/** Ids of rows: no path can be taken for another's content. */
function nodeRow(path: string): string {
  return `node ${path}`;
}

function contentRow(path: string): string {
  return `content ${path}`;
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function below(type: 'Folder' | 'Document', path: string, fields: object): GraphOperation[] {
  return [
    node(type, path, { Name: basename(path), ...fields }),
    {
      op: 'link',
      from: { type: 'Folder', key: dirname(path) },
      edge: 'Contains',
      inverse: 'ContainedIn',
      to: { type, key: path },
    },
  ];
}

function node(type: string, key: string, fields: Record<string, unknown>): GraphOperation {
  return { op: 'addOrUpdate', type, key, fields };
}

await main({
  name: 'folder',
  help: `The files of a folder and the folders below it, with what is in them.

  node connector/examples/folder.ts --folder ~/documents

  --folder PATH    what to bring; the token needs the scopes ingestion and read
  --max-bytes N    of a file; larger ones are brought without their content (50000000)`,
  options: {
    folder: { type: 'string', default: '' },
    'max-bytes': { type: 'string', default: '50000000' },
  },
  run: (target, { folder, 'max-bytes': bytes }) => {
    if (folder === '') throw new Error('--folder is needed; see --help');
    if (!/^\d+$/.test(bytes)) throw new Error(`--max-bytes ${bytes}: a whole number is needed`);
    return bringFolder(target, resolve(folder), Number(bytes));
  },
});
