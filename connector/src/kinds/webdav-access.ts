import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import { ConnectorError } from '../connector-error.ts';
import { PathRules } from './path-rules.ts';
import {
  NO_READERS,
  OPEN,
  type ReaderEntry,
  readersFrom,
  type SourceReaders,
} from './source-readers.ts';
import { type DavEntry, type DavServer, isGroup, segmentsOf } from './webdav-server.ts';
import { childOf, childrenOf, type DavElement, textIn } from './webdav-xml.ts';

const PRINCIPALS_MAX = 5_000;
/** As servers name the folder of their groups. */
const GROUPS_FOLDER = /\/groups?\//i;

interface Principal {
  readonly is: 'user' | 'group';
  readonly name: string;
}

/** Who may see what is on a server, as the settings tell it to be found out. */
export class DavAccess {
  readonly #source: WebdavSource;
  readonly #server: DavServer;
  /** By their addresses; undefined for those whom the server does not show. */
  readonly #principals = new Map<string, Principal | undefined>();
  readonly #rules: PathRules;

  constructor(source: WebdavSource, server: DavServer) {
    this.#source = source;
    this.#server = server;
    this.#rules = new PathRules(source.access === 'rules' ? source.rules : []);
  }

  /** Paths of rules that have led to nothing so far: somebody may have written them wrong. */
  unusedRules(): string[] {
    return this.#rules.unused();
  }

  async readersOf(entry: DavEntry): Promise<SourceReaders> {
    switch (this.#source.access) {
      case 'everybody':
        return OPEN;
      case 'rules':
        return this.#rules.readersOf(entry.path);
      case 'server':
        return this.#listed(entry);
    }
  }

  /** By the access list of the server (RFC 3744). */
  async #listed({ acl, owner, path }: DavEntry): Promise<SourceReaders> {
    if (acl === undefined && path === '') {
      const message = 'The server has no access lists: give rules for its folders instead';
      throw new ConnectorError('source_failed', message);
    }
    if (acl === undefined) {
      return { ...NO_READERS, narrowedBy: 'the server does not show its access list' };
    }
    const entries: ReaderEntry[] = [];
    for (const ace of childrenOf(acl, 'ace')) {
      const isRefused = isAboutReading(childOf(ace, 'deny'));
      if (!isRefused && !isAboutReading(childOf(ace, 'grant'))) continue;
      const named = await this.#named(ace, owner);
      if (named !== undefined) entries.push({ ...named, isRefused });
      // Whom it refuses is not known.
      else if (isRefused) entries.push({ is: 'everybody', name: '', isRefused });
    }
    return readersFrom(entries);
  }

  /** Undefined for whom the workspace cannot know. */
  async #named(
    ace: DavElement,
    owner: string,
  ): Promise<Omit<ReaderEntry, 'isRefused'> | undefined> {
    const principal = childOf(ace, 'principal');
    if (principal === undefined) return undefined;
    if (childOf(principal, 'all') !== undefined) return { is: 'everybody', name: '' };
    const ofOwner = childOf(childOf(principal, 'property'), 'owner') !== undefined;
    const href = ofOwner ? owner : textIn(principal, 'href');
    return href === '' ? undefined : this.#principal(href);
  }

  async #principal(href: string): Promise<Principal | undefined> {
    if (!this.#principals.has(href)) {
      if (this.#principals.size >= PRINCIPALS_MAX) {
        const message = `The access lists name over ${PRINCIPALS_MAX} users and groups`;
        throw new ConnectorError('source_failed', message);
      }
      const properties = await this.#server.principal(href);
      const found = properties === undefined ? undefined : principalOf(href, properties);
      this.#principals.set(href, found);
    }
    return this.#principals.get(href);
  }
}

function isAboutReading(given: DavElement | undefined): boolean {
  const privileges = childrenOf(given, 'privilege').flatMap(({ children }) => children);
  return privileges.some(({ name }) => name === 'read' || name === 'all');
}

function principalOf(href: string, properties: DavElement): Principal | undefined {
  const isPrincipal = childOf(childOf(properties, 'resourcetype'), 'principal') !== undefined;
  const name = segmentsOf(new URL(href, 'http://server').href).at(-1);
  if (name === undefined || !isPrincipal) return undefined;
  const is = isGroup(properties) || GROUPS_FOLDER.test(href) ? 'group' : 'user';
  return { is, name };
}
