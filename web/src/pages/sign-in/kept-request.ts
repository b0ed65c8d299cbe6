/** One tab has one request: it goes from here to an identity provider, and comes back. */
const KEY = 'trellis.authorize';

/** Keeps the request of a client over the sign-in: it is too long for what a provider returns. */
export function keepRequest(request: string | undefined): void {
  if (request !== undefined) sessionStorage.setItem(KEY, request);
}

export function keptRequest(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function forgetRequest(): void {
  sessionStorage.removeItem(KEY);
}
