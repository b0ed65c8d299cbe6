import { Problem } from './problem.ts';

/**
 * The address of a request that somebody has the server send, where an administrator allowed its
 * origin. Addresses are compared as the URL standard writes them, so that no spelling of an address
 * is another one. What the name of an allowed host stands for is the resolver's word: whoever rules
 * over that name chooses the address. `asker` begins the messages. Throws `invalid_request`, and
 * `forbidden` when the origin is not allowed.
 */
export function allowedAddress(text: string, allowList: readonly string[], asker: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Problem('invalid_request', `${asker} takes an http or https URL, not "${text}"`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Problem('invalid_request', `${asker} takes a URL without user and password`, {
      hint: 'Send them in the header Authorization.',
    });
  }
  if (allowList.includes(url.origin)) return url;
  throw new Problem('forbidden', `${asker} may not reach ${url.origin}`, {
    hint: 'An administrator can add the origin to the setting fetchAllowList of the workspace.',
    details: { origin: url.origin },
  });
}

/** `fetch` of the process. Only `app` hands it out. */
export type Fetch = (address: string, options: RequestInit) => Promise<Response>;

/** The text of an answer; undefined when it is larger. */
export async function boundedText(
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // To leave the loop ends the request too.
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, bytes));
}

/**
 * Why `fetch` rejected: what the platform says, which names no more than the host and what became
 * of it.
 */
export function fetchFault(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}
