import { nodeUid } from '@trellis/client/uid.ts';
import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { hash } from 'node:crypto';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorRun } from '../connector-run.ts';
import { type NodeAudience, restrictTo } from '../restrict-to.ts';
import { runConnector } from '../run-connector.ts';
import { refusalCode } from '../workspace-refusal.ts';
import { edgesBothWays, linkBy } from './linked-nodes.ts';
import { PrincipalNames } from './principal-names.ts';
import type { ConnectorKind, KindTarget, SourceContext } from './source-context.ts';
import { knownReaders, type SourceReaders } from './source-readers.ts';
import { DavAccess } from './webdav-access.ts';
import { type DavEntry, DavServer, folderAddress, segmentsOf } from './webdav-server.ts';

const INVERSES = { DavIn: 'DavHas' } as const;
const link = linkBy(INVERSES);

/** Folders and files, with what is in the files. */
const SCHEMA: SchemaDocument = {
  nodes: [
    {
      type: 'DavFolder',
      key: 'Place',
      label: 'Name',
      fields: { Name: 'String', Path: 'String' },
    },
    {
      type: 'DavFile',
      key: 'Place',
      label: 'Name',
      fields: {
        Name: 'String',
        Path: 'String',
        Bytes: 'Int',
        Modified: 'Time',
        ContentType: 'String',
        Version: 'String',
      },
    },
  ],
  edges: edgesBothWays(INVERSES),
};

const ENTRIES_MAX = 200_000;
const DEPTH_MAX = 100;
/** Files whose nodes are committed together before their content is sent. */
const FILES_AT_ONCE = 200;
/** Of contents that wait to be sent: with more, they are sent first. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const UNUSED_RULES_TOLD = 20;
const VERSION_CHARACTERS = 20;

export const webdavKind: ConnectorKind<WebdavSource> = {
  async test(source, context) {
    const server = new DavServer(source, context);
    const [root, ...entries] = (await server.list(server.root)) ?? [];
    if (root !== undefined) await new DavAccess(source, server).readersOf(root);
    const folders = entries.filter(({ isFolder }) => isFolder).length;
    return `A folder with ${folders} folders and ${entries.length - folders} files right in it`;
  },
  async run(source, target, context) {
    const options = { ...target, name: `webdav ${source.url}`, schema: SCHEMA };
    return runConnector<never>(options, async (run) => {
      await new DavBringer(source, { run, target, context }).bring();
    });
  },
};

interface Bringing {
  readonly run: ConnectorRun<never>;
  readonly target: KindTarget;
  readonly context: SourceContext;
}

interface DavReaders {
  readonly audience: NodeAudience;
  /** As the source, or the settings, name them. */
  readonly readers: SourceReaders;
}

/** A file whose node is committed before its content is sent. */
interface WaitingFile {
  readonly entry: DavEntry;
  readonly version: string;
  /** Undefined when what the workspace has is as it is, and null when it is too large. */
  readonly content: Uint8Array<ArrayBuffer> | null | undefined;
}

class DavBringer {
  readonly #source: WebdavSource;
  readonly #parts: Bringing;
  readonly #server: DavServer;
  readonly #access: DavAccess;
  readonly #names: PrincipalNames;
  /** By which nodes of different servers are told apart. */
  readonly #place: string;
  /** Paths of folders that are in the workspace. */
  readonly #brought = new Set<string>();
  #waiting: WaitingFile[] = [];
  #waitingBytes = 0;
  #entries = 0;
  #hidden = 0;

  constructor(source: WebdavSource, parts: Bringing) {
    this.#source = source;
    this.#parts = parts;
    this.#server = new DavServer(source, parts.context);
    this.#access = new DavAccess(source, this.#server);
    this.#names = new PrincipalNames(parts.target.client);
    const base = folderAddress(source.url);
    this.#place = [base.host, ...segmentsOf(base.href)].join('/');
  }

