import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { IP } from '../../tools/debian-package.ts';
import type { Place } from './cluster.ts';

const TC = join(dirname(IP), 'tc');
/**
 * Set aside for tests of networks (RFC 2544), so that no address of this machine is one of them.
 */
const NETWORK = '198.18';

interface WireEnd {
  readonly namespace: string;
  readonly device: string;
}

/** What happens to the packets that go into either end. */
export type WireFault = 'loss' | 'reordering' | 'throttle';

/**
 * Two machines, which are network namespaces, and a wire between them that can be pulled out or go
 * bad; needs root. A third network connects each of them with the test, so that it reaches both
 * whatever becomes of the wire.
 */
export class Wire implements Disposable {
  readonly places: readonly [Place, Place];
  /** The first place as the second one reaches it. */
  readonly address: string;
  readonly #ends: readonly [WireEnd, WireEnd];

  constructor() {
    const id = randomInt(36 ** 5).toString(36);
    const third = randomInt(256);
    const first = randomInt(20) * 12;
    const address = (offset: number): string => `${NETWORK}.${third}.${first + offset}`;
    this.#ends = [
      { namespace: `trellis-${id}-a`, device: `t${id}a` },
      { namespace: `trellis-${id}-b`, device: `t${id}b` },
    ];
    const [a, b] = this.#ends;
    for (const { namespace } of this.#ends) ip('netns', 'add', namespace);
    connect({ ...a, address: address(1) }, { ...b, address: address(2) });
    for (const [i, { namespace, device }] of this.#ends.entries()) {
      const offset = 4 + 4 * i;
      const outside = { device: `${device}o`, address: address(offset + 1) };
      connect({ namespace, device: `${device}i`, address: address(offset + 2) }, outside);
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
    }
    this.address = address(1);
    const place = (host: string, { namespace }: WireEnd): Place => ({
      host,
      prefix: [IP, 'netns', 'exec', namespace],
    });
    this.places = [place(address(6), a), place(address(10), b)];
  }

  /** Nobody is told: packets are gone, as with a cable that is pulled out somewhere. */
  pull(): void {
    const [{ namespace, device }] = this.#ends;
    ip('-n', namespace, 'link', 'set', device, 'down');
  }

  plug(): void {
    const [{ namespace, device }] = this.#ends;
    ip('-n', namespace, 'link', 'set', device, 'up');
  }

  /** In place of what was wrong before. */
  impair(fault: WireFault): void {
    this.repair();
    for (const end of this.#ends) spoil(end, fault);
  }

  repair(): void {
    for (const { namespace, device } of this.#ends) {
      if (tc(namespace, 'qdisc', 'show', 'dev', device).includes('htb')) {
        tc(namespace, 'qdisc', 'delete', 'dev', device, 'root');
      }
    }
  }

  /** How many packets the fault has been to; there must be some for a test to mean anything. */
  get spoiledPackets(): number {
    let packets = 0;
    for (const { namespace, device } of this.#ends) {
      const text = tc(namespace, '-s', 'qdisc', 'show', 'dev', device);
      // The counts of the second class; without one, of all packets that had to wait.
      const [, own = text] = text.split('parent 1:20');
      const counts = own.matchAll(/dropped (\d+), overlimits (\d+)/g);
      for (const [, dropped, waited] of counts) packets += Number(dropped) + Number(waited);
    }
    return packets;
  }

  [Symbol.dispose](): void {
    for (const { namespace } of this.#ends) ip('netns', 'delete', namespace);
  }
}

interface Plug {
  /** Undefined for that of the test. */
  readonly namespace?: string;
  readonly device: string;
  readonly address: string;
}

function connect(one: Plug, other: Plug): void {
  const at = ({ namespace }: Plug): string[] =>
    namespace === undefined ? [] : ['netns', namespace];
  const peer = ['peer', 'name', other.device, ...at(other)];
  ip('link', 'add', one.device, ...at(one), 'type', 'veth', ...peer);
  for (const plug of [one, other]) {
    const inside = plug.namespace === undefined ? [] : ['-n', plug.namespace];
    ip(...inside, 'address', 'add', `${plug.address}/30`, 'dev', plug.device);
    // Packets as they would be on a cable, not sixty-four kilobytes at once.
    ip(...inside, 'link', 'set', plug.device, 'gso_max_segs', '1', 'up');
  }
}

/**
 * Not every kernel has netem: two classes do as well. Every eighth or thirty-second packet, by the
 * number that IP gives it, takes the way of the second class, which lets it wait until others have
 * overtaken it, or has no room for it. The numbers begin at nought for every connection, so that it
 * is not those packets that are chosen.
 */
function spoil({ namespace, device }: WireEnd, fault: WireFault): void {
  const to = ['dev', device];
  tc(namespace, 'qdisc', 'add', ...to, 'root', 'handle', '1:', 'htb', 'default', '10');
  const rate = fault === 'throttle' ? '80kbit' : '1gbit';
  for (const id of ['1:10', '1:20']) {
    tc(
      namespace,
      'class',
      'add',
      ...to,
      'parent',
      '1:',
      'classid',
      id,
      'htb',
      'rate',
      rate,
      'quantum',
      '60000',
    );
  }
  if (fault === 'throttle') return;
  const mask = fault === 'loss' ? '0x001f' : '0x0007';
  const match = ['u32', 'match', 'u16', '1', mask, 'at', '4', 'flowid', '1:20'];
  tc(namespace, 'filter', 'add', ...to, 'parent', '1:', 'protocol', 'ip', ...match);
  const way =
    fault === 'loss'
      ? ['bfifo', 'limit', '1']
      : ['tbf', 'rate', '16kbit', 'burst', '1600', 'latency', '2s'];
  tc(namespace, 'qdisc', 'add', ...to, 'parent', '1:20', 'handle', '20:', ...way);
}

function ip(...args: readonly string[]): string {
  return execFileSync(IP, args, { encoding: 'utf8' });
}

function tc(namespace: string, ...args: readonly string[]): string {
  return execFileSync(TC, ['-n', namespace, ...args], { encoding: 'utf8' });
}
