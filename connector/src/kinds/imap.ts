import { nodeUid } from '@trellis/client/uid.ts';
import type { ImapSource } from '@trellis/contract/shapes/connector.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ImapFlow, ListResponse } from 'imapflow';
import { hash } from 'node:crypto';
import { ConnectorError } from '../connector-error.ts';
import type { ConnectorRun } from '../connector-run.ts';
import { restrictTo } from '../restrict-to.ts';
import { runConnector } from '../run-connector.ts';
import { refusalCode } from '../workspace-refusal.ts';
import { FolderAccess, type FolderReaders } from './imap-access.ts';
import { foldersOf, messagesOf, whileConnected } from './imap-mailbox.ts';
import { edgesBothWays, linkBy } from './linked-nodes.ts';
import { type MailAttachment, readMail } from './mail-text.ts';
import type { ConnectorKind, KindTarget, SourceContext } from './source-context.ts';
import { readRanges, writeRanges } from './uid-ranges.ts';

const INVERSES = { MailIn: 'MailHas', MailPartOf: 'MailHasPart' } as const;
const link = linkBy(INVERSES);

/** A mailbox: folders, threads, and messages with their attachments as files. */
const SCHEMA: SchemaDocument = {
  nodes: [
    { type: 'MailFolder', key: 'Place', label: 'Path', fields: { Path: 'String' } },
    { type: 'MailThread', key: 'Place', label: 'Subject', fields: { Subject: 'String' } },
    {
      type: 'MailMessage',
      key: 'Place',
      label: 'Subject',
      fields: {
        Subject: 'String',
        From: 'String',
        To: 'String',
        Cc: 'String',
        Text: 'String',
        MessageId: 'String',
        Bytes: 'Int',
        Attachments: 'Int',
        Time: 'Time',
      },
    },
  ],
  edges: edgesBothWays(INVERSES),
};

/** What was brought of one folder: numbers of messages, as ranges. */
interface KnownFolder {
  /** With another one, the numbers of messages are those of others (RFC 3501). */
  readonly uidValidity: string;
  readonly uids: string;
  /** Those that may have been brought, and have to be brought again. */
  readonly pending: string;
  /** Who may see it: each message says so with all else that it says. */
  readonly audience: string;
}

interface Cursor {
  readonly folders: Readonly<Record<string, KnownFolder>>;
  readonly settings: string;
}

type Run = ConnectorRun<Cursor>;

const MESSAGES_MAX = 250_000;
/** Messages whose nodes are committed together before their attachments are sent. */
const MESSAGES_AT_ONCE = 50;
/** Of attachments that wait to be sent: with more, they are sent first. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Of all messages that one run reads. */
const RUN_BYTES_MAX = 4 * 1024 * 1024 * 1024;
const HASH_CHARACTERS = 20;

export const imapKind: ConnectorKind<ImapSource> = {
  async test(source, context) {
    return whileConnected(source, context, async (mail) => {
      const folders = await foldersOf(mail, source);
      const withAccess = mail.capabilities.has('ACL') ? 'with' : 'without';
      return `A mailbox with ${folders.length} folders, ${withAccess} access lists`;
    });
  },
  async run(source, target, context) {
    const access = await FolderAccess.of(source, target.client, context.log);
    return whileConnected(source, context, (mail) => {
      const options = { ...target, name: `imap ${source.user} ${source.url}`, schema: SCHEMA };
      return runConnector<Cursor>(options, (run) =>
        new MailboxBringer(source, { run, target, context, access, mail }).bring(),
      );
    });
  },
};

interface Bringing {
  readonly run: Run;
  readonly target: KindTarget;
  readonly context: SourceContext;
  readonly access: FolderAccess;
  readonly mail: ImapFlow;
}

/** What is the same for all messages of a folder. */
interface OpenFolder extends FolderReaders {
  readonly path: string;
  readonly uidValidity: string;
  /** Tells threads of folders apart that others may see. */
  readonly audienceHash: string;
}

interface WaitingFiles {
  /** Of the message. */
  readonly id: string;
  readonly attachments: readonly MailAttachment[];
}

interface Opened {
  readonly folder: OpenFolder;
  readonly uids: ReadonlySet<number>;
}

class MailboxBringer {
  readonly #source: ImapSource;
  readonly #parts: Bringing;
  /** By which nodes of different mailboxes are told apart. */
  readonly #place: string;
  /** What of the settings decides about what a message becomes. */
  readonly #settings: string;
  #known: Record<string, KnownFolder> = {};
  #bytesLeft = RUN_BYTES_MAX;

