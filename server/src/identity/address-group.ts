import { createHash } from 'node:crypto';
import { ipVersion, withoutMapping } from '#base/ip-address.ts';

const NETWORK_PARTS = 4;
const PARTS = 8;

/**
 * The group that counts as one client: an IPv4 address itself; for IPv6 its first 64 bits, as one
 * customer has all the others (RFC 6177). Such as `203.0.113.9` and `2001:db8:0:1::/64`.
 */
export function addressGroup(address: string): string {
  const plain = withoutMapping(address.replace(/%.*$/, ''));
  if (ipVersion(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two parts.
  const known = first.length + last.length + (plain.includes('.') ? 1 : 0);
  const gap = tail === undefined ? 0 : PARTS - known;
  const network = [...first, ...Array.from({ length: gap }, () => '0'), ...last]
    .slice(0, NETWORK_PARTS)
    .map((part) => Number.parseInt(part, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * A key of 22 characters for what a stranger names: it takes little memory however long that is.
 */
export function subjectKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
