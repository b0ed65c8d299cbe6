import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import {
  OAUTH_CLIENT_NAME_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_MAX,
  OAUTH_REGISTRATION_LIFETIME_MS,
} from '#base/sign-in-limits.ts';
import { TextSeal } from '#base/text-seal.ts';
import {
  parseRecord,
  type VaultEntry,
  type VaultReader,
  vaultRecord,
  type VaultWrite,
} from '../vault.ts';

/** What a client says of itself when it registers (RFC 7591). */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly client_name?: string | undefined;
}

export interface RegisteredClient {
  /** Names the registration in records; the client itself knows it by `clientId`. */
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly issuedMs: number;
  /** Set when an administrator has registered it: it stays known without a grant. */
  readonly isVouched?: boolean | undefined;
}

/** What a client id carries. */
type SealedClient = Omit<RegisteredClient, 'id' | 'clientId'>;

/** What is kept of a client for its grants, or because an administrator has registered it. */
export interface KnownClient {
  readonly id: string;
  /** Undefined when it is not kept: the client got its grants from an older server. */
  readonly registration: KeptRegistration | undefined;
  /** UID of the administrator who registered it; null for one that did so itself. */
  readonly createdBy: string | null;
  readonly grantIds: readonly string[];
}

interface KeptRegistration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly issuedMs: number;
}

/**
 * The clients that register themselves (RFC 7591). Anybody may, as often as they like, so that
 * nothing is kept of it: the id that a client gets carries what the client said, sealed. It is good
 * for a while, and as long as there is a grant to this client, unless it was withdrawn.
 *
 * In the vault, `oauth-client/{id}/` has a record for each grant, and one under `CREATED` for what
 * an administrator has registered; `oauth-withdrawn/{id}` says that the client is refused.
 */
export class OAuthClients {
  readonly #seal: TextSeal;
  readonly #vault: VaultReader;
  readonly #clock: Clock;

  constructor(signingKey: string, vault: VaultReader, clock: Clock) {
    this.#seal = TextSeal.for('oauth-client', signingKey);
    this.#vault = vault;
    this.#clock = clock;
  }

  /** `isVouched`: an administrator registers it. Throws `invalid_redirect_uri`. */
  register(
    { redirect_uris: uris, client_name: given }: ClientMetadata,
    isVouched = false,
  ): RegisteredClient {
    const redirectUris = checkedRedirects(uris);
    const [first = ''] = redirectUris;
    const name = readableName(given) ?? redirectHost(first);
    const issuedMs = this.#clock.now();
    const vouched = isVouched ? { isVouched } : {};
    const client: SealedClient = { name, redirectUris, issuedMs, ...vouched };
    const clientId = this.#seal.seal(JSON.stringify(client));
    return { ...client, clientId, id: this.#idOf(clientId) };
  }

  /** The client of an id; the problem `invalid_client` for one that we did not give, or no more. */
  find(clientId: string): RegisteredClient {
    const opened = this.#seal.open(clientId);
    if (opened === undefined) throw unknownClient();
    const client: SealedClient = JSON.parse(opened.text);
    const isOld = client.issuedMs + OAUTH_REGISTRATION_LIFETIME_MS <= this.#clock.now();
    const isKept = client.isVouched === true || this.#hasGrant(opened.nonce);
    if (isOld && !isKept) throw unknownClient();
    this.checkNotWithdrawn(opened.nonce);
    return { ...client, clientId, id: opened.nonce };
  }

  /**
   * Whether a browser may be sent to the client with a fault, about which no user is asked. Anybody
   * can register any site, so a link to this server would lead there: the site must be one that a
   * user or an administrator has let in (OAuth 2.1, section 7.12.2). Programs of the own machine
   * are no sites.
   */
  mayLeadTo({ id, isVouched }: RegisteredClient, redirectUri: string): boolean {
    if (URL.parse(redirectUri)?.protocol !== 'https:' || isVouched === true) return true;
    return this.#hasGrant(id);
  }

  /** Throws `invalid_client`. */
  checkNotWithdrawn(id: string): void {
    if (this.isWithdrawn(id)) throw unknownClient();
  }

  isWithdrawn(id: string): boolean {
    return this.#vault.get(WITHDRAWN + id) !== undefined;
  }

  /** Those that have a grant, or were registered by an administrator; in no order. */
  known(): KnownClient[] {
    const byId = Map.groupBy(this.#vault.list(PREFIX), ({ key }) => placeIn(key).id);
    return [...byId].map(([id, entries]) => knownOf(id, entries));
  }

  knownOf(id: string): KnownClient | undefined {
    // What is no id of ours is no key of the vault either.
    const entries = CLIENT_ID.test(id) ? this.#vault.list(prefixOf(id)) : [];
    return entries.length === 0 ? undefined : knownOf(id, entries);
  }

  /**
   * From now on the client is refused. One that registered itself may be forgotten when its id has
   * ended and there is nothing that keeps it; the id of one of an administrator never ends.
   */
  withdrawal({ id, createdBy }: KnownClient): VaultWrite[] {
    const nowMs = this.#clock.now();
    const untilMs = createdBy === null ? nowMs + OAUTH_REGISTRATION_LIFETIME_MS : null;
    const created = { key: prefixOf(id) + CREATED, value: null };
    return [vaultRecord(WITHDRAWN + id, { atMs: nowMs, untilMs }), created];
  }

  /** Removes what says of clients that they are withdrawn, and that nobody needs any more. */
  endedWithdrawals(): VaultWrite[] {
    return this.#vault.list(WITHDRAWN).flatMap(({ key, value }) => {
      const { untilMs } = parseRecord(key, value, isWithdrawal);
      const isOver = untilMs !== null && untilMs <= this.#clock.now();
      return isOver && !this.#hasGrant(key.slice(WITHDRAWN.length)) ? [{ key, value: null }] : [];
    });
  }

