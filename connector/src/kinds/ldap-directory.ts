import type { LdapSource } from '@trellis/contract/shapes/connector.ts';
import {
  Client,
  type Entry,
  FilterParser,
  MessageResponseStatus,
  PagedResultsControl,
  ResultCodeError,
  SearchRequest,
  type SearchResponse,
  StatusCodeParser,
} from 'ldapts';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { ConnectorError } from '../connector-error.ts';
import type { SourceContext } from './source-context.ts';

const CONNECT_TIMEOUT_MS = 15_000;
/** A server that says nothing more is not waited for. */
const SILENCE_MS = 60_000;
const PAGE_ENTRIES = 500;
export const ENTRIES_MAX = 200_000;
/** A page may be empty, or have references to other servers alone. */
const PAGES_MAX = 10_000;

export async function whileBound<T>(
  { url, tls, user }: LdapSource,
  { secret, signal }: SourceContext,
  work: (directory: Client) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  // The certificate has to be of this host.
  const tlsOptions = isIP(host) === 0 ? { host, servername: host } : { host };
  const isSecure = new URL(url).protocol === 'ldaps:';
  const directory = new Client({
    url,
    timeout: SILENCE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // The library connects again by itself, as nobody: what nobody may see would seem to be gone.
    createConnection: onlyOnce(connectPlain),
    createSecureConnection: onlyOnce(connectSecure),
    ...(isSecure ? { tlsOptions } : {}),
  });
  const end = (): void => void directory.unbind().catch(() => {});
  signal?.addEventListener('abort', end, { once: true });
  try {
    if (!isSecure && tls) await directory.startTLS(tlsOptions);
    await directory.bind(user ?? '', user === null ? '' : (secret ?? ''));
    return await work(directory);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ResultCodeError)) throw error;
    throw new ConnectorError('source_failed', saidBy(error));
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

function onlyOnce<T extends typeof connectPlain | typeof connectSecure>(connect: T): T {
  let isUsed = false;
  return new Proxy(connect, {
    apply: (target, self, args) => {
      if (isUsed) throw new ConnectorError('source_failed', CLOSED);
      isUsed = true;
      return Reflect.apply(target, self, args);
    },
  });
}

const CLOSED = 'The directory has closed the connection';

/** Most results have a code and no words. */
function saidBy({ code, message }: ResultCodeError): string {
  if (code === INVALID_CREDENTIALS) return 'The directory refuses user and password';
  const words = message.replace(/\s*Code: 0x\w+$/, '').trim();
  return `The directory says: ${words || `result ${code}`}`;
}

const INVALID_CREDENTIALS = 49;

/** Entries below the base that a filter finds, page by page; never those of other servers. */
export async function* entriesOf(
  directory: Client,
  { base }: LdapSource,
  filter: string,
  attributes: readonly string[],
): AsyncIterable<Entry> {
  const page = new PagedResultsControl({ value: { size: PAGE_ENTRIES } });
  const request = new SearchRequest({
    messageId: 0,
    baseDN: base,
    scope: 'sub',
    filter: FilterParser.parseString(filter),
    attributes: [...attributes],
    controls: [page],
  });
  let [count, pages] = [0, 0];
  for (;;) {
    const { searchEntries, controls = [] } = await searched(directory, request);
    count += searchEntries.length;
    if (count > ENTRIES_MAX || ++pages > PAGES_MAX) {
      const message = `${filter} finds over ${ENTRIES_MAX} entries`;
      throw new ConnectorError('source_failed', message);
    }
    for (const entry of searchEntries) yield entry.toObject([...attributes], []);
    const answered = controls.find((one) => one instanceof PagedResultsControl);
    const cookie = answered?.value?.cookie;
    if (cookie === undefined || cookie.length === 0) return;
    page.value = { size: PAGE_ENTRIES, cookie };
  }
}

/**
 * What the type of the library hides. Its own way through pages ends at one without entries,
 * though the server may have more to say (RFC 2696): the rest would seem to be gone.
 */
interface RequestSender {
  _nextMessageId(): number;
  _send(request: SearchRequest): Promise<SearchResponse | undefined>;
}

function sendsRequests(directory: object): directory is RequestSender {
  return (
    '_send' in directory &&
    typeof directory._send === 'function' &&
    '_nextMessageId' in directory &&
    typeof directory._nextMessageId === 'function'
  );
}

async function searched(directory: object, request: SearchRequest): Promise<SearchResponse> {
  if (!sendsRequests(directory)) throw new TypeError('ldapts has no way to send a request');
  request.messageId = directory._nextMessageId();
  const response = await directory._send(request);
  if (response?.status === MessageResponseStatus.Success) return response;
  throw StatusCodeParser.parse(response);
}

/** Values of an attribute, whichever way its name is written. */
export function valuesOf(entry: Entry, name: string): string[] {
  const wanted = name.toLowerCase();
  const key = Object.keys(entry).find((one) => one.toLowerCase() === wanted);
  const value = key === undefined ? [] : entry[key]!;
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => (typeof one === 'string' ? one : one.toString('utf8')));
}

export function textOf(entry: Entry, name: string): string {
  return (valuesOf(entry, name)[0] ?? '').toWellFormed();
}

/** One spelling of a distinguished name, by which it is compared. */
export function comparedName(dn: string): string {
  return dn.toLowerCase().replaceAll(/\s*([,=+])\s*/g, '$1');
}
