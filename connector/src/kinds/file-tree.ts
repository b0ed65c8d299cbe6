import { nodeUid } from '@trellis/client/uid.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { hash } from 'node:crypto';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorRun } from '../connector-run.ts';
import { type NodeAudience, restrictTo } from '../restrict-to.ts';
import { type ConnectorReport, runConnector } from '../run-connector.ts';
import { refusalCode } from '../workspace-refusal.ts';
import { edgesBothWays, linkBy } from './linked-nodes.ts';
import { PrincipalNames } from './principal-names.ts';
import type { KindTarget, SourceContext } from './source-context.ts';
import { knownReaders, type SourceReaders } from './source-readers.ts';

/** A folder or a file, as its source lists it. */
export interface TreeEntry {
  /** Below the folder that is brought, with slashes; empty for that folder itself. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Another one after each change of a file; empty where the source tells none. */
  readonly version: string;
  /** Undefined where the source does not tell it, as are those below. */
  readonly bytes: number | undefined;
  readonly modified: string | undefined;
  readonly contentType: string | undefined;
}

/** Folders with files, of which nothing is changed. */
export interface FileTree<Place extends Pick<TreeEntry, 'path'>, Entry extends Place & TreeEntry> {
  readonly root: Place;
  /** All that is needed to list a folder later. */
  placeOf(entry: Entry): Place;
  /**
   * A folder and then what is right in it. Undefined when it has gone, or may not be read, which
   * only the folder that is brought may not be.
   */
  list(folder: Place): Promise<readonly Entry[] | undefined>;
  /** Null when it is larger than the settings allow; undefined when it has gone or is refused. */
  content(entry: Entry): Promise<Uint8Array<ArrayBuffer> | null | undefined>;
  readersOf(entry: Entry): Promise<SourceReaders>;
  /** Paths of rules that have led to nothing. */
  unusedRules(): readonly string[];
}

/** What its nodes are called. */
export interface TreeNames {
  readonly folder: string;
  readonly file: string;
  /** The edge to the folder that something is in, and the one that leads back. */
  readonly inside: string;
  readonly has: string;
}

/** What is brought, and how. */
export interface TreeSettings {
  /** Of the run. */
  readonly name: string;
  readonly names: TreeNames;
  /** By which nodes of different sources are told apart. */
  readonly place: string;
  /** Larger files are brought without their content. */
  readonly fileBytesMax: number;
}

const ENTRIES_MAX = 200_000;
const DEPTH_MAX = 100;
/** Files whose nodes are committed together before their content is sent. */
const FILES_AT_ONCE = 200;
/** Of contents that wait to be sent: with more, they are sent first. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const UNUSED_RULES_TOLD = 20;
const VERSION_CHARACTERS = 20;

interface TreeReaders {
  readonly audience: NodeAudience;
  /** As the source, or the settings, name them. */
  readonly readers: SourceReaders;
}

/** A file whose node is committed before its content is sent. */
interface WaitingFile {
  readonly entry: TreeEntry;
  readonly version: string;
  /** Undefined when what the workspace has is as it is, and null when it is too large. */
  readonly content: Uint8Array<ArrayBuffer> | null | undefined;
}

interface Bringing {
  readonly run: ConnectorRun<never>;
  readonly target: KindTarget;
  readonly context: SourceContext;
}

/** Brings folders and files, with what is in the files, each for those who may see it. */
export function bringTree<Place extends Pick<TreeEntry, 'path'>, Entry extends Place & TreeEntry>(
  tree: FileTree<Place, Entry>,
  settings: TreeSettings,
  target: KindTarget,
  context: SourceContext,
): Promise<ConnectorReport> {
  const options = { ...target, name: settings.name, schema: schemaOf(settings.names) };
  return runConnector<never>(options, async (run) => {
    await new TreeBringer(tree, settings, { run, target, context }).bring();
  });
}

class TreeBringer<Place extends Pick<TreeEntry, 'path'>, Entry extends Place & TreeEntry> {
  readonly #tree: FileTree<Place, Entry>;
  readonly #settings: TreeSettings;
  readonly #parts: Bringing;
  readonly #link;
  readonly #names: PrincipalNames;
  /** Paths of folders that are in the workspace. */
  readonly #brought = new Set<string>();
  #waiting: WaitingFile[] = [];
  #waitingBytes = 0;
  #entries = 0;
  #hidden = 0;

