/** A page or an answer, with the address at which it was found. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * What of a browser a sign-in needs: a cookie jar, redirects, forms. Like one, it does not tell
 * ports of a host apart.
 */
export class PlainBrowser {
  readonly #cookies = new Map<string, string>();

  /**
   * Follows redirects until one leads to an address that `stopAt` begins: that one is answered and
   * not visited.
   */
  async visit(url: string, stopAt?: string, init: RequestInit = {}): Promise<Visit> {
    let next = url;
    let options = init;
    for (let hops = 0; hops < 20; hops++) {
      const visit = await this.send(next, options);
      const location = visit.headers.get('location');
      if (location === null) return visit;
      next = new URL(location, next).href;
      options = {};
      if (stopAt !== undefined && next.startsWith(stopAt)) return { ...visit, url: next };
    }
    throw new Error(`too many redirects, the last one to ${next}`);
  }

  submit({ action, fields }: Form, stopAt?: string): Promise<Visit> {
    return this.visit(action, stopAt, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** One request, without following anything. */
  async send(url: string, init: RequestInit = {}): Promise<Visit> {
    const { hostname } = new URL(url);
    const headers = new Headers(init.headers);
    const own = [...this.#cookies].filter(([key]) => key.startsWith(`${hostname} `));
    if (own.length > 0) headers.set('cookie', own.map(([, pair]) => pair).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.#cookies.set(`${hostname} ${pair.slice(0, pair.indexOf('='))}`, pair);
    }
    const { status, headers: answered } = response;
    return { url, status, headers: answered, text: await response.text() };
  }
}

/** The first form of a page, filled in. */
export function formOf({ text, url }: Visit, filledIn: Readonly<Record<string, string>>): Form {
  const action = /<form[^>]*\baction="([^"]*)"/.exec(text)?.[1];
  if (action === undefined) throw new Error(`no form at ${url}: ${text.slice(0, 500)}`);
  const fields: Record<string, string> = {};
  for (const [input] of text.matchAll(/<input[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields[name] = unescapeHtml(/\bvalue="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { action: new URL(unescapeHtml(action), url).href, fields: { ...fields, ...filledIn } };
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll(/&#x([\da-f]+);/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
