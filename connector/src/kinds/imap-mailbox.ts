import type { ImapSource } from '@trellis/contract/shapes/connector.ts';
import { type FetchMessageObject, ImapFlow, type ListResponse } from 'imapflow';
import { ConnectorError } from '../connector-error.ts';
import type { SourceContext } from './source-context.ts';

const CONNECT_TIMEOUT_MS = 15_000;
/** A server that says nothing more is not waited for. */
const SILENCE_MS = 5 * 60_000;
/** What a message has around it, and headers alone of a large one. */
const MARGIN_BYTES = 1024 * 1024;
/** Of one line, and of one answer without the messages in it. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const FOLDERS_MAX = 1_000;

/** Mail that was thrown away, or is not sent; and views of what lies in other folders. */
const LEFT_OUT: ReadonlySet<string> = new Set(['\\Junk', '\\Trash', '\\Drafts', '\\All']);

/** Reads a mailbox: nothing is changed there, and no message becomes seen. */
export async function whileConnected<T>(
  { url, tls, user, fileBytesMax }: ImapSource,
  { secret, signal }: SourceContext,
  work: (mail: ImapFlow) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'imaps:';
  const mail = new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 993 : 143)),
    secure: isSecure,
    // To be encrypted or not is what the settings say, and nothing that the server offers.
    ...(isSecure ? {} : { doSTARTTLS: tls }),
    auth: { user, pass: secret ?? '' },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: fileBytesMax + MARGIN_BYTES,
    maxLineLength: LINE_BYTES_MAX,
  });
  // A connection that breaks is told of by the command that was under way.
  mail.on('error', () => {});
  const end = (): void => mail.close();
  signal?.addEventListener('abort', end, { once: true });
  try {
    await mail.connect();
    return await work(mail);
  } catch (error) {
    signal?.throwIfAborted();
    throw told(error);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** What the library throws is told as of the server; what others throw stays as it is. */
function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('authenticationFailed' in error && error.authenticationFailed === true) {
    const message = 'The mail server refuses user and password';
    return new ConnectorError('source_failed', message);
  }
  const said = 'responseText' in error ? error.responseText : undefined;
  if (typeof said === 'string' && said !== '') {
    return new ConnectorError('source_failed', `The mail server says: ${said}`);
  }
  return error;
}

/** The folders that are brought, as the server lists them. */
export async function foldersOf(
  mail: ImapFlow,
  { folder }: Pick<ImapSource, 'folder'>,
): Promise<ListResponse[]> {
  const listed = await mail.list();
  const isWanted = ({ path, delimiter, flags, specialUse }: ListResponse): boolean => {
    if (flags.has('\\Noselect') || flags.has('\\NonExistent')) return false;
    if (folder === null) return specialUse === undefined || !LEFT_OUT.has(specialUse);
    return path === folder || (delimiter !== '' && path.startsWith(folder + delimiter));
  };
  const folders = listed.filter(isWanted);
  if (folder !== null && folders.length === 0) {
    throw new ConnectorError('source_failed', `The mailbox has no folder "${folder}"`);
  }
  if (folders.length > FOLDERS_MAX) {
    throw new ConnectorError('source_failed', `The mailbox has over ${FOLDERS_MAX} folders`);
  }
  return folders;
}

/** Messages with their sizes, and then, of those that are small enough, all that is in them. */
export async function* messagesOf(
  mail: ImapFlow,
  uids: readonly number[],
  bytesMax: number,
): AsyncIterable<FetchMessageObject> {
  const heads = new Map<number, FetchMessageObject>();
  const query = { uid: true, envelope: true, size: true, internalDate: true } as const;
  const asked = new Set(uids);
  for await (const head of mail.fetch(uids.join(','), query, { uid: true })) {
    // What it tells by itself, as that a message was seen, comes between the answers.
    if (head.size !== undefined && asked.has(head.uid)) heads.set(head.uid, head);
  }
  for (const head of heads.values()) {
    if ((head.size ?? Infinity) > bytesMax) {
      yield head;
      continue;
    }
    // What a server says of a size binds it to nothing.
    const source = { maxLength: bytesMax } as const;
    const whole = await mail.fetchOne(String(head.uid), { uid: true, source }, { uid: true });
    // It may have gone meanwhile; the next run sees that.
    if (whole !== false) yield { ...head, source: whole.source };
  }
}
