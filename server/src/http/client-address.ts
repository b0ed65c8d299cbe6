import { BlockList } from 'node:net';
import { ipVersion, withoutMapping } from '#base/ip-address.ts';

/** Whether somebody at an address is believed whom a request came from. */
export type ProxyTrust = (address: string) => boolean;

/** Networks as addresses, with or without the bits that count: "10.0.0.7", "fd00::/8". */
export function proxyTrust(networks: readonly string[]): ProxyTrust {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    trusted.addSubnet(address, bits === undefined ? bitsOf(family) : Number(bits), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    // Whatever somebody has claimed may be no address at all.
    return ipVersion(plain) !== undefined && trusted.check(plain, familyOf(plain));
  };
}

/** What a request tells of the way that it came. */
interface Arrival {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The address that a request came from, for WebSockets as the framework has it for all others: the
 * last one on the way that is not that of a proxy which is believed.
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
