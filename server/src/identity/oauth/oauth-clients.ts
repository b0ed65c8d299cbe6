import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import {
  OAUTH_CLIENT_NAME_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_MAX,
  OAUTH_REGISTRATION_LIFETIME_MS,
} from '#base/sign-in-limits.ts';
import { TextSeal } from '#base/text-seal.ts';
import type { VaultReader, VaultWrite } from '../vault.ts';

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

/**
 * The clients that register themselves (RFC 7591). Anybody may, as often as they like, so that
 * nothing is kept of it: the id that a client gets carries what the client said, sealed. It is good
 * for a while, and as long as there is a grant to this client.
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

  #idOf(clientId: string): string {
    return this.#seal.open(clientId)?.nonce ?? '';
  }

  #hasGrant(id: string): boolean {
    return this.#vault.list(prefixOf(id)).length > 0;
  }
}

/** The record by which a registration with a grant stays known. */
export function grantOfClient(id: string, grantId: string, isThere: boolean): VaultWrite {
  const value = isThere ? Buffer.from('{}').toString('base64') : null;
  return { key: prefixOf(id) + grantId, value };
}

function prefixOf(id: string): string {
  return `oauth-client/${id}/`;
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
