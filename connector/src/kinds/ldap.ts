import type { LdapSource } from '@trellis/contract/shapes/connector.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Client, Entry } from 'ldapts';
import { createHash } from 'node:crypto';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorRun } from '../connector-run.ts';
import { type NodeReference, restrictTo } from '../restrict-to.ts';
import type { BroughtNode, RowAccess } from '../row-access.ts';
import { runConnector } from '../run-connector.ts';
import { comparedName, entriesOf, textOf, valuesOf, whileBound } from './ldap-directory.ts';
import { edgesBothWays, linkBy } from './linked-nodes.ts';
import { PrincipalNames } from './principal-names.ts';
import type { ConnectorKind, KindTarget, SourceContext } from './source-context.ts';
import { readersOfTeam } from './source-readers.ts';

const INVERSES = { LdapMemberOf: 'LdapHasMember' } as const;
const link = linkBy(INVERSES);

/** People and groups of a directory. */
const SCHEMA: SchemaDocument = {
  nodes: [
    {
      type: 'LdapPerson',
      key: 'Place',
      label: 'Name',
      fields: {
        Name: 'String',
        Dn: 'String',
        Login: 'String',
        Email: 'String',
        Title: 'String',
        Department: 'String',
        Phone: 'String',
      },
    },
    {
      type: 'LdapGroup',
      key: 'Place',
      label: 'Name',
      fields: { Name: 'String', Dn: 'String', Description: 'String' },
    },
  ],
  edges: edgesBothWays(INVERSES),
};

/** What of a person is brought: no password, nor what else a directory may have. */
const OF_PEOPLE = {
  Name: 'cn',
  Login: 'uid',
  Email: 'mail',
  Title: 'title',
  Department: 'departmentNumber',
  Phone: 'telephoneNumber',
} as const;
const OF_GROUPS = { Name: 'cn', Description: 'description' } as const;
/** Names of members, and, in groups of Unix, their logins. */
const MEMBERS = ['member', 'uniqueMember', 'memberUid'] as const;
const STAMP = ['entryUUID', 'modifyTimestamp'] as const;
/** Of OpenLDAP and of Active Directory: another one after each change. */
const VERSIONS = ['entryCSN', 'uSNChanged'] as const;
/** Times of changes are whole seconds, of another clock: there may be one more with the same. */
const SETTLED_AFTER_MS = 120_000;
const GROUP_MEMBERS_MAX = 100_000;
/** Members that one row brings: a row is one commit at most. */
const ROW_MEMBERS = 2_000;

interface Cursor {
  /** Of every entry with the time of its last change; null where the server tells none. */
  readonly stamps: string | null;
  readonly settings: string;
}

export const ldapKind: ConnectorKind<LdapSource> = {
  async test(source, context) {
    return whileBound(source, context, async (directory) => {
      const counts = [];
      for (const filter of filtersOf(source)) {
        let count = 0;
        for await (const _entry of entriesOf(directory, source, filter, ['1.1'])) count++;
        counts.push(count);
      }
      const [people = 0, groups = 0] = counts;
      return `A directory with ${people} people and ${groups} groups`;
    });
  },
  async run(source, target, context) {
    return whileBound(source, context, (directory) => {
      const options = { ...target, name: `ldap ${source.base} ${source.url}`, schema: SCHEMA };
      return runConnector<Cursor>(options, (run) =>
        new DirectoryBringer(source, { run, target, context, directory }).bring(),
      );
    });
  },
};

interface Bringing {
  readonly run: ConnectorRun<Cursor>;
  readonly target: KindTarget;
  readonly context: SourceContext;
  readonly directory: Client;
}

interface Person {
  readonly node: NodeReference;
  /** UID of the user here; undefined where there is none. */
  readonly user: string | undefined;
}

class DirectoryBringer {
  readonly #source: LdapSource;
  readonly #parts: Bringing;
  readonly #names: PrincipalNames;
  /** People and groups by their distinguished names, and people by their logins. */
  readonly #byName = new Map<string, Person>();
  readonly #byLogin = new Map<string, Person>();
  /** Of the team that alone may see it; undefined for everybody. */
  #team: string | undefined;

  constructor(source: LdapSource, parts: Bringing) {
    this.#source = source;
    this.#parts = parts;
    this.#names = new PrincipalNames(parts.target.client);
  }