  #idOf(clientId: string): string {
    return this.#seal.open(clientId)?.nonce ?? '';
  }

  #hasGrant(id: string): boolean {
    return this.#vault.list(prefixOf(id)).length > 0;
  }
}

/** The record by which a registration with a grant stays known; null removes it. */
export function grantOfClient(
  id: string,
  grantId: string,
  client: RegisteredClient | null,
): VaultWrite {
  const key = prefixOf(id) + grantId;
  return client === null ? { key, value: null } : vaultRecord(key, keptOf(client));
}

/** The record of what an administrator has registered. */
export function createdClient(client: RegisteredClient, createdBy: string): VaultWrite {
  return vaultRecord(prefixOf(client.id) + CREATED, { ...keptOf(client), createdBy });
}

function keptOf({ name, redirectUris, issuedMs }: RegisteredClient): KeptRegistration {
  return { name, redirectUris, issuedMs };
}

const PREFIX = 'oauth-client/';
const WITHDRAWN = 'oauth-withdrawn/';
/** In the place of the id of a grant. */
const CREATED = 'created';
const CLIENT_ID = /^[0-9a-f]{24}$/;

function prefixOf(id: string): string {
  return `${PREFIX}${id}/`;
}

function placeIn(key: string): { readonly id: string; readonly grantId: string } {
  const [id = '', grantId = ''] = key.slice(PREFIX.length).split('/');
  return { id, grantId };
}

function knownOf(id: string, entries: readonly VaultEntry[]): KnownClient {
  const records = entries.map(({ key, value }) => ({
    ...placeIn(key),
    record: parseRecord(key, value, isKeptRecord),
  }));
  const created = records.find(({ grantId }) => grantId === CREATED)?.record;
  const kept = created ?? records.find(({ record }) => record.issuedMs !== undefined)?.record;
  return {
    id,
    registration: kept && registrationIn(kept),
    createdBy: created?.createdBy ?? null,
    grantIds: records.flatMap(({ grantId }) => (grantId === CREATED ? [] : [grantId])),
  };
}

type KeptRecord = Partial<KeptRegistration & { readonly createdBy: string }>;

function registrationIn({ name, redirectUris, issuedMs }: KeptRecord) {
  if (name === undefined || redirectUris === undefined || issuedMs === undefined) return undefined;
  return { name, redirectUris, issuedMs };
}

