import type { FastifyRequest } from 'fastify';

type Message = FastifyRequest['raw'];

/** What proves who somebody is stays outside endpoint code. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** What stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Clients send the same few names again and again. */
const NAMES_MAX = 1_000;

/**
 * The headers that endpoint code sees, as JSON text: names in lower case, without credentials. It is put together from the
 * list in which they arrived, as most endpoints look at none of them.
 */
export class ForwardedHeaders {
  /** By name as it arrives. */
  readonly #members = new Map<string, Member>();
  #requests = 0;

  textOf(request: Pick<Message, 'headers' | 'rawHeaders'>): string {
    const { rawHeaders } = request;
    const number = ++this.#requests;
    // Not between two spellings of one name: they would be taken for two headers.
    if (this.#members.size >= NAMES_MAX) this.#members.clear();
    let text = '{';
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const member = this.#member(rawHeaders[i] ?? '');
      if (member.isCredential) continue;
      if (member.lastRequest === number) return mergedText(request.headers);
      member.lastRequest = number;
      const value = rawHeaders[i + 1] ?? '';
      if (text.length > 1) text += ',';
      text += member.start + (PLAIN.test(value) ? `"${value}"` : JSON.stringify(value));
    }
    return `${text}}`;
  }

  #member(name: string): Member {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const member = lower === name ? newMember(name) : this.#member(lower);
    this.#members.set(name, member);
    return member;
  }
}

/** A header by its name, however that is written. */
interface Member {
  readonly isCredential: boolean;
  /** How it begins a member of an object. */
  readonly start: string;
  /** The number of the request that had it last. */
  lastRequest: number;
}

function newMember(name: string): Member {
  return {
    isCredential: CREDENTIALS.has(name),
    start: `${JSON.stringify(name)}:`,
    lastRequest: 0,
  };
}

/** A header that comes several times: Node knows which of them to join, and how. */
function mergedText(headers: Message['headers']): string {
  const forwarded = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && !CREDENTIALS.has(name),
  );
  return JSON.stringify(Object.fromEntries(forwarded));
}
