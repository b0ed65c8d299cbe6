import type { ImapSource } from '@trellis/contract/shapes/connector.ts';
import type { ImapFlow } from 'imapflow';
import { encodePath } from 'imapflow/lib/tools.js';
import type { ConnectorClient } from '../connector-client.ts';
import { ConnectorError } from '../connector-error.ts';

/** Who may read a folder beside its owner, as the mail server names them (RFC 4314). */
interface FolderReaders {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** Why the folder is for its owner alone, though the server may let others read it. */
  readonly narrowedBy?: string;
}

/** UIDs of those in the workspace who may see what is in a folder. */
export interface FolderAudience {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

const NOBODY_ELSE: FolderReaders = { users: [], groups: [] };
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
  readonly #client: Pick<ConnectorClient, 'access'>;
  readonly #log: (text: string) => void;
  readonly #owner: string;
  readonly #ownerUid: string;
  readonly #users = new Map<string, string | null>();
  readonly #teams = new Map<string, string | null>();

  private constructor(
    client: Pick<ConnectorClient, 'access'>,
    log: (text: string) => void,
    owner: { readonly name: string; readonly uid: string },
  ) {
    this.#client = client;
    this.#log = log;
    this.#owner = owner.name;
    this.#ownerUid = owner.uid;
  }

  /** Throws for an owner whom the workspace does not have: nobody would see the mailbox. */
  static async of(
    { user, owner }: ImapSource,
    client: Pick<ConnectorClient, 'access'>,
    log: (text: string) => void,
  ): Promise<FolderAccess> {
    const name = owner ?? user;
    const { users } = await client.access.resolvePrincipals({ users: [name] });
    const uid = users[name] ?? null;
    if (uid !== null) return new FolderAccess(client, log, { name: user, uid });
    const message = `The workspace has no user "${name}", whose mailbox it is`;
    throw new ConnectorError('source_failed', message);
  }

  async audienceOf(mail: ImapFlow, path: string): Promise<FolderAudience> {
    const { users, groups, narrowedBy } = await readersOf(mail, path);
    if (narrowedBy !== undefined) this.#log(`"${path}" is for its owner alone: ${narrowedBy}`);
    const others = users.filter((name) => name !== this.#owner);
    await this.#look(others, groups);
    const [known, teams] = [uidsOf(others, this.#users), uidsOf(groups, this.#teams)];
    const unknown = others.length + groups.length - known.length - teams.length;
    if (unknown > 0) this.#log(`"${path}": ${unknown} of its readers are nobody here`);
    return {
      users: [...new Set([this.#ownerUid, ...known])].toSorted(),
      teams: [...new Set(teams)].toSorted(),
    };
  }

  async #look(users: readonly string[], teams: readonly string[]): Promise<void> {
    const ask = {
      users: users.filter((name) => !this.#users.has(name)),
      teams: teams.filter((name) => !this.#teams.has(name)),
    };
    for (let at = 0; at < Math.max(ask.users.length, ask.teams.length); at += NAMES_AT_ONCE) {
      const some = {
        users: ask.users.slice(at, at + NAMES_AT_ONCE),
        teams: ask.teams.slice(at, at + NAMES_AT_ONCE),
      };
      const found = await this.#client.access.resolvePrincipals(some);
      for (const name of some.users) this.#users.set(name, found.users[name] ?? null);
      for (const name of some.teams) this.#teams.set(name, found.teams[name] ?? null);
    }
  }
}

/** Names that are asked for in one request. */
const NAMES_AT_ONCE = 100;

function uidsOf(names: readonly string[], known: ReadonlyMap<string, string | null>): string[] {
  return names.map((name) => known.get(name) ?? null).filter((uid) => uid !== null);
}

/**
 * A server without access lists, and one that does not show that of a folder, has told of nobody
 * but the owner.
 */
async function readersOf(mail: ImapFlow, path: string): Promise<FolderReaders> {
  if (!mail.capabilities.has('ACL') || !runsCommands(mail)) return NOBODY_ELSE;
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
    return { ...NOBODY_ELSE, narrowedBy: 'the server does not show its access list' };
  }
  return readersIn(texts);
}

/** Of an access list: identifiers, and after each one its rights, of which `r` is to read. */
export function readersIn(texts: readonly string[]): FolderReaders {
  if (texts.length > 2 * ENTRIES_MAX) {
    return { ...NOBODY_ELSE, narrowedBy: `its access list has over ${ENTRIES_MAX} entries` };
  }
  const users = new Set<string>();
  const groups = new Set<string>();
  const refused = new Set<string>();
  let narrowedBy: string | undefined;
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const [name, rights] = [texts[i]!, texts[i + 1]!];
    if (!rights.includes('r')) continue;
    const isRefused = name.startsWith('-');
    const identifier = isRefused ? name.slice(1) : name;
    const group = GROUP.exec(identifier)?.[1];
    if (isRefused && (group !== undefined || EVERYBODY.has(identifier))) {
      // Who is in it is not known here.
      narrowedBy = 'its access list takes the right to read from a group';
    } else if (isRefused) {
      refused.add(identifier);
    } else if (EVERYBODY.has(identifier)) {
      continue;
    } else if (group !== undefined) {
      groups.add(group);
    } else {
      users.add(identifier);
    }
  }
  // A member of a group whom the list names is refused, and a team cannot leave somebody out.
  if (refused.size > 0 && groups.size > 0) {
    narrowedBy ??= 'its access list lets a group read it, but for some users';
  }
  if (narrowedBy !== undefined) return { ...NOBODY_ELSE, narrowedBy };
  return { users: [...users.difference(refused)], groups: [...groups] };
}
