import type { ImapSource } from '@trellis/contract/shapes/connector.ts';
import type { ImapFlow } from 'imapflow';
import { encodePath } from 'imapflow/lib/tools.js';
import type { ConnectorClient } from '../connector-client.ts';
import { ConnectorError } from '../connector-error.ts';
import { PrincipalNames } from './principal-names.ts';
import {
  knownReaders,
  NO_READERS,
  type ReaderEntry,
  readersFrom,
  type SourceReaders,
} from './source-readers.ts';

/** UIDs of those in the workspace who may see what is in a folder. */
export interface FolderAudience {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

export interface FolderReaders {
  readonly audience: FolderAudience;
  /** As the source names them; its owner by the name that the workspace knows. */
  readonly readers: SourceReaders;
}

/** Everybody at the mail server, who need not be anybody here. */
const EVERYBODY: ReadonlySet<string> = new Set(['anyone', 'anonymous', 'authenticated']);
/** Without a standard: of Dovecot and of Cyrus. */
const GROUP = /^(?:\$|group:)(.+)$/;
const ENTRIES_MAX = 1_000;

/** What the type of the library leaves out: a command that it has no method for. */
interface CommandRunner {
  exec(
    command: string,
    attributes: readonly { readonly type: string; readonly value: string }[],
    options: { readonly untagged: Readonly<Record<string, (untagged: Untagged) => Promise<void>>> },
  ): Promise<{ next(): void }>;
}

interface Untagged {
  readonly attributes?: readonly ({ readonly value?: unknown } | null)[];
}

function runsCommands(mail: object): mail is CommandRunner {
  return 'exec' in mail && typeof mail.exec === 'function';
}

/**
 * Who may see the folders of a mailbox: its owner, and whom the access list of a folder lets read
 * it where the workspace knows them by the same name. Never anybody else.
 */
export class FolderAccess {
  readonly #names: PrincipalNames;
  readonly #log: (text: string) => void;
  readonly #owner: MailboxOwner;

  private constructor(names: PrincipalNames, log: (text: string) => void, owner: MailboxOwner) {
    this.#names = names;
    this.#log = log;
    this.#owner = owner;
  }

  /** Throws for an owner whom the workspace does not have: nobody would see the mailbox. */
  static async of(
    { user, owner }: ImapSource,
    client: Pick<ConnectorClient, 'access'>,
    log: (text: string) => void,
  ): Promise<FolderAccess> {
    const name = owner ?? user;
    const names = new PrincipalNames(client);
    await names.look({ users: [name] });
    const uid = names.user(name);
    if (uid !== null) return new FolderAccess(names, log, { login: user, name, uid });
    const message = `The workspace has no user "${name}", whose mailbox it is`;
    throw new ConnectorError('source_failed', message);
  }

  async readersOf(mail: ImapFlow, path: string): Promise<FolderReaders> {
    const found = await readersOf(mail, path);
    const { narrowedBy } = found;
    if (narrowedBy !== undefined) this.#log(`"${path}" is for its owner alone: ${narrowedBy}`);
    const readers = this.#withOwner(found);
    const others = readers.users.filter((name) => name !== this.#owner.name);
    const known = await knownReaders({ ...readers, users: others }, this.#names);
    if (known.unknown > 0) this.#log(`"${path}": ${known.unknown} of its readers are nobody here`);
    const users = [...new Set([this.#owner.uid, ...known.users])].toSorted();
    return { audience: { users, teams: known.teams }, readers };
  }

  #withOwner({ told, ...readers }: SourceReaders): SourceReaders {
    const { login, name } = this.#owner;
    const users = [...new Set([name, ...readers.users.filter((one) => one !== login)])];
    return { ...readers, users, ...(told === undefined ? {} : { told: this.#withOwner(told) }) };
  }
}

interface MailboxOwner {
  /** At the mail server. */
  readonly login: string;
  /** Name and UID here. */
  readonly name: string;
  readonly uid: string;
}

/**
 * A server without access lists, and one that does not show that of a folder, has told of nobody
 * but the owner.
 */
async function readersOf(mail: ImapFlow, path: string): Promise<SourceReaders> {
  if (!mail.capabilities.has('ACL') || !runsCommands(mail)) return NO_READERS;
  const texts: string[] = [];
  try {
    const folder = { type: 'ATOM', value: encodePath(mail, path) };
    const response = await mail.exec('GETACL', [folder], {
      untagged: {
        ACL: async ({ attributes = [] }) => {
          for (const one of attributes.slice(1)) texts.push(String(one?.value ?? ''));
        },
      },
    });
    response.next();
  } catch (error) {
    if (!mail.usable) throw error;
    return { ...NO_READERS, narrowedBy: 'the server does not show its access list' };
  }
  return readersIn(texts);
}

/** Of an access list: identifiers, and after each one its rights, of which `r` is to read. */
export function readersIn(texts: readonly string[]): SourceReaders {
  if (texts.length > 2 * ENTRIES_MAX) {
    return { ...NO_READERS, narrowedBy: `its access list has over ${ENTRIES_MAX} entries` };
  }
  const entries = texts.flatMap((text, i) => {
    const isName = i % 2 === 0 && texts[i + 1]?.includes('r') === true;
    return isName ? [entryOf(text)] : [];
  });
  // Whom they let in without an account, the workspace does not know: it is narrower.
  const known = readersFrom(entries.filter(({ is, isRefused }) => is !== 'everybody' || isRefused));
  if (!entries.some(({ is, isRefused }) => is === 'everybody' && !isRefused)) return known;
  return { ...known, told: { ...(known.told ?? known), isOpen: true } };
}

function entryOf(text: string): ReaderEntry {
  const isRefused = text.startsWith('-');
  const identifier = isRefused ? text.slice(1) : text;
  const group = GROUP.exec(identifier)?.[1];
  if (EVERYBODY.has(identifier)) return { is: 'everybody', name: '', isRefused };
  if (group !== undefined) return { is: 'group', name: group, isRefused };
  return { is: 'user', name: identifier, isRefused };
}