/** Empty in what an older server has kept. */
function isKeptRecord(record: Partial<Record<keyof KeptRecord, unknown>>): record is KeptRecord {
  const { name, redirectUris, issuedMs, createdBy } = record;
  return (
    (name === undefined || typeof name === 'string') &&
    (redirectUris === undefined || Array.isArray(redirectUris)) &&
    (issuedMs === undefined || typeof issuedMs === 'number') &&
    (createdBy === undefined || typeof createdBy === 'string')
  );
}

interface Withdrawal {
  readonly untilMs: number | null;
}

function isWithdrawal(record: Partial<Record<keyof Withdrawal, unknown>>): record is Withdrawal {
  return record.untilMs === null || typeof record.untilMs === 'number';
}

function unknownClient(): Problem {
  return new Problem('invalid_client', 'This client is not registered here, or no longer.', {
    hint: 'Let the client register again: remove the server in the client and add it once more.',
  });
}

/**
 * Schemes that a browser does something with itself: to send a code there would run or show it. A
 * scheme of an app is none of them.
 */
const SCHEMES_OF_BROWSERS: ReadonlySet<string> = new Set(
  [
    'about blob chrome chrome-extension content data devtools file filesystem ftp intent',
    'jar javascript mailto moz-extension resource sms tel urn vbscript view-source wasm ws wss',
  ].flatMap((names) => names.split(' ')),
);

/** Only what stands in addresses, so that nothing is read in two ways. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:[\w.~!$&'()*+,;=:@%/?[\]-]+$/;

function checkedRedirects(uris: readonly string[]): readonly string[] {
  if (uris.length === 0) throw badRedirect('there is none');
  if (uris.length > OAUTH_REDIRECT_URIS_MAX) {
    throw badRedirect(`there are more than ${OAUTH_REDIRECT_URIS_MAX}`);
  }
  if (uris.join('').length > OAUTH_REDIRECT_URIS_CHARACTERS_MAX) {
    throw badRedirect(`they have more than ${OAUTH_REDIRECT_URIS_CHARACTERS_MAX} characters`);
  }
  for (const uri of uris) checkRedirect(uri);
  return uris;
}

function checkRedirect(uri: string): void {
  const url = ADDRESS.test(uri) ? URL.parse(uri) : null;
  if (url === null) throw badRedirect(`"${uri.slice(0, 200)}" is no URI without a fragment`);
  if (url.username !== '' || url.password !== '') throw badRedirect('it holds a user name');
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https') return;
  if (scheme === 'http') {
    if (isLoopback(url.hostname)) return;
    throw badRedirect('http is for addresses of the own machine only, such as http://127.0.0.1/');
  }
  if (SCHEMES_OF_BROWSERS.has(scheme)) throw badRedirect(`the scheme "${scheme}" is not allowed`);
}

function badRedirect(what: string): Problem {
  return new Problem('invalid_redirect_uri', `redirect_uris: ${what}.`);
}

/**
 * Whether a client may be sent back to `asked`: to exactly one that it has registered, or to
 * another port of the own machine (RFC 8252, section 7.3).
 */
export function isRegisteredRedirect(client: RegisteredClient, asked: string): boolean {
  return client.redirectUris.some((uri) => uri === asked || isOtherPort(uri, asked));
}

function isOtherPort(registered: string, asked: string): boolean {
  const own = URL.parse(registered);
  const other = ADDRESS.test(asked) ? URL.parse(asked) : null;
  if (own?.protocol !== 'http:' || other?.protocol !== 'http:') return false;
  if (!isLoopback(own.hostname) || own.hostname !== other.hostname) return false;
  const isPlain = other.username === '' && other.password === '';
  return isPlain && own.pathname === other.pathname && own.search === other.search;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** Where a redirect leads, as people know it: a host, or the scheme of an app. */
export function redirectHost(uri: string): string {
  const url = URL.parse(uri);
  if (url === null) return uri;
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol;
}

/**
 * The name that a client gave itself, on one line, without what turns the direction of writing or
 * is not seen; undefined when nothing is left.
 */
function readableName(given: string | undefined): string | undefined {
  if (given?.isWellFormed() !== true) return undefined;
  const plain = given.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const name = [...plain].slice(0, OAUTH_CLIENT_NAME_CHARACTERS_MAX).join('');
  return name === '' ? undefined : name;
}