  constructor(tree: FileTree<Place, Entry>, settings: TreeSettings, parts: Bringing) {
    this.#tree = tree;
    this.#settings = settings;
    this.#parts = parts;
    this.#link = linkBy(inversesOf(settings.names));
    this.#names = new PrincipalNames(parts.target.client);
  }

  async bring(): Promise<void> {
    const { run, context } = this.#parts;
    const open: Place[] = [this.#tree.root];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      context.signal?.throwIfAborted();
      const [folder, ...entries] = (await this.#tree.list(next)) ?? [];
      if (folder === undefined) continue;
      this.#count(next.path, entries.length);
      await this.#folder(folder);
      for (const entry of entries) {
        if (entry.isFolder) open.push(this.#tree.placeOf(entry));
        else await this.#file(entry);
      }
    }
    await this.#sendWaiting();
    for (const path of this.#tree.unusedRules().slice(0, UNUSED_RULES_TOLD)) {
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
  async #readersOf(entry: Entry): Promise<TreeReaders | undefined> {
    const readers = await this.#tree.readersOf(entry);
    if (readers.isOpen === true) return { audience: 'everybody', readers };
    const { users, teams } = await knownReaders(readers, this.#names);
    if (users.length + teams.length > 0) return { audience: { users, teams }, readers };
    this.#hidden++;
    return undefined;
  }

  async #folder(entry: Entry): Promise<void> {
    const found = await this.#readersOf(entry);
    if (found === undefined) return;
    this.#brought.add(entry.path);
    const node = this.#nodeOf('folder', entry.path);
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
  async #file(entry: Entry): Promise<void> {
    const { run, target } = this.#parts;
    const found = await this.#readersOf(entry);
    if (found === undefined) return;
    const told = this.#update(entry, entry.version);
    const isKnown = entry.version !== '' && run.isUnchanged(contentRow(entry.path), [told]);
    const isLarge = (entry.bytes ?? 0) > this.#settings.fileBytesMax;
    const isRead = !isKnown && !isLarge && target.dryRun !== true;
    const content = isRead ? await this.#tree.content(entry) : isLarge ? null : undefined;
    if (isRead && content === undefined) return;
    const version = entry.version || (content ? versionOf(content) : '');
    this.#waiting.push({ entry, version, content });
    this.#waitingBytes += content?.length ?? 0;
    const { path, bytes, modified, contentType } = entry;
    const node = this.#nodeOf('file', path);
    const fields = {
      Name: this.#nameOf(path),
      Path: `/${path}`,
      ...(bytes === undefined ? {} : { Bytes: bytes }),
      ...(modified === undefined ? {} : { Modified: modified }),
      ...(contentType === undefined ? {} : { ContentType: contentType }),
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
      const { type, key } = this.#nodeOf('file', path);
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

  #update({ path }: TreeEntry, version: string): GraphOperation {
    return { op: 'update', ...this.#nodeOf('file', path), fields: { Version: version } };
  }

  #linkToFolder(node: { readonly type: string; readonly key: string }, path: string) {
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const isThere = path !== '' && this.#brought.has(above);
    return isThere
      ? [this.#link(node, this.#settings.names.inside, this.#nodeOf('folder', above))]
      : [];
  }

  #nodeOf(kind: 'folder' | 'file', path: string) {
    const { names, place } = this.#settings;
    return { type: names[kind], key: path === '' ? place : `${place}/${path}` };
  }

  #nameOf(path: string): string {
    const place = path === '' ? this.#settings.place : path;
    return place.slice(place.lastIndexOf('/') + 1);
  }
}

function inversesOf({ inside, has }: TreeNames): Readonly<Record<string, string>> {
  return { [inside]: has };
}

function schemaOf(names: TreeNames): SchemaDocument {
  const shared = { Name: 'String', Path: 'String' } as const;
  const ofFiles = { Bytes: 'Int', Modified: 'Time', ContentType: 'String' } as const;
  const fields = { ...shared, ...ofFiles, Version: 'String' } as const;
  return {
    nodes: [
      { type: names.folder, key: 'Place', label: 'Name', fields: shared },
      { type: names.file, key: 'Place', label: 'Name', fields },
    ],
    edges: edgesBothWays(inversesOf(names)),
  };
}

/** Ids of rows: no path can be taken for another's content. */
function contentRow(path: string): string {
  return `content ${path}`;
}

function versionOf(content: Uint8Array): string {
  return hash('sha256', content).slice(0, VERSION_CHARACTERS);
}