  async bring(): Promise<void> {
    const { run, context } = this.#parts;
    const open: Pick<DavEntry, 'path' | 'address'>[] = [this.#server.root];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      context.signal?.throwIfAborted();
      const [folder, ...entries] = (await this.#server.list(next)) ?? [];
      if (folder === undefined) continue;
      this.#count(next.path, entries.length);
      await this.#folder(folder);
      for (const entry of entries) {
        if (entry.isFolder) open.push({ path: entry.path, address: entry.address });
        else await this.#file(entry);
      }
    }
    await this.#sendWaiting();
    for (const path of this.#access.unusedRules().slice(0, UNUSED_RULES_TOLD)) {
      context.log(`Warning: the rule for "${path}" leads to nothing that is there`);
    }
    if (this.#hidden > 0) context.log(`${this.#hidden} are left out, as nobody here may see them`);
    await run.removeUnseen();
  }

  #count(path: string, entries: number): void {
    this.#entries += entries;
    const isDeep = path.split('/').length > DEPTH_MAX;
    if (!isDeep && this.#entries <= ENTRIES_MAX) return;
    const message = isDeep
      ? `There are folders below more than ${DEPTH_MAX} others`
      : `There are over ${ENTRIES_MAX} folders and files`;
    throw new ConnectorError('source_failed', message);
  }

  /** Who may see it here; undefined for nobody, whom the graph has no restriction for. */
  async #readersOf(entry: DavEntry): Promise<DavReaders | undefined> {
    const readers = await this.#access.readersOf(entry);
    if (readers.isOpen === true) return { audience: 'everybody', readers };
    const { users, teams } = await knownReaders(readers, this.#names);
    if (users.length + teams.length > 0) return { audience: { users, teams }, readers };
    this.#hidden++;
    return undefined;
  }

  async #folder(entry: DavEntry): Promise<void> {
    const found = await this.#readersOf(entry);
    if (found === undefined) return;
    this.#brought.add(entry.path);
    const node = this.#nodeOf('DavFolder', entry.path);
    const fields = { Name: this.#nameOf(entry.path), Path: `/${entry.path}` };
    const operations: GraphOperation[] = [
      { op: 'addOrUpdate', ...node, fields },
      ...restrictTo(node, found.audience),
      ...this.#linkToFolder(node, entry.path),
    ];
    const { readers } = found;
    await this.#parts.run.row(`folder ${entry.path}`, operations, { node, readers });
  }

  /** Its content is asked for first: who is refused it brings no node of it either. */
  async #file(entry: DavEntry): Promise<void> {
    const { run, target } = this.#parts;
    const found = await this.#readersOf(entry);
    if (found === undefined) return;
    const told = this.#update(entry, entry.version);
    const isKnown = entry.version !== '' && run.isUnchanged(contentRow(entry.path), [told]);
    const isLarge = (entry.bytes ?? 0) > this.#source.fileBytesMax;
    const isRead = !isKnown && !isLarge && target.dryRun !== true;
    const content = isRead ? await this.#server.content(entry) : isLarge ? null : undefined;
    if (isRead && content === undefined) return;
    const version = entry.version || (content ? versionOf(content) : '');
    this.#waiting.push({ entry, version, content });
    this.#waitingBytes += content?.length ?? 0;
    const { path, bytes, modified, contentType } = entry;
    const node = this.#nodeOf('DavFile', path);
    const fields = {
      Name: this.#nameOf(path),
      Path: `/${path}`,
      ...(bytes === undefined ? {} : { Bytes: bytes }),
      ...(modified === undefined ? {} : { Modified: modified }),
      ContentType: contentType,
    };
    const operations: GraphOperation[] = [
      { op: 'addOrUpdate', ...node, fields },
      ...restrictTo(node, found.audience),
      ...this.#linkToFolder(node, path),
    ];
    await run.row(`file ${path}`, operations, { node, readers: found.readers });
    const isFull = this.#waiting.length >= FILES_AT_ONCE || this.#waitingBytes >= WAITING_BYTES_MAX;
    if (isFull) await this.#sendWaiting();
  }

  /**
   * The content of a file is a row of its own, which comes when the content is there: so an upload
   * that a crash cut off is done again.
   */
  async #sendWaiting(): Promise<void> {
    const { run, context, target } = this.#parts;
    await run.commit();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const { entry, version, content } of waiting) {
      const { path } = entry;
      const { type, key } = this.#nodeOf('DavFile', path);
      const update = this.#update(entry, content === null ? '' : version);
      const isSent = content !== undefined && content !== null && content.length > 0;
      if (isSent && !run.isUnchanged(contentRow(path), [update]) && target.dryRun !== true) {
        try {
          const file = new Blob([content]);
          await context.files.replace(nodeUid(type, key), this.#nameOf(path), file, context.signal);
        } catch (error) {
          if (refusalCode(error) === undefined || !(error instanceof Error)) throw error;
          context.log(`"${path}" comes without its content: ${error.message}`);
        }
      }
      await run.row(contentRow(path), [update]);
    }
  }

  #update({ path }: DavEntry, version: string): GraphOperation {
    return { op: 'update', ...this.#nodeOf('DavFile', path), fields: { Version: version } };
  }

  #linkToFolder(node: { readonly type: string; readonly key: string }, path: string) {
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const isThere = path !== '' && this.#brought.has(above);
    return isThere ? [link(node, 'DavIn', this.#nodeOf('DavFolder', above))] : [];
  }

  #nodeOf(type: 'DavFolder' | 'DavFile', path: string) {
    return { type, key: path === '' ? this.#place : `${this.#place}/${path}` };
  }

  #nameOf(path: string): string {
    const place = path === '' ? this.#place : path;
    return place.slice(place.lastIndexOf('/') + 1);
  }
}

/** Ids of rows: no path can be taken for another's content. */
function contentRow(path: string): string {
  return `content ${path}`;
}

function versionOf(content: Uint8Array): string {
  return hash('sha256', content).slice(0, VERSION_CHARACTERS);
}