  constructor(source: ImapSource, parts: Bringing) {
    this.#source = source;
    this.#parts = parts;
    const { host } = new URL(source.url);
    this.#place = `${encodeURIComponent(source.user.toWellFormed())}@${host}`;
    this.#settings = JSON.stringify([source.owner, source.fileBytesMax]);
  }

  async bring(): Promise<void> {
    const { run, context, mail } = this.#parts;
    const { cursor } = run;
    const isSame = cursor?.settings === this.#settings && !context.isFull;
    if (isSame) this.#known = { ...cursor.folders };
    // A whole reading again forgets nothing of the last one before it has ended.
    const keepsOn = isSame || (cursor === undefined && !context.isFull);
    const opened: Opened[] = [];
    let messages = 0;
    for (const folder of await foldersOf(mail, this.#source)) {
      const one = await this.#open(folder);
      messages += one.uids.size;
      if (messages > MESSAGES_MAX) throw tooMany();
      opened.push(one);
    }
    await this.#removeGone(opened);
    for (const one of opened) await this.#bringFolder(one, keepsOn);
    if (!isSame) await run.removeUnseen();
    await this.#keep();
  }

  async #open({ path }: ListResponse): Promise<Opened> {
    const { access, mail } = this.#parts;
    const readers = await access.readersOf(mail, path);
    const { uidValidity } = await mail.mailboxOpen(path, { readOnly: true });
    const found = await mail.search({ all: true }, { uid: true });
    // Without an answer nothing is known of what is there.
    if (found === false) throw notSearched(path);
    const uids = new Set(found);
    const audienceHash = hashOf(JSON.stringify(readers.audience));
    return { folder: { path, uidValidity: String(uidValidity), ...readers, audienceHash }, uids };
  }

  /** Takes back what was brought of messages and folders that are not there any more. */
  async #removeGone(opened: readonly Opened[]): Promise<void> {
    const { run } = this.#parts;
    const now = new Map(opened.map((one) => [one.folder.path, one]));
    const gone: string[] = [];
    let [missing, count] = [0, 0];
    for (const [path, { uidValidity, uids, pending }] of Object.entries(this.#known)) {
      const there = now.get(path);
      const isRenumbered = there !== undefined && there.folder.uidValidity !== uidValidity;
      const known = readRanges(uids).union(readRanges(pending));
      const left = isRenumbered || there === undefined ? new Set<number>() : there.uids;
      for (const uid of known.difference(left)) {
        gone.push(...rowsOf(messageIn({ path, uidValidity }, uid)));
        // The messages of a folder that was numbered again are as many as before.
        if (!isRenumbered) missing++;
      }
      count += known.size;
      if (there === undefined) gone.push(folderRow(path));
      if (there === undefined || isRenumbered) delete this.#known[path];
    }
    run.checkRemovals(missing, count);
    for (const row of gone) await run.remove(row);
  }

  async #bringFolder({ folder, uids }: Opened, keepsOn: boolean): Promise<void> {
    const { run, mail } = this.#parts;
    const { path, uidValidity, audienceHash: audience } = folder;
    const node = this.#folderOf(path);
    const { audience: readable, readers } = folder;
    await run.row(
      folderRow(path),
      [{ op: 'addOrUpdate', ...node, fields: { Path: path } }, ...restrictTo(node, readable)],
      { node, readers },
    );
    const former = this.#known[path];
    const known = readRanges(former?.uids ?? '');
    const before = known.union(readRanges(former?.pending ?? '')).intersection(uids);
    const brought = former?.audience === audience ? known.intersection(uids) : new Set<number>();
    const fresh = [...uids.difference(brought)].toSorted((a, b) => a - b);
    if (fresh.length > 0) await mail.mailboxOpen(path, { readOnly: true });
    for (let at = 0; at < fresh.length; at += MESSAGES_AT_ONCE) {
      const some = fresh.slice(at, at + MESSAGES_AT_ONCE);
      // What is under way when the run is cut off may vanish before the next one.
      const pending = writeRanges(before.union(new Set(some)).difference(brought));
      this.#known[path] = { uidValidity, uids: writeRanges(brought), pending, audience };
      if (keepsOn) await this.#keep();
      for (const uid of await this.#bringMessages(folder, some)) brought.add(uid);
    }
    // What the server lists and does not send is asked for again.
    const pending = writeRanges(before.difference(brought));
    this.#known[path] = { uidValidity, uids: writeRanges(brought), pending, audience };
  }

