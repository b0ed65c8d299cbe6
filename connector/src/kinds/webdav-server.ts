import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import { ConnectorError } from '../connector-error.ts';
import type { TreeEntry } from './file-tree.ts';
import type { SourceContext } from './source-context.ts';
import {
  childOf,
  childrenOf,
  type DavElement,
  propertiesOf,
  responsesIn,
  textIn,
} from './webdav-xml.ts';

/** A folder or a file, as the server lists it. */
export interface DavEntry extends TreeEntry {
  /** Where it is asked for. */
  readonly address: string;
  readonly acl: DavElement | undefined;
  /** Address of the principal who owns it; empty where the server tells none. */
  readonly owner: string;
}

const PROPERTIES = `<resourcetype/><getetag/><getcontentlength/><getlastmodified/><getcontenttype/>`;
const OF_ACCESS = '<acl/><owner/>';
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
const FOLDER_ENTRIES_MAX = 50_000;
const TEXT_CHARACTERS_MAX = 500;

/** A server of WebDAV (RFC 4918), of which nothing is changed. */
export class DavServer {
  readonly #source: WebdavSource;
  readonly #context: SourceContext;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(source: WebdavSource, context: SourceContext) {
    this.#source = source;
    this.#context = context;
    this.#base = folderAddress(source.url);
    const { user } = source;
    const { secret } = context;
    const basic = Buffer.from(`${user}:${secret ?? ''}`).toString('base64');
    if (user !== null) this.#headers = { authorization: `Basic ${basic}` };
    else this.#headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  }

