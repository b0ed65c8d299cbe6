/** What connectors speak besides HTTP, and the port of each. */
const PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5_432,
  'imap:': 143,
  'imaps:': 993,
  'ldap:': 389,
  'ldaps:': 636,
};

/**
 * The origin of an address, in one spelling: of http and https as browsers write it, of the others
 * scheme, host and port, such as `postgres://db.example.com:5432`. Undefined for anything else.
 */
export function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return undefined;
  if (['http:', 'https:'].includes(url.protocol)) return url.origin;
  const port = PORTS[url.protocol];
  if (port === undefined || url.hostname === '') return undefined;
  return `${url.protocol}//${url.hostname.toLowerCase()}:${url.port || port}`;
}
