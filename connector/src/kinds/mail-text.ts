import type { FetchMessageObject } from 'imapflow';
import PostalMime, { type Address, type Email } from 'postal-mime';

/** What becomes of a message. */
export interface MailText {
  readonly fields: Readonly<Record<string, string | number>>;
  readonly attachments: readonly MailAttachment[];
  /** Of the message that began the thread. */
  readonly root: string;
  readonly subject: string;
}

export interface MailAttachment {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const TEXT_CHARACTERS_MAX = 200_000;
const FIELD_CHARACTERS_MAX = 2_000;
const NAME_CHARACTERS_MAX = 200;
const ATTACHMENTS_MAX = 50;
const NESTING_MAX = 50;
const MAILS_IN_MAILS_MAX = 5;

/**
 * Reads a message that strangers have written: what makes no sense in it is left out. `own` names
 * the message where it has no id.
 */
export async function readMail(message: FetchMessageObject, own: string): Promise<MailText> {
  const { envelope = {}, source, size = 0, internalDate } = message;
  const mail = source === undefined ? undefined : await parsed(source);
  const subject = line(mail?.subject ?? envelope.subject);
  const messageId = idIn(mail?.messageId ?? envelope.messageId);
  const before = idsIn(`${mail?.references ?? ''} ${mail?.inReplyTo ?? envelope.inReplyTo ?? ''}`);
  const time = timeOf(envelope.date) ?? timeOf(internalDate);
  const fields = {
    Subject: subject,
    From: addresses(mail?.from === undefined ? undefined : [mail.from]) || listed(envelope.from),
    To: addresses(mail?.to) || listed(envelope.to),
    Cc: addresses(mail?.cc) || listed(envelope.cc),
    Text: (mail?.text ?? '').slice(0, TEXT_CHARACTERS_MAX).toWellFormed(),
    MessageId: messageId ?? '',
    Bytes: size,
    ...(time === undefined ? {} : { Time: time }),
  };
  const root = before[0] ?? messageId ?? own;
  return { fields, attachments: attachmentsOf(mail), root, subject: subject.replace(REPLY, '') };
}

/** How programs begin the subject of an answer, in the languages that most are written in. */
const REPLY = /^(?:(?:re|aw|sv|fwd?|wg|tr|r|rv)(?:\[\d+\])?:\s*)+/i;

/** Undefined for what is built to keep a reader busy. */
async function parsed(source: Uint8Array): Promise<Email | undefined> {
  try {
    return await PostalMime.parse(source, {
      maxNestingDepth: NESTING_MAX,
      maxRfc822NestingDepth: MAILS_IN_MAILS_MAX,
      attachmentEncoding: 'arraybuffer',
    });
  } catch {
    return undefined;
  }
}

/** Each with a name of its own, as files of one node replace those with the same name. */
function attachmentsOf(mail: Email | undefined): MailAttachment[] {
  const names = new Set<string>();
  const found: MailAttachment[] = [];
  for (const { filename, mimeType, content, related } of mail?.attachments ?? []) {
    if (found.length === ATTACHMENTS_MAX) break;
    const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
    // Pictures of the text itself, such as those of a signature.
    if (bytes.length === 0 || related === true) continue;
    const given = fileName(filename ?? '') || `attachment.${mimeType.split('/')[1] ?? 'bin'}`;
    let name = given;
    for (let i = 2; names.has(name); i++) name = numbered(given, i);
    names.add(name);
    found.push({ name, content: new Uint8Array(bytes) });
  }
  return found;
}

function fileName(text: string): string {
  // oxlint-disable-next-line no-control-regex -- names come from strangers
  const name = line(text).replaceAll(/[\u0000-\u001f\u007f/\\]/g, '_');
  return name.slice(-NAME_CHARACTERS_MAX).toWellFormed();
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
}

function addresses(given: readonly Address[] | undefined): string {
  const flat = (given ?? []).flatMap((one) => one.group ?? [one]);
  return listed(flat);
}

function listed(
  given: readonly {
    readonly name?: string | undefined;
    readonly address?: string | undefined;
  }[] = [],
): string {
  const texts = given.map(({ name = '', address = '' }) =>
    name === '' || name === address ? address : `${name} <${address}>`,
  );
  return line(texts.filter((text) => text !== '').join(', '));
}

function line(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, FIELD_CHARACTERS_MAX).toWellFormed();
}

function idIn(text: string | undefined): string | undefined {
  return idsIn(text ?? '')[0];
}

/** Ids of messages, the oldest first. */
function idsIn(text: string): string[] {
  return [...text.slice(0, IDS_CHARACTERS_MAX).matchAll(/<([^<>\s]{1,300})>/g)].map(([, id = '']) =>
    id.toWellFormed(),
  );
}

const IDS_CHARACTERS_MAX = 50_000;

function timeOf(given: Date | string | undefined): string | undefined {
  const time = new Date(given ?? Number.NaN);
  const isTime = time.getTime() >= 0 && time.getUTCFullYear() < 10_000;
  return isTime ? time.toISOString() : undefined;
}