  get root(): Pick<DavEntry, 'path' | 'address'> {
    return { path: '', address: this.#base.href };
  }

  /**
   * A folder and then what is right in it. Undefined when it has gone, or may not be read, which
   * only the folder that is brought may not be.
   */
  async list(folder: Pick<DavEntry, 'path' | 'address'>): Promise<DavEntry[] | undefined> {
    const asked = this.#source.access === 'server' ? PROPERTIES + OF_ACCESS : PROPERTIES;
    const response = await this.#propfind(folder.address, '1', asked);
    const isRefused = [401, 403, 404, 410].includes(response.status);
    if (isRefused && folder.path !== '') {
      await response.body?.cancel();
      this.#context.log(`"${folder.path}" is left out: the server answers ${response.status}`);
      return undefined;
    }
    const above = segmentsOf(folder.address);
    const found = new Map<string, DavEntry>();
    for await (const element of responsesIn(this.#answer(response))) {
      const entry = entryOf(element, folder, above);
      if (entry !== undefined) found.set(entry.path, entry);
      if (found.size > FOLDER_ENTRIES_MAX) {
        const message = `"${folder.path}" has over ${FOLDER_ENTRIES_MAX} entries`;
        throw new ConnectorError('source_failed', message);
      }
    }
    const own = found.get(folder.path);
    if (own?.isFolder !== true) throw senseless(folder.path, 'does not tell of it as a folder');
    found.delete(folder.path);
    return [own, ...found.values()];
  }

  /** The properties of a principal; undefined when the server does not show them. */
  async principal(href: string): Promise<DavElement | undefined> {
    if (!URL.canParse(href, this.#base.href)) return undefined;
    const { pathname } = new URL(href, this.#base.href);
    const address = new URL(pathname, this.#base.origin).href;
    const asked = '<resourcetype/><displayname/><group-member-set/>';
    const response = await this.#propfind(address, '0', asked);
    if (response.status !== 207) {
      await response.body?.cancel();
      return undefined;
    }
    for await (const element of responsesIn(this.#answer(response))) return propertiesOf(element);
    return undefined;
  }

  /** Null when it is larger than the settings allow; undefined when it has gone or is refused. */
  async content({ address, path }: DavEntry): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
    const response = await this.#context.fetch(address, {
      headers: this.#headers,
      signal: this.#context.signal ?? null,
    });
    if ([401, 403, 404, 410].includes(response.status)) {
      await response.body?.cancel();
      this.#context.log(`"${path}" is left out: the server answers ${response.status}`);
      return undefined;
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#answer(response, 200)) {
      bytes += chunk.length;
      if (bytes > this.#source.fileBytesMax) return null;
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  #propfind(address: string, depth: '0' | '1', properties: string): Promise<Response> {
    return this.#context.fetch(address, {
      method: 'PROPFIND',
      headers: { ...this.#headers, depth, 'content-type': 'application/xml; charset=utf-8' },
      body: `<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>${properties}</prop></propfind>`,
      signal: this.#context.signal ?? null,
    });
  }

  async *#answer(response: Response, expected = 207): AsyncIterable<Uint8Array> {
    const { status, body } = response;
    if (status !== expected || body === null) {
      await body?.cancel();
      const said = status === 401 ? 'refuses user and password' : `answers ${status}`;
      throw new ConnectorError('source_failed', `The server ${said}`);
    }
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) {
        const message = `One answer of the server has over ${ANSWER_BYTES_MAX} bytes`;
        throw new ConnectorError('source_failed', message);
      }
      yield chunk;
    }
  }
}

/** Undefined for what is no resource, as one that the server could not read. Throws otherwise. */
function entryOf(
  response: DavElement,
  folder: Pick<DavEntry, 'path' | 'address'>,
  above: readonly string[],
): DavEntry | undefined {
  const href = textIn(response, 'href');
  if (!URL.canParse(href, folder.address)) throw senseless(folder.path, 'has no addresses');
  // Behind a proxy it may call itself by another name.
  const { pathname } = new URL(href, folder.address);
  const address = new URL(folder.address);
  address.pathname = pathname;
  const segments = segmentsOf(address.href);
  const isBelow = above.every((segment, i) => segments[i] === segment);
  if (!isBelow || segments.length > above.length + 1) {
    throw senseless(folder.path, 'lists what is not in it');
  }
  const properties = propertiesOf(response);
  if (properties === undefined) return undefined;
  const name = segments[above.length];
  const isFolder = childOf(childOf(properties, 'resourcetype'), 'collection') !== undefined;
  if (isFolder && !address.pathname.endsWith('/')) address.pathname += '/';
  const length = textIn(properties, 'getcontentlength');
  const changed = new Date(textIn(properties, 'getlastmodified'));
  const modified = changed.getTime() >= 0 ? changed.toISOString() : undefined;
  const etag = shown(textIn(properties, 'getetag'));
  return {
    path: name === undefined ? folder.path : pathIn(folder.path, name),
    isFolder,
    address: address.href,
    version: etag || (modified === undefined ? '' : `${modified} ${length}`),
    bytes: /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    modified,
    contentType: shown(textIn(properties, 'getcontenttype')),
    acl: childOf(properties, 'acl'),
    owner: textIn(childOf(properties, 'owner'), 'href'),
  };
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Names of a path, as people read them. */
export function segmentsOf(address: string): string[] {
  const { pathname } = new URL(address);
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(readable);
}

/** One that would be taken for something else when it is decoded stays as it is. */
function readable(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    // oxlint-disable-next-line no-control-regex -- names come from strangers
    return /[\u0000-\u001f\u007f/]/.test(text) ? segment : text;
  } catch {
    return segment;
  }
}

export function folderAddress(url: string): URL {
  const address = new URL(url);
  address.search = '';
  address.hash = '';
  if (!address.pathname.endsWith('/')) address.pathname += '/';
  return address;
}

function shown(text: string): string {
  return text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
}

function senseless(path: string, what: string): ConnectorError {
  const message = `What the server lists of "/${shown(path)}" ${what}`;
  return new ConnectorError('source_failed', message);
}

/** Names of those in a `group-member-set`; undefined of what is no group. */
export function isGroup(properties: DavElement): boolean {
  return childrenOf(childOf(properties, 'group-member-set'), 'href').length > 0;
}