  /** Resolves with the numbers of those that came. */
  async #bringMessages(folder: OpenFolder, uids: readonly number[]): Promise<readonly number[]> {
    const { run, mail } = this.#parts;
    const came: number[] = [];
    const waiting: WaitingFiles[] = [];
    let bytes = 0;
    for await (const message of messagesOf(mail, uids, this.#source.fileBytesMax)) {
      this.#count(message.source?.length ?? 0);
      const id = messageIn(folder, message.uid);
      const { fields, attachments, root, subject } = await readMail(message, id);
      const node = this.#messageOf(id);
      const thread = {
        type: 'MailThread',
        key: `${this.#place}/${folder.audienceHash}/${hashOf(root)}`,
      };
      const { audience } = folder;
      const operations: GraphOperation[] = [
        { op: 'addOrUpdate', ...thread, fields: { Subject: subject } },
        ...restrictTo(thread, audience),
        { op: 'addOrUpdate', ...node, fields },
        ...restrictTo(node, audience),
        link(node, 'MailIn', this.#folderOf(folder.path)),
        link(node, 'MailPartOf', thread),
      ];
      await run.row(rowsOf(id)[0], operations, { node, sameAs: folderRow(folder.path) });
      came.push(message.uid);
      waiting.push({ id, attachments });
      bytes += attachments.reduce((sum, { content }) => sum + content.length, 0);
      if (bytes < WAITING_BYTES_MAX) continue;
      await this.#bringFiles(waiting.splice(0));
      bytes = 0;
    }
    await this.#bringFiles(waiting);
    return came;
  }

  /** Once the messages that have them are there. */
  async #bringFiles(waiting: readonly WaitingFiles[]): Promise<void> {
    await this.#parts.run.commit();
    for (const { id, attachments } of waiting) await this.#bringAttachments(id, attachments);
  }

  /**
   * Attachments are a row of their own, which comes when they are there: so an upload that a crash
   * cut off is done again.
   */
  async #bringAttachments(id: string, attachments: readonly MailAttachment[]): Promise<void> {
    const { run, target, context } = this.#parts;
    const { type, key } = this.#messageOf(id);
    const fields = { Attachments: attachments.length };
    const update: GraphOperation = { op: 'update', type, key, fields };
    const row = rowsOf(id)[1];
    if (!run.isUnchanged(row, [update]) && target.dryRun !== true) {
      for (const { name, content } of attachments) {
        try {
          const file = new Blob([content]);
          await context.files.replace(nodeUid(type, key), name, file, context.signal);
        } catch (error) {
          if (refusalCode(error) === undefined || !(error instanceof Error)) throw error;
          context.log(`${id} comes without "${name}": ${error.message}`);
        }
      }
    }
    await run.row(row, [update]);
  }

  async #keep(): Promise<void> {
    await this.#parts.run.checkpoint({ folders: { ...this.#known }, settings: this.#settings });
  }

  #count(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft >= 0) return;
    // What was brought is kept: the next run goes on from there.
    const message = `The mailbox sends more than ${RUN_BYTES_MAX} bytes in one run`;
    throw new ConnectorError('source_failed', message);
  }

  #folderOf(path: string) {
    return { type: 'MailFolder', key: `${this.#place}/${path}` };
  }

  #messageOf(id: string) {
    return { type: 'MailMessage', key: `${this.#place}/${id}` };
  }
}

/** As an address of IMAP names a message (RFC 5092). */
function messageIn(
  { path, uidValidity }: Pick<OpenFolder, 'path' | 'uidValidity'>,
  uid: number,
): string {
  return `${path};UIDVALIDITY=${uidValidity}/;UID=${uid}`;
}

/** The row of a message, and that of its attachments. */
function rowsOf(id: string): [message: string, attachments: string] {
  return [`message ${id}`, `attachments ${id}`];
}

function folderRow(path: string): string {
  return `folder ${path}`;
}

function tooMany(): ConnectorError {
  const message = `There are over ${MESSAGES_MAX} messages: bring a folder of them`;
  return new ConnectorError('source_failed', message);
}

function notSearched(path: string): ConnectorError {
  const message = `The mail server does not say what is in "${path}"`;
  return new ConnectorError('source_failed', message);
}

function hashOf(text: string): string {
  return hash('sha256', text).slice(0, HASH_CHARACTERS);
}
