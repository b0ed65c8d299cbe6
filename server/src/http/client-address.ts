import { BlockList } from 'node:net';
import { ipVersion, withoutMapping } from '#base/ip-address.ts';

/** Whether the proxy at an address is trusted to say where a request came from. */
export type ProxyTrust = (address: string) => boolean;

/** Trusts the given networks: addresses, with or without a prefix length ("fd00::/8"). */
export function proxyTrust(networks: readonly string[]): ProxyTrust {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    trusted.addSubnet(address, bits === undefined ? bitsOf(family) : Number(bits), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    // What a client claims need not be an address at all.
    return ipVersion(plain) !== undefined && trusted.check(plain, familyOf(plain));
  };
}

/** The part of a request that says where it came from. */
interface Arrival {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The address that a request came from: the last one on its way that is no trusted proxy. The
 * framework does the same for all requests but WebSockets.
 */
export function clientAddress({ socket, headers }: Arrival, trusts: ProxyTrust): string {
  const forwarded = headers['x-forwarded-for'];
  const told = [forwarded ?? []].flat().flatMap((one) => one.split(','));
  let address = socket.remoteAddress ?? '';
  for (const before of told.map((one) => one.trim()).toReversed()) {
    if (before === '' || !trusts(address)) break;
    address = before;
  }
  return address;
}

function bitsOf(family: 'ipv4' | 'ipv6'): number {
  return family === 'ipv6' ? 128 : 32;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return ipVersion(address) === 6 ? 'ipv6' : 'ipv4';
}