  async bring(): Promise<void> {
    const { run, context } = this.#parts;
    const { team, login } = this.#source;
    const cursor = { stamps: await this.#stamps(), settings: JSON.stringify(this.#source) };
    const isSame =
      cursor.stamps !== null &&
      run.cursor?.stamps === cursor.stamps &&
      run.cursor.settings === cursor.settings;
    // Users and teams of the workspace come and go without a word to the directory.
    if (isSame && login === null && !context.isFull) return;
    if (team !== null) {
      await this.#names.look({ teams: [team] });
      this.#team = this.#names.requireTeam(team);
    }
    await this.#people();
    await this.#groups();
    await run.removeUnseen();
    await run.checkpoint(cursor);
  }

  /**
   * Null when an entry does not tell whether it has changed since: then everything is read again
   * the next time.
   */
  async #stamps(): Promise<string | null> {
    const { directory, context } = this.#parts;
    const settledBefore = context.nowMs() - SETTLED_AFTER_MS;
    const attributes = [...STAMP, ...VERSIONS];
    const digest = createHash('sha256');
    for (const filter of filtersOf(this.#source)) {
      const lines: string[] = [];
      for await (const entry of entriesOf(directory, this.#source, filter, attributes)) {
        const versions = VERSIONS.map((name) => textOf(entry, name));
        const changed = textOf(entry, 'modifyTimestamp');
        const isTold = versions.some((version) => version !== '');
        if (!isTold && !(timeIn(changed) < settledBefore)) return null;
        lines.push(JSON.stringify([entry.dn, textOf(entry, 'entryUUID'), changed, ...versions]));
      }
      // In whatever order the server tells them.
      digest.update(lines.toSorted().join('\n')).update('\n\n');
    }
    return digest.digest('hex');
  }

  async #people(): Promise<void> {
    const { run, directory } = this.#parts;
    const { people, login } = this.#source;
    const attributes = [...STAMP, ...Object.values(OF_PEOPLE), ...(login === null ? [] : [login])];
    const found: { readonly entry: Entry; readonly name: string }[] = [];
    for await (const entry of entriesOf(directory, this.#source, people, attributes)) {
      found.push({ entry, name: login === null ? '' : textOf(entry, login) });
    }
    await this.#names.look({ users: found.map(({ name }) => name).filter((name) => name !== '') });
    for (const { entry, name } of found) {
      const node = { type: 'LdapPerson', key: keyOf(entry) };
      const person = { node, user: this.#names.user(name) ?? undefined };
      this.#byName.set(comparedName(entry.dn), person);
      const uid = textOf(entry, 'uid');
      if (uid !== '') this.#byLogin.set(uid, person);
      const operations = this.#node(node, entry, OF_PEOPLE);
      await run.row(`person ${node.key}`, operations, this.#accessOf(node));
    }
  }

  async #groups(): Promise<void> {
    const { run, directory } = this.#parts;
    const { groups, login } = this.#source;
    if (groups === null) return;
    const attributes = [...STAMP, ...Object.values(OF_GROUPS), ...MEMBERS];
    const found: Entry[] = [];
    for await (const entry of entriesOf(directory, this.#source, groups, attributes)) {
      found.push(entry);
      const node = { type: 'LdapGroup', key: keyOf(entry) };
      this.#byName.set(comparedName(entry.dn), { node, user: undefined });
      await run.row(`group ${node.key}`, this.#node(node, entry, OF_GROUPS), this.#accessOf(node));
    }
    const names = new Map<string, number>();
    for (const entry of found) {
      const name = textOf(entry, 'cn').toLowerCase();
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    if (login !== null) await this.#names.look({ teams: found.map((one) => textOf(one, 'cn')) });
    for (const entry of found) {
      // Which of several groups with one name a team is, nobody has said.
      const isOne = names.get(textOf(entry, 'cn').toLowerCase()) === 1;
      await this.#members(entry, login !== null && isOne);
    }
  }

  async #members(entry: Entry, withTeam: boolean): Promise<void> {
    const { run, context } = this.#parts;
    const group = { type: 'LdapGroup', key: keyOf(entry) };
    const members = this.#membersOf(entry);
    if (members.length > GROUP_MEMBERS_MAX) {
      const message = `${entry.dn} has over ${GROUP_MEMBERS_MAX} members`;
      throw new ConnectorError('source_failed', message);
    }
    const name = textOf(entry, 'cn');
    const team = withTeam ? this.#names.team(name) : null;
    if (withTeam && team === null) context.log(`There is no team "${name}": it makes no members`);
    for (let at = 0; at < members.length; at += ROW_MEMBERS) {
      const operations = members.slice(at, at + ROW_MEMBERS).flatMap(({ node, user }) => {
        const member = link(node, 'LdapMemberOf', group);
        if (team === null || user === undefined) return [member];
        const join: GraphOperation = { op: 'addToTeam', team: { uid: team }, user: { uid: user } };
        return [member, join];
      });
      await run.row(`members ${group.key} ${at / ROW_MEMBERS}`, operations);
    }
  }

  /** Those that are brought themselves, each once, in an order of their own. */
  #membersOf(entry: Entry): Person[] {
    const [member, uniqueMember, memberUid] = MEMBERS;
    const named = [...valuesOf(entry, member), ...valuesOf(entry, uniqueMember)];
    const found = [
      ...named.map((dn) => this.#byName.get(comparedName(dn))),
      ...valuesOf(entry, memberUid).map((login) => this.#byLogin.get(login)),
    ].filter((one) => one !== undefined);
    const byKey = (one: Person): string => JSON.stringify(one.node);
    return [...new Set(found)].toSorted((a, b) => (byKey(a) < byKey(b) ? -1 : 1));
  }

  /** A directory tells only what its own account may read: the settings say who else may. */
  #accessOf(node: BroughtNode): RowAccess {
    return { node, readers: readersOfTeam(this.#source.team) };
  }

  #node(
    node: { readonly type: string; readonly key: string },
    entry: Entry,
    attributes: Readonly<Record<string, string>>,
  ): GraphOperation[] {
    const values = Object.entries(attributes).map(([field, name]) => [field, textOf(entry, name)]);
    const fields = { ...Object.fromEntries(values), Dn: entry.dn };
    const audience = this.#team === undefined ? 'everybody' : { teams: [this.#team] };
    return [{ op: 'addOrUpdate', ...node, fields }, ...restrictTo(node, audience)];
  }
}

function filtersOf({ people, groups }: LdapSource): readonly string[] {
  return groups === null ? [people] : [people, groups];
}

/** NaN for what is no time; as `20261129011900Z` (RFC 4517). */
function timeIn(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(text);
  if (parts === null) return Number.NaN;
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** What stays the same of an entry that is moved or renamed, where the server tells it. */
function keyOf(entry: Entry): string {
  return textOf(entry, 'entryUUID') || comparedName(entry.dn);
}
